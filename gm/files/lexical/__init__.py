"""The lexical index, ``state/.gm/lexical.sqlite``: which words occur in which memories; opened by ``open_index``.

It is derived and can be deleted. It is rebuilt if damaged or of another version, and kept in memory if it cannot be
written; the results are the same.
"""
