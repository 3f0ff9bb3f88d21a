"""Prompts: templates, and the values that they show."""
