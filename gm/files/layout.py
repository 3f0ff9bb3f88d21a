"""Where everything is. The only module that knows the paths of a world."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gm.base.casefold import casefold
from gm.base.errors import NoWorldError, Problem
from gm.base.regular import enclose
from gm.base.texts import is_digits
from gm.files.forms.text import list_folder
from gm.layers import LAYERS
from gm.layers.declare import Layer
from gm.model.calendar import render_day
from gm.scene.names import GALLERY as GALLERY  # named there, because the names of pieces are made there

LONGEST_DAY = 9
"""More digits has no day."""
LONGEST_NAME = 200
"""Bytes of a file name: what gm writes beside a file has a few more, and no system takes more than 255."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of one world."""

    root: Path

    def __post_init__(self) -> None:
        enclose(self.root)

    @property
    def settings(self) -> Path:
        """``gm.yaml``."""
        return self.root / "gm.yaml"

    @property
    def prompts(self) -> Path:
        """The world's own templates, which shadow the packaged ones."""
        return self.root / "prompts"

    @property
    def gallery(self) -> Path:
        """Artifacts."""
        return self.root / GALLERY

    @property
    def library(self) -> Path:
        """Texts that characters can look something up in."""
        return self.root / "library"

    @property
    def scripts(self) -> Path:
        """Days that a person wrote, scene by scene."""
        return self.root / "scripts"

    @property
    def state(self) -> Path:
        """Everything the Game Master keeps."""
        return self.root / "state"

    @property
    def world(self) -> Path:
        """The world clock."""
        return self.state / "world.json"

    @property
    def bulletin(self) -> Path:
        """What everyone can read."""
        return self.state / "bulletin.json"

    @property
    def threads(self) -> Path:
        """What is left open between people."""
        return self.state / "threads.jsonl"

    @property
    def links(self) -> Path:
        """Who has asked whom for memories."""
        return self.state / "links.json"

    @property
    def links_note(self) -> Path:
        """When a person asked for memories, by the clock on the wall."""
        return self.derived / "links.json"

    @property
    def agents(self) -> Path:
        """Folder of agent files."""
        return self.state / "agents"

    @property
    def personas(self) -> Path:
        """Folder of personas."""
        return self.state / "personas"

    @property
    def memories(self) -> Path:
        """Folder of memory streams."""
        return self.state / "memories"

    @property
    def gifted_folder(self) -> Path:
        """Folder of what characters know from the start."""
        return self.state / "gifted"

    @property
    def archive(self) -> Path:
        """Folder of archived nodes."""
        return self.state / "archive"

    @property
    def summaries(self) -> Path:
        """Folder of what stands for archived nodes."""
        return self.state / "summaries"

    @property
    def logbook(self) -> Path:
        """Folder of logbooks; beside ``state/`` in older worlds."""
        inside, beside = self.state / "logbook", self.root / "logbook"
        return beside if beside.is_dir() and not inside.is_dir() else inside

    @property
    def traces(self) -> Path:
        """Folder of questions and raw answers."""
        return self.state / "traces"

    @property
    def mailbox(self) -> Path:
        """Folder of open questions that are answered from outside."""
        return self.state / "mailbox"

    @property
    def derived(self) -> Path:
        """Folder of what can be deleted at any time."""
        return self.state / ".gm"

    @property
    def asks(self) -> Path:
        """Folder of questions that were asked outside of every scene, and their answers."""
        return self.derived / "asks"

    @property
    def lock(self) -> Path:
        """Held by the process that writes."""
        return self.derived / "lock"

    @property
    def run_note(self) -> Path:
        """How far an unfinished run of several days is meant to go."""
        return self.derived / "run.json"

    @property
    def end_note(self) -> Path:
        """Which open day is to have no more scenes."""
        return self.derived / "ended.json"

    @property
    def journal(self) -> Path:
        """The changes that are being written."""
        return self.derived / "journal.jsonl"

    @property
    def reinforced(self) -> Path:
        """How often memories were reinforced and recalled."""
        return self.derived / "reinforced.jsonl"

    @property
    def reinforced_whole(self) -> Path:
        """The same in older worlds, in one piece."""
        return self.derived / "reinforced.json"

    @property
    def lines(self) -> Path:
        """The line index: what is known of the lines of memory files."""
        return self.derived / "lines.jsonl"

    @property
    def changes(self) -> Path:
        """Folder of the record of what each commit changed, a file for each day."""
        return self.derived / "changes"

    @property
    def vectors(self) -> Path:
        """Folder of the embedding index, with a folder for each agent."""
        return self.derived / "vectors"

    @property
    def vectors_lock(self) -> Path:
        """Held by the process that writes to the embedding index."""
        return self.derived / "vectors.lock"

    @property
    def vectors_note(self) -> Path:
        """Which wire format the embedding server understood last time."""
        return self.derived / "embedding.json"

    @property
    def lexical(self) -> Path:
        """The index of words."""
        return self.derived / "lexical.sqlite"

    @property
    def own_files(self) -> tuple[Path, ...]:
        """Every single file that gm reads, whether or not it is there; those in folders left out."""
        kept = (self.lock, self.journal, self.run_note, self.end_note, self.links_note, self.reinforced)
        counted = (self.lines, self.lexical, self.vectors_lock, self.vectors_note)
        return (self.settings, self.world, self.bulletin, self.threads, self.links, *kept, *counted)

    @property
    def own_folders(self) -> tuple[Path, ...]:
        """Every folder that gm reads, whether or not it is there."""
        minds = map(self.layer_folder, LAYERS)
        streams = (self.memories, self.gifted_folder, self.archive, self.summaries)
        kept = (self.logbook, self.traces, self.mailbox, self.derived)
        beside = (self.prompts, self.gallery, self.library, self.scripts)
        return (self.state, self.agents, self.personas, *minds, *streams, *kept, *beside)

    def agent(self, name: str) -> Path:
        """An agent's file."""
        return _named(self.agents, name, ".json")

    def persona(self, name: str) -> Path:
        """An agent's persona."""
        return _named(self.personas, name, ".md")

    def stream(self, name: str) -> Path:
        """An agent's memory stream."""
        return _named(self.memories, name, ".jsonl")

    def gifted(self, name: str) -> Path:
        """What an agent knows from the start."""
        return _named(self.gifted_folder, name, ".jsonl")

    def layer_folder(self, layer: Layer[Any, Any]) -> Path:
        """Folder of the files of a layer of minds."""
        return self.state / layer.file.folder

    def layer(self, layer: Layer[Any, Any], name: str, beside: str = "") -> Path:
        """An agent's file of a layer; ``beside``: the ending of a further file that belongs to it."""
        path = _named(self.layer_folder(layer), name, layer.file.ending)
        return path.with_suffix(beside) if beside else path

    def archived(self, name: str) -> Path:
        """An agent's archived nodes."""
        return _named(self.archive, name, ".jsonl")

    def summarised(self, name: str) -> Path:
        """What stands for an agent's archived nodes."""
        return _named(self.summaries, name, ".jsonl")

    def day_log(self, day: int) -> Path:
        """The logbook of one day."""
        return self.logbook / f"{render_day(day)}.jsonl"

    def shown(self, path: Path) -> str:
        """Write a path the way problems name it: inside the world, with forward slashes."""
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return path.as_posix()

    def agent_names(self) -> tuple[str, ...]:
        """Return the ids of all characters that have a file: state, persona or memories; in alphabetical order.

        File names that differ in case or Unicode form only (some systems take names apart into letter and accent)
        are one agent, named as its state file is.
        """
        stems: dict[str, str] = {}
        for path in self._agent_files():
            if is_nameable(path.name):
                stems.setdefault(casefold(path.stem), path.stem)
        return tuple(sorted(stems.values()))

    def unnameable(self) -> tuple[Path, ...]:
        """List the files of agents that cannot be called so: no id, prompt or file could hold the name."""
        return tuple(path for path in self._agent_files() if not is_nameable(path.name))

    def _agent_files(self) -> Iterator[Path]:
        for folder, ending in ((self.agents, ".json"), (self.memories, ".jsonl"), (self.personas, ".md")):
            for path in sorted(_files(folder, ending)):
                if not (ending == ".md" and path.stem.lower() == "readme"):  # a README beside the personas is nobody
                    yield path

    def logged_days(self) -> tuple[int, ...]:
        """Days that have a logbook, in order."""
        days = []
        for path in _files(self.logbook, ".jsonl"):
            number = path.stem.removeprefix("day-")
            is_day = is_digits(number, LONGEST_DAY)
            if is_day and path.stem == render_day(int(number)):
                days.append(int(number))
        return tuple(sorted(days))


def is_nameable(name: str) -> bool:
    """Return whether a file name can stand in a text, and leaves room for what gm writes beside the file."""
    data = os.fsencode(name)
    return len(data) <= LONGEST_NAME and name.isprintable() and data.decode("utf-8", "replace") == name


def unnameable(shown: str) -> Problem:
    """Say that a file has a name that no text can hold."""
    message = f"a name with control characters, with bytes that are not UTF-8, or of more than {LONGEST_NAME} bytes"
    return Problem(shown, 0, 0, "error", "file-name", message, "rename the file")


def lies_in_gallery(layout: Layout, path: Path) -> bool:
    """Return whether a path lies in the gallery, links followed, and the gallery itself in the world."""
    home = layout.gallery.resolve()
    return home.is_relative_to(layout.root.resolve()) and path.resolve().is_relative_to(home)


def is_world(folder: Path) -> bool:
    """Return whether a folder is a world: it has a ``gm.yaml`` or a ``state/`` with agents, personas or memories."""
    if (folder / "gm.yaml").is_file():
        return True
    state = folder / "state"
    return any((state / name).is_dir() for name in ("agents", "personas", "memories"))


def lies_in_repository(layout: Layout) -> bool:
    """Return whether a world seems to lie in a git repository, without asking git."""
    root = layout.root.absolute()
    return any((folder / ".git").exists() for folder in (root, *root.parents))


def find_world(start: Path, *, named: bool = False) -> Layout:
    """Find the world in a folder or in the nearest parent that is one.

    Args:
        start: Where to begin.
        named: The folder was named by the user: parents do not count.

    Raises:
        NoWorldError: There is none.
    """
    start = start.absolute()
    for folder in (start,) if named else (start, *start.parents):
        if is_world(folder):
            return Layout(folder)
    where = f"{start} is no world" if named else f"no world in {start} or above it"
    raise NoWorldError(where, "a world is a folder with gm.yaml and state/; make one with: gm init DIR")


def _files(folder: Path, ending: str) -> list[Path]:
    return [path for path in list_folder(folder) if path.suffix == ending]


def _named(folder: Path, name: str, ending: str) -> Path:
    """Find the file of an agent: the one of that very name, else one whose name differs in case or Unicode form."""
    path = folder / f"{name}{ending}"
    if path.exists():
        return path
    wanted = casefold(name)
    return next((other for other in sorted(_files(folder, ending)) if casefold(other.stem) == wanted), path)
