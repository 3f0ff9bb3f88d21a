"""A world, or a mind, as a book: what stands in it and in which order, as frozen values without any form.

``build.build_book`` reads the files of a world and returns a ``values.Book``; ``export/`` makes Markdown, HTML, EPUB or
PDF of it. Its own words are in ``words/``.
"""
