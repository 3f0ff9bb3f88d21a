"""What the faces (``cli``, later ``mcp`` and ``web``) share: questions about a world, answered as plain data."""
