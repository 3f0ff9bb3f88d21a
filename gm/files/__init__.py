"""The files of a world: tolerant reading, and writing that changes nothing else (README).

Only ``layout`` knows paths. All writing to a world's files goes through ``commits.writer.commit``, as ``Step`` values.
"""
