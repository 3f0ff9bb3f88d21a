"""Rules for the files of a world: functions in lists that yield problems with their exact place.

Errors cannot be read unambiguously, warnings are off the schema, infos are legitimate variety. A line with an error of
its own is skipped by every reader (``gm.files.reading``); one with wrong references (``evidence``) is read.
"""
