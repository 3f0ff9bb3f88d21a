"""What pages, graphs and books say, in the language of a world: one loader for all of them (``speech``).

``de.yaml`` and ``en.yaml`` here hold the words that all of them share: types of scenes and memories, what becomes of
threads, times of day. The words of its own each has in its package: ``gm/faces/web/words/``, ``gm/api/graphs/words/``,
``gm/faces/book/words/``.
"""
