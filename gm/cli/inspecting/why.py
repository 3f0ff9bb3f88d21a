"""``gm why``: how a memory came to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from gm.base.errors import UsageError
from gm.base.texts import clip_line
from gm.base.untyped import items_of
from gm.cli import complete
from gm.cli.commands import Output, examples, world_command
from gm.cli.terminal import heading, out, paint, paragraph, safe, width
from gm.files.layout import Layout

if TYPE_CHECKING:
    from gm.api.reports.why.describe import Why, WorkOrigin
    from gm.api.reports.why.origin import CitedMemory
    from gm.api.reports.why.questions import ModelCall, SentPrompt

MOST_LINES = 60
MOST_CITING = 12
CLIPPED = 240


@world_command(epilog=examples("gm why ID", "gm why ID --dot | dot -Tsvg > why.svg"))
@click.argument("node", type=complete.NODE_OR_WORK, metavar="NODE")
@click.option("--prompt", "whole", is_flag=True, help="Print the whole prompt that led to the memory.")
@click.option("--dot", is_flag=True, help="Print the evidence as a graph for Graphviz.")
def why(layout: Layout, node: str, whole: bool, dot: bool, as_json: bool) -> Output:
    """Show the origin of a memory or a piece of work.

    NODE is the id of a memory (vera-042), or a file in the gallery. Shown are its scene and why the Game Master chose
    it, the question and the raw answer, what they took, what the memory rests on, down to what was lived, and what
    rests on it.
    """
    from gm.api.reports.why.describe import describe_why

    if dot and as_json:
        raise UsageError("--dot and --json exclude each other", "leave one of them out")
    return Output(_show_dot if dot else partial(_show_why, whole), describe_why(layout, node, prompts=whole))


def _show_dot(document: Why) -> None:
    from gm.api.reports.why.describe import render_evidence_dot

    out(render_evidence_dot(document).rstrip("\n"), whole=True)


def _show_why(whole: bool, document: Why) -> None:
    record = document.node
    depth = f", depth {record.depth}" if record.depth else ""
    head = f"{document.id}  {record.type}{depth}, importance {record.importance}, {record.created}"
    out(paint(safe(head), "cyan", bold=True))
    paragraph(record.description, indent=2)
    if record.tags:
        paragraph("#" + " #".join(record.tags), indent=2, colour="blue")
    out(paint(safe(f"  {document.path}:{document.line}"), dim=True))
    heading("Where it comes from")
    paragraph(document.origin_text, indent=2)
    _show_original(document)
    if document.scene:
        _show_scene(document.scene)
    _show_questions(document.questions, whole=whole)
    for text in document.missing:
        paragraph(text, indent=2, first="  ! ", colour="yellow")
    _show_artifact(document.artifact)
    _show_evidence(document)


def _show_original(document: Why) -> None:
    source, original = document.copied_from, document.original
    if source:
        text = source.found.node.description if source.found else "missing"
        paragraph(f"{source.id} {text}", indent=4, first="  copied from: ")
    if original:
        name = f"{original['id']} " if "id" in original else ""
        text = "missing" if original.get("missing") else str(original.get("description", original.get("value", "")))
        paragraph(f"{name}{text}", indent=4, first="  originally: ")


def _show_scene(scene: Mapping[str, Any]) -> None:
    heading("Scene")
    names = ", ".join(map(str, scene.get("participants") or []))
    where = " · ".join(str(scene[key]) for key in ("type", "time_of_day", "clock", "location") if scene.get(key))
    moved = scene.get("moved_to")
    where = " → ".join([where, *map(str, items_of(moved))])
    paragraph(f"{scene['created']}  {where}", indent=2)
    if names:
        paragraph(names, indent=2)
    if scene.get("why"):
        by = scene.get("director")
        paragraph(str(scene["why"]), indent=4, first=f"  why{f' ({by})' if by else ''}: ")
    if scene.get("score"):
        points = ", ".join(f"{part} {value:g}" for part, value in scene["score"].items())
        paragraph(points, indent=4, first="  score: ")
    if scene.get("summary"):
        paragraph(clip_line(str(scene["summary"]), CLIPPED), indent=4, first="  what happened: ")
    out(paint(safe(f"  {scene['path']}:{scene['line']}"), dim=True))


def _show_questions(questions: Sequence[ModelCall], *, whole: bool) -> None:
    if not questions:
        return
    heading("Questions and answers")
    made = [item for item in questions if item.made_it]
    for item in questions:
        mark = paint("→ ", "green", bold=True) if item.made_it else "  "
        out(mark + paint(safe(f"{item.label} ({item.purpose}): {_taken(item)}"), bold=item.made_it))
        out(paint(safe(f"  {item.path}"), dim=True))
        for repair in item.repairs:
            paragraph(repair, indent=4, first="  repaired: ", colour="yellow")
    for item in made or questions[:1]:
        if item.prompt:
            _show_prompt(item.prompt)
        paragraph(item.answer, indent=4, first=f"  {'raw answer' if whole else 'answered'}: ")
    if not whole:
        out(paint("  the whole question: --prompt", dim=True))


def _taken(item: ModelCall) -> str:
    tokens = item.tokens
    read = tokens["input"] + tokens["cache_read"] + tokens["cache_write"]
    price = "price not known" if item.usd is None else f"${item.usd:.4f}"
    cached = f" ({tokens['cache_read']} cached)" if tokens["cache_read"] else ""
    return f"{item.model}, {read}{cached} tokens in, {tokens['output']} out, {price}"


def _show_prompt(prompt: SentPrompt) -> None:
    for number, block in enumerate(prompt.system, 1):
        out(paint(f"--- system {number}", "magenta"))
        out(safe(str(block)), whole=True)
    for message in prompt.messages:
        out(paint(safe(f"--- {message.get('role', '?')}"), "magenta"))
        out(safe(str(message.get("content", ""))), whole=True)
    out(paint("---", "magenta"))


def _show_artifact(artifact: WorkOrigin | None) -> None:
    if not artifact:
        return
    heading("Piece of work")
    out(safe(f"  {artifact.path}") + ("" if artifact.readable else paint("  (not there)", "yellow")))
    made, seen = artifact.made_in, artifact.seen_by
    if made and made.found:
        out(safe(f"  made by {made.found.agent}: {made.id}"))
    if seen:
        paragraph(", ".join(item.id for item in seen), indent=4, first="  seen by: ")


def _show_evidence(document: Why) -> None:
    heading("Rests on")
    lines: list[str] = []
    _tree(document.evidence, "", lines)
    for line in lines[:MOST_LINES] or ["  nothing: it was lived, or no evidence was given"]:
        out(line)
    if len(lines) > MOST_LINES:
        out(paint(f"  … and {len(lines) - MOST_LINES} more: --json has all", dim=True))
    for title, items in (("What rests on it", document.rests_on_it), ("Copies", document.copies)):
        if items:
            heading(title)
        for item in items[:MOST_CITING]:
            out(_cited_line(item, "  "))
        if len(items) > MOST_CITING:
            out(paint(f"  … and {len(items) - MOST_CITING} more: --json has all", dim=True))


def _tree(items: Sequence[CitedMemory], before: str, lines: list[str]) -> None:
    for place, item in enumerate(items):
        is_last = place == len(items) - 1
        lines.append(_cited_line(item, f"  {before}{'└─ ' if is_last else '├─ '}"))
        _tree(item.evidence or (), before + ("   " if is_last else "│  "), lines)


def _cited_line(item: CitedMemory, before: str) -> str:
    from gm.files.streams.find import STREAM

    name = safe(item.id)
    if item.found is None:
        return before + paint(f"{name} is missing", "red")
    note = " (see above)" if item.again else " (…)" if item.cut else ""
    node, home = item.found.node, item.found.home
    head = f" {node.type} ({node.importance}){f' [{home}]' if home != STREAM else ''}{note} "
    room = max(20, width() - len(before) - len(name) - len(head))
    colour = "magenta" if node.depth else "green"
    return before + paint(name, colour) + head + safe(clip_line(node.description, room))
