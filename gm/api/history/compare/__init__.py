"""Two runs held against each other: two worlds, or two commits, branches or days of one repository.

``sides`` reads a run, ``parting`` finds where the two part, ``curves`` follows numbers from day to day, ``describe``
puts it together. Nothing is written. What the document says is in ``README.md``.
"""
