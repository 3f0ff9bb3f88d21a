"""Pages of the reference, made from what the code declares."""
