"""Play repeats and variations of a base world and tabulate the results; see ``README.md``.

The base world is never written to.
"""
