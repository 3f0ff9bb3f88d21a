"""Frozen values that pages and books show, without markup; ``hidden`` names what ``publish.private`` keeps back."""
