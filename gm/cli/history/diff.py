"""``gm diff``: what has changed in a world."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from gm.base.texts import clip_line, counted
from gm.base.untyped import items_of
from gm.cli import complete
from gm.cli.commands import Output, examples, world_command
from gm.cli.terminal import heading, indented, out, paint, safe, width, wrapped
from gm.files.layout import Layout
from gm.layers import LAYERS

if TYPE_CHECKING:
    from gm.api.history.diff.difference import AgentDifference, Difference
    from gm.api.history.diff.parts import MemoryChange
    from gm.api.history.states import NamedState
    from gm.model.thread import Thread

MARKS = {
    "new": ("+", "green"),
    "edited": ("~", "yellow"),
    "deleted": ("-", "red"),
    "moved": ("↕", "yellow"),
    "archived": ("⇣", "blue"),
    "restored": ("⇡", "blue"),
}
TITLES = {"opened": "threads opened", "closed": "threads closed"}
"""What is counted, where it has another title than its key."""
_QUIET = ("importance_accumulator", "last_reflection", "today_plan")
VALUE = 90
COLUMNS = 80
"""Of a line of ``--stat``, its bar included."""
BEFORE = 20
"""Characters of what two values begin with alike that are shown before they part."""


@world_command(epilog=examples("gm diff", "gm diff day-000 day-001 --stat"))
@click.argument("first", type=complete.DAY, metavar="[A", required=False)
@click.argument("second", type=complete.DAY, metavar="[B]]", required=False)
@click.option("--stat", is_flag=True, help="Only show counts for each character.")
def diff(layout: Layout, first: str | None, second: str | None, stat: bool) -> Output:
    """Show changes in the minds of a world between commits or days.

    A and B are commits, branches, or days (day-003: as it was after that day). Without B, A is compared with the
    current files; without both, the last commit is. Edits are marked "by hand".
    """
    from gm.api.history.diff.difference import describe_difference

    return Output(_show_stat if stat else _show_difference, describe_difference(layout, first, second))


def _show_stat(found: Difference) -> None:
    out(_render_title(found))
    for name, agent in found.agents.items():
        counts = ", ".join(f"{len(agent.memories[kind])} {kind}" for kind in MARKS if agent.memories[kind])
        rest = ", ".join(_changed_parts(agent))
        line = f"  {safe(name):<14} {' · '.join(filter(None, (counts, rest))):<44} "
        share = min(1.0, max(0, COLUMNS - len(line)) / max(1, sum(map(len, agent.memories.values()))))
        marks = ((mark * int(share * len(agent.memories[kind])), colour) for kind, (mark, colour) in MARKS.items())
        out(f"{line}{''.join(paint(text, colour) for text, colour in marks)}".rstrip())
    _show_total(found)


def _show_difference(found: Difference) -> None:
    out(_render_title(found))
    if found.partial:
        indented(
            "put together from dated lines: moods, plans, souls and hand edits of that day are not known", "yellow"
        )
    for item in found.unreadable:
        place = f"{item.path}:{item.line}" if item.line else item.path
        state = found.before if item.state == "from" else found.after
        indented(f"! {place} ({state.name}): {item.message}", "red")
    for name, agent in found.agents.items():
        _show_agent(name, agent)
    _show_rest(found)
    _show_total(found)


def _render_title(found: Difference) -> str:
    def side(item: NamedState) -> str:
        day = "" if item.day is None else f" (day {item.day}{', open' if item.open else ''})"
        short = f" {item.commit[:8]}" if item.commit and not item.commit.startswith(item.name) else ""
        return safe(f"{item.name}{short}{day}")

    return paint(f"{side(found.before)} → {side(found.after)}", bold=True)


def _show_agent(name: str, agent: AgentDifference) -> None:
    heading(safe(name), "cyan")
    for kind, (mark, colour) in MARKS.items():
        for item in agent.memories[kind]:
            _show_memory(item, mark, colour, whole=kind not in ("moved", "archived", "restored"))
    for key, (old, new) in agent.state.items():
        if key == "today_plan" and isinstance(new, list):
            _show_plan(items_of(old), new)
        else:
            _show_change(key, old, new)
    for layer in LAYERS:
        title, part = layer.name.removesuffix("s"), agent.layers[layer.name]
        hand = "  by hand" if layer.name in agent.by_hand else ""
        for key, (old, new) in part.items() if isinstance(part, dict) else ():
            _show_change(f"{title} · {key}{hand}", old, new)
        for record in items_of(part):
            indented(f"  {title}: {layer.describe(record)}")
    if agent.summaries:
        out(f"  {counted(len(agent.summaries), 'summary')} for what went to the archive")
    if agent.is_new:
        out(paint("  new character", "green"))
    elif agent.persona_changed:
        out(paint(f"  persona changed{'  by hand' if 'persona' in agent.by_hand else ''}", "yellow"))
        for mark, colour, side in (("-", "red", "old"), ("+", "green", "new")):
            for line in filter(str.strip, agent.persona_lines[side]):
                indented(f"    {mark} {line}", colour, indent=6)
    if agent.gifted_changed:
        out(paint("  gifted changed", "yellow"))


def _show_memory(item: MemoryChange, mark: str, colour: str, *, whole: bool) -> None:
    node = item.node
    depth = f" depth {node.depth}" if node.depth else ""
    hand = "  by hand" if item.by == "hand" else ""
    head = f"  {mark} {node.id} {node.type}{depth} ({node.importance})"
    tags = clip_line(" #" + " #".join(node.tags), max(10, width() - len(head) - len(hand) - 1)) if node.tags else ""
    out(paint(safe(head), colour) + paint(safe(f" {tags.strip()}" if tags else ""), "blue") + paint(hand, "yellow"))
    if item.changes:
        for key, (old, new) in item.changes.items():
            _show_change(key, old, new, indent=6)
    elif whole:
        for line in wrapped(node.description, 6)[:4]:
            out(line)
    if node.evidence and whole and not item.changes:
        indented(f"      rests on {', '.join(node.evidence)}", "magenta", indent=8)


def _show_plan(old: Sequence[Any], new: Sequence[Any]) -> None:
    out("  plan:")
    for item in (item for item in old if item not in new):
        indented(f"    - {item}", "red", indent=6)
    for item in (item for item in new if item not in old):
        indented(f"    + {item}", "green", indent=6)


def _show_change(key: str, old: object, new: object, indent: int = 2) -> None:
    one, other = (value if isinstance(value, dict) else {} for value in (old, new))
    if (one or other) and all(value is None or isinstance(value, dict) for value in (old, new)):
        for name in {**one, **other}:
            pair = one.get(name), other.get(name)
            # what began or ended is told without what it left empty
            if pair[0] != pair[1] and (any(pair) or None not in pair):
                _show_change(f"{key} · {str(name).replace('_', ' ')}", *pair, indent)
        return
    indented(f"{' ' * indent}{key}: {' → '.join(shorten_both(old, new))}", indent=indent + 2)


def _show_rest(found: Difference) -> None:
    threads, board, works = found.threads, found.board, found.artifacts
    lines = [(f"+ {item.id} {item.kind} of {_between(item)}: {item.text}", "green") for item in threads.opened]
    lines += [(f"✓ {item.id} {item.outcome}: {item.text}", "blue") for item in threads.closed]
    _show_section("threads", lines)
    posts: list[tuple[str, str | None]] = [(f"+ {_post(item)}", "green") for item in board.added]
    posts += [(f"- {_post(item)}", "red") for item in board.removed]
    posts += [(f"decided: {shorten(item)}", None) for item in board.decided]
    _show_section("board", posts)
    marks = ((works.added, "+", "green"), (works.changed, "~", "yellow"), (works.removed, "-", "red"))
    _show_section("gallery", [(f"{mark} {path}", colour) for paths, mark, colour in marks for path in paths])
    scenes: list[tuple[str, str | None]] = []
    for item in found.scenes:
        place = f"{item.day}.{item.scene if item.scene is not None else 'end'}"
        head = f"{place} {item.type} {', '.join(item.participants)}"
        edits = item.changes or {}
        scenes.append((f"~ {head}", "yellow") if edits else (f"{head}: {clip_line(item.summary, 160)}", None))
        scenes += [(f"  {key}: {' → '.join(shorten_both(*both))}", None) for key, both in edits.items()]
    _show_section("scenes", scenes)
    clock = {key: value for key, value in found.clock.items() if key in ("day", "day_open", "time_of_day")}
    _show_section(
        "clock", [(f"{key}: {' → '.join(shorten_both(old, new))}", None) for key, (old, new) in clock.items()]
    )
    _show_section("other files", [(path, None) for path in found.other])


def _between(thread: Thread) -> str:
    to = f" → {', '.join(thread.to)}" if thread.to else ""
    due = f"day {thread.due}" if thread.due is not None else ""
    where = ", ".join(filter(None, (due, thread.time, thread.place)))
    instead = f", in place of {thread.replaces}" if thread.replaces else ""
    return f"{thread.by}{to}{f' ({where})' if where else ''}{instead}"


def _show_section(title: str, lines: Sequence[tuple[str, str | None]]) -> None:
    if lines:
        heading(title, "cyan")
    for text, colour in lines:
        indented(f"  {text}", colour, indent=4)


def _show_total(found: Difference) -> None:
    counts = {kind: count for kind, count in found.counts.items() if count}
    by_hand = counts.pop("by_hand", 0)
    total = ", ".join(_counted(count, TITLES.get(kind, kind)) for kind, count in counts.items())
    total += f"; by hand, of these: {by_hand}" if by_hand else ""
    rest = [*found.clock, *found.other, *found.agents, *found.artifacts.changed, *found.scenes]
    out()
    is_changed = rest or found.log_lines_changed
    indented(total or ("other changes only" if is_changed else "nothing has changed"))


def _counted(count: int, title: str) -> str:
    """``1 thread opened``, ``2 threads opened``, ``1 new``."""
    first, *rest = title.split()
    return " ".join([str(count), first.removesuffix("s") if count == 1 else first, *rest])


def _changed_parts(agent: AgentDifference) -> list[str]:
    parts = [key for key in agent.state if key not in _QUIET]
    parts += [layer.name for layer in LAYERS if agent.layers[layer.name]]
    return [*parts, *(["persona"] if agent.persona_changed else [])]


def _post(item: object) -> str:
    if not isinstance(item, dict):
        return shorten(item)
    return f"{item.get('type', '')} from {item.get('from', '?')}: {clip_line(str(item.get('content', '')), 200)}"


def shorten(value: object) -> str:
    """Return a value as a short text."""
    return clip_line(_as_text(value), VALUE) or "“”"


def shorten_both(old: object, new: object) -> tuple[str, str]:
    """Return two values as short texts, from shortly before where they part."""
    one, other = _as_text(old), _as_text(new)
    parts = (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    alike = next(parts, min(len(one), len(other)))
    start = one.rfind(" ", 0, max(0, alike - BEFORE)) + 1 if max(len(one), len(other)) > VALUE else 0
    lead = "… " if start else ""
    before, after = (clip_line(lead + text[start:], VALUE) or "“”" for text in (one, other))
    return before, after


def _as_text(value: object) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
