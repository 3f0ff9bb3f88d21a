"""The Game Master's decisions, pure and seeded: which scene comes next, who speaks, what a scene changes.

Choice: ``director``, ``script``, ``choosing``. Play: ``turns``. Fold to a ``Change``: ``apply``, ``conclude``,
``off_scene``, ``daybreak``.
"""
