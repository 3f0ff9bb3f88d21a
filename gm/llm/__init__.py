"""Backends: a request goes in, an answer with its usage comes out. The package knows nothing about characters.

``base`` is the contract, ``choose`` picks a backend, ``record`` and ``waiting`` ask it; see ``README.md``.
"""
