"""Figures and ratios. Nothing here passes or fails: machines are noisy, so read the ratios and compare runs."""
