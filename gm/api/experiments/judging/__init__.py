"""Blind comparisons of worlds (``gm judge``)."""
