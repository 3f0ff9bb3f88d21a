"""File formats: text, JSON, JSON lines and YAML; knows nothing of worlds. All writing is in ``disk``."""
