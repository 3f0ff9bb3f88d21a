"""Prompts of a world: what the packaged ones say is right, and a name that several loops share is not misread."""

from __future__ import annotations

import shutil

import pytest

from gm.api.editing.check.whole import check_world
from gm.base.errors import Problem
from gm.files.layout import Layout
from gm.files.packaged.shipped import shipped_prompts
from tests.stories.playing import set_sections


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


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("prompts/scenes/duel.md", "prompts/scenes/duel.j2"),
        ("prompts/scenes/duel.jinja", "prompts/scenes/duel.j2"),
        ("prompts/en/scenes/duel", "prompts/en/scenes/duel.j2"),
        ("prompts/duel.j2", "prompts/scenes/duel.j2"),
        ("prompts/scenes/mine/duel.j2", "prompts/scenes/duel.j2"),
        ("scenes/duel.j2", "prompts/scenes/duel.j2"),
    ],
)
def test_a_scene_type_that_is_not_read_is_named_with_what_to_do(dinner: Layout, path: str, target: str) -> None:
    front = "---\nplay: solo\ncast: [1, 1]\ntags: [bread]\n---\n{{ scene.premise }}\n"
    write(dinner, path, front)
    (found,) = (problem for problem in check_world(dinner).problems if problem.path == path)
    assert (found.severity, found.code, found.hint) == ("warning", "prompt-not-read", f"rename it to {target}")
    (dinner.root / path).unlink()
    write(dinner, target, front)
    assert problems(dinner) == []


@pytest.mark.parametrize("name", ["duel", "young"])  # before and after the packaged encounter
def test_a_copied_scene_type_that_kept_its_type_is_named(dinner: Layout, name: str) -> None:
    front = "---\nplay: solo\ntype: {}\ncast: [1, 1]\n---\n{{{{ scene.premise }}}}\n"
    write(dinner, f"prompts/scenes/{name}.j2", front.format("ENCOUNTER"))
    (found,) = problems(dinner)
    assert (found.severity, found.code, found.line) == ("warning", "scene-type-twice", 3)
    assert found.message == "encounter.j2 has the type ENCOUNTER as well, so only one of the two is played"
    assert found.hint == f"write type: {name.upper()}"
    write(dinner, f"prompts/scenes/{name}.j2", front.format(name.upper()))
    assert problems(dinner) == []


def test_what_is_no_scene_type_may_lie_beside_prompts(dinner: Layout) -> None:
    for path in ("prompts/notes.md", "prompts/scenes/README.md", "prompts/scenes/.swp", "scenes/one.txt"):
        write(dinner, path, "Just a note.\n")
    assert [problem for problem in check_world(dinner).problems if problem.code == "prompt-not-read"] == []


def test_a_prompt_that_nothing_reads_is_named_with_the_nearest(dinner: Layout) -> None:
    write(dinner, "prompts/naratour.j2", "Never name the sea.\n")
    write(dinner, "prompts/tone.j2", "Speak low.\n")
    write(dinner, "prompts/en/xyz.j2", "Never name the sea.\n")
    write(dinner, "prompts/persona.j2", '{% include "tone.j2" %}\n')
    assert [(problem.path, problem.code, problem.hint) for problem in problems(dinner)] == [
        ("prompts/en/xyz.j2", "prompt-unused", "a prompt of gm has another name, or includes it"),
        ("prompts/naratour.j2", "prompt-unused", "did you mean narrator.j2?"),
    ]


@pytest.mark.parametrize("path", ["prompts/own.j2", "prompts/scenes/own.j2", "prompts/en/own.j2"])
def test_a_template_that_leads_nowhere_is_named_and_the_others_are_checked(dinner: Layout, path: str) -> None:
    place = dinner.root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to("nowhere")
    assert [(problem.severity, problem.code, problem.path) for problem in problems(dinner)] == [
        ("error", "link-broken", path)
    ]


def test_every_mistake_in_a_scene_type_is_named_with_line_and_column(dinner: Layout) -> None:
    front = "---\ntype: TEA\ntimes: [afternoon, midnight]\nwho: [jordan, nobody]\nsuit: {noon: 1}\nevery: often\n---\n"
    write(dinner, "prompts/scenes/tea.j2", front)
    found = [(problem.line, problem.column, problem.message) for problem in problems(dinner)]
    assert found[0] == (
        3,
        8,
        'times is ["afternoon", "midnight"], expected a list of some of morning, noon, afternoon, evening',
    )
    assert found[1] == (5, 1, "unknown key 'suit' in the front matter")
    assert found[2] == (6, 8, 'every is "often", expected a whole number, at least 1')
    write(dinner, "prompts/scenes/tea.j2", "---\ntimes: [noon]\nwho: [jordan, nobody]\n---\n")
    (one,) = problems(dinner)
    assert (one.line, one.column, one.message) == (3, 15, "who: nobody here is called 'nobody'")
    write(dinner, "prompts/scenes/tea.j2", "---\ntimes: [noon]\nwho: [Jordan]\n---\n")
    assert problems(dinner) == []


def test_own_templates_are_checked_beside_the_short_ones(dinner: Layout) -> None:
    set_sections(dinner.settings, "prompts: short")
    write(dinner, "prompts/note.j2", "{{ scene.surroundings }}")
    assert problems(dinner) == []
    write(dinner, "prompts/note.j2", "{{ scene.surrounding }}")
    assert [(problem.code, problem.line) for problem in problems(dinner)] == [("prompt-variable", 1)]


def test_a_set_of_prompts_that_does_not_exist_is_named_with_those_that_do(dinner: Layout) -> None:
    set_sections(dinner.settings, "prompts: tiny")
    (one,) = (problem for problem in check_world(dinner).problems if problem.path == "gm.yaml")
    assert (one.code, one.message) == ("setting-value", 'prompts is "tiny", expected one of full, short')


def write(layout: Layout, path: str, text: str) -> None:
    (layout.root / path).parent.mkdir(parents=True, exist_ok=True)
    (layout.root / path).write_text(text, encoding="utf-8")


def problems(layout: Layout) -> list[Problem]:
    return [problem for problem in check_world(layout).problems if problem.path.startswith("prompts/")]
