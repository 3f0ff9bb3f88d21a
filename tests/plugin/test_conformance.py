"""gm's own parts and the example's pass what is asked of a package's; what is wrong is found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from gm import testing
from gm.base.config import IndexSettings
from gm.llm.base import Answer, Backend, Request, Surroundings
from gm.llm.rehearsal.backend import make as rehearse
from gm.llm.vectors.base import Embedder
from gm.memory.recall.columns import Columns
from gm.memory.recall.query import Query
from gm.memory.recall.scored import Ranked, RecallInputs, Scored, Strategy
from gm.memory.recall.strategies import STRATEGIES
from gm.model.scene import Candidate, Scene
from gm.model.world import World
from gm.scene.candidates import SOURCES, Source
from tests.plugin.package import gm_weather

ROOT = Path(testing.__file__).parents[1]
INDEX = IndexSettings(dimensions=26)


@pytest.mark.parametrize("make", [rehearse, gm_weather.parrot], ids=["rehearsal", "parrot"])
def test_a_backend_keeps_the_protocol(make: Callable[[str, Surroundings], Backend], tmp_path: Path) -> None:
    testing.check_backend(make, tmp_path)


@pytest.mark.parametrize("strategy", [*STRATEGIES.values(), gm_weather.first])
def test_a_strategy_keeps_the_protocol(strategy: Strategy) -> None:
    testing.check_strategy(strategy)


def test_an_embedder_keeps_the_protocol() -> None:
    testing.check_embedder(gm_weather.Letters, INDEX)


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.__module__.rpartition(".")[2])
def test_a_source_keeps_the_protocol(source: Source, tmp_path: Path) -> None:
    testing.check_source(source, tmp_path)


def test_the_source_of_the_example_keeps_the_protocol(tmp_path: Path) -> None:
    testing.check_source(gm_weather.weather, tmp_path, name="weather")


def test_a_director_keeps_the_protocol(tmp_path: Path) -> None:
    testing.check_director(gm_weather.last, tmp_path)


@dataclass(frozen=True)
class Mute:
    """Answers nothing that can be used."""

    name: str = "mute"
    model: str = "mute"
    reads_facts: bool = False

    def ask(self, request: Request) -> Answer:
        return Answer("", self.model)


def test_a_backend_whose_answers_cannot_be_used_is_found(tmp_path: Path) -> None:
    with pytest.raises((AssertionError, testing.GmError)):
        testing.check_backend(lambda _model, _around: Mute(), tmp_path)


@dataclass(frozen=True)
class Forgetful(gm_weather.Parrot):
    """Answers when it is asked again."""

    def ask(self, request: Request) -> Answer:
        return super().ask(request) if request.label.endswith("-again") else Answer("Hm.", self.model)


def test_an_answer_that_is_asked_for_again_is_named_with_its_problem(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"asked for again: alex-again, .*; no JSON object found"):
        testing.check_backend(lambda _model, _around: Forgetful("grey"), tmp_path)


def test_the_backend_of_the_page_about_plugins_keeps_the_protocol(tmp_path: Path) -> None:
    page = (ROOT / "docs/how-to/plug-in.md").read_text(encoding="utf-8")
    code = next(one for one in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "class Parrot" in one)
    module: dict[str, Any] = {"__name__": "gm_parrot"}
    exec(compile(code, "plug-in.md", "exec"), module)
    testing.check_backend(module["make"], tmp_path)


def test_a_backend_without_a_name_is_found(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="name"):
        testing.check_backend(lambda _model, _around: replace(Mute(), name=""), tmp_path)


def scoring(place: int, score: float) -> Strategy:
    def strategy(_query: Query, streams: Sequence[Columns], _means: RecallInputs) -> Ranked:
        return [Scored(stream, {place: score}, lambda _place: {"wrong": score}) for stream in streams], ()

    return strategy


@pytest.mark.parametrize(
    ("strategy", "wrong"),
    [
        (scoring(99, 1.0), "no memory at place 99"),
        (scoring(0, float("nan")), "the score of place 0 is nan"),
        (lambda _query, _streams, _means: ([], ()), "shorter"),
    ],
)
def test_a_wrong_strategy_is_found(strategy: Strategy, wrong: str) -> None:
    with pytest.raises((AssertionError, ValueError), match=wrong):
        testing.check_strategy(strategy)


class Shuffled(gm_weather.Letters):
    """Gives the vectors in another order."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return super().embed(texts)[::-1]


class Short(gm_weather.Letters):
    """Leaves a vector out."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return super().embed(texts)[1:]


@pytest.mark.parametrize(("make", "wrong"), [(Shuffled, "in the order of the texts"), (Short, "2 vectors for 3")])
def test_a_wrong_embedder_is_found(make: Callable[[IndexSettings, Mapping[str, str]], Embedder], wrong: str) -> None:
    with pytest.raises(AssertionError, match=wrong):
        testing.check_embedder(make, INDEX)


def strangers(world: World, time: str) -> Iterator[Candidate]:
    for item in gm_weather.weather(world, time):
        yield replace(item, cast=(*item.cast, "stranger"))


def test_a_source_with_strangers_is_found(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="ids of characters"):
        testing.check_source(strangers, tmp_path, name="weather")


@pytest.mark.parametrize("number", [99, -1, "0", None])
def test_a_director_that_chooses_nothing_is_found(number: object, tmp_path: Path) -> None:
    def choose(_world: World, _scenes: Sequence[Scene]) -> object:
        return number

    with pytest.raises(testing.GmError, match="expected a number from 0"):
        testing.check_director(choose, tmp_path)
