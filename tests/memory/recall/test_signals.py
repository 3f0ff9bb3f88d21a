"""Each signal, on and off, in a small world."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from typing import Any

import pytest

from gm.memory.recall.columns import Columns
from gm.memory.recall.hybrid import cover_around
from gm.memory.recall.lexicon import MemoryLexicon
from gm.memory.recall.matching import Word
from gm.memory.recall.query import Query
from gm.memory.recall.question import read_question
from gm.memory.recall.signals import MOST_SHARING, weigh_memories
from gm.memory.recall.words import make_entry, without_speaker
from gm.model.node import Node
from tests.build import node
from tests.memory.recall.asking import asked, numbers, stream


def said(number: int, who: str, text: str, *, scene: int = 0, day: int = 1, **metadata: Any) -> Node:
    return node(
        number,
        type="conversation",
        description=f"{who}: {text}",
        created=f"day-{day:03d}/scene-{scene or number:02d}",
        metadata=metadata,
    )


TALK = (
    said(1, "Emre", "Der Turm ist schief."),
    said(2, "Darius", "Der Turm ist schief."),
)


def test_who_is_named_weighs_more() -> None:
    question = Query("Was hat Darius über den Turm gesagt?")
    assert numbers(asked(TALK, question, signals={})) == [1, 2]
    assert numbers(asked(TALK, question, signals={"speaker": 1.3})) == [2, 1]
    assert numbers(asked(TALK, question, signals={"named": 1.2})) == [2, 1]


PEOPLE = (("vera", "Vera Lind", "Vera"), ("emre", "Emre Aydın", "Emre"), ("darius", "Darius Falk", "Darius"))


@pytest.mark.parametrize(
    ("query", "named"),
    [
        (Query("Was hat Darius zu Emre gesagt?"), "darius"),
        (Query("Was hat Darius Falk zu Emre gesagt?"), "darius"),
        (Query("Was haben Darius und Emre Aydın Vera gebaut?"), "darius emre vera"),
        (Query("Was haben Darius und Emre für Vera gebaut?"), "darius emre"),
        (Query("Was hat Darius zu Emre gesagt"), "darius emre"),
        (Query("Was hat Darius zu Emre gesagt?", purpose="now"), "darius emre"),
        (Query("Was hat Vera zu Emre gesagt?", "vera"), "vera emre"),
        (Query("Was hat Darius zu Emre gesagt?", "vera"), "darius"),
        (Query("Was hat Darius mir gesagt?", "vera"), "darius vera"),
        (Query("Wer war da?", "vera"), ""),
    ],
)
def test_a_question_is_about_the_people_it_names_first(query: Query, named: str) -> None:
    found = read_question(replace(query, people=PEOPLE), ("emre",), "de").named

    assert {name for name, *_ in PEOPLE if name in found} == set(named.split())


def test_the_first_name_in_a_question_weighs_more_than_the_others() -> None:
    question = Query("Was hat Darius zu Emre über den Turm gesagt?")
    assert numbers(asked(TALK, question, signals={"named": 1.2})) == [2, 1]


def test_a_name_is_no_word_of_the_question() -> None:
    nodes = (said(1, "Emre", "Darius, Darius, hör zu!"), said(2, "Darius", "Die Zisterne ist leer."))
    found = asked(nodes, "Was sagt Darius über die Zisterne?", signals={"speaker": 1.3})
    assert numbers(found) == [2]


def test_a_name_alone_finds_what_names_it() -> None:
    nodes = stream("Darius war hier.", "Der Turm steht.")
    people = (("darius", "Darius Falk", "Darius"),)
    assert numbers(asked(nodes, Query("Was weiß ich über Darius?", people=people), signals={})) == [1]


def test_a_short_form_of_a_name_is_understood_where_it_is_no_word() -> None:
    nodes = (said(1, "Caroline", "The tower is what it was."), said(2, "Melanie", "The tower is what it was."))
    assert numbers(asked(nodes, "What did Mel say about the tower?", signals={"speaker": 1.5}))[0] == 2


def test_in_a_stream_of_own_words_tags_tell_who_it_is_about() -> None:
    nodes = (
        node(1, description="Der Turm ist fertig.", created="day-001/scene-01"),
        node(2, description="Der Turm ist fertig.", created="day-001/scene-02", tags=("darius",)),
        node(3, description="Der Turm ist fertig.", created="day-001/scene-03", metadata={"about": "darius"}),
    )
    people = (("darius", "Darius Falk", "Darius"), ("vera", "Vera", "Vera"))
    question = Query("Hat Darius den Turm fertig?", people=people)
    assert numbers(asked(nodes, question, signals={"speaker": 1.5})) == [2, 3, 1]


def test_first_person_means_who_asks() -> None:
    nodes = (said(1, "Emre", "Der Turm ist schief."), said(2, "Vera", "Der Turm ist schief."))
    assert numbers(asked(nodes, Query("Was habe ich über den Turm gesagt?", "vera"), signals={"speaker": 1.5})) == [
        2,
        1,
    ]


def test_a_question_weighs_less_than_a_statement() -> None:
    nodes = stream("»Steht der Turm?«", "Steht der Turm.")
    assert numbers(asked(nodes, "Turm", signals={})) == [1, 2]
    assert numbers(asked(nodes, "Turm", signals={"question": 0.75})) == [2, 1]


def test_an_answer_shares_in_the_question_before_it() -> None:
    nodes = stream("Wann wird der Turm fertig?", "Am Freitag, denke ich.", "Sonst war nichts.")
    assert numbers(asked(nodes, "Turm fertig", signals={})) == [1]
    assert numbers(asked(nodes, "Turm fertig", signals={"before_asks": 1.2})) == [2, 1]


@pytest.mark.parametrize(("signal", "expected"), [("before", [2, 3]), ("two_before", [2, 4]), ("after", [2, 1])])
def test_neighbours_share(signal: str, expected: list[int]) -> None:
    nodes = stream("Eins.", "Der Turm steht.", "Drei.", "Vier.")
    assert numbers(asked(nodes, "Turm", signals={signal: 0.2})) == expected


def test_neighbours_share_within_one_day_only() -> None:
    nodes = (
        node(1, description="Der Turm steht.", created="day-001/scene-01"),
        node(2, description="Danach.", created="day-002/scene-01"),
    )
    assert numbers(asked(nodes, "Turm", signals={"before": 0.2})) == [1]


def test_a_memory_can_say_which_conversation_it_belongs_to() -> None:
    own = tuple(node(n, description=text, created=f"day-00{n}/scene-01", metadata={"session": "a"})
                for n, text in enumerate(("Der Turm steht.", "Danach."), 1))  # fmt: skip
    assert numbers(asked(own, "Turm", signals={"before": 0.2})) == [1, 2]


def test_another_characters_answer_shares_less_where_a_name_was_asked_for() -> None:
    nodes = (
        said(1, "Emre", "Und der Turm?"),
        said(2, "Finn", "Bald."),
        said(3, "Emre", "Und der Turm?", day=2),
        said(4, "Darius", "Morgen.", day=2),
    )
    found = asked(nodes, "Was sagt Darius zum Turm?", signals={"before_asks": 1.2, "others": 0.4})
    assert numbers(found)[0] == 4
    assert numbers(found)[-1] == 2


def test_a_day_that_fits_lifts_its_memories() -> None:
    nodes = (
        node(1, description="Der Turm steht.", created="day-001/scene-01"),
        node(2, description="Der Turm steht.", created="day-002/scene-01"),
        node(3, description="Am Turm ist die Treppe neu.", created="day-002/scene-02"),
    )
    assert numbers(asked(nodes, "Turm steht", signals={})) == [1, 2, 3]
    assert numbers(asked(nodes, "Turm steht", signals={"session": 0.8}))[0] == 2


def test_words_together_weigh_more_than_words_apart() -> None:
    nodes = stream("Die Schwelle liegt am Ende, und grau ist sie.", "Am Ende liegt die graue Schwelle, und sie ist da.")
    assert numbers(asked(nodes, "graue Schwelle", signals={})) == [1, 2]
    assert numbers(asked(nodes, "graue Schwelle", signals={"pairs": 0.3})) == [2, 1]


def test_covering_more_of_the_question_weighs_more() -> None:
    nodes = stream("Zisterne Zisterne Zisterne", "Turm und Zisterne sonst", "Turm", "Turm")
    off = asked(nodes, "Turm Zisterne", signals={}).hits
    on = asked(nodes, "Turm Zisterne", signals={"coverage": 2.0}).hits
    gap = {hit.entry.id: hit.score for hit in off}, {hit.entry.id: hit.score for hit in on}
    assert gap[1]["vera-001"] < gap[0]["vera-001"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [("Wann kam der Bote?", [2, 1]), ("Der Bote kam?", [1, 2]), ("Wie viele Boten?", [1, 2]), ("When? Bote", [2, 1])],
)
def test_what_names_a_time_answers_when(question: str, expected: list[int]) -> None:
    nodes = stream("Der Bote kam.", "Der Bote kam gestern.")
    assert numbers(asked(nodes, question, signals={"answers": 1.3})) == expected


def test_what_names_a_number_answers_how_many() -> None:
    nodes = stream("Emre sah Brote hier.", "Emre sah drei Brote.")
    assert numbers(asked(nodes, "Wie viele Brote sah er?", signals={"answers": 1.3})) == [2, 1]
    assert numbers(asked(nodes, "Wie viele Brote sah er?", signals={})) == [1, 2]


def test_a_longer_memory_gains() -> None:
    nodes = stream("Turm steht.", "Turm steht hier " + "und dort " * 12)
    assert numbers(asked(nodes, "Turm", signals={"length_share": 0.0})) == [1, 2]
    assert numbers(asked(nodes, "Turm", signals={"length_share": 0.0, "length": 0.2})) == [2, 1]


def test_a_glossary_brings_synonyms_in_both_directions() -> None:
    glossary = {"Elfenbein": ("Knochenturm",)}
    nodes = stream("Der Knochenturm steht.", "Das Elfenbein bröckelt.", "Nichts.")
    assert numbers(asked(nodes, "Elfenbein", signals={}, glossary=glossary)) == [2]
    assert numbers(asked(nodes, "Elfenbein", signals={"synonym": 0.7}, glossary=glossary)) == [2, 1]
    assert numbers(asked(nodes, "Knochenturm", signals={"synonym": 0.7}, glossary=glossary)) == [1, 2]


def test_parts_explain_a_score() -> None:
    nodes = stream("Wann steht der Turm?", "Am Tag 12.", day=12)
    hit = asked(nodes, Query("Turm am Tag 12", day=13)).hits[0]
    assert set(hit.parts) == {"own", "beside", "session", "date", "around"}
    assert hit.parts["date"] > 0
    assert hit.parts["around"] > 0


def test_words_that_neighbours_hold_help_a_memory_to_cover_the_question() -> None:
    nodes = stream("Der Turm steht.", "Er hat eine Glocke.", "Nichts.", "Nichts weiter.", "Nichts mehr.", "Der Turm.")
    scores = {hit.entry.id: hit.score for hit in asked(nodes, "Turm Glocke", signals={"around": 0.25}).hits}
    assert scores["vera-001"] > scores["vera-006"]
    hit = next(hit for hit in asked(nodes, "Turm Glocke", signals={"around": 0.25}).hits if hit.entry.id == "vera-001")
    assert hit.parts["around"] > 0


def test_what_stands_around_ends_with_the_conversation() -> None:
    words = (Word(1.0, {0: 1.0}), Word(1.0, {1: 1.0}))
    assert cover_around([0, 1, 2], words, [0, 0, 0]) == {
        0: pytest.approx(0.8),
        1: pytest.approx(0.95),
        2: pytest.approx(0.75),
    }
    assert cover_around([0, 1], words, [0, 1]) == {0: pytest.approx(0.5), 1: pytest.approx(0.5)}
    assert cover_around([0], (), [0]) == {}


def test_words_with_the_same_beginning_are_found_when_wanted() -> None:
    nodes = stream("Die Verhandlung war zäh.", "Nichts.", "Der Verband liegt da.")
    assert numbers(asked(nodes, "verhandeln", signals={})) == []
    assert numbers(asked(nodes, "verhandeln", signals={"beginning": 0.4})) == [1]


def test_who_spoke_may_stand_beside_the_text_as_a_name_or_a_number() -> None:
    nodes = (
        node(1, type="conversation", description="Der Turm ist schief.", metadata={"speaker": "Emre"}),
        node(2, type="conversation", description="Der Turm ist schief.", metadata={"speaker": "Darius"}),
    )
    assert numbers(asked(nodes, "Was hat Darius über den Turm gesagt?", signals={"speaker": 1.3})) == [2, 1]
    talks = (node(1, metadata={"session": 7}), node(2, metadata={"session": "7"}), node(3, metadata={"session": True}))
    assert [make_entry(item, 3).session for item in talks] == ["7", "7", ""]


def test_what_a_character_said_is_told_apart_from_who_said_it() -> None:
    assert without_speaker(said(1, "Vera", "Der Turm.")) == "Der Turm."
    assert without_speaker(said(1, "Vera", " ")) == "Vera:  "
    assert without_speaker(node(1, description="Vera: Der Turm.")) == "Vera: Der Turm."


def test_a_memory_without_a_day_is_near_to_none() -> None:
    nodes = (
        node(1, description="Der Turm ist schief.", created="day-001/scene-01"),
        node(2, description="Der Turm ist schief.", created="day-008/scene-01"),
        node(3, description="Der Turm ist schief.", created="day-000"),
    )
    found = asked(nodes, Query("Was war gestern am Turm?", day=9), signals={"date": 1})
    assert numbers(found)[0] == 2
    assert {hit.entry.id: hit.parts["date"] for hit in found.hits}["vera-003"] == 0


def test_of_very_many_that_hold_the_words_only_the_best_share_with_their_neighbours() -> None:
    weak = "Der Turm steht da, und es regnet heute auf ihn und auf alles."
    nodes = (
        node(1, description="Turm. Turm. Turm.", created="day-001/scene-01"),
        node(2, description="Ich ging nach Hause.", created="day-001/scene-01"),
        *(
            node(number, description=weak, created=f"day-{number:03d}/scene-01")
            for number in range(3, MOST_SHARING + 1)
        ),
        node(701, description=weak + " Und dann war es Nacht, und noch eine.", created="day-701/scene-01"),
        node(702, description=weak + " Und dann war es Nacht, und noch eine.", created="day-702/scene-01"),
        node(703, description="Ich ging nach Hause.", created="day-702/scene-01"),
    )
    found = numbers(asked(nodes, "Turm", signals={"before": 0.5}, most=MOST_SHARING + 10))
    assert 2 in found
    assert 703 in found, "those that equal the last of them share too"


@pytest.mark.parametrize(
    "text", ["Turm", "Was hat Emre vom Turm erzählt?", "Wann war das, Darius?", "Was war am Tag 3?"]
)
def test_what_is_left_out_scores_no_more_than_the_best_and_than_the_bound(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gm.memory.recall.signals.MOST_SHARING", 12)
    dice = random.Random(4)
    nodes = [
        said(number, dice.choice(("Emre", "Darius")), " ".join(["Wort"] * dice.randint(1, 30)) + dice.choice("?.."))
        for number in range(1, 300)
    ]
    nodes = [replace(one, created=f"day-{place // 3 + 1:03d}/scene-01") for place, one in enumerate(nodes)]
    columns = Columns(MemoryLexicon("vera", nodes, "de"))
    asked_for = read_question(Query(text), columns.speakers, "de")
    left_out = 0
    for most in (1, 5, 20):
        weighed = weigh_memories({place: dice.random() for place in range(0, 299, 2)}, asked_for, columns, 0, 1.3)
        every, _ = weighed.likely(sys.maxsize)
        some, bound = weighed.likely(most)
        rest = weighed.scores(place for place in weighed.touched() if place not in some)
        assert some == {place: score for place, score in every.items() if place in some}
        assert list(some) == [place for place in every if place in some], "equals are taken in the same order"
        assert max(rest.values(), default=0.0) <= bound
        assert sorted(some.values())[-most:] == sorted(every.values())[-most:]
        left_out += len(every) - len(some)
    assert bool(left_out) == ("Tag" not in text)
