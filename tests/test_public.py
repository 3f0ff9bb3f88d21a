"""What a notebook does with ``import gm``: open a world, play a day, ask questions, and read values."""

import ast
import json
import subprocess
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

import gm


def test_a_notebook_makes_a_world_plays_a_day_and_asks_about_it(tmp_path: Path) -> None:
    layout = gm.create_world(tmp_path / "dinner", "dinner")
    (day,) = gm.play_days(layout, gm.choose_for(layout, "rehearsal"), gm.Report(), 1, command="a notebook")
    opened = gm.open_world(tmp_path / "dinner")
    assert opened.problems == ()
    status, problems = gm.describe_status(opened.layout)
    assert (status.day, status.open, problems) == (1, False, [])
    assert (
        day.memories
        == gm.describe_stats(opened.world).all.memories
        == sum(agent.memories for agent in status.agents.values())
    )
    name = next(iter(status.agents))
    memories = gm.describe_stream(opened.layout, name).memories
    assert len(memories) == status.agents[name].memories
    why = gm.describe_why(opened.layout, memories[-1].node.id)
    assert (why.agent, why.node) == (name, memories[-1].node)
    with gm.open_recall(opened.layout, opened.world.settings) as recall:
        found, _ = recall.find(name, memories[-1].node.description, gm.RecallWish(most=1))
    assert [memory.id for memory in found.memories] == [memories[-1].node.id]
    assert gm.describe_context(opened.layout, opened.world, name, gm.ContextWish()).prompt
    assert gm.describe_report(gm.check_world(opened.layout)).ok


def test_an_answer_is_frozen_and_becomes_json(tmp_path: Path) -> None:
    status, _ = gm.describe_status(gm.create_world(tmp_path / "dinner", "dinner"))
    with pytest.raises(FrozenInstanceError):
        status.day = 5  # type: ignore[misc]
    document = gm.as_json(status)
    assert list(document)[:4] == ["world", "day", "day_of_week", "open"]
    assert json.loads(json.dumps(document)) == document


def test_a_folder_without_a_world_is_refused(tmp_path: Path) -> None:
    with pytest.raises(gm.GmError, match="is no world"):
        gm.open_world(str(tmp_path))


def test_every_public_name_is_there_and_typed() -> None:
    tree = ast.parse(Path(gm.__file__).read_text(encoding="utf-8"))
    typed = {
        (node.module, alias.name)
        for part in tree.body
        if isinstance(part, ast.If)
        for node in part.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    homes = {(home, name) for home, names in gm._HOMES.items() for name in names}
    assert typed == homes
    assert {name for _, name in homes} == set(gm.__all__)
    assert all(getattr(gm, name) for name in gm.__all__)
    assert not hasattr(gm, "no_such_name")
    assert (Path(gm.__file__).parent / "py.typed").is_file()


def test_to_import_gm_imports_nothing_else() -> None:
    code = "import sys, gm; print([name for name in sys.modules if name.startswith('gm.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
