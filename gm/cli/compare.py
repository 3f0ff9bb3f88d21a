"""``gm compare``: two runs side by side: where they part, curves, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click

from gm.cli import complete
from gm.cli.options import chosen_world, examples, json_option
from gm.cli.paint import paint, wrapped
from gm.cli.terminal import clip, counted, out, out_json, safe
from gm.cli.world import OPTIONS

LEVELS = "▁▂▃▄▅▆▇█"
NOTHING = "·"
MOST = 5
WHAT = {
    "chosen": "another scene was chosen",
    "reply": "the same scene, other answers",
    "edit": "a memory differs in a scene that is the same: edited by hand",
    "end": "one run goes on here, the other does not",
}


@click.command(epilog=examples("gm compare ../studio ../studio-what-if", "gm compare day-001 day-002"))
@click.argument("first", metavar="A", shell_complete=complete.days)
@click.argument("second", metavar="B", shell_complete=complete.days)
@click.option(*OPTIONS, metavar="DIR", help="The world whose commits and days are meant; default: this folder.")
@json_option
@click.pass_context
def compare(context: click.Context, first: str, second: str, world: str | None, as_json: bool) -> None:
    """Hold two runs against each other: where they part, and what came of it.

    A and B are folders of worlds, or commits, branches or days (day-003) of one world. Memories are matched by what
    they say, not by their ids.
    """
    from gm.tools.compare.describe import describe_comparison

    document = describe_comparison(first, second, lambda: chosen_world(context, world))
    if as_json:
        out_json(document)
    else:
        _show(document)


def sparkline(values: Sequence[float | None], low: float, high: float) -> str:
    """Write numbers as a line of little bars, one a day; a dot where there is none.

    >>> sparkline([1, None, 10], 1, 10)
    '▁·█'
    """
    top = len(LEVELS) - 1
    return "".join(
        NOTHING if value is None else LEVELS[max(0, min(top, round((value - low) / (high - low) * top)))]
        for value in values
    )


def _show(document: Mapping[str, Any]) -> None:
    for side in ("a", "b"):
        one = document[side]
        day = "" if one["day"] is None else f", day {one['day']}{' (open)' if one['open'] else ''}"
        out(paint(safe(f"{side.upper()}  {one['name']}{day}"), bold=True))
    for item in document["unreadable"]:
        _say(f"! {item['side'].upper()} {item['path']}:{item['line']}: {item['message']}", "red")
    given = document["given"]
    changed = [f"{key}: {_short(old)} | {_short(new)}" for key, (old, new) in given["settings"].items()]
    _section("given", [*changed, *given["files"], *_posts(document["board"])])
    _show_parting(document["parting"])
    _show_curves(document)
    _show_rest(document)


def _posts(board: Mapping[str, Sequence[Any]]) -> list[str]:
    return [
        f"{side.upper()} only: {clip(str(post.get('content', '')), 90) if isinstance(post, dict) else _short(post)}"
        for side in ("a", "b")
        for post in board[f"only_{side}"]
    ]


def _show_parting(parting: Mapping[str, Any] | None) -> None:
    out()
    if parting is None:
        out(paint("the two tell the same", "green"))
        return
    keys = f" ({', '.join(parting['keys'])})" if parting["keys"] else ""
    out(paint(safe(f"they part at {parting['place']}: {WHAT[parting['what']]}{keys}"), "yellow", bold=True))
    for side in ("a", "b"):
        scene = parting[side]
        if scene is None:
            _say(f"  {side.upper()}  –")
        else:
            who = ", ".join(scene["participants"])
            _say(f"  {side.upper()}  {scene['type']} {who}: {clip(scene['summary'], 160)}")
    if parting["what"] == "edit":
        for item in parting["memories"][:MOST]:
            for side in ("a", "b"):
                node = item[side]
                told = "–" if node is None else f"{node['id']} ({node['importance']}) {clip(node['description'], 120)}"
                _say(f"  {side.upper()}  {told}")


def _show_curves(document: Mapping[str, Any]) -> None:
    days = document["days"]
    if not days:
        return
    out()
    out(paint(f"day by day, {days[0]} to {days[-1]}", "cyan", bold=True))
    wide = max(map(len, document["agents"]), default=0)
    for name, agent in document["agents"].items():
        rows = [("importance", agent["importance"], 1.0, 10.0)]
        rows += [(f"trusts {who}", curve, -1.0, 1.0) for who, curve in agent["trust"].items()]
        for title, curve, low, high in rows:
            if any(value is not None for side in ("a", "b") for value in curve[side]):
                lines = "  ".join(
                    f"{side.upper()} {sparkline(curve[side], low, high)} {_last(curve[side]):>5}" for side in ("a", "b")
                )
                out(safe(f"  {name:<{wide}}  {title:<16}  {lines}"))
        moods = agent["mood"]
        if any(moods["a"]) or any(moods["b"]):
            marks = "".join(_mark(one, other) for one, other in zip(moods["a"], moods["b"], strict=True))
            last = " | ".join(clip(str(_final(moods[side]) or "–"), 28) for side in ("a", "b"))
            out(safe(f"  {name:<{wide}}  {'mood':<16}  {marks}  {last}"))


def _mark(one: str | None, other: str | None) -> str:
    if one is None or other is None:
        return NOTHING
    return "=" if one == other else "≠"


def _show_rest(document: Mapping[str, Any]) -> None:
    scenes, works = document["scenes"], document["artifacts"]
    lines = [
        f"{name}: {item['same']} in both, {len(item['only_a'])} only in A, {len(item['only_b'])} only in B"
        for name, item in document["memories"].items()
    ]
    _section("memories, by what they say", lines)
    head = f"{scenes['a']} in A, {scenes['b']} in B, {scenes['same']} the same"
    listed = [f"{item['place']} {item['what']}: {item['a'] or '–'} | {item['b'] or '–'}" for item in scenes["differ"]]
    _section("scenes", [head, *_first(listed)])
    pieces = [f"{side.upper()} only: {path}" for side in ("a", "b") for path in works[f"only_{side}"]]
    pieces += [f"differs: {path}" for path in works["differ"]]
    _section("gallery", [f"{counted(len(works['same']), 'piece')} the same", *_first(pieces)])
    costs = document["costs"]
    _section("cost", [f"{side.upper()}  {_price(costs[side])}" for side in ("a", "b")])


def _first(lines: Sequence[str]) -> list[str]:
    rest = len(lines) - MOST
    return [*lines[:MOST], *([f"… and {rest} more; all of them with --json"] if rest > 0 else [])]


def _price(totals: Mapping[str, Any] | None) -> str:
    if totals is None:
        return "not known: traces are kept beside the files, not in git"
    from gm.cli.money import price_of

    tokens = totals["tokens"]
    asked = tokens["input"] + tokens["cache_read"] + tokens["cache_write"]
    return f"{totals['calls']:,} calls, {asked:,} tokens in, {tokens['output']:,} out, {price_of(totals)}"


def _section(title: str, lines: Sequence[str]) -> None:
    if lines:
        out()
        out(paint(title, "cyan", bold=True))
    for line in lines:
        _say(f"  {line}")


def _last(values: Sequence[float | None]) -> str:
    value = _final(values)
    return "–" if value is None else f"{value:.2f}"


def _final(values: Sequence[Any]) -> Any:
    return next((value for value in reversed(values) if value is not None), None)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return clip(text, 60) or "“”"


def _say(text: str, colour: str | None = None) -> None:
    plain = text.lstrip(" ")
    for line in wrapped(plain, 6, " " * (len(text) - len(plain))):
        out(paint(line, colour) if colour else line)
