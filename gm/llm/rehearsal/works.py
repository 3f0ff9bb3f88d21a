"""What the character works at: which piece today, and the finished piece itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from gm.llm.facts import Cue, Work
from gm.llm.rehearsal.quoting import quotable, to_slot, to_tag
from gm.llm.rehearsal.voice import Voice, load_pack

KINDS = ("concepts", "writing", "design", "audio", "tech", "planning")
LEAST_WORDS = 125

DULL = frozenset(
    ("own-work", "everyday", "arrival", "work", "dispute", "insight", "artifact", "day", "brief", "turning-point")
) | frozenset(("meeting", "encounter", "event", "plan", "reflection"))
"""Tags too general to be what something is about."""


def works_of(cue: Cue, voice: Voice) -> tuple[Work, ...]:
    """List what the character could make, today's piece first.

    Without a persona the tasks of today's plan stand in, and where there are none, everyday ones.
    """
    if cue.persona.works:
        order, start = cue.persona.works, (voice_start(cue, voice) + cue.scene.day - 1) % len(cue.persona.works)
        half = (start + len(order) // 2) % len(order)
        rest = [order[(start + step) % len(order)] for step in range(1, len(order))]
        second = order[half]
        return (
            order[start],
            *([second] if second is not order[start] else []),
            *(w for w in rest if w is not second),
        )
    tasks = [] if cue.wants_plan else [task for task in (cue.task, *cue.plan) if task and task == to_slot(task, 120)]
    leads = [lead.partition("{")[0] for lead in load_pack(cue.language)["carry"]]
    tasks = [next((task.removeprefix(lead) for lead in leads if task.startswith(lead)), task) for task in tasks]
    tag = _subject(cue, voice)
    everyday = voice.phrase("task")
    if tag and not tasks and tag not in everyday.lower():
        everyday = f"{everyday}: {tag.capitalize()}"
    tags = (tag,) if tag else ()
    return tuple(Work(to_slot(task, 120), to_slot(task, 60), tags=tags) for task in dict.fromkeys((*tasks, everyday)))


def _subject(cue: Cue, voice: Voice) -> str:
    """A tag that memories keep coming back to; stands in for the topics that no persona names."""
    known = {*DULL, *cue.names, *cue.places}
    found = Counter(tag for node in cue.memories for tag in node.tags if tag not in known and tag.isalpha())
    common = sorted((tag for tag, number in found.items() if number > 1), key=lambda tag: (-found[tag], tag))[:5]
    return voice.rotated("subject", common, cue.scene.day) if common else ""


def voice_start(cue: Cue, voice: Voice) -> int:
    """Where in the list of works the character begins on day 1."""
    return voice.rotated("works", range(len(cue.persona.works)), 0)


def current_work(cue: Cue, voice: Voice) -> Work:
    """Find the piece that the plan of today or the current task names, else the one due today."""
    works = works_of(cue, voice)
    for planned in (cue.task, *cue.plan):
        for work in works:
            if planned and (work.task in planned or work.title in planned):
                return work
    return works[0]


def next_piece(cue: Cue, voice: Voice) -> Work:
    """Choose the piece to finish now: one not finished lately; on later rounds through the list as a later version.

    Every piece is due twice a round, so half a round is a version of its own from the second round on: what was made
    longer ago than the memories reach can never come back under the same title.
    """
    done = [node.description for node in cue.memories if node.type == "artifact"]
    now = current_work(cue, voice)
    works = works_of(cue, voice)
    ordered = (now, *(work for work in works if work is not now))
    number = max(1, (cue.scene.day - 1) // max(1, len(works) // 2 if cue.persona.works else 3))
    for suffix in ("", *"bcdefghij"):
        for work in ordered:
            title = _versioned(voice, work, number, suffix)
            if not any(title in text for text in done):
                return replace(work, title=title)
    return now


def _versioned(voice: Voice, work: Work, number: int, suffix: str) -> str:
    if number == 1 and not suffix:
        return work.title
    return voice.shared("version", title=work.title, number=f"{number}{suffix}")


def compose_artifact(cue: Cue, voice: Voice, work: Work, topic: str) -> dict[str, object]:
    """Write a finished piece of work as an artifact of the reply."""
    notes = _notes(voice, work)
    tags = ["own-work", *(tag for tag in map(to_tag, work.tags) if tag and tag not in ("own-work", cue.id))]
    first = notes[0] if notes else voice.phrase("artifact_note", task=to_slot(work.task))
    return {
        "title": work.title,
        "kind": to_tag(work.kind) or "writing",
        "description": f"{to_slot(work.task)}: {first}",
        "body": _body(cue, voice, work, notes, topic),
        "importance": voice.dice.choice((6, 6, 6, 7, 8)),
        "tags": list(dict.fromkeys(tags))[:5],
        "style_tags": [tag for tag in map(to_tag, work.style_tags) if tag][:3],
    }


def _notes(voice: Voice, work: Work) -> list[str]:
    notes = list(work.notes)
    if len(notes) < 4:
        notes += [voice.phrase("artifact_note", task=to_slot(work.task)) for _ in range(5 - len(notes))]
    else:
        turn = voice.cue.scene.day % len(notes)
        notes = notes[turn:] + notes[:turn]
    return notes


def _body(cue: Cue, voice: Voice, work: Work, notes: list[str], topic: str) -> str:
    kind = work.kind if work.kind in KINDS else "writing"
    first, second = voice.shared(f"heading_{kind}").split(" | ")
    head, listed, rest = notes[:2], notes[2:5], notes[5:]
    blocks = [f"# {work.title}", " ".join([voice.phrase("body_intro", topic=topic), *head])]
    blocks += [f"## {first}", "\n".join(f"- {note}" for note in listed)]
    blocks += [f"## {second}", " ".join([voice.phrase("body_why", task=to_slot(work.task)), *rest])]
    asked = [voice.phrase("body_limit"), f"**{voice.phrase('body_question', topic=topic)}**"]
    blocks += [f"## {voice.shared('heading_open')}", "\n\n".join(asked)]
    for extra in _padding(cue, voice):
        if sum(len(block.split()) for block in blocks) >= LEAST_WORDS:
            break
        blocks.insert(4, extra)
    return "\n\n".join([*blocks, f"*{voice.shared('signature')}*"])


def _padding(cue: Cue, voice: Voice) -> list[str]:
    quote = quotable(cue.brief)
    extras = [voice.phrase("body_limit"), voice.phrase("body_more"), voice.phrase("body_more")]
    return [voice.phrase("brief", quote=quote), *extras] if quote else extras
