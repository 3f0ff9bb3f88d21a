"""A world's past: git, diffs, merges, rewinding, comparisons."""
