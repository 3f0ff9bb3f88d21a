"""Commands for earlier states: differences, comparisons, the way back, and what git calls."""
