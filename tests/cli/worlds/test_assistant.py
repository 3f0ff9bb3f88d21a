"""Project files for a coding assistant."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gm.api.worlds.create import add_assistant
from gm.base.errors import EXIT_WAITING, UsageError
from gm.base.frontmatter import load_safely, split_front_matter
from gm.files.layout import Layout
from tests.cli.running import Run


def front_of(path: Path) -> dict[str, str]:
    front, _, _ = split_front_matter(path.read_text(encoding="utf-8"))
    found = load_safely(front or "")
    assert isinstance(found, dict)
    return found


def test_there_is_a_command_and_a_subagent_for_each_character(studio: Layout) -> None:
    added = add_assistant(studio, "claude-code")
    assert len(added) == 8
    assert front_of(studio.root / ".claude/commands/day.md")["description"]
    for name in studio.agent_names():
        front = front_of(studio.root / f".claude/agents/{name}.md")
        assert front["name"] == name
        assert f"`who` is {name}" in front["description"]
        assert front["tools"] == "Read, Write"


def test_a_subagent_may_look_at_nothing_that_would_tell_it_of_other_files(studio: Layout) -> None:
    add_assistant(studio, "claude-code")
    tools = {front_of(path)["tools"] for path in (studio.root / ".claude/agents").iterdir()}
    assert tools == {"Read, Write"}, "no search, no shell"


def test_files_changed_by_hand_stay(studio: Layout) -> None:
    add_assistant(studio, "claude-code")
    mine = studio.root / ".claude/agents/vera.md"
    mine.write_text("mine", encoding="utf-8")
    (studio.root / ".claude/agents/emre.md").unlink()
    assert add_assistant(studio, "claude-code") == (".claude/agents/emre.md",)
    assert mine.read_text(encoding="utf-8") == "mine"


def test_names_of_all_kinds_become_names_that_the_assistant_accepts(studio: Layout) -> None:
    for stem in ("Jürgen_1", "jurgen-1", "名", "x"):
        text = f'---\nname: "{stem}: # [a] \\"b\\"\\nmodel: opus"\n---\nDu.\n'
        (studio.personas / f"{stem}.md").write_text(text, encoding="utf-8")
    add_assistant(studio, "claude-code")
    fronts = [front_of(path) for path in (studio.root / ".claude/agents").iterdir()]
    names = {front["name"] for front in fronts}
    assert {"jurgen-1", "jurgen-1-2", "character", "x"} <= names
    assert all(set(front) == {"name", "description", "tools"} for front in fronts)


def test_an_assistant_that_is_not_known_makes_no_world(run: Run, tmp_path: Path) -> None:
    outcome = run("init", tmp_path / "new", "--assistant", "nobody")
    assert outcome.code == 2
    assert "claude-code" in outcome.err
    assert not (tmp_path / "new").exists()
    with pytest.raises(UsageError):
        add_assistant(Layout(tmp_path), "nobody")


def test_a_world_that_exists_gets_the_files_and_nothing_else(run: Run, studio: Layout) -> None:
    before = studio.settings.read_bytes()
    outcome = run("init", studio.root, "--assistant", "claude-code")
    assert outcome.code == 0
    assert ".claude/commands/day.md" in outcome.out
    assert studio.settings.read_bytes() == before


def test_other_assistants_get_one_file_whose_commands_exist(run: Run, studio: Layout) -> None:
    outcome = run("init", studio.root, "--assistant", "agents")
    assert outcome.code == 0
    assert "play a day" in outcome.out
    text = (studio.root / "AGENTS.md").read_text(encoding="utf-8")
    named = {line.split()[1] for line in re.findall(r"`(gm [a-z-]+[^`]*)`", text) if not line.startswith("gm --")}
    assert {"advance-day", "recall", "why"} <= named
    for name in named:
        assert run(name, "--help").code == 0
    assert f"`{EXIT_WAITING}`" not in text
    assert f"Exit code {EXIT_WAITING}" in text
    assert "are there already" in run("init", studio.root, "--assistant", "agents").out
