"""What the character says aloud in one turn."""

from __future__ import annotations

from dataclasses import dataclass

from gm.llm.facts import Cue
from gm.llm.persona import Work
from gm.llm.rehearsal.quoting import question_in, quotables, to_slot
from gm.llm.rehearsal.voice import Voice
from gm.model.character import Agent
from gm.scene.turns import Spoken

Lines = list[dict[str, str | None]]

LONGEST = 300
"""Most characters of a spoken line that is joined from several sentences."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The content of a turn, shared by speech, memories and takeaway.

    Attributes:
        topic: Words that can stand in quotation marks; never empty.
        first: Nothing has been said yet.
        last: This is the character's last turn in the scene.
        partner: The character it mostly talks to.
    """

    topic: str
    tags: tuple[str, ...]
    work: Work
    first: bool
    last: bool
    partner: Agent | None


def heard(cue: Cue) -> list[Spoken]:
    """Return what others have said in the scene so far."""
    return [line for line in cue.dialogue if line.agent != cue.id]


def said_by(cue: Cue, line: Spoken, limit: int = 90) -> str:
    """Return the longest quotable statement of a line without a name, which sounds odd quoted."""
    names = (cue.name, *cue.names.values())
    found = [quote for quote in quotables(line.text, 16, limit) if not any(name in quote for name in names)]
    return max(found, key=len, default="")


def brief_quote(cue: Cue, step: int) -> str:
    """Choose a sentence of the active brief, past the salutation; empty without a brief."""
    found = quotables(cue.brief.partition(". ")[2], 25, 125)
    return found[step % len(found)] if found else ""


def speak(cue: Cue, voice: Voice, moment: Moment) -> Lines:
    """Compose the one to three lines of a turn; empty = silent."""
    if cue.type == "ARRIVAL":
        return [line(None, voice.phrase("arrive", weekday=cue.weekday))] if voice.chance(0.4) else []
    if moment.partner is None:
        return []
    if moment.first:
        return _open(cue, voice, moment)
    if moment.last:
        return _close(cue, voice, moment)
    return _continue(cue, voice, moment)


def answer(cue: Cue, voice: Voice, moment: Moment) -> str:
    """Compose the answer to a question out of scene."""
    return _join(voice.own("answers", moment.topic), _substance(cue, voice, moment))


def present(voice: Voice, title: str, to: str) -> Lines:
    """Show a finished piece, and sometimes ask about it."""
    lines = [line(None, voice.phrase("show", title=to_slot(title)))]
    question = voice.own("questions", title)
    if voice.chance(0.5):
        lines.append(line(to, question or voice.phrase("ask", topic=to_slot(title))))
    elif voice.chance(0.3):
        lines.append(line(None, voice.own("lines", title) or voice.phrase("state", task=to_slot(title))))
    return lines


def line(to: str | None, text: str) -> dict[str, str | None]:
    """Return a spoken line of the reply; ``to`` None = to all."""
    return {"to": to, "text": text}


def _join(*texts: str) -> str:
    kept = ""
    for text in texts:
        if text and len(kept) + len(text) < LONGEST:
            kept = f"{kept} {text}".strip()
    return kept


def _led(lead: str, statement: str) -> str:
    return statement if ":" in statement[:45] else _join(lead, statement)


def _statement(cue: Cue, voice: Voice, moment: Moment) -> str:
    return voice.own("lines", f"{moment.topic} {cue.scene.premise}") or voice.phrase(
        "state", task=to_slot(moment.work.task)
    )


def _question(voice: Voice, moment: Moment) -> str:
    question = voice.own("questions", moment.topic)
    if not question:
        return voice.phrase("ask", topic=moment.topic)
    name = moment.partner.call_name if moment.partner and voice.chance(0.35) else ""
    return voice.named(question, name)


def _open(cue: Cue, voice: Voice, moment: Moment) -> Lines:
    partner = moment.partner
    group = len(cue.others) > 1
    to = None if group or partner is None else partner.id
    lines = [line(to, _join(_opening(cue, voice, moment, group), _statement(cue, voice, moment)))]
    if cue.scene.type.play == "sequential" and voice.chance(0.6):
        lines.append(line(partner.id if partner else None, _question(voice, moment)))
    return lines


def _opening(cue: Cue, voice: Voice, moment: Moment, group: bool) -> str:
    brief = brief_quote(cue, cue.index + cue.day + cue.scene.ref.scene)
    if brief and voice.chance(0.4 if cue.day == 1 else 0.08):
        return voice.phrase("brief", quote=brief)
    about = _artifact_remark(cue, voice, moment) if voice.chance(0.25) else ""
    if about:
        return about
    if not group and moment.partner and not voice.given_topic and voice.chance(0.5):
        return voice.phrase("open_work", other=moment.partner.call_name, task=to_slot(moment.work.task))
    if group or moment.partner is None:
        return voice.phrase("open_all", topic=moment.topic)
    return voice.phrase("open_topic", other=moment.partner.call_name, topic=moment.topic)


def _artifact_remark(cue: Cue, voice: Voice, moment: Moment) -> str:
    spoken = " ".join(line.text for line in cue.dialogue)
    fresh = [made for made in cue.artifacts if to_slot(made.title) not in spoken]
    if not fresh:
        return ""
    made = voice.dice.choice(fresh[-3:])
    if moment.partner and made.maker == moment.partner.id:
        return voice.phrase("artifact_you", other=moment.partner.call_name, title=to_slot(made.title))
    if made.maker in {other.id for other in cue.others}:
        return ""
    maker = cue.names.get(made.maker, made.maker)
    return voice.phrase("artifact_other", maker=maker, title=to_slot(made.title))


def _react(cue: Cue, voice: Voice, moment: Moment) -> str:
    partner = moment.partner.id if moment.partner else ""
    run = [line for line in heard(cue)[-6:] if line.agent == partner][-2:]
    last = run or heard(cue)[-1:]
    if not last:
        return voice.own("answers", moment.topic) or voice.phrase("reply", other=_name(moment))
    if question_in(last[-1].text) and last[-1].to in (cue.id, None):
        return _substance(cue, voice, moment)
    quote, name = said_by(cue, last[-1], 75), cue.names[last[-1].agent]
    if quote and voice.chance(0.3 if moment.last else 0.5):
        return voice.phrase("echo", quote=quote, other=name)
    answer = voice.own("answers", last[-1].text)
    if not answer:
        return voice.phrase("reply", other=name)
    return voice.named(answer, name if voice.chance(0.3) else "")


def _substance(cue: Cue, voice: Voice, moment: Moment) -> str:
    notes = [note for note in moment.work.notes if len(note) < 160 and note not in voice.said]
    if notes and voice.chance(0.45):
        note = voice.rotated("said-notes", notes, cue.day + cue.scene.ref.scene * 2 + cue.turn)
        return _join(voice.phrase("lead_work", task=to_slot(moment.work.task)), note)
    return _led(voice.phrase("lead_answer"), _statement(cue, voice, moment))


def _continue(cue: Cue, voice: Voice, moment: Moment) -> Lines:
    to = moment.partner.id if moment.partner else None
    reaction = _react(cue, voice, moment)
    dice = voice.dice.random()
    if dice < 0.15:
        return [line(to, reaction)]
    if dice < 0.55:
        return [line(to, reaction), line(to, _question(voice, moment))]
    if dice < 0.75 and (remark := _artifact_remark(cue, voice, moment) or _recall(cue, voice)):
        return [line(to, _join(reaction, remark))]
    statement = _led(voice.phrase("bridge", topic=moment.topic), _statement(cue, voice, moment))
    return [line(to, _join(reaction, statement))]


def _recall(cue: Cue, voice: Voice) -> str:
    present = {other.call_name for other in cue.others}
    told = [
        node.description
        for node in cue.memories[-25:]
        if node.type in ("observation", "reflection") and node.importance >= 4 and 20 <= len(node.description) <= 110
        if not any(name in node.description for name in present) and not set(node.description) & set('»«"›‹')
    ]
    return voice.phrase("recall", memory=to_slot(voice.dice.choice(told), 120)) if told else ""


def _close(cue: Cue, voice: Voice, moment: Moment) -> Lines:
    to = moment.partner.id if moment.partner else None
    reaction = _react(cue, voice, moment)
    closing = voice.phrase("close", other=_name(moment), task=to_slot(moment.work.task))
    if voice.chance(0.12):
        return [line(to, reaction)]
    if voice.chance(0.3):
        return [line(to, reaction), line(to, closing)]
    return [line(to, _join(reaction, closing))]


def _name(moment: Moment) -> str:
    return moment.partner.call_name if moment.partner else ""
