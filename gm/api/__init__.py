"""What the faces (``cli``, ``mcp``, ``web``) share: answers as plain data, and actions of the user; see ``README.md``.

Nothing here prints, knows an address or a terminal, or opens a world's files except through ``gm.files``.
"""
