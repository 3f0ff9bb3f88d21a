"""How a character speaks, from the example talks and greetings of a card."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from gm.base.casefold import casefold

START = re.compile(r"^[ \t]*<START>[ \t]*", re.I | re.M)
_SPEAKER = re.compile(r"[ \t]*([^\n:]{1,100}):")


def split_talks(text: str) -> list[str]:
    """Return the example talks of a card, which begin with ``<START>``."""
    return [talk for part in START.split(text) if (talk := part.strip())]


def without_lines_of(name: str, others: Iterable[str], talk: str) -> str:
    """Return a talk without what one of its speakers says: from the name to the next line of another speaker.

    Args:
        name: Who is left out.
        others: Whose names begin a line as well.
    """
    left_out, known = casefold(name), {casefold(other) for other in others}
    return "\n".join(_kept(talk.split("\n"), left_out, known)).strip()


def voice(talks: Sequence[str], greetings: Sequence[str]) -> str:
    """Return samples of speech, with a line between two of them."""
    return "\n\n* * *\n\n".join(sample for sample in (*talks, *(item.strip() for item in greetings)) if sample)


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
