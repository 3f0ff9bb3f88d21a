"""The first difference between two runs, and all differing scenes and memories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gm.api.answers.document import part
from gm.api.history.compare.lines import LineDifference, compare_values
from gm.api.history.compare.sides import Record, Side
from gm.api.history.diff.parts import BriefScene, Values, brief_scene, changes_of, describe_node
from gm.model.calendar import SceneRef
from gm.model.node import Node

CHOSEN = ("type", "participants", "location", "time_of_day", "premise", "premises")
REPLIED = ("summary", "dialogue", "thoughts", "actions", "turns", "artifacts", "memories", "threads")
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDifference:
    """A differing memory; None = absent in that run."""

    agent: str
    a: Node | None = part(by=describe_node)
    b: Node | None = part(by=describe_node)
    changes: Values


@dataclass(frozen=True, slots=True)
class Parting:
    """The first difference between two runs.

    Attributes:
        what: ``chosen`` (another scene), ``reply`` (same scene, other answers), ``edit`` (a memory changed by hand),
            ``end`` (only one run continues).
        keys: Differing keys of the logbook line.
    """

    place: str
    what: str
    keys: tuple[str, ...]
    a: BriefScene | None
    b: BriefScene | None
    memories: tuple[MemoryDifference, ...]


@dataclass(frozen=True, slots=True)
class SceneDifference:
    """A differing scene; ``what`` as in ``Parting``."""

    place: str
    what: str
    a: str | None
    b: str | None


@dataclass(frozen=True, slots=True)
class SceneDifferences:
    """Numbers of scenes, and the differing ones."""

    a: int
    b: int
    same: int
    differ: tuple[SceneDifference, ...]


@dataclass(frozen=True, slots=True)
class ContentDifference:
    """Number of memories in both runs, and those of only one."""

    same: int
    only_a: tuple[Node, ...] = part(by=describe_node)
    only_b: tuple[Node, ...] = part(by=describe_node)


def find_parting(a: Side, b: Side) -> Parting | None:
    """Return the first difference in story time, or None.

    Different reasons for choosing the same scene do not count.
    """
    scene = next((place for place in sorted({*a.scenes, *b.scenes}) if _scene_differs(a, b, place)), None)
    node = _first_node(a, b)
    if scene is None and node is None:
        return None
    if scene is None or (node is not None and node < scene):
        assert node is not None
        place = node
        what, keys = "edit", list[str]()
    else:
        place = scene
        what, keys = _find_difference(a, b, scene)
    return Parting(
        str(place), what, tuple(keys), _brief_of(a, place), _brief_of(b, place), tuple(_compare_memories(a, b, place))
    )


def scene_differences(a: Side, b: Side) -> SceneDifferences:
    """Return how many scenes agree, and those that differ."""
    places = sorted({*a.scenes, *b.scenes})
    differ = tuple(
        SceneDifference(
            str(place), _find_difference(a, b, place)[0], _describe_scene(a, place), _describe_scene(b, place)
        )
        for place in places
        if _scene_differs(a, b, place)
    )
    return SceneDifferences(len(a.scenes), len(b.scenes), len(places) - len(differ), differ)


def scene_lines(a: Side, b: Side) -> dict[str, LineDifference]:
    """Return the first differing line of each scene that both runs have, by its place."""
    found: dict[str, LineDifference] = {}
    for place in sorted(a.scenes.keys() & b.scenes.keys()):
        one, other = a.scenes[place], b.scenes[place]
        for key in _differing_keys(one, other, (*CHOSEN, *REPLIED))[:1]:
            line = compare_values(_comparable_value(one, key), _comparable_value(other, key), (key,))
            if line:
                found[str(place)] = line
    return found


def compare_contents(a: Side, b: Side) -> dict[str, ContentDifference]:
    """Compare memories by content, not by id; the result is by character."""
    found = {}
    for name in sorted({*a.nodes, *b.nodes}):
        one, other = a.nodes.get(name, []), b.nodes.get(name, [])
        only_a, only_b = map(tuple, _find_unmatched(one, other, _content_of))
        found[name] = ContentDifference(len(one) - len(only_a), only_a, only_b)
    return found


def _find_difference(a: Side, b: Side, place: SceneRef) -> tuple[str, list[str]]:
    one, other = a.scenes.get(place), b.scenes.get(place)
    if one is None or other is None:
        # a day ended sooner is a choice, unless the run has no later scenes
        here = a if one is None else b
        return ("end" if not any(later > place for later in here.scenes) else "chosen"), []
    chosen = _differing_keys(one, other, CHOSEN)
    return ("chosen" if chosen else "reply"), chosen or _differing_keys(one, other, REPLIED)


def _scene_differs(a: Side, b: Side, place: SceneRef) -> bool:
    one, other = a.scenes.get(place), b.scenes.get(place)
    return one is None or other is None or bool(_differing_keys(one, other, (*CHOSEN, *REPLIED)))


def _differing_keys(one: Record, other: Record, keys: Iterable[str]) -> list[str]:
    lacking = {"turns"} - (one.keys() & other.keys())  # older logbooks have none
    return [key for key in keys if key not in lacking and _comparable_value(one, key) != _comparable_value(other, key)]


def _comparable_value(record: Record, key: str) -> Any:
    value = record.get(key)
    if key in ("memories", "threads") and isinstance(value, list):  # ids depend on earlier ones
        return [_without_id(item) if isinstance(item, Mapping) else item for item in value] or None
    return value if value not in (None, "", [], {}) else None


def _without_id(item: Record) -> Record:
    return {key: value for key, value in item.items() if key != "id"}


def _brief_of(side: Side, place: SceneRef) -> BriefScene | None:
    record = side.scenes.get(place)
    return None if record is None else brief_scene(record, place.day)


def _describe_scene(side: Side, place: SceneRef) -> str | None:
    brief = _brief_of(side, place)
    return None if brief is None else f"{brief.type} {', '.join(brief.participants)}".strip()


def _first_node(a: Side, b: Side) -> SceneRef | None:
    times = []
    for name in {*a.nodes, *b.nodes}:
        left, right = _find_unmatched(a.nodes.get(name, []), b.nodes.get(name, []), _whole_content)
        times += [node.when for node in (*left, *right)]
    return min(times, default=None)


def _compare_memories(a: Side, b: Side, place: SceneRef) -> list[MemoryDifference]:
    found: list[MemoryDifference] = []
    for name in sorted({*a.nodes, *b.nodes}):
        one, other = ([node for node in side.nodes.get(name, []) if node.when == place] for side in (a, b))
        left, right = _find_unmatched(one, other, _whole_content)
        twins = {node.id: node for node in right}
        for node in left:
            twin = twins.pop(node.id, None)
            changes = changes_of(node, twin) if twin else {}
            found.append(MemoryDifference(agent=name, a=node, b=twin, changes=changes))
        found += [MemoryDifference(agent=name, a=None, b=node, changes={}) for node in twins.values()]
    return found


def _content_of(node: Node) -> Key:
    return node.type, node.description


def _whole_content(node: Node) -> Key:
    return str(node.when), node.type, node.description, str(node.importance), *node.tags


def _find_unmatched(
    one: Sequence[Node], other: Sequence[Node], key: Callable[[Node], Key]
) -> tuple[list[Node], list[Node]]:
    both = Counter(map(key, one)) & Counter(map(key, other))

    return _nodes_without(one, both, key), _nodes_without(other, both, key)


def _nodes_without(nodes: Iterable[Node], both: Counter[Key], key: Callable[[Node], Key]) -> list[Node]:
    left = both.copy()
    found = []
    for node in nodes:
        if left[key(node)] > 0:
            left[key(node)] -= 1
        else:
            found.append(node)
    return found
