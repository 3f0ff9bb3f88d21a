"""Lines read as memories and as other records, with what is wrong in each: for every reader, and for ``check``.

``lines`` reads the lines of a stream as memories, ``records`` those of any other file. A line that has an error in
itself is left out by every reader, and named by its place.
"""
