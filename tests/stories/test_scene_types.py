"""A scene type of a world's own is one file: its front matter makes the Director choose it."""

from __future__ import annotations

from typing import Any

import pytest

from gm.files.layout import Layout
from tests.stories.playing import play, records, set_sections

TEA = """---
play: sequential
cast: [2, 3]
times: [afternoon]
every: 1
who: [{who}]
place: {place}
tag: tea-time
premise: "{premise}"
why: "{why}"
---
{{% include "situation.j2" %}}

# {{{{ scene.premise }}}}
{{% include "dialogue.j2" %}}
"""
ENGLISH = {"premise": "{{ names | join(' and ') }} put the kettle on.", "why": "It is time for tea."}
GERMAN = {"premise": "{{ names | join(' und ') }} setzen Teewasser auf.", "why": "Es ist Zeit für Tee."}


def declare(layout: Layout, **values: str) -> None:
    path = layout.prompts / "scenes" / "tea.j2"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TEA.format(**values), encoding="utf-8")


def until_afternoon(layout: Layout) -> None:
    """Let the day of the dinner end before the evening."""
    text = layout.settings.read_text(encoding="utf-8")
    assert "times: [morning, noon, evening]" in text
    layout.settings.write_text(text.replace("noon, evening]", "noon, afternoon]"), encoding="utf-8")


def teas(layout: Layout, day: int = 1) -> list[dict[str, Any]]:
    return [record for record in records(layout.day_log(day)) if record["type"] == "TEA"]


def test_the_director_chooses_a_type_of_ones_own_at_its_time_with_its_cast(dinner: Layout) -> None:
    until_afternoon(dinner)
    declare(dinner, who="Jordan, casey", place="balcony", **ENGLISH)
    play(dinner, days=2)
    for day in (1, 2):
        (tea,) = teas(dinner, day)
        assert (tea["time_of_day"], tea["participants"], tea["location"]) == (
            "afternoon",
            ["jordan", "casey"],
            "balcony",
        )
        assert tea["why"].startswith("It is time for tea.")
        assert tea["director"] == "rules"
    assert "tea-time" in {tag for record in records(dinner.stream("jordan")) for tag in record["tags"]}
    letters = [path.read_text(encoding="utf-8") for path in dinner.traces.rglob("*") if path.is_file()]
    assert any("Jordan and Casey put the kettle on." in letter for letter in letters)


def test_so_it_does_in_a_german_world(studio: Layout) -> None:
    declare(studio, who="vera, nami", place="teekueche", **GERMAN)
    play(studio)
    (tea,) = teas(studio)
    assert (tea["time_of_day"], tea["participants"]) == ("afternoon", ["vera", "nami"])
    assert tea["why"].startswith("Es ist Zeit für Tee.")


@pytest.mark.matrix
def test_a_type_of_the_evening_comes_after_the_scenes_of_the_day_when_its_days_are_over(dinner: Layout) -> None:
    until_afternoon(dinner)
    declare(dinner, who="alex, casey", place="balcony", **ENGLISH)
    path = dinner.prompts / "scenes" / "tea.j2"
    text = path.read_text(encoding="utf-8").replace("[afternoon]", "[evening]").replace("every: 1", "every: 2")
    path.write_text(text, encoding="utf-8")
    play(dinner, days=3)
    assert [[tea["time_of_day"] for tea in teas(dinner, day)] for day in (1, 2, 3)] == [["evening"], [], ["evening"]]


@pytest.mark.matrix
def test_a_weight_of_zero_leaves_types_to_those_who_ask_for_them(dinner: Layout) -> None:
    declare(dinner, who="jordan, casey", place="balcony", **ENGLISH)
    path = dinner.prompts / "scenes" / "tea.j2"
    path.write_text(path.read_text(encoding="utf-8").replace("[afternoon]", "[evening]"), encoding="utf-8")
    set_sections(dinner.settings, "weights: {rhythm: 0}")
    play(dinner)
    assert teas(dinner) == []
