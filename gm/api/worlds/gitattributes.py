"""The ``.gitattributes`` of a new world; apart from its making, since git's hooks read it too."""

GITATTRIBUTES = """\
# every byte of the world stays as it was written, on every system
state/** -text
gallery/** -text
# readable differences, and merges of two branches that were both played: gm git-setup
state/**/*.jsonl diff=gm-memory
logbook/*.jsonl diff=gm-memory
state/**/*.jsonl merge=gm-stream
state/**/*.json merge=gm-stream
state/**/*.yaml merge=gm-stream
logbook/*.jsonl merge=gm-stream
gallery/** merge=gm-stream
"""
