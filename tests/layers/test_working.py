"""The page of working memory: how it is rewritten, and what it leaves behind in the evening."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import Any

import pytest

from gm.base.config import Settings, WorkingSettings, parse_settings
from gm.layers.declare import ShownMoment
from gm.layers.working import (
    WORKING,
    Page,
    PageChange,
    PageLine,
    change_page,
    clear_page,
    is_lesson,
    join_changes,
    page_lines,
    page_now,
    page_words,
    prefixes_of,
    rewrite_page,
    shown_prefixes,
)
from gm.model.layer_replies import PageEntry
from gm.model.mind import Mind
from gm.model.scene_reply import SceneReply
from gm.model.world import World
from gm.scene.dialogue.turns import Turn
from gm.scene.evening.nightfall import close_day, migrate_pages
from gm.scene.folding.advance import advance
from gm.scene.folding.apply import fold_scene
from tests.build import agent, entry, never, node, reply, scene, words, world

PREFIXES = prefixes_of(("LESSON:", "STRATEGY:"), "de")


def entries(**texts: str | list[str]) -> list[PageEntry]:
    return SceneReply.model_validate({"mood": "wach", "working": texts}).working


def rewritten(values: dict[str, Any], most: int = 12, **texts: str | list[str]) -> dict[str, Any]:
    page = Page(values)
    change, _ = rewrite_page(page, entries(**texts), most)
    return dict(change_page(page, change or PageChange()).values)


def test_an_empty_list_leaves_the_page_as_it_is() -> None:
    assert rewrite_page(Page({"known": ["a"]}), [], 12) == (None, [])


@pytest.mark.parametrize("said", [None, "unchanged", [], {}])
def test_that_nothing_changes_may_be_said_in_several_ways(said: object) -> None:
    assert SceneReply.model_validate({"mood": "wach", "working": said}).working == []


def test_a_new_page_takes_the_place_of_the_old_one() -> None:
    old = {"current_subgoal": "alt", "known": ["a", "b"], "mine": "x"}
    new = rewritten(old, current_subgoal="neu", known=["b", "c"])
    assert new == {"current_subgoal": "neu", "known": ["b", "c"]}


def test_hidden_keys_and_nested_values_stay_after_any_edit() -> None:
    old = {"_secret": "x", "known_interfaces": {"gips": {"zeit": "40 Minuten"}}, "list": ["a", {"b": "c"}]}
    new = rewritten(old, known=["gips: zeit: 40 Minuten", "Neu"], _secret="y", list=["b: c", "d"])
    assert new == {**old, "known": ["Neu"], "list": [{"b": "c"}, "d"]}


def test_a_mapping_in_the_place_of_a_list_stays_as_its_first_item() -> None:
    held = {"red": ["a"], "blue": "b"}
    assert rewritten({"recent_insights": held}, recent_insights=["I saw green."]) == {
        "recent_insights": [held, "I saw green."]
    }


def test_what_is_known_stays_under_the_name_that_the_file_has_for_it() -> None:
    assert rewritten({"known_interfaces": ["a"]}, known=["a", "b"]) == {"known_interfaces": ["a", "b"]}
    assert rewritten({"known": {"a": "b"}}, known=["c"]) == {"known": {"a": "b"}, "recent_insights": ["c"]}


def test_a_page_has_a_limit_of_lines_and_says_what_was_left_out() -> None:
    change, warnings = rewrite_page(Page(), entries(known=["a", "b", "c"]), 2)
    assert change == PageChange({"known": ["a", "b"]})
    assert warnings == ["the page has room for 2 lines; 1 were left out"]
    (line,) = rewritten({}, known="x " * 400)["known"]
    assert len(line) <= 302


def test_a_page_of_empty_lines_clears_it() -> None:
    assert rewritten({"current_subgoal": "x", "known": ["a"]}, current_subgoal="") == {}


def test_a_page_is_shown_line_by_line_without_what_is_hidden() -> None:
    page = Page({"_x": "y", "known": ["a", {"b": ["c", "d"]}], "current_subgoal": None, "n": 7})
    assert page_lines(page) == (PageLine("known", "a"), PageLine("known", "b: c, d"), PageLine("n", "7"))


def test_beginnings_count_in_german_too_where_german_is_spoken() -> None:
    assert prefixes_of(("LESSON:", " note "), "de") == ("lesson", "note", "lektion", "notiz")
    assert prefixes_of(("LESSON:",), "en") == ("lesson",)
    assert shown_prefixes(("LESSON:", "Regel:"), "de") == ["LEKTION:", "REGEL:"]


def test_a_prefix_with_an_umlaut_is_found_in_each_form_of_unicode() -> None:
    assert is_lesson(unicodedata.normalize("NFD", "Übung: Erst messen."), prefixes_of(("ÜBUNG:",), "de"))


def test_in_the_evening_lessons_leave_the_page_and_what_is_unfinished_stays() -> None:
    page = Page(
        {
            "current_subgoal": "Gießen",
            "known": ["Emre wartet", "strategie : Erst fragen"],
            "recent_insights": [
                "LEKTION: Gips braucht Zeit",
                "Nur so ein Gedanke",
                {"Lesson": "ohne Anführungszeichen"},
            ],
            "LESSON": "auf einer eigenen Zeile",
            "_note": "LESSON: nicht zeigen",
            "tools": {"gips": "LESSON: Rühren", "leim": 7},
        }
    )
    lessons, change = clear_page(page, PREFIXES)
    assert [(line.key, line.text) for line in lessons] == [
        ("known", "strategie : Erst fragen"),
        ("recent_insights", "LEKTION: Gips braucht Zeit"),
        ("recent_insights", "Lesson: ohne Anführungszeichen"),
        ("LESSON", "LESSON: auf einer eigenen Zeile"),
        ("tools.gips", "LESSON: Rühren"),
    ]
    assert change is not None
    assert dict(change_page(page, change).values) == {
        "current_subgoal": "Gießen",
        "known": ["Emre wartet"],
        "recent_insights": ["Nur so ein Gedanke"],
        "_note": "LESSON: nicht zeigen",
        "tools": {"leim": 7},
    }


@pytest.mark.parametrize("text", ["LESSON:", "LESSON without a colon", "A LESSON: later", "Lessons: many"])
def test_what_only_looks_like_a_lesson_stays(text: str) -> None:
    assert clear_page(Page({"known": [text]}), PREFIXES) == ([], None)


def with_page(values: dict[str, Any], **settings: Any) -> World:
    vera = replace(agent(stream=[node(1, importance=4)], accumulator=4), mind=Mind({WORKING.name: Page(values)}))
    played = world(vera, log=[entry(1, "WORK", "vera", scene=3)])
    return replace(played, settings=parse_settings({"language": "en", **settings})[0])


LEARNED = {"recent_insights": ["LESSON: Plaster needs time."], "known": ["Emre waits"]}


def test_when_the_day_is_closed_a_lesson_becomes_an_observation_of_its_last_scene() -> None:
    before = with_page(LEARNED)
    change = close_day(before, words)
    (made,) = change.nodes["vera"]
    assert (made.id, made.created, made.type, made.depth) == ("vera-002", "day-001/scene-03", "observation", 0)
    assert made.description == "LESSON: Plaster needs time."
    assert made.metadata == {
        "kind": "lesson",
        "migrated_from": "working_memory",
        "key": "recent_insights",
        "importance_by": "heuristic",
    }
    assert change.agents["vera"]["importance_accumulator"] == 4 + made.importance
    assert change.line.record["memories"] == [{"agent": "vera", "id": "vera-002", "importance": made.importance}]
    after = advance(before, change)
    assert after.agents["vera"].mind[WORKING].values == {"recent_insights": [], "known": ["Emre waits"]}
    assert migrate_pages(after).nodes == {}, "once"


def test_what_a_character_remembers_as_a_lesson_already_only_leaves_the_page() -> None:
    first = advance(with_page(LEARNED), migrate_pages(with_page(LEARNED)))
    again = replace(first.agents["vera"], mind=Mind({WORKING.name: Page({"known": ["lesson: plaster needs time."]})}))
    change = migrate_pages(replace(first, agents={"vera": again}))
    assert change.nodes == {}
    assert change.minds["vera"][WORKING] == PageChange({"known": []})


def test_a_day_without_lessons_says_nothing_of_them() -> None:
    change = close_day(with_page({"known": ["a"]}), words)
    assert (change.nodes, change.minds) == ({}, {})
    assert "memories" not in change.line.record


def test_nothing_moves_while_working_memory_is_switched_off() -> None:
    change = migrate_pages(with_page(LEARNED, working={"enabled": "off"}))
    assert (change.nodes, change.minds) == ({}, {})


def test_the_last_page_that_a_character_wrote_in_a_scene_is_the_one_that_counts() -> None:
    on = Settings(working=WorkingSettings(enabled="on", lines=1))
    pages = [[PageEntry(key="known", text=text) for text in texts] for texts in (["alt"], ["neu", "zu viel"], [])]
    turns = [Turn("vera", reply(working=page)) for page in pages]
    change = fold_scene(world(agent("vera"), settings=on), scene("vera"), turns, words, taken=never)
    assert change.minds["vera"][WORKING] == PageChange({"known": ["neu"]})
    assert change.warnings == ("vera: the page has room for 1 lines; 1 were left out",)
    off = Settings(working=WorkingSettings(enabled="off"))
    assert fold_scene(world(agent("vera"), settings=off), scene("vera"), turns, words, taken=never).minds == {}


def test_within_a_scene_a_page_reads_as_it_was_last_written() -> None:
    old = Page({"note": "alt"})
    assert page_now(old, [], 9) is old
    assert page_now(old, [entries(note="eins"), entries(note="zwei"), []], 9).values == {"note": "zwei"}


@pytest.mark.parametrize(
    ("plans", "written", "expected"), [(True, {}, True), (True, {"known": "b"}, False), (False, {}, False)]
)
def test_in_the_morning_a_page_is_shown_as_an_earlier_days(plans: bool, written: Any, expected: bool) -> None:
    vera = replace(agent(), mind=Mind({WORKING.name: Page({"current_subgoal": "a"})}))
    kind = replace(scene("vera").type, plan=plans)
    own = [SceneReply.model_validate({"mood": "wach", "working": written})]
    shown: Any = WORKING.view.show(
        ShownMoment(world(vera), vera, replace(scene("vera"), type=kind), own), vera.mind[WORKING]
    )
    assert shown["earlier"] is expected
    empty: Any = WORKING.view.show(ShownMoment(world(vera), vera), Page())
    assert empty["earlier"] is False


def test_two_changes_of_a_page_are_one() -> None:
    page = Page({"a": 1, "b": 2, "c": 3})
    first, second = PageChange({"a": 4, "d": 5}, ("b",)), PageChange({"b": 6}, ("a", "c"))
    assert join_changes(first, None) == join_changes(None, first) == first
    both = join_changes(first, second)
    assert both is not None
    assert change_page(page, both) == change_page(change_page(page, first), second) == Page({"b": 6, "d": 5})


def test_a_page_in_words_has_its_lines_by_their_keys_without_hidden_ones() -> None:
    page = Page({"known": ["a", {"b": 1}], "_mine": "x", "current_subgoal": "c"})
    assert page_words(page) == {"known": ["a", "b: 1"], "current_subgoal": ["c"]}
