"""What the rehearsal makes, and what it calls it."""

from typing import Any

import pytest

from gm.llm.rehearsal.voice import Voice
from gm.llm.rehearsal.works import next_piece, works_of
from tests.llm.cues import cue_of


def title_of(day: int, done: tuple[str, ...] = (), **agent: Any) -> str:
    kept = {"type": "artifact", "depth": 0, "importance": 5, "tags": ()}
    memories = [
        {**kept, "id": f"kim-{number:03d}", "description": f"I finished “{title}”."}
        for number, title in enumerate(done, 1)
    ]
    facts = {"day": day, "agent": agent, "memories": memories, "scene": {"place": "dome", "day": day}}
    cue = cue_of({"places": ["dome"], **facts})
    return next_piece(cue, Voice(cue)).title


@pytest.mark.parametrize("day", [1, 9, 14])
def test_in_the_first_fortnight_a_piece_that_was_never_made_is_no_version(day: int) -> None:
    assert "version" not in title_of(day)


def test_only_what_was_made_before_comes_as_its_next_version() -> None:
    done: list[str] = []
    for _ in range(12):
        done.append(title_of(1, tuple(done)))
    assert len({*done}) == len(done)
    later = [title for title in done if "version" in title]
    assert later
    assert all(title.partition(" (version ")[0] in done[: done.index(title)] for title in later)


def test_a_talk_of_the_plan_is_no_work() -> None:
    plan = ["Work on: A map of the yard", "Talk to Ada: the map", "Letters: the last ones"]
    cue = cue_of({"agent": {"today_plan": plan}, "others": [{"id": "ada", "name": "Ada Brook"}]})
    works = [work.task for work in works_of(cue, Voice(cue))]
    assert works[0] == "A map of the yard"
    assert not any("Ada" in task for task in works)
