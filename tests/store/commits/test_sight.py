"""Files that change are noticed and named."""

from __future__ import annotations

import os
import shutil

from gm.store.commits.sight import Sight
from gm.store.layout import Layout
from gm.tools.board import put_up_brief


def test_what_comes_goes_and_changes_is_named_once(studio: Layout) -> None:
    sight = Sight(studio)
    assert sight.changes() == []
    put_up_brief(studio, "Baut!")
    (studio.gallery / "maps").mkdir(parents=True)
    (studio.gallery / "maps" / "a.md").write_text("x")
    assert sight.changes() == ["gallery/maps/a.md", "state/bulletin.json", "state/world.json"]
    assert sight.changes() == []
    shutil.rmtree(studio.gallery)
    studio.settings.write_text("language: en\n")
    assert sight.changes() == ["gallery/maps/a.md", "gm.yaml"]


def test_what_says_nothing_is_not_looked_at(studio: Layout) -> None:
    for day in ("day-009", "day-010"):
        (studio.traces / day / "scene-01").mkdir(parents=True)
    sight = Sight(studio)
    (studio.traces / "day-009" / "scene-01" / "vera-answer-1.json").write_text("{}")
    studio.derived.mkdir(exist_ok=True)
    (studio.derived / "note").write_text("x")
    (studio.memories / ".x.gm-new").write_text("x")
    assert sight.changes() == []


def test_answers_of_the_last_day_and_outside_of_scenes_are_noticed(studio: Layout) -> None:
    (studio.traces / "day-010" / "scene-01").mkdir(parents=True)
    sight = Sight(studio)
    (studio.traces / "day-010" / "scene-01" / "vera-answer-1.json").write_text("{}")
    studio.asks.mkdir(parents=True)
    (studio.asks / "one.json").write_text("{}")
    assert sight.changes() == ["state/.gm/asks/one.json", "state/traces/day-010/scene-01/vera-answer-1.json"]


def test_what_changed_after_a_time_is_named_later(studio: Layout) -> None:
    past, now = 10**18, 2 * 10**18
    for folder, _, names in os.walk(studio.root):
        for name in (".", *names):
            os.utime(os.path.join(folder, name), ns=(past, past))
    os.utime(studio.bulletin, ns=(now, now))
    os.utime(studio.memories, ns=(now, now))
    assert Sight(studio).changed_since(now) == ["state/bulletin.json", "state/memories/"]
    assert Sight(studio).changed_since(now + 1) == []
