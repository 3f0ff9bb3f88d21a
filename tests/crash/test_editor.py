"""A person edits the world's files while days are being played: every edit is in the files at the end."""

import json
import random
import threading
from collections.abc import Callable
from pathlib import Path

from gm.api.editing.check.whole import check_world
from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from gm.llm.base import Answer, Request
from gm.llm.choose import Choice
from gm.llm.rehearsal.backend import Rehearsal
from gm.model.scene import Scene
from gm.model.world import Change, World
from gm.play.master import run_days
from gm.play.report import Report

DAYS = 20
EDITS_WANTED = 200


class Editor(Report):
    """A person with a text editor and no patience. Leaves a mark in everything it touches."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.marks: list[tuple[Path, str]] = []
        self._dice = random.Random(20)
        self._lock = threading.Lock()

    def scene_begins(self, world: World, scene: Scene) -> None:
        self.edit()

    def scene_played(self, world: World, scene: Scene, change: Change) -> None:
        self.edit()

    def edit(self) -> None:
        """Edit something, or nothing."""
        with self._lock:
            if self._dice.random() < 0.6:
                mark = f"mark{len(self.marks):04d}"
                kind = self._dice.choice((self.add_memory, self.change_memory, self.agent, self.world, self.bulletin))
                kind(self._dice.choice(self.layout.agent_names()), mark)

    def add_memory(self, name: str, mark: str) -> None:
        path = self.layout.stream(name)
        lines = path.read_text().splitlines() if path.exists() else []
        number = 1 + max((int(json.loads(line)["id"].rsplit("-", 1)[1]) for line in lines), default=0)
        created = json.loads(lines[-1])["created"] if lines else "day-001/scene-01"
        node: dict[str, object] = {
            "id": f"{name}-{number:03d}",
            "created": created,
            "type": "observation",
            "depth": 0,
            "description": f"{mark} {{{{ 7 * 7 }}}}",
            "importance": 3,
            "tags": [],
            "evidence": [],
            "metadata": {},
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(json.dumps(node) + "\n")
        self.marks.append((path, mark))

    def change_memory(self, name: str, mark: str) -> None:
        path = self.layout.stream(name)
        if path.exists():
            lines = path.read_text().splitlines(keepends=True)
            place = self._dice.randrange(len(lines))
            lines[place] = lines[place].replace('"description": "', f'"description": "{mark} ', 1)
            self.save(path, "".join(lines), mark)

    def agent(self, name: str, mark: str) -> None:
        self.add_key(self.layout.agent(name), mark)

    def world(self, name: str, mark: str) -> None:
        self.add_key(self.layout.world, mark)

    def bulletin(self, name: str, mark: str) -> None:
        self.add_key(self.layout.bulletin, mark)

    def add_key(self, path: Path, mark: str) -> None:
        self.save(path, path.read_text().replace("{", f'{{ "{mark}": 5.00,', 1), mark)

    def save(self, path: Path, text: str, mark: str) -> None:
        """Save the way editors do: a new file in the place of the old one."""
        beside = path.with_name(f"{path.name}~")
        beside.write_text(text)
        beside.replace(path)
        self.marks.append((path, mark))


class Interrupted(Rehearsal):
    """A model that takes its time, so that edits happen meanwhile."""

    def __init__(self, edit: Callable[[], None]) -> None:
        super().__init__()
        self._edit = edit

    def ask(self, request: Request) -> Answer:
        self._edit()
        return super().ask(request)


def test_every_edit_that_is_made_during_twenty_days_is_in_the_files_at_the_end(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    layout = create_world(tmp_path / "world", "dinner")
    editor = Editor(layout)
    run_days(layout, Choice(Interrupted(editor.edit), "test"), editor, DAYS, command="test")
    lost = [f"{path.name}: {mark}" for path, mark in editor.marks if mark not in path.read_text()]
    assert not lost
    assert len(editor.marks) >= EDITS_WANTED
    report = check_world(layout)
    assert not [problem for problem in report.problems if problem.severity == "error"]
    record_property("edits during a run", {"made": len(editor.marks), "lost": len(lost)})
