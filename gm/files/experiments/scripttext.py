"""Find the scripts of days, and parse their YAML into a ``Script``; every mistake is reported at its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gm.base.casefold import search_key
from gm.base.config import TIMES_OF_DAY, kinds
from gm.base.errors import Problem, say, say_unexpected
from gm.base.texts import clip, quoted, suggest
from gm.base.untyped import text_as_list
from gm.files.formats.places import Keys, yaml_place
from gm.files.formats.text import list_folder, read_text
from gm.files.layout import Layout
from gm.files.reading import PlacedReader
from gm.model.calendar import render_day, time_rank, weekday
from gm.model.record import Key, Record, optional_key
from gm.model.scene import ARRIVAL, SceneType
from gm.model.world import Agent, World, find_agent
from gm.scene.directing.scenes import check_tags
from gm.scene.directing.script import Free, Script, ScriptedScene, Slot

FREE, REST = "free", "rest"
MOST_FREE = 30
EXAMPLE = "scenes: [{type: encounter, with: [a, b]}, free, {free: rest}]"


@dataclass(frozen=True, slots=True)
class ScriptNames:
    """What a script may refer to.

    Attributes:
        places: Empty = any place is valid.
    """

    scene_types: Mapping[str, SceneType]
    agents: Mapping[str, Agent]
    places: frozenset[str] = frozenset()
    remembering: frozenset[str] = field(default_factory=frozenset)


_TEXT = replace(kinds.text, keep=str.strip)
_TEXTS = kinds.Kind(
    "a list of texts",
    lambda value: kinds.list_of(kinds.words, "").fits(text_as_list(value)),
    kinds.text_or_texts.schema,
    # ``fits`` has found a list of texts
    keep=lambda value: tuple(item.strip() for item in text_as_list(value)),
    item=kinds.words,
)
SCENE = Record(
    dict[str, Any],
    "a scene",
    Key("type", _TEXT, "the name of a scene type; a new one is a file in prompts/scenes/"),
    optional_key("with", _TEXTS, "ids of those who take part; absent = all", code="script-text"),
    optional_key("location", _TEXT, "the place; put it in quotes", code="script-text"),
    optional_key("time", kinds.word(*TIMES_OF_DAY), "the time of day", code="script-time"),
    *(
        optional_key(name, _TEXT, "put it in quotes", code="script-text")
        for name in ("topic", "premise", "why", "intent")
    ),
    optional_key("premises", kinds.mapping, "what only one of them knows: {agent: text}", code="script-premises"),
    optional_key("answers", _TEXTS, "keys of what it takes up", code="script-text"),
    optional_key("tags", _TEXTS, "tags: [bone-towers]", code="script-text"),
    code="script-{key}",
    closed=True,
)
_COUNT = kinds.whole(1, MOST_FREE)
_FREE = Record(
    dict[str, Any],
    "a free scene",
    Key(
        FREE,
        kinds.Kind(
            f"{_COUNT.expected}, or {REST}",
            lambda value: value == REST or _COUNT.fits(value),
            {"anyOf": [{"const": REST}, _COUNT.schema]},
        ),
        "how many scenes the Director chooses",
    ),
    code="script-{key}",
    closed=True,
)
_SLOTS = {"type": "array", "items": {"anyOf": [{"const": FREE}, _FREE.schema(), SCENE.schema()]}}
DAY = Record(
    dict[str, Any],
    "a script",
    Key("scenes", kinds.Kind("a list of scenes", lambda value: isinstance(value, list), _SLOTS), EXAMPLE),
    Key("arrival", kinds.flag, "whether the day begins with an arrival", default=True, code="script-flag"),
    Key(
        "reflections",
        kinds.flag,
        "whether characters reflect when they have reason to",
        default=True,
        code="script-flag",
    ),
    code="script-{key}",
    closed=True,
)
"""The file of a script."""


def parse_script(text: str, shown: str, known: ScriptNames) -> tuple[Script | None, list[Problem]]:
    """Parse a script; None on errors, with all problems."""
    reader = _ScriptReader(text, shown, known)
    return reader.parse(reader.day)


class _ScriptReader(PlacedReader):
    def __init__(self, text: str, shown: str, known: ScriptNames) -> None:
        super().__init__(text, shown)
        self._known = known

    def day(self, data: object) -> Script:
        self.say_twice()
        day = self.read_fitting(DAY, data)
        items = day.get("scenes", [])
        placed: list[tuple[Keys, Slot]] = [
            (("scenes", at), slot) for at, item in enumerate(items) for slot in self._read_slots(item, ("scenes", at))
        ]
        slots = tuple(slot for _, slot in placed)
        script = Script(slots, day.get("arrival", True), day.get("reflections", True), shown=self.shown)
        self._check_order(script, placed)
        return script

    def _read_slots(self, item: object, place: Keys) -> list[Slot]:
        line = yaml_place(self.text, place)[0]
        if isinstance(item, str) and item.strip() == FREE:
            return [Free(line)]
        if not isinstance(item, dict):
            self.say(place, "script-form", f"found {quoted(item)}, expected a scene or `free`", EXAMPLE)
            return []
        if FREE in item:
            count = self.read_fitting(_FREE, item, place).get(FREE)
            if count == REST:
                return [Free(line, rest=True)]
            return [Free(line)] * count if count else []
        written = self._read_scene(item, place, line)
        return [written] if written else []

    def _read_scene(self, item: dict[object, object], place: Keys, line: int) -> ScriptedScene | None:
        values = self.read_fitting(SCENE, item, place)
        kind = self._find_type(values.get("type"), (*place, "type"))
        cast = self._find_cast(values.get("with", ()), (*place, "with"))
        if kind and cast is not None:
            self._check_cast(kind, cast, (*place, "with" if "with" in values else "type"))
        where = values.get("location", "")
        if where and self._known.places and where not in self._known.places:
            hint = f"{suggest(where, sorted(self._known.places))}; a new one is a line under places: in gm.yaml"
            self.say((*place, "location"), "script-place", f"there is no place called {clip(where)!r}", hint)
        tags = values.get("tags", ())
        if wrong := check_tags(tags):
            self.say((*place, "tags"), "script-tags", wrong, "tags: [bone-towers]")
        written = ScriptedScene(
            line=line,
            type=kind.name if kind else "",
            cast=cast or (),
            place=where,
            premises=self._read_premises(values.get("premises", {}), cast, (*place, "premises")),
            answers=values.get("answers", ()),
            tags=tags,
            **{name: values.get(name, "") for name in ("time", "topic", "premise", "why", "intent")},
        )
        return written if kind else None

    def _find_type(self, name: str | None, place: Keys) -> SceneType | None:
        types = self._known.scene_types
        if name is None:
            return None
        kind = types.get(name.upper())
        if kind is None:
            hint = f"{suggest(name.upper(), types).lower()}; a new one is a file in prompts/scenes/"
            self.say(place, "script-type", f"there is no scene type {clip(name)!r}", hint)
        return kind

    def _find_cast(self, names: tuple[str, ...], place: Keys) -> tuple[str, ...] | None:
        """Empty = all; None when a name is unknown."""
        agents = self._known.agents
        found: list[str] = []
        good = True
        for at, name in enumerate(names):
            identifier = find_agent(agents, name)
            if identifier is None:
                message = say("nobody here is called {name}", repr(clip(name)))
                self.say((*place, at), "script-cast", message, suggest(name, agents))
            elif identifier in found:
                self.say((*place, at), "script-cast", f"{identifier} is named twice", "once is enough")
            good = good and identifier is not None and identifier not in found
            found += [identifier] if identifier is not None else []
        return tuple(found) if good else None

    def _check_cast(self, kind: SceneType, cast: tuple[str, ...], place: Keys) -> None:
        fewest, most = kind.cast
        count = len(cast) or len(self._known.agents)
        if not fewest <= count <= most:
            span = str(fewest) if fewest == most else f"{fewest} to {most}"
            given = f"{count} are named" if cast else f"without `with` all {count} would take part"
            hint = "" if cast else "name them: with: [a, b]"
            self.say(place, "script-cast", f"{kind.name} is played by {span}, {given}", hint)

    def _read_premises(self, data: dict[object, object], cast: tuple[str, ...] | None, place: Keys) -> dict[str, str]:
        found: dict[str, str] = {}
        for key, value in data.items():
            here, name = (*place, str(key)), str(key)
            identifier = find_agent(self._known.agents, name)
            if identifier is None:
                message = say("nobody here is called {name}", repr(clip(name)))
                self.say(here, "script-cast", message, suggest(name, self._known.agents), key=True)
            elif identifier in found:
                self.say(here, "key-twice", f"{identifier} is named twice", "put both into one text", key=True)
            elif cast and identifier not in cast:
                self.say(here, "script-premises", f"{identifier} does not take part in this scene", key=True)
            elif not isinstance(value, str | None):
                message = say_unexpected(name, quoted(value), "a text")
                self.say(here, "script-text", message, "put it in quotes")
            else:
                found[identifier] = (value or "").strip()
        return {name: text for name, text in found.items() if text}

    def _check_order(self, script: Script, placed: list[tuple[Keys, Slot]]) -> None:
        latest = ""
        remembering = set(self._known.remembering)
        if script.arrival and not script.writes_arrival and ARRIVAL in self._known.scene_types:
            remembering |= set(self._known.agents)
        for number, (place, slot) in enumerate(placed):
            if isinstance(slot, Free):
                if slot.rest and number < len(placed) - 1:
                    self.say(place, "script-free", "free: rest is followed by other scenes", "put it at the end")
                remembering |= set(self._known.agents)
                continue
            if slot.time and latest and time_rank(slot.time) < time_rank(latest):
                message = f"time is {slot.time}, but a scene before it has {latest}"
                self.say(place, "script-time", message, "put the scenes in the order of the day")
            latest = max(filter(None, (latest, slot.time)), key=time_rank, default="")
            if self._known.scene_types[slot.type].is_reflection:
                for name in slot.cast:
                    if name not in remembering:
                        hint = "put a scene with this character before it"
                        self.say(place, "script-reflection", f"{name} has no memories to reflect on yet", hint)
            remembering |= set(slot.cast or self._known.agents)


ENDING = ".yaml"
EVERY_DAY = "every-day"


def find_known_names(world: World, *, at_once: bool = True) -> ScriptNames:
    """Return what a script may refer to in a world.

    Args:
        at_once: Whether it is for the open or the next day; for a later one, all characters will have memories.
    """
    remembering = frozenset(name for name, agent in world.agents.items() if agent.stream or not at_once)
    return ScriptNames(world.scene_types, world.agents, frozenset(world.settings.places), remembering)


def find_script(layout: Layout, day: int, weekdays: tuple[str, ...]) -> Path | None:
    """Return the script of a day, or None."""
    stems = {search_key(path.stem): path for path in sorted(script_files(layout), reverse=True)}
    names = (render_day(day), weekday(day, weekdays), EVERY_DAY)
    return next((stems[search_key(name)] for name in names if name and search_key(name) in stems), None)


def script_files(layout: Layout) -> list[Path]:
    """Return the scripts of a world."""
    return sorted(path for path in list_folder(layout.scripts) if path.suffix == ENDING and path.is_file())


def load_script(path: Path, shown: str, known: ScriptNames) -> tuple[Script | None, list[Problem]]:
    """Read one script, from any place."""
    text, problems = read_text(path, shown)
    if not text.exists and not problems:
        problems = [Problem(shown, 0, 0, "error", "script-missing", "there is no such file")]
    if problems:
        return None, problems
    return parse_script(text.body, shown, known)
