"""Which finished work people have before them when they talk."""

from __future__ import annotations

from gm.model.node import Node
from gm.scene.artifacts import PIECE_CHARACTERS, find_piece, pieces_asked_about, pieces_at_hand, shorten_piece
from tests.build import agent, node, scene, world

MADE = ((3, "turm"), (3, "grab"), (1, "alt"))
TOWER, GRAVE, OLD = (f"gallery/concepts/day-00{day}_{name}_v1.md" for day, name in MADE)


def made(number: int, path: str, title: str, day: int = 3) -> Node:
    return node(
        number, created=f"day-00{day}/scene-02", type="artifact", metadata={"artifact_path": path, "title": title}
    )


def seen(number: int, path: str, title: str, maker: str, day: int = 3) -> Node:
    return node(
        number,
        agent="emre",
        created=f"day-00{day}/scene-02",
        tags=(maker,),
        metadata={"artifact_path": path, "title": title},
    )


VERA = agent("vera", stream=[made(1, OLD, "Alt", day=1), made(2, TOWER, "Turm")])
EMRE = agent(
    "emre", stream=[seen(1, OLD, "Alt", "vera", day=1), seen(2, TOWER, "Turm", "vera"), seen(3, GRAVE, "Grab", "finn")]
)
FINN = agent("finn")
TODAY = world(VERA, EMRE, FINN, day=3)
TALK = scene("emre", "vera", type="ENCOUNTER", at="day-003/scene-03")


def test_what_somebody_saw_of_the_other_today_lies_between_them_and_nothing_else() -> None:
    assert pieces_at_hand(TODAY, TALK, TODAY.agents["emre"]) == [(TOWER, "Turm", "vera")]
    assert pieces_at_hand(TODAY, TALK, TODAY.agents["vera"]) == [(TOWER, "Turm", "vera")]


def test_who_has_not_seen_it_does_not_have_it() -> None:
    talk = scene("finn", "vera", type="ENCOUNTER", at="day-003/scene-03")
    assert pieces_at_hand(TODAY, talk, TODAY.agents["finn"]) == []


def test_what_the_scene_is_about_comes_first_for_everybody_in_it() -> None:
    about = scene("finn", "vera", type="ENCOUNTER", at="day-003/scene-03", answers=(OLD,), topic="Alt")
    assert pieces_at_hand(TODAY, about, TODAY.agents["vera"])[0][0] == OLD
    assert pieces_at_hand(TODAY, about, TODAY.agents["finn"]) == [(OLD, "Alt", "")]


def test_at_work_everybody_looks_at_their_own_things() -> None:
    assert pieces_at_hand(TODAY, scene("emre", "vera", at="day-003/scene-03"), TODAY.agents["emre"]) == []


def test_a_long_piece_is_cut_at_a_paragraph_and_says_so() -> None:
    text = "\n\n".join(f"Absatz {number}. " + "Wort " * 100 for number in range(20))
    short = shorten_piece(text)
    assert len(short) <= PIECE_CHARACTERS + 10
    assert short.endswith("\n\n[…]")
    assert text.startswith(short.removesuffix("\n\n[…]"))


def test_fresh_memories_that_are_no_work_are_no_pieces() -> None:
    vera = agent("vera", stream=[made(2, TOWER, "Turm"), node(3, created="day-003/scene-02", description="Es regnet.")])
    assert [path for path, _, _ in pieces_at_hand(world(vera, EMRE, day=3), TALK, vera)] == [TOWER]


def test_of_a_piece_one_knows_the_title_and_who_made_it() -> None:
    later = seen(4, TOWER, "Der Turm", "vera")
    one = world(agent("vera", stream=[made(2, TOWER, "Turm"), node(3)]), agent("emre", stream=[later]), day=3)
    known = find_piece(one, TOWER)
    assert (known.title, known.maker) == ("Turm", "vera")


def test_a_piece_for_which_there_is_room_stands_as_it_is() -> None:
    assert shorten_piece("Ein Absatz.", most=len("Ein Absatz.")) == "Ein Absatz."


def about(number: int, path: str, title: str, description: str, day: int = 1) -> Node:
    return node(
        number,
        created=f"day-00{day}/scene-02",
        type="artifact",
        description=f"{title}: {description}",
        metadata={"artifact_path": path, "title": title},
    )


NIGHTS = "gallery/concepts/day-001_naechte_v1.md"
RICH = agent(
    "vera",
    stream=[
        made(1, OLD, "Alt", day=1),
        about(2, NIGHTS, "Sieben Nächte", "Wie die Laternen am Hafen verlöschen."),
        about(3, TOWER, "Knochenturm", "Laternen im Schatten, vermessen.", day=2),
        about(4, GRAVE, "Knochengrab", "Was Darius vermessen lässt.", day=2),
        node(5, created="day-003/scene-02", description="Knochenturm und Laternen, vermessen."),
    ],
)
LATER = world(RICH, agent("darius"), day=9)


def test_a_question_names_a_piece_by_its_title_however_long_ago_it_was_made() -> None:
    assert pieces_asked_about(LATER, RICH, "Was stand in »sieben NÄCHTE«?") == [(NIGHTS, "Sieben Nächte", "vera")]
    assert pieces_asked_about(LATER, RICH, "Halte ich dich auf?") == [], "a title is found as a word, not in one"


def test_a_question_names_a_piece_by_two_words_of_what_is_remembered_of_it() -> None:
    found = pieces_asked_about(LATER, RICH, "Wann hast du die Laternen vermessen, und im Schatten?")
    assert [title for _, title, _ in found] == ["Knochenturm"]
    assert pieces_asked_about(LATER, RICH, "Was ist mit den Laternen?") == [], "one word is too little"
    assert pieces_asked_about(LATER, RICH, "Was hat Darius vermessen?") == [], "nor does a name count"


def test_of_several_pieces_those_named_best_come_first_and_never_more_than_two() -> None:
    question = "»Alt«, »Knochengrab«, und die Laternen, vermessen: was davon gilt noch?"
    assert [title for _, title, _ in pieces_asked_about(LATER, RICH, question)] == ["Knochengrab", "Alt"]


def test_a_piece_that_others_made_is_known_to_those_alone_who_saw_it() -> None:
    emre = TODAY.agents["emre"]
    assert pieces_asked_about(TODAY, emre, "Was steht im »Turm«?") == [(TOWER, "Turm", "vera")]
    assert pieces_asked_about(TODAY, FINN, "Was steht im »Turm«?") == []


def test_where_work_is_spoken_of_the_newest_piece_of_the_character_and_of_who_is_named_counts() -> None:
    emre = agent(
        "emre",
        stream=[
            *EMRE.stream,
            node(
                4,
                agent="emre",
                type="artifact",
                created="day-003/scene-02",
                metadata={"artifact_path": "gallery/x.md", "title": "Steg"},
            ),
        ],
    )
    now = world(VERA, emre, FINN, day=3)
    asked = "Was ist mit deinem letzten Stück?"
    titles = [title for _, title, _ in pieces_asked_about(now, emre, asked, called=("stück",))]
    assert titles == ["Steg"]
    titles = [title for _, title, _ in pieces_asked_about(now, emre, asked, people=("vera",), called=("Stück",))]
    assert titles == ["Steg", "Turm"]
    assert pieces_asked_about(now, emre, "Und der Bestückung?", people=("vera",), called=("stück",)) == []
