"""How much of a reply is taken: so many items of a list, so many characters of a text. The rest stays in the trace."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from gm.config import ReplySettings

BODY = "body"


def bound_reply(data: Mapping[str, Any], limits: ReplySettings) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Leave out what is over the limits: of lists the last items, of texts their ends.

    Returns:
        The data, and one sentence for each list and each text of which something was left out.
    """
    over: list[str] = []
    return {key: _bounded(value, key, limits, over) for key, value in data.items()}, tuple(over)


def _bounded(value: Any, place: str, limits: ReplySettings, over: list[str]) -> Any:
    if isinstance(value, str):
        name = "most_body_characters" if place.endswith(f".{BODY}") else "most_characters"
        most = getattr(limits, name)
        if len(value) > most:
            over.append(f"{place}: {len(value)} characters, the first {most} are taken (reply.{name})")
        return value[:most]
    if isinstance(value, list | dict):
        most = limits.most_items
        if len(value) > most:
            over.append(f"{place}: {len(value)} items, the first {most} are taken (reply.most_items)")
        if isinstance(value, list):
            return [_bounded(item, f"{place}.{number}", limits, over) for number, item in enumerate(value[:most])]
        return {key: _bounded(item, f"{place}.{key}", limits, over) for key, item in islice(value.items(), most)}
    return value
