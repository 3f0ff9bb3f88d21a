"""Values that pages and forms are sent as texts."""

from __future__ import annotations

from collections.abc import Mapping

from gm.base.errors import UsageError
from gm.base.texts import is_digits
from gm.faces.web.site import Site
from gm.llm.providers import is_address

Fields = Mapping[str, str]
"""Values of a form by field name."""
CAST = "with-"
"""Prefix of the fields that say which characters take part."""
MOST_DAY = 9_999_999
LONGEST = 9
"""Digits of a number, at most."""


class FormError(UsageError):
    """A form that its page refuses, said in the words of the page."""

    kind = "form"


class LateFormError(FormError):
    """A form about what is over or gone by now."""


def number_in(text: str) -> int | None:
    """Return the number in a text; None if it is not one, or has more than ``LONGEST`` digits."""
    return int(text) if is_digits(text, LONGEST) else None


def cast_in(site: Site, fields: Fields) -> tuple[str, ...]:
    """Return the ids of the characters that were ticked."""
    return tuple(character.id for character in site.frame.cast if fields.get(CAST + character.id))


def model_in(site: Site, fields: Fields) -> str:
    """Return the model that is written in a form, else the chosen one; empty = as the world says.

    Raises:
        FormError: It is not a name of a model.
    """
    model = (fields.get("typed", "").strip() or fields.get("model", "")).strip()
    if is_address(model) or (model and not model.isprintable()):
        raise FormError(site.words("stage.wrong.address"), site.words("stage.wrong.address_hint"))
    return model


def day_in(site: Site, fields: Fields, name: str) -> int | None:
    """Return the day in a field; None if it is empty.

    Raises:
        FormError: It is not a day.
    """
    text = fields.get(name, "").strip()
    day = number_in(text)
    if text and (day is None or day > MOST_DAY):
        raise FormError(site.words("edit.wrong.day"))
    return day
