"""Single memories, looked at and written by hand: what ``gm memory`` and the forms of pages do.

``kept`` finds a memory and its line, ``describe`` tells of it, ``add`` writes a new one, ``correct`` changes values of
one and leaves every other byte of its file as it is. The archive is never written to.
"""
