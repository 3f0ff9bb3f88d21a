"""Backends: a request goes in, an answer with its usage comes out. The package knows nothing about characters.

``base`` is the contract; ``anthropic_api`` (with ``wire``, ``content``), ``mailbox``, ``replay`` and ``rehearsal/``
implement it, and ``choose`` picks one. ``record`` and ``identity`` keep answers, ``batch`` and ``waiting`` send
batches, ``budget``, ``prices`` and ``calls`` count costs, ``foresight`` forecasts.
"""
