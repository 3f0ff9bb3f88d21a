"""The values of a world: frozen, without input or output. ``world`` holds ``World`` and ``Change``, ``record`` the
declaration of records that reads, checks, writes and describes them. The layers of minds are declared in ``gm.layers``.
"""
