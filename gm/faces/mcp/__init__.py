"""The memory tools of ``gm.api.mind.minds`` over the Model Context Protocol; needs the extra ``gm-worlds[mcp]``."""
