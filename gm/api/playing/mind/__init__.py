"""The memory tools of document 000: functions by which a character asks its own mind, listed in ``minds``."""
