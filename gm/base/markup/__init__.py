"""Markdown written by models and people, made harmless.

``html.render_html`` renders sanitised HTML, ``blocks.parse_blocks`` frozen values for other media (books),
``parse.without_parts`` drops parts by heading, ``clean.neutralise`` removes deceptive characters. No text makes them
raise. The libraries come with the extras ``gm[web]`` and ``gm[book]``.
"""
