"""The evidence around a memory as a graph for Graphviz."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gm.tools.why.evidence import edges

LABEL_CHARACTERS = 90
LINE_CHARACTERS = 30
_SHAPES = {"reflection": "ellipse", "plan": "note", "artifact": "component", "conversation": "cds"}


def render_dot(document: Mapping[str, Any]) -> str:
    """Write a document of ``gm why`` as a digraph: an arrow leads from a memory to what it rests on.

    Every text is quoted and escaped; nothing that a character said is read as a part of the graph.
    """
    top = {**document["node"], "id": document["id"]}
    nodes: dict[str, Mapping[str, Any]] = {document["id"]: top}
    arrows: dict[tuple[str, str], None] = {}
    for above, item in edges(document):
        known = nodes.get(item["id"])
        if known is None or "description" not in known:
            nodes[item["id"]] = item
        arrows[above, item["id"]] = None
    for item in document["rests_on_it"]:
        nodes.setdefault(item["id"], item)
        arrows[item["id"], document["id"]] = None
    lines = ["digraph why {", "  rankdir=TB;", '  node [fontname="sans-serif", fontsize=10];']
    lines += [f"  {_quoted(name)} [{_look(item, bold=name == document['id'])}];" for name, item in nodes.items()]
    lines += [f"  {_quoted(above)} -> {_quoted(below)};" for above, below in arrows]
    lines += [
        f'  {_quoted(item["id"])} -> {_quoted(document["id"])} [style=dashed, label="copy"];'
        for item in document["copies"]
    ]
    return "\n".join([*lines, "}", ""])


def _look(item: Mapping[str, Any], *, bold: bool) -> str:
    if item.get("missing"):
        return f"label={_quoted(item['id'] + chr(10) + 'missing')}, style=dotted"
    shape = _SHAPES.get(str(item.get("type", "")), "box")
    label = f"{item['id']} ({item.get('importance', '?')})\n{_wrapped(str(item.get('description', '')))}"
    return f"label={_quoted(label)}, shape={shape}" + (", penwidth=3" if bold else "")


def _wrapped(text: str) -> str:
    words = " ".join(text.split())
    words = words if len(words) <= LABEL_CHARACTERS else words[: LABEL_CHARACTERS - 1].rstrip() + "…"
    lines = [""]
    for word in words.split():
        if lines[-1] and len(lines[-1]) + len(word) >= LINE_CHARACTERS:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


def _quoted(text: str) -> str:
    """Write a text between quotation marks; control characters become spaces, a line feed a line of the label."""
    plain = "".join(sign if sign == "\n" or sign.isprintable() else " " for sign in text)
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
