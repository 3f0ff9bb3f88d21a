"""``gm migrate``: bring the files of a world to the present format by declared steps (``migration.STEPS``)."""
