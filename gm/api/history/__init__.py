"""A world's past: git, differences, merges, the way back, comparisons."""
