"""What the coming day is going to take: it is rehearsed in a copy of the world, and every question is counted.

A real model plays another day than the rehearsal does: other scenes, longer or shorter answers. What is forecast is the
rehearsed day at the chosen models' prices; the error that is stated is the counter's alone. ``make`` rehearses and
counts, ``values`` is what comes out, ``describe`` the document of ``gm advance-day --dry-run``. The world stays as is.
"""
