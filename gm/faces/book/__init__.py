"""A world, or a mind, as a book: frozen values without a format.

``build.build_book`` makes a ``values.Manuscript`` from files; ``export/`` writes it as Markdown, HTML, EPUB or PDF.
"""
