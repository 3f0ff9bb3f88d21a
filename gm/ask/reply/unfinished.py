"""What is said aloud in an answer still arriving."""

from __future__ import annotations

import json
import re

from gm.base.texts import CONTROLS

SPOKEN = (("dialogue", "text"), ("answer",))
"""Keys of a reply, from its outermost object on, under which spoken words stand."""
_TOKEN = re.compile(r'"(?P<text>[^"\\]*(?:\\.[^"\\]*)*)(?:"|\\?\Z)|[{}\[\],]', re.S)
_THOUGHT = re.compile(r"\A\s*<think>.*?(?:</think>|\Z)", re.S)
LONGEST_ESCAPE = 6


def spoken_so_far(text: str) -> str:
    """Return the spoken lines of a JSON reply's beginning, one a line; empty while there are none.

    All else is left out, also a reply in another form.
    """
    text = _THOUGHT.sub("", text, count=1)
    lines: list[str] = []
    keys: list[str | None] = []  # of the open objects: None = a key comes next; "" = a list
    for token in _TOKEN.finditer(text, max(0, text.find("{"))):
        sign, said = token[0], token["text"]
        if said is not None:
            if keys and keys[-1] is None:
                keys[-1] = _decode(said)
            elif tuple(filter(None, keys)) in SPOKEN:
                lines.append(_decode(said).strip())
        elif sign in "{[":
            keys.append(None if sign == "{" else "")
        elif sign == "," and keys and keys[-1]:
            keys[-1] = None
        elif sign in "]}" and keys:
            keys.pop()
            if lines and not keys:
                break  # what follows the reply is not a part of it
    return "\n".join(filter(None, lines))


def _decode(said: str) -> str:
    # An escape that has not arrived whole is left out.
    for end in range(len(said), max(-1, len(said) - LONGEST_ESCAPE), -1):
        try:
            return CONTROLS.sub("", json.loads(f'"{said[:end]}"', strict=False))
        except ValueError:
            continue
    return ""
