"""Remove deceptive or invalid characters."""

from __future__ import annotations

import json
import re

_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_BROKEN = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_UNSEEN = re.compile(
    "[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_JOINER = re.compile("(?<![\u0590-\U0010ffff])[\u200c\u200d]|[\u200c\u200d](?![\u0590-\U0010ffff])")
_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def neutralise(text: str) -> str:
    r"""Return a text without deceptive or invalid characters.

    Line ends become LF; what XML forbids (controls, NUL, lone surrogates) becomes the replacement character. Direction
    overrides, zero-width characters and tags are removed; joiners stay inside emoji and scripts that need them.
    """
    text = _LINE_ENDS.sub("\n", text)
    text = _BROKEN.sub("\N{REPLACEMENT CHARACTER}", text)
    return _JOINER.sub("", _UNSEEN.sub("", text))


def neutral_line(text: str) -> str:
    """Neutralise a text and put it on one line."""
    return " ".join(neutralise(text).split())


def js_value(value: object) -> str:
    """Return a value as JSON that is safe inside HTML and JavaScript."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).translate(_ESCAPES)
