"""Voices that differ in function words are told apart; those that do not are not."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from gm.api.experiments.evaluate import voice
from gm.api.experiments.evaluate.evaluation import describe_evaluation
from gm.api.experiments.evaluate.measure import Found
from gm.api.experiments.evaluate.voice import separate
from gm.api.worlds.create import create_world
from gm.base.installed import pip_install
from gm.base.languages import language_of

WORDS = language_of("de").stop_words
ONE = ["aber", "doch", "ja", "schon", "nur", "mal", "ich", "du"]
OTHER = ["und", "dann", "weil", "sehr", "nicht", "auch", "wir", "man"]
TOPICS = [f"thema{number}" for number in range(40)]
Spoken = Mapping[tuple[str, int], Sequence[str]]


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def lines(dice: random.Random, small: Sequence[str], topics: Sequence[str], words: int = 800) -> list[str]:
    """Make sentences of ten words; half are function words."""
    halves = (
        [dice.choice(small) for _ in range(5)] + [dice.choice(topics) for _ in range(5)] for _ in range(words // 10)
    )
    return [" ".join(dice.sample(half, 10)).capitalize() + "." for half in halves]


def spoken(voices: Mapping[str, Sequence[Sequence[str]]], topics: Mapping[str, Sequence[str]] | None = None) -> Spoken:
    """Let each one speak on each day with the function words of that day."""
    dice = random.Random(7)
    return {
        (name, day): lines(dice, small, (topics or {}).get(name, TOPICS))
        for name, days in voices.items()
        for day, small in enumerate(days, 1)
    }


def value(found: Found, name: str) -> float:
    figure = next(figure for figure in found[0] if (figure.of, figure.name) == ("all", name))
    assert figure.value is not None
    return figure.value


def test_two_voices_are_told_apart() -> None:
    found = separate(spoken({"vera": [ONE] * 3, "leo": [OTHER] * 3}), WORDS)
    assert value(found, "accuracy") == 1
    assert value(found, "p") < 0.05
    assert value(found, "95 % of chance") < 1
    assert found[1] == []


def test_the_same_voice_is_not_told_apart_by_its_topic() -> None:
    topics = {"vera": ["gips", "schwelle"], "leo": ["karten", "bank"]}
    found = separate(spoken({"vera": [ONE] * 3, "leo": [ONE] * 3}, topics), WORDS)
    assert value(found, "p") > 0.05
    assert value(found, "accuracy") <= value(found, "95 % of chance")
    assert value(found, "chance") == pytest.approx(0.5, abs=0.1)


def test_voices_that_are_swapped_halfway_lower_the_accuracy() -> None:
    kept = separate(spoken({"vera": [ONE] * 4, "leo": [OTHER] * 4}), WORDS)
    swapped = separate(spoken({"vera": [ONE, ONE, OTHER, OTHER], "leo": [OTHER, OTHER, ONE, ONE]}), WORDS)
    assert value(swapped, "accuracy") < value(kept, "accuracy")
    assert value(swapped, "p") > 0.05


def test_the_pair_that_is_confused_is_a_case() -> None:
    found = separate(spoken({"vera": [ONE] * 3, "leo": [ONE] * 3, "nami": [OTHER] * 3}), WORDS)
    assert [(case.agent, case.at) for case in found[1]] == [("leo", "vera")]


def test_the_figures_do_not_depend_on_chance() -> None:
    voices = spoken({"vera": [ONE] * 2, "leo": [OTHER] * 2})
    assert separate(voices, WORDS) == separate(voices, WORDS)


def test_too_few_words_are_named_and_nothing_is_counted() -> None:
    few = {("vera", 1): ["Ja, schon. "] * 10, ("vera", 2): ["Nein."], ("leo", 1): ["Nur mal so."] * 300}
    figures, cases, missing = separate(few, WORDS)
    assert (figures, cases) == ((), ())
    assert missing.endswith("spoken so far: leo 900 on 1 days, vera 21 on 2 days")
    assert separate({}, WORDS)[2].endswith("nobody a word")


def test_who_said_too_little_is_left_out() -> None:
    voices = {**spoken({"vera": [ONE] * 2, "leo": [OTHER] * 2}), ("nami", 1): ["Krr."], ("nami", 2): ["…", "Ja."]}
    assert {figure.of for figure in separate(voices, WORDS)[0]} == {"all", "vera", "leo"}


def test_three_days_of_language_models_have_voices(tmp_path: Path) -> None:
    layout = create_world(tmp_path / "studio", "studio", days=3)
    measured = describe_evaluation(layout, ["voice"]).measures[0]
    figures = {
        figure.name: figure.value for figure in measured.figures if figure.of == "all" and figure.value is not None
    }
    assert figures["p"] < 0.05
    assert figures["accuracy"] > figures["95 % of chance"] > figures["chance"]


def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voice, "find_spec", lambda _: None)
    measured = describe_evaluation(create_world(tmp_path / "studio", "studio", days=3), ["voice"]).measures[0]
    assert measured.missing == f"numpy is not installed: {pip_install('data')}"
    assert measured.figures == ()
