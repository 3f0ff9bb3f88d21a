"""Going back to a moment: where the world of that moment is found, what would be lost, how it is brought back.

``moments`` finds it: in a commit, else by the world's own ``record``. ``moment`` is what is found, ``losses`` tells
what would go, ``carry`` brings it back and keeps what went, ``branches`` makes a second world from there.
"""
