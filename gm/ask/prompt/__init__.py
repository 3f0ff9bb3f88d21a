"""Prompts: templates of the package and of the world, and the values that they show.

``render`` renders templates, ``context`` assembles the question to a character.
"""
