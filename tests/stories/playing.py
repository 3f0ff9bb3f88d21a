"""Play worlds in tests: backends that count, fail or stop on demand, and a report that remembers."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gm.api.editing.check.whole import check_world
from gm.api.playing.mind.minds import SceneMinds
from gm.base.errors import BackendError
from gm.files.layout import Layout
from gm.files.questions.traces import TraceReader
from gm.llm.base import Answer, Backend, Request, Surroundings
from gm.llm.choose import Choice, choose_backend
from gm.llm.content import text_of
from gm.llm.rehearsal.backend import Rehearsal
from gm.llm.rehearsal.facts import Cue
from gm.model.scene import Scene
from gm.model.world import Change, World
from gm.play.master import DayResult, GameMaster, game_master
from gm.play.report import Report

Tree = Mapping[str, bytes]


class Heard(Report):
    """Remembers what happened; ``after`` is called when a scene is in the files."""

    def __init__(self, after: Callable[[World, Scene], None] | None = None) -> None:
        self.scenes: list[Scene] = []
        self.notices: list[str] = []
        self._after = after

    def scene_played(self, world: World, scene: Scene, change: Change) -> None:
        self.scenes.append(scene)
        if self._after:
            self._after(world, scene)

    def notice(self, text: str) -> None:
        self.notices.append(text)


def about(request: Request) -> Cue:
    """Return what a question to a character is about."""
    assert isinstance(request.facts, Cue)
    return request.facts


class Counting:
    """Passes questions on and remembers them; after ``limit`` questions the connection is gone."""

    reads_facts = True

    def __init__(self, inner: Backend | None = None, limit: int | None = None) -> None:
        self._inner = inner or Rehearsal()
        self._limit = limit
        self.asked: list[Request] = []
        self.name = self._inner.name
        self.model = self._inner.model

    def ask(self, request: Request) -> Answer:
        if self._limit is not None and len(self.asked) >= self._limit:
            raise BackendError("the line is dead")
        self.asked.append(request)
        return self._inner.ask(request)


@dataclass
class Scripted:
    """Answers each question with what a function makes of it: the rehearsal's reply, changed."""

    change: Callable[[Request, dict[str, Any]], dict[str, Any] | str]
    name: str = "scripted"
    model: str = "scripted"
    reads_facts: bool = True
    asked: list[Request] = field(default_factory=list)

    def ask(self, request: Request) -> Answer:
        self.asked.append(request)
        reply = self.change(request, json.loads(Rehearsal().ask(request).text))
        return Answer(reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False), self.model)


def play(
    layout: Layout,
    *,
    days: int = 1,
    backend: Backend | None = None,
    report: Report | None = None,
    seed: int | None = None,
) -> list[DayResult]:
    """Play days with the rehearsal, or with another backend."""
    choice = Choice(backend or Rehearsal(), "a test")
    with game_master(layout, choice, report or Report(), command="test", seed=seed, minds=SceneMinds) as master:
        return [master.play_day() for _ in range(days)]


def play_with(layout: Layout, backend: Backend, report: Report, use: Callable[[GameMaster], object]) -> None:
    """Call a function with a Game Master."""
    with game_master(layout, Choice(backend, "a test"), report, command="test", minds=SceneMinds) as master:
        use(master)


def tree(root: Path, *, traces: bool = True) -> Tree:
    """Return all files of a world but the derived ones: path and bytes."""
    found = {}
    for path in sorted(root.rglob("*")):
        shown = path.relative_to(root).as_posix()
        left_out = shown.startswith(("state/.gm/", ".git/")) or (not traces and shown.startswith("state/traces/"))
        if path.is_file() and not left_out:
            found[shown] = path.read_bytes()
    return found


def copied(layout: Layout, to: Path) -> Layout:
    """Copy a whole world, its repository included."""
    shutil.copytree(layout.root, to)
    return Layout(to)


def check_replay(layout: Layout, again: Layout, days: int = 1) -> list[str]:
    """Check that days are played to the same bytes from their traces, in a copy from before; return the notices."""
    shutil.copytree(layout.traces, again.traces, dirs_exist_ok=True)
    heard = Heard()
    around = Surroundings(notice=heard.notice, recordings=TraceReader(again.traces))
    play(again, days=days, backend=choose_backend("replay", "a test", around).backend, report=heard)
    assert tree(again.root) == tree(layout.root)
    return heard.notices


def objections(layout: Layout) -> list[str]:
    """What ``gm check`` says beside remarks."""
    return [str(item) for item in check_world(layout).problems if item.severity != "info"]


def letter(request: Request) -> str:
    """All messages of a question as one text."""
    return "\n".join(text_of(content) for _, content in request.messages)


def whole(request: Request) -> str:
    """All of a question: the parts that hold its memories, and the letter."""
    return "\n".join((*(block.text for block in request.system), letter(request)))


def nodes_of(layout: Layout) -> list[dict[str, Any]]:
    """The memory streams of all characters, as lines."""
    return [node for name in layout.agent_names() for node in records(layout.stream(name))]


def records(path: Path) -> list[dict[str, Any]]:
    """Read the objects of a file with one a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def edit(path: Path, values: Mapping[str, Any]) -> None:
    """Change a JSON file the way a person with an editor does."""
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(data | dict(values), ensure_ascii=False, indent=2), encoding="utf-8")


def set_sections(path: Path, more: str) -> None:
    """Put whole sections into a ``gm.yaml``, in the place of those of the same name."""
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r"^(\w+):", more, re.M):
        text = re.sub(rf"^{name}:.*\n(?:[ #-].*\n|\n)*", "", text, flags=re.M)
    path.write_text(f"{text}{more}\n", encoding="utf-8")
