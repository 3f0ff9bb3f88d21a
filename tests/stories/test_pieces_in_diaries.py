"""A day in whose evening a character finishes something alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gm.api.views.day import view_day
from gm.api.views.logbook import logged_day
from gm.files.layout import Layout
from gm.files.media.pieces import read_artifact
from gm.llm.base import Request
from tests.cli.running import Run
from tests.stories.playing import Scripted, objections, play, set_sections

PIECE = {
    "title": "Ode to the Oven",
    "kind": "letters",
    "description": "Eight lines about heat.",
    "body": "It is warm.\n\nIt stays.",
    "audience": ["board"],
    "importance": 6,
}
PATH = "gallery/letters/day-001_ode-to-the-oven_v1.md"


def finish_alone(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
    is_casey = request.purpose == "diary" and request.who == "casey"
    return {**reply, "artifact": PIECE} if is_casey else reply


@pytest.fixture
def evening(dinner: Layout) -> Layout:
    set_sections(dinner.settings, "day: {scenes: [2, 3]}\ndiary: on")
    play(dinner, backend=Scripted(finish_alone))
    return dinner


def test_it_lies_in_the_gallery_and_on_the_board_and_the_world_is_whole(evening: Layout) -> None:
    text = read_artifact(evening, PATH) or ""
    assert "It is warm." in text
    assert objections(evening) == []
    assert PATH in evening.bulletin.read_text(encoding="utf-8")


def test_the_day_shows_it_on_the_pages_and_in_the_log(evening: Layout, run: Run) -> None:
    view = view_day(evening, 1)
    assert view is not None
    assert PATH in view.artifacts
    assert [turn.agent for turn in view.leaving if turn.artifact == PATH] == ["casey"]
    assert any(found.node.metadata.get("artifact_path") == PATH for found in view.evening)
    assert PATH in logged_day(evening, 1).artifacts
    assert PATH in run("log", "-w", evening.root).out
    assert PATH in run("log", "casey", "-w", evening.root).out
    assert PATH not in run("log", "alex", "-w", evening.root).out


def test_why_names_the_diary_that_it_stands_in(evening: Layout, run: Run) -> None:
    document = run("why", PATH, "--json", "-w", evening.root).document
    assert document["origin"] == "reply"
    assert document["origin_text"] == "It stands in what casey wrote when the day was over."
    assert [item["label"] for item in document["questions"] if item["made_it"]] == ["casey-diary"]
    assert document["missing"] == []
    assert document["scene"]["names_it"] is True


def test_a_book_names_it_in_the_evening_and_prints_it_and_a_story_has_no_pieces(
    evening: Layout, run: Run, tmp_path: Path
) -> None:
    book, story = tmp_path / "book.md", tmp_path / "story.md"
    run("export", "--to", book, "-w", evening.root)
    text = book.read_text(encoding="utf-8")
    assert "Made here: “Ode to the Oven” (Plate" in text.split("### At the end of the day")[1]
    assert "It is warm." in text
    run("export", "--to", story, "--story", "-w", evening.root)
    assert "Ode to the Oven" not in story.read_text(encoding="utf-8"), "as with those of scenes"
