"""Files that no commit writes."""
