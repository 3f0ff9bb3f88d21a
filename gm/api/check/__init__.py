"""Check a whole world, and correct what is safe to correct: what ``gm check`` does.

``whole`` puts it together: the rules for each file are in ``gm.files.check``; here is what needs more than files.
``prompts`` holds a world's own templates against the ``variables`` that they get, ``scripts`` its days to come.
"""

from gm.api.check.whole import check_world, describe_report, find_corrections, write_corrections

__all__ = ["check_world", "describe_report", "find_corrections", "write_corrections"]
