"""A turn's memories, and their importance."""

from __future__ import annotations

from collections.abc import Iterable

from gm.llm.rehearsal.facts import Cue
from gm.llm.rehearsal.quoting import question_in, to_slot, to_tag
from gm.llm.rehearsal.speech import SpeechContext, brief_quote, list_heard, quote_line
from gm.llm.rehearsal.voice import Voice
from gm.model.scene import ARRIVAL, WORK
from gm.model.world import Agent

SMALL, ROUTINE, TALK, STRONG, TURN = (1, 1, 2, 2), (3, 4, 4), (5, 5, 6), (7, 7, 8), (9, 9, 9, 10)
"""Importances by weight of the content; the dice choose one."""

HOSTILE, EVEN, FRIENDLY = (-0.6, -0.4, -0.2, 0.1), (-0.2, 0.0, 0.2, 0.4), (0.3, 0.5, 0.7)
"""Valences of conversations, from -1 to 1, by the relationship to the partner."""

ONE_DAY_IN = 120
"""One scene in about this many is a turning point."""


def make_tags(cue: Cue, *groups: Iterable[str]) -> list[str]:
    """Collect two to five tags: kebab-case, unique, never the own id."""
    tags: list[str] = []
    for tag in (tag for group in groups for tag in group):
        clean = tag if tag in cue.names else to_tag(tag)
        if clean and clean != cue.id and clean not in tags:
            tags.append(clean)
    for filler in (cue.here.type, cue.scene.place, cue.here.weekday, "day"):
        clean = to_tag(filler)
        if len(tags) < 2 and clean and clean not in tags and clean != cue.id:
            tags.append(clean)
    return tags[:5]


def choose_memories(cue: Cue, voice: Voice, context: SpeechContext) -> list[dict[str, object]]:
    """Choose a turn's memories: one or two at the end of a scene, rarely one before."""
    if cue.here.type == ARRIVAL:
        return [_remember_arrival(cue, voice, context)]
    if cue.scene.passages:
        return [_remember_passage(cue, voice, context)]
    if cue.here.type == WORK and cue.turn > 1:
        return remember_afterwards(cue, voice, context)
    if not context.last:
        return [_small(cue, voice)] if voice.chance(0.08) else []
    found = [_main(cue, voice, context)]
    if voice.chance(0.48):
        found.append(_second(cue, voice, context))
    return found


def remember_afterwards(cue: Cue, voice: Voice, context: SpeechContext) -> list[dict[str, object]]:
    """Choose a last word's memories: rarely something said after the character's turns."""
    memory = _remember_talk(cue, voice, context) if voice.chance(0.25) else None
    return [memory] if memory else []


def takeaway(cue: Cue, voice: Voice, context: SpeechContext, spoke: bool) -> dict[str, object] | None:
    """Return the memory of a conversation; None without one."""
    if not context.last or context.partner is None or cue.here.type == ARRIVAL or not (spoke or list_heard(cue)):
        return None
    if cue.here.type == WORK and not list_heard(cue) and voice.chance(0.75):
        return None
    names = [other.call_name for other in cue.here.others[:3]]
    joined = names[0] if len(names) == 1 else voice.shared("and", head=", ".join(names[:-1]), tail=names[-1])
    outcome = voice.next_phrase("outcome", task=to_slot(context.work.task))
    head = voice.next_phrase("takeaway", other=joined, topic=context.topic)
    weight = (5, 6, 7) if context.partner.id in cue.persona.quarrels else (4, 4, 5, 5, 6)
    known = cue.persona
    felt = (
        HOSTILE if context.partner.id in known.quarrels else FRIENDLY if context.partner.id in known.friends else EVEN
    )
    return {
        "description": f"{head} {outcome}",
        "importance": voice.dice.choice(weight),
        "valence": voice.dice_for("valence").choice(felt),
    }


def make_memory(
    voice: Voice, text: str, weight: tuple[int, ...], tags: list[str], evidence: list[str] | None = None
) -> dict[str, object]:
    """Return a memory, a reflection where it has evidence; the dice choose its importance."""
    return {
        "type": "reflection" if evidence else "observation",
        "description": text,
        "importance": voice.dice.choice(weight),
        "tags": tags,
        "evidence": evidence or [],
    }


def _remember_arrival(cue: Cue, voice: Voice, context: SpeechContext) -> dict[str, object]:
    if cue.here.day == 1 and (quote := brief_quote(cue, cue.index)):
        return make_memory(voice, voice.phrase("mem_brief", quote=quote), TURN, make_tags(cue, ["brief"], context.tags))
    rolled = voice.dice.random()
    if rolled < 0.35:
        return _small(cue, voice)
    if rolled < 0.5 and cue.artifacts:
        return _artifact(cue, voice)
    if rolled < 0.6 and cue.persona.quarrels:
        return _grudge(cue, voice)
    text = voice.next_phrase("mem_arrive", weekday=cue.here.weekday, task=to_slot(context.work.task))
    return make_memory(voice, text, ROUTINE, make_tags(cue, context.work.tags, ["arrival"]))


def _small(cue: Cue, voice: Voice) -> dict[str, object]:
    seen = voice.matters.here if voice.chance(0.5) else ()
    text = voice.own("small_things") or voice.noticed(seen) or voice.next_phrase("small", weekday=cue.here.weekday)
    return make_memory(voice, text, SMALL, make_tags(cue, ["everyday", cue.scene.place]))


def _main(cue: Cue, voice: Voice, context: SpeechContext) -> dict[str, object]:
    if voice.dice.randrange(ONE_DAY_IN) == 0:
        text = voice.phrase("mem_turn", topic=context.topic)
        return make_memory(voice, text, TURN, make_tags(cue, context.tags, _ids(context), ["turning-point"]))
    if cue.here.type == WORK or context.partner is None:
        return _remember_work(cue, voice, context)
    partner = context.partner
    strangers = not cue.persona.friends and not cue.persona.quarrels
    if voice.chance(0.5 if partner.id in cue.persona.quarrels else 0.18 * strangers):
        text = voice.next_phrase("mem_dispute", other=partner.call_name, topic=context.topic)
        return make_memory(voice, text, STRONG, make_tags(cue, [partner.id], context.tags, ["dispute"]))
    if voice.chance(0.25 if partner.id in cue.persona.friends else 0.12 * strangers):
        text = voice.next_phrase("mem_friend", other=partner.call_name, topic=context.topic)
        return make_memory(voice, text, (6, 7), make_tags(cue, [partner.id], context.tags))
    return _remember_talk(cue, voice, context) or _group(cue, voice, context)


def _remember_talk(cue: Cue, voice: Voice, context: SpeechContext) -> dict[str, object] | None:
    lines = list_heard(cue)
    statements = [(line, quote) for line in lines if (quote := quote_line(cue, line))]
    if statements:
        line, quote = voice.dice.choice(statements)
        text = voice.next_phrase("mem_said", other=cue.names[line.agent], quote=quote)
    else:
        asked = [(line, quote) for line in lines if (quote := question_in(line.text, 90))]
        if not asked:
            return None
        line, quote = voice.dice.choice(asked)
        text = voice.next_phrase("mem_asked", other=cue.names[line.agent], quote=quote)
    if voice.chance(0.75) and (tail := voice.fresh("mem_tail")):
        text = f"{text} {tail}"
    return make_memory(voice, text, TALK, make_tags(cue, [line.agent], context.tags))


def _group(cue: Cue, voice: Voice, context: SpeechContext) -> dict[str, object]:
    text = voice.next_phrase("mem_group", topic=context.topic)
    return make_memory(voice, text, (4, 5, 6), make_tags(cue, context.tags, _ids(context)))


def _remember_work(cue: Cue, voice: Voice, context: SpeechContext) -> dict[str, object]:
    task, tags = to_slot(context.work.task), make_tags(cue, context.work.tags, ["work"])
    notes = [note for note in context.work.notes if len(note) < 170]
    if voice.chance(0.22):
        return make_memory(voice, voice.next_phrase("mem_break", task=task), STRONG, tags)
    if notes and voice.chance(0.6):
        note = voice.rotated("kept-notes", notes, cue.here.day + cue.scene.ref.scene * 3)
        return make_memory(voice, f"{voice.next_phrase('mem_note', task=task)} {note}", ROUTINE, tags)
    return make_memory(voice, voice.next_phrase("mem_work", task=task), ROUTINE, tags)


def _second(cue: Cue, voice: Voice, context: SpeechContext) -> dict[str, object]:
    rolled = voice.dice.random()
    if rolled < 0.21 and cue.reflects and (found := _understood(cue, voice, context)):
        return found
    if rolled < 0.45 and cue.artifacts:
        return _artifact(cue, voice)
    if rolled < 0.52 and cue.persona.quarrels:
        return _grudge(cue, voice)
    if rolled < 0.78 and context.partner:
        return _remember_seeing(cue, voice, context, context.partner)
    return _small(cue, voice)


def _understood(cue: Cue, voice: Voice, context: SpeechContext) -> dict[str, object] | None:
    lived = [node for node in cue.memories if node.id and node.depth == 0]
    related = [node for node in lived if set(node.tags) & set(context.tags)]
    ids = [node.id for node in (related or lived)[-2:]]
    if not ids:
        return None
    insight = voice.own("insights", context.topic)
    lead = voice.phrase("insight_tie", about=context.topic)
    text = f"{lead} {insight}" if insight else voice.insight(context.topic)
    return make_memory(voice, text, (6, 7, 7, 8), make_tags(cue, context.tags, _ids(context), ["insight"]), ids)


def _remember_passage(cue: Cue, voice: Voice, context: SpeechContext) -> dict[str, object]:
    best = cue.scene.passages[0]
    text = voice.next_phrase("mem_read", title=to_slot(best.title))
    found = make_memory(
        voice, text, (5, 6, 6, 7), make_tags(cue, context.tags, ["library"], [best.title]), [best.place]
    )
    return found if cue.reflects else {**found, "type": "observation"}


def _artifact(cue: Cue, voice: Voice) -> dict[str, object]:
    made = voice.dice.choice(cue.artifacts[-4:])
    maker = cue.names.get(made.maker, made.maker)
    text = voice.next_phrase("mem_artifact", maker=maker, title=to_slot(made.title))
    return make_memory(voice, text, (5, 5, 6, 7), make_tags(cue, [made.maker], ["artifact"], [made.title]))


def _grudge(cue: Cue, voice: Voice) -> dict[str, object]:
    other = voice.dice.choice(sorted(cue.persona.quarrels))
    quarrel = cue.persona.quarrels[other].strip()
    if not voice.is_new(quarrel):
        return _small(cue, voice)
    text = f"{voice.next_phrase('mem_grudge', other=cue.names.get(other, other))} {quarrel}"
    return make_memory(voice, text, STRONG, make_tags(cue, [other], ["dispute"]))


def _remember_seeing(cue: Cue, voice: Voice, context: SpeechContext, partner: Agent) -> dict[str, object]:
    text = voice.next_phrase("mem_seen", other=partner.call_name)
    return make_memory(voice, text, (3, 4, 5), make_tags(cue, [partner.id], context.tags[:2]))


def _ids(context: SpeechContext) -> list[str]:
    return [context.partner.id] if context.partner else []
