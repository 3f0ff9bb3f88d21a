"""A world, or a mind, as a book: what stands in it and in which order, as frozen values without any form.

``build.build_book`` reads the files of a world and gives a ``values.Book``; ``gm/binding/`` makes Markdown, HTML,
EPUB or PDF of it. What it says of its own accord is in ``words/``.
"""
