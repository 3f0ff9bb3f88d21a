"""Commits: what is written together lands together, or not at all, and what a person changed meanwhile stays.

Knows the paths of a world and nothing of what its files mean. How: ``gm/store/README.md``.
"""
