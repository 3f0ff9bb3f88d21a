"""The files of a world: reading them tolerantly, writing them without touching what did not change (README).

``layout`` is the only module that knows paths. ``load`` reads a world, ``reading/`` what stands where in a text,
``check/`` holds the rules for it. All writing of a world's files goes through ``writer.commit``, as ``steps``.
"""
