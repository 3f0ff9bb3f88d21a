"""Commands that play days and scenes, or show which would come."""
