"""The words of the interface, in the language of the world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

SPOKEN = ("de", "en")
FALLBACK = "en"


@dataclass(frozen=True, slots=True)
class Words:
    """What the interface says.

    Attributes:
        language: One of ``SPOKEN``.
        sentences: Each under its key, with ``{name}`` where a value goes.
    """

    language: str
    sentences: Mapping[str, str]

    def __call__(self, key: str, **values: object) -> str:
        """Say something; where there is a number ``n`` of 1, ``key.one`` is taken if there is one.

        Raises:
            KeyError: There is no such sentence.
        """
        if values.get("n") == 1 and f"{key}.one" in self.sentences:
            key = f"{key}.one"
        return self.sentences[key].format_map(values) if values else self.sentences[key]

    def known(self, prefix: str, name: str) -> str:
        """Say the word for something that a file names, or the file's own word when there is none."""
        return self.sentences.get(f"{prefix}.{name}", name)

    def number(self, value: float, digits: int = 0) -> str:
        """Write a number the way the language does: ``1.234,5`` or ``1,234.5``."""
        text = f"{value:,.{digits}f}"
        return text.translate(str.maketrans(",.", ".,")) if self.language == "de" else text


@cache
def load_words(language: str) -> Words:
    """Load the words for a world; one in a language that the interface does not speak is shown in English."""
    spoken = language if language in SPOKEN else FALLBACK
    text = (files("gm.web") / "words" / f"{spoken}.yaml").read_text(encoding="utf-8")
    return Words(spoken, dict(_flat(yaml.safe_load(text))))


def _flat(tree: Mapping[str, object], prefix: str = "") -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for key, value in tree.items():
        if isinstance(value, Mapping):
            found += _flat(value, f"{prefix}{key}.")
        else:
            found.append((f"{prefix}{key}", str(value)))
    return found
