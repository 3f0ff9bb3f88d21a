from dataclasses import replace
from typing import Any

import pytest
import yaml

from gm.base.config import Settings
from gm.base.frontmatter import split_front_matter
from gm.layers.soul import SOUL, Soul, SoulChange, SoulEntry
from gm.memory.importance import Ratings
from gm.model.consulted import Consulted
from gm.model.layer_replies import SoulEdit
from gm.model.mind import Mind
from gm.model.node import Node
from gm.model.scene import Scene
from gm.model.scene_reply import Closed, PlanningReply
from gm.model.turns import differing_lists, turns_of
from gm.model.world import Change, World
from gm.scene.dialogue.turns import Turn, take_last_word
from gm.scene.folding.apply import fold_scene
from gm.scene.ledger import rated_by_rule
from tests.build import agent, artifact, line, memory, never, node, plan, reply, scene, takeaway, thread, words, world

CAST = (agent("emre"), agent("finn"), agent("nami", at="library"), agent("vera", task="Aschestudie"))


def fold(one: World, played: Scene, *turns: Turn, taken: set[str] | None = None) -> Change:
    in_use = taken.__contains__ if taken else never
    return fold_scene(one, played, turns, words, taken=in_use)


def nodes_of(change: Change, name: str, kind: str = "") -> list[Node]:
    return [one for one in change.nodes.get(name, ()) if not kind or one.type == kind]


def test_a_memory_gets_id_time_and_depth_from_the_game_master() -> None:
    one = world(agent("vera", stream=[node(41)]))
    change = fold(one, scene("vera", at="day-003/scene-04"), Turn("vera", reply(memories=[memory(), memory("Zwei.")])))
    assert [(n.id, n.created, n.depth) for n in change.nodes["vera"]] == [
        ("vera-042", "day-003/scene-04", 0),
        ("vera-043", "day-003/scene-04", 0),
    ]


def test_ids_grow_past_999_and_never_reuse_an_archived_number() -> None:
    for one in (agent("vera", stream=[node(999)]), agent("vera", stream=[node(3)], archived=999)):
        change = fold(world(one), scene("vera"), Turn("vera", reply(memories=[memory()])))
        assert change.nodes["vera"][0].id == "vera-1000"


def test_a_memory_is_one_line_with_tidy_tags() -> None:
    said = memory(" Eins\n\u2028zwei\t drei ", tags=["Ashen Wastes", "vera", "r&d", "R&D", "Völuspá"])
    (made,) = fold(world(agent("vera")), scene("vera"), Turn("vera", reply(memories=[said]))).nodes["vera"]
    assert made.description == "Eins zwei drei"
    assert made.tags == ("ashen-wastes", "r&d", "völuspá")


def test_a_missing_importance_is_rated_by_rule_and_recorded() -> None:
    one = world(agent("vera"), settings=Settings(language="en"))
    said = [memory("This is important.", importance=None), memory("This too.", importance=9)]
    rated, given = fold(one, scene("vera"), Turn("vera", reply(memories=said))).nodes["vera"]
    assert (rated.importance, rated.metadata) == (4, {"importance_by": "heuristic"})
    assert (given.importance, given.metadata) == (9, {})


def unrated_scene() -> tuple[World, Scene, list[Turn]]:
    """A scene in which one character leaves out every optional importance, and another all of a conversation."""
    one = world(agent("emre"), agent("vera"), agent("nami", at="atelier"), settings=Settings(language="en"))
    everything = reply(
        line("Wer ging da?", "emre"),
        memories=[memory("Ein Turm.", importance=None), memory("Zwei Türme.", importance=3)],
        plan=plan("Gips", importance=None),
        artifact=artifact("Die Schwelle", importance=None),
        conversation=takeaway("Mit Emre über die Schwelle.", None),
    )
    turns = [Turn("vera", everything), Turn("emre", reply(line("Einer von links.", "vera")))]
    return one, scene("vera", "emre", type="ENCOUNTER"), turns


def test_every_kind_of_node_that_lacks_an_importance_is_named() -> None:
    one, played, turns = unrated_scene()
    lacking = rated_by_rule(fold(one, played, *turns).nodes)
    assert [(name, n.type) for name, n in lacking] == [
        ("vera", "plan"),
        ("vera", "observation"),
        ("vera", "artifact"),
        ("vera", "conversation"),
        ("emre", "conversation"),  # the Game Master's own plain words
    ]


def test_ratings_take_the_place_of_the_rule_and_are_recorded() -> None:
    one, played, turns = unrated_scene()
    draft = fold(one, played, *turns)
    numbers = dict(zip([(name, n.description) for name, n in rated_by_rule(draft.nodes)], (2, 9, 8, 6, 1), strict=True))
    change = fold_scene(one, played, turns, words, taken=never, ratings=Ratings("batch", numbers))
    assert rated_by_rule(change.nodes) == []
    assert [(n.type, n.importance) for n in nodes_of(change, "vera")] == [
        ("plan", 2),
        ("observation", 9),
        ("observation", 3),
        ("artifact", 8),
        ("conversation", 6),
        ("observation", 4),
    ]
    by = [n.metadata.get("importance_by") for n in nodes_of(change, "vera")]
    assert by == ["batch", "batch", None, "batch", "batch", "gm"]
    assert [(n.type, n.importance) for n in nodes_of(change, "emre")] == [("observation", 6), ("conversation", 1)]
    assert change.agents["vera"]["importance_accumulator"] == 2 + 9 + 3 + 8 + 6 + 4
    for name, nodes in draft.nodes.items():
        assert [n.description for n in nodes] == [n.description for n in change.nodes[name]]


def test_what_is_not_rated_is_rated_by_rule() -> None:
    one, played, turns = unrated_scene()
    change = fold_scene(one, played, turns, words, taken=never, ratings=Ratings("llm", {("vera", "Ein Turm."): 9}))
    by = {n.description: n.metadata.get("importance_by") for n in nodes_of(change, "vera")}
    assert by["Ein Turm."] == "llm"
    assert by["Mit Emre über die Schwelle."] == "heuristic"


def test_unknown_evidence_is_dropped_with_a_warning() -> None:
    one = world(agent("vera", stream=[node(1)]), agent("emre", stream=[node(7, agent="emre")]))
    said = memory(evidence=["vera-001", "vera-777", "emre-007", "der Turm"])
    change = fold(one, scene("vera"), Turn("vera", reply(memories=[said])))
    assert change.nodes["vera"][0].evidence == ("vera-001", "emre-007")
    assert change.warnings == (
        "vera: evidence 'vera-777' does not exist and was dropped",
        "vera: evidence 'der Turm' does not exist and was dropped",
    )


@pytest.mark.parametrize(
    ("kind", "evidence", "depth"),
    [
        ("reflection", ["vera-001", "vera-002"], 1),
        ("reflection", ["vera-003", "vera-001"], 2),
        ("reflection", ["emre-001"], 4),
        ("reflection", ["vera-777"], 1),
        ("reflection", [], 1),
        ("observation", ["vera-003"], 0),
    ],
)
def test_depth_follows_from_the_evidence(kind: str, evidence: list[str], depth: int) -> None:
    stream = [node(1), node(2), node(3, type="reflection", depth=1)]
    other = agent("emre", stream=[node(1, agent="emre", type="reflection", depth=3)])
    said = memory(type=kind, evidence=evidence)
    change = fold(world(agent("vera", stream=stream), other), scene("vera"), Turn("vera", reply(memories=[said])))
    assert change.nodes["vera"][0].depth == depth


def test_an_inline_reflection_resets_nothing() -> None:
    one = world(agent("vera", accumulator=150, last_reflection="vera-001", stream=[node(1), node(2)]))
    said = memory(type="reflection", evidence=["vera-002"], importance=8)
    change = fold(one, scene("vera"), Turn("vera", reply(memories=[said])))
    assert change.agents["vera"]["importance_accumulator"] == 158
    assert "last_reflection" not in change.agents["vera"]


def test_the_accumulator_grows_by_everything_that_was_remembered() -> None:
    said = reply(artifact=artifact(importance=8), memories=[memory(importance=3)], plan=plan(importance=4))
    change = fold(world(*CAST), scene("vera", "emre"), Turn("vera", said), Turn("emre", reply()))
    assert change.agents["vera"]["importance_accumulator"] == 8 + 3 + 4
    assert change.agents["emre"]["importance_accumulator"] == sum(n.importance for n in change.nodes["emre"]) == 6


def test_every_other_participant_observes_an_artifact_and_no_absent_character() -> None:
    said = reply(artifact=artifact("Der Turm", tags=["Turm", "finn"]))
    change = fold(
        world(*CAST),
        scene("vera", "emre", "finn"),
        *[Turn(n, said if n == "vera" else reply()) for n in ("vera", "emre", "finn")],
    )
    assert set(change.nodes) == {"vera", "emre", "finn"}
    (made,) = change.nodes["vera"]
    assert (made.type, made.id, made.tags) == ("artifact", "vera-001", ("turm", "finn", "own-work"))
    for name in ("emre", "finn"):
        (seen,) = change.nodes[name]
        assert (seen.type, seen.id, seen.depth) == ("observation", f"{name}-001", 0)
        assert seen.tags[0] == "vera"
        assert seen.metadata["artifact_path"] == made.metadata["artifact_path"]
        assert "Der Turm" in seen.description
        assert "Ein Turm aus Asche." in seen.description


def test_observers_rate_an_artifact_by_what_they_are_at_themselves() -> None:
    near = agent("emre", plan=["Arbeiten an: Knochentürme"])
    said = reply(artifact=artifact("Knochenturm", importance=8))
    change = fold(world(near, agent("finn"), agent("vera")), scene("vera", "emre", "finn"), Turn("vera", said))
    assert (change.nodes["emre"][0].importance, change.nodes["finn"][0].importance) == (7, 6)


def test_an_artifact_lands_in_the_gallery_with_front_matter_and_its_whole_body() -> None:
    said = reply(
        artifact=artifact("Der Turm", body="\n# Turm\n\n---\nkein: Vorspann\n---\nEnde\n", style_tags=["grau"])
    )
    change = fold(world(*CAST), scene("vera", at="day-003/scene-04"), Turn("vera", said, "rehearsal"))
    ((path, text),) = change.files.items()
    assert path == "gallery/concepts/day-003_der-turm_v1.md"
    front, body, _ = split_front_matter(text)
    assert yaml.safe_load(front or "") == {
        "title": "Der Turm",
        "agent": "vera",
        "created": "day-003/scene-04",
        "node": "vera-001",
        "kind": "concepts",
        "description": "Ein Turm aus Asche.",
        "tags": ["own-work"],
        "style_tags": ["grau"],
        "made_with": "rehearsal",
    }
    assert body == "\n# Turm\n\n---\nkein: Vorspann\n---\nEnde\n"
    assert change.line.record["artifacts"] == change.clock["artifacts_today"] == [path]


def test_an_artifact_does_not_replace_an_older_one_of_its_name() -> None:
    taken = {"gallery/concepts/day-001_der-turm_v1.md"}
    change = fold(world(*CAST), scene("vera"), Turn("vera", reply(artifact=artifact())), taken=taken)
    assert list(change.files) == ["gallery/concepts/day-001_der-turm_v2.md"]


def test_two_artifacts_of_one_name_in_one_scene_are_two_files() -> None:
    turns = [Turn(name, reply(artifact=artifact("Der Turm", body=f"# von {name}"))) for name in ("vera", "emre")]
    change = fold(world(*CAST), scene("vera", "emre"), *turns)
    assert [path.rpartition("_")[2] for path in change.files] == ["v1.md", "v2.md"]
    assert [text.splitlines()[-1] for text in change.files.values()] == ["# von vera", "# von emre"]
    assert {n.metadata["artifact_path"] for n in nodes_of(change, "vera", "artifact")} == {next(iter(change.files))}


@pytest.mark.parametrize("title", ["../../x", "a: [b\n- c", "---", "' \" #", "x" * 10_000])
def test_a_hostile_title_breaks_neither_path_nor_front_matter(title: str) -> None:
    ((path, text),) = fold(world(*CAST), scene("vera"), Turn("vera", reply(artifact=artifact(title)))).files.items()
    assert path.startswith("gallery/concepts/day-001_")
    assert ".." not in path
    assert yaml.safe_load(split_front_matter(text)[0] or "")["title"] == title


def test_those_who_talk_remember_it_and_bystanders_only_that_they_talked() -> None:
    turns = [
        Turn("vera", reply(line("Geheim ist die Kammer.", "emre"), conversation=takeaway("Ich sprach mit Emre."))),
        Turn("emre", reply("Ja.")),
    ]
    change = fold(world(*CAST), scene("vera", "emre", type="ENCOUNTER"), *turns)
    (own,) = nodes_of(change, "vera", "conversation")
    assert (own.description, own.tags) == ("Ich sprach mit Emre.", ("emre",))
    assert own.metadata == {
        "with": ["emre"],
        "location": "atelier",
        "lines": 2,
        "exchange": [{"agent": "vera", "text": "Geheim ist die Kammer."}, {"agent": "emre", "text": "Ja."}],
    }
    (plain,) = nodes_of(change, "emre", "conversation")
    assert "'to_me': True, 'to': 'Emre', 'text': 'Geheim ist die Kammer.'}" in plain.description
    assert "'mine': True, 'to_me': False, 'to': '', 'text': 'Ja.'}" in plain.description, "what one said oneself"
    (seen,) = change.nodes["finn"]
    assert (seen.type, seen.importance, seen.metadata["kind"]) == ("observation", 2, "bystander")
    assert "Geheim" not in seen.description
    assert "nami" not in change.nodes, "she is in the library"


def heard_afterwards(change: Change, name: str) -> list[tuple[int, str]]:
    found = [n for n in change.nodes.get(name, ()) if n.metadata.get("kind") == "heard"]
    return [(n.importance, n.description.partition("lines=")[2].partition(" place=")[0]) for n in found]


def test_what_is_said_to_a_character_with_no_turn_left_is_not_lost_on_them() -> None:
    turns = [
        Turn("vera", reply(line("Wie hoch ist die Tür?", "emre"))),
        Turn("emre", reply(line("Zwei Meter zehn.", "vera"), line("Wer misst nach?"), line("Du nicht.", "finn"))),
        Turn("finn", reply(line("Ich messe.", "emre"))),
    ]
    change = fold(world(*CAST), scene("vera", "emre", "finn", type="MEETING"), *turns)
    ((importance, said),) = heard_afterwards(change, "vera")
    assert importance == 4
    assert "Zwei Meter zehn." in said
    assert "'to_me': False, 'to': '', 'text': 'Wer misst nach?'" in said
    assert "Du nicht." not in said, "that was not for her"
    assert "Ich messe." not in said
    assert [text for _, text in heard_afterwards(change, "emre")] == [
        "[{'name': 'Finn', 'mine': False, 'to_me': True, 'to': 'Emre', 'text': 'Ich messe.'}]"
    ]
    assert heard_afterwards(change, "finn") == []


def test_who_was_told_nothing_in_particular_remembers_a_little_less() -> None:
    turns = [Turn("vera", reply("Guten Morgen.")), Turn("emre", reply("Na, alle wach?"))]
    change = fold(world(*CAST), scene("vera", "emre", type="ENCOUNTER"), *turns)
    assert [importance for importance, _ in heard_afterwards(change, "vera")] == [3]


def test_of_a_long_talk_what_was_said_to_the_character_comes_first_and_long_lines_are_cut() -> None:
    said = [line(f"an alle {number}") for number in range(6)] + [line("Wort " * 300, "vera")]
    turns = [Turn("vera", reply("Fangt an.")), Turn("emre", reply(*said))]
    ((_, heard),) = heard_afterwards(fold(world(*CAST), scene("vera", "emre", type="ENCOUNTER"), *turns), "vera")
    assert heard.count("'name'") == 5
    assert "an alle 5" in heard
    assert "an alle 1" not in heard
    assert "…" in heard
    assert len(heard) < 1000


def test_who_finishes_something_while_another_does_is_remembered_at_that() -> None:
    turns = [
        Turn("vera", reply(artifact=artifact("Der Turm"), current_task="Tee")),
        Turn("emre", reply(artifact=artifact("Das Grab"))),
        Turn("finn", reply(current_task="Termine")),
    ]
    change = fold(world(*CAST), scene("vera", "emre", "finn"), *turns)
    seen = {name: next(n for n in change.nodes[name] if n.type == "observation").description for name in change.nodes}
    assert "task=Der Turm" in seen["vera"]
    assert "task=Das Grab" in seen["emre"]
    assert "task=Termine" in seen["finn"]


@pytest.mark.parametrize(
    ("title", "then", "task"),
    [("Die Schwelle, blank", None, ""), ("Das Grab", None, None), ("Die Schwelle, blank", "Tee", "Tee")],
)
def test_what_one_was_at_is_over_once_its_piece_is_made(title: str, then: str | None, task: str | None) -> None:
    said = Turn("vera", reply(artifact=artifact(title, description="Aus Gips."), current_task=then))
    change = fold(world(agent("vera", task="Schwelle blank reiben")), scene("vera"), said)
    assert change.agents["vera"].get("current_task") == task


def test_one_alone_who_speaks_has_no_conversation() -> None:
    change = fold(
        world(*CAST), scene("vera", "emre", type="ENCOUNTER"), Turn("vera", reply("Hallo?")), Turn("emre", reply())
    )
    assert change.nodes == {}


def test_remarks_in_the_same_room_are_no_conversation_until_a_character_is_addressed() -> None:
    apart = [Turn("vera", reply("Hm.")), Turn("emre", reply("Aha."))]
    assert fold(world(*CAST), scene("vera", "emre"), *apart).nodes == {}
    together = [Turn("vera", reply(line("Hm?", "emre"))), Turn("emre", reply("Aha."))]
    change = fold(world(*CAST), scene("vera", "emre"), *together)
    assert [n.type for n in (*change.nodes["vera"], *change.nodes["emre"])] == ["conversation"] * 2


def test_no_character_stands_by_where_no_positions_are_known() -> None:
    lost = [agent(name, at="") for name in ("emre", "finn", "vera")]
    turns = [Turn("vera", reply("Hallo.")), Turn("emre", reply("Hallo."))]
    change = fold(world(*lost), scene("vera", "emre", type="ENCOUNTER", place=""), *turns)
    assert set(change.nodes) == {"vera", "emre"}


def test_a_plan_becomes_todays_list_and_one_plan_node() -> None:
    said = PlanningReply(
        mood="wach", plan=plan("den Turm", talk_to=[("Emre", "Asche"), ("host", "Geld")], library="Wind")
    )
    shelves = replace(world(*CAST), has_library=True)
    change = fold(shelves, scene("vera", type="ARRIVAL", place=""), Turn("vera", said))
    listed = [
        "<plan_work> text=den Turm",
        "<plan_talk> name=Emre about=Asche",
        "<plan_talk> name=host about=Geld",
        "<plan_library> about=Wind",
    ]
    assert change.agents["vera"]["today_plan"] == listed
    (made,) = change.nodes["vera"]
    assert (made.type, made.tags, made.metadata) == ("plan", ("plan", "emre", "library"), {"kind": "plan"})
    without = fold(world(*CAST), scene("vera", type="ARRIVAL", place=""), Turn("vera", said))
    assert without.agents["vera"]["today_plan"] == listed[:-1], "where there is no library, none is visited"
    assert without.nodes["vera"][0].tags == ("plan", "emre")


def test_a_plan_made_in_another_scene_replaces_the_mornings() -> None:
    one = world(agent("vera", plan=["<plan_work> text=alt"]))
    said = reply(plan=plan("<plan_work> text=alt", "neu"))
    change = fold(one, scene("vera"), Turn("vera", said))
    assert change.agents["vera"]["today_plan"] == ["<plan_work> text=alt", "<plan_work> text=neu"]
    assert change.nodes["vera"][0].metadata == {"kind": "replan"}


def test_who_brings_no_plan_keeps_the_old_one() -> None:
    assert "today_plan" not in fold(world(*CAST), scene("vera"), Turn("vera", reply())).agents["vera"]


def test_after_a_scene_everybody_is_where_it_was_and_as_they_say_they_feel() -> None:
    turns = [Turn("vera", reply(mood="wach", current_task="Turm")), Turn("nami", reply(mood="müde"))]
    change = fold(world(*CAST), scene("vera", "nami"), *turns)
    assert change.agents["vera"] == {
        "position": "atelier",
        "current_task": "Turm",
        "mood": "wach",
        "importance_accumulator": 0,
    }
    assert change.agents["nami"]["position"] == "atelier"


@pytest.mark.parametrize(("wanted", "there"), [("library", "library"), ("../../etc", "atelier"), ("mars", "atelier")])
def test_only_a_place_that_exists_is_gone_to(wanted: str, there: str) -> None:
    change = fold(world(*CAST), scene("vera"), Turn("vera", reply(go_to=wanted)))
    assert change.agents["vera"]["position"] == there


def test_after_a_gathering_everybody_goes_home() -> None:
    one = world(agent("emre", at="hall", home="kontor"), agent("vera", at="hall"))
    change = fold(
        one, scene("emre", "vera", type="ARRIVAL", place="hall"), Turn("emre", reply()), Turn("vera", reply())
    )
    assert (change.agents["emre"]["position"], change.agents["vera"]["position"]) == ("kontor", "hall")


def test_the_last_word_of_several_turns_counts() -> None:
    turns = [
        Turn("vera", reply("Eins.", mood="wach")),
        Turn("emre", reply()),
        Turn("vera", reply("Zwei.", mood="müde")),
    ]
    change = fold(world(*CAST), scene("vera", "emre", type="ENCOUNTER"), *turns)
    assert change.agents["vera"]["mood"] == "müde"


def test_the_logbook_line_tells_the_whole_scene() -> None:
    turns = [
        Turn("vera", reply("Hm.", action="malt", thoughts="Asche.", memories=[memory(importance=6)])),
        Turn("emre", reply(thoughts="  ")),
    ]
    change = fold(world(*CAST), scene("vera", "emre", at="day-003/scene-04", answers=("bulletin/0",)), *turns)
    log: dict[str, Any] = dict(change.line.record)
    assert "actions=['malt']" in log.pop("summary")
    assert log == {
        "scene": 4,
        "type": "WORK",
        "time_of_day": "morning",
        "location": "atelier",
        "participants": ["vera", "emre"],
        "why": "because",
        "premise": "it begins",
        "dialogue": [{"agent": "vera", "text": "Hm."}],
        "thoughts": [{"agent": "vera", "text": "Asche."}],
        "artifacts": [],
        "memories": [{"agent": "vera", "id": "vera-001", "importance": 6}],
        "cd_feedback": "",
        "actions": [{"agent": "vera", "text": "malt"}],
        "turns": [
            {"agent": "vera", "round": 1, "action": "malt", "lines": [{"text": "Hm."}], "thought": "Asche."},
            {"agent": "emre", "round": 1},
        ],
        "answers": ["bulletin/0"],
        "director": "rules",
    }


def test_parallel_lines_are_woven_and_sequential_ones_kept_in_order() -> None:
    turns = [Turn("vera", reply("v1", "v2")), Turn("emre", reply("e1"))]
    heard = []
    for kind in ("WORK", "ENCOUNTER"):
        log = fold(world(*CAST), scene("vera", "emre", type=kind), *turns).line.record
        heard.append([said["text"] for said in log["dialogue"]])
    assert heard == [["v1", "e1", "v2"], ["v1", "v2", "e1"]]


def turns_logged(kind: str, *turns: Turn) -> list[dict[str, Any]]:
    log = fold(world(*CAST), scene("vera", "emre", "finn", type=kind), *turns).line.record
    return log["turns"]  # type: ignore[no-any-return]


def test_turns_that_were_taken_at_once_share_a_round_and_an_answer_is_in_the_next_one() -> None:
    asks = reply(line("Wie tief?", to="emre"), action="sieht auf", artifact=artifact("Zettel"))
    answers = reply(line("Zwei Finger.", to="vera"), artifact=artifact("Skizze"))
    turns = turns_logged(
        "WORK", Turn("vera", asks), Turn("emre", reply("Hm.")), Turn("finn", reply()), Turn("emre", answers)
    )
    assert [(turn["agent"], turn["round"]) for turn in turns] == [("vera", 1), ("emre", 1), ("finn", 1), ("emre", 2)]
    assert turns[0]["lines"] == [{"to": "emre", "text": "Wie tief?"}]
    made = [turn.get("artifact", "").removeprefix("gallery/concepts/") for turn in turns]
    assert made == ["day-001_zettel_v1.md", "", "", "day-001_skizze_v1.md"]


def test_turns_that_were_taken_one_by_one_are_rounds_of_their_own() -> None:
    turns = turns_logged("ENCOUNTER", Turn("vera", reply("v1", "v2")), Turn("emre", reply("e1")), Turn("vera", reply()))
    assert [(turn["agent"], turn["round"], len(turn.get("lines", ()))) for turn in turns] == [
        *(("vera", 1, 2), ("emre", 2, 1), ("vera", 3, 0)),
    ]


def test_what_a_scene_said_and_did_in_its_lists_follows_from_its_turns() -> None:
    turns = [Turn("vera", reply("v1", action="malt", thoughts="Asche.")), Turn("emre", reply("e1", action="liest"))]
    for kind in ("WORK", "ENCOUNTER"):
        log = fold(world(*CAST), scene("vera", "emre", type=kind), *turns).line.record
        assert differing_lists(log) == ()
        lists = {key: value for key, value in log.items() if key != "turns"}
        bare = [replace(turn, round=0) for turn in turns_of(log)]
        assert bare == list(turns_of(lists)), "an older line, without turns, tells the same"


def test_the_clock_counts_the_scene() -> None:
    change = fold(world(*CAST, scenes_today=3), scene("vera", time="noon"), Turn("vera", reply()))
    assert change.clock == {"time_of_day": "noon", "scenes_today": 4, "scenes_total": 4, "artifacts_today": []}


def test_folding_changes_nothing_by_itself_and_gives_the_same_change_twice() -> None:
    one = world(*CAST)
    turns = [Turn("vera", reply("Hm.", artifact=artifact(), memories=[memory()])), Turn("emre", reply("Ja."))]
    assert fold(one, scene("vera", "emre"), *turns) == fold(one, scene("vera", "emre"), *turns)
    assert one == world(*CAST)


def test_a_plan_is_remembered_in_a_sentence_that_tells_whether_it_is_the_first_of_the_day() -> None:
    morning = fold(
        world(*CAST),
        scene("vera", type="ARRIVAL", at="day-003/scene-01"),
        Turn("vera", PlanningReply(mood="wach", plan=plan("den Turm"))),
    )
    (made,) = morning.nodes["vera"]
    assert made.description == "<plan_made> items=('<plan_work> text=den Turm',) day=3"
    (changed,) = fold(world(*CAST), scene("vera", at="day-003/scene-04"), Turn("vera", reply(plan=plan("Gips")))).nodes[
        "vera"
    ]
    assert changed.description == "<plan_changed> items=('<plan_work> text=Gips',) day=3"


def test_the_same_memory_twice_is_told_with_its_first_sixty_characters() -> None:
    text = "x" * 59 + "yz"
    change = fold(world(*CAST), scene("vera"), Turn("vera", reply(memories=[memory(text), memory(f" {text}\n")])))
    assert change.warnings == (f"vera: the same memory twice in one scene, kept once: '{text[:60]}'",)
    assert len(change.nodes["vera"]) == 1


def test_maker_and_observer_remember_a_piece_with_all_that_leads_back_to_it() -> None:
    said = reply(artifact=artifact("Der Turm", tags=["own-work", "Asche"], style_tags=["grau", "Karg"]))
    change = fold(world(*CAST), scene("vera", "emre"), Turn("vera", said), Turn("emre", reply(current_task="Listen")))
    path = "gallery/concepts/day-001_der-turm_v1.md"
    (made,) = change.nodes["vera"]
    assert made.description == "Der Turm: Ein Turm aus Asche."
    assert made.tags == ("asche", "own-work"), "what is one's own work is said once, and last"
    assert made.metadata == {"artifact_path": path, "title": "Der Turm", "style_tags": ["grau", "Karg"]}
    (seen,) = change.nodes["emre"]
    assert seen.description == "<artifact_seen> maker=Vera of= title=Der Turm what=Ein Turm aus Asche. task=Listen"
    assert seen.tags == ("vera", "asche"), "it is not the work of who sees it"
    assert seen.metadata == {"artifact_path": path, "title": "Der Turm", "importance_by": "gm"}


def test_who_listens_while_another_shows_a_piece_is_at_nothing_else() -> None:
    turns = [Turn("vera", reply("Seht.", artifact=artifact())), Turn("emre", reply("Oh.", current_task="Listen"))]
    change = fold(world(*CAST), scene("vera", "emre", type="ENCOUNTER"), *turns)
    seen = next(one for one in nodes_of(change, "emre", "observation") if "<artifact_seen>" in one.description)
    assert seen.description.endswith(" task=")


def test_the_front_matter_of_an_artifact_is_plain_to_read_in_an_editor() -> None:
    long = "Ein Turm aus Asche, in dem der Wind wohnt und die Böen Türen schlagen. " * 3
    said = reply(artifact=artifact("Völuspá", description=long, tags=["wind"], importance=7))
    (text,) = fold(world(*CAST), scene("vera"), Turn("vera", said, "rehearsal")).files.values()
    assert text == (
        "---\n"
        "title: Völuspá\n"
        "agent: vera\n"
        "created: day-001/scene-02\n"
        "node: vera-001\n"
        "kind: concepts\n"
        f"description: {long.strip()}\n"
        "tags:\n- wind\n- own-work\n"
        "style_tags: []\n"
        "made_with: rehearsal\n"
        "---\n\n# Turm\n"
    )


def test_the_summary_of_a_scene_tells_who_did_what_where_and_what_came_of_it() -> None:
    turns = [
        Turn("vera", reply("Seht.", "Da.", action="malt", artifact=artifact())),
        Turn("emre", reply("Oh.", action=" ")),
    ]
    log = fold(world(*CAST), scene("vera", "emre", place="hall"), *turns).line.record
    assert log["summary"] == (
        "<scene_summary> type=WORK names=['Vera', 'Emre'] place=hall actions=['malt'] said=3"
        " artifacts=['gallery/concepts/day-001_der-turm_v1.md']"
    )


def test_what_was_said_about_the_choice_of_a_scene_stands_in_its_line_where_something_was_said() -> None:
    asked: dict[str, Any] = {
        "director_note": "the model chose nothing",
        "premises": {"vera": "Es zieht."},
        "note": "Noch einmal, leiser.",
        "score": {"plan": 6.0},
    }
    log = fold(world(*CAST), scene("vera", director="llm", **asked), Turn("vera", reply())).line.record
    assert {key: log[key] for key in asked} == asked
    assert log["director"] == "llm"
    assert asked.keys().isdisjoint(fold(world(*CAST), scene("vera"), Turn("vera", reply())).line.record)


def test_every_memory_of_a_scene_carries_the_tag_of_its_kind() -> None:
    evening = scene("vera", "emre")
    evening = replace(evening, type=replace(evening.type, tag="dnd"))
    said = reply(memories=[memory(tags=["wuerfel"])], plan=plan("Gips"), artifact=artifact())
    change = fold(world(*CAST), evening, Turn("vera", said), Turn("emre", reply()))
    assert [one.tags[0] for name in ("vera", "emre") for one in change.nodes[name]] == ["dnd"] * 4


def test_what_is_settled_without_words_lands_with_those_of_the_game_master() -> None:
    one = replace(world(*CAST), threads=(thread(1, "vera", "emre"),))
    closed = Closed(id="thread-001", outcome="kept")
    (event,) = fold(one, scene("vera", "emre"), Turn("vera", reply("Hier.", closes=[closed]))).threads
    assert event.text == "<thread_closed> outcome=kept"


def test_what_a_character_wanted_to_keep_is_told_as_often_as_it_said_so() -> None:
    calls = (
        Consulted("keep", {}, "{}", reinforced=("vera-001", "vera-002")),
        Consulted("keep", {}, "{}", reinforced=("vera-001",)),
    )
    one = world(agent("vera", stream=[node(1), node(2)]))
    change = fold(one, scene("vera"), Turn("vera", reply(), consulted=calls))
    assert change.reinforced == ("vera-001", "vera-002", "vera-001")


def test_what_a_character_changes_in_its_soul_with_the_tools_comes_before_what_the_reply_says() -> None:
    add = SoulEdit.model_validate({"add": [{"kind": "belief", "text": "Holz lügt nicht."}]})
    take = SoulEdit(remove=["Stein hält."])
    calls = (Consulted("add_to_soul", {}, "{}", soul=(add,)), Consulted("remove_from_soul", {}, "{}", soul=(take,)))
    soul = Soul((SoulEntry("beliefs", "Stein hält."),))
    one = world(replace(agent("vera"), mind=Mind({SOUL.name: soul})))
    again = SoulEdit.model_validate({"add": [{"kind": "belief", "text": "Holz lügt nicht"}]})
    change = fold(one, scene("vera"), Turn("vera", reply(soul=again), consulted=calls))
    landed = SoulChange((SoulEntry("beliefs", "Holz lügt nicht."),), (SoulEntry("beliefs", "Stein hält."),))
    assert change.minds["vera"][SOUL] == landed
    assert "vera: stands in the soul already: 'Holz lügt nicht'" in change.warnings
    off = fold(world(agent("vera")), scene("vera"), Turn("vera", reply(), consulted=calls))
    assert off.minds == {}


def test_who_asks_for_self_care_has_the_wish_in_its_file_until_it_is_granted() -> None:
    one = world(agent("vera"), agent("emre"))
    calls = (Consulted("self_care", {}, "{}", care=True),)
    change = fold(one, scene("vera", "emre"), Turn("vera", reply(), consulted=calls), Turn("emre", reply()))
    assert change.agents["vera"]["care_wanted"] is True
    assert "care_wanted" not in change.agents["emre"]


def test_a_talk_that_went_over_ends_where_it_went_and_is_logged_where_it_began() -> None:
    cast = (
        agent("vera", at="atelier"),
        agent("emre", at="atelier"),
        agent("finn", at="flur"),
        agent("leo", at="atelier"),
    )
    turns = [Turn("vera", reply("Komm.", move_to="flur")), Turn("emre", reply("Ja?", go_to="atelier"))]
    change = fold_scene(world(*cast), scene("vera", "emre", type="ENCOUNTER"), turns, words, taken=never)
    assert [change.agents[name]["position"] for name in ("vera", "emre")] == ["flur", "atelier"]
    assert (change.line.record["location"], change.line.record["moved_to"]) == ("atelier", ["flur"])
    assert {name for name in ("finn", "leo") if name in change.nodes} == {"finn"}, "they talked past Finn, not past Leo"
    (talk,) = change.nodes["emre"]
    assert talk.metadata["location"] == "flur"


def test_guests_at_work_go_back_to_where_they_were_unless_they_go_elsewhere() -> None:
    cast = world(
        agent("emre", at="flur"),
        agent("nami", at="kammer"),
        agent("vera", at="flur"),
        settings=Settings(places={"turm": "Hoch."}),
    )
    work = scene("vera", "emre", "nami")
    turns = [Turn("vera", reply()), Turn("emre", reply()), Turn("nami", reply(go_to="turm"))]
    for returns, positions in ((True, ["atelier", "flur", "turm"]), (False, ["atelier", "atelier", "turm"])):
        change = fold_scene(cast, replace(work, type=replace(work.type, returns=returns)), turns, words, taken=never)
        assert [change.agents[name]["position"] for name in ("vera", "emre", "nami")] == positions


def test_what_is_said_after_the_end_of_a_scene_is_a_warning_and_what_is_remembered_is_kept() -> None:
    late = take_last_word("vera", reply("Warte!", memories=[memory("Emre ging, ohne sich umzusehen.")], mood="leer"))
    turns = [Turn("vera", reply("Na?")), Turn("emre", reply("Ja.")), late]
    change = fold_scene(
        world(agent("vera"), agent("emre")), scene("vera", "emre", type="ENCOUNTER"), turns, words, taken=never
    )
    assert change.warnings == ("vera: after the end of the scene, left out: 'Warte!'",)
    assert change.agents["vera"]["mood"] == "leer"
    assert "Emre ging, ohne sich umzusehen." in [one.description for one in change.nodes["vera"]]
    assert [said["text"] for said in change.line.record["dialogue"]] == ["Na?", "Ja."]
