"""What a persona's front matter says, for backends that do not read prose; anything may be missing from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Work:
    """A piece of work that a character could make."""

    task: str
    title: str
    kind: str = "writing"
    tags: tuple[str, ...] = ()
    style_tags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Persona:
    """What the author wrote about a character; all of it may be empty.

    Attributes:
        words: Lists of sentences: lines, questions, answers, thoughts, habits …
        topics: By tag.
        close: Texts about friends, by id.
        far: Texts about quarrels, by id.
    """

    words: Mapping[str, Sequence[object]]
    topics: Mapping[str, str]
    works: tuple[Work, ...]
    close: Mapping[str, str]
    far: Mapping[str, str]


def read_persona(front: Mapping[str, Any]) -> Persona:
    """Read the front matter of a persona; parts of an unexpected form are left out."""
    return Persona(
        words={key: value for key, value in front.items() if isinstance(value, list)},
        topics={_text(item, "tag"): words for item in _items(front, "topics") if (words := _text(item, "words"))},
        works=tuple(_work(item, task) for item in _items(front, "works") if (task := _text(item, "task"))),
        close=_texts_by_id(front.get("friends")),
        far=_texts_by_id(front.get("quarrels")),
    )


def _work(item: Mapping[str, Any], task: str) -> Work:
    tags, style_tags, notes = (_texts(item.get(key)) for key in ("tags", "style_tags", "notes"))
    return Work(task, _text(item, "title") or task, _text(item, "kind") or "writing", tags, style_tags, notes)


def _items(data: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = data.get(key)
    return [item for item in found if isinstance(item, Mapping)] if isinstance(found, list | tuple) else []


def _text(data: Mapping[str, Any], key: str) -> str:
    found = data.get(key)
    return found.strip() if isinstance(found, str) else ""


def _texts(found: object) -> tuple[str, ...]:
    return tuple(item for item in found if isinstance(item, str) and item) if isinstance(found, list | tuple) else ()


def _texts_by_id(found: object) -> dict[str, str]:
    if not isinstance(found, Mapping):
        return {}
    return {str(key): text.strip() if isinstance(text, str) else "" for key, text in found.items()}
