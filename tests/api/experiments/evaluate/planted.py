"""Worlds in which a measure must find what is planted: a clean one, and functions that plant something in it."""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gm.api.experiments.evaluate.evaluation import describe_evaluation
from gm.api.experiments.evaluate.measure import Case, Measured
from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from gm.model.calendar import render_day
from gm.model.interview import INTERVIEW_ANSWER, InterviewAnswer
from gm.model.node import Node, render_node
from gm.model.thread import THREAD_EVENT, ThreadEvent

DAYS = 8
CAST = ("alex", "casey")


class Planted:
    """A dinner world, written line by line."""

    def __init__(self, root: Path) -> None:
        self.layout: Layout = create_world(root, "dinner")
        self._dice = random.Random(1)
        self._numbers: dict[str, int] = {}
        self._scenes: dict[int, int] = {}

    def copied(self, root: Path) -> Planted:
        """Return a copy that can be planted in."""
        made = copy.deepcopy(self)
        made.layout = Layout(shutil.copytree(self.layout.root, root))
        return made

    def words(self, count: int = 12) -> str:
        """Return words that nobody has said before."""
        letters = "abcdefghijklmnoprstuvwz"
        return " ".join("".join(self._dice.choices(letters, k=7)) for _ in range(count))

    def remember(self, agent: str, day: int, text: str = "", **values: Any) -> str:
        """Write a memory, and return its id."""
        number = self._numbers[agent] = self._numbers.get(agent, 0) + 1
        given: dict[str, Any] = {
            "id": f"{agent}-{number:03d}",
            "created": f"{render_day(day)}/scene-02",
            "type": "observation",
            "depth": 0,
            "description": text or self.words(),
            "importance": 4 + number % 3,
        }
        node = Node(**{**given, **values})
        self._write(self.layout.stream(agent), render_node(node))
        return node.id

    def say(self, day: int, lines: Mapping[str, str], **values: Any) -> None:
        """Write a scene in which each says a line."""
        number = self._scenes[day] = self._scenes.get(day, 0) + 1
        turns = [{"agent": name, "lines": [{"text": text}]} for name, text in lines.items()]
        scene = {"scene": number, "type": "MEETING", "participants": list(lines), "turns": turns, **values}
        self._write(self.layout.day_log(day), json.dumps(scene))

    def thread(self, **values: Any) -> None:
        """Write an event of a thread."""
        event = ThreadEvent(**{"by": "alex", "text": "I bring the copper kettle to Casey.", **values})
        self._write(self.layout.threads, THREAD_EVENT.render(event))

    def close(self, day: int, **plans: Sequence[Mapping[str, str]]) -> None:
        """End a day with the plans' items."""
        self._write(self.layout.day_log(day), json.dumps({"type": "SUMMARY", "summary": "over", "plans": plans}))
        clock = json.loads(self.layout.world.read_text(encoding="utf-8"))
        self.layout.world.write_text(json.dumps({**clock, "day": day, "day_open": False}), encoding="utf-8")

    def answer(self, **values: Any) -> None:
        """Keep an answer of an interview."""
        given: dict[str, Any] = {
            "agent": "alex",
            "at": render_day(3),
            "key": "memory-1",
            "kind": "memory",
            "question": "What?",
        }
        answer = InterviewAnswer(**{**given, "question": "What?", **values})
        folder = self.layout.derived / "interviews" / answer.at.replace("/", "_")
        self._write(folder / f"{answer.agent}.jsonl", INTERVIEW_ANSWER.render(answer))

    def measured(self, name: str, first: int | None = None, last: int | None = None) -> Measured:
        """Return what one measure finds."""
        return describe_evaluation(self.layout, [name], first, last).measures[0]

    def cases(self, name: str) -> tuple[Case, ...]:
        return self.measured(name).cases

    def _write(self, path: Path, line: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def clean(root: Path, days: int = DAYS) -> Planted:
    """Make a world in which nothing is wrong."""
    world = Planted(root)
    for day in range(1, days + 1):
        world.say(day, {name: world.words(20) for name in CAST})
        seen = {name: [world.remember(name, day) for _ in range(6)] for name in CAST}
        for name in CAST:
            world.remember(name, day, type="reflection", depth=1, evidence=tuple(seen[name][:2]))
        done = {"text": world.words(4), "status": "done"}
        world.close(day, **{name: [done, {"text": world.words(4), "status": "moved"}] for name in CAST})
    world.thread(id="thread-001", at="day-001/scene-01", event="open", kind="promise", to=("casey",), due=2)
    world.thread(id="thread-001", at="day-002/scene-01", event="close", outcome="kept", text="It is there.")
    world.answer(answer="I saw the stork on the roof.", cited=(world.remember("alex", 3, "A stork sat on our roof."),))
    world.answer(key="memory-2", trap=True, answer="I don't know anything about that.")
    return world


def figure(measured: Measured, name: str, of: str = "all") -> tuple[Any, int]:
    """Return the value of a figure, and how many cases it rests on."""
    found = next(one for one in measured.figures if (one.of, one.name) == (of, name))
    return found.value, found.count
