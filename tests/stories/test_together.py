"""Scenes of one time of day at the same time: the same bytes in any order of answers and wherever it was killed."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from bench.scale import make_village
from gm.api.history.rewind.moments import find_moment
from gm.api.views.history import view_history
from gm.base.errors import Awaited, BackendError, GmError, WaitingError
from gm.files.commits.changes import read_entries
from gm.files.layout import Layout
from gm.llm.base import Answer, Request
from gm.model.calendar import moment_of
from gm.play.player import SPEAK_AT_ONCE
from tests.stories.playing import Counting, Heard, copied, objections, play, set_sections, tree

SETTINGS = "day: {scenes: [8, 9], together: 3, company: false}\nllm: {concurrency: %d}\n"


def studio_with(layout: Layout, to: Path, concurrency: int = 16) -> Layout:
    other = copied(layout, to)
    set_sections(other.settings, SETTINGS % concurrency)
    return other


def played(layout: Layout, *, traces: bool = True) -> Mapping[str, bytes]:
    return {path: data for path, data in tree(layout.root, traces=traces).items() if path != "gm.yaml"}


def times(layout: Layout) -> list[tuple[str, list[str]]]:
    lines = layout.day_log(1).read_text(encoding="utf-8").splitlines()
    return [(line["time_of_day"], line["participants"]) for line in map(json.loads, lines) if line.get("scene")]


def test_the_same_world_and_answers_give_the_same_bytes_with_one_worker_and_with_many(
    studio: Layout, tmp_path: Path
) -> None:
    worlds = [studio_with(studio, tmp_path / str(workers), workers) for workers in (1, 4, 64)]
    heard = [Heard() for _ in worlds]
    for one, report in zip(worlds, heard, strict=True):
        play(one, report=report, seed=3)
        assert objections(one) == []
    first, *others = map(played, worlds)
    assert all(other == first for other in others)
    refs = [scene.ref.scene for scene in heard[0].scenes]
    assert refs == sorted(refs), "scenes land in the order of their numbers"
    apart = [cast for time, cast in times(worlds[0])[1:] if time == "afternoon"]
    assert len(apart) > 1


def test_wherever_it_was_killed_the_same_command_goes_on_to_the_same_bytes(studio: Layout, tmp_path: Path) -> None:
    whole = Counting()
    want = studio_with(studio, tmp_path / "whole")
    play(want, backend=whole, seed=3)
    for limit in random.Random(1).sample(range(len(whole.asked)), 6):
        one = studio_with(studio, tmp_path / str(limit))
        with pytest.raises(BackendError):
            play(one, backend=Counting(limit=limit), seed=3)
        rest = Counting()
        play(one, backend=rest, seed=3)
        assert limit + len(rest.asked) == len(whole.asked), "nobody is asked twice"
        assert played(one) == played(want)


class Awaiting(Counting):
    """Answers the first two scenes; all else is awaited from outside."""

    def ask(self, request: Request) -> Answer:
        if not request.place.endswith(("scene-01", "scene-02")):
            raise WaitingError([Awaited(request.who, request.place)], "answer it")
        return super().ask(request)


def test_what_scenes_of_one_time_wait_for_is_asked_for_at_once(studio: Layout, tmp_path: Path) -> None:
    one = studio_with(studio, tmp_path / "one")
    with pytest.raises(WaitingError) as waiting:
        play(one, backend=Awaiting(), seed=3)
    assert len({item.question for item in waiting.value.awaited}) > 1, "letters of several scenes are open"


def test_one_goes_back_to_before_or_after_what_landed_together(studio: Layout, tmp_path: Path) -> None:
    one, report = studio_with(studio, tmp_path / "one"), Heard()
    play(one, report=report, seed=3)
    kept = [entry.moment for entry in read_entries(one)]
    (inner, *_) = (str(scene.ref) for scene in report.scenes if str(scene.ref) not in kept)
    with pytest.raises(GmError) as refused:
        find_moment(one, moment_of(inner))
    assert "it landed together with scenes of the same time; go back to day-001/scene-0" in str(refused.value.hint)
    ways, moments = view_history(one).ways, [f"day-001/scene-{number + 1:02d}" for number in range(len(report.scenes))]
    assert [moment for moment in moments if moment in ways] == [moment for moment in moments if moment in kept]
    assert {"day-000", "day-001"} <= ways


@pytest.mark.parametrize(("size", "at_once"), [(14, SPEAK_AT_ONCE), (28, 10)])
def test_in_a_meeting_of_more_than_a_dozen_several_speak_at_the_same_time_a_third_of_them_if_that_is_more(
    size: int, at_once: int, tmp_path: Path
) -> None:
    for workers in (1, 64):
        village = make_village(tmp_path / str(workers), size)
        set_sections(village.settings, f"day: {{scenes: [8, 9]}}\nllm: {{concurrency: {workers}}}\n")
        play(village, seed=3)
        assert objections(village) == []
    one, other = (Layout(tmp_path / name) for name in ("1", "64"))
    assert played(one) == played(other)
    lines = map(json.loads, one.day_log(1).read_text(encoding="utf-8").splitlines())
    (meeting,) = (line for line in lines if line.get("type") == "MEETING")
    rounds = [turn["round"] for turn in meeting["turns"]]
    assert len({*rounds}) < len(meeting["participants"]) == size
    assert rounds == sorted(rounds)
    assert max(map(rounds.count, rounds)) == at_once
