"""What the character says in one turn."""

from __future__ import annotations

from dataclasses import dataclass

from gm.llm.rehearsal.facts import Cue
from gm.llm.rehearsal.quoting import question_in, quotables, to_slot
from gm.llm.rehearsal.voice import Voice
from gm.memory.share import open_nodes
from gm.model.front import Work
from gm.model.scene import ARRIVAL
from gm.model.world import Agent
from gm.scene.dialogue.turns import Spoken

Lines = list[dict[str, str | None]]

LONGEST_LINE = 300
"""Most characters of a spoken line that is joined from several sentences."""

OWN_SENTENCE = 0.6
"""Probability of a sentence of the persona where there is one: its lists are shorter than a month."""

STATEMENTS = {"topic_say": 4, "state": 3, "world_say": 2, "place_say": 2, "value_say": 1}
"""Weights of what is stated besides the sentences of a persona."""


@dataclass(frozen=True, slots=True)
class SpeechContext:
    """What speech, memories and takeaway of a turn share.

    Attributes:
        topic: Words that can be quoted; never empty.
        first: Nothing has been said yet.
    """

    topic: str
    tags: tuple[str, ...]
    work: Work
    first: bool
    last: bool
    partner: Agent | None


def list_heard(cue: Cue) -> list[Spoken]:
    """Return what others have said in the scene."""
    return [line for line in cue.dialogue if line.agent != cue.id]


def quote_line(cue: Cue, line: Spoken, limit: int = 90) -> str:
    """Return a line's longest quotable statement, without names, which sound odd quoted."""
    names = (cue.name, *cue.names.values())
    found = [quote for quote in quotables(line.text, 16, limit) if not any(map(quote.__contains__, names))]
    return max(found, key=len, default="")


def brief_quote(cue: Cue, step: int) -> str:
    """Choose a sentence of the active brief, past the salutation, or ""."""
    found = quotables(cue.brief.partition(". ")[2], 25, 125)
    return found[step % len(found)] if found else ""


def speak(cue: Cue, voice: Voice, context: SpeechContext) -> Lines:
    """Compose one to three lines; empty = silent, or all was said this month."""
    return [line for line in _lines(cue, voice, context) if line["text"]]


def _lines(cue: Cue, voice: Voice, context: SpeechContext) -> Lines:
    if cue.here.type == ARRIVAL:
        return [line(None, _greet(cue, voice, context))] if voice.chance(0.4) else []
    if context.partner is None:
        return []
    if context.first:
        return _open(cue, voice, context)
    if context.last:
        return _close(cue, voice, context)
    return _continue(cue, voice, context)


def answer(cue: Cue, voice: Voice, context: SpeechContext) -> str:
    """Compose the answer to a question out of scene."""
    said = _join(voice.own("answers", context.topic), _substance(cue, voice, context))
    return said or voice.phrase("state", task=to_slot(context.work.task))


def _greet(cue: Cue, voice: Voice, context: SpeechContext) -> str:
    task = to_slot(context.work.task)
    slots = ("arrive", "arrive_with") if voice.chance(0.6) else ("arrive_with", "arrive")
    return next((text for slot in slots if (text := voice.fresh(slot, weekday=cue.here.weekday, task=task))), "")


def present(voice: Voice, title: str, to: str) -> Lines:
    """Show a finished piece, and sometimes ask about it."""
    lines = [line(None, voice.phrase("show", title=to_slot(title)))]
    question = voice.own("questions", title)
    if voice.chance(0.5):
        lines.append(line(to, question or voice.phrase("ask", topic=voice.topic(title))))
    elif voice.chance(0.3):
        lines.append(line(None, voice.own("lines", title) or voice.phrase("state", task=to_slot(title))))
    return lines


def line(to: str | None, text: str) -> dict[str, str | None]:
    """Return a spoken line; ``to`` None = to all."""
    return {"to": to, "text": text}


def _join(*texts: str) -> str:
    kept = ""
    for text in texts:
        if text and len(kept) + len(text) < LONGEST_LINE:
            kept = f"{kept} {text}".strip()
    return kept


def _add_lead(lead: str, statement: str) -> str:
    return statement if not statement or ":" in statement[:45] else _join(lead, statement)


def _statement(cue: Cue, voice: Voice, context: SpeechContext, topic: str = "") -> str:
    about = f"{context.topic} {cue.scene.premise}"
    own = voice.own("lines", about) if voice.chance(OWN_SENTENCE) else ""
    if own:
        return own
    weighed = {slot: voice.dice.random() ** (1 / weight) for slot, weight in STATEMENTS.items()}
    tried = sorted(weighed, key=lambda slot: -weighed[slot])
    return next((text for slot in tried if (text := _state_something(voice, slot, context, topic))), "") or voice.own(
        "lines", about
    )


def _state_something(voice: Voice, slot: str, context: SpeechContext, topic: str) -> str:
    known = voice.matters
    quotes = {"world_say": known.sayings, "place_say": known.here, "value_say": known.values}
    if slot in quotes:
        return voice.fresh_quote(slot, quotes[slot])
    if slot == "state":
        return voice.fresh(slot, task=to_slot(context.work.task))
    return (topic and voice.fresh(slot, topic=topic)) or voice.fresh_about(slot)


def _question(cue: Cue, voice: Voice, context: SpeechContext) -> str:
    question = voice.own("questions", context.topic) if voice.chance(OWN_SENTENCE) else ""
    if not question:
        asked = voice.matters.asked if cue.here.topic_kind == "brief" else ()
        about = (asked and voice.fresh_about("ask", asked)) or voice.fresh("ask", topic=context.topic)
        return about or voice.fresh_about("ask")
    name = context.partner.call_name if context.partner and voice.chance(0.35) else ""
    return voice.named(question, name)


def _open(cue: Cue, voice: Voice, context: SpeechContext) -> Lines:
    partner = context.partner
    group = len(cue.here.others) > 1
    to = None if group or partner is None else partner.id
    lines = [line(to, _join(_open_scene(cue, voice, context, group), _statement(cue, voice, context)))]
    if cue.scene.type.is_turn_by_turn and voice.chance(0.6):
        lines.append(line(partner.id if partner else None, _question(cue, voice, context)))
    return lines


def _open_scene(cue: Cue, voice: Voice, context: SpeechContext, group: bool) -> str:
    brief = brief_quote(cue, cue.index + cue.here.day + cue.scene.ref.scene)
    if brief and voice.chance(0.4 if cue.here.day == 1 else 0.08) and (text := voice.fresh("brief", quote=brief)):
        return text
    about = _artifact_remark(cue, voice, context) if voice.chance(0.25) else ""
    if about:
        return about
    other = _name(context)
    if not group and other and not voice.given_topic and voice.chance(0.5):
        text = voice.fresh("open_work", other=other, task=to_slot(context.work.task))
    else:
        text = ""
    slot = "open_all" if group or not other else "open_topic"
    return text or voice.fresh(slot, other=other, topic=context.topic) or voice.fresh_about(slot, other=other)


def _artifact_remark(cue: Cue, voice: Voice, context: SpeechContext) -> str:
    spoken = " ".join(line.text for line in cue.dialogue)
    fresh = [made for made in cue.artifacts if to_slot(made.title) not in spoken]
    if not fresh:
        return ""
    made = voice.dice.choice(fresh[-3:])
    if context.partner and made.maker == context.partner.id:
        return voice.fresh("artifact_you", other=context.partner.call_name, title=to_slot(made.title))
    if made.maker in {other.id for other in cue.here.others}:
        return ""
    maker = cue.names.get(made.maker, made.maker)
    return voice.fresh("artifact_other", maker=maker, title=to_slot(made.title))


def _react(cue: Cue, voice: Voice, context: SpeechContext) -> str:
    partner = context.partner.id if context.partner else ""
    run = [line for line in list_heard(cue)[-6:] if line.agent == partner][-2:]
    last = run or list_heard(cue)[-1:]
    if not last:
        return _reply(voice, context.topic, _name(context))
    if question_in(last[-1].text) and last[-1].to in (cue.id, None):
        return _substance(cue, voice, context)
    quote, name = quote_line(cue, last[-1], 75), cue.names[last[-1].agent]
    if quote and voice.chance(0.3 if context.last else 0.5):
        return voice.fresh("echo", quote=quote, other=name)
    return _reply(voice, last[-1].text, name)


def _reply(voice: Voice, about: str, name: str) -> str:
    answer = voice.own("answers", about) if voice.chance(OWN_SENTENCE) else ""
    if answer:
        return voice.named(answer, name if voice.chance(0.3) else "")
    tried = ("reply", "reply_about") if voice.chance(0.3) else ("reply_about", "reply")
    made = (voice.fresh_about(s, other=name) if s == "reply_about" else voice.fresh(s, other=name) for s in tried)
    return next((text for text in made if text), "")


def _substance(cue: Cue, voice: Voice, context: SpeechContext) -> str:
    new = [note for note in context.work.notes if len(note) < 160 and note not in voice.said and voice.is_new(note)]
    if new and voice.chance(0.45):
        note = voice.rotated("said-notes", new, cue.here.day + cue.scene.ref.scene * 2 + cue.turn)
        return _join(voice.phrase("lead_work", task=to_slot(context.work.task)), note)
    return _add_lead(voice.phrase("lead_answer"), _statement(cue, voice, context, context.topic))


def _continue(cue: Cue, voice: Voice, context: SpeechContext) -> Lines:
    to = context.partner.id if context.partner else None
    reaction = _react(cue, voice, context)
    dice = voice.dice.random()
    if dice < 0.15:
        return [line(to, reaction)]
    if dice < 0.55:
        return [line(to, reaction), line(to, _question(cue, voice, context))]
    if dice < 0.75 and (remark := _artifact_remark(cue, voice, context) or _recall(cue, voice)):
        return [line(to, _join(reaction, remark))]
    statement = _statement(cue, voice, context)
    if context.topic not in statement:
        statement = _add_lead(voice.phrase("bridge", topic=context.topic), statement)
    return [line(to, _join(reaction, statement))]


def _recall(cue: Cue, voice: Voice) -> str:
    present = {other.call_name for other in cue.here.others}
    memories = [
        node.description
        for node in open_nodes(cue.memories[-25:])
        if node.type in ("observation", "reflection") and node.importance >= 4 and 20 <= len(node.description) <= 110
        if not any(name in node.description for name in present) and not set(node.description) & set('»«"›‹')
    ]
    return voice.fresh("recall", memory=to_slot(voice.dice.choice(memories), 120)) if memories else ""


def _close(cue: Cue, voice: Voice, context: SpeechContext) -> Lines:
    to = context.partner.id if context.partner else None
    reaction = _react(cue, voice, context)
    closing = voice.fresh("close", other=_name(context), task=to_slot(context.work.task))
    if voice.chance(0.12):
        return [line(to, reaction)]
    if voice.chance(0.3):
        return [line(to, reaction), line(to, closing)]
    return [line(to, _join(reaction, closing))]


def _name(context: SpeechContext) -> str:
    return context.partner.call_name if context.partner else ""
