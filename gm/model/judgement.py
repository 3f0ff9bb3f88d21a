"""What a model answers that compares two texts."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from gm.model.reply_form import Form, ShortText
from gm.model.verdict import Better


class Judgement(Form):
    """A verdict on two texts as they were shown; the reason comes first."""

    reason: ShortText = Field(description="what decides it, in a sentence or two")
    better: Annotated[
        Better,
        BeforeValidator(lambda value: value.strip().lower() if isinstance(value, str) else value),
    ] = Field(description="first, second or tie")
