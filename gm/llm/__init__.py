"""Backends: a request goes in, an answer with its usage comes out. Nothing here knows what a character is."""
