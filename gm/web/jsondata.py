"""Data for scripts, written so that no text in it can end the element or the statement in which it stands."""

from __future__ import annotations

import json

_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def js_value(value: object) -> str:
    """Write a value as JSON that is a JavaScript expression as well, in one line."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return text.translate(_ESCAPES)
