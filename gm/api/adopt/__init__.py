"""Make a world that another tool or a coding assistant has been writing runnable, touching none of its state.

``survey`` reads what is there, ``settings`` fits a ``gm.yaml`` to it, ``sources`` finds descriptions of the characters
outside ``state/``, ``persona`` makes persona stubs from them, ``run`` puts it together and writes.
"""
