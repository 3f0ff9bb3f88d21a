"""Recall: the right memory out of a thousand. One interface, named strategies. Pure: no file, no clock, no model.

``rank`` (``strategies``) is the way in: a ``Query``, a ``Filters``, and a ``Lexicon`` (what is known of each memory,
and which words stand where). What a question is about is read by ``question``, matched by ``matching``, and weighed
by ``signals``; each weight is a setting of ``recall`` in ``gm.yaml``.
"""
