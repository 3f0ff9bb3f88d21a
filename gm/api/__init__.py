"""Shared by the faces (``cli``, ``mcp``, ``web``): answers as plain data, and edits by the user; see ``README.md``.

Nothing here prints or knows terminals or addresses; a world's files are accessed through ``gm.files``.
"""
