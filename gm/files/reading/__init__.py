"""Read lines as memories (``lines``) or other records (``records``), for all readers and for ``gm check``."""
