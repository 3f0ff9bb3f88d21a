"""The files of a world: tolerant reading, and writing that leaves everything unchanged that did not change (README).

Only ``layout`` knows paths. All writing to a world's files goes through ``commits.writer.commit``, as ``Step`` values.
"""
