"""Recall: find the right memories in a stream, by named strategies. Pure: no file, no clock, no model.

``strategies.rank`` is the entry point; it takes a ``Query``, ``Filters`` and the ``Lexicon`` of each stream. The
weights are the settings ``recall`` in ``gm.yaml``.
"""
