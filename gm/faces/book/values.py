"""A book as one frozen value, which each format renders. All texts are neutralised plain text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from gm.api.answers.speech import Words
from gm.ask.prompt.render import inner_quotes
from gm.base.markup.blocks import Block

ChapterKind = Literal["cast", "day", "mind", "plates", "closing"]


@dataclass(frozen=True, slots=True)
class Image:
    """A picture of the gallery."""

    key: str
    media_type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class BookPiece:
    """A piece of work made in a scene; ``plate`` is its number in this book, 0 = none."""

    title: str
    plate: int


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """What a character says without a break to one addressee; ``to`` names it where the order does not."""

    text: str
    to: str = ""

    @property
    def quotable(self) -> str:
        """The text with inner quotation marks: each format puts outer ones around it."""
        return inner_quotes(self.text)


@dataclass(frozen=True, slots=True)
class BookTurn:
    """One turn of a scene; each text may be empty.

    Attributes:
        mark: Said before it: that what follows happens at the same time, meanwhile or afterwards.
    """

    agent: str
    action: str = ""
    lines: tuple[SpokenLine, ...] = ()
    thought: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class BookScene:
    """A scene as a transcript. Texts may be empty.

    Attributes:
        number: Within its day, from 1; 0 = unknown.
        title: Its own title, else its place or its type; without notes its place, else its type, and its time.
        summary: Summary of the logbook, in paragraphs, for a scene without actions.
    """

    number: int
    title: str
    type: str
    place: str
    time: str
    cast: tuple[str, ...]
    premise: str = ""
    summary: tuple[str, ...] = ()
    turns: tuple[BookTurn, ...] = ()
    insights: tuple[str, ...] = ()
    pieces: tuple[BookPiece, ...] = ()
    reason: str = ""


class CastFact(NamedTuple):
    """What is known of a character, as ``Age``, ``34``."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class CastMember:
    """One of the cast."""

    name: str
    role: str
    portrait: str
    colour: str = ""
    facts: tuple[CastFact, ...] = ()


@dataclass(frozen=True, slots=True)
class Plate:
    """A piece of work of the gallery, a text or a picture.

    Attributes:
        number: From 1, through the whole book.
        blocks: The text; its headings begin at 1.
    """

    number: int
    title: str
    caption: str
    description: str = ""
    blocks: tuple[Block, ...] = ()
    picture: str = ""


@dataclass(frozen=True, slots=True)
class BookEntry:
    """A diary entry, a relationship, a reflection or a memory.

    Attributes:
        head: Day or name; empty when it repeats that of the entry before.
    """

    head: str
    meta: str
    blocks: tuple[Block, ...]
    rests_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BookSection:
    """A heading and running text."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Points:
    """A heading and a list of short texts."""

    title: str
    points: tuple[str, ...]


Item = BookScene | CastMember | Plate | BookEntry | BookSection | Points


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter."""

    kind: ChapterKind
    label: str
    title: str
    lead: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A whole book.

    Attributes:
        language: BCP 47 tag.
        identifier: ``urn:uuid:…``, the same for the same world and choice of days.
        epigraph: Paragraphs before all chapters: the premise of the world.
        words: The book's own words, in its language.
        one_day: The heading of its only day says what the subtitle says; the subtitle stands on the cover alone.
    """

    title: str
    subtitle: str
    author: str
    language: str
    identifier: str
    epigraph: tuple[str, ...]
    chapters: tuple[Chapter, ...]
    words: Words
    images: tuple[Image, ...] = ()
    one_day: bool = False
