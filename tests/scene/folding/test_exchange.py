"""Memories asked for in one scene and given or refused in the next one of the character asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gm.base.config import CaptureSettings, Settings, ShareSettings
from gm.layers.goals import GOALS, Goal
from gm.model.layer_replies import GoalReport, MemoryAnswer, MemoryRequest
from gm.model.link import LinkRequest
from gm.model.mind import Mind
from gm.model.world import Change, World
from gm.scene.dialogue.turns import Spoken, Turn
from gm.scene.folding.advance import advance
from gm.scene.folding.apply import fold_scene
from gm.scene.folding.exchange import add_utterances, fold_link_answer, wanted_of
from gm.scene.ledger import Ledger
from tests.build import agent, line, memory, never, node, reply, scene, words, world

ON = Settings(share=ShareSettings(enabled=True))
TURM = node(1, description="Der Turm steht schief.", tags=["turm"], importance=9)
TOBI = node(2, description="Tobi schweigt.", tags=["tobi"])
ASKED = LinkRequest("emre", "vera", (), "day-001/scene-01")


def cast(*links: LinkRequest, settings: Settings = ON) -> World:
    vera = agent("vera", stream=[TURM, TOBI])
    return replace(world(vera, agent("emre", accumulator=3), agent("finn"), settings=settings), links=links)


def play(before: World, *turns: Turn, at: str = "day-001/scene-02", people: tuple[str, ...] = ()) -> Change:
    names = people or tuple(dict.fromkeys(turn.agent for turn in turns))
    return fold_scene(before, scene(*names, at=at), turns, words, taken=never)


def ask(who: str, to: str, *about: str) -> Turn:
    return Turn(who, reply(memory_requests=[MemoryRequest(to=to, about=list(about))]))


def answer(who: str, to: str, share: bool) -> Turn:
    return Turn(who, reply(memory_answers=[MemoryAnswer(to=to, share=share)]))


def copies(change: Change, name: str) -> list[str]:
    return [str(item.metadata["copied_from"]) for item in change.nodes.get(name, ()) if "copied_from" in item.metadata]


def remains(change: Change, name: str) -> list[str]:
    return [item.description for item in change.nodes.get(name, ()) if item.metadata.get("kind") == "link"]


def test_a_request_waits_for_the_next_scene_of_the_character_asked() -> None:
    change = play(cast(), ask("emre", "Vera", "turm"), Turn("vera", reply("Hm.")))
    assert change.links == (LinkRequest("emre", "vera", ("turm",), "day-001/scene-02"),)
    assert change.log is not None
    assert change.log["memories_asked"] == [{"from": "emre", "to": "vera", "about": ["turm"]}]
    after = advance(cast(), change)
    without = play(after, Turn("finn", reply("Hallo.")), at="day-001/scene-03")
    assert without.links is None


def test_who_accepts_gives_a_copy_of_everything_and_keeps_it() -> None:
    before = cast(ASKED)
    change = play(before, answer("vera", "emre", True))
    assert copies(change, "emre") == ["vera-001", "vera-002"]
    assert change.links == ()
    after = advance(before, change)
    assert after.agents["vera"].stream[:2] == (TURM, TOBI)
    assert [str(item.metadata["copied_from"]) for item in after.agents["emre"].beside] == ["vera-001", "vera-002"]
    assert remains(change, "emre") == ["<memories_got> name=Vera about=[] count=2"]
    assert remains(change, "vera") == ["<memories_given> name=Emre about=[] count=2"]


def test_who_accepts_gives_what_lies_in_the_archive_and_its_summaries_as_well_and_only_once() -> None:
    turm = replace(TURM, evidence=())
    insight = node(2, type="reflection", depth=1, description="Was schief ist, redet.", evidence=["vera-001"])
    era = node(3, description="Es war eine Zeit der Türme.", metadata={"kind": "summary"}, evidence=["vera-001"])
    vera = replace(agent("vera", stream=[insight]), summaries=(era,))
    emre = agent("emre", stream=[node(1, agent="emre")])
    before = replace(world(vera, emre, settings=ON), links=(ASKED,), archives={"vera": (turm,)})
    change = play(before, answer("vera", "emre", True))
    assert copies(change, "emre") == ["vera-001", "vera-002", "vera-003"]
    first, second, third = (item for item in change.nodes["emre"] if "copied_from" in item.metadata)
    assert (second.evidence, third.evidence) == ((first.id,), (first.id,))
    gone = {"vera": (turm,), "emre": (first, second)}  # the receiver has archived two of its copies since
    again = replace(before, archives=gone, agents={**before.agents, "emre": replace(emre, beside=(third,))})
    assert copies(play(again, answer("vera", "emre", True)), "emre") == []


def test_copies_raise_no_accumulator_and_are_not_listed_as_memories_of_the_scene() -> None:
    change = play(cast(ASKED), answer("vera", "emre", True))
    (own,) = [item for item in change.nodes["emre"] if item.metadata["kind"] == "link"]
    assert change.agents["emre"]["importance_accumulator"] == 3 + own.importance
    assert change.log is not None
    assert {"agent": "emre", "id": own.id, "importance": own.importance} in change.log["memories"]
    assert len([item for item in change.log["memories"] if item["agent"] == "emre"]) == 1
    assert change.log["memories_shared"] == [{"from": "vera", "to": "emre", "about": [], "count": 2}]


def test_who_refuses_gives_nothing_and_the_other_knows() -> None:
    change = play(cast(ASKED), answer("vera", "emre", False))
    assert copies(change, "emre") == []
    assert change.links == ()
    assert remains(change, "emre") == ["<memories_refused> name=Vera about=[]"]


def test_only_what_was_asked_for_is_given() -> None:
    change = play(cast(replace(ASKED, about=("turm",))), answer("vera", "emre", True))
    assert copies(change, "emre") == ["vera-001"]


def test_a_request_is_over_with_the_next_scene_of_the_character_asked() -> None:
    change = play(cast(ASKED), Turn("vera", reply("Ich sage nichts dazu.")))
    assert (copies(change, "emre"), change.links) == ([], ())
    assert remains(change, "emre") == ["<memories_silent> name=Vera about=[]"]


def test_no_character_gives_what_was_not_asked_for_or_not_of_it() -> None:
    change = play(cast(ASKED), answer("finn", "emre", True), people=("finn",))
    assert copies(change, "emre") == []
    assert change.links is None
    assert change.warnings == ("finn: 'emre' has not asked for memories; nothing was given",)


def test_no_character_asks_itself_or_one_that_does_not_exist() -> None:
    change = play(cast(), ask("emre", "emre"), ask("emre", "niemand"))
    assert change.links is None
    assert len(change.warnings) == 2


def test_with_the_layer_off_nothing_is_asked_and_nothing_given() -> None:
    before = cast(ASKED, settings=Settings())
    change = play(before, answer("vera", "emre", True), ask("vera", "finn"))
    assert (change.links, copies(change, "emre")) == (None, [])


def utterances(change: Change, name: str) -> list[dict[str, Any]]:
    return [
        {"text": item.description, **item.metadata}
        for item in change.nodes.get(name, ())
        if item.metadata.get("kind") == "dialogue"
    ]


def talk(capture: str) -> Change:
    before = cast(settings=Settings(capture=CaptureSettings(dialogue=capture)))
    return play(before, Turn("vera", reply(line("Wie hoch?", "emre"))), Turn("emre", reply("Zwei Meter.")))


def test_each_utterance_is_kept_with_who_said_it_and_when_by_all_who_heard_it() -> None:
    change = talk("heard")
    said = "<dialogue_record> speaker={} text={}".format
    wanted = [
        {"text": said("Vera", "Wie hoch?"), "kind": "dialogue", "turn": 1, "speaker": "vera", "to": "emre"},
        {"text": said("Emre", "Zwei Meter."), "kind": "dialogue", "turn": 1, "speaker": "emre"},
    ]
    assert utterances(change, "vera") == utterances(change, "emre") == wanted


def test_who_was_not_in_the_scene_keeps_nothing_of_it_not_even_in_the_same_room() -> None:
    assert utterances(talk("heard"), "finn") == []


def test_only_what_one_said_oneself_is_kept_where_the_settings_say_so() -> None:
    assert [item["speaker"] for item in utterances(talk("own"), "emre")] == ["emre"]
    assert utterances(talk("off"), "emre") == []


def test_utterances_weigh_nothing_and_are_in_no_stream_of_what_was_lived() -> None:
    loud, silent = talk("heard"), talk("off")
    assert loud.agents == silent.agents
    assert loud.log is not None
    assert silent.log is not None
    assert len(loud.log["memories"]) == len(silent.log["memories"])
    after = advance(cast(), loud).agents["emre"]
    assert {item.metadata["kind"] for item in after.beside} == {"dialogue"}
    assert not any(item.metadata.get("kind") == "dialogue" for item in after.stream)
    assert {item.importance for item in after.beside} == {1}


def test_numbers_go_on_behind_what_is_kept_beside() -> None:
    after = advance(cast(), talk("heard")).agents["emre"]
    assert after.next_number == len(after.stream) + len(after.beside) + 1


GOAL = Goal("goal-01", "Den Turm begreifen", "day-001", "day-001")


def report(event: str, text: str, identifier: str = "goal-01") -> Turn:
    return Turn(
        "vera", reply(goal_reports=[GoalReport.model_validate({"id": identifier, "event": event, "text": text})])
    )


def with_goal(*goals: Goal, switch: str = "auto") -> World:
    before = cast(settings=Settings(goals=switch))
    vera = replace(before.agents["vera"], mind=Mind({GOALS.name: goals} if goals else {}))
    return replace(before, agents={**before.agents, "vera": vera})


def test_progress_is_a_memory_and_a_line_of_the_goal() -> None:
    before = with_goal(GOAL)
    change = play(before, report("progress", "Ich habe ihn vermessen."))
    (event,) = change.minds["vera"][GOALS] or ()
    assert (event.id, event.event, event.at, event.text) == (
        "goal-01", "progress", "day-001/scene-02", "Ich habe ihn vermessen.",
    )  # fmt: skip
    (kept,) = change.nodes["vera"]
    assert kept.metadata == {"kind": "goal_progress", "goal": "goal-01", "event": "progress", "importance_by": "gm"}
    after = advance(before, change).agents["vera"].mind[GOALS][0]
    assert (after.last, after.steps, after.is_open) == ("Ich habe ihn vermessen.", 1, True)


@pytest.mark.parametrize("event", ["reached", "abandoned"])
def test_a_goal_ends_once(event: str) -> None:
    before = with_goal(GOAL)
    after = advance(before, play(before, report(event, "Vorbei.")))
    assert after.agents["vera"].mind[GOALS][0].outcome == event
    again = play(after, report("progress", "Doch noch."), at="day-001/scene-03")
    assert again.minds == {}
    assert again.warnings == ("vera: goal 'goal-01' is not an open goal: Doch noch.",)


def test_a_new_goal_gets_the_next_number_and_the_same_one_is_not_taken_twice() -> None:
    before = with_goal(GOAL)
    change = play(before, report("new", "Das Dach decken", ""), report("new", "den turm begreifen", ""))
    assert [(event.id, event.event) for event in change.minds["vera"][GOALS] or ()] == [("goal-02", "open")]
    assert len(change.warnings) == 1


def test_goals_are_asked_for_once_a_character_has_one_or_where_they_are_switched_on() -> None:
    assert "goals" not in with_goal().layers
    assert "goals" in with_goal(GOAL).layers
    assert "goals" in with_goal(switch="on").layers
    assert "goals" not in with_goal(GOAL, switch="off").layers


def test_a_finer_kind_is_kept_where_the_world_asks_for_it_and_nowhere_else() -> None:
    felt = Turn("vera", reply(memories=[memory(kind="emotional")]))
    on = play(cast(settings=Settings(memory_kinds="on")), felt)
    assert [item.metadata for item in on.nodes["vera"]] == [{"kind": "emotional"}]
    assert [item.metadata for item in play(cast(settings=Settings()), felt).nodes["vera"]] == [{}]


def test_an_unknown_kind_is_none_and_spoils_no_reply() -> None:
    assert memory(kind="quantum").kind == ""


def test_what_a_character_forms_is_bent_by_its_lens_and_the_original_is_kept() -> None:
    bent = Settings(lenses=({"at": "formation", "name": "grau", "replace": {"schief": "krumm"}, "who": ["vera"]},))
    told = (Turn("vera", reply(memories=[memory()])), Turn("emre", reply(memories=[memory()])))
    change = play(cast(settings=bent), *told)
    (vera,), (emre,) = change.nodes["vera"], change.nodes["emre"]
    assert vera.description == "Der Turm steht krumm."
    assert vera.metadata["original"] == "Der Turm steht schief."
    assert vera.metadata["lens"] == ["grau"]
    assert emre.description == "Der Turm steht schief."


def test_what_is_bent_by_a_lens_is_still_the_same_memory_when_it_is_told_twice() -> None:
    bent = Settings(lenses=({"at": "formation", "replace": {"schief": "krumm"}},))
    change = play(
        cast(settings=bent), Turn("vera", reply(memories=[memory()])), Turn("vera", reply(memories=[memory()]))
    )
    assert len(change.nodes["vera"]) == 1


def test_who_asks_the_same_twice_asks_once() -> None:
    change = play(cast(), ask("emre", "Vera", "turm"), Turn("vera", reply("Hm.")), ask("emre", "vera", "tobi"))
    assert change.links == (LinkRequest("emre", "vera", ("turm",), "day-001/scene-02"),)
    assert change.warnings == ()


def test_who_answers_twice_has_answered_the_first_time() -> None:
    change = play(cast(ASKED), answer("vera", "emre", False), answer("vera", "emre", True))
    assert copies(change, "emre") == []
    assert remains(change, "emre") == ["<memories_refused> name=Vera about=[]"]
    assert change.warnings == ()


def test_a_request_of_a_character_who_has_left_the_world_is_over_and_leaves_nothing() -> None:
    change = play(cast(replace(ASKED, asker="tobi")), Turn("vera", reply("Hm.")))
    assert (change.links, change.nodes) == ((), {})


def test_a_request_is_answered_out_of_scene_and_the_others_wait_on() -> None:
    other = LinkRequest("finn", "vera", (), "day-001/scene-01")
    change = fold_link_answer(cast(ASKED, other), ASKED, "day-001/scene-04", words, share=True)
    assert copies(change, "emre") == ["vera-001", "vera-002"]
    assert change.links == (other,)
    (got,) = [item for item in change.nodes["emre"] if item.metadata.get("kind") == "link"]
    assert got.created == "day-001/scene-04"
    assert change.agents["emre"] == {"importance_accumulator": 3 + got.importance}
    refused = fold_link_answer(cast(ASKED), ASKED, "day-001/scene-04", words, share=False)
    assert (copies(refused, "emre"), refused.links) == ([], ())


def test_of_what_a_character_has_already_there_is_nothing_new_to_give() -> None:
    first = advance(cast(ASKED), play(cast(ASKED), answer("vera", "emre", True)))
    again = replace(first, links=(replace(ASKED, about=("turm",)),))
    change = play(again, answer("vera", "emre", True), at="day-001/scene-03")
    assert copies(change, "emre") == []
    assert remains(change, "emre") == ["<memories_got> name=Vera about=['turm'] count=0"]


def test_what_is_done_and_what_a_stranger_says_is_no_utterance() -> None:
    before = cast(settings=Settings(capture=CaptureSettings(dialogue="heard")))
    ledger = Ledger(before, "day-001/scene-02")
    spoken = [Spoken("vera", "nickt", aloud=False), Spoken("gast", "Guten Tag."), Spoken("vera", "Ja.")]
    add_utterances(ledger, scene("vera", "emre"), spoken, words)
    assert {name: [item.description for item in nodes] for name, nodes in ledger.nodes.items()} == {
        name: ["<dialogue_record> speaker=Vera text=Ja."] for name in ("vera", "emre")
    }


def test_who_was_answered_in_the_scene_waits_no_longer() -> None:
    finn = LinkRequest("finn", "vera", (), "day-001/scene-01")
    elsewhere = LinkRequest("vera", "emre", (), "day-001/scene-01")
    before = cast(ASKED, finn, elsewhere)
    assert wanted_of(before, "vera") == [ASKED, finn]
    assert wanted_of(before, "vera", [answer("vera", "Emre", False).reply]) == [finn]


def test_a_piece_that_is_not_for_the_receiver_is_not_given() -> None:
    for audience, given in ((["vera", "finn"], []), (["vera", "emre"], ["vera-001"])):
        secret = node(1, type="artifact", metadata={"artifact_path": "gallery/a/x.md", "audience": audience})
        vera = agent("vera", stream=[secret])
        before = replace(cast(ASKED), agents={**cast().agents, "vera": vera})
        assert copies(play(before, answer("vera", "emre", True)), "emre") == given
