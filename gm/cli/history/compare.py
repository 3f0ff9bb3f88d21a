"""``gm compare``: two runs side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, takewhile
from typing import TYPE_CHECKING, Any

import click

from gm.base.texts import clip_line, counted, quoted
from gm.cli import complete
from gm.cli.commands import chosen_world, examples, json_option
from gm.cli.history.diff import shorten, shorten_both
from gm.cli.terminal import heading, indented, out, paint, safe, show
from gm.cli.world import OPTIONS

if TYPE_CHECKING:
    from gm.api.history.compare.comparison import BoardDifference, Comparison, EventDifference
    from gm.api.history.compare.lines import LineDifference
    from gm.api.history.compare.parting import Parting
    from gm.api.reports.cost import CostSum

LEVELS = "▁▂▃▄▅▆▇█"
NOTHING = "·"
MOST = 5
CONTEXT = 20
"""Characters of a line that are shown before what differs."""
WHAT = {
    "chosen": "another scene was chosen",
    "reply": "the same scene, other answers",
    "edit": "a memory differs in a scene that is the same: edited by hand",
    "end": "one run goes on here, the other does not",
}


@click.command(epilog=examples("gm compare ../studio ../studio-what-if", "gm compare day-001 day-002"))
@click.argument("first", type=complete.DAY, metavar="A")
@click.argument("second", type=complete.DAY, metavar="B")
@click.option(*OPTIONS, metavar="DIR", help="World of the commits and days; default: this folder.")
@json_option
@click.pass_context
def compare(context: click.Context, first: str, second: str, world: str | None, as_json: bool) -> None:
    """Compare two runs: where they diverge and how they end.

    A and B are folders of worlds, or commits, branches or days (day-003) of one world. Memories are matched by what
    they say, not by their ids.
    """
    from gm.api.history.compare.comparison import describe_comparison

    show(describe_comparison(first, second, lambda: chosen_world(context, world)), as_json, _show_comparison)


def sparkline(values: Sequence[float | None], low: float, high: float) -> str:
    """Write numbers as bars, one a day; a dot for None.

    >>> sparkline([1, None, 10], 1, 10)
    '▁·█'
    """
    top = len(LEVELS) - 1
    return "".join(
        NOTHING if value is None else LEVELS[max(0, min(top, round((value - low) / (high - low) * top)))]
        for value in values
    )


def _show_comparison(found: Comparison) -> None:
    for name, run in _sides(found):
        day = "" if run.day is None else f", day {run.day}{' (open)' if run.open else ''}"
        out(paint(safe(f"{name}  {run.name}{day}"), bold=True))
    for item in found.unreadable:
        indented(f"! {item.side.upper()} {item.path}:{item.line}: {item.message}", "red", 6)
    changed = [f"{key}: {' | '.join(shorten_both(old, new))}" for key, (old, new) in found.given.settings.items()]
    files = [line for path in found.given.files for line in _with_line(path, found.lines.get(path))]
    events = _events(found.given.events) if found.given.events else []
    _show_section("given", [*changed, *files, *events, *_posts(found.board, by_hand=True)])
    _show_parting(found.parting, found.lines)
    _show_curves(found)
    _show_rest(found)


def _sides(pair: Any) -> tuple[tuple[str, Any], tuple[str, Any]]:
    return ("A", pair.a), ("B", pair.b)


def _events(events: EventDifference) -> list[str]:
    return [
        f"{name} only: event of day {event.get('day')}: {clip_line(str(event.get('event', '')), 90)}"
        if isinstance(event, dict)
        else f"{name} only: event: {shorten(event)}"
        for name, found in (("A", events.only_a), ("B", events.only_b))
        for event in found
    ]


def _posts(board: BoardDifference, *, by_hand: bool) -> list[str]:
    # scene 0: put up by a person between scenes; what a character puts up names its scene
    return [
        f"{name} only: {clip_line(str(post.get('content', '')), 90) if isinstance(post, dict) else shorten(post)}"
        for name, posts in (("A", board.only_a), ("B", board.only_b))
        for post in posts
        if by_hand == (not isinstance(post, dict) or not post.get("scene"))
    ]


def _with_line(head: str, line: LineDifference | None) -> list[str]:
    """Return a line of the answer, and under it the first line that differs, from shortly before the difference."""
    if line is None:
        return [head]
    one, other = line.a or "", line.b or ""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    start = sum(1 for _ in same) - CONTEXT
    sides = ("–" if text is None else quoted(f"…{text[start:]}" if start > 1 else text) for text in (line.a, line.b))
    return [head, f"  {line.at}{': ' if line.at else ''}{' | '.join(sides)}"]


def _show_parting(parting: Parting | None, lines: Mapping[str, LineDifference]) -> None:
    out()
    if parting is None:
        out(paint("the two tell the same", "green"))
        return
    keys = f" ({', '.join(parting.keys)})" if parting.keys else ""
    out(paint(safe(f"they part at {parting.place}: {WHAT[parting.what]}{keys}"), "yellow", bold=True))
    for name, scene in _sides(parting):
        who = f"{scene.type} {', '.join(scene.participants)}: {clip_line(scene.summary, 160)}" if scene else "–"
        indented(f"  {name}  {who}", None, 6)
    for line in _with_line("", lines.get(parting.place))[1:]:
        indented(f"  {line}", None, 6)
    for item in parting.memories[:MOST] if parting.what == "edit" else ():
        texts = [clip_line(node.description, 120) if node else "" for node in (item.a, item.b)]
        if texts[0] == texts[1] and item.a and item.b:
            texts = [*shorten_both(item.a.description, item.b.description)]
        for (name, node), text in zip(_sides(item), texts, strict=True):
            memory = f"{node.id} ({node.importance}) {text}" if node else "–"
            indented(f"  {name}  {memory}", None, 6)


def _show_curves(found: Comparison) -> None:
    days = found.days
    if not days:
        return
    heading(f"day by day, {days[0]} to {days[-1]}", "cyan")
    wide = max(map(len, found.agents), default=0)
    same = 0
    for name, agent in found.agents.items():
        rows = [("importance", agent.importance, 1.0, 10.0)]
        rows += [(f"trusts {who}", curve, -1.0, 1.0) for who, curve in agent.trust.items()]
        for title, curve, low, high in rows:
            if curve.a == curve.b:
                same += any(value is not None for value in curve.a)
            else:
                lines = "  ".join(
                    f"{side} {sparkline(values, low, high)} {_render_final(values):>5}"
                    for side, values in _sides(curve)
                )
                out(safe(f"  {name:<{wide}}  {title:<16}  {lines}"))
        moods = agent.mood
        if moods.a == moods.b:
            same += any(moods.a)
        else:
            marks = "".join(_mark(one, other) for one, other in zip(moods.a, moods.b, strict=True))
            last = " | ".join(clip_line(str(_final(values) or "–"), 28) for _, values in _sides(moods))
            out(safe(f"  {name:<{wide}}  {'mood':<16}  {marks}  {last}"))
    if same:
        out(f"  {counted(same, 'row')} the same in both; all of them with --json")


def _mark(one: str | None, other: str | None) -> str:
    if one is None or other is None:
        return NOTHING
    return "=" if one == other else "≠"


def _show_rest(found: Comparison) -> None:
    scenes, works = found.scenes, found.artifacts
    lines = [
        f"{name}: {item.same} in both, {len(item.only_a)} only in A, {len(item.only_b)} only in B"
        for name, item in found.memories.items()
    ]
    _show_section("memories, by what they say", lines)
    head = f"{scenes.a} in A, {scenes.b} in B, {scenes.same} the same"
    listed = [
        _with_line(f"{item.place} {item.what}: {item.a or '–'} | {item.b or '–'}", found.lines.get(item.place))
        for item in scenes.differ
    ]
    _show_section("hung up by characters", _posts(found.board, by_hand=False))
    _show_section("scenes", [head, *_clip_lines(listed)])
    pieces = [[f"{name} only: {path}"] for name, paths in (("A", works.only_a), ("B", works.only_b)) for path in paths]
    pieces += [_with_line(f"differs: {path}", found.lines.get(path)) for path in works.differ]
    _show_section("gallery", [f"{counted(len(works.same), 'piece')} the same", *_clip_lines(pieces)])
    _show_section("cost", [f"{name}  {_price(totals)}" for name, totals in _sides(found.costs)])


def _clip_lines(items: Sequence[Sequence[str]]) -> list[str]:
    rest = len(items) - MOST
    return [*chain(*items[:MOST]), *([f"… and {rest} more; all of them with --json"] if rest > 0 else [])]


def _price(totals: CostSum | None) -> str:
    from gm.cli.inspecting.cost import calls_in_words

    return "not known: traces are kept beside the files, not in git" if totals is None else calls_in_words(totals)


def _show_section(title: str, lines: Sequence[str]) -> None:
    if lines:
        heading(title, "cyan")
    for line in lines:
        indented(f"  {line}", None, 6)


def _render_final(values: Sequence[float | None]) -> str:
    value = _final(values)
    return "–" if value is None else f"{value:.2f}"


def _final(values: Sequence[Any]) -> Any:
    return next((value for value in reversed(values) if value is not None), None)
