"""Errors, settings, token estimates, safe file access and Markdown."""
