"""Parts of replies that layers of mind ask for, each only while its layer is on."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from gm.base.untyped import as_list, text_or_null_as_list
from gm.model.mind import GoalReported, OfLayer, SoulKind
from gm.model.reply_form import Form, ShortText, Text, ask_for


# Trust is the new value and no difference: a value that is said twice, in two turns or by a command that is run again,
# is the same value; and small differences, which models tend to give one sign, would add up to the end of the range.
class Regard(Form):
    """What the character thinks of somebody from now on. What is empty stays as it was."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        populate_by_name=True,
        json_schema_extra={"required": ["with", "type", "trust", "tone", "why", "notes"]},
    )

    other: Text = Field(alias="with")
    type: str = ""
    trust: float = Field(default=0.0, allow_inf_nan=False)
    tone: str = ""
    why: str = ""
    notes: str = ""

    @model_validator(mode="before")
    @classmethod
    def _nothing_is_unchanged(cls, data: object) -> object:
        """Null is how some say that a value stays as it is."""
        return {key: value for key, value in data.items() if value is not None} if isinstance(data, dict) else data

    @property
    def says_trust(self) -> bool:
        return "trust" in self.model_fields_set


def _page_lines(value: object) -> object:
    if isinstance(value, dict):
        lists = [(key, as_list(items)) for key, items in value.items()]
        return [{"key": key, "text": "" if text is None else text} for key, texts in lists for text in texts]
    return [] if value is None or isinstance(value, str) else value


def _read_singular(value: object) -> object:
    """A kind of a soul's entry may be named as its list is: ``beliefs``."""
    return value.strip().lower().removesuffix("s") if isinstance(value, str) else value


class SoulText(Form):
    """One sentence for the soul."""

    kind: Annotated[SoulKind, BeforeValidator(_read_singular)]
    text: ShortText


class SoulEdit(Form):
    """What somebody changes in its soul: as a rule nothing."""

    model_config = ask_for("add", "remove")

    add: list[SoulText] = Field(default_factory=list)
    remove: list[Text] = Field(default_factory=list)


class PageEntry(Form):
    """One line of the page of working memory."""

    key: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]
    text: Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000)]


class MemoryRequest(Form):
    """A request to another character for memories."""

    model_config = ask_for("to", "about")

    to: Text
    about: list[Text] = Field(default_factory=list)


class MemoryAnswer(Form):
    """The answer to a character who has asked for memories."""

    model_config = ask_for("to", "share")

    to: Text
    share: bool


class GoalReport(Form):
    """What came of a goal, or a new one."""

    model_config = ask_for("id", "event", "text")

    id: str = ""
    event: Literal["new", GoalReported]
    text: ShortText


def _no_page(value: object) -> object:
    return {} if value is None or isinstance(value, str) else value


NowLines = Annotated[list[str], BeforeValidator(text_or_null_as_list)]


class NowEntry(Form):
    """What occupies a character, and what it has come to think."""

    model_config = ask_for("occupies", "thinks")

    occupies: NowLines = Field(default_factory=list)
    thinks: NowLines = Field(default_factory=list)


SoulLayer = Annotated[SoulEdit, BeforeValidator(lambda value: {} if value is None else value), OfLayer("soul")]
PageLayer = Annotated[list[PageEntry], BeforeValidator(_page_lines), OfLayer("working")]
NowLayer = Annotated[NowEntry, BeforeValidator(_no_page), OfLayer("now")]
