"""git as a subprocess: the only package that starts it. Knows nothing of worlds but where one lies.

``repository`` runs it and reads commits and contents, ``commits`` makes commits and finds those that were taken back;
``versions`` finds the three sides of a merge, ``worktrees`` a second folder, ``setup`` drivers and hooks.
"""
