"""What two people played apart is told as played, before and after a merge has renumbered it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from gm.api.history.diff.difference import Difference, describe_difference
from gm.api.history.diff.parts import pair_items, without_names
from gm.api.history.merge.world import merge_worlds
from gm.files.layout import Layout
from tests.api.history.branches import NAMES, Grower, World
from tests.api.repositories import commit_all, git, make_repository


def commit_world(root: Path, world: World, message: str) -> None:
    git(root, "rm", "-rqf", "--ignore-unmatch", ".")
    for path, data in world.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    commit_all(root, message)


def play_days(world: World, dice: random.Random, mark: str, days: int) -> World:
    grower = Grower(world, dice, mark)
    for _ in range(days):
        grower.play_day()
    return grower.files


def said(world: World) -> set[str]:
    rows = (row for name in NAMES for row in world[f"state/memories/{name}.jsonl"].decode().splitlines())
    return {json.loads(row)["description"] for row in rows}


def listed(found: Difference, kind: str) -> set[str]:
    return {item.node.description for agent in found.agents.values() for item in agent.memories[kind]}


@pytest.fixture(params=range(4))
def apart(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Layout, World, World, World]:
    """A repository with the branches ``main`` and ``theirs``, and the worlds that both come from and hold."""
    dice = random.Random(request.param)
    grower = Grower({}, dice, "base")
    grower.begin()
    grower.play_day()
    base = grower.files
    ours, theirs = (
        play_days(base, dice, mark, days) for mark, days in (("ours", 1), ("theirs", 1 + dice.randrange(2)))
    )
    make_repository(tmp_path)
    commit_world(tmp_path, base, "base")
    git(tmp_path, "branch", "theirs")
    commit_world(tmp_path, ours, "ours")
    git(tmp_path, "checkout", "-q", "theirs")
    commit_world(tmp_path, theirs, "theirs")
    git(tmp_path, "checkout", "-q", "main")
    return Layout(tmp_path), base, ours, theirs


def test_after_a_merge_only_what_the_other_side_played_is_new(apart: tuple[Layout, World, World, World]) -> None:
    layout, _, ours, theirs = apart
    merged = {path: item.data for path, item in merge_worlds(*apart[1:]).items() if item.data is not None}
    git(layout.root, "merge", "-q", "-s", "ours", "--no-commit", "theirs")
    commit_world(layout.root, merged, "merged")
    found = describe_difference(layout, "theirs", "main")
    assert listed(found, "new") == said(ours) - said(theirs)
    assert [found.counts[kind] for kind in ("edited", "deleted", "moved", "by_hand")] == [0, 0, 0, 0]
    assert found.counts["scenes"] == len(scenes(ours) - scenes(theirs))


def test_days_that_two_branches_played_are_no_edits_by_hand(apart: tuple[Layout, World, World, World]) -> None:
    layout, _, ours, theirs = apart
    found = describe_difference(layout, "main", "theirs")
    assert listed(found, "new") == said(theirs) - said(ours)
    assert listed(found, "deleted") == said(ours) - said(theirs)
    assert found.counts["edited"] == found.counts["by_hand"] == 0


def scenes(world: World) -> set[str]:
    rows = (row for path, data in world.items() if "/logbook/" in path for row in data.decode().splitlines())
    return {record["summary"] for row in rows if (record := json.loads(row))["type"] != "SUMMARY"}


def test_an_item_moves_only_where_its_key_holds_another() -> None:
    assert pair_items({"a": "one", "b": "two"}, {"a": "new", "b": "one", "c": "two"}, (str,)) == {"b": "a", "c": "b"}
    assert pair_items({"a": "one"}, {"a": "one, corrected"}, (str,)) == {"a": "a"}
    assert pair_items({"a": "one"}, {"b": "one"}, (str,)) == {}


def test_a_scene_is_the_same_under_other_numbers() -> None:
    scene = {"scene": 1, "type": "WORK", "memories": [{"id": "ada-001"}], "artifacts": ["gallery/a_v1.md"]}
    moved = {"scene": 4, "type": "WORK", "memories": [{"id": "ada-012"}], "artifacts": ["gallery/a_v2.md"]}
    assert without_names(scene) == without_names(moved)
    assert without_names({**scene, "summary": "A plank."}) != without_names({**scene, "summary": "Two planks."})
