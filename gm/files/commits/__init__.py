"""Commits: what is written together lands together, or not at all, and what a person changed meanwhile stays.

See ``gm/files/README.md``.
"""
