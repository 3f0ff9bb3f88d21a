"""Repeat the days of a file of provenance with kept answers alone, and compare the final states."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gm.api.experiments.provenance.contents import Provenance, machine
from gm.api.experiments.provenance.pack import Changes, Files, Packed, answers_in, digests_of, world_files
from gm.api.playing.mind.minds import SceneMinds
from gm.base.errors import BackendError, GmError
from gm.files import relative_paths
from gm.files.commits.copying import copy_files
from gm.files.commits.steps import restore_step
from gm.files.commits.writer import writing
from gm.files.formats import disk
from gm.files.formats.disk import make_private
from gm.files.formats.text import digest_of_files, files_below
from gm.files.layout import Layout
from gm.files.packaged.shipped import shipped_prompts
from gm.files.story.now import load_settings
from gm.files.uncommitted.temporary import temporary_folder
from gm.llm.base import Recordings, Surroundings
from gm.llm.choose import Choice
from gm.llm.replay import Replay
from gm.llm.replay import make as make_replay
from gm.model.calendar import render_day
from gm.play.master import run_days
from gm.play.report import Report

COMMAND = "gm replay"
REPEAT_HINT = (
    "its answer is gone; or the day goes another way here: what people did while it was open (requested scenes,"
    " choices, posts, edits) is not repeated, and another --seed, another gm or other prompts ask otherwise"
)


@dataclass(frozen=True, slots=True)
class MachineDifference:
    """What differs between there and here, such as the version of a library; "" = absent."""

    what: str
    there: str
    here: str


@dataclass(frozen=True, slots=True)
class Replayed:
    """Days that were played again.

    Attributes:
        world: The new folder.
        expected: Digest of the world at the end as the file has it; ``found`` is that of the new one.
        other: Files that differ at the end.
        asked_otherwise: Questions, of ``asked``, that differ from those that were answered.
    """

    world: str
    days: tuple[int, ...]
    begin: str
    expected: str
    found: str
    other: tuple[str, ...]
    asked: int
    asked_otherwise: int
    differences: tuple[MachineDifference, ...]
    notes: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """Whether the replay gave the recorded bytes."""
        return self.expected == self.found


def find_differences(note: Provenance) -> tuple[MachineDifference, ...]:
    """Return how this machine differs from the one that made a file."""
    return tuple(_compare_machines(note))


def _compare_machines(note: Provenance) -> Iterator[MachineDifference]:
    here = machine()
    for key in ("gm", "commit", "python", "platform"):
        yield from _compare_values({key: getattr(note, key)}, {key: here[key]}, "{}")
    yield from _compare_values(note.libraries, here["libraries"], "{}")
    prompts = shipped_prompts()
    files = {path.relative_to(prompts).as_posix(): path.read_bytes() for path in files_below(prompts)}
    yield from _compare_values(note.prompts, digests_of(files), "prompt {}")


def _compare_values(there: Mapping[str, str], here: Mapping[str, str], what: str) -> Iterator[MachineDifference]:
    for name in sorted({*there, *here}):
        if there.get(name) != here.get(name):
            yield MachineDifference(what.format(name), there.get(name, ""), here.get(name, ""))


def check_target(folder: Path) -> None:
    """Check that a world can be made in a folder.

    Raises:
        GmError: Something is there.
    """
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise GmError(f"{folder} already exists", "name a folder that does not exist yet")


def replay(packed: Packed, folder: Path) -> Replayed:
    """Play the days of a file in a new folder, with the kept answers alone, without a call of a model.

    Raises:
        GmError: They cannot be played; nothing is left in the folder.
    """
    check_target(folder)
    note, run = packed.note, packed.run
    with temporary_folder("scratch") as scratch:
        layout = Layout(scratch)
        write_world_files(scratch, run.start)
        begin = digest_of_files(digests_of(world_files(layout)))
        if begin != note.begin:
            raise GmError("the world in the file does not match its digest", "make the file again: gm provenance")
        repeated = repeat(
            layout,
            answers_in(run.traces),
            note.days,
            note.seed_of,
            lambda day: run.by_hand.get(day, {}),
            lambda _: None,
        )
        end = digests_of(world_files(layout))
        _move(layout, folder, {relative_paths.TRACES + path: data for path, data in run.traces.items()})
    return Replayed(
        world=str(folder),
        days=note.days,
        begin=begin,
        expected=note.end,
        found=digest_of_files(end),
        other=tuple(path for path in sorted({*end, *note.end_files}) if end.get(path) != note.end_files.get(path)),
        asked=repeated.asked,
        asked_otherwise=repeated.asked_otherwise,
        differences=find_differences(note),
        notes=repeated.notes,
    )


def _move(source: Layout, folder: Path, traces: Mapping[str, bytes]) -> None:
    target = Layout(folder.absolute())
    with disk.explained(folder):
        disk.make_folder(target.state)
        for private in (target.derived, target.traces):
            make_private(private)
        kept = (source.reinforced, *files_below(source.changes))
        copy_files(source.root, target.root, (path for path in (*files_below(source.root), *kept) if path.is_file()))
    write_world_files(target.root, traces)


@dataclass(frozen=True, slots=True)
class Repeated:
    """How it went: questions asked, those of them that differ from the recorded ones, and how."""

    asked: int
    asked_otherwise: int
    notes: tuple[str, ...]


def write_world_files(root: Path, files: Files) -> None:
    """Write files of a world.

    Raises:
        GmError: The disk refused.
    """
    with disk.explained(root):
        make_private(Layout(root).derived)
        for path, data in files.items():
            disk.make_folder((root / path).parent)
            disk.replace(root / path, data)


def _change_files(layout: Layout, files: Changes) -> None:
    steps = [restore_step(path, disk.read_or_none(layout.root / path), data) for path, data in files.items()]
    with disk.explained(layout.root), writing(layout, COMMAND) as writer:
        writer.commit(steps)  # so that the new world's record knows of it


def repeat(
    layout: Layout,
    answers: Recordings,
    days: Sequence[int],
    seed_of: Callable[[int], int],
    before: Callable[[int], Changes],
    after: Callable[[int], None],
) -> Repeated:
    """Play days in a world without a call of a model.

    Args:
        seed_of: Returns the seed of a day.
        before: Returns what people changed before a day.
        after: Called after each day.

    Raises:
        GmError: A question has no answer, or another day comes next.
    """
    notes: dict[str, None] = {}
    backends: list[Replay] = []
    for day in days:
        if changes := before(day):
            _change_files(layout, changes)
        settings, _ = load_settings(layout)
        around = Surroundings(settings.llm, settings.reply, notice=notes.setdefault, recordings=answers)
        backends.append(make_replay("", around))
        try:
            (played,) = run_days(
                layout,
                Choice(backends[-1], COMMAND),
                Report(),
                1,
                command=COMMAND,
                seed=seed_of(day),
                minds=SceneMinds,
                embeds=False,  # that could ask a server
            )
        except BackendError as error:
            raise GmError(f"{render_day(day)} cannot be repeated: {error.message}", REPEAT_HINT) from error
        if played.day != day:
            raise GmError(f"found day {played.day}, expected day {day}", "the world's calendar differs")
        after(day)
    asked, other = (sum(counts) for counts in ([one.asked for one in backends], [one.other for one in backends]))
    return Repeated(asked, other, tuple(notes))
