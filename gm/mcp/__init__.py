"""The memory tools over the Model Context Protocol. Needs the extra ``gm[mcp]``."""
