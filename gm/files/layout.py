"""The only module that knows the paths of a world."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from gm.base.casefold import casefold
from gm.base.errors import NoWorldError, Problem
from gm.base.regular import enclose
from gm.base.texts import is_digits
from gm.files.formats.text import list_folder
from gm.model.calendar import render_day
from gm.model.piece import GALLERY as GALLERY

if TYPE_CHECKING:  # a command that reads no mind does without the declarations
    from gm.layers.declare import AnyLayer

LONGEST_DAY = 9
"""Maximum number of digits of a day."""
LONGEST_NAME = 200
"""Maximum bytes of a file name; leaves room below the usual limit of 255 for what gm appends."""

MOST_NAMED = 5
"""Worlds below a folder that are named, at most."""


class Rooted(Protocol):
    """What has a folder."""

    @property
    def root(self) -> Path: ...


class Place:
    """A path inside the folder of what it is declared in."""

    def __init__(self, inside: str) -> None:
        self._inside = inside

    def __get__(self, owner: Rooted, _type: type[Rooted]) -> Path:
        return owner.root / self._inside


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of one world."""

    root: Path

    settings = Place("gm.yaml")
    prompts = Place("prompts")
    gallery = Place(GALLERY)
    library = Place("library")
    scripts = Place("scripts")  # days scripted by a person
    state = Place("state")
    world = Place("state/world.json")
    bulletin = Place("state/bulletin.json")
    threads = Place("state/threads.jsonl")
    links = Place("state/links.json")  # pending requests for memories
    links_note = Place("state/.gm/links.json")  # wall-clock times of a person's requests for memories
    agents = Place("state/agents")
    personas = Place("state/personas")
    memories = Place("state/memories")
    gifted_folder = Place("state/gifted")  # folder of seed memories
    archive = Place("state/archive")
    summaries = Place("state/summaries")
    traces = Place("state/traces")
    imported = Place("state/imported")  # folder of what was imported, as it came; in no prompt
    mailbox = Place("state/mailbox")  # folder of open questions that are answered from outside
    derived = Place("state/.gm")  # folder of files that can be deleted at any time
    asks = Place("state/.gm/asks")  # folder of questions asked outside of scenes, with their answers
    interviews = Place("state/.gm/interviews")  # folder of kept answers of interviews
    lock = Place("state/.gm/lock")
    run_note = Place("state/.gm/run.json")  # target of an unfinished run of several days
    speed_note = Place("state/.gm/speed.json")  # how long models took to answer, in wall-clock time
    writing_note = Place("state/.gm/writing.json")  # which characters are writing at the moment
    carried = Place("state/traces/carried.json")  # answers that a branch took along and did not pay for
    seed_note = Place("state/.gm/seed.json")  # seeds of days, where they are not the one of gm.yaml
    end_note = Place("state/.gm/ended.json")  # the open day that is to have no more scenes
    sitting_note = Place("state/.gm/sitting.json")  # what a person has decided about a scene that has not landed
    journal = Place("state/.gm/journal.jsonl")  # the changes being written
    reinforced = Place("state/.gm/reinforced.jsonl")  # how often memories were reinforced and recalled
    reinforced_whole = Place("state/.gm/reinforced.json")  # the same in older worlds, as one document
    lines = Place("state/.gm/lines.jsonl")
    changes = Place("state/.gm/changes")  # folder of the change record, one file for each day
    vectors = Place("state/.gm/vectors")  # folder of the embedding index, with a folder for each agent
    vectors_lock = Place("state/.gm/vectors.lock")
    vectors_note = Place("state/.gm/embedding.json")  # the wire format that the embedding server understood last
    lexical = Place("state/.gm/lexical.sqlite")

    def __post_init__(self) -> None:
        enclose(self.root)

    @property
    def logbook(self) -> Path:
        """Folder of logbooks; beside ``state/`` in older worlds."""
        inside, beside = self.state / "logbook", self.root / "logbook"
        return beside if beside.is_dir() and not inside.is_dir() else inside

    @property
    def top_folders(self) -> tuple[Path, ...]:
        """The folders that all files but ``gm.yaml`` lie in, whether or not they exist; none lies in another."""
        beside = () if self.logbook.is_relative_to(self.state) else (self.logbook,)
        return (self.state, self.gallery, self.prompts, self.library, self.scripts, *beside)

    @property
    def own_files(self) -> tuple[Path, ...]:
        """The files that gm itself names, whether or not they exist; none of a single character."""
        notes = (self.run_note, self.seed_note, self.end_note, self.sitting_note, self.links_note, self.carried)
        kept = (self.lock, self.journal, *notes, self.reinforced)
        counted = (self.lines, self.lexical, self.vectors_lock, self.vectors_note)
        return (self.settings, self.world, self.bulletin, self.threads, self.links, *kept, *counted)

    @property
    def own_folders(self) -> tuple[Path, ...]:
        """The folders that gm itself names, whether or not they exist."""
        from gm.layers import LAYERS

        minds = map(self.layer_folder, LAYERS)
        streams = (self.memories, self.gifted_folder, self.archive, self.summaries)
        kept = (self.logbook, self.traces, self.mailbox, self.imported, self.derived)
        beside = (self.prompts, self.gallery, self.library, self.scripts)
        return (self.state, self.agents, self.personas, *minds, *streams, *kept, *beside)

    def agent(self, name: str) -> Path:
        """An agent's state; for this and the other files of a character, another case or Unicode form is found too."""
        return _find_file(self.agents, name, ".json")

    def persona(self, name: str) -> Path:
        return _find_file(self.personas, name, ".md")

    def stream(self, name: str) -> Path:
        return _find_file(self.memories, name, ".jsonl")

    def gifted(self, name: str) -> Path:
        return _find_file(self.gifted_folder, name, ".jsonl")

    def kept(self, name: str, ending: str = ".json") -> Path:
        """What was imported as this character or book, as it came."""
        return _find_file(self.imported, name, ending)

    def portrait(self, name: str) -> Path:
        return _find_file(self.gallery / "portraits", name, ".png")

    def layer_folder(self, layer: AnyLayer) -> Path:
        return self.state / layer.file.folder

    def layer(self, layer: AnyLayer, name: str, beside: str = "") -> Path:
        """An agent's file of a layer, or a further one with the ending ``beside``."""
        path = _find_file(self.layer_folder(layer), name, layer.file.ending)
        return path.with_suffix(beside) if beside else path

    def archived(self, name: str) -> Path:
        return _find_file(self.archive, name, ".jsonl")

    def summarised(self, name: str) -> Path:
        return _find_file(self.summaries, name, ".jsonl")

    def day_log(self, day: int) -> Path:
        return self.logbook / f"{render_day(day)}.jsonl"

    def shown(self, path: Path) -> str:
        """Return a path relative to the world, with forward slashes."""
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return path.as_posix()

    def agent_names(self) -> tuple[str, ...]:
        """Return the ids of all characters with a state file, a persona or memories, sorted.

        Names that differ only in case or Unicode form are one agent, named as its state file.
        """
        stems: dict[str, str] = {}
        for path in self._agent_files():
            if is_nameable(path.name):
                stems.setdefault(casefold(path.stem), path.stem)
        return tuple(sorted(stems.values()))

    def unnameable_files(self) -> tuple[Path, ...]:
        """Return the files of agents that are not ``is_nameable``."""
        return tuple(path for path in self._agent_files() if not is_nameable(path.name))

    def _agent_files(self) -> Iterator[Path]:
        for folder, ending in ((self.agents, ".json"), (self.memories, ".jsonl"), (self.personas, ".md")):
            for path in sorted(_list_files(folder, ending)):
                if not (ending == ".md" and path.stem.lower() == "readme"):  # a README is not a persona
                    yield path

    def day_logs(self) -> dict[int, Path]:
        """Return the logbooks that are there, by day in order."""
        found = {}
        for path in _list_files(self.logbook, ".jsonl"):
            number = path.stem.removeprefix("day-")
            is_day = is_digits(number, LONGEST_DAY)
            if is_day and path.stem == render_day(int(number)):
                found[int(number)] = path
        return dict(sorted(found.items()))

    def logged_days(self) -> tuple[int, ...]:
        """Return the days that have a logbook, in order."""
        return tuple(self.day_logs())


def is_nameable(name: str) -> bool:
    """Return whether a file name is printable UTF-8, not blank, and at most ``LONGEST_NAME`` bytes long."""
    data = os.fsencode(name)
    is_text = name.isprintable() and data.decode("utf-8", "replace") == name
    return is_text and len(data) <= LONGEST_NAME and bool(Path(name).stem.strip())


def file_name_problem(shown: str) -> Problem:
    """Return the problem for a file name that is not ``is_nameable``."""
    message = (
        "a blank name, or one with control characters, with bytes that are not UTF-8, "
        f"or of more than {LONGEST_NAME} bytes"
    )
    return Problem(shown, 0, 0, "error", "file-name", message, "rename the file")


def lies_in_gallery(layout: Layout, path: Path) -> bool:
    """Return whether a path, links resolved, is in the gallery, and the gallery in the world."""
    home = layout.gallery.resolve()
    return home.is_relative_to(layout.root.resolve()) and path.resolve().is_relative_to(home)


def is_world(folder: Path) -> bool:
    """Return whether a folder has a ``gm.yaml``, or a ``state/`` with agents, personas or memories."""
    if (folder / "gm.yaml").is_file():
        return True
    state = folder / "state"
    return any((state / name).is_dir() for name in ("agents", "personas", "memories"))


def lies_in_repository(layout: Layout) -> bool:
    """Return whether a world seems to be in a git repository, without calling git; that of another world is none."""
    top = find_git_folder(layout)
    return top is not None and (top == layout.root.resolve() or not is_world(top))


def find_git_folder(layout: Layout) -> Path | None:
    """Return the nearest folder around a world that has a ``.git``; without one, git knows nothing of the world."""
    root = layout.root.resolve()
    return next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), None)


def find_world(start: Path, *, named: bool = False) -> Layout:
    """Return the world in a folder or in its nearest parent.

    Args:
        named: The user named the folder: parents are not searched.

    Raises:
        NoWorldError: There is none.
    """
    place = start.absolute()
    for folder in (place,) if named else (place, *place.parents):
        if is_world(folder):
            return Layout(folder)
    where = f"{place} is not a world" if named else f"no world in {place} or above it"
    below = [str(start / folder.name) for folder in worlds_in(place)]
    if not below:
        raise NoWorldError(
            where, "a world is a folder with gm.yaml and state/; make one with: gm init DIR or gm new DIR"
        )
    import shlex  # most commands find their world

    listed = ", ".join(below[:MOST_NAMED]) + (", …" if len(below) > MOST_NAMED else "")
    way = "one of them" if named else f"one: -w {shlex.quote(below[0])}"
    raise NoWorldError(where, f"worlds lie in it: {listed}; name {way}")


def worlds_in(home: Path) -> list[Path]:
    """Return the sub-folders that are worlds, by name; links, hidden and unreadable folders are left out."""
    folders: list[Path] = []
    with suppress(OSError):
        folders = sorted(path for path in list_folder(home) if is_nameable(path.name) and not path.is_symlink())
    return [path for path in folders if _is_readable_world(path)]


def _is_readable_world(folder: Path) -> bool:
    with suppress(OSError):
        return is_world(folder)
    return False


def _list_files(folder: Path, ending: str) -> list[Path]:
    return [path for path in list_folder(folder) if path.suffix == ending]


def _find_file(folder: Path, name: str, ending: str) -> Path:
    """Return the file with exactly this name, else one that differs in case or Unicode form."""
    path = folder / f"{name}{ending}"
    if path.exists() or not folder.is_dir():
        return path
    wanted = casefold(name)
    return next((other for other in sorted(_list_files(folder, ending)) if casefold(other.stem) == wanted), path)
