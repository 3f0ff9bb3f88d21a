"""What of a character's own memories is kept: nothing twice, and no more in a day than it is allowed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gm.base.config import AllowanceSettings, DuplicatesSettings, ImportanceSettings, MemorySettings, Settings
from gm.model.consulted import Consulted, Formed
from gm.model.node import Node
from gm.model.world import Change, World
from gm.scene.dialogue.turns import Turn
from gm.scene.folding.advance import advance
from gm.scene.folding.apply import fold_scene
from gm.scene.folding.keeping import left_today
from tests.build import agent, artifact, entry, memory, never, reply, scene, words, world

ALLOWED = Settings(allowance=AllowanceSettings(memories_per_day=2))
NO_TWICE = Settings(memory=MemorySettings(duplicates=DuplicatesSettings(days=3)))


def fold(one: World, *turns: Turn, at: str = "day-001/scene-02") -> Change:
    return fold_scene(one, scene("vera", "emre", at=at), turns, words, taken=never)


def said(change: Change, name: str = "vera") -> list[str]:
    return [node.description for node in change.nodes.get(name, ()) if node.type == "observation"]


def of(name: str, *texts: tuple[str, int | None], **others: Any) -> Turn:
    memories = [memory(text, importance=weight) for text, weight in texts]
    return Turn(name, reply(memories=memories, **others))


FOUR = (("Eins.", 3), ("Zwei.", 7), ("Drei.", 5), ("Vier.", 7))


def test_without_settings_everything_is_kept_and_nothing_more_is_said() -> None:
    change = fold(world(agent("vera"), agent("emre")), of("vera", *FOUR))
    assert len(said(change)) == 4
    assert not {"formed", "over_allowance", "duplicates"} & change.line.record.keys()


def test_over_the_allowance_the_most_important_are_kept_in_their_order_and_the_rest_is_told() -> None:
    change = fold(world(agent("vera"), agent("emre"), settings=ALLOWED), of("vera", *FOUR))
    assert said(change) == ["Zwei.", "Vier."]
    assert change.line.record["formed"] == {"vera": 2}
    assert change.line.record["over_allowance"] == [
        {"agent": "vera", "importance": 3, "text": "Eins."},
        {"agent": "vera", "importance": 5, "text": "Drei."},
    ]
    assert [item for item in change.warnings if "more than 2 memories today" in item] == [
        "vera: more than 2 memories today, not kept: 'Eins.'",
        "vera: more than 2 memories today, not kept: 'Drei.'",
    ]


def test_what_is_not_kept_does_not_count_for_the_next_reflection() -> None:
    change = fold(world(agent("vera"), agent("emre"), settings=ALLOWED), of("vera", *FOUR))
    assert change.agents["vera"]["importance_accumulator"] == 14


def test_all_turns_of_a_scene_and_all_scenes_of_a_day_count_together() -> None:
    one = world(agent("vera"), agent("emre"), settings=ALLOWED)
    first = fold(one, of("vera", ("Eins.", 3)), of("emre", ("Sein.", 4)), of("vera", ("Zwei.", 4)))
    assert said(first) == ["Eins.", "Zwei."]
    later = advance(one, first)
    assert left_today(later, later.agents["vera"]) == 0
    assert left_today(later, later.agents["emre"]) == 1
    second = fold(later, of("vera", ("Drei.", 3)), of("emre", ("Auch.", 2)), at="day-001/scene-03")
    assert said(second) == []
    assert said(second, "emre") == ["Auch."]


def test_a_more_important_memory_of_a_later_scene_takes_the_place_of_the_lightest_one_which_goes_to_the_archive() -> (
    None
):
    one = world(agent("vera"), agent("emre"), settings=ALLOWED)
    one = advance(one, fold(one, of("vera", ("Eins.", 5), ("Zwei.", 6))))
    change = fold(one, of("vera", ("Drei.", 9), ("Vier.", 5)), at="day-001/scene-03")
    assert said(change) == ["Drei."]
    assert change.to_archive == {"vera": frozenset({"vera-001"})}
    assert change.line.record["formed_ids"] == {"vera": ["vera-003"]}
    assert change.line.record["outweighed"] == {"vera": ["vera-001"]}
    assert change.line.record["over_allowance"] == [{"agent": "vera", "importance": 5, "text": "Vier."}]
    assert "vera: more than 2 memories today, vera-001 goes to the archive: 'Eins.'" in change.warnings
    later = advance(one, change)
    assert [node.description for node in later.agents["vera"].stream] == ["Zwei.", "Drei."]
    assert left_today(later, later.agents["vera"]) == 0
    best = fold(later, of("vera", ("Fünf.", 10), ("Sechs.", 10)), at="day-001/scene-04")
    assert best.to_archive == {"vera": frozenset({"vera-002", "vera-003"})}
    assert said(best) == ["Fünf.", "Sechs."]


def test_of_equally_important_memories_the_earlier_one_stays() -> None:
    one = world(agent("vera"), agent("emre"), settings=ALLOWED)
    one = advance(one, fold(one, of("vera", ("Eins.", 5), ("Zwei.", 6))))
    change = fold(one, of("vera", ("Drei.", 5)), at="day-001/scene-03")
    assert (said(change), change.to_archive) == ([], {})


def test_only_what_was_formed_today_gives_way_and_nothing_that_is_pinned() -> None:
    tool, pinned = {"source": "tool"}, {"source": "tool", "tier": "pinned"}
    nodes = (
        Node("vera-001", "day-000/scene-01", "observation", 0, "Gestern.", 1, metadata=tool),
        Node("vera-002", "day-001/scene-01", "observation", 0, "Gesehen.", 1, metadata={"importance_by": "gm"}),
        Node("vera-003", "day-001/scene-01", "observation", 0, "Angeheftet.", 1, metadata=pinned),
        Node("vera-004", "day-001/scene-01", "observation", 0, "Mit dem Werkzeug.", 4, metadata=tool),
    )
    one = world(replace(agent("vera"), stream=nodes), agent("emre"), settings=ALLOWED)
    change = fold(one, of("vera", ("Neu.", 8), ("Auch neu.", 7)))
    assert change.to_archive == {"vera": frozenset({"vera-004"})}
    assert said(change) == ["Neu."]
    later = advance(one, change)
    assert left_today(later, later.agents["vera"]) == 0


def test_a_new_day_begins_with_the_whole_allowance() -> None:
    one = world(agent("vera"), day=2, settings=ALLOWED, log=[entry(1, "WORK", "vera", formed={"vera": 2})])
    assert left_today(one, one.agents["vera"]) == 2


def test_a_memory_that_was_formed_with_a_tool_counts_and_what_the_game_master_writes_does_not() -> None:
    nodes = (
        Node("vera-001", "day-001/scene-01", "observation", 0, "Mit dem Werkzeug.", 5, metadata={"source": "tool"}),
        Node("vera-002", "day-001/scene-01", "observation", 0, "Gesehen.", 5, metadata={"importance_by": "gm"}),
        Node("vera-003", "day-001/scene-01", "plan", 0, "Mein Plan.", 5),
    )
    one = world(replace(agent("vera"), stream=nodes), settings=ALLOWED)
    assert left_today(one, one.agents["vera"]) == 1


def test_artifacts_and_what_others_see_of_them_are_not_counted() -> None:
    one = world(agent("vera"), agent("emre"), settings=Settings(allowance=AllowanceSettings(memories_per_day=1)))
    change = fold(one, of("vera", ("Eins.", 3), artifact=artifact()), of("emre", ("Sein.", 3)))
    assert [node.type for node in change.nodes["vera"]] == ["observation", "artifact"]
    assert len(change.nodes["emre"]) == 2


def test_what_a_character_has_noted_in_the_scene_already_is_taken_off_what_is_left() -> None:
    one = world(agent("vera"), settings=ALLOWED)
    assert left_today(one, one.agents["vera"], [reply(memories=[memory()])]) == 1
    assert left_today(one, one.agents["vera"], [reply(memories=[memory()] * 5)]) == 0


def test_a_memory_without_importance_is_ranked_by_rule() -> None:
    one = world(agent("vera"), agent("emre"), settings=Settings(allowance=AllowanceSettings(memories_per_day=1)))
    change = fold(one, of("vera", ("Kaffee.", None), ("Das ist wichtig und dringend.", None)))
    assert said(change) == ["Das ist wichtig und dringend."]


def test_a_memory_without_importance_is_ranked_by_the_signal_words_of_its_world() -> None:
    one_a_day = Settings(allowance=AllowanceSettings(memories_per_day=1))
    texts = (("This is important.", None), ("Das ist wichtig.", None), ("Der Ofen glüht.", None))
    own = replace(one_a_day, importance=ImportanceSettings(signals={"de": ("ofen",)}))
    for settings, best in ((replace(one_a_day, language="en"), 0), (one_a_day, 1), (own, 2)):
        change = fold(world(agent("vera"), agent("emre"), settings=settings), of("vera", *texts))
        assert said(change) == [texts[best][0]]


def test_what_was_remembered_lately_is_not_kept_again_and_the_logbook_says_so() -> None:
    lately = Node("vera-001", "day-001/scene-01", "observation", 0, "Der Turm steht schief.", 5)
    one = world(replace(agent("vera"), stream=(lately,)), agent("emre"), settings=NO_TWICE)
    change = fold(one, of("vera", ("Der Turm steht schief!", 6), ("Neu ist das hier.", 4)))
    assert said(change) == ["Neu ist das hier."]
    assert change.line.record["duplicates"] == [
        {"agent": "vera", "importance": 6, "text": "Der Turm steht schief!", "as": "vera-001"}
    ]
    assert "vera: remembers it already (vera-001), not kept again: 'Der Turm steht schief!'" in change.warnings
    assert "formed" not in change.line.record


def test_the_same_thing_twice_in_a_scene_is_kept_once() -> None:
    one = world(agent("vera"), agent("emre"), settings=NO_TWICE)
    for at in ("day-001/scene-02", "day-009/scene-02"):
        change = fold(one, of("vera", ("Der Turm steht.", 6)), of("vera", ("der Turm steht", 4)), at=at)
        assert said(change) == ["Der Turm steht."]
        assert any("another memory of this scene" in item for item in change.warnings)
        assert change.line.record["duplicates"] == [
            {"agent": "vera", "importance": 4, "text": "der Turm steht", "as": ""}
        ]


def test_a_repetition_takes_nothing_from_the_allowance() -> None:
    both = replace(NO_TWICE, allowance=AllowanceSettings(memories_per_day=1))
    lately = Node("vera-001", "day-001/scene-01", "observation", 0, "Der Turm steht schief.", 5)
    one = world(replace(agent("vera"), stream=(lately,)), agent("emre"), settings=both)
    change = fold(one, of("vera", ("Der Turm steht schief.", 9), ("Neu.", 2)))
    assert said(change) == ["Neu."]
    assert change.line.record["formed"] == {"vera": 1}


def test_a_logbook_written_by_hand_does_no_harm() -> None:
    for formed in (None, 3, ["vera"], {"vera": "zwei"}, {"emre": 9}):
        one = world(agent("vera"), settings=ALLOWED, log=[entry(1, "WORK", "vera", formed=formed)])
        assert left_today(one, one.agents["vera"]) == 2


def formed(*texts: str) -> Consulted:
    return Consulted("remember", {}, "{}", formed=tuple(Formed(text, 5) for text in texts))


def test_memories_formed_with_tools_are_kept_in_the_order_of_the_calls_as_long_as_there_is_room() -> None:
    one = world(agent("vera"), agent("emre"), settings=ALLOWED)
    turns = (
        replace(of("vera"), consulted=(formed("Eins."), formed("Zwei.", "Drei."))),
        replace(of("emre"), consulted=(formed("Seins."),)),
        replace(of("vera"), consulted=(formed("Vier."),)),
    )
    change = fold(one, *turns)
    assert said(change) == ["Eins.", "Zwei."]
    assert said(change, "emre") == ["Seins."]
    assert [item for item in change.warnings if "not kept" in item] == [
        "vera: more than 2 memories today, not kept: 'Drei.'",
        "vera: more than 2 memories today, not kept: 'Vier.'",
    ]
    assert change.line.record["over_allowance"] == [
        {"agent": "vera", "importance": 5, "text": "Drei."},
        {"agent": "vera", "importance": 5, "text": "Vier."},
    ]


def test_without_an_allowance_all_that_was_formed_with_tools_is_kept_but_nothing_twice() -> None:
    one = world(agent("vera"), agent("emre"))
    change = fold(one, replace(of("vera"), consulted=(formed("Eins.", "Eins. "), formed("Zwei."))))
    assert said(change) == ["Eins.", "Zwei."]
    assert change.warnings == ("vera: the same memory twice in one scene, kept once: 'Eins.'",)


def test_where_memories_fade_the_line_of_a_scene_names_what_came_up_and_what_was_cited() -> None:
    old = tuple(Node(f"vera-00{number}", "day-001/scene-01", "observation", 0, f"{number}.", 5) for number in (1, 2, 3))
    fading = replace(Settings(), decay=replace(Settings().decay, enabled=True))
    called = Consulted("recall", {}, "{}", recalled=("vera-002", "vera-002", "vera-003"))
    cites = memory("Neu.", evidence=["vera-001", "vera-003"])
    turn = Turn("vera", reply(memories=[cites]), consulted=(called,))
    plain = world(replace(agent("vera"), stream=old), agent("emre"))
    assert fold(plain, turn).recalled == ()
    assert fold(replace(plain, settings=fading), turn).recalled == ("vera-002", "vera-003", "vera-001")


def test_two_who_have_too_many_both_hear_of_it() -> None:
    one = world(agent("vera"), agent("emre"), settings=Settings(allowance=AllowanceSettings(memories_per_day=1)))
    turns = (
        replace(of("vera", ("Eins.", 3), ("Zwei.", 2)), consulted=()),
        replace(of("emre", ("Drei.", 3), ("Vier.", 2)), consulted=()),
    )
    change = fold(one, *turns)
    assert [item["text"] for item in change.line.record["over_allowance"]] == ["Zwei.", "Vier."]
    tools = (replace(of("vera"), consulted=(formed("A.", "B."),)), replace(of("emre"), consulted=(formed("C.", "D."),)))
    change = fold(one, *tools)
    assert [(item["agent"], item["text"]) for item in change.line.record["over_allowance"]] == [
        ("vera", "B."),
        ("emre", "D."),
    ]


def test_the_same_words_as_another_kind_of_memory_are_kept_once_in_a_scene() -> None:
    one = world(agent("vera"), agent("emre"), settings=NO_TWICE)
    both = [memory("Der Turm steht."), memory("Der Turm steht.", type="plan")]
    change = fold(one, Turn("vera", reply(memories=both)))
    assert [node.type for node in change.nodes["vera"]] == ["observation"]
    said_so = "vera: remembers it already (another memory of this scene), not kept again: 'Der Turm steht.'"
    assert change.warnings == (said_so,)
    assert [item["as"] for item in change.line.record["duplicates"]] == [""]


def test_what_is_the_same_is_decided_in_the_language_of_the_world() -> None:
    lately = Node("vera-001", "day-001/scene-01", "observation", 0, "Die Wölfe heulten nachts beim Turm.", 5)
    alike = MemorySettings(duplicates=DuplicatesSettings(days=3, overlap=1.0))
    for language, kept in (("de", 0), ("en", 1)):
        settings = replace(NO_TWICE, memory=alike, language=language)
        one = world(replace(agent("vera"), stream=(lately,)), agent("emre"), settings=settings)
        assert len(said(fold(one, of("vera", ("Nachts heulte beim Turm der Wolf.", 5))))) == kept


def test_the_same_words_about_another_character_are_another_memory() -> None:
    alike = MemorySettings(duplicates=DuplicatesSettings(days=3, overlap=0.6))
    one = world(agent("vera"), agent("emre"), agent("finn"), settings=replace(NO_TWICE, memory=alike))
    texts = ("Emre hat heute die Schwelle der Kammer gemessen.", "Finn hat heute die Schwelle der Kammer gemessen.")
    assert len(said(fold(one, of("vera", *((text, 5) for text in texts))))) == 2
    again = "Die Schwelle der Kammer hat Emre heute gemessen, genau gemessen."
    assert len(said(fold(one, of("vera", (texts[0], 5), (again, 5))))) == 1


def test_the_line_of_a_scene_says_nothing_of_what_did_not_happen() -> None:
    both = replace(NO_TWICE, allowance=AllowanceSettings(memories_per_day=2))
    one = world(agent("vera"), agent("emre"), settings=both)
    for texts, counted in ((("Eins.", "Zwei."), {"formed": {"vera": 2}}), ((), {})):
        log = fold(one, of("vera", *((text, 5) for text in texts))).line.record
        assert {key: log[key] for key in ("formed", "over_allowance", "duplicates") if key in log} == counted


def test_what_was_formed_with_tools_in_the_scene_is_taken_off_what_is_left() -> None:
    one = world(agent("vera"), settings=ALLOWED)
    assert left_today(one, one.agents["vera"], consulted=[formed("Eins.")]) == 1
    assert left_today(one, one.agents["vera"], [reply(memories=[memory()])], [formed("Eins.")]) == 0


def test_what_was_formed_with_tools_leaves_less_room_for_the_memories_of_the_same_reply() -> None:
    one = world(agent("vera"), agent("emre"), settings=ALLOWED)
    hers = replace(of("vera", ("Eins.", 3), ("Zwei.", 7)), consulted=(formed("Mit dem Werkzeug."),))
    change = fold(one, hers, of("emre", ("Drei.", 3), ("Vier.", 4)))
    assert sorted(said(change)) == ["Mit dem Werkzeug.", "Zwei."]
    assert said(change, "emre") == ["Drei.", "Vier."], "what she has formed is not taken off his"
