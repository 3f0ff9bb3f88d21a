"""What pages and books show, as plain frozen values: no markup, no addresses, no words of an interface.

A function ``view_…`` takes a world and what is kept back (``hidden``, of ``publish.private``), and returns the value of
a page or of a part of one. ``reading`` builds a ``scenes.Scene`` from a line of the logbook, ``filtering`` and
``paging`` are for lists, ``worddiff`` marks changes. Nothing is written.
"""
