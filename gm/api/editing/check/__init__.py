"""Check a whole world and apply safe corrections (``gm check``). Rules for single files are in ``gm.files.check``."""

from gm.api.editing.check.whole import check_world, describe_report, find_corrections, write_corrections

__all__ = ["check_world", "describe_report", "find_corrections", "write_corrections"]
