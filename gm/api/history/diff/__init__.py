"""What has changed in a world between two states of it: commits, days, the working tree.

``states`` finds a state, ``nodes`` and ``documents`` hold files against each other, ``describe`` puts it together
(``gm diff``); ``story`` tells the days one by one (``gm log``). Nothing is written.
"""
