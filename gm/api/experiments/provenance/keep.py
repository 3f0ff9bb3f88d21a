"""Collect what is needed to repeat days, try it, and describe it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from gm.api.experiments.provenance import pack
from gm.api.experiments.provenance.contents import CITE, FORM, Provenance, machine
from gm.api.experiments.provenance.pack import is_packed, world_files
from gm.api.experiments.provenance.replay import REPEAT_HINT, repeat, write_world_files
from gm.api.history.rewind.moments import find_moment
from gm.api.imports.fields import read_json
from gm.api.reports.cost import TOKENS, name_asked_model
from gm.api.reports.settings import DEFAULT, describe_settings
from gm.api.worlds.create import first_day
from gm.base.errors import GmError, UsageError
from gm.base.untyped import text_at
from gm.files import relative_paths
from gm.files.commits.changes import (
    CommitEntry,
    FileChange,
    content_at,
    print_of,
    read_day_entries,
    read_entries,
    record_path,
)
from gm.files.commits.runnote import noted_seeds
from gm.files.commits.snapshot import snapshot
from gm.files.formats import disk
from gm.files.formats.text import digest_of_files, files_below, read_data
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.packaged.shipped import shipped_prompts
from gm.files.questions.traces import TraceReader
from gm.files.story.logbook import read_log
from gm.files.story.now import load_clock
from gm.files.streams.strength import strengths_until
from gm.files.uncommitted.temporary import temporary_folder
from gm.llm.calls import parse_call
from gm.model.calendar import SceneRef, parse_ref, render_day

SHOWN_PATHS = 6


@dataclass(frozen=True, slots=True)
class ProvenanceFile:
    """A file of provenance: its content and its bytes."""

    note: Provenance
    run: pack.RepeatedRun
    data: bytes


def make_provenance(
    layout: Layout, first: int | None = None, last: int | None = None, seed: int | None = None
) -> ProvenanceFile:
    """Make the file of the days from ``first`` to ``last``; None = from the first to the last that is over.

    The days are played again in a scratch folder, so that no file is made that cannot be repeated.

    Args:
        seed: What the days were played with; None = each day's as noted, else as ``gm.yaml`` says.

    Raises:
        UsageError: No such days.
        GmError: They cannot be repeated from what the world keeps, or the record does not say how the last of them
            ended; the message says why.
    """
    with snapshot(layout), disk.explained(layout.root):
        past = Past(layout)
        days = _choose_days(past, first, last)
        _refuse_unknown_end(layout, past, days[-1])
        traces = _read_traces(layout, days)
        start = _start(layout, past, days[0])
        noted = noted_seeds(layout) if seed is None else {}
    with temporary_folder("scratch") as folder:
        scratch = Layout(folder)
        write_world_files(folder, start)
        described = _describe_package(scratch, traces, days, seed)
        trial = _Trial(past, scratch, days)
        seeds = {day: noted.get(day, described["seed"]) for day in days}
        tried = repeat(scratch, pack.answers_in(traces), days, seeds.__getitem__, trial.before, trial.after)
        end = pack.digests_of(pack.world_files(scratch))
        scenes = sum(len(read_log(scratch, day).scenes) for day in days)
    run = pack.RepeatedRun(start, {day: changes for day, changes in trial.by_hand.items() if changes}, traces)
    members = pack.members_of(run)
    note = Provenance(
        **described,
        seeds={render_day(day): one for day, one in seeds.items()},
        scenes=scenes,
        asked=tried.asked,
        asked_otherwise=tried.asked_otherwise,
        by_hand={render_day(day): sorted(changes) for day, changes in run.by_hand.items()},
        notes=tried.notes,
        end=digest_of_files(end),
        end_files=end,
        files=pack.digests_of(members),
    )
    data = pack.render_file(note, members)
    pack.parse_file(data, "the file")  # what gm replay would refuse is refused now
    return ProvenanceFile(note, run, data)


class _Trial:
    """Finds what was changed by hand before each day, and holds each evening that is in the record against it."""

    def __init__(self, past: Past, scratch: Layout, days: tuple[int, ...]) -> None:
        self.by_hand: dict[int, dict[str, bytes | None]] = {}
        self._past = past
        self._scratch = scratch
        self._days = days

    def before(self, day: int) -> Mapping[str, bytes | None]:
        place = self._past.opening(day)
        if place is None or day == self._days[0]:
            return {}
        here = pack.world_files(self._scratch)
        found = {
            path: self._past.content(place, path, here.get(path))
            for path in self._past.paths
            if self._past.before(place, path) != print_of(here.get(path))
        }
        self.by_hand[day] = found
        return found

    def after(self, day: int) -> None:
        place = self._past.closing(day)
        if place is None:
            return
        here = pack.world_files(self._scratch)
        paths = sorted({*here, *self._past.paths})
        other = [path for path in paths if print_of(here.get(path)) not in self._past.after(place, path)]
        if other:
            replayed = read_day_entries(self._scratch, day)
            by_hand = sorted({*self._past.by_hand_within(day, replayed)})
            lines = [f"{path} would be another" for path in other[:SHOWN_PATHS]]
            if len(other) > SHOWN_PATHS:
                lines.append(f"and {len(other) - SHOWN_PATHS} more")
            lines += [f"{path} was changed by hand while the day was open" for path in by_hand[:SHOWN_PATHS]]
            raise GmError(
                f"day {day} cannot be repeated from what the world keeps:\n  " + "\n  ".join(lines),
                f"{REPEAT_HINT}; take other days with --days",
            )


def _choose_days(past: Past, first: int | None, last: int | None) -> tuple[int, ...]:
    if not past.closed:
        raise UsageError("no day has been played to its end", "play one: gm advance-day")
    days = tuple(day for day in past.closed if (first or 1) <= day <= (last or past.closed[-1]))
    for wanted in (first, last):
        if wanted is not None and wanted not in days:
            raise UsageError(f"day {wanted} has not been played to its end", "gm log lists the days")
    return days


def _refuse_unknown_end(layout: Layout, past: Past, last: int) -> None:
    if past.closing(last) is None:
        known = ", ".join(str(day) for day in past.closed if past.closing(day) is not None)
        instead = f", or end with another day ({known}): --days" if known else ""
        raise GmError(
            f"the record does not say how day {last} ended, so nothing can be compared with it",
            f"put {layout.shown(record_path(layout, last))} back{instead}",
        )


def _read_traces(layout: Layout, days: tuple[int, ...]) -> dict[str, bytes]:
    reader = TraceReader(layout.traces)
    found: dict[str, bytes] = {}
    for day in days:
        places = [*map(str, reader.scenes(day)), render_day(day)]
        kept = {f"{place}/{path.name}": read_data(path) for place in places for path, _, _ in reader.files_in(place)}
        if not kept:
            raise GmError(
                f"no answers of day {day} are kept in {layout.shown(layout.traces)}",
                "they are only where the day was played, and git leaves them out; take other days with --days",
            )
        found |= kept
    return found


def _start(layout: Layout, past: Past, day: int) -> dict[str, bytes]:
    place = past.opening(day)
    if place is not None:
        found = {path: past.content(place, path) for path in past.paths}
    elif day == 1:
        own = (relative_paths.PROMPTS, relative_paths.LIBRARY, relative_paths.SCRIPTS, relative_paths.PERSONAS)
        found = {
            path: data for path, data in past.now.items() if path == relative_paths.SETTINGS or path.startswith(own)
        }
        found |= {step.path: step.text.encode() for step in first_day(layout, load_world(layout).world)}
    else:
        before = max(other for other in layout.logged_days() if other < day)
        found = {**past.now, **find_moment(layout, SceneRef(before)).files}
    start = {path: data for path, data in sorted(found.items()) if data is not None and pack.is_packed(path)}
    counted = disk.read_or_none(layout.reinforced)
    if counted is not None and (then := strengths_until(counted, day - 1)):
        start[relative_paths.REINFORCED] = then
    return start


def _describe_package(layout: Layout, traces: pack.Files, days: tuple[int, ...], seed: int | None) -> dict[str, Any]:
    begin = pack.digests_of(pack.world_files(layout))
    world = load_world(layout).world
    found, _ = describe_settings(layout)
    prompts = shipped_prompts()
    shipped = {path.relative_to(prompts).as_posix(): path.read_bytes() for path in files_below(prompts)}
    return {
        "form": FORM,
        **machine(),
        "cite": CITE,
        "title": world.settings.world.title,
        "language": world.settings.language,
        "seed": world.settings.seed if seed is None else seed,
        "days": days,
        "calls": len(traces),
        "models": _models(traces),
        "servers": _servers(traces),
        "begin": digest_of_files(begin),
        "settings": {
            item.entry.name: {"value": item.value, "set": item.source != DEFAULT}
            for item in found.settings
            if item.entry.section != "git"  # says who commits, not how days are played
        },
        "prompts": pack.digests_of(shipped),
    }


def _servers(traces: pack.Files) -> tuple[str, ...]:
    records = [read_json(data, path) for path, data in traces.items()]
    asked = {(text_at(one, "backend"), text_at(one, "server")) for one in records if isinstance(one, dict)}
    return tuple(f"{backend}: {server}" for backend, server in sorted(asked) if server)


def _models(traces: pack.Files) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for path, data in sorted(traces.items()):
        record = read_json(data, path)
        call = parse_call(record if isinstance(record, dict) else {})
        sums = found.setdefault(name_asked_model(call), dict.fromkeys(("calls", "rejected", *TOKENS), 0))
        sums["calls"] += 1
        sums["rejected"] += ".rejected-" in path
        for name in TOKENS:
            sums[name] += getattr(call.usage, name)
    # people and some servers count no tokens: then the figures are left out
    return {
        name: {key: count for key, count in sums.items() if key not in TOKENS or any(map(sums.get, TOKENS))}
        for name, sums in sorted(found.items())
    }


class Past:
    """The files of a world as they are now, and as the record has them.

    Raises:
        GmError: A line of the record cannot be read.
    """

    def __init__(self, layout: Layout) -> None:
        self.now = world_files(layout)
        clock, _ = load_clock(layout)
        over = clock.day - clock.day_open
        self.closed = tuple(day for day in layout.logged_days() if day <= over)
        self.entries = read_entries(layout)
        if broken := [entry.problem for entry in self.entries if entry.problem]:
            raise GmError("the record of changes cannot be read:\n  " + "\n  ".join(broken[:5]))
        self._changes = defaultdict[str, list[tuple[int, FileChange]]](list)
        for number, entry in enumerate(self.entries):
            for change in entry.files:
                if is_packed(change.path):
                    self._changes[change.path].append((number, change))

    @property
    def paths(self) -> tuple[str, ...]:
        """All paths that are or were there, sorted."""
        return tuple(sorted({*self.now, *self._changes}))

    def opening(self, day: int) -> int | None:
        """Return the place of the commit that opened a day."""
        return next((number for number, entry in enumerate(self.entries) if entry.opens == day), None)

    def closing(self, day: int) -> int | None:
        """Return the place behind the commit that closed a day; None = not in the record."""
        places = [number + 1 for number, entry in enumerate(self.entries) if entry.moment == render_day(day)]
        if places:
            return places[-1]
        # a record that begins later begins with what was done by hand after the days before it
        coming = next((other for other in self.closed if other > day), None)
        is_before = coming is None or self.opening(coming) is not None
        return 0 if is_before and not any(_is_until(entry, day) for entry in self.entries) else None

    def before(self, place: int, path: str) -> str:
        """Return the print of a file right before a commit, edits by hand included; "" = absent."""
        later = (change.before for number, change in self._changes[path] if number >= place)
        return next(later, print_of(self.now.get(path)))

    def after(self, place: int, path: str) -> set[str]:
        """Return the prints that a file may have after a commit: as gm left it, or as a person did since."""
        earlier = [change.after for number, change in self._changes[path] if number < place]
        is_left = not any(number >= place for number, _ in self._changes[path])
        return {earlier[-1] if earlier else self.before(place, path)} | (
            {print_of(self.now.get(path))} if is_left else set()
        )

    def content(self, place: int, path: str, *starts: bytes | None) -> bytes | None:
        """Return a file right before a commit.

        Raises:
            GmError: The record does not hold it.
        """
        goal = self.before(place, path)
        changes = [change for _, change in self._changes[path]]
        found, data = content_at(changes, goal, (self.now.get(path), *starts, b"", None))
        if not found:
            raise GmError(
                f"{path} was edited by hand, and the record does not hold its earlier text",
                "take days before or after that: --days",
            )
        return data

    def by_hand_within(self, day: int, replayed: Sequence[CommitEntry]) -> Iterator[str]:
        """Yield the paths that were changed by hand while a day was open.

        Args:
            replayed: The record of the day played again.
        """
        first, last = self.opening(day), self.closing(day)
        if first is None or last is None:
            return
        entries = self.entries[first:last]
        for paths in _without_moment(entries) - _without_moment(replayed):
            yield from paths
        for path, changes in self._changes.items():
            inside = [change for number, change in changes if first <= number < last]
            if any(earlier.after != later.before for earlier, later in pairwise(inside)):
                yield path


def _is_until(entry: CommitEntry, day: int) -> bool:
    ref = parse_ref(entry.moment)
    return bool(ref and ref.day <= day) or 0 < entry.opens <= day


def _without_moment(entries: Sequence[CommitEntry]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(change.path for change in entry.files) for entry in entries if not entry.moment)
