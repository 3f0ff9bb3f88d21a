"""The prose of a persona, from values that have no key of their own in its front matter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gm.api.imports.account import Account
from gm.api.imports.fields import MOST_ITEMS, items_of, lines_of, object_of, text_of
from gm.api.words.speech import Words, load_words
from gm.base.texts import clip

PACKAGE = "gm.api.imports"
MOST_PROSE = 40_000
"""Characters of the prose of a persona."""
DEEPEST = 3
"""Objects within objects that are shown as lines."""


def import_words(language: str) -> Words:
    """Return the headings and sentences of imports in the language of a world."""
    return load_words(language, PACKAGE)


def prose_of(name: str, sections: Iterable[tuple[str, str]], words: Words, account: Account) -> str:
    """Return sections, each a heading and its text, as the prose of a persona; it is never empty."""
    written = (f"## {heading}\n\n{body}" for heading, body in sections if body)
    prose = "\n\n".join(written) or words("you_are", name=name)
    if len(prose) > MOST_PROSE:
        account.leave("the prose", f"what is beyond {MOST_PROSE:,} characters")
    return clip(prose, MOST_PROSE)


def render_block(label: str, value: object, words: Words, depth: int = 0) -> str:
    """Return a value as a paragraph, a list, or lines of its keys.

    Args:
        label: What the value is called; empty = the heading says it.
    """
    if isinstance(value, dict):
        return "\n\n".join(_of_object(label, object_of(value), words, depth))
    if isinstance(value, list):
        listed = "\n".join(f"- {line}" for line in lines_of(value))
        return f"{label}:\n\n{listed}" if label and listed else listed
    text = text_of(value)
    return f"{label}: {text}" if label and text else text


def label_of(key: str, words: Words) -> str:
    """Return what a key is called in the language of the world; an unknown one by its own name."""
    plain = " ".join(text_of(key).replace("_", " ").split())[:MOST_ITEMS]
    return words.known("label", key, plain[:1].upper() + plain[1:])


def _of_object(label: str, tree: Mapping[str, object], words: Words, depth: int) -> Iterable[str]:
    if depth >= DEEPEST:
        return
    short: list[str] = []
    blocks: list[str] = []
    for key, value in [*tree.items()][:MOST_ITEMS]:
        called = label_of(key, words)
        if items_of(value) or object_of(value):
            whole = f"{label}, {called}" if label else called
            blocks.append(render_block(whole, value, words, depth + 1))
        elif text := text_of(value):
            short.append(f"- {called}: {text}")
    head = f"{label}:\n\n" if label and short else ""
    yield from filter(None, (head + "\n".join(short), *blocks))
