"""What the character works on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from gm.llm.rehearsal.arrange import with_times
from gm.llm.rehearsal.facts import Cue
from gm.llm.rehearsal.quoting import quotable, to_slot, to_tag
from gm.llm.rehearsal.voice import Voice, load_pack
from gm.model.front import Work
from gm.model.stream import since

KINDS = ("concepts", "writing", "design", "audio", "tech", "planning")
LEAST_WORDS = 125
NEW_VERSIONS_DAYS = 14
"""Days after which an everyday piece is a new version, made before or not: by then, its maker may have forgotten it."""

DULL = frozenset(
    ("own-work", "everyday", "arrival", "work", "dispute", "insight", "artifact", "day", "brief", "turning-point")
) | frozenset(("meeting", "encounter", "event", "plan", "reflection", "goal", "lesson", "question", "promise"))
"""Tags too general to be a subject."""


def works_of(cue: Cue, voice: Voice) -> tuple[Work, ...]:
    """Return what the character could make, today's piece first.

    Without a persona: the tasks of today's plan, else everyday ones.
    """
    if cue.persona.works:
        order, start = cue.persona.works, (first_work(cue, voice) + cue.here.day - 1) % len(cue.persona.works)
        half = (start + len(order) // 2) % len(order)
        rest = [order[(start + step) % len(order)] for step in range(1, len(order))]
        second = order[half]
        return (
            order[start],
            *([second] if second is not order[start] else []),
            *(work for work in rest if work is not second),
        )
    planned = () if cue.scene.type.plan else (cue.task, *cue.plan)
    tasks = [task for task in planned if task and task == to_slot(task, 120) and not _is_talk(cue, task)]
    leads = [lead.partition("{")[0] for lead in load_pack(cue.language)["carry"]]
    tasks = [next((task.removeprefix(lead) for lead in leads if task.startswith(lead)), task) for task in tasks]
    everyday = _everyday(cue, voice)
    done = [Work(to_slot(task, 120), to_slot(task, 60), tags=everyday[0].tags) for task in dict.fromkeys(tasks)]
    return (*done, *everyday)


def _is_talk(cue: Cue, item: str) -> bool:
    head, colon, _ = item.partition(": ")
    return bool(colon) and any(name in head for name in cue.names.values())


def _everyday(cue: Cue, voice: Voice) -> tuple[Work, ...]:
    subjects = voice.matters.workable
    if not subjects:
        tag, task = _subject(cue, voice), voice.phrase("task")
        task = f"{task}: {tag.capitalize()}" if tag and tag not in task.lower() else task
        return (Work(to_slot(task, 120), to_slot(task, 60), tags=(tag,) if tag else ()),)
    chosen = [voice.rotated("works", subjects, cue.here.day * 3 + step) for step in range(min(3, len(subjects)))]
    made = [(subject, voice.phrase("task_about", topic=subject)) for subject in chosen]
    return tuple(Work(to_slot(task, 120), to_slot(task, 70), tags=(to_tag(subject),)) for subject, task in made)


def _subject(cue: Cue, voice: Voice) -> str:
    known = {*DULL, *cue.names, *cue.world.settings.places}
    found = Counter(tag for node in cue.memories for tag in node.tags if tag not in known and tag.isalpha())
    common = sorted((tag for tag, number in found.items() if number > 1), key=lambda tag: (-found[tag], tag))[:5]
    return voice.rotated("subject", common, cue.here.day) if common else ""


def first_work(cue: Cue, voice: Voice) -> int:
    """Return the index of the work on day 1."""
    return voice.rotated("works", range(len(cue.persona.works)), 0)


def current_work(cue: Cue, voice: Voice) -> Work:
    """Return the piece that plan or task names, else today's."""
    works = works_of(cue, voice)
    for planned in (cue.task, *cue.plan):
        for work in works:
            if planned and (work.task in planned or work.title in planned):
                return work
    return works[0]


def next_piece(cue: Cue, voice: Voice) -> Work:
    """Choose the piece to finish now, not finished lately.

    Each of a persona's works is due twice a round, as a new version, so that no title returns.
    """
    done = [node.description for node in cue.memories if node.type == "artifact"]
    now = current_work(cue, voice)
    works = works_of(cue, voice)
    ordered = (now, *(work for work in works if work is not now))
    for version in _versions(cue):
        for work in ordered:
            title = work.title if version == "1" else _versioned(cue, work.title, version)
            if not any(title in text for text in done):
                return replace(work, title=title)
    return now


def name_next_piece(cue: Cue, voice: Voice) -> str:
    """Return what others call the piece to finish now: its task, or the title of its new version."""
    piece = next_piece(cue, voice)
    is_first = any(piece.title == work.title for work in works_of(cue, voice))
    return piece.task if is_first else piece.title


def _versioned(cue: Cue, title: str, number: str) -> str:
    return load_pack(cue.language)["version"][0].format_map({"title": title, "number": number})


def find_finished(cue: Cue, voice: Voice, piece: str = "") -> set[int]:
    """Return the numbers of the plan's items whose piece is finished today; ``piece`` is finished in this turn."""
    texts = [node.description for node in since(cue.agent.stream, cue.here.day) if node.type == "artifact"]
    texts += [piece, *(reply.artifact.title for reply in cue.context.own if reply.artifact)]
    made = [work for work in works_of(cue, voice) if any(work.title in text for text in texts)]
    return {n for n, item in enumerate(cue.agent.state.today_plan, 1) if any(work.task in item for work in made)}


def _versions(cue: Cue) -> Iterator[str]:
    if cue.persona.works:
        number = max(1, (cue.here.day - 1) // max(1, len(cue.persona.works) // 2))
        return (f"{number}{suffix}" for suffix in ("", *"bcdefghij"))
    first = 1 + (cue.here.day - 1) // NEW_VERSIONS_DAYS
    return map(str, range(first, first + 10))


def compose_artifact(cue: Cue, voice: Voice, work: Work, topic: str) -> dict[str, object]:
    """Compose a finished piece as the reply's artifact."""
    notes = _notes(voice, work)
    tags = ["own-work", *(tag for tag in map(to_tag, work.tags) if tag and tag not in ("own-work", cue.id))]
    first = notes[0] if notes else voice.phrase("artifact_note", task=to_slot(work.task))
    return {
        "title": work.title,
        "kind": to_tag(work.kind) or "writing",
        "description": first if work.title.startswith(work.task) else f"{to_slot(work.task)}: {first}",
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
        turn = voice.cue.here.day % len(notes)
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
    for extra in _write_padding(cue, voice):
        if sum(len(block.split()) for block in blocks) >= LEAST_WORDS:
            break
        blocks.insert(4, extra)
    return "\n\n".join([*blocks, f"*{voice.shared('signature')}*"])


def _write_padding(cue: Cue, voice: Voice) -> list[str]:
    quote = quotable(cue.brief)
    extras = [voice.phrase("body_limit"), voice.phrase("body_more"), voice.phrase("body_more")]
    return [voice.phrase("brief", quote=quote), *extras] if quote else extras


def compose_plan(cue: Cue, voice: Voice) -> dict[str, object]:
    """Compose an arriving character's plan."""
    works = works_of(cue, voice)
    tasks = [works[0].task]
    if len(works) > 1 and voice.chance(0.55):
        tasks.append(works[1].task)
    undone = _undone(cue, voice)
    if undone and undone not in tasks and voice.chance(0.35):
        tasks = [voice.shared("carry", task=to_slot(undone)), tasks[0]]
    topic = own_topic(cue, voice)
    library = voice.shared("library", topic=topic) if voice.chance(0.25) else None
    return {
        "work": tasks,
        "talk_to": with_times(cue, voice, _plan_talks(cue, voice)),
        "library": library,
        "importance": voice.dice.choice((4, 4, 5, 5, 6)),
    }


def compose_new_plan(cue: Cue, voice: Voice) -> dict[str, object]:
    """Compose a plan that includes the last event."""
    event = to_slot(voice.events[-1], 110)
    kept = [task for task in cue.plan if task][:1] or [works_of(cue, voice)[0].task]
    about = next((p for p in cue.reachable if p.call_name in voice.events[-1] or p.id in voice.events[-1]), None)
    talk = [{"to": about.id, "about": voice.shared("about_event", event=event)}] if about else []
    return {
        "work": [voice.phrase("replan", event=event), *kept],
        "talk_to": talk,
        "library": None,
        "importance": voice.dice.choice((5, 6)),
    }


def own_topic(cue: Cue, voice: Voice, offset: int = 0) -> str:
    """Choose one of the character's topics by the day, else today's work."""
    if known := tuple(cue.topics.values()) or voice.matters.subjects:
        return voice.topic(voice.rotated("topics", known, cue.here.day + cue.scene.ref.scene + offset))
    return voice.topic(works_of(cue, voice)[0].task)


def _undone(cue: Cue, voice: Voice) -> str:
    if cue.here.day < 2:
        return ""
    works = cue.persona.works
    if not works:
        return next((task for task in cue.plan if task == to_slot(task, 60) and ":" not in task), "")
    yesterday = works[(first_work(cue, voice) + cue.here.day - 2) % len(works)]
    done = any(yesterday.title in node.description for node in cue.memories if node.type == "artifact")
    return "" if done else yesterday.task


def _plan_talks(cue: Cue, voice: Voice) -> list[dict[str, str]]:
    people = cue.reachable
    if not people or (cue.here.day > len(people) and voice.chance(0.15)):
        return []
    wanted = [people[(cue.here.day + cue.index) % len(people)].id]
    here = [other.id for other in people]
    drawn = [*cue.persona.friends, *cue.persona.quarrels, *(made.maker for made in cue.artifacts[-3:])]
    drawn = [one for one in dict.fromkeys(drawn) if one in here and one not in wanted]
    if drawn and voice.chance(0.5):
        wanted.append(voice.dice.choice(drawn))
    return [{"to": one, "about": _choose_topic(cue, voice, one, place)} for place, one in enumerate(wanted)]


def _choose_topic(cue: Cue, voice: Voice, other: str, place: int) -> str:
    made = [item.title for item in cue.artifacts if item.maker == other]
    if made and voice.chance(0.6):
        return voice.shared("about_work", title=to_slot(made[-1]))
    if other in cue.persona.quarrels and voice.chance(0.6):
        return voice.shared("about_quarrel", topic=own_topic(cue, voice, place))
    return voice.shared("about", topic=own_topic(cue, voice, place))
