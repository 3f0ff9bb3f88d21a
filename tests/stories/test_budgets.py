"""Prompts are as long as the model that reads them has room for."""

from __future__ import annotations

from pathlib import Path

import pytest

from gm.ask.prompt.context import Assembler
from gm.base.config import Settings
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.questions.traces import NoTraces
from gm.llm.choose import Choice
from gm.play.master import game_master
from gm.play.prompts import open_prompts
from gm.play.question import AskedModels
from gm.play.stage import Stage
from tests.cli.running import runner
from tests.stories.playing import Counting, Heard, copied, play

SMALL = "\ncontext: {budget_by_model: {small: 500}}\n"


@pytest.fixture(scope="module")
def _lived(_one_day: Layout, tmp_path_factory: pytest.TempPathFactory) -> Layout:
    layout = copied(_one_day, tmp_path_factory.mktemp("lived") / "studio")
    play(layout)
    add(layout, SMALL)
    return layout


@pytest.fixture
def lived(_lived: Layout, tmp_path: Path) -> Layout:
    """The studio after two days, in a world where one model has little room."""
    return copied(_lived, tmp_path / "studio")


def add(layout: Layout, text: str) -> None:
    layout.settings.write_text(layout.settings.read_text(encoding="utf-8") + text, encoding="utf-8")


def shown_to_vera(layout: Layout, model: str) -> int:
    world = load_world(layout).world
    assembler = Assembler(open_prompts(layout, Settings()))
    stage = Stage(assembler, lambda _scene: NoTraces(), 1, AskedModels(lambda _purpose, _agent: model))
    return len(stage.remembered(world, world.agents["vera"]).nodes)


def test_the_budget_of_a_model_holds_for_it_and_for_no_other(lived: Layout) -> None:
    assert 0 < shown_to_vera(lived, "small") < shown_to_vera(lived, "large")
    assert shown_to_vera(lived, "") == shown_to_vera(lived, "large")


def test_a_model_without_a_budget_of_its_own_has_the_common_one(lived: Layout) -> None:
    text = lived.settings.read_text(encoding="utf-8")
    lived.settings.write_text(
        text.replace("{budget_by_model", "{budget_tokens: 600, budget_by_model"), encoding="utf-8"
    )
    assert shown_to_vera(lived, "small") < shown_to_vera(lived, "large")
    assert shown_to_vera(lived, "large") == shown_to_vera(lived, "")


def longest_prompt(layout: Layout, model: str) -> int:
    backend = Counting(limit=7)
    backend.model = model
    with (
        pytest.raises(Exception, match="the line is dead"),
        game_master(layout, Choice(backend, "a test"), Heard(), command="test") as master,
    ):
        master.play_day()
    assert {request.model for request in backend.asked} == {model}
    return max(len(request.system[2].text) for request in backend.asked)


def test_the_backends_own_model_is_named_in_the_questions_and_has_its_budget(lived: Layout) -> None:
    assert longest_prompt(lived, "small") < longest_prompt(lived, "large")


def test_context_shows_what_the_model_of_the_settings_would_be_shown(
    lived: Layout, capsys: pytest.CaptureFixture[str]
) -> None:
    run = runner(capsys)
    text = lived.settings.read_text(encoding="utf-8")
    dropped = []
    for model in ("small", "rehearsal"):
        lived.settings.write_text(f"{text}\nmodel: {model}\n", encoding="utf-8")
        outcome = run("context", "vera", "-w", lived.root, "--json")
        dropped.append(outcome.document["dropped"])
    assert dropped[0] > 0
    assert dropped[1] == 0
