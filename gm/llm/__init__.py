"""Backends: a request goes in, an answer with its usage comes out. Nothing here knows what a character is.

``base`` is the contract; ``anthropic_api`` (``wire``, ``content``), ``mailbox``, ``replay`` and ``rehearsal/`` keep
it, and ``choose`` says which one answers. ``record`` asks so that nothing is paid for twice, by the names that
``identity`` gives; ``batch`` ``waiting`` do it for what can wait. ``budget`` ``prices`` ``calls`` know what calls
take; ``foresight`` sees what would be asked.
"""
