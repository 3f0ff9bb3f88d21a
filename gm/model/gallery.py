"""Where finished work is."""

GALLERY = "gallery"
"""The folder of finished work in a world."""
