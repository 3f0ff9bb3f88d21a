from dataclasses import replace
from typing import Any

import pytest

from gm.model.node import Node
from gm.model.passage import Passage
from gm.model.thread import Thread
from gm.model.world import Change
from gm.scene.dialogue.turns import Turn
from gm.scene.folding.apply import fold_scene
from gm.scene.folding.conversation import earlier_talk
from tests.build import agent, line, memory, never, node, reply, scene, takeaway, thread, words, world

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


@pytest.mark.parametrize("kind", ["ENCOUNTER", "WORK"])
def test_who_says_nothing_remembers_what_was_said_to_it(kind: str) -> None:
    turns = [Turn("vera", reply(line("In der Lade.", "emre"))), Turn("emre", reply())]
    one = scene("vera", "emre", type=kind)
    one = replace(one, type=replace(one.type, answer_addressed=True))
    heard = fold_scene(world(*CAST), one, turns, words, taken=never)
    (node,) = kept(heard, "emre", "heard")
    assert "<told>" in node.description
    assert "In der Lade." in node.description
    assert (node.importance, node.tags) == (4, ("vera",))
    assert "vera" not in heard.nodes, "she says herself what she remembers"


def test_who_says_nothing_remembers_it_in_its_own_words_if_it_has_some() -> None:
    said = Turn("vera", reply(line("In der Lade.", "emre")))
    (own,) = talk(said, Turn("emre", reply(conversation=takeaway("Vera weiß, wo es liegt.")))).nodes["emre"]
    assert (own.description, own.type) == ("Vera weiß, wo es liegt.", "observation")
    (noted,) = talk(said, Turn("emre", reply(memories=[memory("Es liegt in der Lade.")]))).nodes["emre"]
    assert noted.description == "Es liegt in der Lade."


def test_who_arrives_elsewhere_has_not_heard_it() -> None:
    turns = [Turn("vera", reply(line("In der Lade.", "emre"))), Turn("emre", reply())]
    assert talk(*turns, type="ARRIVAL").nodes == {}


def test_of_a_long_talk_a_few_lines_are_quoted_for_one_who_says_nothing_of_it() -> None:
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


STEPS = Passage(
    "library/stufen.md", 12, 14, "Die ausgetretene Stufe", "## Links\n\nAbwärts tritt man > härter auf.", "K. Imhoff"
)
MORE = Passage("library/stufen.md", 20, 21, "Die ausgetretene Stufe", "Eine Schwelle zeigt mehr.")
FELT = Passage("library/filz.txt", 1, 1, "Filz", "Filz schluckt hohe Töne.")


def read(*memories: object, passages: tuple[Passage, ...] = (STEPS, MORE, FELT)) -> tuple[list[Node], tuple[str, ...]]:
    one = replace(scene("vera", play="solo"), passages=passages)
    change = fold_scene(world(agent("vera")), one, [Turn("vera", reply(memories=list(memories)))], words, taken=never)
    return list(change.nodes.get("vera", ())), change.warnings


def test_each_text_that_was_read_becomes_an_observation_that_says_where_it_stands() -> None:
    nodes, _ = read()
    first, second = nodes
    assert (first.type, first.importance, first.depth) == ("observation", 5, 0)
    assert first.metadata == {
        "kind": "read",
        "source": "library/stufen.md",
        "lines": [12, 14],
        "importance_by": "gm",
    }
    assert first.tags == ("library", "ausgetretene", "stufe")
    assert first.description == (
        "<read> title=Die ausgetretene Stufe author=K. Imhoff gist=Abwärts tritt man > härter auf."
    )
    assert second.metadata["source"] == "library/filz.txt"


def test_a_memory_cites_a_passage_by_its_place_and_rests_on_what_was_read() -> None:
    insight = memory(type="reflection", evidence=["`library/stufen.md:20-21`", "library/filz.txt"])
    nodes, warnings = read(insight)
    assert nodes[-1].evidence == ("vera-001", "vera-002")
    assert nodes[-1].depth == 1
    assert not warnings


def test_lines_that_were_miscounted_still_name_the_text_and_an_unknown_text_is_dropped() -> None:
    nodes, warnings = read(memory(type="reflection", evidence=["library/stufen.md:3", "library/erfunden.md:1-2"]))
    assert nodes[-1].evidence == ("vera-001",)
    assert "library/erfunden.md:1-2" in warnings[0]


def test_who_found_nothing_has_read_nothing() -> None:
    nodes, _ = read(memory(), passages=())
    assert [one.metadata for one in nodes] == [{}]


def talked(number: int, day: int, *said: tuple[str, str], others: tuple[str, ...] = ("leo",), **more: Any) -> Node:
    exchange = [{"agent": name, "text": text} for name, text in said]
    metadata = {"with": list(others), "exchange": exchange, **more}
    return node(number, type="conversation", created=f"day-{day:03d}/scene-02", metadata=metadata)


def shown(
    *stream: Node, cast: tuple[str, ...] = ("vera", "leo"), opened: Thread | None = None, **others: Any
) -> list[tuple[str, str]] | None:
    at = scene(*cast, **{"type": "ENCOUNTER", "at": "day-003/scene-02", **others})
    there = replace(world(), threads=(opened,) if opened else ())
    talk = earlier_talk(there, agent("vera", stream=stream), at)
    return None if talk is None else [(line.agent, line.text) for line in talk.lines]


def test_what_a_character_told_is_shown_when_it_meets_one_of_them_again() -> None:
    told = ("vera", "Eine Frau hat Wasser geholt, jeden Tag.")
    one = talked(1, 2, told, ("leo", "Wer?"))
    assert shown(one) == [told, ("leo", "Wer?")]
    assert shown(one, cast=("vera", "emre")) is None, "with others"
    assert shown(one, cast=("vera", "leo", "emre", "finn")) is None, "among many"
    assert shown(talked(1, 2, told, others=("leo", "emre", "finn"))) is None, "it was one of many"
    assert shown(one, type="WORK") is None, "all act at the same time"
    assert shown(one, at="day-006/scene-01") is None, "too long ago"
    assert shown() is None
    assert shown(one, talked(2, 3, ("leo", "Heute."))) == [("leo", "Heute.")], "the last one"


def test_the_last_lines_are_shown_as_far_as_there_is_room_and_gaps_are_known() -> None:
    first, long, asked, answered = ("vera", "a" * 500), ("leo", "b" * 890), ("vera", "Spiegeln?"), ("leo", "Schieben.")
    talk = talked(1, 2, first, long, asked, answered)
    assert shown(talk) == [first, asked, answered]
    found = earlier_talk(
        world(), agent("vera", stream=[talk]), scene("vera", "leo", type="ENCOUNTER", at="day-003/scene-02")
    )
    assert found is not None
    assert found.gaps == {1}, "before the question"
    assert shown(talked(1, 2, ("leo", "c" * 901))) is None
    others = ("emre", "d" * 850)
    assert shown(talked(1, 2, others, asked, answered, others=("leo", "emre"))) == [others, asked, answered]


def test_of_a_speech_for_which_there_is_no_room_the_last_sentences_are_shown() -> None:
    asked, speech = ("vera", "Was ist geschehen?"), ("leo", "Der Turm steht schief. " * 60 + "Kommst du morgen mit?")
    at = scene("vera", "leo", type="ENCOUNTER", at="day-003/scene-02")
    found = earlier_talk(world(), agent("vera", stream=[talked(1, 2, asked, speech)]), at)
    assert found is not None
    ((text, gaps),) = [(line.text, found.gaps) for line in found.lines]
    assert text.startswith("Der Turm steht schief. Der")
    assert text.endswith("Kommst du morgen mit?")
    assert len(text) <= 900
    assert gaps == {0}, "it begins with an omission"


def test_what_a_memory_of_that_scene_quotes_is_not_shown_again() -> None:
    quoting = node(2, created="day-002/scene-02", description="Leo hat noch gesagt: »Bring es mit.«")
    talk = talked(1, 2, ("leo", "Bring es mit."), ("vera", "Gut."))
    assert shown(talk, quoting) == [("vera", "Gut.")]


def test_what_was_promised_in_it_is_not_shown_again() -> None:
    talk = talked(1, 2, ("leo", "Bring es mit."), ("vera", "Gut."))
    assert shown(talk, opened=thread(1, "leo", "vera", text="Bring es mit.")) == [("vera", "Gut.")]
    assert shown(talk, opened=thread(1, "leo", "emre", text="Bring es mit.")) == [
        ("leo", "Bring es mit."),
        ("vera", "Gut."),
    ]


@pytest.mark.parametrize("exchange", [None, "Text", ["Text", {"agent": "leo"}, {"text": "…"}]])
def test_an_exchange_that_a_person_wrote_otherwise_is_passed_over(exchange: object) -> None:
    assert shown(talked(1, 2, exchange=exchange)) is None
    assert shown(node(1, type="conversation", created="day-002/scene-02", metadata={"with": "leo"})) is None
