"""What the Creative Director has written reaches everybody, once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gm.model.clock import Post
from gm.model.logged import LogEntry
from gm.model.node import Node
from gm.model.world import Change, World
from gm.scene.dialogue.turns import Turn
from gm.scene.evening.nightfall import close_day
from gm.scene.folding.advance import advance
from gm.scene.folding.apply import fold_scene
from gm.scene.folding.conclude import Reflected, fold_reflection
from gm.scene.pieces.waiting import HEARD_CHARACTERS
from tests.build import agent, entry, insights, memory, node, reply, scene, words, world

PIECE = "gallery/audio/day-001_stille-meile_v1.md"


def brief(content: str = "Build me a tower.", *, index: int = 0, day: int = 1, **others: object) -> Post:
    return replace(Post(index, "Creative Director", "brief", content, day), **others)  # type: ignore[arg-type]


def cast(*posts: Post, day: int = 1, log: tuple[LogEntry, ...] = ()) -> World:
    return world(agent("emre"), agent("nami"), agent("vera"), day=day, posts=posts, log=log)


def land(before: World, *, who: str = "vera", at: str = "") -> Change:
    number = len(before.scenes_of(before.clock.day)) + 1
    played = scene(who, at=at or f"day-{before.clock.day:03d}/scene-{number:02d}")
    return fold_scene(before, played, [Turn(who, reply("Ja."))], words, taken=lambda _path: False)


def heard(change: Change) -> dict[str, list[Node]]:
    found = {name: [item for item in nodes if "post" in item.metadata] for name, nodes in change.nodes.items()}
    return {name: nodes for name, nodes in found.items() if nodes}


def test_a_brief_is_an_observation_of_everybody_also_of_those_who_are_not_in_the_scene() -> None:
    change = land(cast(brief()))
    assert set(heard(change)) == {"emre", "nami", "vera"}
    (first,) = heard(change)["emre"]
    assert (first.type, first.importance, first.created) == ("observation", 9, "day-001/scene-01")
    assert first.tags == ("creative-director", "brief")
    assert first.metadata == {"kind": "brief", "post": "bulletin/0", "importance_by": "gm"}
    assert first.description == words("brief_heard", author="Creative Director", text="Build me a tower.")
    assert change.agents["emre"] == {"importance_accumulator": 9}
    assert change.line.record["delivered"] == [{"post": "bulletin/0", "text": "Build me a tower."}]
    assert {"agent": "emre", "id": "emre-001", "importance": 9} in change.line.record["memories"]


def test_a_scene_without_anything_new_says_nothing_about_it() -> None:
    change = land(cast())
    assert not heard(change)
    assert "delivered" not in change.line.record


def test_it_is_brought_once_and_only_once_over_the_days() -> None:
    now = cast(brief(day=0))
    count = 0
    for day in (1, 2, 3):
        now = replace(now, clock=replace(now.clock, day=day))
        for _ in range(3):
            change = land(now)
            count += len(heard(change).get("emre", []))
            now = advance(now, change)
    assert count == 1


def test_a_memory_of_it_that_a_person_deletes_stays_deleted() -> None:
    now = cast(brief())
    now = advance(now, land(now))
    without = replace(now, agents={name: replace(one, stream=()) for name, one in now.agents.items()})
    assert not heard(land(without))


def test_who_has_it_already_is_not_given_it_again_when_the_logbook_says_nothing() -> None:
    now = cast(brief())
    known = node(agent="emre", metadata={"post": "bulletin/0"})
    now = replace(now, agents={**now.agents, "emre": replace(now.agents["emre"], stream=(known,))})
    assert set(heard(land(now))) == {"nami", "vera"}


def test_taking_down_another_post_neither_brings_a_brief_twice_nor_loses_the_next_one() -> None:
    now = cast(brief("Old.", day=0), brief("The wind.", index=1))
    now = advance(now, land(now))
    tidied = replace(now, posts=(brief("The wind."),))
    assert not heard(land(tidied))
    another = replace(now, posts=(brief("The wind."), brief("The rain.", index=1)))
    found = heard(land(another))
    assert set(found) == {"emre", "nami", "vera"}
    assert [item.metadata["post"] for item in found["vera"]] == ["bulletin/1"]


def test_the_same_words_twice_are_two_briefs() -> None:
    now = cast(brief("Again!"), brief("Again!", index=1))
    change = land(now)
    assert len(change.line.record["delivered"]) == 2
    assert not heard(land(advance(now, change)))


@pytest.mark.parametrize(
    "post",
    [
        brief(type="note"),
        brief(type=""),
        brief(author="Vera"),
        brief(author="emre"),
        brief("  \n"),
        brief(day=3),
        brief(day=6),
    ],
)
def test_notes_the_casts_own_posts_and_those_of_other_days_are_not_brought(post: Post) -> None:
    assert not heard(land(cast(post, day=5)))


def test_a_brief_that_was_put_up_in_a_scene_was_heard_there() -> None:
    log = (entry(2, "MEETING", "emre", "vera", scene=4),)
    assert not heard(land(cast(brief(day=2, scene=4), day=3, log=log)))
    assert heard(land(cast(brief(day=2, scene=5), day=3, log=log)))


def test_a_brief_from_before_days_that_were_passed_over_is_brought() -> None:
    log = (entry(5, "MEETING", "emre", "vera"),)
    assert heard(land(cast(brief(day=5), day=8, log=log)))
    assert not heard(land(cast(brief(day=4), day=8, log=log)))


def test_a_brief_of_any_text_is_one_line_and_of_bounded_length() -> None:
    text = "{{ 7 * 7 }} \x1b[31m »so« \n\n" + "lang " * 500
    (first,) = heard(land(cast(brief(text))))["emre"]
    assert "\n" not in first.description
    assert "{{ 7 * 7 }}" in first.description
    assert len(first.description) < HEARD_CHARACTERS + 100


def test_feedback_weighs_most_for_the_maker_of_the_piece() -> None:
    made = node(agent="nami", type="artifact", metadata={"artifact_path": PIECE, "title": "Stille Meile"})
    now = cast(brief("Too smooth.", type="feedback", artifact=PIECE))
    now = replace(now, agents={**now.agents, "nami": replace(now.agents["nami"], stream=(made,))})
    found = {name: nodes[0] for name, nodes in heard(land(now)).items()}
    assert {name: item.importance for name, item in found.items()} == {"emre": 6, "nami": 8, "vera": 6}
    assert found["nami"].tags == ("creative-director", "feedback")
    assert found["emre"].tags == ("creative-director", "feedback", "nami")
    assert found["emre"].metadata["kind"] == "feedback"
    assert "own=True" in found["nami"].description
    assert "maker=Nami" in found["emre"].description


def test_the_logbook_says_which_feedback_a_scene_has_brought_and_no_brief() -> None:
    smooth, other = (brief(text, type="feedback") for text in ("Too smooth.\nWhere is the dirt?", "Too loud."))
    for posts, said in (
        ([smooth, brief("A day without towers.")], "Too smooth. Where is the dirt?"),
        ([smooth, other], "Too smooth. Where is the dirt? / Too loud."),
        ([brief("A day without towers.")], ""),
        ([], ""),
    ):
        log = land(cast(*(replace(post, index=number) for number, post in enumerate(posts)))).line
        assert log.feedback == said


def test_feedback_on_what_no_character_remembers_is_for_all_alike() -> None:
    found = heard(land(cast(brief("Whose is this?", type="feedback", artifact="gallery/audio/found.md"))))
    assert {nodes[0].importance for nodes in found.values()} == {6}
    assert "title=found" in found["emre"][0].description


def test_after_a_reflection_it_counts_for_the_next_one() -> None:
    now = cast(brief())
    played = scene("vera", type="REFLECTION")
    change = fold_reflection(now, played, Reflected(insights("Alles ist Wind.")), words)
    assert [item.type for item in change.nodes["vera"]] == ["reflection", "observation"]
    assert change.agents["vera"]["last_reflection"] == "vera-001"
    assert change.agents["vera"]["importance_accumulator"] == 9
    assert change.agents["emre"] == {"importance_accumulator": 9}
    assert [item["post"] for item in change.line.record["delivered"]] == ["bulletin/0"]
    assert not heard(land(advance(now, change)))


def test_what_all_were_told_is_no_highlight() -> None:
    now = cast(brief())
    now = advance(now, land(now))
    closing = close_day(now, words).line
    assert not any("brief_heard" in line for line in closing.highlights)


LETTER = "Ich will zwanzig Minuten Weg ohne Angriff, Knochentürme mit Schwelle und Herd, und Antworten bis Freitag."


def test_who_remembers_a_brief_in_its_own_words_in_the_same_scene_does_not_remember_it_twice() -> None:
    def remembered(text: str) -> list[str]:
        own = Turn("vera", reply("Ja.", memories=[memory(text)]))
        change = fold_scene(cast(brief(LETTER)), scene("vera"), [own], words, taken=lambda _path: False)
        assert change.line.record["delivered"]
        return sorted(heard(change))

    own = "Der Brief hängt: zwanzig Minuten Weg ohne Angriff, Knochentürme mit Schwelle, bis Freitag."
    assert remembered(own) == ["emre", "nami"]
    assert remembered("Knochentürme mit einer Schwelle, das ist meins.") == ["emre", "nami", "vera"]
