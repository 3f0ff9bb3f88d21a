"""The page "now": how it is read, written in the evening, and shown; an edited one stays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gm.base.config import parse_settings
from gm.layers.declare import KeptValue, Keys, ShownMoment
from gm.layers.now import NOW, Now, now_words
from gm.model.mind import Mind
from gm.model.solo_replies import DiaryReply, ReflectionReply
from gm.model.world import World
from gm.scene.evening.off_scene import evening_scene, layers_asked
from gm.scene.folding.advance import advance
from gm.scene.folding.conclude import Reflected, fold_reflection
from gm.scene.folding.minds import fold_replies
from gm.scene.ledger import Ledger
from tests.build import agent, insights, node, scene, words, world

OLD = Now(1, ("Der Turm.",), ("Sechs Knochen reichen nicht.",))


def house(page: Now | None = OLD, day: int = 2, **settings: Any) -> World:
    vera = replace(agent("vera", stream=[node(1)]), mind=Mind({NOW.name: page} if page else {}))
    return replace(world(vera, day=day), settings=parse_settings(settings)[0])


def written(page: object, before: Now = OLD) -> tuple[Now, list[str]]:
    """Return the page after a diary, and the warnings."""
    reply = DiaryReply.model_validate({"text": "Spät.", "mood": "müde", "now": page})
    now = house(before)
    ledger = Ledger(now, "day-002")
    change = fold_replies(now, evening_scene(now, "vera"), {"vera": [(reply, ())]}, ledger, words)
    return (change["vera"][NOW] or before) if change else before, list(ledger.warnings)


def test_a_page_is_written_whole_with_the_day_of_its_evening() -> None:
    page, warnings = written(
        {"occupies": ["Der  Rückweg.\n# kein Titel", ""], "thinks": ["Neun Meter.", "neun meter."]}
    )
    assert page == Now(2, ("Der Rückweg. # kein Titel",), ("neun meter.",))
    assert warnings == []


@pytest.mark.parametrize("said", [None, {}, "unverändert", {"occupies": [], "thinks": None}, {"occupies": [" "]}])
def test_a_page_without_lines_leaves_the_old_one_as_it_is(said: object) -> None:
    assert written(said) == (OLD, [])


def test_one_text_is_a_list_of_one() -> None:
    assert written({"occupies": "Der Rückweg.", "thinks": []})[0] == Now(2, ("Der Rückweg.",))


def test_an_answer_of_before_there_were_pages_is_still_read() -> None:
    assert DiaryReply.model_validate({"text": "Spät.", "mood": "müde"}).now.occupies == []
    assert ReflectionReply.model_validate({"insights": [{"description": "x", "evidence": ["a"]}]}).now.thinks == []


def test_a_page_has_room_for_few_short_lines_and_says_what_was_left_out() -> None:
    page, warnings = written({"occupies": list("abcd"), "thinks": ["x " * 400, *"bcdef"]})
    assert (page.occupies, len(page.thinks)) == (("a", "b", "c"), 4)
    assert len(page.thinks[0]) <= 302
    assert warnings == [
        "vera: now: room for 3 lines under occupies; 1 were left out",
        "vera: now: room for 4 lines under thinks; 2 were left out",
    ]


def test_a_page_that_says_the_same_on_the_same_evening_changes_nothing() -> None:
    assert written({"occupies": ["Der Turm."], "thinks": []}, Now(2, ("Der Turm.",))) == (Now(2, ("Der Turm.",)), [])


def test_a_reflection_writes_it_too_and_the_diary_of_the_evening_writes_it_anew() -> None:
    before = house(now="on")
    reply = insights("Es wiederholt sich.", now={"occupies": ["Der Rückweg."], "thinks": []})
    change = fold_reflection(before, scene("vera", type="REFLECTION", at="day-002/scene-04"), Reflected(reply), words)
    assert change.minds["vera"][NOW] == Now(2, ("Der Rückweg.",))
    assert advance(before, change).agents["vera"].mind[NOW] == Now(2, ("Der Rückweg.",))
    assert (
        fold_reflection(
            house(now="off"), scene("vera", type="REFLECTION", at="day-002/scene-04"), Reflected(reply), words
        ).minds
        == {}
    )


def test_a_diary_does_not_ask_for_a_page_that_a_reflection_of_the_evening_has_written() -> None:
    def asked(page: Now) -> frozenset[str]:
        one = house(page, diary="on")
        return layers_asked(one, one.agents["vera"])

    assert asked(OLD) == {"diary", "now"}
    assert asked(replace(OLD, day=2)) == {"diary"}


def test_it_is_on_where_diaries_are_or_a_character_has_a_page() -> None:
    assert "now" in house(None, diary="on").layers
    assert "now" in house().layers
    assert "now" not in house(None).layers
    assert "now" not in house(None, diary="on", now="off").layers
    assert "now" not in house(now="off").layers


def test_a_page_that_was_edited_meanwhile_stays_whole_and_what_was_not_taken_is_named() -> None:
    edited = Now(1, OLD.occupies, ("Von Hand.",))
    new = Now(2, ("Der Rückweg.",), ("Neun Meter.",))
    assert NOW.yields is not None
    assert NOW.yields(OLD, OLD, new) == (new, [])
    left, kept = NOW.yields(OLD, edited, new)
    assert left == edited
    assert kept == [KeptValue("occupies", new.occupies, OLD.occupies), KeptValue("thinks", new.thinks, ("Von Hand.",))]
    assert list(NOW.file.write({"occupies": "Der Turm.", "thinks": ["Von Hand."], "day": 1}, left)) == [Keys((), {})]


def test_what_is_unchanged_in_a_file_keeps_its_spelling() -> None:
    data = {"day": 1, "occupies": "Der Turm.", "thinks": ["Alt."], "note": "von Hand"}
    assert NOW.file.parse(data) == Now(1, ("Der Turm.",), ("Alt.",))
    assert list(NOW.file.write(data, Now(2, ("Der Turm.",)))) == [Keys(("day", "thinks"), {"day": 2})]
    whole = {"day": 1, "occupies": ["Der Turm."], "thinks": ["Sechs Knochen reichen nicht."]}
    assert list(NOW.file.write({}, OLD)) == [Keys(tuple(whole), whole)]


@pytest.mark.parametrize("day", [None, True, -1, "3", [3]])
def test_a_page_without_a_readable_day_has_none(day: object) -> None:
    assert NOW.file.parse({"day": day, "occupies": [3, None, " ", "a\n b"], "thinks": 7}) == Now(0, ("a b",))


def test_it_is_shown_in_short_and_not_at_all_without_lines() -> None:
    vera = house().agents["vera"]
    shown = ShownMoment(house(), vera)
    assert NOW.view.show(shown, Now(3)) is None
    long = Now(3, ("x " * 400,), tuple("abcdef"))
    view: Any = NOW.view.show(shown, long)
    assert view["thinks"] == list("abcd")
    assert len(view["occupies"][0]) <= 302
    assert now_words(Now(3, ("a",))) == {"occupies": ("a",)}
