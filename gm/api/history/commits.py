"""One commit per day or scene: ``--commit`` and ``git.commit``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gm.api.history.git import GitError, find_repository
from gm.api.history.git_commits import RETURNED, REWOUND, check_ready, commit_paths, find_pending
from gm.base.config import GitSettings
from gm.base.texts import counted, one_line
from gm.files.layout import GALLERY, Layout
from gm.model.logged import LogEntry
from gm.model.scene import Scene
from gm.model.stream import of_day
from gm.model.world import Change, World
from gm.play.report import Report

NEVER, DAY, SCENE = "never", "day", "scene"
SUBJECT = 72
BODY = 76
MOST_NAMES = 3


class CommittingReport(Report):
    """Forwards to ``inner``, and commits after a day or a scene.

    Args:
        runs_programs: As of ``find_repository``.

    Raises:
        GitError: Commits are impossible here; raised before any model call.
    """

    def __init__(self, layout: Layout, inner: Report, settings: GitSettings, *, runs_programs: bool = False) -> None:
        self._layout = layout
        self._inner = inner
        self._settings = settings
        self._repository = find_repository(layout.root, runs_programs=runs_programs)
        self.commits: list[str] = []
        check_ready(self._repository, self._played_paths, settings.author)

    @property
    def _played_paths(self) -> tuple[str, ...]:
        return played_paths(self._layout)

    def look_around(self, *, is_open: bool) -> None:
        """Report other changed and staged files; own changes of a day only if it is over."""
        found = find_pending(self._repository, self._played_paths)
        if found.own and not is_open:
            some, first = _describe_paths(found.own)
            self.notice(f"{some} of this world changed since the last commit ({first}) and will be in the day's commit")
        written_by_hand = (self._layout.settings, self._layout.prompts, self._layout.library)
        if left := find_pending(self._repository, [self._layout.shown(path) for path in written_by_hand]).own:
            some, first = _describe_paths(left)
            self.notice(f"{some} changed by hand ({first}): not in this commit; commit what other clones need as well")
        if found.staged_elsewhere:
            some, first = _describe_paths(found.staged_elsewhere)
            self.notice(f"{some} staged elsewhere ({first}): left staged, not committed")

    def catch_up(self, world: World) -> None:
        """Commit the last day if it is closed and still uncommitted."""
        if not world.clock.day_open and world.clock.day:
            day = world.clock.day
            closings = (entry for entry in reversed(world.log) if entry.day == day and entry.is_summary)
            self._commit_paths(day_message(world, next(closings, LogEntry(day, {}))), f"day {day}")

    def day_opened(self, world: World) -> None:
        self._inner.day_opened(world)

    def scene_begins(self, world: World, scene: Scene) -> None:
        self._inner.scene_begins(world, scene)

    def asking(self, world: World, names: Sequence[str]) -> None:
        self._inner.asking(world, names)

    def answered(self, scene: Scene, done: int, of: int) -> None:
        self._inner.answered(scene, done, of)

    def scene_played(self, world: World, scene: Scene, change: Change) -> None:
        self._inner.scene_played(world, scene, change)
        if self._settings.commit == SCENE:
            self._commit_paths(scene_message(world, scene, change), f"scene {scene.ref.scene} of day {scene.ref.day}")

    def cared(self, world: World, name: str, change: Change) -> None:
        self._inner.cared(world, name, change)

    def day_ends(self, world: World, change: Change) -> None:
        self._inner.day_ends(world, change)

    def day_closed(self, world: World, change: Change) -> None:
        self._inner.day_closed(world, change)
        self._commit_paths(day_message(world, change.line), f"day {world.clock.day}")

    def day_left(self, world: World) -> None:
        self._inner.day_left(world)

    def warned(self, where: str, warnings: Sequence[str]) -> None:
        self._inner.warned(where, warnings)

    def notice(self, text: str) -> None:
        self._inner.notice(text)

    def _commit_paths(self, message: str, what: str) -> None:
        subject = message.split("\n", 1)[0]
        try:
            commit = commit_paths(self._repository, self._played_paths, message, self._settings.author)
        except GitError as error:
            raise GitError(
                f"{what} is played and in the files, but it could not be committed: {error.message}",
                f"put it right, then run the same command again: it goes on after {what}, and commits it",
                error.status,
            ) from error
        if commit:
            self.commits.append(commit)
            self._inner.notice(f"committed {commit[:8]} {subject}")


def played_paths(layout: Layout) -> tuple[str, ...]:
    """Return the files and folders that days write to."""
    log = layout.shown(layout.logbook)
    return ("state", GALLERY, *(() if log.startswith("state/") else (log,)))


def day_message(world: World, closing: LogEntry) -> str:
    """Return the commit message of a day."""
    day = world.clock.day
    memories = sum(len(of_day(agent.stream, day)) for agent in world.agents.values())
    scenes = world.scenes_of(day)
    artifacts = sum(len(entry.artifacts) for entry in (*scenes, closing))
    parts = [f"day {day}: {counted(len(scenes), 'scene')}, {counted(memories, 'memory')}"]
    thinkers = [world.agents[name].call_name for name in closing.reflected if name in world.agents]
    if thinkers:
        parts.append(f"{_join_names(thinkers)} {'reflects' if len(thinkers) == 1 else 'reflect'}")
    if artifacts:
        parts.append(counted(artifacts, "piece of work", "pieces of work"))
    body = [*_wrap_items("", [closing.summary]), *_wrap_items("Highlights:", closing.highlights)]
    body += [*_wrap_items("Finished:", closing.finished), *_wrap_items("Open:", closing.open_threads)]
    return _join_message("; ".join(parts), body)


def scene_message(world: World, scene: Scene, change: Change) -> str:
    """Return the commit message of a scene."""
    count = sum(map(len, change.nodes.values()))
    names = _join_names([world.agents[name].call_name for name in scene.cast])
    head = f"day {scene.ref.day}, scene {scene.ref.scene}: {scene.type.name}, {names}"
    body = [*_wrap_items("Why:", [scene.why]), *_wrap_items("", [change.line.summary])]
    return _join_message(f"{head}; {counted(count, 'memory')}", [*body, *_wrap_items("Made:", list(change.files))])


def _join_message(subject: str, body: Sequence[str]) -> str:
    head = one_line(subject)
    head = head if len(head) <= SUBJECT else head[: SUBJECT - 1].rstrip(" ,;") + "…"
    return "\n".join([head, "", *body]).rstrip() + "\n"


def _wrap_items(title: str, items: Iterable[str]) -> list[str]:
    import textwrap

    texts = list(filter(None, map(one_line, items)))
    if not texts:
        return []
    mark = "- " if title else ""
    lines = [title] if title else []
    for text in texts:
        lines += textwrap.wrap(text, BODY, initial_indent=mark, subsequent_indent=" " * len(mark)) or []
    # a line of a text must not pass for a trailer that gm writes, and reads again
    return [*(f" {line}" if line.startswith((REWOUND, RETURNED)) else line for line in lines), ""]


def _join_names(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    if more > 1:
        return f"{', '.join(names[:MOST_NAMES])} and {more} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _describe_paths(paths: Sequence[str]) -> tuple[str, str]:
    return counted(len(paths), "file"), f"{paths[0]}{', …' if len(paths) > 1 else ''}"
