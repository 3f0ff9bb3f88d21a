from typing import Any

from gm.model.node import Node
from gm.model.world import Change
from gm.scene.apply import fold_scene
from gm.scene.turns import Turn
from tests.build import agent, line, never, reply, scene, takeaway, words, world

CAST = (agent("vera"), agent("emre"), agent("finn"))


def talk(*turns: Turn, cast: tuple[str, ...] = ("vera", "emre"), **others: Any) -> Change:
    return fold_scene(world(*CAST), scene(*cast, **{"type": "ENCOUNTER", **others}), turns, words, taken=never)


def kept(change: Change, name: str, kind: str) -> list[Node]:
    return [node for node in change.nodes.get(name, ()) if kind in (node.type, node.metadata.get("kind"))]


def test_each_speaker_keeps_the_whole_talk_word_for_word() -> None:
    change = talk(
        Turn("vera", reply(line("Wie hoch?", "emre"))),
        Turn("emre", reply("Zwei Meter.", "Ungefähr.")),
        Turn("vera", reply("Gut.")),
    )
    said = [
        {"agent": "vera", "text": "Wie hoch?"},
        {"agent": "emre", "text": "Zwei Meter."},
        {"agent": "emre", "text": "Ungefähr."},
        {"agent": "vera", "text": "Gut."},
    ]
    for name in ("vera", "emre"):
        (node,) = kept(change, name, "conversation")
        assert node.metadata["exchange"] == said
        assert node.metadata["lines"] == 4


def test_each_speaker_keeps_how_it_felt_and_how_much_it_weighs_to_them() -> None:
    change = talk(
        Turn("vera", reply("Nein.", conversation=takeaway("Streit.", 8, -0.5))),
        Turn("emre", reply("Doch.", conversation=takeaway("Geplauder.", 3))),
    )
    (vera,), (emre,) = kept(change, "vera", "conversation"), kept(change, "emre", "conversation")
    assert (vera.importance, vera.metadata["valence"]) == (8, -0.5)
    assert emre.importance == 3
    assert "valence" not in emre.metadata


def test_bystanders_learn_that_there_was_a_talk_and_nothing_of_it() -> None:
    change = talk(Turn("vera", reply("Geheim.")), Turn("emre", reply("Ja.")))
    (seen,) = change.nodes["finn"]
    assert "Geheim" not in str(seen)
    assert "exchange" not in seen.metadata


def test_what_came_after_the_last_turn_is_remembered_once() -> None:
    change = talk(
        Turn("vera", reply(line("Wie hoch?", "emre"))),
        Turn("emre", reply(line("Zwei Meter.", "vera"))),
        Turn("vera", reply("Aha.")),
        Turn("emre", reply(line("Zehn dazu.", "vera"))),
    )
    (gist,), (after,) = kept(change, "vera", "conversation"), kept(change, "vera", "heard")
    assert "Zwei Meter." in gist.description
    assert "Zehn dazu." not in gist.description
    assert "Zehn dazu." in after.description
    assert "Zwei Meter." not in after.description


def test_where_all_answer_at_once_everybody_heard_everything() -> None:
    change = talk(Turn("vera", reply(line("Wie hoch?", "emre"))), Turn("emre", reply("Zwei Meter.")), type="WORK")
    (gist,) = kept(change, "vera", "conversation")
    assert "Zwei Meter." in gist.description
    assert kept(change, "vera", "heard") == []


def test_an_answer_in_a_second_round_is_remembered_once() -> None:
    change = talk(
        Turn("vera", reply(line("Wie hoch?", "emre"))),
        Turn("emre", reply("Ich messe gerade.")),
        Turn("emre", reply(line("Zwei Meter.", "vera"))),
        type="WORK",
    )
    (gist,), (after,) = kept(change, "vera", "conversation"), kept(change, "vera", "heard")
    assert "Ich messe gerade." in gist.description
    assert "Zwei Meter." not in gist.description
    assert "Zwei Meter." in after.description


def test_of_a_long_talk_a_few_lines_are_quoted_for_whoever_says_nothing_of_it() -> None:
    long = "Und dann kam noch etwas, das sich lange hinzog und von dem niemand wusste, wozu es gut war. " * 4
    change = talk(
        Turn("emre", reply(*(line(f"Satz {number}.", "vera") for number in range(6)), line(long, "vera"))),
        Turn("vera", reply("Gut.")),
        Turn("emre", reply("Ja.")),
    )
    (gist,) = kept(change, "vera", "conversation")
    assert [f"Satz {number}." in gist.description for number in range(6)] == [False] * 4 + [True] * 2
    assert long.strip() not in gist.description
    exchange = gist.metadata["exchange"]
    assert isinstance(exchange, list)
    assert exchange[6]["text"] == long.strip()
