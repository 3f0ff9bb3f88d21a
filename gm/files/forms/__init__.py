"""File formats: text, JSON, JSON lines, YAML; values are located in the text and edited without touching other bytes.

Knows nothing of worlds, their paths or memories. All writing for other packages is in ``disk``.
"""
