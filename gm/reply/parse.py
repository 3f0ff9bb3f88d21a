"""Hold the data of a reply against its schema."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from gm.reply.extract import extract_object

Form = TypeVar("Form", bound=BaseModel)
MOST_PROBLEMS = 12
_UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


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


def parse_reply(
    text: str, form: type[Form], *, importance_required: bool = False, hidden: Collection[str] = ()
) -> Parsed[Form]:
    """Turn the text of an answer into a reply.

    Args:
        text: Exactly what the model said.
        form: The reply that is expected.
        importance_required: Whether a memory without importance is a problem.
        hidden: Keys of the form that nobody was asked for; they are ignored like unknown ones.
    """
    found = extract_object(text, form.model_fields)
    if found is None:
        shown = " ".join(text.split())[:80]
        return Parsed(None, (f"no JSON object found; the answer begins: {shown!r}",))
    given = {key: value for key, value in found.data.items() if key not in hidden}
    data, cleaned = clean_texts(given)
    repairs = (*found.repairs, *(("control characters removed",) if cleaned else ()))
    ignored = tuple(f"unknown key ignored: {name}" for name in _unknown_keys(found.data, form, hidden))
    parsed = validate_reply(data, form, repairs)
    lacking = tuple(_without_importance(parsed.reply)) if importance_required else ()
    if lacking:
        return Parsed(None, lacking[:MOST_PROBLEMS], repairs)
    return Parsed(parsed.reply, parsed.problems, parsed.repairs + (ignored if parsed.reply else ()))


def validate_reply(data: Any, form: type[Form], repairs: tuple[str, ...] = ()) -> Parsed[Form]:
    """Hold plain data against the form of a reply; ``repairs`` is how the data were found."""
    try:
        return Parsed(form.model_validate(data), (), repairs)
    except ValidationError as error:
        return Parsed(None, tuple(_sentence(item) for item in error.errors()[:MOST_PROBLEMS]), repairs)


def clean_texts(value: Any) -> tuple[Any, bool]:
    """Take characters out of all texts that no text needs: control characters and halves of surrogate pairs.

    Returns:
        The value without them, and whether there were any.
    """
    if isinstance(value, str):
        cleaned = _UNWANTED.sub("", value)
        return cleaned, cleaned != value
    if isinstance(value, list):
        items = [clean_texts(item) for item in value]
        return [item for item, _ in items], any(changed for _, changed in items)
    if isinstance(value, dict):
        pairs = {key: clean_texts(item) for key, item in value.items()}
        return {key: item for key, (item, _) in pairs.items()}, any(changed for _, changed in pairs.values())
    return value, False


def _without_importance(value: object, place: str = "") -> Iterator[str]:
    """Name each part of a reply that has room for an importance and leaves it out."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _without_importance(item, f"{place}.{number}")
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            inside = getattr(value, name)
            where = f"{place}.{name}".removeprefix(".")
            if name == "importance" and inside is None:
                yield f"{where}: missing"
            yield from _without_importance(inside, where)


def _unknown_keys(data: dict[str, Any], form: type[BaseModel], hidden: Collection[str]) -> list[str]:
    # JSON can name half a character ("\\ud800"), which no file can hold
    unknown = (key for key in data if key not in form.model_fields or key in hidden)
    names = (str(key)[:60].encode("utf-8", "replace").decode() for key in unknown)
    return sorted(names)


def _sentence(item: Any) -> str:
    place = ".".join(str(part) for part in item["loc"]) or "reply"
    value = item.get("input")
    found = repr(value) if isinstance(value, str | int | float | bool) or value is None else type(value).__name__
    if item["type"] == "missing" or value is None:
        return f"{place}: missing"
    return f"{place}: {item['msg']} (found: {found[:80]})"
