"""The lexical index of a world: which words stand in which memories. Derived: it can be deleted at any time.

``open_index`` (``index``) is the way in. One SQLite file, ``state/.gm/lexical.sqlite``, follows the streams: an
appended line adds its rows, an edited line changes its own. A file that is damaged or of another version is
made anew; where nothing can be written the index is kept in memory. Answers are the same in each case.
"""
