"""One character's days, and what is between two, day by day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from gm.api.views.bank import moods_of_days
from gm.api.views.cast import Frame, count_met, first_sentence, gather_cast
from gm.api.views.day import name_of_day
from gm.api.views.filtering import is_kept_back, turn_to
from gm.api.views.gallery import named_pieces
from gm.api.views.graphs.source import source_of
from gm.api.views.logbook import Logged, LoggedDay, paths_made, shown_day
from gm.api.views.persona import read_diary
from gm.api.views.relationships import RegardShift, history_of
from gm.api.views.threads import known_threads
from gm.base.errors import Problem
from gm.files.commits.snapshot import snapshot
from gm.files.layers import load_layer
from gm.files.layout import Layout
from gm.files.story.now import load_clock, load_now
from gm.layers.diary import DIARY
from gm.layers.relationships import RELATIONSHIPS, TRUST
from gm.model.calendar import SceneRef
from gm.model.scene import ARRIVAL
from gm.model.thread import Thread

PAGE = 20
"""Days per page."""


@dataclass(frozen=True, slots=True)
class LivedDay:
    """One day of one character.

    Attributes:
        places: In the order in which it came there.
        others: Whom it met, most scenes first; the gathering at the start of the day does not count.
        opened: Threads that it opened, or was addressed by, on that day and that went on; its own first.
        diary: The first sentence of the day's entry.
    """

    day: int
    scenes: tuple[Logged, ...]
    places: tuple[str, ...]
    others: tuple[str, ...]
    artifacts: tuple[str, ...]
    opened: tuple[Thread, ...]
    settled: tuple[Thread, ...]
    weekday: str = ""
    mood: str = ""
    diary: str = ""

    @property
    def at(self) -> SceneRef:
        """The day as a moment."""
        return SceneRef(self.day)


@dataclass(frozen=True, slots=True)
class Life:
    """A page of the days of a character, in story order.

    Attributes:
        has_diary: Whether its diary is shown, and has entries.
    """

    agent: str
    days: tuple[LivedDay, ...]
    page: int
    pages: int
    has_diary: bool
    problems: tuple[Problem, ...] = ()


def view_life(layout: Layout, frame: Frame, agent: str, page: int = 1, hidden: Collection[str] = ()) -> Life:
    """Return a page (from 1, clamped) of a character's days, the first days first."""
    with snapshot(layout):
        settings, clock, _ = load_now(layout)  # the frame reports its problems
        logged = layout.logged_days()
        page, pages, items = turn_to(page, len(logged), PAGE)
        days = [shown_day(layout, clock, day, hidden) for day in logged[items]]
        diary = read_diary(layout, agent, hidden).entries if DIARY.name not in hidden else ()
        entries = {entry.day: first_sentence(entry.text) for entry in diary}
        moods = moods_of_days(layout, gather_cast(frame), agent, [day.day for day in days], hidden)
        threads, problems = known_threads(layout)
        own = [one for one in threads if one.concerns(agent) and not is_kept_back(one.kind, hidden)]
        by_day = _ByDay(sorted(own, key=lambda one: (one.by != agent, len(one.to))))
        lived = tuple(
            replace(
                _describe_day(layout, day, agent, by_day),
                weekday=name_of_day(settings, clock, day.day),
                mood=moods.get(day.day, ""),
                diary=entries.get(day.day, ""),
            )
            for day in days
        )
    wrong = (problem for day in days for problem in day.problems)
    return Life(agent, lived, page, pages, bool(entries), tuple(dict.fromkeys((*problems, *wrong))))


def _describe_day(layout: Layout, day: LoggedDay, agent: str, threads: _ByDay) -> LivedDay:
    scenes = tuple(scene for scene in day.scenes if agent in scene.cast)
    pieces = named_pieces(layout, paths_made(scenes, day.finished))
    return LivedDay(
        day.day,
        scenes,
        tuple(dict.fromkeys(scene.place for scene in scenes if scene.place)),
        _list_met(scenes, agent),
        tuple(path for path, piece in pieces.items() if piece.maker == agent),
        *threads.on(day.day),
    )


class _ByDay:
    def __init__(self, threads: Iterable[Thread]) -> None:
        self.opened: dict[int, list[Thread]] = {}
        self.settled: dict[int, list[Thread]] = {}
        for one in threads:
            last = 0 if one.is_open else one.touched_at.day
            if last:
                self.settled.setdefault(last, []).append(one)
            if last != one.since.day:
                self.opened.setdefault(one.since.day, []).append(one)

    def on(self, day: int) -> tuple[tuple[Thread, ...], tuple[Thread, ...]]:
        return tuple(self.opened.get(day, ())), tuple(self.settled.get(day, ()))


def _list_met(scenes: Iterable[Logged], agent: str) -> tuple[str, ...]:
    met = Counter(name for scene in scenes if scene.type != ARRIVAL for name in scene.cast if name != agent)
    return tuple(name for name, _ in met.most_common())


@dataclass(frozen=True, slots=True)
class PairDay:
    """A day on which something was between two characters.

    Attributes:
        scenes: Those that both shared, without those of the whole cast.
    """

    day: int
    scenes: tuple[Logged, ...]
    changes: tuple[RegardShift, ...]
    opened: tuple[Thread, ...]
    settled: tuple[Thread, ...]

    @property
    def at(self) -> SceneRef:
        """The day as a moment."""
        return SceneRef(self.day)


@dataclass(frozen=True, slots=True)
class PairStory:
    """What was between two characters, over time.

    Attributes:
        trust: For each of the two, in the order of ``agents``: days and the trust in the other at their end.
        shows_regards: Whether what they think of each other is shown at all.
    """

    agents: tuple[str, str]
    days: tuple[PairDay, ...]
    trust: tuple[tuple[tuple[int, float], ...], tuple[tuple[int, float], ...]]
    shows_regards: bool
    problems: tuple[Problem, ...] = ()

    @property
    def scenes(self) -> int:
        """Number of scenes that the two shared."""
        return sum(len(day.scenes) for day in self.days)

    @property
    def span(self) -> tuple[int, int]:
        """The first and the last day of ``trust``; 0, 0 without any."""
        days = [day for course in self.trust for day, _ in course]
        return (min(days), max(days)) if days else (0, 0)


def known_pairs(layout: Layout, frame: Frame, hidden: Collection[str] = ()) -> frozenset[tuple[str, str]]:
    """Return the pairs that have a story, each in alphabetical order.

    Two who shared a scene without the whole cast or had a thread, or with an opinion of one about the other.
    """
    cast = gather_cast(frame)
    with snapshot(layout):
        found = {(one, other) for one, met in count_met(source_of(layout).scenes(cast)).items() for other in met}
        threads = (one for one in known_threads(layout)[0] if not is_kept_back(one.kind, hidden))
        found |= {(one.by, one.to[0]) for one in threads if len(one.to) == 1}
        for name in cast.names if RELATIONSHIPS.name not in hidden else ():
            regards, _ = load_layer(layout, RELATIONSHIPS, name)
            found |= {(name, cast.find(other) or other) for other, regard in regards.items() if regard.is_stated}
    return frozenset((min(pair), max(pair)) for pair in found if len(set(pair)) == 2 and set(pair) <= set(cast.names))


def view_pair(
    layout: Layout,
    frame: Frame,
    one: str,
    other: str,
    hidden: Collection[str] = (),
    days: Iterable[LoggedDay] | None = None,
) -> PairStory:
    """Return what was between two characters.

    Args:
        hidden: ``relationships`` leaves out what they think of each other, ``private`` silences.
        days: All logbooks; None = those of days on which both took part in a scene are read.
    """
    both = {one, other}
    with snapshot(layout):
        threads, found = known_threads(layout)
        between = [each for each in threads if both == set(each.people) and not is_kept_back(each.kind, hidden)]
        changes, problems = _changes(layout, frame, both, hidden)
        if days is None:
            met = {scene.day for scene in source_of(layout).scenes(gather_cast(frame)) if both <= set(scene.cast)}
            clock, _ = load_clock(layout)
            days = [shown_day(layout, clock, day, hidden) for day in sorted(met)]
        shared = _find_shared_scenes(days, frame, both)
        by_day = _ByDay(between)
        active = {*shared, *(change.at.day for change in changes), *by_day.opened, *by_day.settled}
    listed = tuple(
        PairDay(
            day,
            tuple(shared.get(day, ())),
            tuple(change for change in changes if change.at.day == day),
            *by_day.on(day),
        )
        for day in sorted(active)
    )
    shows = RELATIONSHIPS.name not in hidden
    return PairStory((one, other), listed, (_course(changes, one), _course(changes, other)), shows, (*found, *problems))


def _find_shared_scenes(days: Iterable[LoggedDay], frame: Frame, both: Set[str]) -> Mapping[int, Sequence[Logged]]:
    found: dict[int, list[Logged]] = {}
    for day in days:
        for scene in day.scenes:
            if both <= set(scene.cast) and (len(scene.cast) < len(frame.cast) or len(frame.cast) == len(both)):
                found.setdefault(day.day, []).append(scene)
    return found


def _changes(
    layout: Layout, frame: Frame, both: Set[str], hidden: Collection[str]
) -> tuple[list[RegardShift], list[Problem]]:
    changes: list[RegardShift] = []
    problems: list[Problem] = []
    for name in sorted(both) if RELATIONSHIPS.name not in hidden else ():
        read, wrong = history_of(layout, gather_cast(frame), name)
        changes += [change for change in read if {change.by, change.to} == both]
        problems += wrong
    return sorted(changes, key=lambda change: change.at), problems


def _course(changes: Sequence[RegardShift], agent: str) -> tuple[tuple[int, float], ...]:
    own = [change for change in changes if change.by == agent and TRUST in change.changed]
    if not own:
        return ()
    last = {change.at.day: change.after.trust_level for change in own}
    first = own[0]
    start = {max(first.at.day - 1, 0): first.before.trust_level}
    return tuple(sorted((start | last).items()))
