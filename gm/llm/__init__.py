"""Backends: a request goes in, an answer with its usage comes out. No knowledge of characters.

``base`` is the contract, ``choose`` picks a backend, ``record`` and ``waiting`` ask it.
"""
