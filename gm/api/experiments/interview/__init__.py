"""Interviews out of scene (``gm interview``): the same questions to characters at any moment."""
