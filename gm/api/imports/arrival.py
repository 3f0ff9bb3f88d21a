"""What the files of other tools bring into a world, as values; nothing here reads or writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True)
class Source:
    """One file or folder of another tool, opened within the limits of ``opening``.

    Attributes:
        name: Of the file or folder, as the user gave it; for messages.
        data: The document of a JSON file, a list of documents of a JSONL file; the first of ``files`` otherwise.
        raw: The bytes that ``data`` was read from.
        whole: The bytes of the file itself, a picture or an archive; empty for a folder.
        files: What else came with it, by path: assets of a CHARX, the files of a folder.
        portrait: A PNG without its text chunks; empty = none.
        problems: What could not be read of it, in words.
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
        type: One of ``model.node.NODE_TYPES``.
        importance: 1–10; None = judged by rule.
        about: Names of those it is about.
        queries: Words that are to bring it to mind.
        evidence: Places of earlier memories of the same person that it rests on, from 0.
        entry: Place of the entry of a lorebook that it is a part of; None = of none.
    """

    text: str
    type: str = "observation"
    importance: int | None = None
    tags: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    evidence: tuple[int, ...] = ()
    entry: int | None = None


@dataclass(frozen=True, slots=True)
class Person:
    """A character, new or known to the world.

    Attributes:
        front: Keys of ``model.persona.FRONT``; ``friends`` by name.
        prose: Markdown; empty = the character must be in the world already.
        relationships: What the character thinks of others, by their names.
        soul: Sentences by list of ``layers.soul.SOUL_KINDS``.
        only_new: Whether front matter and prose count only for a character who is new to the world; one who is known
            receives the rest.
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
    """A text about the world, which characters can look up."""

    title: str
    text: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Arrival:
    """What one source brings.

    Attributes:
        format: What the source is: ``character card V2``.
        places: Ids and what is there.
        scenario: A premise that the source suggests; shown, never written.
        kept: Files for ``state/imported/``, by ending; a person's or a book's file name is put before it.
        mapped: Which part of the source went where, in words: ``("personality", "persona")``.
        left: Which part was left aside, and why.
    """

    format: str
    people: tuple[Person, ...] = ()
    lore: tuple[Lore, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)
    scenario: str = ""
    kept: Mapping[str, bytes] = field(default_factory=dict)
    mapped: tuple[tuple[str, str], ...] = ()
    left: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user says about an import.

    Attributes:
        language: Of the world, for headings.
        user: Name of the person whom the source calls its user.
        user_named: Whether that is somebody of whom the user wants to read; else what they say is left out of samples.
        name: What the character is to be called; empty = as in the source.
        holder: Name of the character who is to remember keyed lore; empty = it goes to the library.
        lore: Where keyed lore goes: ``library`` or ``gifted``; empty = as the format usually has it.
        seed: Of the world; random macros are resolved with it.
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
        name: For messages.
        fits: Whether a source has this format, judged by its keys.
        read: Raises UsageError, with its place in the source, for what does not fit the format.
    """

    name: str
    fits: Callable[[Source], bool]
    read: Callable[[Source, Wish], Arrival]
