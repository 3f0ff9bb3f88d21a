"""One turn of a scene."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from gm.llm.rehearsal import works
from gm.llm.rehearsal.arrange import arrange, audience, is_meeting, is_quiet, report_scene
from gm.llm.rehearsal.facts import INTERVIEW, TRAP, Cue
from gm.llm.rehearsal.game import compose_game
from gm.llm.rehearsal.layers import QUOTES, compose_regards, with_exchange
from gm.llm.rehearsal.quoting import in_quotes, stems, to_slot, to_tag
from gm.llm.rehearsal.reflection import compose_recollection
from gm.llm.rehearsal.remember import choose_memories, remember_afterwards, takeaway
from gm.llm.rehearsal.speech import Lines, SpeechContext, list_heard, present, speak
from gm.llm.rehearsal.voice import Voice, load_pack
from gm.model.front import Work
from gm.model.scene import ARRIVAL, ENCOUNTER, WORK
from gm.model.thread import Thread
from gm.model.world import Agent
from gm.scene.pieces.known_pieces import BOARD

LATER = 0.55
"""Probability that a later turn of a scene has an action, and a thought: people do not always think aloud."""
PROMISES, QUESTIONS = 0.35, 0.2
"""Probabilities that a conversation ends with a promise, and with an open question."""
THREAD_PHRASES = {"promise": "promise", "appointment": "agree", "question": "leave_open", "silence": "keep_quiet"}
"""Phrases by the kind of thread that they open."""
MOST_SETTLED = 2


def compose_scene(cue: Cue, voice: Voice) -> dict[str, object]:
    """Compose the reply to a turn, with a plan where wanted."""
    if cue.context.last_word:
        return compose_last_word(cue, voice)
    if cue.here.is_game and cue.here.others:
        return with_exchange(compose_game(cue, voice), cue, voice)
    piece = works.next_piece(cue, voice) if _finishes(cue, voice) else None
    context = _context(cue, voice, piece or works.current_work(cue, voice))
    readers = audience(cue, voice, context) if piece else []
    artifact = {**works.compose_artifact(cue, voice, piece, context.topic), "audience": readers} if piece else None
    lines = present(voice, piece.title, context.partner.id) if piece and context.partner else speak(cue, voice, context)
    if cue.here.type == WORK and cue.turn == 1 and not piece and voice.chance(0.4):
        lines = []
    lines = [] if readers and readers != [BOARD] else lines  # what not all may see is not shown aloud
    plan = _plan(cue, voice)
    ties = tie_up(cue, voice, context)
    reply: dict[str, object] = {
        "action": _action(cue, voice, context),
        "dialogue": [*lines, *ties.lines],
        "thoughts": _thoughts(cue, voice, context),
        "mood": voice.own("moods") or voice.phrase("mood"),
        **_keep_memories(cue, voice, context, spoke=bool(lines)),
        "artifact": artifact,
        **({"plan": plan, "plan_status": _report_plan(cue, voice, context, piece)} if cue.plans else {}),
        "current_task": _task(cue, context, plan, piece.task if piece else ""),
        "opens": ties.opens,
        "closes": ties.closes,
        "go_to": _go_to(cue, voice),
        "done": context.last or (len(cue.here.others) > 1 and cue.turn > 1),
    }
    return with_exchange(reply, cue, voice, context)


def compose_last_word(cue: Cue, voice: Voice) -> dict[str, object]:
    """Compose what a character keeps of a finished scene: all, or what came after it kept something."""
    context = _context(cue, voice, works.current_work(cue, voice))
    if any(reply.memories or reply.conversation for reply in cue.context.own):
        kept: dict[str, object] = {
            "memories": _unsaid(cue, remember_afterwards(cue, voice, context)),
            "conversation": None,
        }
        kept |= {"relationships": []} if "regards" in cue.mind.facts else {}
    else:
        kept = _keep_memories(cue, voice, context, spoke=any(reply.dialogue for reply in cue.context.own))
    mood = voice.own("moods") or voice.phrase("mood")
    return with_exchange({"dialogue": [], "mood": mood, **kept, "done": True}, cue, voice)


def _keep_memories(cue: Cue, voice: Voice, context: SpeechContext, *, spoke: bool) -> dict[str, object]:
    if cue.context.memories_later and not context.last:
        found: dict[str, object] = {"memories": [], "conversation": None}
        return {**found, "relationships": []} if "regards" in cue.mind.facts else found
    found = {
        "memories": _unsaid(cue, choose_memories(cue, voice, context)),
        "conversation": takeaway(cue, voice, context, spoke),
    }
    return {**found, "relationships": compose_regards(cue, voice, context)} if "regards" in cue.mind.facts else found


def _unsaid(cue: Cue, memories: list[dict[str, object]]) -> list[dict[str, object]]:
    return [memory for memory in memories if memory["description"] not in cue.kept]


def compose_answer(cue: Cue, voice: Voice) -> dict[str, object]:
    """Compose the reply to a question out of scene."""
    context = _context(cue, voice, works.current_work(cue, voice))
    answer, evidence = compose_recollection(cue, voice)
    return {
        "answer": answer,
        **({"evidence": list(evidence)} if cue.kind in (INTERVIEW, TRAP) else {}),
        "thoughts": _thoughts(cue, voice, context),
        "conversation": None,
        "mood": voice.own("moods") or voice.phrase("mood"),
    }


def _context(cue: Cue, voice: Voice, work: Work) -> SpeechContext:
    topic = _topic(cue, voice, work)
    return SpeechContext(
        topic=topic,
        tags=_topic_tags(voice, topic, work.tags),
        work=work,
        first=not cue.dialogue,
        last=_is_last(cue),
        partner=_partner(cue, voice),
    )


def _topic(cue: Cue, voice: Voice, work: Work) -> str:
    if voice.given_topic:
        return voice.topic(voice.given_topic)
    if cue.here.type == WORK:
        return voice.topic(next((cue.topics[tag] for tag in work.tags if tag in cue.topics), work.title))
    if not cue.scene.type.is_turn_by_turn:
        return works.own_topic(cue, voice)
    begun = works.own_topic(cue, voice) if not cue.persona.works else voice.topic(work.task)
    return next(_list_raised(cue, voice), begun)


def _list_raised(cue: Cue, voice: Voice) -> Iterator[str]:
    written = (*voice.matters.sayings, *voice.matters.here, *voice.matters.values, to_slot(cue.brief, len(cue.brief)))
    lines = [line.text for line in cue.dialogue]
    for text in lines:
        for span in in_quotes(text):
            sentence = any(span in other and span not in in_quotes(other) for other in lines)
            if len(span) <= 70 and not sentence and not any(span in other for other in written):
                yield voice.topic(span)
        yield from (voice.topic(subject) for subject in voice.matters.subjects if subject in text)


def _is_last(cue: Cue) -> bool:
    if not cue.scene.type.is_turn_by_turn or cue.context.closing or cue.context.last_word:
        return True
    if len(cue.here.others) > 1:
        return cue.turn == 1  # in a round each speaks once; a character who is spoken to adds an answer
    return cue.context.last_turn or cue.turn >= cue.scene.type.rounds[0]


def _partner(cue: Cue, voice: Voice) -> Agent | None:
    by_id = {other.id: other for other in cue.here.others}
    lines = [line for line in list_heard(cue)[-4:] if line.agent in by_id]
    for line in reversed([line for line in lines if line.to == cue.id] or lines):
        return by_id[line.agent]
    return voice.rotated("partner", cue.here.others, cue.here.day + cue.scene.ref.scene) if cue.here.others else None


def _topic_tags(voice: Voice, topic: str, work_tags: tuple[str, ...]) -> tuple[str, ...]:
    wanted = stems(topic)
    for tag, words in voice.cue.topics.items():
        if words in (topic, voice.given_topic) or wanted & stems(words):
            return (tag,)
    slug = to_tag(topic)
    return (slug,) if slug and (voice.given_topic or not work_tags) else work_tags[:2]


def _finishes(cue: Cue, voice: Voice) -> bool:
    return cue.here.type == WORK and cue.turn == 1 and (cue.here.starts or voice.chance(0.25))


def _plan(cue: Cue, voice: Voice) -> dict[str, object] | None:
    if cue.here.wants_plan:
        return works.compose_plan(cue, voice)
    if not cue.plans:
        return None
    return works.compose_new_plan(cue, voice) if voice.events and voice.chance(0.5) else None


def _report_plan(cue: Cue, voice: Voice, context: SpeechContext, piece: Work | None) -> list[dict[str, object]]:
    return report_scene(cue, voice, context, works.find_finished(cue, voice, piece.title if piece else ""))


def _action(cue: Cue, voice: Voice, context: SpeechContext) -> str:
    if cue.turn > 1 and not voice.chance(LATER):
        return ""
    first = ""
    if cue.here.type == ARRIVAL:
        first = voice.fresh("act_arrive") or voice.extended(voice.phrases("act_arrive"))
    elif cue.here.type == WORK:
        first = voice.fresh("act_work", task=to_slot(context.work.task))
    both = not first or voice.chance(0.5)
    parts = [part.rstrip(".") for part in (first, voice.gesture() if both else "") if part]
    if len(parts) == 2:
        return voice.shared("act_both", name=cue.name, first=parts[0], second=parts[1])
    return f"{cue.name} {parts[0]}." if parts else ""


def _thoughts(cue: Cue, voice: Voice, context: SpeechContext) -> str:
    if cue.turn > 1 and not voice.chance(LATER):
        return ""
    return voice.thought(
        to_slot(context.work.task), context.partner.call_name if context.partner else "", context.topic
    )


def _task(cue: Cue, context: SpeechContext, plan: dict[str, object] | None, finished: str) -> str | None:
    if cue.here.type == WORK:
        return finished or context.work.task
    if cue.scene.type.plan and plan and isinstance(plan["work"], list):
        return str(plan["work"][0])
    return None


def _go_to(cue: Cue, voice: Voice) -> str | None:
    elsewhere = [place for place in cue.world.settings.places if place != cue.scene.place]
    return voice.dice.choice(elsewhere) if elsewhere and voice.chance(0.1) else None


@dataclass(slots=True)
class Ties:
    """Remarks about threads, in words and as reply keys."""

    lines: Lines = field(default_factory=list)
    opens: list[dict[str, object]] = field(default_factory=list)
    closes: list[dict[str, object]] = field(default_factory=list)


def tie_up(cue: Cue, voice: Voice, context: SpeechContext) -> Ties:
    """At a scene's end, settle due threads with those present, and sometimes open one."""
    ties = Ties()
    if not context.last or not cue.here.others:
        return ties
    dice = voice.dice_for("threads")
    for thread in cue.threads:
        if len(ties.closes) < MOST_SETTLED:
            _settle(cue, voice, dice, thread, ties)
    if cue.here.type == ENCOUNTER and context.partner and not ties.closes:
        _leave_open(cue, voice, dice, context, ties)
    return ties


def _settle(cue: Cue, voice: Voice, dice: random.Random, thread: Thread, ties: Ties) -> None:
    present = {other.id: other.call_name for other in cue.here.others}
    other = next((name for name in (thread.to if thread.by == cue.id else (thread.by,)) if name in present), None)
    if other is None or dice.random() >= _readiness(cue, thread):
        return
    fields = {"other": present[other], "topic": _thread_topic(thread)}
    if thread.kind == "question":
        outcome, lead = "answered", _write_once(voice, "answer_open", **fields)
        text = f"{lead} {voice.own('answers', thread.text) or _write_once(voice, 'state', task=fields['topic'])}"
    else:
        late = thread.due is not None and thread.due < cue.here.day
        keeps = dice.random() < (0.5 if late else 0.85)
        outcome = "kept" if keeps or _has_made(cue, thread) else "broken"
        text = _write_once(voice, "keep" if outcome == "kept" else "break_word", **fields)
    ties.lines.append({"to": other, "text": text})
    ties.closes.append({"id": thread.id, "outcome": outcome, "text": text})


def _readiness(cue: Cue, thread: Thread) -> float:
    today, arriving = cue.here.day, cue.here.type == ARRIVAL
    if thread.kind == "question":
        if thread.by == cue.id:
            return 0.0  # the one who was asked answers
        old = today - thread.since.day >= 2
        return (0.7 if old else 0.0) if arriving else (0.8 if thread.since.day < today else 0.0)
    if thread.by != cue.id:
        return 0.0  # the one who promised reports the outcome
    if thread.kind != "promise":
        return 0.0  # an appointment is held by the scene that is played for it, a silence is only kept
    if not arriving and _has_made(cue, thread):
        return 0.9
    if thread.due is None or thread.due < today:
        return 0.75
    if thread.due == today:
        return 0.0 if arriving else 0.9
    return 0.3 if cue.here.type == ENCOUNTER and thread.since.day < today else 0.0


def _has_made(cue: Cue, thread: Thread) -> bool:
    topic = _thread_topic(thread)
    return any(topic in node.description for node in cue.memories if node.type == "artifact")


def _leave_open(cue: Cue, voice: Voice, dice: random.Random, context: SpeechContext, ties: Ties) -> None:
    # At most one open thread of a kind with each partner.
    assert context.partner is not None
    partner, kind = context.partner, _kind(voice, dice.random())
    if not kind or any(item.by == cue.id and item.kind == kind and partner.id in item.to for item in cue.threads):
        return
    keys: dict[str, object] = {"due": None}
    # some languages quote topics themselves
    fields = {"other": partner.call_name, "topic": context.topic.strip(QUOTES)}
    if kind == "promise":
        due = dice.choice(cue.here.ahead)
        keys, fields["when"] = {"due": due}, _by(cue, due)
        # a promise is about what its maker has yet to finish, not about the talk
        fields["topic"] = voice.topic(works.name_next_piece(cue, voice)).strip(QUOTES)
    elif kind == "appointment":
        fields["when"], keys = arrange(cue, voice)
    text = _write_once(voice, THREAD_PHRASES[kind], **fields)
    text = text[:1].upper() + text[1:]
    ties.lines.append({"to": partner.id, "text": text})
    ties.opens.append({"kind": kind, "to": partner.id, "text": text, **keys})


def _kind(voice: Voice, drawn: float) -> str:
    if drawn < PROMISES:
        return "appointment" if is_meeting(voice) else "promise"
    return "question" if drawn < PROMISES + QUESTIONS else "silence" if is_quiet(voice) else ""


def _by(cue: Cue, due: int) -> str:
    weekday = cue.here.weekday_of(due)
    phrase = load_pack(cue.language)["by_weekday" if weekday else "by_day"][0]
    return phrase.format_map({"weekday": weekday, "day": due})


def _write_once(voice: Voice, slot: str, **fields: str) -> str:
    # Repeat only what has to be said and has no other wording.
    return voice.fresh(slot, **fields) or voice.phrase(slot, **fields)


def _thread_topic(thread: Thread) -> str:
    quoted = in_quotes(thread.text)
    return to_slot(quoted[0] if quoted else thread.text, 70)
