"""Provenance: one file that holds everything needed to repeat the played days of a world."""
