"""Take a text apart by its headings."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from gm.markup.clean import neutralise
from gm.markup.parse import parse_tokens, plain
from gm.model.fold import fold


def without_parts(text: str, titles: Collection[str]) -> str:
    """Leave out what stands under some headings, to the next heading of the same level or a higher one.

    Args:
        text: CommonMark.
        titles: The headings, as they read; case and the kind of spaces do not matter.

    Returns:
        The rest, line by line as it was.

    Raises:
        GmError: The package markdown-it-py is not installed.
    """
    wanted = {_key(title) for title in titles}
    kept, level = [], 0
    lines = neutralise(text).split("\n")
    at = 0
    tokens = parse_tokens(text)
    for token, inside in pairwise(tokens):
        if token.type != "heading_open" or token.map is None:
            continue
        if not level:
            kept += lines[at : token.map[0]]
        at = token.map[0]
        depth = int(token.tag[1:])
        if not level or depth <= level:
            level = depth if _key(plain(inside.children)) in wanted else 0
    return "\n".join(kept if level else [*kept, *lines[at:]])


def _key(title: str) -> str:
    return " ".join(fold(title).split()).rstrip(".:")
