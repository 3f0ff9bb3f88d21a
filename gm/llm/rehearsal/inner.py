"""What a turn changes in a mind: a page that follows the plan, now and then a lesson, hardly ever the soul."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gm.llm.rehearsal.facts import Cue, Line
from gm.llm.rehearsal.quoting import to_slot
from gm.llm.rehearsal.voice import Voice

SUBGOAL, KNOWN, INSIGHTS = "current_subgoal", "known", "recent_insights"
MOST_KEPT = 3
NOTED, LEARNED = 0.25, 0.12
"""How many of the scenes that somebody remembers leave a note or a lesson on the page."""

ONE_SCENE_IN = 150
"""About one scene in so many changes who somebody is."""


def compose_inner(cue: Cue, voice: Voice, reply: Mapping[str, object]) -> dict[str, object]:
    """Compose the keys of a reply that belong to layers; none while they are switched off."""
    found: dict[str, object] = {}
    if cue.soul is not None:
        found["soul"] = {"add": _convictions(cue, voice, reply), "remove": []}
    if cue.page is not None and cue.kind != "reflection":
        found["working"] = _page(cue, voice, reply)
    return found


def _convictions(cue: Cue, voice: Voice, reply: Mapping[str, object]) -> list[dict[str, str]]:
    if not _texts(reply, "memories") or voice.dice_for("soul").randrange(ONE_SCENE_IN):
        return []
    text = voice.own("insights")
    return [{"kind": "conviction", "text": text}] if text and text not in (cue.soul or ()) else []


def _page(cue: Cue, voice: Voice, reply: Mapping[str, object]) -> list[dict[str, str]]:
    """Write the page anew where something on it changes; what does not fit in any more is the oldest."""
    assert cue.page is not None
    lines = {key: [line.text for line in cue.page.lines if line.key == key] for key in (SUBGOAL, KNOWN, INSIGHTS)}
    before = {key: list(texts) for key, texts in lines.items()}
    plan = reply.get("plan")
    task = plan["work"][0] if isinstance(plan, dict) else reply.get("current_task")
    if isinstance(task, str) and task:
        lines[SUBGOAL] = [task]
    dice, kept = voice.dice_for("page"), _texts(reply, "memories")
    if kept and cue.at.type != "ARRIVAL" and dice.random() < NOTED:
        lines[KNOWN].append(to_slot(kept[0], 140))
    if kept and cue.at.type != "ARRIVAL" and cue.page.lesson and dice.random() < LEARNED:
        insight = voice.own("insights") or to_slot(kept[-1], 140)
        lines[INSIGHTS].append(f"{cue.page.lesson} {insight}")
    if lines == before:
        return []
    others = [line for line in cue.page.lines if line.key not in lines]
    written = [Line(key, text) for key, texts in lines.items() for text in texts[-MOST_KEPT:]]
    return [{"key": line.key, "text": line.text} for line in (*written, *others)[: cue.page.room]]


def _texts(reply: Mapping[str, object], key: str) -> Sequence[str]:
    items = reply.get(key)
    found = [item.get("description") for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    return [text for text in found if isinstance(text, str)]
