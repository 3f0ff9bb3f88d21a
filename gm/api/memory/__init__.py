"""Single memories, shown and edited by hand (``gm memory``, web forms). The archive is never written to."""
