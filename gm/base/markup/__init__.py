"""Markdown and SVG written by models and people, made harmless. No text makes it raise.

The libraries come with the extras ``gm-worlds[web]`` and ``gm-worlds[book]``.
"""
