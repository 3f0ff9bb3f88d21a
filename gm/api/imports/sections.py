"""The prose of an imported card: its parts under headings, and samples of speech."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gm.api.imports.fields import clean_text
from gm.base.casefold import casefold

DESCRIPTION, PERSONALITY, VOICE, LORE = "description", "personality", "voice", "lore"
HEADINGS: Mapping[str, Mapping[str, str]] = {
    "en": {DESCRIPTION: "Description", PERSONALITY: "Personality", VOICE: "Voice", LORE: "Background"},
    "de": {DESCRIPTION: "Beschreibung", PERSONALITY: "Persönlichkeit", VOICE: "Stimme", LORE: "Hintergrund"},
}
"""By language of the world; English for all others. ``Voice`` and ``Stimme`` are what seed memories look for."""
USUAL = "en"
BREAK = "* * *"
"""Between two samples of speech."""
START = re.compile(r"^[ \t]*<START>[ \t]*", re.I | re.M)
_SPEAKER = re.compile(r"[ \t]*([^\n:]{1,100}):")


def join_sections(parts: Mapping[str, str], language: str) -> str:
    """Return a persona's prose; empty parts get no heading."""
    headings = HEADINGS.get(language, HEADINGS[USUAL])
    own = re.compile(_pattern(language if language in HEADINGS else USUAL), re.M)  # a text may hold one itself
    cleaned = {part: own.sub(r"### \1", clean_text(parts.get(part, ""))) for part in headings}
    return "\n\n".join(f"## {headings[part]}\n\n{text}" for part, text in cleaned.items() if text)


def split_sections(prose: str) -> dict[str, str]:
    """Return the parts of a prose in any language; text before the first heading is description."""
    language = max(HEADINGS, key=lambda one: len(re.findall(_pattern(one), prose, re.M)))
    parts = dict.fromkeys(HEADINGS[language], "")
    names = {heading: part for part, heading in HEADINGS[language].items()}
    here, seen, lines = DESCRIPTION, set[str](), list[str]()
    for line in prose.split("\n"):
        found = re.match(_pattern(language), line)
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
    return "\n".join(_kept(talk.split("\n"), left_out, known)).strip()


def voice(talks: Sequence[str], greetings: Sequence[str]) -> str:
    """Join samples of speech, separated by lines."""
    return f"\n\n{BREAK}\n\n".join(sample for sample in (*talks, *(item.strip() for item in greetings)) if sample)


def _pattern(language: str) -> str:
    return rf"^## ({'|'.join(map(re.escape, HEADINGS[language].values()))})[ \t]*$"


def _kept(lines: Sequence[str], left_out: str, known: set[str]) -> Iterator[str]:
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
