"""The parts of a reply that belong to layers."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from gm.base.untyped import objects_in
from gm.layers.now import LISTS, NOW
from gm.layers.relationships import RELATIONSHIPS, Relationship
from gm.layers.working import INSIGHTS, KNOWN, SUBGOAL
from gm.llm.rehearsal.facts import Cue
from gm.llm.rehearsal.quoting import to_slot
from gm.llm.rehearsal.speech import SpeechContext
from gm.llm.rehearsal.voice import Voice, load_pack
from gm.memory.share import open_nodes
from gm.model.scene import ARRIVAL, ENCOUNTER, WORK
from gm.scene.evening.off_scene import DIARY_PURPOSE

MOVED = 0.35
"""Probability that a conversation changes a relationship."""
WORSE = 0.3
TRUST_STEP = 0.15
CLEAR = 0.25
"""Trust from which on, in either direction, a relationship is one of allies or rivals."""
QUOTES = "“”»«"
MOST_KEPT = 3
NOTE_CHARACTERS = 50
"""A note is shorter than the memory that stands beside it."""
NOTED, LEARNED = 0.25, 0.12
"""Shares of the remembered scenes that leave a note or a lesson on the page."""
ONE_SCENE_IN = 150
"""One scene in about this many changes who a character is."""
ASKS, WHOLE = 0.12, 0.3
"""Probabilities of a request for memories at the end of a conversation, and that it is for all."""
GIVES, GIVES_FRIEND = 0.6, 0.9
NEW_GOAL, STEP_TAKEN, END = 0.5, 0.4, 0.35
STEPS_TO_END = 3


def compose_regards(cue: Cue, voice: Voice, context: SpeechContext) -> list[dict[str, object]]:
    """Compose a relationship's change after a conversation; mostly empty."""
    dice = voice.dice_for("regard")
    if not context.last or context.partner is None or not cue.dialogue or dice.random() >= MOVED:
        return []
    other = context.partner.id
    known = cue.mind.facts["regards"].get(other)
    trust = known["trust"] if known else 0.3 * (other in cue.persona.friends) - 0.3 * (other in cue.persona.quarrels)
    worse = dice.random() < (2 * WORSE if other in cue.persona.quarrels else WORSE)
    trust = max(-1.0, min(1.0, round(trust - TRUST_STEP if worse else trust + TRUST_STEP, 2)))
    slot = "regard_ally" if trust >= CLEAR else "regard_rival" if trust <= -CLEAR else "regard_neutral"
    if _is_by_hand(cue, other):
        return [{"with": other, "type": "", "trust": trust, "tone": "", "why": "", "notes": ""}]
    names = load_pack(cue.language)[slot]
    return [
        {
            "with": other,
            "type": known["type"] if known and known["type"] in names else dice.choice(names),
            "trust": trust,
            "tone": dice.choice(load_pack(cue.language)["tone_bad" if worse else "tone_good"]),
            "why": voice.phrase("regard_worse" if worse else "regard_better", topic=context.topic.strip(QUOTES)),
            "notes": "",
        }
    ]


def _is_by_hand(cue: Cue, other: str) -> bool:
    """Return whether a person wrote a relationship: the rehearsal always writes a type and a tone of its own."""
    known, pack = cue.agent.mind[RELATIONSHIPS].get(other, Relationship()), load_pack(cue.language)
    kind, tone = known.relationship_type, known.emotional_tone
    types = (*pack["regard_ally"], *pack["regard_neutral"], *pack["regard_rival"])
    is_own = kind in types and tone in (*pack["tone_good"], *pack["tone_bad"])
    return any((kind, tone, known.rationale, known.relationship_notes)) and not is_own


def compose_inner(cue: Cue, voice: Voice, reply: Mapping[str, object]) -> dict[str, object]:
    """Compose soul, working memory and the page now, where on."""
    found: dict[str, object] = {}
    if "soul" in cue.mind.facts and cue.kind != DIARY_PURPOSE:
        found["soul"] = {"add": _convictions(cue, voice, reply), "remove": []}
    if "page" in cue.mind.facts and cue.kind != "reflection":
        found["working"] = [] if cue.kind == DIARY_PURPOSE else _page(cue, voice, reply)
    has_written = cue.agent.mind[NOW].day == cue.world.clock.day
    if cue.mind.has(NOW.name) and (cue.kind == "reflection" or (cue.kind == DIARY_PURPOSE and not has_written)):
        found["now"] = _write_now(cue)
    return found


def _write_now(cue: Cue) -> dict[str, list[str]]:
    newest = [node.description for node in open_nodes(cue.agent.stream) if node.depth][-1:]
    thoughts = list(dict.fromkeys((*cue.agent.mind[NOW].thinks, *newest)))[-LISTS["thinks"] :]
    return {"occupies": [cue.task or next(iter(cue.plan), "") or cue.name], "thinks": thoughts}


def _convictions(cue: Cue, voice: Voice, reply: Mapping[str, object]) -> list[dict[str, str]]:
    if not _texts(reply, "memories") or voice.dice_for("soul").randrange(ONE_SCENE_IN):
        return []
    text = voice.own("insights")
    return [{"kind": "conviction", "text": text}] if text and text not in cue.mind.facts["soul"] else []


def _page(cue: Cue, voice: Voice, reply: Mapping[str, object]) -> list[dict[str, str]]:
    page = cue.mind.facts["page"]
    lines = {key: [line["text"] for line in page["lines"] if line["key"] == key] for key in (SUBGOAL, KNOWN, INSIGHTS)}
    before = {key: list(texts) for key, texts in lines.items()}
    plan = reply.get("plan")
    task = plan["work"][0] if isinstance(plan, dict) else reply.get("current_task")
    if isinstance(task, str) and task:
        lines[SUBGOAL] = [task]
    dice, kept = voice.dice_for("page"), _texts(reply, "memories")
    if kept and cue.here.type != ARRIVAL and dice.random() < NOTED:
        lines[KNOWN].append(to_slot(kept[0], NOTE_CHARACTERS))
    if kept and cue.here.type != ARRIVAL and page["lesson"] and dice.random() < LEARNED:
        insight = voice.own("insights") or to_slot(kept[-1], 140)
        lines[INSIGHTS].append(f"{page['lesson']} {insight}")
    if lines == before:
        return []
    others = [(line["key"], line["text"]) for line in page["lines"] if line["key"] not in lines]
    written = [(key, text) for key, texts in lines.items() for text in _newest(texts, page["lesson"])]
    return [{"key": key, "text": text} for key, text in (*written, *others)[: page["room"]]]


def _newest(texts: Sequence[str], lesson: str) -> list[str]:
    """Return the newest lines and all lessons, which stay until the evening takes them to the stream."""
    newest = texts[-MOST_KEPT:]
    return [text for text in texts if text in newest or (lesson and text.startswith(lesson))]


def _texts(reply: Mapping[str, object], key: str) -> Sequence[str]:
    found = [item.get("description") for item in objects_in(reply.get(key))]
    return [text for text in found if isinstance(text, str)]


def with_exchange(
    reply: dict[str, object], cue: Cue, voice: Voice, context: SpeechContext | None = None
) -> dict[str, object]:
    """Add what else the world asks for; ``context`` is None in a game, without requests and goals."""
    keys: dict[str, object] = {}
    if cue.mind.wanted is not None:
        dice = voice.dice_for("share")
        keys["memory_answers"] = [_answer(cue, dice, item.asker) for item in cue.mind.wanted]
        keys["memory_requests"] = _requests(cue, dice, context) if context else []
    if "goals" in cue.mind.facts:
        keys["goal_reports"] = _reports(cue, voice, context) if context else []
    said = reply["dialogue"]
    if cue.mind.has("decisions") and cue.context.closing and isinstance(said, list) and said:
        keys["decisions"] = [said[-1]["text"]]
    memories = reply["memories"]
    if cue.mind.has("kinds") and isinstance(memories, list):
        dice = voice.dice_for("kinds")
        keys["memories"] = [{**memory, "kind": _kind(memory, dice)} for memory in memories]
    return reply | keys


def _answer(cue: Cue, dice: random.Random, asker: str) -> dict[str, object]:
    gives = 0.0 if asker in cue.persona.quarrels else GIVES_FRIEND if asker in cue.persona.friends else GIVES
    return {"to": asker, "share": dice.random() < gives}


def _requests(cue: Cue, dice: random.Random, context: SpeechContext) -> list[dict[str, object]]:
    partner = context.partner
    asks, whole = dice.random() < ASKS, dice.random() < WHOLE
    if cue.here.type != ENCOUNTER or partner is None or not context.last or not asks:
        return []
    if partner.id in cue.persona.quarrels or partner.id in cue.mind.links:
        return []
    return [{"to": partner.id, "about": [] if whole else list(context.tags[:1])}]


def _reports(cue: Cue, voice: Voice, context: SpeechContext) -> list[dict[str, object]]:
    dice = voice.dice_for("goals")
    goals = cue.mind.facts["goals"]
    if not goals:
        works = cue.persona.works
        if cue.here.type != ARRIVAL or not works or dice.random() >= NEW_GOAL:
            return []
        return [{"id": "", "event": "new", "text": works[(cue.here.day + cue.index) % len(works)].task}]
    if cue.here.type != WORK or cue.turn > 1 or dice.random() >= STEP_TAKEN:
        return []
    goal = dice.choice(goals)
    ends = goal["steps"] >= STEPS_TO_END and dice.random() < END
    text = voice.phrase("outcome", task=to_slot(context.work.task))
    return [{"id": goal["id"], "event": "reached" if ends else "progress", "text": text}]


def _kind(memory: Mapping[str, object], dice: random.Random) -> str:
    tags = memory.get("tags")
    known = set(tags) if isinstance(tags, list) else set()
    likely = (
        "emotional" if known & {"dispute", "turning-point"} else "procedural" if "work" in known else
        "semantic" if known & {"library", "brief"} else ""
    )  # fmt: skip
    return likely if dice.random() < 0.6 else ""
