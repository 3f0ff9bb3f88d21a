"""The prose of an imported card: its parts under headings, and samples of speech."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gm.api.imports.fields import clean_text
from gm.api.imports.prose import import_words
from gm.base.languages import languages
from gm.base.texts import casefold

PARTS = DESCRIPTION, PERSONALITY, VOICE, LORE = "description", "personality", "voice", "lore"
BREAK = "* * *"
"""Between two samples of speech."""
START = re.compile(r"^[ \t]*<START>[ \t]*", re.I | re.M)
_SPEAKER = re.compile(r"[ \t]*([^\n:]{1,100}):")


def headings_of(language: str) -> dict[str, str]:
    """Return the headings of a card's parts; that of the voice is what seed memories look for."""
    words = import_words(language)
    return {part: words(f"card.{part}") for part in PARTS}


def join_sections(parts: Mapping[str, str], language: str) -> str:
    """Return a persona's prose; empty parts get no heading."""
    headings = headings_of(language)
    own = re.compile(_pattern(headings), re.M)  # a text may hold one itself
    cleaned = {part: own.sub(r"### \1", clean_text(parts.get(part, ""))) for part in headings}
    return "\n\n".join(f"## {headings[part]}\n\n{text}" for part, text in cleaned.items() if text)


def split_sections(prose: str) -> dict[str, str]:
    """Return the parts of a prose in any language; text before the first heading is description."""
    headings = max(map(headings_of, languages()), key=lambda one: len(re.findall(_pattern(one), prose, re.M)))
    parts = dict.fromkeys(headings, "")
    names = {heading: part for part, heading in headings.items()}
    here, seen, lines = DESCRIPTION, set[str](), list[str]()
    for line in prose.split("\n"):
        found = re.match(_pattern(headings), line)
        if found and names[found[1]] not in seen:
            parts[here] = clean_text(f"{parts[here]}\n\n" + "\n".join(lines))
            here, lines = names[found[1]], []
            seen.add(here)
        else:
            lines.append(line)
    parts[here] = clean_text(f"{parts[here]}\n\n" + "\n".join(lines))
    return parts


def split_talks(text: str) -> list[str]:
    """Return a card's example talks, which begin with ``<START>``."""
    return [talk for part in START.split(text) if (talk := part.strip())]


def without_lines_of(name: str, others: Iterable[str], talk: str) -> str:
    """Return a talk without one speaker's lines, each up to another speaker's.

    Args:
        others: Other speakers.
    """
    left_out, known = casefold(name), {casefold(other) for other in others}
    return "\n".join(_leave_out_speaker(talk.split("\n"), left_out, known)).strip()


def voice(talks: Sequence[str], greetings: Sequence[str]) -> str:
    """Join samples of speech, separated by lines."""
    return f"\n\n{BREAK}\n\n".join(sample for sample in (*talks, *(item.strip() for item in greetings)) if sample)


def _pattern(headings: Mapping[str, str]) -> str:
    return rf"^## ({'|'.join(map(re.escape, headings.values()))})[ \t]*$"


def _leave_out_speaker(lines: Sequence[str], left_out: str, known: set[str]) -> Iterator[str]:
    speaking = False
    for line in lines:
        found = _SPEAKER.match(line)
        speaker = casefold(found[1]) if found else ""
        if speaker == left_out:
            speaking = True
        elif speaker in known:
            speaking = False
        if not speaking:
            yield line
