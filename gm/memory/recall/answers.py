"""The kind of answer that a question wants: a time, or a number."""

from __future__ import annotations

import re

from gm.base.casefold import casefold
from gm.memory.recall.dates import MONTHS

TIME, NUMBER = 1, 2
_UNITS = "tage?s?n?|wochen?|monate?n?|jahre?n?|stunden?|days?|weeks?|months?|years?|hours?|weekend|wochenende"
_DAYS = (
    "montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|"
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
)
_NAMED = "|".join(name for names in MONTHS for name in names)
_SAID = (
    "gestern|vorgestern|heute|übermorgen|neulich|kürzlich|seit|letzte[nrsm]?|vorige[nrsm]?|nächste[nrsm]?|abends|mittags|"
    "morgens|yesterday|today|tomorrow|tonight|recently|ago|since|last|next|morning"
)
_NUMBERS = (
    "zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|dutzend|einmal|zweimal|dreimal|mehrere|paar|"
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|once|twice|several|couple|few"
)
_TELLS_TIME = re.compile(rf"\b(?:{_SAID}|{_UNITS}|{_DAYS}|{_NAMED}|\d{{4}}|\d{{1,2}}\.\s?\d{{1,2}}\.)(?!\w)")
_TELLS_NUMBER = re.compile(rf"\b(?:\d+|{_NUMBERS})\b")
_ASKS_TIME = re.compile(
    r"^\W*(?:(?:seit|bis|since|until|by) )?(?:wann|when)\b|\b(?:wie lange|how long)\b"
    r"|\b(?:welche[mnrs]?|what|which) (?:tag|woche|monat|jahr|datum|date|day|week|month|year)\b"
)
_ASKS_NUMBER = re.compile(r"\b(?:wie viele?|wieviele?|wie oft|wie alt|how many|how much|how often|how old)\b")


def tells_of(text: str) -> int:
    """Return what a memory names: ``TIME``, ``NUMBER``, their sum, or 0."""
    folded = casefold(text)
    return TIME * bool(_TELLS_TIME.search(folded)) + NUMBER * bool(_TELLS_NUMBER.search(folded))


def wanted_by(question: str) -> int:
    """Return what a German or English question asks for: ``TIME``, ``NUMBER``, or 0 for neither."""
    folded = casefold(question)
    if _ASKS_TIME.search(folded):
        return TIME
    return NUMBER if _ASKS_NUMBER.search(folded) else 0
