"""Lines of a persona that look like a private heading and keep nothing back."""

from __future__ import annotations

from pathlib import Path

import pytest

from gm.base.config.pages import PublishSettings
from gm.base.frontmatter import split_front_matter
from gm.base.markup.parse import without_parts
from gm.model.private_headings import find_near_headings

PRIVATE = PublishSettings().headings
GERMAN, ENGLISH = PRIVATE
WORLDS = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("## What you tell no one", ENGLISH),
        ("## What You Tell No-one", ENGLISH),
        ("## What you tell nobdy", ENGLISH),
        ("**What you tell nobody**", ENGLISH),
        ("__What you tell nobody:__ It was me.", ENGLISH),
        ("**What you tell nobody**: It was me.", ENGLISH),
        ("##What you tell nobody", ENGLISH),
        ("What you tell nobody:", ENGLISH),
        ("## Secret", ENGLISH),
        ("# Your secrets ##", ENGLISH),
        ("### What you never told", ENGLISH),
        ("## What nobody knows", ENGLISH),
        ("## Private", ENGLISH),
        ("Secret\n------", ENGLISH),
        ("What you\n## Tell nobody", ENGLISH),
        ("## Was du niemandem sagst", GERMAN),
        ("## Was du keinem Menschen erzählst", GERMAN),
        ("## Was du keinen sagst", GERMAN),
        ("## Was keiner weiß", GERMAN),
        ("## Geheimnisse", GERMAN),
        ("**Privat**", GERMAN),
    ],
)
def test_what_looks_like_a_private_heading_is_found_with_its_line_and_what_was_meant(line: str, meant: str) -> None:
    prose = f"You are Silas.\n\n{line}\n\nIt was you.\n"
    assert without_parts(prose, PRIVATE) == prose
    (found,) = find_near_headings(prose, PRIVATE)
    assert (found.line, found.meant) == (3 + line.count("\n##"), meant)
    assert found.text in line


@pytest.mark.parametrize(
    "line",
    [
        "## What you tell nobody",
        "## **what you  tell nobody**:",
        "What you tell nobody\n====",
        "What you\ntell nobody\n----",
        "## What you tell everybody",
        "## What others say",
        "## Was du jedem sagst",
        "## Stimme",
        "**Ferry**",
        "Your secret is safe.",
        "**" + "You have a secret that you keep from everybody in the house, and that is the trouble." + "**",
        "## ",
        "",
    ],
)
def test_a_private_heading_and_any_other_line_are_left_alone(line: str) -> None:
    assert not list(find_near_headings(f"You are Silas.\n\n{line}\n\nIt was you.\n", PRIVATE))


def test_a_heading_of_the_world_s_own_is_what_is_meant() -> None:
    prose = "## Beneath the flor\n\n## What you tell nobody\n"
    found = list(find_near_headings(prose, ["Beneath the floor"]))
    assert [(one.line, one.meant) for one in found] == [(1, "Beneath the floor"), (3, "Beneath the floor")]
    assert not list(find_near_headings(prose, []))


def test_no_persona_that_comes_with_gm_has_such_a_line() -> None:
    paths = [*WORLDS.glob("state/personas/*.md"), *WORLDS.glob("gm/worlds/**/personas/*.md")]
    assert len(paths) >= 20
    for path in paths:
        prose = split_front_matter(path.read_text(encoding="utf-8"))[1]
        assert not list(find_near_headings(prose, PRIVATE)), path
