"""gm: a world is a folder, a day is a command, a memory is a line.

Rings, from the inside out; a module imports only from lower rings, and packages of one ring never
import each other (``tests/test_rings.py`` enforces it):

0. ``errors`` ``config`` ``tokens`` ``frontmatter``   words everybody uses
1. ``model``                    frozen values
2. ``memory``                   pure choices over one stream: no file, no clock, no model
3. ``scene`` ``reply``          the Game Master's choices, from text into values; pure as well
4. ``store`` ``prompt`` ``llm`` the edges: files, templates, backends
5. ``day``                      where choices meet files and models
6. ``tools``                    what the faces share
7. ``cli``                      the only place that prints
"""

__version__ = "0.1.0"
