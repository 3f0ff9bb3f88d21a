"""The letters of played worlds: what was asked of a character, what it remembered then, and what it answered."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.data import find_data
from gm.api.worlds.create import create_world
from gm.ask.prompt.people import view_scene, view_self
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.packaged.recorded import FOLDER, TRACES, list_recorded
from gm.files.questions.traces import TraceReader
from gm.llm.base import Answer, Backend, Request, Surroundings
from gm.llm.choose import Choice, choose_backend
from gm.llm.content import plain_content
from gm.llm.rehearsal.backend import Rehearsal
from gm.llm.rehearsal.facts import Cue
from gm.model.calendar import parse_ref
from gm.model.node import Node
from gm.model.thread import Thread
from gm.model.world import World
from gm.play.master import game_master
from gm.play.report import Report
from gm.scene.grounding.attendance import present_with

Reply = Mapping[str, Any]
PLAYED = find_data("played-studio.zip")
RECORDED_SETTINGS = "relationships: on\ndiary: on\n"
"""What the recorded days were played with, beside the template's settings."""


@dataclass(frozen=True)
class Letter:
    """One question to a character, and its answer.

    Attributes:
        place: The scene: ``day-003/scene-04``.
        kind: ``scene`` or ``reflection``.
        before: Its stream before this letter.
        parts: What a question to its memory can be made of, by name.
        threads: The scene in which each open thread began, and its text, by id.
        system: The part of the prompt that is the same over a scene; it holds the window.
        text: The rest.
        others: Memories of the other characters before this letter, by name.
    """

    source: str
    place: str
    day: int
    scene: int
    who: str
    kind: str
    language: str
    before: tuple[Node, ...]
    parts: Mapping[str, str]
    threads: Mapping[str, tuple[str, str]]
    people: tuple[tuple[str, ...], ...]
    weekdays: tuple[str, ...]
    system: str
    text: str
    answer: Reply
    others: Mapping[str, tuple[Node, ...]]

    @property
    def settled(self) -> tuple[Node, ...]:
        """The memories of earlier days, from which a window is chosen."""
        return tuple(node for node in self.before if node.when.day < self.day)


class Listening:
    """Passes questions on, and keeps them with their answers."""

    def __init__(self, source: str, inner: Backend) -> None:
        self.letters: list[Letter] = []
        self.reads_facts = inner.reads_facts
        self.name, self.model = inner.name, inner.model
        self._inner, self._source = inner, source

    def ask(self, request: Request) -> Answer:
        """Answer, and keep the letter."""
        answer = self._inner.ask(request)
        if isinstance(request.facts, Cue) and request.facts.kind in ("scene", "reflection"):
            self.letters.append(_of_cue(self._source, request, request.facts, read_answer(answer.text)))
        return answer


def recorded(folder: Path) -> list[Letter]:
    """Play the recorded days of the studio again from their traces."""
    layout = create_world(folder / "recorded", "studio")
    with layout.settings.open("a", encoding="utf-8") as file:
        file.write(RECORDED_SETTINGS)
    shutil.copytree(FOLDER / "studio" / TRACES, layout.traces)
    around = Surroundings(recordings=TraceReader(layout.traces))
    replay = choose_backend("replay", "a recording", around).backend
    return _play(layout, Listening("recorded", replay), list_recorded("studio")[-1])


def rehearsed(folder: Path, template: str, days: int) -> list[Letter]:
    """Rehearse a template."""
    return _play(create_world(folder / template, template), Listening(template, Rehearsal()), days)


def _play(layout: Layout, listening: Listening, days: int) -> list[Letter]:
    for _ in range(days):
        with game_master(layout, Choice(listening, "bench"), Report(), command="bench") as master:
            master.play_day()
    return listening.letters


def _of_cue(source: str, request: Request, cue: Cue, answer: Reply) -> Letter:
    world, agent, scene = cue.world, cue.agent, cue.scene
    shown, me = view_scene(world, scene, agent), view_self(world, agent, cue.context)
    present = [name for name in present_with(world, scene, agent.id) if name != agent.id]
    parts = {
        "place": scene.place.replace("-", " "),
        "topic": shown.topic,
        "premise": shown.premise,
        "intent": shown.intent,
        "task": agent.state.current_task,
        "plan": " ".join(agent.state.today_plan),
        "names": " ".join(world.agents[name].call_name for name in scene.cast if name != agent.id),
        "own": shown.own,
        "threads": " ".join(_between(world.threads, agent.id, present)),
        "known": " ".join(world.agents[name].front_values.role for name in scene.cast if name != agent.id),
        "pieces": " ".join(piece.title for piece in cue.context.pieces),
        "said": " ".join(line.text for line in cue.context.dialogue[-3:]),
    }
    assert me.id == agent.id
    return Letter(
        source,
        str(scene.ref),
        scene.ref.day,
        scene.ref.scene,
        agent.id,
        cue.kind,
        world.settings.language,
        tuple(agent.stream),
        parts,
        {thread.id: (thread.opened, thread.text) for thread in world.threads if thread.is_open},
        _people(world),
        world.settings.calendar.weekdays,
        "\n".join(block.text for block in request.system),
        "\n".join(plain_content(content) for _, content in request.messages),
        answer,
        {name: tuple(other.stream) for name, other in world.agents.items() if name != agent.id},
    )


def _between(threads: Sequence[Thread], me: str, present: Sequence[str]) -> list[str]:
    return [
        thread.text
        for thread in threads
        if thread.is_open
        and ((thread.by == me and {*thread.to} & {*present}) or (me in thread.to and thread.by in present))
    ]


def _people(world: World) -> tuple[tuple[str, ...], ...]:
    return tuple((other.id, other.name, other.call_name) for other in world.agents.values())


def read_answer(text: str) -> Reply:
    """Return the data of an answer; empty when they cannot be read."""
    found = re.search(r"\{.*\}", text, re.DOTALL)
    try:
        data = json.loads(found[0], strict=False) if found else {}
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def played() -> list[Letter]:
    """Read the letters of the played world beside the checkout; empty without it."""
    if not PLAYED.is_file():
        print(f"{PLAYED.name}: not measured, it is not there")
        return []
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(PLAYED) as archive:
            archive.extractall(folder)
        return list(read_letters(Layout(Path(folder) / PLAYED.stem)))


def read_letters(layout: Layout) -> Iterator[Letter]:
    """Read a world's letters from its traces, logbook and streams, in the order of the scenes.

    What a character knew is what its stream held before the scene.
    """
    world = load_world(layout).world
    reader = TraceReader(layout.traces)
    events = [json.loads(line) for line in (layout.state / "threads.jsonl").read_text(encoding="utf-8").splitlines()]
    tasks: dict[str, str] = {}
    for day in layout.logged_days():
        for line in layout.day_log(day).read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            if "scene" not in entry:
                continue
            place = f"day-{day:03d}/scene-{entry['scene']:02d}"
            for record in reader.in_scene(place):
                if record["purpose"] in ("scene", "reflection") and record["who"] in world.agents:
                    letter = _of_trace(world, entry, events, record, place, tasks)
                    tasks[letter.who] = str(letter.answer.get("current_task") or tasks.get(letter.who, ""))
                    yield letter


def _of_trace(
    world: World, entry: Reply, events: Sequence[Reply], record: Reply, place: str, tasks: Mapping[str, str]
) -> Letter:
    who, ref = str(record["who"]), parse_ref(place)
    assert ref is not None
    before = {
        name: tuple(node for node in agent.stream if node.when < ref or node.when.day == 0)
        for name, agent in world.agents.items()
    }
    others = [name for name in entry["participants"] if name != who]
    closed = {event["id"] for event in events if event["event"] == "close" and event["at"] < place}
    opened = [event for event in events if event["event"] == "open" and event["at"] < place]
    threads = [
        str(event["text"])
        for event in opened
        if event["id"] not in closed
        and ((event["by"] == who and {*event["to"]} & {*others}) or (who in event["to"] and event["by"] in others))
    ]
    plans = [node for node in before[who] if node.type == "plan" and node.when.day == ref.day]
    request = record["request"]
    parts = {
        "place": str(entry.get("location", "")).replace("-", " "),
        "topic": str(entry.get("topic", "")),
        "premise": str(entry.get("premise", "")),
        "intent": str(entry.get("intent", "")),
        "task": tasks.get(who, ""),
        "plan": plans[0].description if plans else "",
        "names": " ".join(world.agents[name].call_name for name in others),
        "own": str(entry.get("premises", {}).get(who, "")),
        "threads": " ".join(threads),
        "known": " ".join(world.agents[name].front_values.role for name in others),
        "pieces": "",
        "said": "",
    }
    return Letter(
        "played",
        place,
        ref.day,
        ref.scene,
        who,
        str(record["purpose"]),
        world.settings.language,
        before.pop(who),
        parts,
        {str(event["id"]): (str(event["at"]), str(event["text"])) for event in opened if event["id"] not in closed},
        _people(world),
        world.settings.calendar.weekdays,
        "\n".join(map(str, request["system"])),
        "\n".join(str(message["content"]) for message in request["messages"]),
        read_answer(str(record["answer"]["text"])),
        before,
    )
