"""Files of experiments: scripts of days, interviews, blind comparisons, and sweeps."""
