"""The memory tools of ``gm.api.playing.mind.minds`` over the Model Context Protocol; extra ``gm-worlds[mcp]``."""
