"""What is known about how a memory came to be, and the evidence around it as a Graphviz graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gm.api.answers.document import part
from gm.api.reports.why.origin import (
    MOST_NODES,
    CitedMemory,
    cite,
    cited,
    edges,
    find_citing,
    find_evidence,
    find_scene,
    origin_of,
    original_node,
    sentence_for,
)
from gm.api.reports.why.questions import ModelCall, find_questions
from gm.base.casefold import casefold
from gm.base.errors import GmError
from gm.base.texts import clip_line
from gm.files.commits.snapshot import snapshot
from gm.files.layout import GALLERY, Layout
from gm.files.media.pieces import find_artifact, read_artifact
from gm.files.streams.find import GIFTED, STREAM, SUMMARIES, Finder, FoundMemory, find_memory
from gm.model.calendar import parse_ref
from gm.model.ids import pad_node_id
from gm.model.node import Node, node_record

MADE_BY_ANSWER = ("reply", "talk", "edited", "asked", "game-master", "unknown")
LABEL_CHARACTERS = 90
LINE_CHARACTERS = 30
_SHAPES = {"reflection": "ellipse", "plan": "note", "artifact": "component", "conversation": "cds"}


@dataclass(frozen=True, slots=True)
class WorkOrigin:
    """An artifact; ``made_in`` is the maker's node, ``seen_by`` others that name it."""

    path: str
    readable: bool
    title: Any
    made_in: CitedMemory | None
    seen_by: tuple[CitedMemory, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """How a memory came to be.

    Attributes:
        origin: One word; ``origin_text`` is a sentence.
        missing: What is unknown, and why.
    """

    id: str
    agent: str
    path: str
    line: int
    home: str
    node: Node = part(by=node_record)
    origin: str
    origin_text: str
    scene: Mapping[str, Any] | None
    questions: tuple[ModelCall, ...]
    missing: tuple[str, ...]
    evidence: tuple[CitedMemory, ...]
    rests_on_it: tuple[CitedMemory, ...]
    copied_from: CitedMemory | None
    copies: tuple[CitedMemory, ...]
    original: Mapping[str, Any] | None
    artifact: WorkOrigin | None


def describe_why(layout: Layout, wanted: str, *, prompts: bool = False, below: int = MOST_NODES) -> Why:
    """Return how a memory, or a file of the gallery, came to be.

    Examples:
        >>> gm.describe_why(layout, "casey-002").node.importance
        10

    Args:
        wanted: Id of a memory, or path of a file of the gallery.
        prompts: Whether the prompts of its scene are returned as well.
        below: Greatest number of memories in ``evidence``.

    Raises:
        GmError: No such memory.
    """
    with snapshot(layout):
        finder = Finder(layout)
        found = _find_wanted(layout, finder, wanted)
        return _describe_memory(layout, finder, found, prompts=prompts, below=below)


def _find_wanted(layout: Layout, finder: Finder, wanted: str) -> list[FoundMemory]:
    if ref := parse_ref(wanted):
        raise GmError(f"{wanted} is no memory", f"why its scenes were chosen: gm log {ref.day}")
    is_seed = wanted.startswith(f"{GIFTED}/")
    if not is_seed and (GALLERY in wanted or "/" in wanted or wanted.endswith(".md")):
        path = find_artifact(layout, wanted)
        made = [item for item in finder.mentioning(path) if item.node.type == "artifact"]
        if made:
            return made[:1]
        raise GmError(f"no memory says who made {path}", "an artifact node names its file in metadata.artifact_path")
    found = find_memory(layout, wanted) if is_seed else finder.find(pad_node_id(wanted))
    if found:
        return found
    near = finder.near(wanted)
    raise GmError(
        f"there is no memory {wanted!r}",
        "the nearest: " + ", ".join(near) if near else "the cast: " + ", ".join(finder.names),
    )


def _describe_memory(
    layout: Layout, finder: Finder, places: Sequence[FoundMemory], *, prompts: bool, below: int
) -> Why:
    found = places[0]
    node = found.node
    scene = find_scene(layout, node)
    original = original_node(layout, found.path, node)
    questions: tuple[ModelCall, ...] = ()
    if found.home not in (GIFTED, SUMMARIES):
        questions = find_questions(layout, found.agent, node, original, prompts=prompts)
    origin = origin_of(found, scene, questions, original)
    if origin not in MADE_BY_ANSWER:
        questions = ()
    citing, copies = find_citing(finder, node)
    return Why(
        id=node.id,
        agent=found.agent,
        path=found.path,
        line=found.line,
        home=found.home,
        node=node,
        origin=origin,
        origin_text=sentence_for(origin, found),
        scene=scene,
        questions=questions,
        missing=tuple(_say_what_is_missing(layout, places, scene, origin, questions)),
        evidence=find_evidence(finder, node, below),
        rests_on_it=citing,
        copied_from=cite(finder, source) if (source := node.copied_from) else None,
        copies=copies,
        original=_original(finder, node) or _describe_first_wording(questions, original, node),
        artifact=_artifact(layout, finder, node),
    )


def _say_what_is_missing(
    layout: Layout,
    places: Sequence[FoundMemory],
    scene: Mapping[str, Any] | None,
    origin: str,
    questions: Sequence[ModelCall],
) -> list[str]:
    said = []
    node = places[0].node
    is_gifted = places[0].home == GIFTED  # numbers of seed memories are their own
    if again := [item for item in places[1:] if (item.home == GIFTED) == is_gifted]:
        others = ", ".join(f"{item.path}:{item.line}" for item in again)
        said.append(f"the id {node.id} is used more than once; also: {others}")
    if scene is None and places[0].home == STREAM and node.when.day:
        log = layout.shown(layout.day_log(node.when.day))
        said.append(f"{log} has no line for {node.created or 'its scene'}: no reason of the scene is known")
    if origin in MADE_BY_ANSWER and not questions:
        where = layout.shown(layout.traces / node.created) if node.created else layout.shown(layout.traces)
        said.append(f"question and answer are not there: nothing of {places[0].agent} in {where} (traces stay local)")
    return said


def _original(finder: Finder, node: Node) -> Mapping[str, Any] | None:
    if not (value := node.original):
        return None
    found = finder.find(value) if len(value) < 100 else []
    return cited(found[0]).record() if found else {"description": value}


def _describe_first_wording(questions: Sequence[ModelCall], original: Node | None, node: Node) -> dict[str, Any] | None:
    stood = next((item.stood for item in questions if item.stood is not None), None)
    if stood is None and original is not None and original.description != node.description:
        stood = original.description
    return None if stood is None else {"description": stood}


def _artifact(layout: Layout, finder: Finder, node: Node) -> WorkOrigin | None:
    if (path := node.piece) is None:
        return None
    others = [item for item in finder.mentioning(path) if item.node.piece == path]
    makers = [item for item in others if item.node.type == "artifact"]
    seen = [item for item in others if item.node.type != "artifact" and casefold(item.node.id) != casefold(node.id)]
    return WorkOrigin(
        path,
        read_artifact(layout, path) is not None,
        node.title or None,
        cited(makers[0]) if makers else None,
        tuple(map(cited, seen)),
    )


def render_evidence_dot(why: Why) -> str:
    """Render a digraph with arrows from memories to their evidence.

    All texts are quoted and escaped; none is read as part of the graph.
    """
    nodes: dict[str, Node | None] = {why.id: why.node}
    below = list(edges(why.id, why.evidence))
    for item in (*(item for _, item in below), *why.rests_on_it):
        nodes[item.id] = nodes.get(item.id) or (item.found.node if item.found else None)
    citing = [(item.id, why.id) for item in why.rests_on_it]
    arrows = dict.fromkeys([*((above, item.id) for above, item in below), *citing])
    lines = ["digraph why {", "  rankdir=TB;", '  node [fontname="sans-serif", fontsize=10];']
    lines += [f"  {_quote_text(name)} [{_look(name, node, bold=name == why.id)}];" for name, node in nodes.items()]
    lines += [f"  {_quote_text(above)} -> {_quote_text(below)};" for above, below in arrows]
    lines += [f'  {_quote_text(item.id)} -> {_quote_text(why.id)} [style=dashed, label="copy"];' for item in why.copies]
    return "\n".join([*lines, "}", ""])


def _look(name: str, node: Node | None, *, bold: bool) -> str:
    if node is None:
        return f"label={_quote_text(name + chr(10) + 'missing')}, style=dotted"
    label = f"{name} ({node.importance})\n{_wrap_label(node.description)}"
    return f"label={_quote_text(label)}, shape={_SHAPES.get(node.type, 'box')}" + (", penwidth=3" if bold else "")


def _wrap_label(text: str) -> str:
    lines = [""]
    for word in clip_line(text, LABEL_CHARACTERS).split():
        if lines[-1] and len(lines[-1]) + len(word) >= LINE_CHARACTERS:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


def _quote_text(text: str) -> str:
    plain = "".join(sign if sign == "\n" or sign.isprintable() else " " for sign in text)
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
