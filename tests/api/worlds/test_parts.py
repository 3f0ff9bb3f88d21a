"""Places, kinds of scenes and characters are made in files; what is switched changes one value."""

from __future__ import annotations

import pytest

from gm.api.editing.check.whole import check_world
from gm.api.editing.confirm import preview
from gm.api.worlds.new import Named, add_character
from gm.api.worlds.parts import add_place, add_scene_type, scene_type_patterns, switch_part
from gm.base.errors import UsageError
from gm.files.layout import Layout
from gm.files.story.now import load_settings
from tests.handmade import fingerprint

HOSTILE = ("../../etc/passwd", "{{ 7 * 7 }}", "a: [b", '"quoted" & <b>', "# no comment", "Turm\nund: Drang")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_place_of_any_name_is_one_line_of_the_settings(studio: Layout, name: str) -> None:
    before = studio.settings.read_text(encoding="utf-8").splitlines()
    place = add_place(studio, name, f"Ein Ort wie {name}")
    after = studio.settings.read_text(encoding="utf-8").splitlines()
    added = [line for line in after if line not in before]
    assert len(added) == 1
    assert [line for line in after if line != added[0]] == before
    settings, problems = load_settings(studio)
    assert not problems
    assert settings.places[place] == " ".join(f"Ein Ort wie {name}".split())


def test_a_world_without_places_gets_its_first_one(dinner: Layout) -> None:
    dinner.settings.write_text("language: en\n", encoding="utf-8")
    assert add_place(dinner, "The Pier", "Wet planks") == "the-pier"
    assert dinner.settings.read_text(encoding="utf-8") == "language: en\nplaces: {the-pier: Wet planks}\n"


def test_a_place_that_exists_or_has_no_words_is_refused(studio: Layout) -> None:
    for name, text in (("Kontor", "noch eins"), ("", "Text"), ("Neu", " ")):
        with pytest.raises(UsageError):
            add_place(studio, name, text)


@pytest.mark.parametrize("pattern", ["work", "meeting", "reflection"])
def test_a_kind_of_scene_begins_as_another_and_can_be_played(studio: Layout, pattern: str) -> None:
    path = add_scene_type(studio, "Tanz im Flur", pattern)
    assert path == "prompts/de/scenes/tanz-im-flur.j2"
    assert "type: TANZ-IM-FLUR" in (studio.root / path).read_text(encoding="utf-8")
    assert "tanz-im-flur" in scene_type_patterns(studio)
    assert not [item for item in check_world(studio).problems if item.severity != "info"]


@pytest.mark.parametrize(("name", "pattern"), [("Work", "work"), ("...", "work"), ("x", "../../x"), ("x", "unknown")])
def test_a_kind_of_scene_needs_a_name_of_its_own_and_a_pattern(studio: Layout, name: str, pattern: str) -> None:
    before = fingerprint(studio.root)
    with pytest.raises(UsageError):
        add_scene_type(studio, name, pattern)
    assert fingerprint(studio.root) == before


@pytest.mark.parametrize("part", ["diary", "working", "goals"])
def test_a_part_of_the_minds_is_switched(dinner: Layout, part: str) -> None:
    before = dinner.settings.read_text(encoding="utf-8")
    for value in ("on", "off", "auto"):
        switch_part(dinner, part, value)
        assert load_settings(dinner)[0].switches[part] == value
    kept = [line for line in dinner.settings.read_text(encoding="utf-8").splitlines() if line in before.splitlines()]
    assert kept == before.splitlines()


@pytest.mark.parametrize(("part", "value"), [("language", "on"), ("diary", "maybe"), ("nothing", "on")])
def test_what_is_no_switch_is_refused(dinner: Layout, part: str, value: str) -> None:
    with pytest.raises(UsageError):
        switch_part(dinner, part, value)


def test_a_character_is_shown_before_it_is_made(studio: Layout) -> None:
    before = fingerprint(studio.root)
    found = preview(lambda: add_character(studio, Named("Ada Lind", "Pilotin, lacht zu früh"), "kontor"))
    assert [change.path for change in found.changes] == ["state/personas/ada-lind.md"]
    after = fingerprint(studio.root)
    assert {name for name in after if after[name] != before.get(name) and "/.gm/" not in name} == set()
