"""The memory tools of ``gm.api.mind.catalogue`` over the Model Context Protocol; needs the extra ``gm[mcp]``."""
