"""Hold the data of a reply against its schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from gm.reply.extract import extract_object

Form = TypeVar("Form", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Parsed(Generic[Form]):
    """A reply in its strict form, or what is wrong with it.

    Attributes:
        reply: None when the text does not fit.
        problems: One sentence each, in words that can be shown to the one who replied.
        repairs: What was mended or ignored silently for the one who replied, but not for the record.
    """

    reply: Form | None
    problems: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()


def parse_reply(text: str, form: type[Form]) -> Parsed[Form]:
    """Turn the text of an answer into a reply.

    Args:
        text: Exactly what the model said.
        form: The reply that is expected.
    """
    found = extract_object(text)
    if found is None:
        shown = " ".join(text.split())[:80]
        return Parsed(None, (f"no JSON object found; the answer begins: {shown!r}",))
    ignored = tuple(f"unknown key ignored: {name}" for name in _unknown_keys(found.data, form))
    try:
        reply = form.model_validate(found.data)
    except ValidationError as error:
        return Parsed(None, tuple(_sentence(item) for item in error.errors()[:12]), found.repairs)
    return Parsed(reply, (), found.repairs + ignored)


def _unknown_keys(data: dict[str, Any], form: type[BaseModel]) -> list[str]:
    # JSON can name half a character ("\\ud800"), which no file can hold
    names = (str(key)[:60].encode("utf-8", "replace").decode() for key in data if key not in form.model_fields)
    return sorted(names)


def _sentence(item: Any) -> str:
    place = ".".join(str(part) for part in item["loc"]) or "reply"
    value = item.get("input")
    found = repr(value) if isinstance(value, str | int | float | bool) or value is None else type(value).__name__
    if item["type"] == "missing":
        return f"{place}: missing"
    return f"{place}: {item['msg']} (found: {found[:80]})"
