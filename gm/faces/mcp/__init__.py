"""The memory tools over the Model Context Protocol. Needs the extra ``gm[mcp]``.

``server`` offers what ``gm.api.mind.catalogue`` lists; what a tool does and what is said of it stands there alone.
"""
