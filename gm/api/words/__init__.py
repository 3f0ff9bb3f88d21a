"""Texts in the language of a world; ``de.yaml`` and ``en.yaml`` are shared, packages have their own in ``words/``."""
