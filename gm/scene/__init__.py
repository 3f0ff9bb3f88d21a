"""The Game Master's decisions, pure and seeded: which scene comes next, who speaks, what a scene changes.

``director`` chooses a scene (``script`` by a script, ``choosing`` by a model, ``requested_scene`` by the user);
``turns`` plays it; ``apply``, ``conclude``, ``eras`` and ``daybreak`` fold results into a ``Change``; ``edits`` yields
to edits by the user; ``advance`` applies the change to the world.
"""
