"""The embedding index of a world, which is derived: deleting it loses nothing.

``build`` embeds what has no vector yet, ``describe`` tells how the index stands and removes it, ``embedder`` finds who
embeds and where vectors lie. How vectors are kept and compared is in ``gm.llm.vectors``.
"""
