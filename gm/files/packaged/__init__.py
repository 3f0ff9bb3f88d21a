"""Files that come with gm."""
