"""Markdown that models and people wrote, made harmless.

``html.render_html`` gives sanitised HTML for a page, ``blocks.parse_blocks`` the same text as plain frozen values for
media that are not HTML (a typeset book), ``parse.without_parts`` a text without what stands under some headings,
``clean.neutralise`` one text without characters that deceive or break. All of them take any text at all and never raise
because of it. The libraries come with the extras ``gm[web]`` and ``gm[book]``.
"""
