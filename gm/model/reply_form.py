"""What the forms of all replies share. A form is the schema that backends send along, and checks what comes back.

A reply carries no ids, no depth and no ``created``: those are the Game Master's. What models are told about its keys is
in ``reply.yaml`` of the prompts; a ``description`` here names a text there that several keys share.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic.json_schema import SkipJsonSchema

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
KeyWords = Annotated[list[Text], Field(description="tags")]


def no_truth(expected: str) -> BeforeValidator:
    """Refuse true and false: they are 1 and 0 in Python.

    It follows the bounds of a number: in a schema, bounds behind it are written with names that no server knows.
    """

    def refuse(value: object) -> object:
        if isinstance(value, bool):
            raise ValueError(f"expected {expected}")
        return value

    return BeforeValidator(refuse)


Importance = Annotated[int, Field(ge=1, le=10, description="importance"), no_truth("a whole number from 1 to 10")]
ShortText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]

# Providers limit how many keys of a schema may be optional, and how many may have several types. So keys that a reply
# may do without are asked for all the same, with an empty value for nothing; old answers lack them.


TextOrEmpty = Annotated[str, StringConstraints(strip_whitespace=True)]


class Form(BaseModel):
    """A part of a reply: frozen, what it does not know is ignored, and null is what a key that may be left out is."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _leave_out_nulls(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        fields = cls.model_fields
        return {
            key: value
            for key, value in data.items()
            if value is not None or key not in fields or fields[key].is_required()
        }


def ask_for(*names: str) -> ConfigDict:
    """Ask for keys in the schema that a reply may do without: providers limit how many keys may be optional."""
    return ConfigDict(json_schema_extra={"required": list(names)})


Share = Annotated[float, Field(ge=0, le=1), no_truth("a number from 0 to 1")]


class Facets(Form):
    """What makes a memory important; from it the Game Master computes how important it is."""

    goal_relevance: Share
    emotional_impact: Share
    novelty: Share


Weighed = SkipJsonSchema[Facets | None]
"""Facets stand in the schema only in a world that asks for them (``gm.model.importance_source``)."""
