"""The recorded days that are shipped: language models played them, and they can be played again."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from gm.api.editing.check.whole import check_world
from gm.api.views.day import view_day
from gm.api.worlds.create import create_world
from gm.base.errors import UsageError
from gm.files.layout import Layout
from gm.files.packaged.recorded import list_recorded
from gm.files.questions.traces import TraceReader
from gm.files.story.logbook import read_log
from gm.llm.base import Surroundings
from gm.llm.choose import choose_backend
from gm.play.master import game_master
from tests.cli.running import Run
from tests.stories.playing import Heard, records
from tests.stories.record import SNAPSHOTS, before_the_days, files, play_again, traces_of

CASTS = {"studio": ["darius", "emre", "finn", "leo", "nami", "tobi", "vera"], "dinner": ["alex", "casey", "jordan"]}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """The studio after all recorded days. Shared: read it, do not write into it."""
    return create_world(tmp_path_factory.mktemp("recorded") / "studio", "studio", days=max(SNAPSHOTS["studio"]))


def test_simultaneous_turns_are_told_with_their_answers_and_nothing_is_lost(recorded: Layout, run: Run) -> None:
    for day in recorded.logged_days():
        page, logged = view_day(recorded, day), read_log(recorded, day).scenes
        assert page is not None
        for scene, entry in zip(page.scenes, logged, strict=True):
            played, told = entry.turns, scene.turns
            assert sorted(map(played.index, told)) == [*range(len(played))]
            for earlier, later in combinations(played, 2):
                answers = earlier.agent == later.agent or earlier.agent in {line.to for line in later.lines}
                assert not (earlier.round < later.round and answers) or told.index(earlier) < told.index(later)
            answer = next((turn for turn in told if turn.round > 1 and turn.lines), None)
            assert answer is None or told[told.index(answer) - 1].agent != answer.agent, "another is answered"
        (document,) = run("log", "--day", day, "--json", "-w", recorded.root).document["days"]
        assert [[turn["agent"] for turn in scene["turns"]] for scene in document["scenes"]] == [
            [turn.agent for turn in entry.turns] for entry in logged
        ], "a document keeps the order of the record"


@pytest.mark.parametrize(("template", "days"), [(name, days) for name in SNAPSHOTS for days in SNAPSHOTS[name]])
def test_a_world_with_recorded_days_is_whole_and_closed(tmp_path: Path, template: str, days: int) -> None:
    layout = create_world(tmp_path / "recorded", template, days=days)
    report = check_world(layout)
    assert [problem for problem in report.problems if problem.severity != "info"] == []
    assert sorted(layout.agent_names()) == CASTS[template]
    assert list(layout.logged_days()) == [*range(1, days + 1)]
    assert (layout.root / "RECORDED.md").is_file()


@pytest.mark.parametrize("template", SNAPSHOTS)
def test_they_are_played_again_to_the_byte_from_their_traces_alone(tmp_path: Path, template: str) -> None:
    last = max(SNAPSHOTS[template])
    again, heard = before_the_days(tmp_path / "again", template, traces_of(template)), Heard()
    for day in range(1, last + 1):
        play_again(again, heard)
        if day in SNAPSHOTS[template]:
            shipped = create_world(tmp_path / f"after-{day}", template, days=day)
            assert files(again) == files(shipped)
    assert again.settings.read_bytes() == (tmp_path / f"after-{last}" / "gm.yaml").read_bytes()


def test_it_goes_on_from_there(tmp_path: Path) -> None:
    layout = create_world(tmp_path / "recorded", "studio", days=1)
    before = {name: layout.stream(name).read_bytes() for name in layout.agent_names()}
    with game_master(layout, choose_backend("rehearsal", "a test", Surroundings()), Heard(), command="test") as master:
        assert master.play_day().day == 2
    for name, text in before.items():
        assert layout.stream(name).read_bytes().startswith(text)


@pytest.mark.parametrize("template", SNAPSHOTS)
def test_models_used_the_scale_and_every_character_spoke_and_remembers(tmp_path: Path, template: str) -> None:
    recorded = create_world(tmp_path / "recorded", template, days=max(SNAPSHOTS[template]))
    nodes = [node for name in recorded.agent_names() for node in records(recorded.stream(name))]
    given = Counter(node["importance"] for node in nodes if "importance_by" not in node["metadata"])
    assert len(given) >= 5
    assert 3.5 <= sum(value * number for value, number in given.items()) / sum(given.values()) <= 6.5
    for day in recorded.logged_days():
        answers = [dict(kept.record) for kept in TraceReader(recorded.traces).of_day(day)]
        assert {record["who"] for record in answers} == {*CASTS[template], ""}, "the narrator is nobody of the cast"
        assert {record["backend"] for record in answers} == {"mailbox"}


def test_a_template_without_recorded_days_says_so(tmp_path: Path) -> None:
    assert list_recorded("ferry") == ()
    with pytest.raises(UsageError, match="'ferry' is not recorded for 1 day"):
        create_world(tmp_path / "world", "ferry", days=1)
    with pytest.raises(UsageError, match="'dinner' is not recorded for 3 days") as caught:
        create_world(tmp_path / "world", "dinner", days=3)
    assert "studio: 1, 3; dinner: 1" in caught.value.hint
    assert not (tmp_path / "world").exists()


@pytest.mark.parametrize(("option", "day", "next_one"), [("--with-day", 1, "second"), ("--with-days", 3, "fourth")])
def test_a_world_can_begin_after_them(run: Run, tmp_path: Path, option: str, day: int, next_one: str) -> None:
    outcome = run("init", tmp_path / "asche", option)
    assert outcome.code == 0
    assert f"Play its {next_one} day:" in outcome.out
    assert f"-m 'Day {day}'" in outcome.out
    assert run("status", "-w", tmp_path / "asche", "--json").document["day"] == day
    assert run("init", tmp_path / "ferry", option, "--template", "ferry").code == 2


def test_an_english_world_can_begin_after_its_first_day(run: Run, tmp_path: Path) -> None:
    outcome = run("init", tmp_path / "dinner", "--template", "dinner", "--with-day")
    assert (outcome.code, "Play its second day:" in outcome.out) == (0, True)
    assert run("log", "1", "-w", tmp_path / "dinner", "--json").document["days"][0]["chapter"]
