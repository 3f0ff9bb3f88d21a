"""Macros in character cards, resolved once, at import.

Source:
    Character Card V1 and V3 ("curly braced syntaxes"). Dice are thrown with the seed of the world.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass

MOST_PASSES = 4
"""Macros inside of macros are resolved from the inside."""
MOST_SIDES = 1_000_000
_BEFORE = 20
"""Characters before a macro that say whether a sentence begins with it."""
_MACRO = re.compile(r"\{\{([^{}]*)\}\}")
USER = re.compile(r"\{\{ *user *\}\}|<user>", re.I)
"""What stands for the user of a card."""
_CHAR = re.compile(r"\{\{ *(char|bot) *\}\}|<(char|bot)>", re.I)
_ANGLED = re.compile(r"<(bot|char|user)>", re.I)
_DICE = re.compile(r"\{\{ *(?:random|pick|roll) *:[^{}]*\}\}", re.I)
_COMMA = re.compile(r"(?<!\\),")
_ROLL = re.compile(r"(?:(\d{0,3})d)?(\d{1,7})\Z", re.I)


def macros_in(text: str) -> list[str]:
    """Return the macros that a text has left, each once."""
    return list(dict.fromkeys(match[0] for match in _MACRO.finditer(text)))


def report_dice(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Return the macros of chance in some texts as a part of which something is lost."""
    found = dict.fromkeys(match[0] for text in texts for match in _DICE.finditer(text))
    return [(", ".join(found), "chosen once, now; correct it in the texts")] if found else []


@dataclass(frozen=True, slots=True)
class Macros:
    """What macros stand for.

    Attributes:
        char: The character's name; empty = such macros stay.
        user: Name for what the card calls its user.
    """

    char: str
    user: str
    seed: int = 0

    def resolve(self, text: str) -> str:
        """Resolve known macros; the same text always gives the same."""
        dice = random.Random(f"{self.seed}\n{text}".encode("utf-8", "surrogatepass"))
        text = _ANGLED.sub(lambda match: self._resolve_name(match) or match[0], text)
        for _ in range(MOST_PASSES):
            resolved = _MACRO.sub(lambda match: self._resolve_match(match, dice), text)
            if resolved == text:
                break
            text = resolved
        return text

    def restore(self, text: str, original: str) -> str:
        """Put the macros for names that ``original`` has back into its edited resolved text."""
        names = [(self.user, "{{user}}", USER), (self.char, "{{char}}", _CHAR)]
        macros = {
            form: macro
            for name, macro, found in names
            if name and found.search(original)
            for form in (_capitalize(name), name)
        }
        if not macros:
            return text
        longest_first = sorted(macros, key=len, reverse=True)
        return re.sub("|".join(map(_pattern_of, longest_first)), lambda match: macros[match[0]], text)

    def _resolve_name(self, match: re.Match[str]) -> str:
        name = self.user if match[1].strip().lower() == "user" else self.char
        before = match.string[max(0, match.start() - _BEFORE) : match.start()].rstrip(" \t\"'“”„«»‘’*(_)")
        return _capitalize(name) if not before or before[-1] in ".!?…\n" else name

    def _resolve_match(self, match: re.Match[str], dice: random.Random) -> str:
        macro = match[1].strip()
        name, colon, value = macro.partition(":")
        name = name.strip().lower()
        if not colon and name in ("char", "bot", "user"):
            return self._resolve_name(match) or match[0]
        if macro.startswith("//") or (colon and name in ("comment", "hidden_key")):
            return ""
        if colon and name in ("random", "pick"):
            return dice.choice(_choices(value))
        if colon and name == "roll":
            return _roll_dice(value.strip(), dice) or match[0]
        if colon and name == "reverse":
            return value.removeprefix(":").strip()[::-1]
        return match[0]


def _capitalize(name: str) -> str:
    return name[:1].upper() + name[1:]


def _choices(value: str) -> list[str]:
    parts = value[1:].split("::") if value.startswith(":") else _COMMA.split(value)
    return [part.replace("\\,", ",").strip() for part in parts]


def _roll_dice(value: str, dice: random.Random) -> str:
    """Roll ``20``, ``d20`` or ``2d6``; empty for anything else."""
    found = _ROLL.match(value)
    if found is None or not value.isascii() or not 1 <= int(found[2]) <= MOST_SIDES:
        return ""
    return str(sum(dice.randint(1, int(found[2])) for _ in range(int(found[1] or 1))))


def _pattern_of(name: str) -> str:
    form = re.escape(name)
    has_case = name.lower() != name.upper()  # scripts without capitals set no spaces
    return rf"(?<!\w){form}(?!\w)" if has_case else form
