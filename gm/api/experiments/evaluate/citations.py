"""How plans, threads and reflections are cited, and what reflections rest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from gm.api.experiments.evaluate.material import Material
from gm.api.experiments.evaluate.measure import ALL, BY_WILSON, Case, Figure, Found, Measure, share
from gm.base.texts import clip
from gm.model.node import Node
from gm.model.thread import GAME_MASTER

REFLECTION = "reflection"
KINDS = ("observation", "conversation", "plan", REFLECTION)
LIVED = ("observation", "conversation", "artifact")
SHOWN_CHARACTERS = 120


def _count_citations(material: Material) -> Found:
    nodes = {node.id: node for known in material.known.values() for node in known.values()}
    lived = [(name, node) for name, own in material.memories.items() for node in own]
    found = [(name, node) for name, node in lived if material.covers(node.created)]
    if not found:
        return (), (), "nothing was remembered"
    cited = {one for _, node in lived for one in node.evidence if one in nodes and _is_earlier(nodes[one], node)}
    figures: list[Figure] = []
    for kind in KINDS:
        of_kind = [node.id in cited for _, node in found if node.type == kind and node.when.day < material.last]
        figures.append(share(ALL, f"{kind}: cited later", sum(of_kind), len(of_kind)))
    figures.append(_share_resumed(material))
    rests = [(name, node, _explain_groundless(node, nodes)) for name, node in found if node.type == REFLECTION]
    for of in (ALL, *material.world.agents):
        own = [why for name, _, why in rests if of in (ALL, name)]
        if own or of == ALL:
            figures.append(share(of, "reflection: rests on what was lived", own.count(""), len(own)))
    cases = [
        Case(agent=name, at=node.id, text=f"{why}: {clip(node.description, SHOWN_CHARACTERS)}")
        for name, node, why in rests
        if why
    ]
    return figures, cases, ""


def _is_earlier(cited: Node, citing: Node) -> bool:
    return cited.when <= citing.when and cited.id != citing.id


def _explain_groundless(reflection: Node, nodes: Mapping[str, Node]) -> str:
    """Return why a reflection does not rest on anything lived, by itself or by others; empty when it does."""
    if not reflection.evidence:
        return "cites nothing"
    met, left = {reflection.id}, [reflection]
    while left:
        citing = left.pop()
        for one in citing.evidence:
            node = nodes.get(one)
            if node is None or one in met or not _is_earlier(node, citing):
                continue
            if node.type in LIVED:
                return ""
            met.add(one)
            left.append(node)
    return "cites no memory that it could" if len(met) == 1 else "cites nothing lived"


def _share_resumed(material: Material) -> Figure:
    """Return the share of threads that somebody came back to."""
    taken = Counter(_list_taken_ids(material))
    own = [thread.id in taken for thread in material.threads if material.covers(thread.opened)]
    return share(ALL, "thread: taken up later", sum(own), len(own))


def _list_taken_ids(material: Material) -> Iterator[str]:
    for log in material.days:
        for entry in log.scenes:
            yield from entry.answers
    for own in material.memories.values():
        for node in own:
            yield from node.evidence
            yield str(node.metadata.get("thread", ""))
    yield from (thread.id for thread in material.threads if thread.closed_by not in ("", GAME_MASTER))


CITATIONS = Measure(
    name="citations",
    definition="Of the memories of a kind that were made before the last day, the share that a later memory of"
    " anybody cites as evidence. Memories cite no threads: one is taken up when a later scene is played for it (the"
    " logbook's answers), when a memory names its id, or when a character settles it. A reflection rests on what"
    f" was lived when its evidence, or the evidence of that, reaches {', '.join(LIVED[:-1])} or {LIVED[-1]}; what"
    " does not exist or is younger does not count.",
    source="evidence of the streams; reflections as trees whose leaves are observations: Park et al. 2023, section 4.2",
    compute=_count_citations,
    interval=BY_WILSON,
)
