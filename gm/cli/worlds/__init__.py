"""Commands that begin a world, add to it, and keep it usable."""
