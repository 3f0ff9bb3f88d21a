"""Character Cards V1, V2 and V3 as values; invalid fields are left out and named, unknown ones kept.

Source:
    malfoyslastname/character-card-spec-v2 (V1, V2), kwaroran/character-card-spec-v3 (V3).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from gm.api.imports import png
from gm.api.imports.books import MOST_CHARACTERS
from gm.api.imports.fields import clean_line
from gm.base.errors import UsageError
from gm.base.texts import CONTROLS
from gm.base.untyped import text_or_null_as_list

V2, V3 = "chara_card_v2", "chara_card_v3"
NEWEST = 3.0
Version = Literal["V1", "V2", "V3"]
FIELDS_V1 = ("name", "description", "personality", "scenario", "first_mes", "mes_example")
FIELDS_BEFORE = {
    "char_name": "name",
    "char_persona": "description",
    "world_scenario": "scenario",
    "char_greeting": "first_mes",
    "example_dialogue": "mes_example",
}
"""Fields of Pygmalion and TavernAI, as those of V1 that they became."""
EMPTY_V3: Mapping[str, object] = {
    "scenario": "",
    "first_mes": "",
    "creator_notes": "",
    "system_prompt": "",
    "post_history_instructions": "",
    "alternate_greetings": [],
    "tags": [],
    "creator": "",
    "character_version": "",
    "extensions": {},
    "group_only_greetings": [],
}
"""Fields that V3 wants, and that an older card or a world may not have."""
ICON = "icon"
INSIDE = ("embeded://", "embedded://", "__asset:")
"""Beginnings of a URI that names a file of the archive; the first one is what V3 says."""
DEFAULT = "ccdefault:"
_DATA = re.compile(r"data:[^,]{0,100};base64,", re.I)


# some programs write null for nothing
Text = Annotated[
    str,
    Field(strict=True, max_length=MOST_CHARACTERS),
    BeforeValidator(lambda value: "" if value is None else value),
]
Texts = Annotated[
    list[Annotated[str, Field(strict=True, max_length=MOST_CHARACTERS)]], BeforeValidator(text_or_null_as_list)
]
Object = Annotated[dict[str, object], BeforeValidator(lambda value: {} if value is None else value)]


class Asset(BaseModel):
    """A file that belongs to a card."""

    model_config = ConfigDict(extra="allow")

    type: str = ""
    uri: str = ""
    name: str = ""
    ext: str = ""


class Card(BaseModel):
    """A card of any version; fields it lacks are empty."""

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
    """Return the version of a card, judged by its keys; None = no card."""
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
    return "V1" if spec is None and "char_name" in data and len(FIELDS_BEFORE.keys() & data.keys()) >= 2 else None


def fields_of(data: Mapping[str, object]) -> Mapping[str, object]:
    """Return the object with a card's fields: in V1 the card itself, else ``data``."""
    inner = data.get("data")
    if version_of(data) != "V1":
        return inner if isinstance(inner, Mapping) else data
    return {**{new: data[old] for old, new in FIELDS_BEFORE.items() if old in data}, **data}


def read_card(data: Mapping[str, object], shown: str) -> tuple[Card, list[tuple[str, str]]]:
    """Return a card, and its unreadable fields with reasons.

    Raises:
        UsageError: It has no name.
    """
    fields = dict(fields_of(data))
    if version_of(data) == "V1":  # V1 has no other fields: what else is called so is something else
        fields = {key: value for key, value in fields.items() if key in FIELDS_V1}
    wrong: list[tuple[str, str]] = []
    for key in [key for key in fields if CONTROLS.search(key)]:  # lone surrogates among them
        del fields[key]
        wrong.append((clean_line(key), "its name is not a text"))
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


def find_portrait(assets: Sequence[Asset], files: Mapping[PurePosixPath, bytes]) -> tuple[bytes, list[tuple[str, str]]]:
    """Return a card's picture without text chunks (empty = none), and assets left aside. Fetches nothing."""
    left: list[tuple[str, str]] = []
    picture = b""
    for asset in sorted(assets, key=lambda asset: asset.name != "main"):
        shown = f"asset {asset.name[:60] or asset.type[:60]}"
        if asset.uri.startswith(DEFAULT):
            continue
        if asset.uri.lower().startswith(("http:", "https:")):
            left.append((shown, "it lies on the network, from where nothing is fetched"))
        elif asset.type != ICON or picture:
            left.append((shown, f"of the type {asset.type[:60]}, one picture is taken, the icon"))
        else:
            picture, why = _picture(asset, files)
            left += [(shown, why)] if why else []
    return picture, left


def _is_newer(version: object) -> bool:
    try:
        return float(str(version)) > NEWEST
    except ValueError:
        return False


def _picture(asset: Asset, files: Mapping[PurePosixPath, bytes]) -> tuple[bytes, str]:
    data = _data_of(asset.uri, files)
    if data is None:
        return b"", "there is no such file in it"
    try:
        return png.without_texts(data), ""
    except ValueError as error:
        return b"", f"it cannot be taken as a picture: {error}"


def _data_of(uri: str, files: Mapping[PurePosixPath, bytes]) -> bytes | None:
    if inside := _DATA.match(uri):
        try:
            return base64.b64decode(uri[inside.end() :], validate=True)
        except (binascii.Error, ValueError):
            return None
    beginning = next((mark for mark in INSIDE if uri.startswith(mark)), None)
    return files.get(PurePosixPath(uri.removeprefix(beginning))) if beginning else None
