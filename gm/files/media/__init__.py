"""Pieces, texts of the library, and pictures."""
