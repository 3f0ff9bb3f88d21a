"""Make a world written by another tool or assistant runnable, without touching its state (``gm adopt``)."""
