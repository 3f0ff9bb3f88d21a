"""Files for editors: schemas, and what holds them against ``gm check``."""
