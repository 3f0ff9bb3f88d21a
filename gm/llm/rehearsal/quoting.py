"""Quotations that stay grammatical, slot values, tags."""

from __future__ import annotations

import re
from functools import lru_cache

from gm.base.casefold import UMLAUTS
from gm.base.languages import in_any_language

LONGEST_TAG = 32
_TITLES = sorted(in_any_language(lambda one: one.abbreviated_titles))
_SENTENCE = re.compile(rf"(?:\b(?:{'|'.join(_TITLES)})\.|[^.!?])+[.!?]*", re.IGNORECASE)
_NO_TITLE = "".join(rf"(?<!\b{title})" for title in _TITLES)
_STOPS = re.compile(rf"{_NO_TITLE}(?!\. [0-9])[.!?]+(?=\s|$|[»«\"“”')])", re.IGNORECASE)
_NOT_TAG = re.compile(r"[^a-z0-9]+")
_QUOTED = re.compile(r"[»“]([^»«“”]+)[«”]")
_NESTED = re.compile(r"»[^«]*›|“[^”]*‘")
_MARKS = set('»«›‹“”"')
TO_INNER = str.maketrans({"»": "›", "«": "‹", "„": "‚", "“": "‘", "”": "’", '"': "'"})
_INNER = (("›", "‹"), ("‘", "’"))
_ASCII = str.maketrans({**UMLAUTS, "ß": "ss", "é": "e", "è": "e", "á": "a", "ç": "c", "ñ": "n"})


def quote_sentences(text: str) -> list[str]:
    """Split a text after ``.``, ``!`` and ``?``, but not after an abbreviated title."""
    return [part.strip(" »«\"'") for part in _SENTENCE.findall(text) if part.strip(" .!?»«\"'")]


@lru_cache(maxsize=4096)
def to_slot(text: str, limit: int = 80) -> str:
    """Prepare a text for use inside a sentence: no full stops, inner quotation marks.

    Beyond ``limit`` it is cut at a clause, else at a word, with an ellipsis; a quotation that is cut is closed.
    """
    text = " ".join(text.split())
    if len(text) > 2 and text[0] in '»„“"' and text[-1] in '«“”"':
        text = text[1:-1]
    text = " – ".join(part.strip() for part in _STOPS.split(text) if part.strip()).translate(TO_INNER)
    if len(text) <= limit:
        return text
    cut = text[:limit]
    comma = max(cut.rfind(", "), cut.rfind("; "), cut.rfind(" – "), cut.rfind(": "))
    end = comma if comma >= limit // 3 else cut.rfind(" ")
    kept = text[: max(end, 1)].rstrip(" ,;:–") + " …"
    return kept + "".join(right for left, right in _INNER if kept.rfind(left) > kept.rfind(right))


def is_nested(text: str) -> bool:
    """Return whether a text quotes what quotes; quoted once more, its marks would repeat."""
    return _NESTED.search(text) is not None


def in_quotes(text: str) -> list[str]:
    """Return the innermost quoted texts."""
    return _QUOTED.findall(text)


def quotable(text: str) -> str:
    """Return the longest statement that can be quoted whole, or ""."""
    return max(quotables(text), key=len, default="")


def quotables(text: str, low: int = 12, high: int = 95) -> list[str]:
    """Return all statements that can be quoted whole."""
    if len(text) < low:
        return []
    return [
        to_slot(sentence, high)
        for sentence in quote_sentences(text)
        if low <= len(sentence) <= high and not sentence.endswith(("?", ":")) and not _MARKS & set(sentence)
    ]


def question_in(text: str, high: int = 110) -> str:
    """Return the last question without its mark, or ""."""
    found = [s for s in quote_sentences(text) if s.endswith("?") and len(s) <= high]
    return to_slot(found[-1], high) if found else ""


def to_tag(text: str) -> str:
    """Return a kebab-case ASCII tag of whole words; may be empty."""
    tag = _NOT_TAG.sub("-", text.lower().translate(_ASCII)).strip("-")
    if len(tag) <= LONGEST_TAG:
        return tag
    end = tag.rfind("-", 0, LONGEST_TAG + 1)
    return tag[: end if end > 0 else LONGEST_TAG]


def stems(text: str) -> set[str]:
    """Return the first five letters of longer words."""
    return {word[:5] for word in re.findall(r"\w{5,}", text.lower())}
