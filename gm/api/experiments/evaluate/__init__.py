"""Measures of a world (``gm evaluate``)."""
