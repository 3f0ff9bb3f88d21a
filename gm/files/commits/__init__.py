"""Atomic commits that preserve concurrent edits by the user; see ``gm/files/README.md``."""
