"""A year: nothing is lost, nothing is doubled, and the last day costs what an early one did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from bench.year import CONVICTION, Year, live
from bench.year import SOUL as SENTENCE
from gm.api.editing.check.whole import check_world
from gm.files.layers import load_mind
from gm.layers.soul import SOUL
from tests.stories.playing import records

pytestmark = pytest.mark.soak
MOST = 1.2
GROWTH = 2.0
"""Times are printed, with 1.2 as their aim; a busy machine can miss that. What grew with history would be six times."""


@pytest.fixture(scope="module")
def year(tmp_path_factory: pytest.TempPathFactory) -> Year:
    return live(tmp_path_factory.mktemp("year"))


def kept(year: Year) -> Counter[str]:
    """Every line of every stream, archive and file of summaries."""
    layout = year.layout
    files = [
        path(name) for name in layout.agent_names() for path in (layout.stream, layout.archived, layout.summarised)
    ]
    return Counter(line for file in files for line in file.read_text(encoding="utf-8").split("\n") if line)


def test_prompts_and_scenes_cost_on_the_last_day_what_they_did_on_an_early_one(
    year: Year, record_property: Callable[[str, object], None]
) -> None:
    record_property("a year", "; ".join(year.figures()))
    early, late = year.tokens
    assert late <= MOST * early, year.figures()
    for early, late in (year.cpu_s, year.scene_s, year.load_s):
        assert late <= GROWTH * early, year.figures()


def test_everybody_has_put_memories_together_again_and_again(year: Year) -> None:
    for name in year.layout.agent_names():
        archived = records(year.layout.archived(name))
        assert len([node for node in archived if "replaces" in node["metadata"]]) >= 3
        assert len(archived) > 2000


def test_every_memory_is_somewhere_once_as_it_was_born(year: Year) -> None:
    assert year.births.twice == []
    assert kept(year) == Counter(year.births.lines.values())


def test_all_evidence_resolves(year: Year) -> None:
    layout = year.layout
    files = [
        path(name) for name in layout.agent_names() for path in (layout.stream, layout.archived, layout.summarised)
    ]
    nodes = [node for file in files for node in records(file)]
    ids = {node["id"] for node in nodes}
    assert {cited for node in nodes for cited in node["evidence"]} <= ids


def test_the_world_is_clean(year: Year) -> None:
    assert [item for item in check_world(year.layout).problems if item.severity != "info"] == []


def test_a_soul_holds_what_was_there_and_what_its_owner_said_and_nothing_else(year: Year) -> None:
    assert year.layout.layer(SOUL, "vera").read_text(encoding="utf-8").startswith(SENTENCE)
    held = [CONVICTION]
    for day in year.layout.logged_days():
        for line in records(year.layout.day_log(day)):
            for change in line.get("souls", ()):
                if change["agent"] == "vera":
                    gone = {entry["text"] for entry in change["removed"]}
                    held = [text for text in held if text not in gone] + [entry["text"] for entry in change["added"]]
    assert sorted(entry.text for entry in load_mind(year.layout, "vera")[0][SOUL].entries) == sorted(held)
