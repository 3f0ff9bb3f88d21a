"""Forms of files: text, JSON, lines of JSON, YAML; read with places, changed to the byte.

Knows nothing of a world, its paths or its memories. ``disk`` is the only module that writes for others.
"""
