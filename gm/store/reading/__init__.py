"""What stands where in a text, and what is wrong with it: the same for every reader, and for the rules of ``check``.

``places`` finds a value in a JSON or YAML text · ``twice`` finds keys that stand twice · ``lines`` reads the lines of a
stream as memories, ``opened`` and ``events`` those of a file of events. A line that has an error in itself is left out
by every reader, and named by its place.
"""
