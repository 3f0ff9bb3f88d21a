"""Good and broken files of every kind that people edit, for ``gm check``, schemas and editors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.files.check.handmade import line, node


@dataclass(frozen=True)
class Case:
    """The text of one file.

    Attributes:
        kind: Its name in ``gm schema``.
        path: From the world's folder.
        good: Whether it is without a mistake.
    """

    kind: str
    path: str
    text: str
    good: bool

    @property
    def name(self) -> str:
        return f"{self.kind}: {self.text.strip().splitlines()[-1 if self.kind != 'persona' else 1][:60]}"

    def write(self, root: Path) -> None:
        place = root / self.path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(self.text, encoding="utf-8")


def front(*lines: str) -> str:
    return "\n".join(("---", *lines, "---", "", "You are Mina.", ""))


PATHS = {
    "settings": "gm.yaml",
    "persona": "state/personas/mina.md",
    "scene-type": "prompts/scenes/night.j2",
    "piece": "gallery/writing/night.md",
    "memory": "state/memories/mina.jsonl",
    "agent": "state/agents/mina.json",
    "world": "state/world.json",
    "board": "state/bulletin.json",
    "thread": "state/threads.jsonl",
    "soul": "state/souls/mina.yaml",
    "now": "state/now/mina.yaml",
    "working": "state/working/mina.yaml",
    "goal": "state/goals/mina.jsonl",
    "diary": "state/diary/mina.jsonl",
    "relationship": "state/relationships/mina.json",
    "script": "scripts/day-001.yaml",
    "request": "state/links.json",
}
SCENE = "type: NIGHT"
THREAD: dict[str, Any] = {"id": "thread-001", "at": "day-001/scene-01", "event": "open", "by": "mina"}
THREAD |= {"kind": "promise", "text": "A plank.", "to": ["otto"], "due": 1}
GOAL: dict[str, Any] = {"id": "goal-001", "at": "day-001/scene-01", "event": "open", "text": "A boat."}
GOOD: dict[str, tuple[str, ...]] = {
    "settings": (
        "seed: 2\n",
        "world: {title: Wharf, rules: [No magic.]}\nrag: {limit: 3}\nplaces: {wharf: The wharf.}\n",
        "lenses: [{at: retrieval, add: Well., who: [mina]}]\n",
        "day:\nsoul: true\ndiary: off\nllm: {stream: false}\n",
        "calendar: {start: 2026-03-02}\nmodels: {reflection: rehearsal}\n",
    ),
    "persona": (
        front("name: Mina Holt"),
        front("name: Mina", "traits: quick", "voice: {humour: Dry.}", "_notes: {any: 1}", "friends: {otto: Old.}"),
        front("name: Mina", "rag: false", "mode: discover", "age: 41", "quarrels: [otto]"),
        front("name: Mina", "works: [{task: Draw, notes: [One.]}]", "topics: [{tag: sea, words: the sea}]"),
        front("name: Mina", "lenses: [{at: formation, importance: 1, when: {tags: [sea]}}]"),
    ),
    "scene-type": (
        front(SCENE),
        front(
            SCENE,
            "times: [evening]",
            "rounds: [1, 2]",
            "raised: {rounds: [2, 3]}",
            "again: {max_turns: 3}",
            "rag: {limit: 2}",
        ),
        front(SCENE, "tags: sea", "who: all", "suits: {evening: 0.5}", "rag: false"),
    ),
    "piece": (front("title: Night", "agent: mina", "tags: [sea]", "mine: 1"),),
    "memory": (
        line(node("mina", 1)) + "\n",
        line(node("mina", 1, tags=["sea"], evidence=[])) + "\n",
        line(node("mina", 1, metadata={"weather": 3, "tier": "low", "about": ["otto"]})) + "\n",
    ),
    "agent": ('{\n    "name": "Mina", "importance_accumulator": 5, "mine": 1\n}\n',),
    "world": ('{"day": 1, "time_of_day": "evening"}\n',),
    "board": ('{"posts": []}\n',),
    "thread": (line(THREAD) + "\n",),
    "soul": ("beliefs: [Wood does not lie.]\nfears: Depth\nvalues:\n", "beliefs: [One.]\n"),
    "now": ("day: 1\noccupies: [A plank.]\nthinks: Yes.\n",),
    "working": ("current_subgoal: A plank\nknown: [One., {two: 2}]\nmine: 3\n",),
    "goal": (line(GOAL) + "\n",),
    "diary": ('{"day": 1, "text": "Tired."}\n',),
    "relationship": ('{"otto": {"trust_level": 0.5}}\n',),
    "script": ("scenes: [{type: encounter, with: [mina, otto], tags: sea}, free, {free: 2}, {free: rest}]\n",),
    "request": ('{"requests": []}\n',),
}
BROKEN: dict[str, tuple[str, ...]] = {
    "settings": (
        "sede: 2\n",
        "seed: two\n",
        "world: {titel: Wharf}\n",
        "places: [wharf]\n",
        "prompts: long\n",
        "rag: {limit: -1}\n",
        "lenses: [{at: retrieval, importance: 2, add: x}]\n",
        "lenses: [{at: dreams, add: x}]\n",
        "day: {scenes: 7}\n",
        "budget: {day_usd: much}\n",
    ),
    "persona": (
        front("roll: Doctor"),
        front("name: 7"),
        front("traits: 5"),
        front("color: red"),
        front("mode: ask"),
        front("friends: {otto: 3}"),
        front("lines: [Yes., {No: 1}]"),
        front("voice: {humour: 3}"),
        front("roles: {dnd: [x]}"),
        front("age: true"),
        front("rag: {limt: 3}"),
        front("rag: true"),
        front("works: [{title: x}]"),
        front("works: [{task: x, colour: y}]"),
        front("topics: [sea]"),
        front("until_now: Yes."),
        front("lenses: [{at: dreams, add: x}]"),
        front("lenses: [{at: retrieval, add: x, importance: 2}]"),
    ),
    "scene-type": (
        front(SCENE, "tims: [evening]"),
        front(SCENE, "times: [dusk]"),
        front(SCENE, "rounds: 2"),
        front(SCENE, "raised: {round: [1, 2]}"),
        front(SCENE, "rag: true"),
        front(SCENE, "suits: {dusk: 1}"),
    ),
    "piece": (front("title: [Night]"), front("tags: sea"), front("created: 3")),
    "memory": (
        line(node("mina", 1, importance=11)) + "\n",
        line(node("mina", 1, type="dream")) + "\n",
        line(node("mina", 1, tags="sea")) + "\n",
        line(node("mina", 1, metadata={"tier": "golden"})) + "\n",
        line(node("mina", 1, metadata={"title": 3})) + "\n",
        line({key: value for key, value in node("mina", 1).items() if key != "description"}) + "\n",
    ),
    "agent": ('{"name": 5}\n', '{"importance_accumulator": "5"}\n', '{"care_wanted": 1}\n'),
    "world": ('{"day": "1"}\n', '{"day": -1}\n', '{"day_open": 1}\n'),
    "board": ('{"posts": [{"from": "otto"}]}\n',),
    "thread": (
        line(THREAD | {"event": "begin"}) + "\n",
        line(THREAD | {"due": "soon"}) + "\n",
        line({key: value for key, value in THREAD.items() if key != "by"}) + "\n",
    ),
    "soul": ("beliefs:\n  - Yes.\n  - 7\n", "- Depth\n", "dreams: {sea: 1}\n"),
    "now": ("day: today\n", "occupies: [1]\n"),
    "working": ("current_subgoal: [a]\n", "known: 7\n"),
    "goal": (line(GOAL | {"event": "begin"}) + "\n", line(GOAL | {"text": 3}) + "\n"),
    "diary": ('{"day": 1}\n', '{"day": 1, "text": 3}\n'),
    "relationship": ('{"otto": {"trust_level": "much"}}\n', '{"otto": 3}\n'),
    "script": (
        "szenes: []\n",
        "scenes: [{type: encounter, wiht: [mina]}]\n",
        "scenes: [{type: encounter, time: dusk}]\n",
        "scenes: [{free: 0}]\n",
        "scenes: [{with: [mina]}]\n",
    ),
    "request": ('{"requests": 3}\n', '{"requests": [{"from": "mina"}]}\n'),
}


def cases() -> Iterator[Case]:
    """Yield every file of the corpus."""
    for good, corpus in ((True, GOOD), (False, BROKEN)):
        for kind, texts in corpus.items():
            yield from (Case(kind, PATHS[kind], text, good) for text in texts)


def make_world(root: Path) -> None:
    """Write a small world in which each file of the corpus can stand."""
    files = {
        "gm.yaml": "language: en\n",
        "state/world.json": '{"day": 1}\n',
        "state/agents/mina.json": '{"name": "Mina"}\n',
        "state/agents/otto.json": '{"name": "Otto"}\n',
        "state/personas/mina.md": front("name: Mina"),
        "state/memories/mina.jsonl": line(node("mina", 1)) + "\n",
    }
    for path, text in files.items():
        Case("", path, text, True).write(root)
