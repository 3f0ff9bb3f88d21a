"""The soul of a character: its lasting core, neither facts nor memories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gm.base.casefold import casefold
from gm.base.config import kinds
from gm.base.untyped import as_list
from gm.layers import declare
from gm.layers.rules import Finding, LayerFiles, by_form
from gm.model.mind import SoulKind
from gm.model.record import Key, Place, Record

if TYPE_CHECKING:
    from gm.model.layer_replies import SoulEdit

SOUL_KINDS: Mapping[SoulKind, str] = {
    "belief": "beliefs",
    "value": "values",
    "fear": "fears",
    "conviction": "convictions",
}
"""Kinds of entries as replies and commands name them, each with its list in the file."""


@dataclass(frozen=True, slots=True)
class SoulEntry:
    """A sentence of a soul; ``kind`` is its list's name, freely chosen."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Soul:
    """The contents of ``state/souls/<name>.yaml``, list by list in file order."""

    entries: tuple[SoulEntry, ...] = ()

    def find(self, text: str) -> SoulEntry | None:
        """Return the entry with the same words, ignoring case, spacing and a final full stop."""
        wanted = soul_key(text)
        return next((entry for entry in self.entries if soul_key(entry.text) == wanted), None)


@dataclass(frozen=True, slots=True)
class SoulChange:
    """Entries added and removed, in order."""

    added: tuple[SoulEntry, ...] = ()
    removed: tuple[SoulEntry, ...] = ()


def soul_key(text: str) -> str:
    """Return a sentence in the form for comparison."""
    return " ".join(casefold(text).split()).rstrip(".")


def change_soul(soul: Soul, change: SoulChange) -> Soul:
    """Return a soul after a change."""
    kept = tuple(entry for entry in soul.entries if entry not in change.removed)
    return Soul((*kept, *change.added))


def fold_soul(soul: Soul, edits: Iterable[SoulEdit]) -> tuple[SoulChange | None, list[str]]:
    """Fold a character's edits into its soul as in the files now; each sentence stands in it once.

    Returns:
        The change, None when there is none; and warnings about what could not be done.
    """
    now, warnings = soul, []
    for edit in edits:
        for text in edit.remove:
            found = now.find(text)
            if found is None:
                warnings.append(f"not in the soul, so not taken out of it: {declare.quote_words(text)}")
            else:
                now = change_soul(now, SoulChange(removed=(found,)))
        for item in edit.add:
            text = " ".join(item.text.split())
            if now.find(text) is None:
                now = change_soul(now, SoulChange(added=(SoulEntry(SOUL_KINDS[item.kind], text),)))
            else:
                warnings.append(f"stands in the soul already: {declare.quote_words(text)}")
    added = tuple(entry for entry in now.entries if entry not in soul.entries)
    removed = tuple(entry for entry in soul.entries if entry not in now.entries)
    return (SoulChange(added, removed) if added or removed else None), warnings


def _fold(played: declare.PlayedScene, soul: Soul) -> declare.Folded[SoulChange]:
    return declare.Folded(*fold_soul(soul, played.said))


def soul_words(soul: Soul) -> dict[str, list[str]]:
    """Return a soul's sentences by kind, in file order."""
    found: dict[str, list[str]] = {}
    for entry in soul.entries:
        found.setdefault(entry.kind, []).append(entry.text)
    return found


def _parse(data: Mapping[str, object]) -> Soul:
    return Soul(tuple(_entries(data)))  # ``gm check`` reports values that are not text


def _entries(data: Mapping[str, object]) -> Iterator[SoulEntry]:
    for kind, items in data.items():
        for item in as_list(items):
            if isinstance(item, str) and item.strip():
                yield SoulEntry(kind, _words(item))


def _write(data: Mapping[str, object], change: SoulChange) -> list[declare.Keys]:
    kinds = dict.fromkeys(entry.kind for entry in (*change.removed, *change.added))
    return [declare.Keys(kinds, {kind: _changed(data.get(kind), kind, change) for kind in kinds})] if kinds else []


def _changed(value: object, kind: str, change: SoulChange) -> list[object]:
    items = value if isinstance(value, list) else [] if value is None else [value]
    removed = {entry.text for entry in change.removed if entry.kind == kind}
    kept = [item for item in items if not (isinstance(item, str) and _words(item) in removed)]
    return [*kept, *(entry.text for entry in change.added if entry.kind == kind)]


def _words(text: str) -> str:
    return " ".join(text.split())


def _log_values(change: SoulChange) -> dict[str, object]:
    parts = {"added": change.added, "removed": change.removed}
    return {key: [{"kind": entry.kind, "text": entry.text} for entry in entries] for key, entries in parts.items()}


def _show(_shown: declare.ShownMoment, soul: Soul) -> list[dict[str, object]]:
    usual, found = list(SOUL_KINDS.values()), soul_words(soul)
    kinds = dict.fromkeys((*usual, *found))
    return [{"kind": kind, "known": kind in usual, "texts": found[kind]} for kind in kinds if kind in found]


_HINT = "write beliefs:, values:, fears:, convictions: with sentences below each; one with a colon in quotes"


SOUL_FORM = Record(
    dict[str, object],
    "a soul",
    *(
        Key(name, kinds.text_or_texts, f"{name} of the character, one sentence each", default=(), null=True)
        for name in SOUL_KINDS.values()
    ),
    code="soul-form",
    hint=_HINT,
    others=kinds.text_or_texts,
)
"""The file ``state/souls/<id>.yaml``."""


def _check(found: LayerFiles) -> Iterator[Finding]:
    yield from by_form(SOUL_FORM, found.data)
    seen: dict[str, str] = {}
    for name, items in found.data.items() if isinstance(found.data, dict) else ():
        if name not in SOUL_KINDS.values():
            message = f"{name!r} is not one of the usual kinds; it is shown under this name"
            yield Finding((name,), "soul-kind", message, "known: " + ", ".join(SOUL_KINDS.values()))
        for index, item in enumerate(as_list(items)):
            key = soul_key(item) if isinstance(item, str) else ""
            if key in seen:
                keys: Place = (name, index) if isinstance(items, list) else (name,)
                message = f"the same sentence stands in {seen[key]} already"
                yield Finding(keys, "soul-twice", message, "take one of them out")
            elif key:
                seen[key] = name


SOUL: declare.Layer[Soul, SoulChange] = declare.Layer(
    name="soul",
    empty=Soul(),
    file=declare.File("souls", declare.YAML, _parse, _write, check=_check, form=SOUL_FORM),
    advance=change_soul,
    reply=declare.LayerReply("soul", _fold, consulted=lambda item: item.soul, log_values=_log_values, record="souls"),
    view=declare.PromptView("soul", _show, [], template="soul.j2"),
    words=soul_words,
    facts=lambda _, soul: [entry.text for entry in soul.entries],
    card=lambda soul, _: [declare.CardEntry(f"{kind}: {' '.join(texts)}") for kind, texts in soul_words(soul).items()],
    about="What stays with a character for good.",
    example="beliefs:\n  - A boat is finished when it leaks in one place only.\n",
    sample=Soul((SoulEntry("beliefs", "Text."),)),
    page="soul",
    commands=("gm mind soul show {agent}",),
    stays=True,
)
