"""The pages of a world: live on loopback (``gm view``), or as a static site (``gm publish``).

Pages show views of ``gm.api.views``; see ``README.md``.
"""
