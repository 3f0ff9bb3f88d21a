"""What generative agents remember: the stream (``associative_memory/nodes.json``), and backstories.

Backstories are tables with the columns ``Name`` and ``Whisper``: facts in the second person.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from gm.api.answers.speech import Words
from gm.api.imports.arrival import Account, ImportSource, Memory
from gm.api.imports.fields import MOST_LISTED, clean_name, line_of, object_of, whole_of
from gm.api.imports.keeping import SaidLine, render_exchange, sentence_of
from gm.base.texts import counted, is_digits
from gm.base.untyped import items_of
from gm.model.node import NodeType

TYPES: Mapping[str, NodeType] = {"event": "observation", "thought": "reflection", "chat": "conversation"}
PREFIX = "node_"
NOTHING = ("idle", "blank")
"""Objects of nodes that say that nothing happened: most nodes of a stream."""
MOST_TAGS, MOST_WORDS = 6, 20
EMPTY_WORDS = {"be", "is", "are", "have", "has", "do", "idle", "used", "plan"}
"""Key words that every second node has."""
TABLE = ".csv"
NAME, FACTS = "name", "whisper"
"""Columns, in any case."""
MOST_FACTS = 200
"""Facts of one persona."""
_KNOWN = re.compile(r"\AYou and (?P<name>[A-ZÀ-Þ][^\s,]{0,40}(?: [A-ZÀ-Þ][^\s,]{0,40}){0,3})\b")
"""A fact about a relationship; the tool's own tables are in English."""


@dataclass(frozen=True, slots=True)
class Backstory:
    """What a persona knows from the start.

    Attributes:
        relationships: Facts shared with another character, by its name.
    """

    facts: tuple[str, ...] = ()
    relationships: Mapping[str, str] = field(default_factory=dict)


def speakers_in(nodes: object) -> set[str]:
    """Return the names of all speakers in a stream's chats."""
    chats = (node for _, node in _sort_oldest_first(nodes) if node.get("type") == "chat")
    return {line.who for node in chats for line in _spoken_lines(node) if line.who}


def read_concept_nodes(nodes: object, owner: str, others: set[str], words: Words, account: Account) -> list[Memory]:
    """Return memories, oldest first; ``evidence`` are places among them."""
    found: list[Memory] = []
    places: dict[str, int] = {}
    nothing = unreadable = 0
    for name, node in _sort_oldest_first(nodes):
        kind, text = node.get("type"), sentence_of(node.get("description"))
        if not isinstance(kind, str) or kind not in TYPES or not text:
            unreadable += 1
            continue
        if line_of(node.get("object")) in NOTHING:
            nothing += 1
            continue
        places[name] = len(found)
        found.append(_make_memory(node, TYPES[kind], text, owner, others, places, words))
    if found:
        account.took(
            "associative_memory", "memories from before the story, with their importance and what they rest on"
        )
    if nothing:
        account.leave("associative_memory", f"{counted(nothing, 'node')} in which nothing happens (“… is idle”)")
    if unreadable:
        account.leave(
            "associative_memory", f"{counted(unreadable, 'node')} without a description, or of an unknown type"
        )
    return found


def read_backstories(source: ImportSource, account: Account) -> dict[str, Backstory]:
    """Return backstories by name; unreadable tables are left aside."""
    facts: dict[str, list[str]] = {}
    for path, raw in sorted(source.files.items()):
        if path.suffix.lower() != TABLE:
            continue
        try:
            for name, sentences in _read_rows(raw.decode("utf-8-sig")):
                facts.setdefault(name, []).extend(sentences)
        except (UnicodeDecodeError, csv.Error) as error:
            account.leave(str(path), f"no table that can be read: {error}")
    for name, sentences in facts.items():
        if len(sentences) > MOST_FACTS:
            account.leave(f"the backstory of {name}", f"only the first {MOST_FACTS} of {len(sentences):,} facts")
    return {name: _backstory(sentences[:MOST_FACTS]) for name, sentences in facts.items()}


def _sort_oldest_first(nodes: object) -> list[tuple[str, Mapping[str, object]]]:
    """Sort nodes oldest first; the file has the newest first."""
    named = [(name, object_of(node)) for name, node in object_of(nodes).items()]
    named.reverse()
    return sorted(named, key=lambda pair: _node_number(pair[0]))


def _node_number(name: str) -> int:
    digits = name.removeprefix(PREFIX)
    return int(digits) if is_digits(digits) else 0


def _make_memory(
    node: Mapping[str, object],
    kind: NodeType,
    text: str,
    owner: str,
    others: set[str],
    places: Mapping[str, int],
    words: Words,
) -> Memory:
    lines = list(_spoken_lines(node)) if kind == "conversation" else []
    named = [line_of(node.get(key)) for key in ("subject", "object")] + [line.who for line in lines]
    about = tuple(sorted({name for name in named if name in others}))
    filling = node.get("filling")
    cited = [filling] if isinstance(filling, str) else items_of(filling)
    evidence = tuple(places[name] for name in cited[:MOST_LISTED] if isinstance(name, str) and name in places)
    return Memory(
        render_exchange(lines, words, text) if lines else text,
        kind,
        whole_of(node.get("poignancy"), 1, 10),
        tuple(_read_tags(node.get("keywords"), owner)),
        about,
        evidence=evidence if kind == "reflection" else (),
    )


def _spoken_lines(node: Mapping[str, object]) -> Iterator[SaidLine]:
    for pair in map(items_of, items_of(node.get("filling"))):
        if len(pair) == 2 and (said := sentence_of(pair[1])):
            yield SaidLine(clean_name(pair[0]), said)


def _read_tags(keywords: object, owner: str) -> Iterator[str]:
    plain = (line_of(word).lower().rpartition(":")[2] for word in items_of(keywords)[:MOST_WORDS])
    useful = [word for word in dict.fromkeys(plain) if word not in EMPTY_WORDS and word != owner.lower()]
    yield from filter(None, useful[:MOST_TAGS])


def _read_rows(text: str) -> Iterator[tuple[str, list[str]]]:
    """Read the tool's own tables, and those that a spreadsheet has split at ``;``."""
    rows = csv.reader(io.StringIO(text, newline=""))
    columns = [column.strip().casefold() for column in next(rows, [])]
    if NAME in columns and FACTS in columns:
        who, what = columns.index(NAME), columns.index(FACTS)
        cells = ((row[who], ",".join(row[what:]).split(";")) for row in rows if len(row) > max(who, what))
    elif text.replace('"', "").casefold().startswith(f"{NAME},{FACTS};"):
        split = csv.reader(io.StringIO(text, newline=""), delimiter=";")
        pairs = ((row[0].partition(","), row[1:]) for row in islice(split, 1, None) if row)
        cells = ((name, [first, *others]) for (name, _, first), others in pairs)
    else:
        raise csv.Error(f"expected the columns {NAME} and {FACTS}")
    for name, texts in cells:
        if called := clean_name(name):
            yield called, [fact for fact in map(sentence_of, texts) if fact]


def _backstory(sentences: list[str]) -> Backstory:
    known: dict[str, str] = {}
    facts: list[str] = []
    for fact in sentences:
        if found := _KNOWN.match(fact):
            name = found["name"]
            known[name] = f"{known[name]}; {fact}" if name in known else fact
        else:
            facts.append(fact)
    return Backstory(tuple(facts), known)
