"""What the faces (``cli``, ``mcp``, ``web``) share: questions answered as plain data, and what is done by hand.

Which room answers which question is in ``README.md`` beside this file. Nothing here prints, knows an address or a
terminal, or opens a file of a world otherwise than by ``gm.files``.
"""
