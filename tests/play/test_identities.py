"""The identities of questions to a backend that reads facts stay as they are: recorded traces keep answering."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gm.files.layout import Layout
from gm.llm.identity import identity
from tests.everything import everything_on
from tests.stories.playing import Counting, play

KEPT = Path(__file__).parent / "identities"
EVERYTHING = "day: {scenes: [3, 4]}\ndirector: llm\n"


def _plain(_layout: Layout) -> None:
    """As it was created."""


def _everything(layout: Layout) -> None:
    everything_on(layout, more=EVERYTHING)


def identities(layout: Layout, days: int) -> list[str]:
    """Play days, and return where each question was asked, and what names its facts: prompts may be reworded."""
    counted = Counting()
    play(layout, days=days, backend=counted, seed=7)
    bare = (replace(request, system=(), messages=(), schema={}, tools=()) for request in counted.asked)
    return sorted(f"{request.place} {request.label} {identity(request, counted)[:16]}" for request in bare)


@pytest.mark.parametrize(
    ("template", "prepare", "days"),
    [
        pytest.param("studio", _plain, 2, id="studio"),
        pytest.param("dinner", _everything, 2, id="dinner-everything", marks=pytest.mark.slow),
        pytest.param("studio", _everything, 2, id="studio-everything", marks=pytest.mark.slow),
    ],
)
def test_the_facts_of_a_day_keep_their_identities(
    request: pytest.FixtureRequest, template: str, prepare: Callable[[Layout], None], days: int
) -> None:
    layout: Layout = request.getfixturevalue(template)
    prepare(layout)
    name = request.node.callspec.id
    assert identities(layout, days) == (KEPT / f"{name}.txt").read_text(encoding="utf-8").splitlines()
