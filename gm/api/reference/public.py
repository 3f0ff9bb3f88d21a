"""The page of ``import gm`` (``docs/reference/api.md``): signatures and docstrings of all public names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from inspect import Parameter, Signature
from itertools import chain
from typing import Any, Literal, get_args, get_origin, is_typeddict

import gm
from gm.api.reports.tables import TABLES, DataTable
from gm.layers.relationships import RELATIONSHIP
from gm.model.node import NODE
from gm.model.thread import THREAD_EVENT

HEAD = """\
# From Python

Made from the docstrings by `make docs`; change those, not this file. The examples are run by the tests, in a world
`layout` that was made from the template dinner and rehearsed for two days, with `opened = gm.open_world(layout.root)`
and an empty folder `folder`. [notebook.ipynb](../notebook.ipynb) is a tour.

Everything here is imported from `gm` (`import gm` itself imports nothing else), is typed (`py.typed`), and keeps its
name: one that is renamed works for one more version, with a `DeprecationWarning`. Values are frozen; `gm.as_json`
makes of them what a command prints with `--json`. `layout` says where a world lies, `world` is what was read of it,
and `notice` is called with notes for people. Errors are `GmError`, with `message` and `hint`.
"""
STUB_HEAD = """\
# ruff: noqa: I001
# Made from gm/__init__.py by `make docs`; change that, not this file.
from collections.abc import Mapping
"""
STUB_END = """
__version__: str
__all__: list[str]
_HOMES: Mapping[str, tuple[str, ...]]
_RENAMED: Mapping[str, tuple[str, str]]
"""
PARTS = {
    "Functions": "What is asked about a world, and what is done with it.",
    "Tables": "Frames of pandas; they need `pip install 'gm-worlds[data]'`. Without rows a table has the same columns\n"
    "and types. Polars needs no more than that either: it reads the Parquet files as they are, and\n"
    "`polars.from_pandas` takes the frames.",
    "Values": "What functions take and return.",
    "Words": "Closed sets of words, as types. Signatures name a few more types: `Values` are differing values by key,\n"
    "each `[old, new]`; `Row` is a line of a sweep's table, by column; `Brief` is `(day, text)`; `Source` is what an\n"
    "answer rests on beside memories, and `Outcome` how a thread ended; `Similarity` says how near each memory is to\n"
    "a text, by id, from -1 to 1; `Writing` is called while an answer arrives, with the id of the character, the\n"
    "characters so far, and their text.\n",
}
RECORDS = {"Node": NODE.keys, "Relationship": RELATIONSHIP.keys, "Thread": THREAD_EVENT.keys}
"""Whose attributes are described where their line in a file is declared."""
_OF_LOG_ENTRY = """
day record is_summary type number ref dialogue spoken turns texts_by_agent time_of_day place clock topic premise why
summary participants invited artifacts director answers read_by delivered
"""
ATTRIBUTES = {
    "Agent": (
        "id",
        "state",
        "persona",
        "stream",
        "archived_number",
        "summaries",
        "mind",
        "beside",
        "archived_sources",
        "name",
        "call_name",
        "next_number",
        "everything",
        "home",
        "front_values",
    ),
    "Backend": (),
    "Change": ("day", "nodes", "files", "posts", "log", "warnings"),
    "Choice": ("backend", "why", "shown"),
    "CitedMemory": ("id", "found", "again", "cut", "evidence"),
    "Expectation": ("model", "runs", "usd"),
    "Filters": (
        "agents",
        "types",
        "kinds",
        "categories",
        "about",
        "tags",
        "min_importance",
        "min_turn",
        "max_turn",
        "days",
    ),
    "Layout": ("root", "agent_names", "logged_days"),
    "LogEntry": tuple(_OF_LOG_ENTRY.split()),
    "Mind": (),
    "Direction": ("name", "script", "focus"),
    "PlayOptions": ("seed", "batch", "direction", "max_usd", "embeds"),
    "PlayedTurn": ("agent", "action", "lines", "thought", "artifact", "round"),
    "Said": ("text", "to"),
    "Scene": ("ref", "time_of_day", "place", "cast", "why", "premise", "topic", "joined"),
    "Settings": (),
    "SweepFolder": ("root",),
    "VectorSearch": (),
    "World": ("settings", "clock", "posts", "agents", "log", "threads", "open_day", "call_name", "find_agent"),
}
"""Those that are public, where not all are."""
_SECTION = re.compile(r"^(Args|Attributes|Raises|Examples|Source):\n((?:(?:[ ]{4}.*)?\n)+)", re.M)
_LITERAL = re.compile("(?<!`)``(?!`)")
_ITEM = re.compile(r"^(\w+): ", re.M)
_WORDS = {"Args": "Takes", "Raises": "Raises", "Source": "Source"}


class _Plain(str):
    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, slots=True)
class Public:
    """Something public: a name of ``gm``, or an attribute or method of one.

    Attributes:
        declared: As it is written: ``gm.open_world(folder: … = '.') -> OpenWorld``, ``Node.id: str``.
    """

    name: str
    declared: str
    doc: str
    value: Any


def list_public() -> Iterator[Public]:
    """Yield all public names in alphabetical order, each class before its attributes and methods."""
    for name in gm.__all__:
        value = getattr(gm, name)
        doc = inspect.getdoc(value) or ""
        if get_origin(value) is Literal:
            yield Public(name, f"gm.{name} = {' | '.join(map(repr, get_args(value)))}", "", value)
            continue
        if not inspect.isclass(value):
            yield Public(name, f"gm.{name}{_signature(value)}", doc, value)
            continue
        yield Public(name, f"class gm.{name}", doc, value)
        said = {key.field or key.name: key.sentence for key in RECORDS.get(name, ())}
        said |= doc_items(doc, "Attributes")
        chosen = ATTRIBUTES.get(name, vars(value).keys())
        if is_typeddict(value):
            for key in chosen:
                hint = value.__annotations__[key].__forward_arg__
                yield Public(name, f"{name}.{key}: {hint}", said.get(key, ""), key)
        shown = [field for field in fields(value) if field.name in chosen] if is_dataclass(value) else []
        for field in shown:
            default = "" if field.default is MISSING or not field.init else f" = {_default(field.default)!r}"
            default = default if field.default_factory is MISSING or not field.init else " = …"
            yield Public(name, f"{name}.{field.name}: {_type(field.type)}{default}", said.get(field.name, ""), field)
        for attribute, member in vars(value).items():
            if attribute.startswith("_") or attribute not in chosen:
                continue
            found = member.fget if isinstance(member, property) else getattr(member, "func", None)
            if found is not None:
                returned = _type(inspect.signature(found).return_annotation)
                yield Public(name, f"{name}.{attribute} -> {returned}", inspect.getdoc(member) or "", member)
            elif inspect.isfunction(member):
                yield Public(name, f"{name}.{attribute}{_signature(member)}", inspect.getdoc(member) or "", member)


def render_api() -> str:
    """Write the page as Markdown."""
    found: dict[str, list[str]] = {part: [] for part in PARTS}
    part = "Functions"
    for public in list_public():
        if public.declared.startswith("class "):
            part = "Values"
        elif get_origin(public.value) is Literal:
            part = "Words"
        elif public.declared.startswith("gm."):
            part = "Tables" if inspect.unwrap(public.value).__module__ == DataTable.__module__ else "Functions"
        found[part] += _render_entry(public)
    parts = [HEAD]
    for title, sentence in PARTS.items():
        parts += [f"\n## {title}\n", sentence, *found[title]]
    return re.sub("\n{3,}", "\n\n", "\n".join(parts)).rstrip() + "\n"


def render_stub() -> str:
    """Write ``gm/__init__.pyi``, in which type checkers find where each public name is declared."""
    imports = [f"from {home} import {name} as {name}" for home, names in gm._HOMES.items() for name in names]
    return "\n".join([STUB_HEAD, *imports, STUB_END])


def _render_entry(public: Public) -> Iterator[str]:
    text = _prose(public.doc)
    if public.declared.startswith("class "):
        yield f"\n### gm.{public.name}\n\n{text}"
    elif get_origin(public.value) is Literal:
        yield f"- `{public.declared}`"
    elif public.declared.startswith("gm."):
        yield f"\n### gm.{public.name}\n\n```python\n{public.declared}\n```\n\n{text}"
        table = TABLES.get(public.name.removesuffix("_table"))
        if table is not None:
            rows = [f"| `{column.name}` | {column.type} | {column.sentence} |" for column in table.columns]
            yield "\n".join(["| column | type | |", "|---|---|---|", *rows]) + "\n"
    else:
        first, _, rest = text.partition("\n\n")
        body = "\n".join(f"  {line}".rstrip() for line in rest.splitlines())
        said = f"- `{public.declared.removeprefix(f'{public.name}.')}`" + (
            f": {first.strip()}" if first.strip() else ""
        )
        yield said + (f"\n\n{body}\n" if body else "")


def _prose(doc: str) -> str:
    """Return a docstring as Markdown: sections become lists, examples blocks; attributes stand with the fields."""

    def section(match: re.Match[str]) -> str:
        title, body = match[1], inspect.cleandoc(match[2])
        if title == "Attributes":
            return ""
        if title == "Examples":
            return f"```pycon\n{body}\n```\n\n"
        return f"{_WORDS[title]}:\n\n" + "".join(f"- {line}\n" for line in _render_items(body)) + "\n"

    return _SECTION.sub(section, _LITERAL.sub("`", doc) + "\n").rstrip() + "\n"


def _render_items(body: str) -> Iterator[str]:
    for item in re.split(r"\n(?! )", body):
        yield _ITEM.sub(r"`\1`: ", " ".join(item.split()), count=1)


def doc_items(doc: str, title: str) -> dict[str, str]:
    """Return the items of a docstring's section (``Attributes``), by name."""
    items = (
        re.split(r"\n(?! )", inspect.cleandoc(match[2])) for match in _SECTION.finditer(doc + "\n") if match[1] == title
    )
    pairs = (" ".join(item.split()).partition(": ") for item in chain.from_iterable(items))
    return {name: text for name, _, text in pairs}


def _signature(function: Any) -> str:
    signature = inspect.signature(function)
    shown = [
        item.replace(annotation=_type(item.annotation), default=_default(item.default))
        for item in signature.parameters.values()
        if item.name != "self"
    ]
    return str(Signature(shown, return_annotation=_type(signature.return_annotation)))


def _type(annotation: object) -> Any:
    return _Plain(annotation) if isinstance(annotation, str) else annotation


def _default(value: object) -> Any:
    if value is Parameter.empty:
        return value
    if callable(value):
        return _Plain("…")
    return _Plain(f"{type(value).__name__}()") if is_dataclass(value) else value
