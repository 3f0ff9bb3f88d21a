"""Prompts: Jinja templates of the package and of the world, rendered in a sandbox with strict variables."""
