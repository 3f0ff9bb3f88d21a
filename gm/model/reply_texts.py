"""What models are told about the keys of replies, in one language (``reply.yaml`` of the prompts)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Said = str | Mapping[str, str]
"""A text, or what values mean, of which those are told that are asked for; empty = the key says it."""
Faults = list[tuple[tuple[str, ...], str]]
FORM, VALUES = "form", "values"
"""The key of what a form is as a whole; the section of texts that several keys share (``reply_form``)."""


@dataclass(frozen=True, slots=True, eq=False)
class ReplyTexts:
    """Texts by form and key; equal to themselves alone, so that schemas are made once for them."""

    by_form: Mapping[str, Mapping[str, Said]] = field(default_factory=dict)

    def tell(self, form: type, key: str, values: object = None) -> str:
        """Return what is said of a key, by a form or by one that it extends; ``values``: those that are asked for."""
        known = (self.by_form.get(base.__name__, {}) for base in form.__mro__)
        said = next((texts[key] for texts in known if key in texts), "")
        if isinstance(said, str):
            return said
        wanted = values if isinstance(values, list) else said
        return "; ".join(f"{value} = {meaning}" for value, meaning in said.items() if value in wanted)


NO_TEXTS = ReplyTexts()
"""For a schema of which only the keys are read."""


def parse_reply_texts(data: object) -> tuple[dict[str, dict[str, Said]], Faults]:
    """Return texts by form and key, and what is wrong in their file: the keys that lead to it, and a sentence."""
    faults: Faults = []
    texts = {
        form: {key: _said(said, (form, key), faults) for key, said in _by_key(keys, (form,), faults).items()}
        for form, keys in _by_key(data, (), faults).items()
    }
    return texts, faults


def _by_key(data: object, place: tuple[str, ...], faults: Faults) -> dict[str, object]:
    if isinstance(data, dict):
        return {str(key): value for key, value in data.items()}
    if data is not None:
        faults.append((place, f"found {type(data).__name__}, expected texts by {'key' if place else 'form and key'}"))
    return {}


def _said(value: object, place: tuple[str, ...], faults: Faults) -> Said:
    if isinstance(value, dict) and len(place) == 2 and VALUES not in place:
        return {str(one): str(_said(meaning, (*place, str(one)), faults)) for one, meaning in value.items()}
    if isinstance(value, dict | list):
        faults.append((place, f"found {type(value).__name__}, expected a text"))
        return ""
    return "" if value is None else str(value).strip()
