"""Commands that measure worlds and compare them."""
