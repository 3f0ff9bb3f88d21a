"""Texts of pages, graphs and books in the language of a world.

``de.yaml`` and ``en.yaml`` here are shared; packages have their own in ``words/``.
"""
