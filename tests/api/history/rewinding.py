"""Worlds that were photographed after each scene while they were played, to be held against what a rewind makes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from gm.api.history.commits import CommittingReport
from gm.api.worlds.create import create_world
from gm.base.config import GitSettings
from gm.files.layout import Layout
from gm.layers.soul import SOUL
from gm.llm.choose import Choice
from gm.llm.rehearsal.backend import Rehearsal
from gm.model.scene import Scene
from gm.model.world import Change, World
from gm.play.master import run_days
from gm.play.report import Report
from tests.api.repositories import commit_all, make_repository
from tests.stories.playing import Tree, tree

LAYERS = """
soul: on
working: {enabled: on}
relationships: on
diary: on
decay: {enabled: true}
day: {scenes: [2, 3]}
selfcare: {enabled: true, min: 8, token_ceiling: 1500, post_ceiling: 700}
reflection: {threshold: 60}
"""


@dataclass
class Camera(Report):
    """Keeps every file of a world after each scene and each day."""

    layout: Layout
    seen: dict[str, Tree] = field(default_factory=dict)

    def take(self, moment: str) -> None:
        self.seen[moment] = played(self.layout.root)

    def scene_played(self, world: World, scene: Scene, change: Change) -> None:
        self.take(str(scene.ref))

    def day_closed(self, world: World, change: Change) -> None:
        self.take(f"day-{world.clock.day:03d}")


def played(root: Path) -> Tree:
    """Return all that a day may change, the record of it and the counters included; answers aside."""
    found = {path: data for path, data in tree(root).items() if not path.startswith("state/traces/")}
    for path in sorted(Layout(root).changes.glob("*.jsonl")):
        found[path.relative_to(root).as_posix()] = path.read_bytes()
    counters = Layout(root).reinforced
    return {**found, **({"reinforced": counters.read_bytes()} if counters.exists() else {})}


def photographed(root: Path, days: int, *, layers: bool = False, commit: str = "") -> Camera:
    """Make the dinner world and play some days, committing each day or scene if that is wanted."""
    layout = create_world(root, "dinner")
    if layers:
        with layout.settings.open("a", encoding="utf-8") as file:
            file.write(LAYERS)
        layout.layer_folder(SOUL).mkdir()
        for name in layout.agent_names():
            layout.layer(SOUL, name).write_text(f"beliefs:\n  - {name} stays.  # by hand\n", encoding="utf-8")
    camera = Camera(layout)
    report: Report = camera
    if commit:
        make_repository(root)
        commit_all(root, "new world")
        report = CommittingReport(layout, camera, GitSettings(commit=commit))
    camera.take("day-000")
    run_days(layout, Choice(Rehearsal(), "test"), report, days, command="test")
    return camera
