"""The parts of a book. All texts are neutralised plain text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gm.base.markup.blocks import Block


@dataclass(frozen=True, slots=True)
class Image:
    """A picture of the gallery.

    Attributes:
        key: Name inside the book: ``picture-001.png``.
        media_type: ``image/png``, ``image/jpeg`` or ``image/gif``.
    """

    key: str
    media_type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of work made in a scene; ``plate`` is its number in this book, 0 = none."""

    title: str
    plate: int


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a scene; each text may be empty.

    Attributes:
        agent: A name, not an id.
        mark: Said before it: that what follows happens at the same time, or afterwards.
    """

    agent: str
    action: str = ""
    lines: tuple[str, ...] = ()
    thought: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """A scene as a transcript. Texts may be empty.

    Attributes:
        number: Within its day, from 1; 0 = unknown.
        type: In words.
        time: Time of day in words.
        cast: Names, not ids.
        told: Summary of the logbook, in paragraphs, for a scene without actions.
        insights: Reflections of the cast.
        reason: Why the Director chose it.
    """

    number: int
    type: str
    place: str
    time: str
    cast: tuple[str, ...]
    premise: str = ""
    told: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()
    insights: tuple[str, ...] = ()
    pieces: tuple[Piece, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Person:
    """One of the cast.

    Attributes:
        colour: ``#8a5a9e``, or empty.
        facts: Label and value.
    """

    name: str
    role: str
    portrait: str
    colour: str = ""
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Plate:
    """A piece of work of the gallery, a text or a picture.

    Attributes:
        number: From 1, through the whole book.
        caption: Author, day and kind, in words.
        description: A sentence, or empty.
        blocks: The text; its headings begin at 1.
        picture: Key of an image of the book; empty for a text.
    """

    number: int
    title: str
    caption: str
    description: str = ""
    blocks: tuple[Block, ...] = ()
    picture: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A diary entry, a relationship, a reflection or a memory.

    Attributes:
        head: Day or name; empty when it repeats that of the entry before.
        meta: Mood, place, importance …; may be empty.
        rests_on: Evidence, as plain texts.
    """

    head: str
    meta: str
    blocks: tuple[Block, ...]
    rests_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and running text."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Points:
    """A heading and a list of short texts."""

    title: str
    points: tuple[str, ...]


Item = Scene | Person | Plate | Entry | Section | Points


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter.

    Attributes:
        kind: ``cast``, ``day``, ``mind``, ``plates`` or ``closing``.
        label: Above the title (``Tag 3``); may be empty.
        lead: Below the title; may be empty.
    """

    kind: str
    label: str
    title: str
    lead: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Book:
    """A whole book.

    Attributes:
        language: BCP 47 tag.
        identifier: ``urn:uuid:…``, the same for the same world and choice of days.
        epigraph: Paragraphs before all chapters: the premise of the world.
        words: The book's own words by key, as in ``words/en.yaml``.
        images: All pictures that a block or a plate names.
    """

    title: str
    subtitle: str
    author: str
    language: str
    identifier: str
    epigraph: tuple[str, ...]
    chapters: tuple[Chapter, ...]
    words: Mapping[str, str]
    images: tuple[Image, ...] = ()
