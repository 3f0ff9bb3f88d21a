"""``gm diff``: what has changed in a world."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click

from gm.cli import complete
from gm.cli.commands import Answer, examples, world_command
from gm.cli.terminal import clip, counted, heading, indented, out, paint, safe, width, wrapped
from gm.files.layout import Layout
from gm.layers import LAYERS

MARKS = {
    "new": ("+", "green"),
    "edited": ("~", "yellow"),
    "deleted": ("-", "red"),
    "moved": ("↕", "yellow"),
    "archived": ("⇣", "blue"),
    "restored": ("⇡", "blue"),
}
TITLES = {"by_hand": "by hand", "opened": "threads opened", "closed": "threads closed"}
"""What is counted, where it has another title than its key."""
_QUIET = ("importance_accumulator", "last_reflection", "today_plan")
VALUE = 90
BEFORE = 20
"""Characters of what two values begin with alike that are shown before they part."""


@world_command(epilog=examples("gm diff", "gm diff day-000 day-001 --stat"))
@click.argument("first", type=complete.DAY, metavar="[A", required=False)
@click.argument("second", type=complete.DAY, metavar="[B]]", required=False)
@click.option("--stat", is_flag=True, help="Only how many of each kind, character by character.")
def diff(layout: Layout, first: str | None, second: str | None, stat: bool) -> Answer:
    """Show what has changed in the minds of a world between A and B.

    A and B are commits, branches, or days (day-003: as it was after that day). Without B, A is held against the files
    as they are; without both, the last commit is. What a person changed is marked: by hand.
    """
    from gm.api.history.diff.describe import describe_difference

    document = describe_difference(layout, first, second)
    return Answer(_show_stat if stat else _show, document)


def _show_stat(document: Mapping[str, Any]) -> None:
    out(_title(document))
    for name, agent in document["agents"].items():
        counts = ", ".join(f"{len(agent[kind])} {kind}" for kind in MARKS if agent[kind])
        rest = ", ".join(_changed_parts(agent))
        bar = "".join(paint(mark * min(20, len(agent[kind])), colour) for kind, (mark, colour) in MARKS.items())
        out(f"  {safe(name):<14} {' · '.join(filter(None, (counts, rest))):<44} {bar}".rstrip())
    _show_total(document)


def _show(document: Mapping[str, Any]) -> None:
    out(_title(document))
    if document["partial"]:
        indented(
            "put together from dated lines: moods, plans, souls and hand edits of that day are not known", "yellow"
        )
    for item in document["unreadable"]:
        place = f"{item['path']}:{item['line']}" if item["line"] else item["path"]
        indented(f"! {place} ({document[item['state']]['name']}): {item['message']}", "red")
    for name, agent in document["agents"].items():
        _show_agent(name, agent)
    _show_rest(document)
    _show_total(document)


def _title(document: Mapping[str, Any]) -> str:
    def side(item: Mapping[str, Any]) -> str:
        day = "" if item["day"] is None else f" (day {item['day']}{', open' if item['open'] else ''})"
        short = f" {item['commit'][:8]}" if item["commit"] and not item["commit"].startswith(item["name"]) else ""
        return safe(f"{item['name']}{short}{day}")

    return paint(f"{side(document['from'])} → {side(document['to'])}", bold=True)


def _show_agent(name: str, agent: Mapping[str, Any]) -> None:
    heading(safe(name), "cyan")
    for kind, (mark, colour) in MARKS.items():
        for node in agent[kind]:
            _show_node(node, mark, colour, told=kind not in ("moved", "archived", "restored"))
    for key, (old, new) in agent["state"].items():
        if key == "today_plan" and isinstance(new, list):
            _show_plan(old if isinstance(old, list) else [], new)
        else:
            _change(key, old, new)
    for layer in LAYERS:
        title, part = layer.name.removesuffix("s"), agent[layer.name]
        for key, (old, new) in part.items() if isinstance(part, dict) else ():
            _change(f"{title} · {key}", old, new)
        for record in part if isinstance(part, list) else ():
            indented(f"  {title}: {layer.told(record)}")
    if agent["summaries"]:
        out(f"  {counted(len(agent['summaries']), 'summary')} for what went to the archive")
    for key in ("persona_changed", "gifted_changed"):
        if agent[key]:
            out(paint(f"  {key.removesuffix('_changed')} changed", "yellow"))


def _show_node(node: Mapping[str, Any], mark: str, colour: str, *, told: bool) -> None:
    depth = f" depth {node['depth']}" if node["depth"] else ""
    hand = "  by hand" if node.get("by") == "hand" else ""
    head = f"  {mark} {node['id']} {node['type']}{depth} ({node['importance']})"
    tags = clip(" #" + " #".join(node["tags"]), max(10, width() - len(head) - len(hand) - 1)) if node["tags"] else ""
    out(paint(safe(head), colour) + paint(safe(f" {tags.strip()}" if tags else ""), "blue") + paint(hand, "yellow"))
    if "changes" in node:
        for key, (old, new) in node["changes"].items():
            _change(key, old, new, indent=6)
    elif told:
        for line in wrapped(node["description"], 6)[:4]:
            out(line)
    if node["evidence"] and told and "changes" not in node:
        indented(f"      rests on {', '.join(node['evidence'])}", "magenta", indent=8)


def _show_plan(old: Sequence[Any], new: Sequence[Any]) -> None:
    out("  plan:")
    for item in (item for item in old if item not in new):
        indented(f"    - {item}", "red", indent=6)
    for item in (item for item in new if item not in old):
        indented(f"    + {item}", "green", indent=6)


def _change(key: str, old: Any, new: Any, indent: int = 2) -> None:
    before, after = _short_both(old, new)
    text = f"{' ' * indent}{key}: {before} → {after}"
    indented(text, indent=indent + 2)


def _show_rest(document: Mapping[str, Any]) -> None:
    threads, board, works = document["threads"], document["board"], document["artifacts"]
    lines = [(f"+ {item['id']} {item['kind']} of {item['by']}: {item['text']}", "green") for item in threads["opened"]]
    lines += [(f"✓ {item['id']} {item['outcome']}: {item['text']}", "blue") for item in threads["closed"]]
    _section("threads", lines)
    posts: list[tuple[str, str | None]] = [(f"+ {_post(item)}", "green") for item in board["added"]]
    posts += [(f"- {_post(item)}", "red") for item in board["removed"]]
    posts += [(f"decided: {_short(item)}", None) for item in board["decided"]]
    _section("board", posts)
    marks = (("added", "+", "green"), ("changed", "~", "yellow"), ("removed", "-", "red"))
    _section("gallery", [(f"{mark} {path}", colour) for kind, mark, colour in marks for path in works[kind]])
    scenes: list[tuple[str, str | None]] = [
        (
            f"{item['day']}.{item['scene'] if item['scene'] is not None else 'end'} {item['type']} "
            f"{', '.join(item['participants'])}: {clip(item['summary'], 160)}",
            None,
        )
        for item in document["scenes"]
    ]
    _section("scenes", scenes)
    clock = {key: value for key, value in document["clock"].items() if key in ("day", "day_open", "time_of_day")}
    _section("clock", [(f"{key}: {' → '.join(_short_both(old, new))}", None) for key, (old, new) in clock.items()])
    _section("other files", [(path, None) for path in document["other"]])


def _section(title: str, lines: Sequence[tuple[str, str | None]]) -> None:
    """Write lines with their colours below a title; nothing when there are none."""
    if lines:
        heading(title, "cyan")
    for text, colour in lines:
        indented(f"  {text}", colour, indent=4)


def _show_total(document: Mapping[str, Any]) -> None:
    told = ", ".join(_counted(count, TITLES.get(kind, kind)) for kind, count in document["counts"].items() if count)
    rest = [*document["clock"], *document["other"], *document["agents"], *document["artifacts"]["changed"]]
    out()
    indented(told or ("other changes only" if rest else "nothing has changed"))


def _counted(count: int, title: str) -> str:
    """Return ``1 thread opened``, ``2 threads opened``, ``1 new``."""
    first, *rest = title.split()
    return " ".join([str(count), first.removesuffix("s") if count == 1 else first, *rest])


def _changed_parts(agent: Mapping[str, Any]) -> list[str]:
    parts = [key for key in agent["state"] if key not in _QUIET]
    parts += [layer.name for layer in LAYERS if agent[layer.name]]
    return [*parts, *(["persona"] if agent["persona_changed"] else [])]


def _post(item: Any) -> str:
    if not isinstance(item, dict):
        return _short(item)
    return f"{item.get('type', '')} from {item.get('from', '?')}: {clip(str(item.get('content', '')), 200)}"


def _short(value: Any) -> str:
    return clip(_plain(value), VALUE) or "“”"


def _short_both(old: Any, new: Any) -> tuple[str, str]:
    """Shorten two values around the place where they part."""
    one, other = _plain(old), _plain(new)
    parts = (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    alike = next(parts, min(len(one), len(other)))
    start = one.rfind(" ", 0, max(0, alike - BEFORE)) + 1 if max(len(one), len(other)) > VALUE else 0
    lead = "… " if start else ""
    before, after = (clip(lead + text[start:], VALUE) or "“”" for text in (one, other))
    return before, after


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
