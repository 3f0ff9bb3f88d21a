"""What has changed in a world between two states of it: commits, days, the working tree."""
