"""Recall: find the right memories in a stream, by named strategies (``strategies.rank``).

Pure: no file, no clock, no model. The weights are the settings ``recall`` in ``gm.yaml``.
"""
