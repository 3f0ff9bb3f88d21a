"""Many worlds from one: repeats and variations of a base world, played side by side, and one table of the outcome.

``run`` is the whole of it: ``worlds`` makes the copies, ``paying`` says what they may cost, ``processes`` or
``onray`` play them by ``play``, ``table`` collects. The base is never written to. The file of a sweep is in
``README.md``.
"""
