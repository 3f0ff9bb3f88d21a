"""Errors, settings, token estimates, safe file access and Markdown, for all other packages."""
