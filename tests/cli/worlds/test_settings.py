"""``gm settings``: what holds, which line says so, and what there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from gm.base.config import Settings, parse_settings
from gm.base.config.manual import all_settings, as_yaml, value_at
from gm.base.frontmatter import load_safely
from gm.files.layout import Layout
from tests.cli.running import Run

OWN = "\ufeff# mine\r\nseed: 7\r\nreflection:\r\n  threshold: 80\r\n  input: many\r\nimportance: {from: facets}\r\n"


@pytest.fixture
def world(tmp_path: Path) -> Layout:
    (tmp_path / "gm.yaml").write_bytes(OWN.encode())
    return Layout(tmp_path)


def test_all_settings_are_listed_with_the_line_that_says_so(run: Run, world: Layout) -> None:
    outcome = run("settings", "-w", world.root)
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert len(lines) == len(all_settings())
    assert "seed: 7  # gm.yaml:2" in lines
    assert "reflection.threshold: 80  # gm.yaml:4" in lines
    assert "importance.from: facets  # gm.yaml:6" in lines
    assert "reflection.inclusive: false" in lines


def test_what_cannot_be_used_does_not_hold(run: Run, world: Layout) -> None:
    outcome = run("settings", "-w", world.root)
    assert "reflection.input: 30" in outcome.out.splitlines()
    assert 'gm.yaml:5:10: error: reflection.input is "many"' in outcome.err


def test_only_what_the_world_says_itself(run: Run, world: Layout) -> None:
    names = [line.partition(":")[0] for line in run("settings", "-w", world.root, "--own").out.splitlines()]
    assert names == ["seed", "importance.from", "reflection.threshold"]


def test_a_name_tells_what_a_setting_does_and_takes(run: Run, world: Layout) -> None:
    assert run("settings", "-w", world.root, "reflection.threshold").out.splitlines() == [
        "reflection.threshold",
        "    Summed importance that must be exceeded for a reflection.",
        "    takes a whole number, at least 1",
        "    here: 80, from gm.yaml:4 (default: 100)",
    ]


def test_sections_and_parts_of_names_are_found(run: Run, world: Layout) -> None:
    def names(*arguments: str) -> list[str]:
        document = run("settings", "-w", world.root, "--json", *arguments).document
        return [item["name"] for item in document["settings"]]

    assert names("language") == ["language"], "the whole name, though index.languages holds it too"
    assert names("budget") == ["budget.day_usd", "budget.day_tokens", "budget.calls"]
    assert "selfcare.token_ceiling" in names("token")
    assert names("seed", "Git.Author") == ["seed", "git.author"]


def test_a_document_holds_plain_values(run: Run, world: Layout) -> None:
    (item,) = run("settings", "-w", world.root, "--json", "day.scenes").document["settings"]
    assert list(item) == ["name", "takes", "default", "unit", "sentence", "value", "source"]
    assert (item["value"], item["default"], item["source"]) == ([3, 6], [3, 6], "default")


@pytest.mark.parametrize(
    ("typed", "meant"), [("reflection.treshold", "reflection.threshold"), ("concurency", "llm.concurrency")]
)
def test_of_a_name_that_does_not_exist_the_nearest_are_offered(run: Run, typed: str, meant: str) -> None:
    outcome = run("settings", typed)
    assert outcome.code == 2
    assert f"no setting is called {typed!r}" in outcome.err
    assert meant in outcome.err


def test_without_a_world_the_defaults_are_shown(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run("settings", "seed", "--json")
    assert (outcome.code, outcome.document["settings"][0]["value"]) == (0, 1)
    assert run("settings", "-w", tmp_path).code == 1, "a folder that was named must be a world"


def test_every_default_can_be_written_into_a_file_as_it_is_shown() -> None:
    for entry in all_settings():
        read = load_safely(f"x: {entry.default}")["x"]
        assert as_yaml(read) == entry.default
        data: object = read
        for key in reversed(entry.name.split(".")):
            data = {key: data}
        assert parse_settings(data) == (Settings(), [])


def test_nothing_else_is_a_setting() -> None:
    with pytest.raises(KeyError):
        value_at(Settings(), "reflection.treshold")
    with pytest.raises(KeyError):
        value_at(Settings(), "seed.more")


def test_a_text_of_the_world_has_no_power_over_the_terminal(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gm.yaml").write_text('world: {title: "\\e[31mred\\u202e"}\n', encoding="utf-8")
    for arguments in ((), ("world.title",)):
        out = run("settings", "-w", tmp_path, *arguments).out
        assert "red" in out
        assert "\x1b" not in out
        assert "\u202e" not in out
