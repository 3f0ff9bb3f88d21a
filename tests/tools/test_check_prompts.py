"""Prompts of a world: what the packaged ones say is right, and a name that several loops share is not misread."""

from __future__ import annotations

import shutil

import pytest

from gm.errors import Problem
from gm.store.layout import Layout
from gm.store.shipped import shipped_prompts
from gm.tools.check import check_world


@pytest.mark.parametrize("world", ["studio", "dinner"])
def test_a_world_with_its_own_copy_of_all_prompts_has_no_problem_with_them(
    world: str, request: pytest.FixtureRequest
) -> None:
    layout: Layout = request.getfixturevalue(world)
    shutil.copytree(shipped_prompts(), layout.prompts, dirs_exist_ok=True)
    assert [str(problem) for problem in check_world(layout).problems if "prompts/" in problem.path] == []


def test_items_of_two_loops_may_be_called_the_same_and_a_slip_in_either_is_named(dinner: Layout) -> None:
    template = dinner.prompts / "situation.j2"
    template.parent.mkdir(parents=True, exist_ok=True)
    loops = "{% for item in posts %}{{ item.content }}{% endfor %}\n"
    loops += "{% for item in threads.shown %}{{ item.text }}{% endfor %}\n"
    template.write_text(loops, encoding="utf-8")
    assert problems(dinner) == []
    template.write_text(loops.replace("item.text", "item.txet"), encoding="utf-8")
    assert [(problem.line, "txet" in problem.message) for problem in problems(dinner)] == [(2, True)]


def problems(layout: Layout) -> list[Problem]:
    return [problem for problem in check_world(layout).problems if problem.path.startswith("prompts/")]
