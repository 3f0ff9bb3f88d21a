"""Backends: a request goes in, an answer with its usage comes out. No knowledge of characters."""
