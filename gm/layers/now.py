"""A character's page "now": what occupies it, and what it has come to think.

Written in the evening, and shown after the persona, in place of the sentences that hold only until it exists
(``until_now``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gm.base.casefold import casefold
from gm.base.config import kinds
from gm.base.texts import shorten_at_word
from gm.base.untyped import as_list
from gm.layers import declare
from gm.layers.rules import LINE_CHARACTERS, Finding, LayerFiles, by_form
from gm.model.record import Key, Record

if TYPE_CHECKING:
    from gm.model.layer_replies import NowEntry

DAY = "day"
LISTS = {"occupies": 3, "thinks": 4}
"""The lists of a page, each with the most lines that are written and shown."""


@dataclass(frozen=True, slots=True)
class Now:
    """The contents of ``state/now/<name>.yaml``.

    Attributes:
        day: Story day on whose evening it was written; 0 where the file does not say.
    """

    day: int = 0
    occupies: tuple[str, ...] = ()
    thinks: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.occupies or self.thinks)


def _parse(data: Mapping[str, object]) -> Now:
    day = data.get(DAY)
    found = {key: tuple(_lines(data.get(key))) for key in LISTS}
    return Now(day if type(day) is int and day > 0 else 0, **found)


def _lines(value: object) -> Iterator[str]:
    for item in as_list(value):
        if isinstance(item, str) and item.strip():
            yield " ".join(item.split())


def _write(data: Mapping[str, object], now: Now) -> list[declare.Keys]:
    before = _parse(data)
    new = {key: getattr(now, key) for key in (DAY, *LISTS) if getattr(now, key) != getattr(before, key)}
    return [
        declare.Keys(tuple(new), {key: list(value) if key in LISTS else value for key, value in new.items() if value})
    ]


def _fold(played: declare.PlayedScene, now: Now) -> declare.Folded[Now]:
    # The last page counts, as it is always written whole. A page without lines changes nothing.
    new, warnings = now, list[str]()
    for entry in played.said:
        page, left_out = _read(entry)
        if not page.is_empty:
            new, warnings = Now(played.scene.ref.day, page.occupies, page.thinks), left_out
    return declare.Folded(new if new != now else None, warnings)


def _read(entry: NowEntry) -> tuple[Now, list[str]]:
    found, warnings = dict[str, tuple[str, ...]](), list[str]()
    for key, most in LISTS.items():
        lines = {casefold(line): shorten_at_word(line, LINE_CHARACTERS) for line in _lines(getattr(entry, key))}
        found[key] = tuple(lines.values())[:most]
        if len(lines) > most:
            warnings.append(f"now: room for {most} lines under {key}; {len(lines) - most} were left out")
    return Now(0, **found), warnings


def _yield(before: Now, now: Now, change: Now) -> tuple[Now, list[declare.KeptValue]]:
    # An edited page stays as a whole, because its lines belong together.
    if before == now:
        return change, []
    pairs = ((key, getattr(change, key), getattr(now, key)) for key in LISTS)
    return now, [declare.KeptValue(key, ours, theirs) for key, ours, theirs in pairs if ours != theirs]


def _show(_shown: declare.ShownMoment, now: Now) -> dict[str, object] | None:
    if now.is_empty:
        return None
    lists = {
        key: [shorten_at_word(text, LINE_CHARACTERS) for text in getattr(now, key)[:most]]
        for key, most in LISTS.items()
    }
    return {DAY: now.day, **lists}


def now_words(now: Now) -> dict[str, tuple[str, ...]]:
    """Return a page's lines by list, without empty lists."""
    return {key: texts for key in LISTS if (texts := getattr(now, key))}


_HINT = "write day: 3, occupies: and thinks: with sentences in a list below each; one with a colon in quotes"


NOW_FORM = Record(
    dict[str, object],
    "a page",
    Key(DAY, kinds.whole(0), "the story day on whose evening it was written", default=0, null=True),
    Key("occupies", kinds.text_or_texts, "what occupies the character, one sentence each", default=(), null=True),
    Key("thinks", kinds.text_or_texts, "what it has come to think, one sentence each", default=(), null=True),
    code="now-form",
    hint=_HINT,
)
"""The file ``state/now/<id>.yaml``."""


def _check(found: LayerFiles) -> Iterator[Finding]:
    data = found.data
    yield from by_form(NOW_FORM, data)
    if not isinstance(data, dict):
        return
    day = data.get(DAY)
    if type(day) is int:
        yield from found.check_day((DAY,), "now-future", day)
    for key, value in data.items():
        if key in LISTS:
            yield from _check_list(key, value)
        elif key != DAY and not key.startswith("_"):
            yield Finding((key,), "now-key", f"{key} is not shown", f"shown are {' and '.join(LISTS)}", "info")


def _check_list(key: str, value: object) -> Iterator[Finding]:
    items = as_list(value)
    for index, item in enumerate(items):
        place = (key, index) if isinstance(value, list) else (key,)
        length = len(" ".join(item.split())) if isinstance(item, str) else 0
        if length > LINE_CHARACTERS:
            message = f"a line of {length:,} characters; the first {LINE_CHARACTERS} are shown"
            yield Finding(place, "now-long", message, "say it in one sentence", "info")
    if len(items) > LISTS[key]:
        message = f"{key} has {len(items)} lines; the first {LISTS[key]} are shown"
        yield Finding((key,), "now-long", message, "shorten the list", "info")


NOW: declare.Layer[Now, Now] = declare.Layer(
    name="now",
    empty=Now(),
    file=declare.File("now", declare.YAML, _parse, _write, check=_check, form=NOW_FORM),
    advance=lambda _now, new: new,
    reply=declare.LayerReply("now", _fold),
    view=declare.PromptView("page_now", _show, None, template="now.j2"),
    words=now_words,
    about="What occupies a character at present.",
    example="thinks:\n  - Otto needs the saw more than I do.\n",
    sample=Now(1, ("Text.",), ("Text.",)),
    yields=_yield,
    without={"card": "a card tells who a character is, and not what occupies it on a day"},
)
"""A change is the page as it is from then on."""
