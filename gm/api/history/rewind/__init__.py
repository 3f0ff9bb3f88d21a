"""Rewinding a world to a moment, and branches from there."""
