"""The files of a world: reading them tolerantly, writing them without touching what did not change.

``layout`` is the only module that knows paths. All writing of a world's files goes through ``commit``.
"""
