"""From a ``gm.faces.book`` value to bytes: Markdown, one HTML file, EPUB, PDF.

``formats.bind_book`` is the way in. Every medium gets the book as plain data (``html.plain``): a text of the world is
never a template, never a piece of markup, never a path. The templates in ``templates/`` say how a book looks. The same
book gives the same bytes.
"""
