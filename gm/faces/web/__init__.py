"""The pages of a world: served live on loopback by ``gm view``, or written as a static site by ``gm publish``.

What a page shows is a view of ``gm.api.views``; here are addresses, templates, words and forms. ``README.md`` says
more.
"""
