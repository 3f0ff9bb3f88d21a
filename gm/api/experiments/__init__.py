"""Measure worlds: interviews, evaluation, blind judging, sweeps, provenance."""
