"""The last talk of the day before, when it ended in a question that nobody answered."""

from __future__ import annotations

from collections.abc import Iterator

from gm.model.calendar import SceneRef
from gm.model.scene import Candidate, LogEntry
from gm.model.world import World
from gm.scene.attendance import attending
from gm.scene.board import answered
from gm.scene.candidates.people import clip
from gm.scene.mentions import mentioned
from gm.scene.places import talk_place
from gm.scene.score import reason
from gm.scene.waiting import last_question


def from_cliffhanger(world: World, time: str) -> Iterator[Candidate]:
    """Propose that the one who asked goes to the one who owes the answer."""
    last = _last_talk(world)
    question = last_question(last) if last else None
    if last is None or question is None:
        return
    scene = last.record.get("scene")
    ref = SceneRef(last.day, scene if isinstance(scene, int) else 0)
    asker, text = question
    here = attending(world)
    key = f"question/{ref}"
    noted = any(thread.by == asker and thread.opened == str(ref) for thread in world.threads)
    other = _asked(world, _lines(last))
    if noted or key in answered(world) or not {asker, other} <= {*here}:
        return
    one, two = world.agents[asker], world.agents[other]
    values = {"one": one.call_name, "two": two.call_name, "text": clip(text, 160)}
    yield Candidate(
        type="ENCOUNTER",
        cast=(one.id, two.id),
        place=talk_place(world, one, two, time),
        reasons=(reason(world, "cliffhanger", 1.0, **values),),
        premise=("premise_visit", values),
        answers=(key,),
        premises={
            one.id: ("premise_own_cliffhanger", {**values, "name": two.call_name}),
            two.id: ("premise_others_cliffhanger", {**values, "name": one.call_name}),
        },
    )


def _last_talk(world: World) -> LogEntry | None:
    """Find the last talk of the last day before today."""
    before = [entry for entry in world.log if entry.day < world.clock.day and not entry.is_summary]
    last = [entry for entry in before if entry.day == before[-1].day and len(_lines(entry)) > 1]
    talks = [entry for entry in last if (kind := world.scene_types.get(entry.type)) and kind.play == "sequential"]
    return talks[-1] if talks else None


def _asked(world: World, lines: list[tuple[str, str]]) -> str:
    """Whom the last line asks: the one it names, else the last one who spoke before it."""
    asker, text = lines[-1]
    speakers = dict.fromkeys(name for name, _ in reversed(lines) if name != asker and name in world.agents)
    named = mentioned(text, (world.agents[name] for name in speakers))
    return next(iter((*named, *speakers)), "")


def _lines(entry: LogEntry) -> list[tuple[str, str]]:
    dialogue = entry.record.get("dialogue")
    return [
        (str(line.get("agent", "")), str(line.get("text", "")))
        for line in (dialogue if isinstance(dialogue, list) else ())
        if isinstance(line, dict)
    ]
