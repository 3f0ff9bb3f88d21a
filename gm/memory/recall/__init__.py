"""Recall: find the right memories in a stream, by named strategies (``strategies.rank``)."""
