"""Commits: what is written together lands together, or not at all, and what a person changed meanwhile stays.

Knows the paths of a world, and of what its files mean only at which moment of the story a commit lands. How:
``gm/store/README.md``.
"""
