"""The text of a script: from YAML that a person wrote to a ``Script``, with every mistake at its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from gm.config import TIMES_OF_DAY
from gm.errors import Problem, Severity, errors_in
from gm.model.calendar import is_time_of_day, time_rank
from gm.model.character import Agent, find_agent
from gm.model.scene import SceneType
from gm.scene.focus import check_tags
from gm.scene.pacing import ARRIVAL
from gm.scene.script import Free, Script, Slot, Written
from gm.store.forms.places import compose
from gm.store.forms.yamlfile import load_yaml
from gm.texts import clip, meant

DAY_KEYS = ("scenes", "arrival", "reflections")
SCENE_KEYS = ("type", "with", "location", "time", "topic", "premise", "premises", "why", "intent", "answers", "tags")
FREE, REST = "free", "rest"
MOST_FREE = 30
EXAMPLE = "scenes: [{type: encounter, with: [a, b]}, free, {free: rest}]"


@dataclass(frozen=True, slots=True)
class Known:
    """What a script may name.

    Attributes:
        scene_types: By name.
        agents: The cast by id.
        places: Rooms; empty = none are set, and any will do.
        remembering: Those who have memories to reflect on before the day begins.
    """

    scene_types: Mapping[str, SceneType]
    agents: Mapping[str, Agent]
    places: frozenset[str] = frozenset()
    remembering: frozenset[str] = field(default_factory=frozenset)


def parse_script(text: str, shown: str, known: Known) -> tuple[Script | None, list[Problem]]:
    """Read a script.

    Returns:
        The script, None when there is an error in it; and everything that is wrong with it.
    """
    _, problems = load_yaml(text, shown)
    if problems:
        return None, problems
    reader = _Reader(shown, known)
    script = reader.day(compose(text))
    return (None if errors_in(reader.problems) else script), sorted(reader.problems)


class _Reader:
    """Reads the nodes of one script and takes note of what is wrong with them."""

    def __init__(self, shown: str, known: Known) -> None:
        self.problems: list[Problem] = []
        self._shown = shown
        self._known = known

    def day(self, node: Any) -> Script:
        """Read the whole."""
        if not isinstance(node, yaml.MappingNode):
            self._say(node, "script-form", f"{_kind(node)} found, a mapping with `scenes` expected", EXAMPLE)
            return Script(())
        values = self._values(node, DAY_KEYS, "a script")
        items = values.get("scenes")
        if not isinstance(items, yaml.SequenceNode):
            found = "scenes is missing" if items is None else f"scenes is {_kind(items)}"
            self._say(items or node, "script-scenes", f"{found}, a list of scenes expected", EXAMPLE)
            return Script(())
        arrival = self._flag(values, "arrival")
        placed = [(item, slot) for item in items.value for slot in self._slots(item)]
        script = Script(
            tuple(slot for _, slot in placed), arrival, self._flag(values, "reflections"), shown=self._shown
        )
        self._check_order(script, placed)
        return script

    def _slots(self, item: Any) -> list[Slot]:
        """Read one item of the list: a scene, or how many are free."""
        line = item.start_mark.line + 1
        if _is_text(item) and item.value.strip() == FREE:
            return [Free(line)]
        if not isinstance(item, yaml.MappingNode):
            self._say(item, "script-form", f"{_kind(item)} found, a scene or `free` expected", EXAMPLE)
            return []
        if any(isinstance(key, yaml.ScalarNode) and key.value == FREE for key, _ in item.value):
            return self._free(item, line)
        written = self._scene(item, line)
        return [written] if written else []

    def _free(self, item: Any, line: int) -> list[Slot]:
        count = self._values(item, (FREE,), "a free scene").get(FREE)
        if count is not None and _is_text(count) and count.value.strip() == REST:
            return [Free(line, rest=True)]
        number = _whole(count)
        if number is None or not 1 <= number <= MOST_FREE:
            message = f"free is {_found(count)}, expected a whole number from 1 to {MOST_FREE}, or rest"
            self._say(count, "script-free", message)
            return []
        return [Free(line)] * number

    def _scene(self, item: Any, line: int) -> Written | None:
        values = self._values(item, SCENE_KEYS, "a scene")
        kind = self._type(values.get("type"), item)
        cast = self._cast(values.get("with"))
        if kind and cast is not None:
            self._check_cast(kind, cast, values.get("with") or values["type"])
        premises = self._premises(values.get("premises"), cast)
        place = self._text(values, "location")
        if place and self._known.places and place not in self._known.places:
            message = f"there is no place called {clip(place)!r}"
            self._say(values["location"], "script-place", message, meant(place, self._known.places), "warning")
        written = Written(
            line=line,
            type=kind.name if kind else "",
            cast=cast or (),
            place=place,
            time=self._time(values),
            topic=self._text(values, "topic"),
            premise=self._text(values, "premise"),
            premises=premises,
            why=self._text(values, "why"),
            intent=self._text(values, "intent"),
            answers=tuple(text for _, text in self._texts(values.get("answers"), "answers")),
            tags=self._tags(values.get("tags")),
        )
        return written if kind else None

    def _type(self, node: Any, item: Any) -> SceneType | None:
        types = self._known.scene_types
        if node is None:
            self._say(item, "script-type", "this scene has no type", "known: " + _listed(types))
            return None
        name = node.value.strip() if _is_text(node) else ""
        kind = types.get(name.upper())
        if kind is None:
            hint = f"{meant(name.upper(), types).lower()}; a new one is a file in prompts/scenes/"
            self._say(node, "script-type", f"there is no scene type {_found(node)}", hint)
        return kind

    def _cast(self, node: Any) -> tuple[str, ...] | None:
        """Read who takes part; empty = all; None when a name is not known."""
        agents = self._known.agents
        found: list[str] = []
        good = True
        for item, name in self._texts(node, "with"):
            identifier = find_agent(agents, name)
            if identifier is None:
                self._say(item, "script-cast", f"nobody here is called {clip(name)!r}", meant(name, agents))
            elif identifier in found:
                self._say(item, "script-cast", f"{identifier} is named twice", "once is enough")
            good = good and identifier is not None and identifier not in found
            found += [identifier] if identifier is not None else []
        return tuple(found) if good else None

    def _check_cast(self, kind: SceneType, cast: tuple[str, ...], node: Any) -> None:
        fewest, most = kind.cast
        count = len(cast) or len(self._known.agents)
        if not fewest <= count <= most:
            span = str(fewest) if fewest == most else f"{fewest} to {most}"
            given = f"{count} are named" if cast else f"without `with` all {count} would take part"
            hint = "" if cast else "name them: with: [a, b]"
            self._say(node, "script-cast", f"{kind.name} is played by {span}, {given}", hint)

    def _premises(self, node: Any, cast: tuple[str, ...] | None) -> dict[str, str]:
        """Read what only one of them knows, by agent."""
        if node is None or _is_null(node):
            return {}
        if not isinstance(node, yaml.MappingNode):
            self._say(node, "script-premises", f"premises is {_kind(node)}, expected {{agent: text}}")
            return {}
        found: dict[str, str] = {}
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else ""
            identifier = find_agent(self._known.agents, name)
            if identifier is None:
                self._say(key, "script-cast", f"nobody here is called {clip(name)!r}", meant(name, self._known.agents))
            elif identifier in found:
                self._say(key, "key-twice", f"{identifier} stands here twice", "put both into one text")
            elif cast and identifier not in cast:
                self._say(key, "script-premises", f"{identifier} does not take part in this scene")
            else:
                found[identifier] = self._text({name: value}, name)
        return {name: text for name, text in found.items() if text}

    def _tags(self, node: Any) -> tuple[str, ...]:
        tags = tuple(text for _, text in self._texts(node, "tags"))
        if wrong := check_tags(tags):
            self._say(node, "script-tags", wrong, "tags: [bone-towers]")
        return tags

    def _time(self, values: Mapping[str, Any]) -> str:
        time = self._text(values, "time")
        if time and not is_time_of_day(time):
            message = f"time is {clip(time)!r}, expected one of {', '.join(TIMES_OF_DAY)}"
            self._say(values["time"], "script-time", message)
            return ""
        return time

    def _check_order(self, script: Script, placed: list[tuple[Any, Slot]]) -> None:
        """Check what a scene has to do with those before it: time does not run backwards, the rest comes last."""
        latest = ""
        remembering = set(self._known.remembering)
        if script.arrival and not script.writes_arrival and ARRIVAL in self._known.scene_types:
            remembering |= set(self._known.agents)
        for number, (item, slot) in enumerate(placed):
            if isinstance(slot, Free):
                if slot.rest and number < len(placed) - 1:
                    self._say(item, "script-free", "free: rest is followed by other scenes", "put it at the end")
                remembering |= set(self._known.agents)
                continue
            if slot.time and latest and time_rank(slot.time) < time_rank(latest):
                message = f"time is {slot.time}, but a scene before it has {latest}"
                self._say(item, "script-time", message, "put the scenes in the order of the day")
            latest = max(filter(None, (latest, slot.time)), key=time_rank, default="")
            if self._known.scene_types[slot.type].reply == "reflection":
                for name in slot.cast:
                    if name not in remembering:
                        hint = "put a scene with this character before it"
                        self._say(item, "script-reflection", f"{name} has no memories to reflect on yet", hint)
            remembering |= set(slot.cast or self._known.agents)

    # -- values --------------------------------------------------------------------------------------

    def _values(self, node: Any, known: tuple[str, ...], what: str) -> dict[str, Any]:
        """Take a mapping apart: the nodes of its values by key."""
        found: dict[str, Any] = {}
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else _kind(key)
            if name not in known:
                self._say(key, "script-key", f"{what} has no {clip(name)!r}", meant(name, known))
            elif name in found:
                self._say(key, "key-twice", f"the key {name!r} stands here twice", "delete one of the two")
            else:
                found[name] = value
        return found

    def _text(self, values: Mapping[str, Any], key: str) -> str:
        node = values.get(key)
        if node is None or _is_null(node):
            return ""
        if not _is_text(node):
            message = f"{clip(key)} is {_found(node)}, expected a text"
            self._say(node, "script-text", message, "put it in quotes if it is one")
            return ""
        return str(node.value).strip()

    def _texts(self, node: Any, key: str) -> list[tuple[Any, str]]:
        """Read a list of texts; one text alone is a list of one."""
        if node is None or _is_null(node):
            return []
        items = node.value if isinstance(node, yaml.SequenceNode) else [node]
        found = []
        for item in items:
            if _is_text(item) and item.value.strip():
                found.append((item, item.value.strip()))
            else:
                hint = "put it in quotes if it is one"
                self._say(item, "script-text", f"{_found(item)} found in {key}, expected a text", hint)
        return found

    def _flag(self, values: Mapping[str, Any], key: str) -> bool:
        node = values.get(key)
        if node is None:
            return True
        if not isinstance(node, yaml.ScalarNode) or not node.tag.endswith(":bool"):
            self._say(node, "script-flag", f"{key} is {_found(node)}, expected true or false")
            return True
        return str(node.value).lower() in ("true", "yes", "on")

    def _say(self, node: Any, code: str, message: str, hint: str = "", severity: Severity = "error") -> None:
        mark = node.start_mark if node is not None else None
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        self.problems.append(Problem(self._shown, line, column, severity, code, message, hint))


def _is_text(node: Any) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag.endswith(":str")


def _is_null(node: Any) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null")


def _whole(node: Any) -> int | None:
    if isinstance(node, yaml.ScalarNode) and node.tag.endswith(":int") and node.value.isdecimal():
        return int(node.value) if len(node.value) < 6 else MOST_FREE + 1
    return None


def _kind(node: Any) -> str:
    if node is None or _is_null(node):
        return "nothing"
    return {yaml.MappingNode: "a mapping", yaml.SequenceNode: "a list"}.get(type(node), "a single value")


def _found(node: Any) -> str:
    return repr(clip(str(node.value))) if isinstance(node, yaml.ScalarNode) and not _is_null(node) else _kind(node)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
