"""Promises and questions: now and then one is left open, and most are settled when the two meet again."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from gm.llm.facts import Cue, Open
from gm.llm.rehearsal.quoting import in_quotes, to_slot
from gm.llm.rehearsal.speech import Lines, Moment
from gm.llm.rehearsal.voice import Voice, load_pack

PROMISES, QUESTIONS = 0.35, 0.2
"""How often a talk ends with a promise, and how often with a question that is left open."""

MOST_SETTLED = 2
QUOTES = "“”»«"


@dataclass(slots=True)
class Ties:
    """What somebody says about open things at the end of a turn, and the same in the form of a reply."""

    lines: Lines = field(default_factory=list)
    opens: list[dict[str, object]] = field(default_factory=list)
    closes: list[dict[str, object]] = field(default_factory=list)


def tie_up(cue: Cue, voice: Voice, moment: Moment) -> Ties:
    """Settle what is due with those present, and sometimes leave something open, in the last turn of a scene."""
    ties = Ties()
    if not moment.last or not cue.others:
        return ties
    dice = voice.dice_for("threads")
    for thread in cue.threads:
        if len(ties.closes) < MOST_SETTLED:
            _settle(cue, voice, dice, thread, ties)
    if cue.scene.type == "ENCOUNTER" and moment.partner and not ties.closes:
        _leave_open(cue, voice, dice, moment, ties)
    return ties


def _settle(cue: Cue, voice: Voice, dice: random.Random, thread: Open, ties: Ties) -> None:
    present = {other.id: other.call_name for other in cue.others}
    other = next((name for name in (thread.to if thread.mine else (thread.by,)) if name in present), None)
    if other is None or dice.random() >= _readiness(cue, thread):
        return
    fields = {"other": present[other], "topic": _topic(thread)}
    if thread.kind == "question":
        outcome, lead = "answered", voice.phrase("answer_open", **fields)
        text = f"{lead} {voice.own('answers', thread.text) or voice.phrase('state', task=fields['topic'])}"
    else:
        late = thread.due is not None and thread.due < cue.scene.day
        outcome = "kept" if dice.random() < (0.5 if late else 0.85) else "broken"
        text = voice.phrase("keep" if outcome == "kept" else "break_word", **fields)
    ties.lines.append({"to": other, "text": text})
    ties.closes.append({"id": thread.id, "outcome": outcome, "text": text})


def _readiness(cue: Cue, thread: Open) -> float:
    """How likely a thread is settled now: overdue or old ones even on arriving, others in the course of the day."""
    today, arriving = cue.scene.day, cue.scene.type == "ARRIVAL"
    if thread.kind == "question":
        if thread.mine:
            return 0.0  # whoever was asked answers
        old = today - thread.since >= 2
        return (0.7 if old else 0.0) if arriving else (0.8 if thread.since < today else 0.0)
    if not thread.mine:
        return 0.0  # whoever promised says what became of it
    if thread.due is None or thread.due < today:
        return 0.75
    if thread.due == today:
        return 0.0 if arriving else 0.9
    return 0.3 if cue.scene.type == "ENCOUNTER" and thread.since < today else 0.0


def _leave_open(cue: Cue, voice: Voice, dice: random.Random, moment: Moment, ties: Ties) -> None:
    """Promise the partner something, or leave a question with them; one of a kind at a time."""
    assert moment.partner is not None
    partner, drawn = moment.partner, dice.random()
    kind = "promise" if drawn < PROMISES else "question" if drawn < PROMISES + QUESTIONS else ""
    if not kind or any(item.mine and item.kind == kind and partner.id in item.to for item in cue.threads):
        return
    due: int | None = None
    topic = moment.topic.strip(QUOTES)  # some languages quote a topic themselves
    if kind == "promise":
        if not cue.ahead:
            return
        coming = dice.choice(cue.ahead)
        due, weekday = coming.day, coming.weekday
        pack = load_pack(cue.language)
        when = pack["by_weekday" if weekday else "by_day"][0].format_map({"weekday": weekday, "day": due})
        text = voice.phrase("promise", other=partner.call_name, topic=topic, when=when)
        text = text[:1].upper() + text[1:]
    else:
        text = voice.phrase("leave_open", other=partner.call_name, topic=topic)
    ties.lines.append({"to": partner.id, "text": text})
    ties.opens.append({"kind": kind, "to": partner.id, "text": text, "due": due})


def _topic(thread: Open) -> str:
    """Name what a thread is about: what stands in quotation marks in it, else the thread itself."""
    quoted = in_quotes(thread.text)
    return to_slot(quoted[0] if quoted else thread.text, 70)
