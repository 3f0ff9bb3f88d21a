"""Character Cards V1, V2 and V3 as values; what a card says wrongly is left out and named, what is unknown is kept.

Source:
    malfoyslastname/character-card-spec-v2 (V1, V2), kwaroran/character-card-spec-v3 (V3).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from gm.api.imports.books import MOST_CHARACTERS
from gm.base.errors import UsageError

V2, V3 = "chara_card_v2", "chara_card_v3"
NEWEST = 3.0
Version = Literal["V1", "V2", "V3"]
FIELDS_V1 = ("name", "description", "personality", "scenario", "first_mes", "mes_example")
M = TypeVar("M", bound=BaseModel)


def _text(value: object) -> object:
    """V1 says that no text is null; some programs write it all the same."""
    return "" if value is None else value


def _list(value: object) -> object:
    return [] if value is None else [value] if isinstance(value, str) else value


def _object(value: object) -> object:
    return {} if value is None else value


Text = Annotated[str, BeforeValidator(_text), Field(strict=True, max_length=MOST_CHARACTERS)]
Texts = Annotated[list[Annotated[str, Field(strict=True, max_length=MOST_CHARACTERS)]], BeforeValidator(_list)]
Object = Annotated[dict[str, object], BeforeValidator(_object)]


class Asset(BaseModel):
    """A file that belongs to a card."""

    model_config = ConfigDict(extra="allow")

    type: str = ""
    uri: str = ""
    name: str = ""
    ext: str = ""


class Card(BaseModel):
    """What any version of a card may hold; the fields that a version does not have are empty."""

    model_config = ConfigDict(extra="allow")

    name: Text = ""
    description: Text = ""
    personality: Text = ""
    scenario: Text = ""
    first_mes: Text = ""
    mes_example: Text = ""
    creator_notes: Text = ""
    system_prompt: Text = ""
    post_history_instructions: Text = ""
    alternate_greetings: Texts = []
    character_book: dict[str, object] | None = None
    tags: Texts = []
    creator: Text = ""
    character_version: Text = ""
    extensions: Object = {}
    assets: list[Asset] = []
    nickname: Text = ""
    group_only_greetings: Texts = []


def version_of(data: object) -> Version | None:
    """Return which version of the format a document has, judged by its keys; None = it is no card."""
    if not isinstance(data, Mapping):
        return None
    inner = data.get("data")
    spec = data.get("spec")
    if isinstance(inner, Mapping) and spec in (V2, V3):
        return "V3" if spec == V3 else "V2"
    if spec is None and isinstance(inner, Mapping) and {"name", "description", "first_mes"} <= inner.keys():
        return "V2"
    own = {"personality", "scenario", "first_mes", "mes_example"}
    if spec is None and "name" in data and len(own & data.keys()) >= 2 and "entries" not in data:
        return "V1"
    return None


def fields_of(data: Mapping[str, object]) -> Mapping[str, object]:
    """Return the object of a card that holds its fields: in V1 the card itself, else its ``data``."""
    inner = data.get("data")
    return inner if version_of(data) != "V1" and isinstance(inner, Mapping) else data


def read_card(data: Mapping[str, object], shown: str) -> tuple[Card, list[tuple[str, str]]]:
    """Return a card, and what of it cannot be read, with reasons.

    Raises:
        UsageError: It has no name.
    """
    fields = dict(fields_of(data))
    if version_of(data) == "V1":  # V1 has no other fields: what else is called so is something else
        fields = {key: value for key, value in fields.items() if key in FIELDS_V1}
    wrong: list[tuple[str, str]] = []
    spec_version = data.get("spec_version")
    if version_of(data) == "V3" and _is_newer(spec_version):
        wrong.append(("spec_version", f"{spec_version} is newer than {NEWEST}: what is new in it is kept, not read"))
    try:
        card = Card.model_validate(fields)
    except ValidationError as error:
        for item in error.errors(include_url=False, include_input=False):
            key = str(item["loc"][0])
            if fields.pop(key, None) is not None:
                wrong.append((key, f"it is not as the format has it: {item['msg']}"))
        card = Card.model_validate(fields)
    if not card.name.strip():
        raise UsageError(f"{shown}: the card has no name", "write one into it, or name another file")
    return card, wrong


def _is_newer(version: object) -> bool:
    try:
        return float(str(version)) > NEWEST
    except ValueError:
        return False
