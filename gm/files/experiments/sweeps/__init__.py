"""Sweeps: their file, their runs, and the folder of their worlds."""
