"""The evidence around a memory, as a Graphviz graph."""

from __future__ import annotations

from gm.api.why.describe import Why
from gm.api.why.origin import edges
from gm.model.node import Node

LABEL_CHARACTERS = 90
LINE_CHARACTERS = 30
_SHAPES = {"reflection": "ellipse", "plan": "note", "artifact": "component", "conversation": "cds"}


def render_dot(why: Why) -> str:
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
    lines += [f"  {_quoted(name)} [{_look(name, node, bold=name == why.id)}];" for name, node in nodes.items()]
    lines += [f"  {_quoted(above)} -> {_quoted(below)};" for above, below in arrows]
    lines += [f'  {_quoted(item.id)} -> {_quoted(why.id)} [style=dashed, label="copy"];' for item in why.copies]
    return "\n".join([*lines, "}", ""])


def _look(name: str, node: Node | None, *, bold: bool) -> str:
    if node is None:
        return f"label={_quoted(name + chr(10) + 'missing')}, style=dotted"
    label = f"{name} ({node.importance})\n{_wrapped(node.description)}"
    return f"label={_quoted(label)}, shape={_SHAPES.get(node.type, 'box')}" + (", penwidth=3" if bold else "")


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
    plain = "".join(sign if sign == "\n" or sign.isprintable() else " " for sign in text)
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
