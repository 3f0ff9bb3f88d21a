"""Who decides what comes next in a day: the rules, a model, or a script that a person wrote.

``gm.scene.director`` says what all of them promise, and has the rules; here are those that need files and models.
``Direction`` says which one is wanted; ``GameMaster.director`` makes it.
"""

from gm.day.directors.by_model import ModelDirector
from gm.day.directors.by_script import ScriptDirector
from gm.day.directors.direction import AS_SET, Direction

__all__ = ["AS_SET", "Direction", "ModelDirector", "ScriptDirector"]
