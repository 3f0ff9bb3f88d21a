"""The lexical index, ``state/.gm/lexical.sqlite``: which words occur in which memories; opened by ``open_index``.

It is derived and can be deleted, is rebuilt if damaged, and kept in memory if it cannot be written.
"""
