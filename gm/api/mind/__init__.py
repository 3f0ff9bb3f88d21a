"""The memory tools of document 000: what a character can ask its own mind, as functions over plain data.

``catalogue`` lists them with their descriptions; ``gm mcp`` offers all of them.
"""
