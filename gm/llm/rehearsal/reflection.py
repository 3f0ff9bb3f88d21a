"""Reflection: clusters of memories that share a tag, and what the character takes from each."""

from __future__ import annotations

from gm.llm.rehearsal.facts import Cue, Remembered
from gm.llm.rehearsal.quoting import in_quotes, to_slot, to_tag
from gm.llm.rehearsal.remember import make_tags
from gm.llm.rehearsal.voice import Voice
from gm.llm.rehearsal.works import DULL

Cluster = tuple[str, list[Remembered]]


def compose_reflection(cue: Cue, voice: Voice) -> dict[str, object]:
    """Compose the insights of one evening; each cites the memories it came from."""
    low, high = cue.insights
    nodes = [node for node in cue.memories if node.id]
    wanted = max(1, min(high, max(low, len(nodes) // 6)))
    chosen = clusters_of(cue, nodes)[:wanted]
    lived = [node for node in nodes if node.depth == 0] or nodes
    spare = [node for node in lived if not any(node in members for _, members in chosen)] or lived
    while len(chosen) < wanted:
        chosen.append(("", spare[len(chosen) % max(1, len(spare)) :][:2] or lived[:2]))
    chosen = _with_depth(chosen, nodes)
    return {
        "insights": [_insight(cue, voice, tag, members) for tag, members in chosen],
        "thoughts": voice.own("thoughts") or voice.phrase("thought_alone", task=_fallback_about(cue)),
        "mood": voice.own("moods") or voice.phrase("mood"),
    }


def clusters_of(cue: Cue, nodes: list[Remembered]) -> list[Cluster]:
    """Group by tag, heaviest first; a memory counts for one cluster only."""
    by_tag: dict[str, list[Remembered]] = {}
    dull = {*DULL, *cue.places}
    for node in (node for node in nodes if node.depth == 0):
        for tag in dict.fromkeys(node.tags):
            if tag not in dull:
                by_tag.setdefault(tag, []).append(node)
    used: set[str] = set()
    found: list[Cluster] = []
    for tag in sorted(by_tag, key=lambda tag: (-_weight(cue, tag, by_tag[tag]), tag)):
        members = [node for node in by_tag[tag] if node.id not in used]
        if len(members) >= 2:
            kept = sorted(sorted(members, key=lambda node: -node.importance)[:4], key=lambda node: node.id)
            used.update(node.id for node in kept)
            found.append((tag, kept))
    return found


def _weight(cue: Cue, tag: str, members: list[Remembered]) -> int:
    known = 10 if tag in cue.persona.topics or tag in cue.names else 0
    return known + sum(sorted((node.importance for node in members), reverse=True)[:4])


def _with_depth(chosen: list[Cluster], nodes: list[Remembered]) -> list[Cluster]:
    """See to it that an earlier insight is cited where there is one."""
    deep = [node for node in nodes if node.depth >= 1]
    if not deep or not chosen or any(node.depth >= 1 for _, members in chosen for node in members):
        return chosen
    tag, members = next(((t, m) for t, m in chosen if any(t in node.tags for node in deep)), chosen[0])
    lowest = min(node.depth for node in deep)
    fitting = next((n for n in reversed(deep) if tag in n.tags and n.depth == lowest), None)
    fitting = fitting or next(n for n in reversed(deep) if n.depth == lowest)
    place = chosen.index((tag, members))
    return [*chosen[:place], (tag, [fitting, *members[:3]]), *chosen[place + 1 :]]


def _insight(cue: Cue, voice: Voice, tag: str, members: list[Remembered]) -> dict[str, object]:
    text = _text(cue, voice, tag, members)
    people = [one for node in members for one in node.tags if one in cue.names]
    ids = list(dict.fromkeys(node.id for node in members))
    weight = (
        voice.dice.choice((6, 7, 7, 8, 9)) if any(node.depth for node in members) else voice.dice.choice((6, 7, 7, 8))
    )
    return {
        "description": text,
        "importance": weight,
        "tags": make_tags(cue, [tag] if tag else [], people[:2], ["insight"]),
        "evidence": ids[:4],
    }


def _text(cue: Cue, voice: Voice, tag: str, members: list[Remembered]) -> str:
    """Tie a principle of the persona to a person or a topic; without a persona, a phrase says it."""
    person = cue.names.get(tag, "")
    about = voice.shared("with_person", name=person) if person else about_cluster(cue, voice, tag, members)
    own = voice.own("insights", about)
    if not own:
        return voice.phrase("insight", about=about)
    tie = voice.phrase("insight_person", about=person) if person else voice.phrase("insight_tie", about=about)
    return f"{tie} {own}"


def about_cluster(cue: Cue, voice: Voice, tag: str, members: list[Remembered]) -> str:
    """Say in a few words what memories are about that share a tag."""
    if tag in cue.persona.topics:
        return voice.topic(cue.persona.topics[tag])
    if tag:
        return voice.topic(_spelled(tag, members) or tag.replace("-", " "))
    return voice.topic(members[0].description if members else _fallback_about(cue))


def _spelled(tag: str, members: list[Remembered]) -> str:
    """Find the words in quotation marks that a tag was made from, with their capitals; empty when there are none."""
    spans = (span for node in members for span in in_quotes(node.description))
    return next((span for span in spans if to_tag(span) == tag), "")


def _fallback_about(cue: Cue) -> str:
    return to_slot(cue.task) or to_slot(cue.plan[0] if cue.plan else "") or cue.name
