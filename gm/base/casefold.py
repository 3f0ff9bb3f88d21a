"""Compare text regardless of case and Unicode form."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

UMLAUTS = {"ä": "ae", "ö": "oe", "ü": "ue"}
"""Small umlauts, spelled out; case folding spells out ß."""


_SPELLED_OUT = str.maketrans(UMLAUTS)


_LATIN = "".join(map(chr, range(256)))


_LOWER = "".join(one.lower() if one != "µ" else one for one in _LATIN).encode("latin-1", "replace")


_SPELLINGS = tuple((one.encode("latin-1"), spelled.encode()) for one, spelled in {**UMLAUTS, "ß": "ss"}.items())


_MICRO = b"\xb5"


def composed(text: str) -> str:
    """Return a text in composed Unicode (NFC)."""
    return unicodedata.normalize("NFC", text)


@lru_cache(maxsize=8192)
def casefold(text: str) -> str:
    """Return a text for comparison: NFC, case folded, stripped."""
    if text.isascii():
        return text.lower().strip()
    folded = composed(text).casefold()
    # case folding can leave a letter and its accent apart again
    return composed(folded).strip()


def casefold_tag(tag: str) -> str:
    """Return a tag for comparison: case folded, hyphens for spaces."""
    return "-".join(casefold(tag).split())


def search_key(text: str) -> str:
    """Return a text for searching: umlauts spelled out (``Tuerme`` for ``Türme``)."""
    return " ".join(casefold(text).translate(_SPELLED_OUT).split())


@lru_cache(maxsize=8192)
def plain_spellings(name: str) -> frozenset[str]:
    """Return the case-folded spellings of a name without accents: ``jürgen`` is written ``jurgen`` or ``juergen``."""
    apart = unicodedata.normalize("NFD", casefold(name))
    return frozenset({"".join(one for one in apart if not unicodedata.combining(one)), search_key(name)})


def casefold_all(texts: Iterable[str]) -> list[str]:
    """Case fold texts that rarely repeat, without a cache."""
    return [text.lower().strip() if text.isascii() else casefold.__wrapped__(text) for text in texts]


def casefold_lines(texts: str) -> str:
    """Apply ``search_key`` to many lines at once; spaces stay."""
    if (quick := _fold_quickly(texts)) is not None:
        return quick
    lines = texts.split("\n")
    if len(lines) == 1:
        return spell_out(texts)
    return "\n".join(map(casefold_lines, lines))


def _fold_quickly(texts: str) -> str | None:
    """Fold Latin-1 bytes, five times as fast as Unicode; None for other text."""
    if texts.isascii():
        return texts.lower()
    try:
        data = texts.encode("latin-1")
    except UnicodeEncodeError:
        return None
    if _MICRO in data:  # its small letter is Greek
        return None
    data = data.translate(_LOWER)
    for letter, spelled in _SPELLINGS:
        data = data.replace(letter, spelled)
    return data.decode("latin-1")


def spell_out(text: str) -> str:
    """Return a text case folded, umlauts spelled out; spaces stay."""
    folded = composed(composed(text).casefold())
    for letter, spelled in UMLAUTS.items():  # faster than to translate
        folded = folded.replace(letter, spelled)
    return folded


def is_named(name: str, names: Iterable[str]) -> bool:
    """Return whether a name is among others, case folded."""
    wanted = casefold(name)
    return any(casefold(other) == wanted for other in names)


def says(text: str, part: str) -> bool:
    """Return whether a text contains another's words in order, quotation marks aside."""
    return f" {_join_words(part)} " in f" {_join_words(text)} "


@lru_cache(maxsize=512)
def _join_words(text: str) -> str:
    return " ".join(re.findall(r"\w+", casefold(text)))
