"""The Game Master's decisions, pure and seeded: which scene comes next, who speaks, what a scene changes.

Choice: ``director``, ``script``, ``choosing``, ``requested_scene``. Play: ``turns``. Fold to a ``Change``: ``apply``,
``conclude``, ``eras``, ``daybreak``. ``edits`` yields to the user; ``advance`` applies the change.
"""
