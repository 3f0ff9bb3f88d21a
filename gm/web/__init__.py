"""The pages of a world: served live on loopback by ``gm view``, or written as a static site by ``gm publish``."""
