"""The differences between two runs; ``costs`` None without traces (a commit or a past day)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Generic, TypeVar

from gm.api.answers.document import part
from gm.api.history.compare.lines import LineDifference, compare_files
from gm.api.history.compare.parting import (
    ContentDifference,
    Parting,
    SceneDifferences,
    compare_contents,
    find_parting,
    scene_differences,
    scene_lines,
)
from gm.api.history.compare.sides import Curves, Side, curves_of, find_side
from gm.api.history.diff.parts import Values, values_between
from gm.api.history.states import NamedState
from gm.api.reports.cost import CostSum, describe_cost
from gm.base.config import parse_settings
from gm.base.untyped import items_of
from gm.files import relative_paths
from gm.files.layout import GALLERY, Layout, find_world
from gm.files.questions.traces import paid_traces
from gm.layers.soul import SOUL

_GIVEN = (relative_paths.PROMPTS, relative_paths.PERSONAS, relative_paths.layer_folder(SOUL), relative_paths.GIFTED)


Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class ComparedPair(Generic[Value]):
    """A value for each of two runs."""

    a: Value
    b: Value


@dataclass(frozen=True, slots=True)
class ComparedRun(NamedState):
    """A folder, a commit or a past day."""

    partial: bool


@dataclass(frozen=True, slots=True)
class EventDifference:
    """Events that are in only one of the calendars."""

    only_a: tuple[Any, ...]
    only_b: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class GivenDifference:
    """Different inputs: settings by dotted name, hand-written files, and events of the calendar."""

    settings: Values
    files: tuple[str, ...]
    events: EventDifference | None = part(omit=None)


@dataclass(frozen=True, slots=True)
class AgentCurves:
    """A character's curves in both runs."""

    importance: ComparedPair[Sequence[float | None]]
    memories: ComparedPair[Sequence[int | None]]
    mood: ComparedPair[Sequence[str | None]]
    trust: Mapping[str, ComparedPair[Sequence[float | None]]]


@dataclass(frozen=True, slots=True)
class WorkDifference:
    """Paths of pieces, by the runs that have them."""

    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    differ: tuple[str, ...]
    same: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BoardDifference:
    """Posts on only one of the boards."""

    only_a: tuple[Any, ...]
    only_b: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """An unreadable place of run ``a`` or ``b``."""

    side: str
    path: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences between two runs.

    Attributes:
        lines: The first differing line, by the place of a scene, or the path of a given file or a piece.
    """

    a: ComparedRun
    b: ComparedRun
    given: GivenDifference
    parting: Parting | None
    memories: Mapping[str, ContentDifference]
    days: tuple[int, ...]
    agents: Mapping[str, AgentCurves]
    scenes: SceneDifferences
    artifacts: WorkDifference
    board: BoardDifference
    costs: ComparedPair[CostSum | None]
    unreadable: tuple[UnreadableFile, ...]
    lines: Mapping[str, LineDifference]


def find_here() -> Layout:
    """Return the world in this folder or above it.

    Raises:
        NoWorldError: There is none.
    """
    return find_world(Path())


def describe_comparison(
    first: str | PathLike[str], second: str | PathLike[str], world: Callable[[], Layout] = find_here
) -> Comparison:
    """Compare two folders, commits, branches or days of a world (``gm compare``). Memories are matched by their texts.

    Args:
        world: Returns the world whose commits and days are meant; not called for two folders.

    Raises:
        UsageError: There is no such folder, commit or day.
        GitError: A commit is named, but there is no repository.

    Examples:
        >>> found = gm.describe_comparison("day-001", "day-002", lambda: layout)
        >>> found.a.day, found.b.day, found.parting is None
        (1, 2, False)
    """
    a, b = find_side(fspath(first), world), find_side(fspath(second), world)
    days = sorted({place.day for side in (a, b) for place in side.scenes} | {*a.ended, *b.ended})
    one, other = curves_of(a, days), curves_of(b, days)
    nothing: list[None] = [None] * len(days)
    unknown = Curves(nothing, nothing, nothing, {})
    given, artifacts = _compare_given(a, b), _compare_artifacts(a, b)
    return Comparison(
        a=_compared_run(a),
        b=_compared_run(b),
        given=given,
        parting=find_parting(a, b),
        memories=compare_contents(a, b),
        days=tuple(days),
        agents={
            name: _pair_curves(one.get(name, unknown), other.get(name, unknown), nothing)
            for name in sorted({*one, *other})
        },
        scenes=scene_differences(a, b),
        artifacts=artifacts,
        board=_compare_boards(a, b),
        costs=ComparedPair(_sum_cost(a), _sum_cost(b)),
        unreadable=tuple(
            UnreadableFile(name, item.path, item.line, item.message)
            for name, side in (("a", a), ("b", b))
            for item in side.files.unreadable
        ),
        lines=scene_lines(a, b) | _file_lines(a, b, (*given.files, *artifacts.differ)),
    )


def _compared_run(side: Side) -> ComparedRun:
    run = ComparedRun(**asdict(side.state.named), partial=side.state.partial)
    return run if run.day is not None else replace(run, day=max(side.ended, default=None))


def _compare_given(a: Side, b: Side) -> GivenDifference:
    if a.state.partial or b.state.partial:
        return GivenDifference({}, ())
    one, other = (_flatten_settings(side.files.mapping(relative_paths.SETTINGS)) for side in (a, b))
    paths = sorted({path for side in (a, b) for path in side.state.prints if path.startswith(_GIVEN)})
    differ = tuple(path for path in paths if a.state.prints.get(path) != b.state.prints.get(path))
    return GivenDifference(values_between(one, other), differ, _compare_events(a, b))


def _compare_events(a: Side, b: Side) -> EventDifference | None:
    one, other = (items_of(side.files.mapping(relative_paths.CLOCK).get("scheduled_events")) for side in (a, b))
    only_a, only_b = (tuple(each for each in own if each not in of) for own, of in ((one, other), (other, one)))
    return EventDifference(only_a, only_b) if only_a or only_b else None


def _file_lines(a: Side, b: Side, paths: Iterable[str]) -> dict[str, LineDifference]:
    found = {path: compare_files(*(side.files.contents.get(path) for side in (a, b))) for path in paths}
    return {path: line for path, line in found.items() if line}


def _flatten_settings(data: Mapping[Any, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in data.items():
        name = f"{before}{key}"
        if isinstance(value, dict) and value:
            found |= _flatten_settings(value, f"{name}.")
        else:
            found[name] = value
    return found


def _pair_curves(one: Curves, other: Curves, nothing: Sequence[None]) -> AgentCurves:
    others = sorted({*one.trust, *other.trust})
    return AgentCurves(
        ComparedPair(one.importance, other.importance),
        ComparedPair(one.memories, other.memories),
        ComparedPair(one.mood, other.mood),
        {who: ComparedPair(one.trust.get(who, nothing), other.trust.get(who, nothing)) for who in others},
    )


def _compare_artifacts(a: Side, b: Side) -> WorkDifference:
    one, other = (
        {path: mark for path, mark in side.state.prints.items() if path.startswith(f"{GALLERY}/")} for side in (a, b)
    )
    both = sorted(one.keys() & other.keys())
    return WorkDifference(
        tuple(sorted(one.keys() - other.keys())),
        tuple(sorted(other.keys() - one.keys())),
        tuple(path for path in both if one[path] != other[path]),
        tuple(path for path in both if one[path] == other[path]),
    )


def _compare_boards(a: Side, b: Side) -> BoardDifference:
    if a.state.partial or b.state.partial:
        return BoardDifference((), ())
    found = (side.files.mapping(relative_paths.BULLETIN).get("posts") for side in (a, b))
    one, other = (items_of(items) for items in found)
    return BoardDifference(
        tuple(post for post in one if post not in other), tuple(post for post in other if post not in one)
    )


def _sum_cost(side: Side) -> CostSum | None:
    if side.layout is None:
        return None
    settings, _ = parse_settings(side.files.mapping(relative_paths.SETTINGS))
    return describe_cost(paid_traces(side.layout), settings).totals
