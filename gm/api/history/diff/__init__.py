"""Differences between two states of a world (``gm diff``), and its days (``gm log``). Read-only."""
