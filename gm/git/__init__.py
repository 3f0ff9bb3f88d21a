"""git, as a program that is run: the only package that starts it. Knows nothing of worlds but where one lies.

``command`` runs it; ``repository`` reads commits and contents, ``commits`` makes them, ``timeline`` tells which were
taken back; ``versions`` finds the three sides of a merge, ``worktrees`` a second folder, ``setup`` drivers and hooks.
"""
