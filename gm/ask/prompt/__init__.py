"""Prompts: templates of the package and of the world, and the values that they show."""
