"""Sweeps: their text, what is to be played, and the folder in which their worlds lie."""
