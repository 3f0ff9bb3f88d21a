"""Interviews of characters (``gm interview``)."""
