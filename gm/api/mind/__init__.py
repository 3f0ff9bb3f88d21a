"""The memory tools of document 000: what a character can ask its own mind, one function each, plain data in and out.

``knowledge`` who one is and what one knows from the start · ``episodes`` what one has lived · ``forming`` keep,
strengthen and connect memories. ``gm mcp`` offers all of them; ``catalogue`` lists them with their descriptions.
"""
