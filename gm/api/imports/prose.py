"""The prose of a persona, from values without a key in its front matter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gm.api.answers.speech import Words, load_words
from gm.api.imports.arrival import Account
from gm.api.imports.fields import MOST_LISTED, clean_scalar, lines_of, object_of
from gm.base.texts import clip
from gm.base.untyped import items_of

PACKAGE = "gm.api.imports"
MOST_PROSE = 40_000
"""Characters of the prose of a persona."""
DEEPEST_OBJECT = 3
"""Objects within objects that are shown as lines."""
LONGEST_LABEL = 100
"""Characters of the key of a value."""


def import_words(language: str) -> Words:
    """Return the words of imports in a language."""
    return load_words(language, PACKAGE)


def prose_of(name: str, sections: Iterable[tuple[str, str]], words: Words, account: Account) -> str:
    """Return headings with their texts as a persona's prose, never empty."""
    written = (f"## {heading}\n\n{body}" for heading, body in sections if body)
    prose = "\n\n".join(written) or words("you_are", name=name)
    if len(prose) > MOST_PROSE:
        account.leave("the prose", f"what is beyond {MOST_PROSE:,} characters")
    return clip(prose, MOST_PROSE)


def front_matter(name: str, values: Iterable[tuple[str, str, object]], account: Account) -> dict[str, object]:
    """Return front matter from keys, where they were found, and their values."""
    front: dict[str, object] = {"name": name}
    for key, where, value in values:
        front[key] = value
        account.took(where, f"{key} of the persona")
    return front


def under_heading(heading: str, words: Words) -> str:
    """Say of a part that it went into a section of the prose."""
    return f"the prose, under “{words(f'heading.{heading}')}”"


def render_block(label: str, value: object, words: Words, depth: int = 0) -> str:
    """Return a value as a paragraph, a list, or lines of its keys.

    Args:
        label: Empty = the heading says it.
    """
    if isinstance(value, dict):
        return "\n\n".join(_of_object(label, object_of(value), words, depth))
    if isinstance(value, list):
        listed = "\n".join(f"- {line}" for line in lines_of(value))
        return f"{label}:\n\n{listed}" if label and listed else listed
    text = clean_scalar(value)
    return f"{label}: {text}" if label and text else text


def label_key(key: str, words: Words) -> str:
    """Return a key's label in the world's language, else its own name."""
    plain = " ".join(clean_scalar(key).replace("_", " ").split())[:LONGEST_LABEL]
    return words.known("label", key, plain[:1].upper() + plain[1:])


def _of_object(label: str, tree: Mapping[str, object], words: Words, depth: int) -> Iterable[str]:
    if depth >= DEEPEST_OBJECT:
        return
    short: list[str] = []
    blocks: list[str] = []
    for key, value in [*tree.items()][:MOST_LISTED]:
        called = label_key(key, words)
        if items_of(value) or object_of(value):
            whole = f"{label}, {called}" if label else called
            blocks.append(render_block(whole, value, words, depth + 1))
        elif text := clean_scalar(value):
            short.append(f"- {called}: {text}")
    head = f"{label}:\n\n" if label and short else ""
    yield from filter(None, (head + "\n".join(short), *blocks))
