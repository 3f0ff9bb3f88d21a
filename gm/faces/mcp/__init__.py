"""The memory tools over the Model Context Protocol; needs the extra ``gm[mcp]``. ``gm.api.mind.catalogue`` defines
them.
"""
