"""What many tools say of a person: age, and a gender that stands for pronouns."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gm.api.imports.fields import line_of, whole_of
from gm.api.words.speech import Words

OLDEST = 150
AGE = 40
"""Characters of an age that is no number: ``in her forties``."""
PRONOUNS: Mapping[str, str] = {
    **dict.fromkeys(("female", "woman", "f", "weiblich", "frau", "w"), "she"),
    **dict.fromkeys(("male", "man", "m", "männlich", "mann"), "he"),
    **dict.fromkeys(("non-binary", "nonbinary", "nichtbinär", "nicht-binär", "divers"), "they"),
}
_BESIDE = re.compile(r"\b(?:cis|trans)(?:gender)?[ -]|[(/;,].*", re.I)
"""What may stand around the word that counts."""


def age_of(value: object) -> int | str:
    """Return an age as a whole number, or as it is told; empty if there is none."""
    return whole_of(value, 0, OLDEST) or line_of(value, AGE)


def pronouns_of(gender: object, words: Words) -> str:
    """Return the pronouns that a gender plainly stands for; empty for all others."""
    found = PRONOUNS.get(_BESIDE.sub("", line_of(gender)).strip().casefold())
    return words(f"pronouns.{found}") if found else ""
