"""Comparison of two runs: worlds, commits, branches or days; see ``README.md``. Read-only."""
