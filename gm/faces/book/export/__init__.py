"""Write a book as Markdown, HTML, EPUB or PDF: ``formats.bind_book``.

A text of the world reaches templates only as plain data: never as a template, as markup or as a path.
"""
