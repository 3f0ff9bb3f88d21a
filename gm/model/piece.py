"""The gallery, and the front matter of a piece: a text file in it."""

from __future__ import annotations

from dataclasses import dataclass

from gm.base.config import kinds
from gm.model.record import Key, Record, text_key

GALLERY = "gallery"
"""The folder of finished work in a world."""


@dataclass(frozen=True, slots=True)
class PieceFront:
    """The front matter of a piece; ``PIECE`` describes the attributes."""

    title: str = ""
    agent: str = ""
    created: str = ""
    node: str = ""
    kind: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    style_tags: tuple[str, ...] = ()
    made_with: str = ""
    audience: tuple[str, ...] = ()
    replaces: str = ""


def _list(name: str, sentence: str, *example: str, kind: kinds.Kind = kinds.texts, brief: bool = False) -> Key:
    return Key(name, kind, sentence, default=(), null=True, brief=brief, example=list(example))


PIECE = Record(
    PieceFront,
    "a piece",
    text_key("title", "the title; absent = the name of the file", "Twelve obituaries"),
    text_key("agent", "the id of the character that made it", "emre"),
    text_key("created", "the scene or the day in which it was made", "day-003/scene-04"),
    text_key("node", "the id of the memory of making it", "emre-042"),
    text_key("kind", "what it is, such as writing or design", "writing"),
    text_key("description", "one sentence about it", "Obituaries, in the order of what was left undone."),
    _list("tags", "tags of the memory", "names"),
    _list("style_tags", "tags of how it is made", "dry"),
    text_key("made_with", "the model that wrote it", "claude-sonnet-4-5"),
    _list("audience", "ids of the characters who know of it; absent = all", "emre", "vera", brief=True),
    Key(
        "replaces",
        kinds.text,
        "the path of the earlier piece of which it is a new version",
        default="",
        null=True,
        brief=True,
        example="gallery/writing/day-002_names_v1.md",
    ),
    code="piece-value",
)
"""The front matter of ``gallery/**/*.md``; all keys are optional, and others are allowed."""
