"""Self-care: what a character keeps of its oldest memories, by the tags that weigh most among them."""

from __future__ import annotations

from gm.llm.rehearsal.facts import Cue, Remembered
from gm.llm.rehearsal.quoting import to_slot
from gm.llm.rehearsal.reflection import find_about, find_clusters
from gm.llm.rehearsal.remember import make_tags
from gm.llm.rehearsal.voice import Voice

MOST_THEMES = 3
KEPT = 3  # memories that a theme is told from
KEPT_CHARACTERS = 150


def compose_summary(cue: Cue, voice: Voice) -> dict[str, object]:
    """Compose the themes; each cites the memories that it was made from."""
    nodes = [node for node in cue.memories if node.id]
    wanted = max(1, min(MOST_THEMES, len(nodes) // 15 + 1))
    chosen = find_clusters(cue, nodes)[:wanted] or [("", nodes)]
    return {"themes": [_theme(cue, voice, tag, members) for tag, members in chosen]}


def _theme(cue: Cue, voice: Voice, tag: str, members: list[Remembered]) -> dict[str, object]:
    person = cue.names.get(tag, "")
    about = person or find_about(cue, voice, tag, members)
    named = person or voice.shared("era_topic", about=about)
    best = sorted(sorted(members, key=lambda node: (-node.importance, node.id))[:KEPT], key=lambda node: node.id)
    told = [to_slot(_without_lead(node), KEPT_CHARACTERS) for node in best]
    people = [one for node in best for one in node.tags if one in cue.names]
    return {
        "title": to_slot(about, 60),
        "text": f"{voice.phrase('era', about=named)} {' '.join(map(_closed, told))}",
        "importance": max(node.importance for node in best),
        "tags": make_tags(cue, [tag] if tag else [], people[:2]),
        "evidence": [node.id for node in best],
    }


def _without_lead(node: Remembered) -> str:
    """Leave out the words with which an earlier summary or insight begins, up to its colon."""
    lead, colon, rest = node.description.partition(": ")
    return rest if colon and node.depth and len(lead) < len(rest) else node.description


def _closed(text: str) -> str:
    return text if text.endswith("…") else f"{text}."
