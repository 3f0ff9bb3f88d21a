"""Replay: a day is played again from its traces, to the byte, with no model at all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from gm.base.errors import BackendError
from gm.files.layout import Layout
from gm.files.questions.traces import TraceReader
from gm.llm.base import Surroundings
from gm.llm.choose import Choice, choose_backend
from gm.play.master import run_days
from tests.stories.playing import Heard, play, records, tree

DAY = 2


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, _one_day: Layout) -> tuple[Layout, Layout]:
    """A studio before its second day, and the same after it, played by the rehearsal."""
    folder = tmp_path_factory.mktemp("recorded")
    before, after = Layout(folder / "before"), Layout(folder / "after")
    shutil.copytree(_one_day.root, before.root)
    shutil.rmtree(before.traces)
    shutil.copytree(before.root, after.root)
    play(after)
    return before, after


@pytest.fixture
def after(recorded: tuple[Layout, Layout]) -> Layout:
    return recorded[1]


@pytest.fixture
def world(recorded: tuple[Layout, Layout], tmp_path: Path) -> Layout:
    """The world before that day, with nothing of it but the traces."""
    before, after = recorded
    layout = Layout(tmp_path / "again")
    shutil.copytree(before.root, layout.root)
    shutil.copytree(after.traces, layout.traces)
    return layout


def choose(layout: Layout, heard: Heard) -> Choice:
    around = Surroundings(notice=heard.notice, recordings=TraceReader(layout.traces))
    return choose_backend("replay", "--model", around)


def replay(layout: Layout) -> Heard:
    heard = Heard()
    run_days(layout, choose(layout, heard), heard, 1, command="test")
    return heard


def traces_of(layout: Layout, label: str) -> Iterator[Path]:
    yield from sorted(layout.traces.rglob(f"{label}.*.json"))


def test_a_day_comes_out_to_the_byte(world: Layout, after: Layout) -> None:
    assert replay(world).notices == []
    assert tree(world.root, traces=False) == tree(after.root, traces=False)


def test_what_was_made_is_still_called_what_made_it(world: Layout) -> None:
    replay(world)
    (path, *_) = [path for entry in records(world.day_log(DAY)) for path in entry.get("artifacts", ())]
    assert "made_with: rehearsal\n" in (world.root / path).read_text(encoding="utf-8")


def test_a_replayed_day_can_be_replayed(world: Layout, after: Layout, recorded: tuple[Layout, Layout]) -> None:
    replay(world)
    again = Layout(world.root.with_name("once-more"))
    shutil.copytree(recorded[0].root, again.root)
    shutil.copytree(world.traces, again.traces)
    assert replay(again).notices == []
    assert tree(again.root, traces=False) == tree(after.root, traces=False)


def edit_memory(layout: Layout, name: str) -> None:
    path = layout.stream(name)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    place, node = next((place, node) for place, node in enumerate(map(json.loads, lines)) if node["type"] != "plan")
    node["description"] = "Das war alles ganz anders."
    lines[place] = json.dumps(node, ensure_ascii=False) + "\n"
    path.write_text("".join(lines), encoding="utf-8")


def test_a_memory_that_was_edited_is_noticed_and_the_recorded_answer_is_given(world: Layout) -> None:
    edit_memory(world, "vera")
    notices = replay(world).notices
    assert notices
    assert all("vera" in text for text in notices)
    assert notices[0].startswith("day-002/scene-01 vera: reads differently than when it was recorded: system part ")
    assert len(records(world.day_log(DAY))) > 1


def test_an_answer_that_was_not_recorded_stops_the_day_and_says_so(world: Layout) -> None:
    for path in traces_of(world, "vera"):
        path.unlink()
    with pytest.raises(BackendError, match="day-002/scene-01 vera: nothing was recorded") as caught:
        replay(world)
    assert "another model" in caught.value.hint
    assert not world.day_log(DAY).exists()


def test_an_unreadable_trace_is_as_good_as_none(world: Layout) -> None:
    for path in traces_of(world, "vera"):
        path.write_text('{"answer": ', encoding="utf-8")
    with pytest.raises(BackendError, match="nothing was recorded"):
        replay(world)


def test_a_rejected_answer_is_not_given_again(world: Layout) -> None:
    for path in traces_of(world, "vera"):
        path.rename(path.with_name(f"{path.stem}.rejected-1.json"))
    with pytest.raises(BackendError, match="nothing was recorded"):
        replay(world)


def test_a_day_that_stopped_for_want_of_a_trace_goes_on_when_it_is_back(world: Layout, after: Layout) -> None:
    (path, *_) = traces_of(world, "vera")
    data = path.read_bytes()
    path.unlink()
    with pytest.raises(BackendError):
        replay(world)
    path.write_bytes(data)
    assert replay(world).notices == []
    assert tree(world.root, traces=False) == tree(after.root, traces=False)
