"""The Game Master's decisions, pure and seeded: which scene comes next, who speaks, what a scene changes.

Choosing: ``director``, over ``candidates/`` ``score`` ``select`` ``pacing`` ``schedule`` ``attendance``; ``choosing``
for a model, ``script`` for a person, ``requested_scene`` for one scene. Playing: ``turns``, ``plans``. Folding:
``apply`` for a scene, ``conclude`` for a look back, ``eras`` for self-care, ``daybreak`` for a day; each ``ledger``
collects new memories, and each kind of consequence is a module of its own. Taking over: ``edits`` yields to a person,
``advance`` makes the world as it is after.
"""
