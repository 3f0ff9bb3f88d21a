"""Compare names, tags and words the way a person does: case and Unicode form make no difference."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


@lru_cache(maxsize=8192)
def fold(text: str) -> str:
    """Bring a text into the form in which it is compared: NFC, case folded, no outer space."""
    if text.isascii():
        return text.lower().strip()
    folded = unicodedata.normalize("NFC", text).casefold()
    # case folding can leave a letter and its accent apart again
    return unicodedata.normalize("NFC", folded).strip()


def search_key(text: str) -> str:
    """Bring a text into the form in which it is searched: folded, umlauts spelled out (``Türme`` is ``Tuerme``)."""
    return " ".join(fold(text).translate(_SPELLED_OUT).split())


def fold_lines(texts: str) -> str:
    """Bring many lines at once into the form in which they are searched, as ``search_key`` does; spaces stay."""
    if texts.isascii():
        return texts.lower()
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", texts).casefold())
    return folded.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")


def is_named(name: str, names: Iterable[str]) -> bool:
    """Tell whether a name is among others."""
    wanted = fold(name)
    return any(fold(other) == wanted for other in names)
