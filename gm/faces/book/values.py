"""What a book is made of. Every text in it is neutralised and is plain text: no markup of any medium."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gm.api.turns import Turn
from gm.base.markup.blocks import Block


@dataclass(frozen=True, slots=True)
class Image:
    """A picture of the gallery.

    Attributes:
        key: Its name inside the book: ``picture-001.png``.
        media_type: ``image/png``, ``image/jpeg`` or ``image/gif``.
        data: The bytes of the file, which begin as a file of that type does.
    """

    key: str
    media_type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of work that came of a scene; ``plate`` is the number of its plate, 0 when it has none in this book."""

    title: str
    plate: int


@dataclass(frozen=True, slots=True)
class Scene:
    """A scene as a transcript.

    Attributes:
        number: Within its day, from 1; 0 = none is known.
        type: What kind of scene, in words.
        place: Where; may be empty.
        time: Time of day, in words; may be empty.
        cast: Names of those who took part.
        premise: How it began; may be empty.
        told: The summary of the logbook, in paragraphs, for a scene without actions.
        turns: What was done, said and thought, turn by turn; ``agent`` is a name here.
        insights: Reflections that the cast made.
        pieces: What came of it.
        reason: Why the Director chose it; empty when left out.
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
        role: What they are here; may be empty.
        portrait: Who they are, in a sentence or two.
        colour: ``#8a5a9e``, or empty.
        facts: What else is to be said: label and value.
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
        caption: By whom, when and of what kind, in words.
        description: What it is, in a sentence; may be empty.
        blocks: The text; its own headings begin at 1.
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
    """Something with a head: an evening in a diary, an insight and what it rests on, a memory.

    Attributes:
        head: When, or what; empty for one that stands under the head of the entry before it.
        meta: Mood, place, weight …; may be empty.
        blocks: The text.
        rests_on: Texts it rests on, without marks.
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
        kind: ``cast``, ``day``, ``mind``, ``plates`` or ``closing``: how it opens.
        label: Stands above the title (``Tag 3``); may be empty.
        lead: Stands below it (a date, a state of things); may be empty.
        items: What stands in it.
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
        subtitle: What it is, and of which days.
        author: By whom; may be empty.
        language: BCP 47 tag, ``de`` or ``en`` as a rule.
        identifier: ``urn:uuid:…``, the same for the same world and the same choice of days.
        epigraph: Paragraphs that stand alone before everything else: what kind of world it is.
        words: What a book says of its own accord, by key, as in ``words/en.yaml``.
        images: Every picture that a block or a plate names.
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
