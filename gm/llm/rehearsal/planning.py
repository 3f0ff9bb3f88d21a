"""The plan of the day: what to work at, whom to talk to, and whether to look something up."""

from __future__ import annotations

from gm.llm.facts import Cue
from gm.llm.rehearsal.quoting import to_slot
from gm.llm.rehearsal.voice import Voice
from gm.llm.rehearsal.works import works_of


def compose_plan(cue: Cue, voice: Voice) -> dict[str, object]:
    """Make the plan that an arriving character declares."""
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
        "talk_to": _talks(cue, voice),
        "library": library,
        "importance": voice.dice.choice((4, 4, 5, 5, 6)),
    }


def compose_new_plan(cue: Cue, voice: Voice) -> dict[str, object]:
    """Make a plan that takes up what happened since the last one."""
    event = to_slot(voice.events[-1], 110)
    kept = [task for task in cue.plan if task][:1] or [works_of(cue, voice)[0].task]
    about = next((p for p in cue.people if p.call_name in voice.events[-1] or p.id in voice.events[-1]), None)
    talk = [{"to": about.id, "about": voice.shared("about_event", event=event)}] if about else []
    return {
        "work": [voice.phrase("replan", event=event), *kept],
        "talk_to": talk,
        "library": None,
        "importance": voice.dice.choice((5, 6)),
    }


def own_topic(cue: Cue, voice: Voice, offset: int = 0) -> str:
    """Choose one of the character's own topics by the day, ready for a phrase; today's work when there are none."""
    if cue.persona.topics:
        return voice.topic(
            voice.rotated("topics", list(cue.persona.topics.values()), cue.scene.day + cue.scene.scene + offset)
        )
    return voice.topic(works_of(cue, voice)[0].task)


def _undone(cue: Cue, voice: Voice) -> str:
    """Yesterday's piece, when no memory says that it was finished."""
    if cue.scene.day < 2:
        return ""
    works = cue.persona.works
    if not works:
        return next((task for task in cue.plan if task == to_slot(task, 60) and ":" not in task), "")
    yesterday = works[(voice.rotated("works", range(len(works)), 0) + cue.scene.day - 2) % len(works)]
    done = any(yesterday.title in node.description for node in cue.memories if node.type == "artifact")
    return "" if done else yesterday.task


def _talks(cue: Cue, voice: Voice) -> list[dict[str, str]]:
    """Name up to two people. One comes by rotation, so that everybody is named within two weeks."""
    if not cue.people or (cue.scene.day > len(cue.people) and voice.chance(0.15)):
        return []
    wanted = [cue.people[(cue.scene.day + cue.agent.index) % len(cue.people)].id]
    drawn = [*cue.persona.close, *cue.persona.far, *(made.maker for made in cue.artifacts[-3:])]
    drawn = [one for one in dict.fromkeys(drawn) if one in cue.names and one not in wanted]
    if drawn and voice.chance(0.5):
        wanted.append(voice.dice.choice(drawn))
    return [{"to": one, "about": _about(cue, voice, one, place)} for place, one in enumerate(wanted)]


def _about(cue: Cue, voice: Voice, person: str, place: int) -> str:
    made = [item.title for item in cue.artifacts if item.maker == person]
    if made and voice.chance(0.6):
        return voice.shared("about_work", title=to_slot(made[-1]))
    if person in cue.persona.far and voice.chance(0.6):
        return voice.shared("about_quarrel", topic=own_topic(cue, voice, place))
    return voice.shared("about", topic=own_topic(cue, voice, place))
