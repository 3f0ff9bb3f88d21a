"""Shared by the faces (``cli``, ``mcp``, ``web``): answers as plain data, and edits by the user; see ``README.md``.

Nothing here prints or knows addresses or terminals; files of a world are accessed through ``gm.files`` only.
"""
