"""The prose of a persona that was a card: the parts of the card under headings of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gm.api.imports.texts import clean_text

DESCRIPTION, PERSONALITY, VOICE, LORE = "description", "personality", "voice", "lore"
HEADINGS: Mapping[str, Mapping[str, str]] = {
    "en": {DESCRIPTION: "Description", PERSONALITY: "Personality", VOICE: "Voice", LORE: "Background"},
    "de": {DESCRIPTION: "Beschreibung", PERSONALITY: "Persönlichkeit", VOICE: "Stimme", LORE: "Hintergrund"},
}
"""By language of the world; English for all others. ``Voice`` and ``Stimme`` are what seed memories look for."""
USUAL = "en"


def join_sections(parts: Mapping[str, str], language: str) -> str:
    """Return the prose of a persona; empty parts get no heading."""
    headings = HEADINGS.get(language, HEADINGS[USUAL])
    cleaned = {part: clean_text(parts.get(part, "")) for part in headings}
    return "\n\n".join(f"## {headings[part]}\n\n{text}" for part, text in cleaned.items() if text)


def split_sections(prose: str) -> dict[str, str]:
    """Return the parts of such a prose, of any language; what stands before the first heading is description."""
    language = max(HEADINGS, key=lambda one: len(re.findall(_pattern(one), prose, re.M)))
    parts = dict.fromkeys(HEADINGS[language], "")
    names = {heading: part for part, heading in HEADINGS[language].items()}
    here, seen, lines = DESCRIPTION, set[str](), list[str]()
    for line in prose.split("\n"):
        found = re.match(_pattern(language), line)
        if found and names[found[1]] not in seen:  # a text may hold such a heading itself: the first one counts
            parts[here] = clean_text(f"{parts[here]}\n\n" + "\n".join(lines))
            here, lines = names[found[1]], []
            seen.add(here)
        else:
            lines.append(line)
    parts[here] = clean_text(f"{parts[here]}\n\n" + "\n".join(lines))
    return parts


def _pattern(language: str) -> str:
    return rf"^## ({'|'.join(map(re.escape, HEADINGS[language].values()))})[ \t]*$"
