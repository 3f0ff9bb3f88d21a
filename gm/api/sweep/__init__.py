"""Play repeats and variations of a base world side by side, and tabulate the results; see ``README.md``.

The base world is never written to.
"""
