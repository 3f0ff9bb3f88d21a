"""The Director that is a script: scene by scene what a person wrote, and the rules where the script leaves it to them.

The script is read anew for each step: it may be edited while its day is being played.
"""

from __future__ import annotations

from collections.abc import Callable

from gm.model.world import World
from gm.scene.director import RulesDirector, Step, reflection_scenes
from gm.scene.script import Script, missed_events, next_scripted


class ScriptDirector:
    """Plays a day as it is written.

    Args:
        rules: Chooses what the script leaves free, and everything on a day for which there is no script.
        load: Reads the script of the open day; None when there is none.
        notice: Told what the script leaves out, and of a day without a script.
    """

    def __init__(
        self, rules: RulesDirector, load: Callable[[World], Script | None], notice: Callable[[str], None]
    ) -> None:
        self._rules = rules
        self._load = load
        self._notice = notice

    def next_step(self, world: World) -> Step:
        """Decide what comes next in the open day.

        Raises:
            BrokenWorldError: There is an error in the script.
        """
        script = self._load(world)
        if script is None:
            self._notice(f"no script for day {world.clock.day} in scripts/: the rules choose its scenes")
            return self._rules.next_step(world)
        found = next_scripted(world, script, self._rules)
        for line in found.left_out:
            self._notice(f"{script.shown}:{line}: there is nothing to choose for this free scene; it is left out")
        if found.scene is not None:
            return Step((found.scene,))
        for event in missed_events(world):
            self._notice(f"{script.shown} ends without what the calendar has for day {world.clock.day}: {event}")
        return Step(reflection_scenes(world, self._rules.words) if script.reflections else ())
