"""Leaving out what stands under a heading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.base.markup.clean import neutralise
from gm.base.markup.parse import without_parts

TITLES = ("Was du keinem sagst",)
BEFORE = "# Vera\n\nEin Satz.\n\n"
AFTER = "## Geschmack\n\nRau.\n"


@pytest.mark.parametrize(
    "part",
    [
        "## Was du keinem sagst\n\nGeheim.\n\n",
        "##   was du KEINEM sagst:  ##\n\nGeheim.\n\n",
        "Was du keinem sagst\n---\n\nGeheim.\n\n",
        "## Was du *keinem* sagst\n\nGeheim.\n\n### Und noch etwas\n\nGeheim.\n\n",
        "## Was du keinem sagst\n\n```\n## Geheim\n```\nGeheim.\n\n",
        "## Was du keinem sagst\r\n\r\nGeheim.\r\n\r\n",
    ],
)
def test_what_stands_under_the_heading_is_left_out_to_the_next_one(part: str) -> None:
    assert without_parts(BEFORE + part + AFTER, TITLES) == BEFORE + AFTER


def test_the_last_part_is_left_out_to_the_end() -> None:
    assert without_parts(BEFORE + "## Was du keinem sagst\n\nGeheim.", TITLES) == BEFORE.rstrip("\n") + "\n"


def test_a_part_around_a_deeper_heading_stays() -> None:
    text = "## Geschmack\n\nRau.\n\n### Was du keinem sagst\n\nGeheim.\n\n## Stimme\n\nLeise.\n"
    assert without_parts(text, TITLES) == "## Geschmack\n\nRau.\n\n## Stimme\n\nLeise.\n"


def test_a_heading_that_only_begins_like_it_stays() -> None:
    text = "## Was du keinem sagst, aber zeigst\n\nOffen.\n"
    assert without_parts(text, TITLES) == text


@given(st.text(alphabet="# \n-=>*`aw", max_size=60))
def test_without_such_a_heading_every_text_stays_as_it_is(text: str) -> None:
    assert without_parts(text, TITLES) == neutralise(text)
