"""What the record of changes says about the files of a world around its days."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from gm.api.experiments.provenance.pack import is_packed, world_files
from gm.base.errors import GmError
from gm.files.commits.changes import CommitEntry, FileChange, content_at, print_of, read_entries
from gm.files.layout import Layout
from gm.files.story.now import load_clock
from gm.model.calendar import parse_ref, render_day


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
