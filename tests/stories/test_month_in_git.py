"""A month in git, a commit a day: what ``gm diff`` tells is what the streams say."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from gm.api.answers.document import as_json
from gm.api.editing.check.whole import check_world
from gm.api.history.diff.difference import describe_difference
from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from gm.model.calendar import parse_ref
from tests.api.repositories import commit_all, git, make_repository

pytestmark = pytest.mark.soak
DAYS = 30


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    layout = create_world(tmp_path_factory.mktemp("month") / "Löwen dinner", "dinner")
    make_repository(layout.root)
    commit_all(layout.root, "the beginning")
    command = ["advance-day", "--days", str(DAYS), "--commit", "-w", str(layout.root)]
    done = subprocess.run([sys.executable, "-m", "gm", *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return layout


def rows(layout: Layout, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in layout.stream(name).read_text(encoding="utf-8").splitlines()]


def day_of(record: dict[str, Any]) -> int:
    ref = parse_ref(record["created"])
    assert ref is not None
    return ref.day


def test_each_day_is_a_commit_and_nothing_else_is(month: Layout) -> None:
    subjects = git(month.root, "log", "--format=%s", "--reverse").splitlines()[1:]
    assert [subject.split(":")[0] for subject in subjects] == [f"day {day}" for day in range(1, DAYS + 1)]
    assert git(month.root, "status", "--porcelain") == ""


def test_ten_days_are_told_as_the_streams_say(month: Layout) -> None:
    document = as_json(describe_difference(month, "day-010", "day-020"))
    for name in month.agent_names():
        written = [row["id"] for row in rows(month, name) if 10 < day_of(row) <= 20]
        told = document["agents"][name]
        assert [item["id"] for item in told["new"]] == written
        assert [told[kind] for kind in ("edited", "deleted", "moved", "archived")] == [[], [], [], []]
        insights = {row["id"]: row["evidence"] for row in rows(month, name) if row["id"] in written and row["depth"]}
        assert {item["id"]: item["evidence"] for item in told["new"] if item["depth"]} == insights
    assert {item["day"] for item in document["scenes"]} == set(range(11, 21))


def test_an_edit_a_deletion_and_a_moved_line_are_told_as_such(month: Layout) -> None:
    name = month.agent_names()[0]
    path = month.stream(name)
    before = path.read_bytes()
    lines = before.decode().splitlines(keepends=True)
    edited, deleted, moved = (json.loads(lines[place])["id"] for place in (3, 7, 11))
    record = json.loads(lines[3])
    record["description"] = "Ganz anders."
    lines[3] = json.dumps(record, ensure_ascii=False) + "\n"
    lines.insert(20, lines.pop(11))
    del lines[7]
    path.write_text("".join(lines), encoding="utf-8")
    try:
        told = as_json(describe_difference(month))["agents"][name]
        assert [(item["id"], item["by"], list(item["changes"])) for item in told["edited"]] == [
            (edited, "hand", ["description"])
        ]
        assert [item["id"] for item in told["deleted"]] == [deleted]
        assert [item["id"] for item in told["moved"]] == [moved]
        assert told["new"] == []
    finally:
        path.write_bytes(before)


def test_the_world_is_clean(month: Layout) -> None:
    assert [problem for problem in check_world(month).problems if problem.severity == "error"] == []
