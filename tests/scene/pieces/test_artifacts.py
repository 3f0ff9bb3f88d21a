"""Which finished work people have before them when they talk."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gm.base.config import Settings
from gm.model.clock import Post
from gm.model.node import Node
from gm.model.scene import Scene
from gm.model.world import World
from gm.scene.dialogue.turns import Turn
from gm.scene.folding.advance import advance
from gm.scene.folding.apply import fold_scene
from gm.scene.pieces.at_hand import (
    GLANCE_CHARACTERS,
    keep_new_parts,
    lines_naming,
    pieces_asked_about,
    pieces_at_hand,
    shorten_piece,
)
from gm.scene.pieces.known_pieces import (
    PIECE_CHARACTERS,
    AtHand,
    audience_in,
    find_piece,
    known_pieces,
    pieces_on_board,
)
from tests.build import agent, artifact, never, node, reply, scene, thread, words, world

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


def titles(world: World, scene: Scene, name: str, *turns: Turn) -> list[str]:
    return [piece.title for piece in pieces_at_hand(world, scene, world.agents[name], turns)]


def test_of_what_one_saw_of_the_other_today_a_glance_is_left() -> None:
    (piece,) = pieces_at_hand(TODAY, TALK, TODAY.agents["emre"])
    assert piece == AtHand("Turm", "vera", TOWER, most_characters=GLANCE_CHARACTERS)
    (own,) = pieces_at_hand(TODAY, TALK, TODAY.agents["vera"])
    assert own == AtHand("Turm", "vera", TOWER), "its maker can read it aloud"


@pytest.mark.parametrize(
    ("title", "named"),
    [("Herdplatten, nass", True), ("Donnerstag, nass", False), ("Werkstatt um vier", False), ("Herd, nass", False)],
)
def test_a_rare_first_word_names_a_piece_unless_it_is_a_weekday_or_a_place(title: str, named: bool) -> None:
    first = title.split()[0].rstrip(",")
    finn = agent("finn", stream=[replace(seen(1, GRAVE, title, "emre"), id="finn-001")])
    one = world(agent("vera"), agent("emre"), finn, day=3, settings=Settings(places={"werkstatt": ""}))
    at_work = scene("finn", at="day-003/scene-04", intent=f"Es geht um: {first} und sonst nichts")
    assert titles(one, at_work, "finn") == ([title] if named else [])


def test_who_has_not_seen_it_does_not_have_it() -> None:
    assert titles(TODAY, scene("finn", "vera", type="ENCOUNTER", at="day-003/scene-03"), "finn") == []


def test_what_the_scene_is_about_lies_before_everybody_in_it_and_nothing_else() -> None:
    about = scene("finn", "vera", type="ENCOUNTER", at="day-003/scene-03", answers=(OLD,), topic="Alt")
    for name in ("vera", "finn"):
        assert pieces_at_hand(TODAY, about, TODAY.agents[name]) == [AtHand("Alt", "vera", OLD)]


def test_a_piece_that_no_character_remembers_is_called_what_the_scene_calls_it() -> None:
    path = "gallery/writing/day-001_stille-meile_v1.md"
    about = scene(
        "finn", "vera", type="ENCOUNTER", at="day-003/scene-03", answers=("bulletin/0", path), topic="Stille Meile"
    )
    assert pieces_at_hand(TODAY, about, FINN) == [AtHand("Stille Meile", "", path)]


def test_what_was_just_finished_lies_before_maker_and_partner_and_older_pieces_give_way() -> None:
    turns = [Turn("vera", reply(artifact=artifact("Leiter", body="# Leiter"))), Turn("emre", reply("Aha."))]
    for name in ("emre", "vera"):
        assert pieces_at_hand(TODAY, TALK, TODAY.agents[name], turns) == [AtHand("Leiter", "vera", body="# Leiter")]


def test_of_several_that_were_just_finished_the_newest_comes_first_and_only_the_last_version_stays() -> None:
    made = [("vera", "Leiter", "eins"), ("emre", "Ode", "zwei"), ("vera", "leiter", "drei"), ("vera", "Rad", "vier")]
    turns = [Turn(name, reply(artifact=artifact(title, body=body))) for name, title, body in made]
    assert [piece.body for piece in pieces_at_hand(TODAY, TALK, VERA, turns)] == ["vier", "drei", "zwei"]


@pytest.mark.parametrize(
    ("audience", "knowing"),
    [
        ([], {"vera", "emre", "finn"}),
        (["all"], {"vera", "emre", "finn"}),
        (["board", "emre"], {"vera", "emre", "finn"}),
        (["Emre"], {"vera", "emre"}),
        (["vera"], {"vera"}),
        (["gustav"], {"vera"}),
    ],
)
def test_a_piece_lies_before_its_readers(audience: list[str], knowing: set[str]) -> None:
    meeting = scene("vera", "emre", "finn", type="MEETING", at="day-003/scene-03")
    turn = Turn("vera", reply(artifact=artifact("Leiter", audience=audience)))
    assert {name for name in meeting.cast if "Leiter" in titles(TODAY, meeting, name, turn)} == knowing
    made = fold_scene(TODAY, meeting, [turn], words, taken=never).nodes
    assert {name for name, nodes in made.items() if any("Leiter" in node.description for node in nodes)} == knowing


def test_who_may_know_of_a_piece_stands_with_it_and_in_every_memory_of_it() -> None:
    talk = scene("vera", "emre", type="ENCOUNTER", at="day-003/scene-03")
    turn = Turn("vera", reply(artifact=artifact("Leiter", audience=["emre", "gustav"])))
    change = fold_scene(TODAY, talk, [turn], words, taken=never)
    (seen,) = change.nodes["emre"]
    assert audience_in(seen) == audience_in(change.nodes["vera"][0]) == ("vera", "emre")
    ((path, text),) = change.files.items()
    assert "audience:\n- vera\n- emre\n" in text
    assert change.warnings == ("vera: 'gustav' is not a character, left out of the audience of 'Leiter'",)
    after = advance(TODAY, change)
    assert find_piece(after, path).audience == ("vera", "emre")
    about = scene("finn", "emre", type="ENCOUNTER", at="day-003/scene-04", answers=(path,))
    assert pieces_at_hand(after, about, after.agents["emre"]) == [
        AtHand("Leiter", "vera", path, readers=("vera", "emre"))
    ]
    assert pieces_at_hand(after, about, after.agents["finn"]) == []


def test_a_copied_memory_of_a_piece_keeps_its_readers() -> None:
    copy = node(metadata={"kind": "copied", "copied_from": "emre-001", "details": {"audience": ["emre", "vera"]}})
    assert audience_in(copy) == ("emre", "vera")


def versions(*turns: Turn) -> World:
    one = world(agent("vera"), agent("emre"))
    for number, turn in enumerate(turns, start=1):
        here = scene("vera", "emre", at=f"day-001/scene-0{number}")
        one = advance(one, fold_scene(one, here, [turn], words, taken=never))
    return one


def wall(title: str, **others: Any) -> Turn:
    return Turn("vera", reply(artifact=artifact(title, audience=["board"], **others)))


def test_a_new_version_of_a_piece_takes_the_place_of_the_older_for_all_who_know_it() -> None:
    one = versions(wall("Wand für drei"), wall("Wand für zwei", replaces="»Wand für drei«"))
    for name in ("vera", "emre"):
        assert [piece.title for piece in known_pieces(one, one.agents[name], 7)] == ["Wand für zwei"]
    assert [piece.title for piece in pieces_on_board(one, one.agents["emre"])] == ["Wand für zwei"]
    (node,) = (node for node in one.agents["vera"].stream if node.metadata.get("replaces"))
    assert node.metadata["replaces"] == "gallery/concepts/day-001_wand-fuer-drei_v1.md"


def test_a_piece_of_the_same_title_is_a_new_version_though_it_does_not_say_so() -> None:
    here, there = (scene("vera", "emre", at=f"day-001/scene-0{number}") for number in (1, 2))
    before = versions(wall("Wand"))
    later = fold_scene(before, there, [wall("Wand")], words, taken=lambda path: path.endswith("_v1.md"))
    both = fold_scene(world(agent("vera"), agent("emre")), here, [wall("Wand"), wall("Wand")], words, taken=never)
    in_two_scenes, in_one_scene = advance(before, later), advance(world(agent("vera"), agent("emre")), both)
    for one in (in_two_scenes, in_one_scene):
        for name in ("vera", "emre"):
            (piece,) = known_pieces(one, one.agents[name], 7)
            assert piece.path == one.posts[-1].artifact != one.posts[0].artifact
        assert [piece.path for piece in pieces_on_board(one, one.agents["emre"])] == [one.posts[-1].artifact]


def test_a_piece_of_the_title_of_an_old_one_is_another_piece_unless_it_names_it() -> None:
    before = versions(wall("Wand"))
    late = replace(before, clock=replace(before.clock, day=20))
    there = scene("vera", "emre", at="day-020/scene-02")
    for named, replaced in (("", None), ("Wand", before.posts[0].artifact)):
        change = fold_scene(late, there, [wall("Wand", replaces=named)], words, taken=never)
        (made,) = (node for node in change.nodes["vera"] if node.type == "artifact")
        assert made.metadata.get("replaces") == replaced


def test_a_piece_of_the_same_title_for_other_readers_is_another_piece() -> None:
    before = versions(wall("Wand"))
    mine = Turn("vera", reply(artifact=artifact("Wand", audience=["emre"])))
    there = scene("vera", "emre", at="day-001/scene-02")
    change = fold_scene(before, there, [mine], words, taken=lambda path: path.endswith("_v1.md"))
    assert not any("replaces" in node.metadata for node in change.nodes["vera"])


def test_a_piece_is_a_new_version_of_a_piece_of_ones_own_alone() -> None:
    one = versions(wall("Wand für drei"))
    other = Turn("emre", reply(artifact=artifact("Wand für vier", replaces="Wand für drei")))
    change = fold_scene(one, scene("vera", "emre", at="day-001/scene-02"), [other], words, taken=never)
    assert change.warnings == ("emre: 'Wand für vier' replaces 'Wand für drei', no piece of theirs",)
    assert not any("replaces" in node.metadata for node in change.nodes["emre"])


def test_what_is_hung_up_is_a_post_and_lies_before_all_whose_matter_it_is() -> None:
    turns = [
        Turn("vera", reply(artifact=artifact("Laufplan", description="Wer wann läuft.", audience=["Board"]))),
        Turn("emre", reply(artifact=artifact("Ode"))),
        Turn("emre", reply("Ich gehe.")),
    ]
    change = fold_scene(TODAY, TALK, turns, words, taken=never)
    path, _ = change.files
    assert change.posts == (Post(0, "vera", "note", "Laufplan: Wer wann läuft.", 3, 3, path),)
    after = advance(TODAY, change)
    at_work = scene("finn", at="day-003/scene-04", intent="Den Laufplan einhalten")
    assert pieces_at_hand(after, at_work, after.agents["finn"]) == [AtHand("Laufplan", "vera", path, hung_day=3)]
    late = replace(after, clock=replace(after.clock, day=14))
    assert titles(late, at_work, "finn") == []


def test_of_what_others_have_hung_up_the_lines_that_name_one_are_known() -> None:
    path = "gallery/planning/sheet.md"
    hung = replace(TODAY, posts=(Post(0, "vera", "note", "Sheet", 3, 3, path),))
    assert pieces_on_board(hung, hung.agents["emre"]) == [AtHand("sheet", "vera", path, hung_day=3)]
    assert pieces_on_board(hung, hung.agents["vera"]) == []
    sheet = (
        "# Sheet\n\n- Finn waits for **Emre**\n| Emre | five names | Monday |\n\n> Nobody.\n| Vera | a door |\nEmre."
    )
    lines = lines_naming(hung.agents["emre"], sheet)
    assert lines == ("Emre · five names · Monday", "Emre.")
    assert lines_naming(hung.agents["finn"], sheet) == ("Finn waits for Emre",)
    assert len(lines_naming(hung.agents["emre"], "Emre " + "x" * 900)[0]) <= 240
    assert lines_naming(hung.agents["emre"], "") == ()
    table = "| Laut | woraus | Emre, Ohr drauf |\n|---|:---|---|\n| krr | Gips | nein |\n| fff | Filz | Emre |"
    assert lines_naming(hung.agents["emre"], table) == ("fff · Filz · Emre",), "not the headings of a table"


AT_WORK = scene("emre", "vera", at="day-003/scene-03")


@pytest.mark.parametrize(
    ("matter", "named"),
    [
        ({}, []),
        ({"intent": "Arbeiten an: den Turm, zweite Fassung"}, ["Turm"]),
        ({"premises": {"emre": "Im Raum liegt das Grab."}}, ["Grab"]),
        ({"premises": {"vera": "Im Raum liegt das Grab."}}, []),
        ({"intent": "Arbeiten an: den Turm", "premises": {"emre": "Turm und Grab."}}, ["Turm", "Grab"]),
        ({"answers": ("thread-001",)}, ["Grab"]),
        ({"answers": ("thread-002",)}, []),
    ],
)
def test_at_work_one_has_what_ones_own_matter_names(matter: dict[str, Any], named: list[str]) -> None:
    threads = (thread(1, "vera", "emre", text="Ich lese das Grab."), thread(2, "vera", "finn", text="Auch das Grab."))
    assert titles(replace(TODAY, threads=threads), replace(AT_WORK, **matter), "emre") == named


def test_at_work_ones_plan_calls_up_own_pieces_in_a_talk_what_one_wants_of_those_present() -> None:
    known = [seen(1, OLD, "Alt", "vera", day=1), seen(2, GRAVE, "Grab", "finn")]
    emre = agent("emre", task="Grab, dritte Zeile", plan=["Alt neu schreiben"], stream=known)
    there = world(VERA, emre, FINN, day=3)
    assert titles(there, AT_WORK, "emre") == ["Grab"], "its task"
    assert titles(there, replace(AT_WORK, cast=("emre",), intent="Alt neu schreiben"), "emre") == ["Alt", "Grab"]
    mine = replace(emre, stream=(replace(made(1, OLD, "Alt"), id="emre-001"), known[1]))
    assert titles(world(VERA, mine, FINN, day=3), AT_WORK, "emre") == ["Grab", "Alt"]
    assert titles(there, TALK, "emre") == []
    plan = ("Mit Finn sprechen: Grab", "Mit Vera sprechen: Alt")
    wanting = replace(there, agents={**there.agents, "emre": replace(emre, state=replace(emre.state, today_plan=plan))})
    assert titles(wanting, TALK, "emre") == ["Alt"]


def test_what_one_made_or_saw_long_ago_is_no_longer_at_hand() -> None:
    there = world(VERA, day=20)
    assert titles(there, scene("vera", at="day-020/scene-02", intent="Der Turm"), "vera") == []


def test_a_long_piece_is_cut_at_a_paragraph_and_says_so() -> None:
    text = "\n\n".join(f"Absatz {number}. " + "Wort " * 100 for number in range(20))
    short = shorten_piece(text)
    assert len(short) <= PIECE_CHARACTERS + 10
    assert short.endswith("\n\n[…]")
    assert text.startswith(short.removesuffix("\n\n[…]"))


def test_a_long_list_is_cut_at_a_line() -> None:
    text = "# Turm\n\n" + "\n".join(f"{number}." + " Löffel" * 10 for number in range(20))
    short = shorten_piece(text, most=700)
    kept = short.removesuffix("\n\n[…]")
    assert 600 < len(kept) <= 700
    assert text.startswith(f"{kept}\n")


def test_a_long_paragraph_is_cut_where_a_sentence_ends() -> None:
    text = "# Turm\n\n" + "Sie fegt die Schwelle und *sieht hinaus. Dann geht sie.*\nOben brennt\nkein Licht. " * 20
    short = shorten_piece(text, most=700)
    assert 350 < len(short) <= 710
    assert short.endswith((" kein Licht.\n\n[…]", "\nkein Licht.\n\n[…]", "geht sie.*\n\n[…]"))
    essential = shorten_piece(f"{text[8:]}\n\nDer Nagel.", most=700, about="Nagel")
    assert essential.endswith(("\nkein Licht.\n\n[…]", "geht sie.*\n\n[…]"))
    assert shorten_piece("Wort " * 300, most=100) == "Wort " * 19 + "Wort …\n\n[…]"


def test_a_line_that_names_a_character_is_cut_around_the_name() -> None:
    vera, before = agent("vera"), "Die Schwelle ist vorn hohl und hinten nicht. " * 8
    assert lines_naming(vera, f"Vera fegt. {before}") == ("Vera fegt. " + before[: 45 * 5].rstrip() + " […]",)
    assert lines_naming(vera, f"{before}Die macht Vera. Danach kommt keiner.") == (
        "[…] Die macht Vera. Danach kommt keiner.",
    )
    row = f"| Gelb | {'Schwelle ' * 30} | Von Vera ein Ja |"
    assert lines_naming(vera, row) == ("[…] · Von Vera ein Ja",)


def test_fresh_memories_that_are_no_work_are_no_pieces() -> None:
    vera = agent("vera", stream=[made(2, TOWER, "Turm"), node(3, created="day-003/scene-02", description="Es regnet.")])
    assert titles(world(vera, EMRE, day=3), TALK, "vera") == ["Turm"]


def test_of_a_piece_one_knows_the_title_and_who_made_it() -> None:
    later = seen(4, TOWER, "Der Turm", "vera")
    one = world(agent("vera", stream=[made(2, TOWER, "Turm"), node(3)]), agent("emre", stream=[later]), day=3)
    known = find_piece(one, TOWER)
    assert (known.title, known.maker) == ("Turm", "vera")
    assert find_piece(TODAY, OLD, since=1).seen_by == ("emre",)
    assert find_piece(TODAY, OLD, since=2).seen_by == ()


def test_a_piece_for_which_there_is_room_stands_as_it_is() -> None:
    assert shorten_piece("Ein Absatz.", most=len("Ein Absatz.")) == "Ein Absatz."


def test_of_a_later_version_what_is_new_stays_with_its_beginning() -> None:
    first = "# Fährmann\n\nEr fährt hinüber.\n\nEr wartet.\n\nEr fährt zurück."
    second = "# Fährmann\n\nEr fährt\nhinüber.\n\nEr wartet.\n\nEr nimmt kein Geld.\n\nEr fährt zurück."
    assert keep_new_parts(second, first) == "# Fährmann\n\n[…]\n\nEr nimmt kein Geld.\n\n[…]"
    assert keep_new_parts(second, "Anderes.") == second


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
    assert pieces_asked_about(LATER, RICH, "Was stand in »sieben NÄCHTE«?") == [AtHand("Sieben Nächte", "vera", NIGHTS)]
    assert pieces_asked_about(LATER, RICH, "Halte ich dich auf?") == [], "a title is found as a word, not in one"


def test_a_question_names_a_piece_by_two_words_of_what_is_remembered_of_it() -> None:
    found = pieces_asked_about(LATER, RICH, "Wann hast du die Laternen vermessen, und im Schatten?")
    assert [piece.title for piece in found] == ["Knochenturm"]
    assert pieces_asked_about(LATER, RICH, "Was ist mit den Laternen?") == [], "one word is too little"
    assert pieces_asked_about(LATER, RICH, "Was hat Darius vermessen?") == [], "nor does a name count"


def test_of_several_pieces_those_named_best_come_first_and_never_more_than_two() -> None:
    question = "»Alt«, »Knochengrab«, und die Laternen, vermessen: was davon gilt noch?"
    assert [piece.title for piece in pieces_asked_about(LATER, RICH, question)] == ["Knochengrab", "Alt"]


def test_a_piece_that_others_made_is_known_to_those_alone_who_saw_it() -> None:
    emre = TODAY.agents["emre"]
    assert pieces_asked_about(TODAY, emre, "Was steht im »Turm«?") == [AtHand("Turm", "vera", TOWER)]
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
    titles = [piece.title for piece in pieces_asked_about(now, emre, asked, called=("stück",))]
    assert titles == ["Steg"]
    titles = [piece.title for piece in pieces_asked_about(now, emre, asked, people=("vera",), called=("Stück",))]
    assert titles == ["Steg", "Turm"]
    assert pieces_asked_about(now, emre, "Und der Bestückung?", people=("vera",), called=("stück",)) == []
