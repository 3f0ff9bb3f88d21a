"""What the files of other tools bring into a world, as values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from gm.model.node import NodeType


@dataclass(frozen=True, slots=True)
class ImportSource:
    """One file or folder of another tool, opened within the limits of ``opening``.

    Attributes:
        data: The document of a JSON file, the list of those of a JSONL file, or the first of ``files``.
        whole: The bytes of the file, a picture or an archive; empty for a folder.
        files: Assets of a CHARX, or files of a folder.
        portrait: A PNG without text chunks; empty = none.
    """

    name: str
    data: object = None
    raw: bytes = b""
    whole: bytes = b""
    files: Mapping[PurePosixPath, bytes] = field(default_factory=dict)
    portrait: bytes = b""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory from before the story.

    Attributes:
        importance: 1–10; None = judged by rule.
        queries: Words that bring it to mind.
        evidence: Places, from 0, of earlier memories of this person that it rests on.
        entry: Place of its lorebook entry; None = of none.
    """

    text: str
    type: NodeType = "observation"
    importance: int | None = None
    tags: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    evidence: tuple[int, ...] = ()
    entry: int | None = None


@dataclass(frozen=True, slots=True)
class ImportedPerson:
    """A character, new or known to the world.

    Attributes:
        front: Keys of ``model.front.FRONT``; ``friends`` by name.
        prose: Markdown; empty = the world must know the character.
        soul: Sentences by list of ``layers.soul.SOUL_KINDS``.
        only_new: A known character keeps its front matter and prose.
    """

    name: str
    front: Mapping[str, object] = field(default_factory=dict)
    prose: str = ""
    memories: tuple[Memory, ...] = ()
    relationships: Mapping[str, str] = field(default_factory=dict)
    soul: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    portrait: bytes = b""
    only_new: bool = False


@dataclass(frozen=True, slots=True)
class Lore:
    """A text for the library."""

    title: str
    text: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Arrival:
    """What one source brings.

    Attributes:
        format: What the source is: ``character card V2``.
        scenario: A suggested premise; shown, never written.
        kept: Files for ``state/imported/`` by ending; the name of the person or book is put before it.
        mapped: Parts and where they went: ``("personality", "persona")``.
        left: Parts left aside, and why.
    """

    format: str
    people: tuple[ImportedPerson, ...] = ()
    lore: tuple[Lore, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)
    scenario: str = ""
    kept: Mapping[str, bytes] = field(default_factory=dict)
    mapped: tuple[tuple[str, str], ...] = ()
    left: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class FormatOptions:
    """What the reader of a format is given: ``landing.ImportOptions``, resolved.

    Names are cleaned and checked against the cast, and the settings of the world fill in what the user left out.

    Attributes:
        user: Name for what the source calls its user.
        user_named: Whether the user gave that name; else that person's lines are left out of samples.
        name: New name of the character; empty = as in the source.
        holder: Name of the character who is to remember keyed lore; empty = the library.
        lore: ``library`` or ``gifted``: where keyed lore goes; empty = as usual for the format.
    """

    language: str
    user: str
    user_named: bool = False
    name: str = ""
    holder: str = ""
    lore: str = ""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Format:
    """A format of another tool, declared once.

    Attributes:
        fits: Judges a source by its keys.
        read: Raises UsageError, with its place in the source, for what does not fit.
    """

    name: str
    fits: Callable[[ImportSource], bool]
    read: Callable[[ImportSource, FormatOptions], Arrival]


@dataclass(slots=True)
class Account:
    """Where the parts of one source went, in reading order; each part is noted once."""

    _mapped: dict[str, str] = field(default_factory=dict)
    _left: dict[tuple[str, str], None] = field(default_factory=dict)

    def took(self, part: str, where: str) -> None:
        """Note where a part of the source went."""
        self._mapped.setdefault(part, where)

    def leave(self, part: str, why: str) -> None:
        """Note a part that is left out, and why."""
        self._left[part, why] = None

    @property
    def mapped(self) -> tuple[tuple[str, str], ...]:
        """Parts with where they went."""
        return tuple(self._mapped.items())

    @property
    def left(self) -> tuple[tuple[str, str], ...]:
        """Parts that were left out, each with the reason."""
        return tuple(self._left)
