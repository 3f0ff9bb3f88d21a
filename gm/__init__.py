"""gm: a world is a folder, a day is a command, a memory is a line.

Rings, from the inside out; a module imports only from lower rings, and packages of one ring never
import each other (``tests/test_rings.py`` enforces it):

0. ``errors`` ``config`` ``tokens``      words everybody uses
1. ``model``                             frozen values
2. ``memory`` ``scene`` ``reply``        pure choices: no file, no clock, no model
3. ``store`` ``prompt`` ``llm``          the edges: files, templates, backends
4. ``day`` ``tools``                     where choices meet files and models
5. ``cli``                               the only place that prints
"""

__version__ = "0.1.0"
