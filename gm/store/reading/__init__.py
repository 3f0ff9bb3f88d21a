"""Lines read as memories and as events, with what is wrong in each: for every reader, and for the rules of ``check``.

``lines`` reads the lines of a stream as memories, ``opened`` and ``events`` those of a file of events. A line that has
an error in itself is left out by every reader, and named by its place.
"""
