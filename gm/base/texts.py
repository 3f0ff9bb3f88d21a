"""Texts as messages and prompts hold them: quoted, counted, without control characters, and cut."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from gm.base.errors import say

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff"
CONTROLS = re.compile(f"[{_CONTROLS}]")
"""Control characters other than tab and line feed, and lone surrogates."""
UNSAFE_CONTROLS = re.compile(f"[{_CONTROLS}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""``CONTROLS``, line separators and direction marks, which alter a terminal's output."""

LEFT_OUT = "[…]"
"""Stands in an excerpt for what is left out."""

# compiled where they are used: most commands cut no sentence
_HEAD_END = r"(?:[;:!?…]|(?<!\b[^\W\d_])\.(?! [0-9]))[»«“”\"']*(?= |\Z)"
"""Not the full stops of ``Nr. 2`` and ``z. B.``."""
_SENTENCE_END = r"(?:[!?…]|(?<!\b[^\W\d_])(?<!\d)\.)[»«“”\"')*_]*(?=\s|\Z)|(?<=\S)(?= · )"
"""Also the end of a cell; not the full stops of ``am 2. März`` and ``z. B.``."""
_MARK = rf"{_SENTENCE_END}|\*+(?![\s*])|(?<=[^\s*])\*+|\n"
"""The end of a sentence, or what opens or closes an action ``*…*``, or the end of a line."""


CONFLICT = "an unresolved merge conflict: both versions stand here"
MERGE_ANEW = "git merge --abort; gm git-setup; git pull --no-rebase"
"""How days that were played apart are merged where git did not know how."""
CONFLICT_HINT = "keep what is right, and delete the lines that begin with <<<<<<<, ======= and >>>>>>>"


def is_conflict_mark(line: str) -> bool:
    """Return whether git writes this line around the versions of a conflict."""
    return line.startswith(("<<<<<<< ", "||||||| ", ">>>>>>> ")) or line.rstrip() == "======="


def find_conflict(text: str) -> int:
    """Return the line, from 1, on which the first complete conflict of a merge begins; 0 = there is none."""
    begin, is_divided = 0, False
    for number, line in enumerate(text.split("\n") if "<<<<<<< " in text else (), 1):
        if line.startswith("<<<<<<< "):
            begin, is_divided = number, False
        elif begin and line.rstrip() == "=======":
            is_divided = True
        elif is_divided and line.startswith(">>>>>>> "):
            return begin
    return 0


def clip(text: str, width: int = 60) -> str:
    """Shorten a text to ``width`` characters, ellipsis included."""
    return text if len(text) <= width else f"{text[: max(0, width - 1)]}…"


def clip_line(text: str, width: int) -> str:
    """Shorten a text to one line of at most ``width`` characters, without white space before the ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= width else f"{line[: max(0, width - 1)].rstrip()}…"


def shorten_at_word(text: str, most: int) -> str:
    """Return one line, cut at a space to at most ``most`` characters and an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[:most].rsplit(" ", 1)[0].rstrip(" ,;:") + " …"


def cut_at_sentence(text: str, most: int) -> str:
    """Return the first sentences, of at most ``most`` characters; empty where the first is longer.

    A sentence goes on where a small letter follows. Actions ``*…*`` and rows of a table are not divided.
    """
    if len(text) <= most:
        return text
    return text[: max((end for end in _sentence_ends(text[: most + len(" · ")]) if end <= most), default=0)]


def sentences_in(text: str) -> list[str]:
    """Return the sentences of a text, each as one line."""
    line = " ".join(text.split())
    ends = [0, *_sentence_ends(line), len(line)]
    return [part for start, end in pairwise(ends) if (part := line[start:end].strip())]


def last_sentences(text: str, most: int) -> str:
    """Return the last sentences as one line of at most ``most`` characters; empty where the last is longer."""
    kept = list[str]()
    for part in reversed(sentences_in(text)):
        if len(part) > most:
            break
        kept.append(part)
        most -= len(part) + 1
    return " ".join(reversed(kept))


def _sentence_ends(text: str) -> Iterator[int]:
    in_row, in_action = text.startswith("|"), False
    for found in re.finditer(_MARK, text):
        mark, end = found.group(), found.end()
        in_action ^= "*" in mark
        if mark == "\n":
            in_row, in_action = text.startswith("|", end), False
        elif not mark.startswith("*") and not in_row and not in_action and not text[end : end + 2].strip().islower():
            yield end


def shorten_at_sentence(text: str, most: int) -> str:
    """Return one line of whole sentences, of at most ``most`` characters and a mark of what is left out.

    Where the first sentence is longer, it is cut as by ``shorten_at_word``.
    """
    line = " ".join(text.split())
    kept = cut_at_sentence(line, most)
    return line if kept == line else f"{kept} {LEFT_OUT}" if kept else shorten_at_word(line, most)


def split_paragraphs(text: str) -> list[str]:
    """Split a text at empty lines; each paragraph becomes one line."""
    return [line for part in re.split(r"\n\s*\n", text) if (line := " ".join(part.split()))]


def first_sentences(text: str, most: int) -> str:
    """Return the first sentences as one line of at most ``most`` characters.

    A longer first one is whole up to twice that length, else cut as by ``shorten_at_word``.
    """
    line = " ".join(text.split())
    first = line[: next(_sentence_ends(line), None)]
    return cut_at_sentence(line, most) or (first if len(first) <= 2 * most else shorten_at_word(first, most))


def head_of(text: str) -> str:
    """Return the first sentence as one line, up to a colon or a semicolon, without the mark at its end."""
    line = " ".join(text.split())
    found = (end.start() for end in re.finditer(_HEAD_END, line))
    return next((line[:end] for end in found if line.count("(", 0, end) <= line.count(")", 0, end)), line)


def quoted(value: object) -> str:
    """Quote a value as JSON on one line of at most 60 characters."""
    try:
        return clip(json.dumps(value, ensure_ascii=False, default=str))
    except TypeError:  # a key that JSON does not have, such as a date of YAML
        return clip(str(value))


def is_digits(text: str, most: int = 18) -> bool:
    """Return whether a text consists of 1 to ``most`` ASCII digits."""
    return text.isascii() and text.isdigit() and len(text) <= most


def one_line(text: str) -> str:
    """Collapse white space and unprintable characters to single spaces."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def counted(number: int, one: str, several: str = "") -> str:
    """Return a count in words: ``1 memory``, ``2 memories``, ``1,234 days``; ``several`` is an irregular plural."""
    plural = several or (f"{one[:-1]}ies" if one.endswith("ry") else f"{one}s")
    return f"{number:,} {one if number == 1 else plural}"


def end_sentence(text: str) -> str:
    """Return a text with a full stop behind it, unless it ends as a sentence does; an empty one stays empty."""
    return text if not text or text.rstrip("»«”“’\"'")[-1:] in tuple(".!?…") else f"{text}."


def unquoted(text: str) -> str:
    """Return a text without the quotes around it."""
    return text.strip("`» «")


def suggest(name: str, known: Iterable[str]) -> str:
    """Return a hint for an unknown name: the closest known one, or all."""
    names = list(known)
    return suggest_close(name, names) or say("there are: {names}", ", ".join(names))


def suggest_close(name: str, known: Iterable[str]) -> str:
    """Return a hint for an unknown name: the closest known one; empty if none is close."""
    from difflib import get_close_matches

    near = get_close_matches(name[:60], list(known), n=1)
    return say("did you mean {name}?", near[0]) if near else ""
