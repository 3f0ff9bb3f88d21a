"""Fold replies into one ``Change``, and apply it to the world in memory."""
