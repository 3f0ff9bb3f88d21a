"""Check a whole world and apply safe corrections (``gm check``). Rules for single files are in ``gm.files.check``."""
