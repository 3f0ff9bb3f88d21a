"""What a model answers that compares two texts."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from gm.model.reply_form import Form, ShortText
from gm.model.verdict import Better


class Judgement(Form):
    """A verdict on two texts as they were shown; the reason comes first."""

    reason: ShortText
    better: Annotated[
        Better,
        BeforeValidator(lambda value: value.strip().lower() if isinstance(value, str) else value),
    ]
