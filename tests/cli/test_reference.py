"""The manual of settings and the reference of commands: made from what is declared, and never stale."""

from __future__ import annotations

from pathlib import Path

import pytest

import gm
from gm.api.reference.manual import render_manual
from gm.base.config.manual import all_settings
from gm.cli import COMMANDS, HIDDEN
from gm.cli.reference import PAGES, render_reference, write_pages

LONGEST = 500


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_what_the_code_says(name: str) -> None:
    written = (Path(gm.__file__).parents[1] / name).read_text(encoding="utf-8")
    assert written == PAGES[name](), f"{name} is stale: make docs"


def test_pages_are_the_same_on_any_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pages = {name: render() for name, render in PAGES.items()}
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("FORCE_COLOR", "1")
    write_pages(tmp_path)
    assert {name: (tmp_path / name).read_text(encoding="utf-8") for name in PAGES} == pages


def test_every_setting_has_its_place_in_the_manual() -> None:
    manual = render_manual()
    for entry in all_settings():
        assert manual.count(f"- **`{entry.name}`**: {entry.sentence}\n") == 1
        assert entry.takes
        assert entry.default
    assert "  Takes a whole number from 1 to 200. Default: `16`" in manual
    assert "  Takes a number, at least 1, in seconds. Default: `180`" in manual
    assert "Takes a list of weekday names and story days, as `[Saturday, Sunday, 14]`. Default: `[]`" in manual


def test_every_command_is_in_the_reference_and_hidden_ones_are_not() -> None:
    page = render_reference()
    for name in COMMANDS:
        assert f"\n## gm {name}\n\n    gm {name} " in page or f"\n## gm {name}\n\n    gm {name}\n" in page
    assert not any(name in page for name in HIDDEN)
    assert "### gm memory tier" in page
    assert page.count("--world DIR") == 1, "what all commands share is said once"
    assert all(len(line) < LONGEST or line.startswith("[new]") for line in page.splitlines())
