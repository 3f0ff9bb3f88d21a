"""What pages show, as plain frozen data: no markup, no addresses, no words of an interface.

One module a page or a part of one, with a ``view_…`` that takes a world and what is kept back (``hidden``).
``reading`` makes a ``scenes.Scene`` of a line of the logbook, ``logged`` keeps days in brief, ``filtering``,
``facets`` and ``paging`` are for lists, ``worddiff`` and ``lines`` mark what changes. Nothing is written.
"""
