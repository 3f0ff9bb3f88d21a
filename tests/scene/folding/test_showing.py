"""What is shown or read aloud: who has it before them, in the scene and in the next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gm.base.config import Settings
from gm.model.clock import Post
from gm.model.node import Node
from gm.model.scene import Scene
from gm.model.world import World
from gm.scene.dialogue.turns import Turn
from gm.scene.folding.advance import advance
from gm.scene.folding.apply import fold_scene
from gm.scene.folding.showing import pieces_before, pieces_shown, shown_to, unread_by
from gm.scene.pieces.at_hand import pieces_at_hand, shorten_piece
from gm.scene.pieces.known_pieces import known_pieces, readers_so_far
from tests.build import agent, artifact, never, node, ref, reply, scene, thread, words, world

PATH = "gallery/concepts/day-003_hausordnung_v1.md"
TITLE = "Hausordnung des Turms"


def made(*audience: str) -> Node:
    metadata = {"artifact_path": PATH, "title": TITLE, **({"audience": [*audience]} if audience else {})}
    text = f"{TITLE}: Sieben Sätze für das Treppenhaus."
    return node(1, created="day-003/scene-02", type="artifact", description=text, tags=("own-work",), metadata=metadata)


def day_with(*audience: str, language: str = "de") -> World:
    cast = (agent("vera", stream=[made(*audience)]), agent("emre"), agent("finn"))
    return world(*cast, day=3, settings=Settings(language=language))


ROUND = scene("vera", "emre", "finn", type="MEETING", at="day-003/scene-03")
READS = Turn("vera", reply("Ich lese euch die Hausordnung des Turms vor. Erstens."))


def titles(one: World, name: str, *turns: Turn) -> list[str]:
    shown = shown_to(pieces_shown(one, ROUND, turns), name)
    return [piece.title for piece in pieces_at_hand(one, ROUND, one.agents[name], turns, shown)]


def test_what_is_read_aloud_lies_before_all_who_may_see_it() -> None:
    one = day_with()
    assert [titles(one, name, READS) for name in ("vera", "emre", "finn")] == [[TITLE]] * 3
    assert titles(one, "emre") == [], "nothing has been read yet"
    limited = day_with("vera", "emre")
    assert [titles(limited, name, READS) for name in ("emre", "finn")] == [[TITLE], []]


def test_what_its_maker_kept_from_all_lies_before_those_present_once_it_is_shown_and_before_no_others() -> None:
    face_down = day_with("vera")
    assert [titles(face_down, name, READS) for name in ("emre", "finn")] == [[TITLE], [TITLE]]
    assert titles(face_down, "emre", Turn("vera", reply("Da liegt etwas."))) == []
    talk = scene("vera", "emre", type="ENCOUNTER", at="day-003/scene-03")
    after = advance(face_down, fold_scene(face_down, talk, [READS], words, taken=never))
    (seen,) = [node for node in after.agents["emre"].stream if "artifact_path" in node.metadata]
    assert seen.metadata["audience"] == ["vera", "emre"]
    (piece,) = known_pieces(after, after.agents["vera"], 1)
    assert [readers_so_far(one, piece) for one in (face_down, after)] == [("vera",), ("vera", "emre")]
    assert readers_so_far(after, replace(piece, readers=())) == ()
    assert not after.agents["finn"].stream


def test_who_only_speaks_of_a_piece_or_does_not_know_it_shows_nothing() -> None:
    one = day_with()
    assert titles(one, "emre", Turn("vera", reply("Die Hausordnung des Turms ist bald fertig."))) == []
    assert titles(one, "emre", Turn("vera", reply("Ich lese euch etwas anderes vor."))) == []
    assert titles(one, "finn", Turn("emre", reply("Ich lese euch die Hausordnung des Turms vor."))) == []
    assert titles(day_with(language="fr"), "emre", READS) == [], "whose words for showing are not known"


def test_in_a_scene_played_for_it_speaking_is_enough() -> None:
    held = thread(1, "vera", "emre", text="Vera liest Emre die Hausordnung des Turms vor.", kind="appointment")
    one = replace(day_with(), threads=(held,))
    played = scene("vera", "emre", type="ENCOUNTER", at="day-003/scene-03", answers=("thread-001",))
    assert [shown.by for shown in pieces_shown(one, played, [Turn("vera", reply("Erstens."))])] == ["vera"]
    assert pieces_shown(one, played, [Turn("vera", reply())]) == ()


def test_those_present_remember_it_once_and_have_it_where_the_next_scene_goes_on_about_it() -> None:
    one = day_with("vera", "emre")
    change = fold_scene(one, ROUND, [READS, READS, Turn("emre", reply("Noch einmal."))], words, taken=never)
    found = {name: [node for node in nodes if "artifact_path" in node.metadata] for name, nodes in change.nodes.items()}
    assert {name: len(nodes) for name, nodes in found.items() if nodes} == {"emre": 1}
    (seen,) = found["emre"]
    assert (seen.metadata["artifact_path"], seen.metadata["audience"], seen.tags[0]) == (PATH, ["vera", "emre"], "vera")
    assert "Sieben Sätze für das Treppenhaus." in seen.description
    after = advance(one, change)
    later = scene("finn", "emre", type="ENCOUNTER", at="day-003/scene-04")
    said = [Turn("finn", reply("Was steht in der Hausordnung des Turms?"))]
    assert [piece.title for piece in pieces_at_hand(after, later, after.agents["emre"], said)] == [TITLE]
    assert pieces_at_hand(after, later, after.agents["finn"], said) == []
    assert pieces_at_hand(after, later, after.agents["emre"], [Turn("finn", reply("Guten Tag."))]) == []
    passed_on = fold_scene(
        after, later, [Turn("emre", reply("Ich lese die Hausordnung des Turms vor."))], words, taken=never
    )
    assert "finn" not in passed_on.nodes, "it is not for Finn"
    again = fold_scene(after, replace(ROUND, ref=later.ref), [READS], words, taken=never)
    assert not [node for node in again.nodes.get("emre", ()) if "artifact_path" in node.metadata]


def test_of_a_long_piece_the_parts_stay_that_are_talked_about() -> None:
    parts = [
        "# Hausordnung",
        *(f"Absatz {number}. " + "Vom Wetter. " * 9 for number in range(1, 9)),
        "Vom Nagel am Balken.",
    ]
    text = "\n\n".join(parts)
    short = shorten_piece(text, 200, "Der Nagel im Balken.")
    assert short == "\n\n".join([parts[0], parts[1], "[…]", parts[-1]])
    cut = shorten_piece(text, 100, "Das Wetter.")
    assert cut == "# Hausordnung\n\n[…]\n\nVom Nagel am Balken."
    assert shorten_piece("x" * 300 + "\n\nNagel", 100, "Der Nagel.").startswith("x" * 20)
    assert shorten_piece(text, 200, "Ganz anderes.") == shorten_piece(text, 200)


def test_a_piece_that_is_passed_on_is_remembered_by_its_makers_words_or_by_what_is_known_of_it() -> None:
    def heard(one: World) -> str:
        played = scene("emre", "finn", type="ENCOUNTER", at="day-003/scene-04")
        turns = [Turn("emre", reply("Ich lese die Hausordnung des Turms vor."))]
        return fold_scene(one, played, turns, words, taken=never).nodes["finn"][0].description

    def seen(*tags: str) -> Node:
        metadata = {"artifact_path": PATH, "title": TITLE}
        return node(
            1, agent="emre", created="day-003/scene-02", description="Da lag ein Blatt.", tags=tags, metadata=metadata
        )

    emre, finn = agent("emre", stream=[seen("vera")]), agent("finn")
    assert "Sieben Sätze für das Treppenhaus." in heard(world(agent("vera", stream=[made()]), emre, finn, day=3))
    nameless = agent("emre", stream=[seen()])
    assert "Da lag ein Blatt." in heard(world(nameless, finn, day=3))


WALK = "Wer geht den Turm hinauf, ohne vorher die Hausordnung des Turms gelesen zu haben?"
TALK = scene("emre", "vera", type="ENCOUNTER", at="day-003/scene-04")
ASKS = [Turn("finn", reply("Und was steht in der Hausordnung?"))]


def hung(*, plan: tuple[str, ...] = ()) -> World:
    """Vera's piece hangs on the board; nobody else remembers it."""
    cast = (agent("vera", stream=[made()]), agent("emre", plan=plan), agent("finn"))
    post = Post(0, "vera", "note", f"{TITLE}: Sieben Sätze.", 3, 2, PATH)
    return replace(world(*cast, day=3, settings=Settings(language="de")), posts=(post,))


def before(one: World, name: str, played: Scene = ROUND, turns: Sequence[Turn] = ()) -> list[str]:
    return [piece.title for piece in pieces_before(one, played, one.agents[name], turns)]


def test_in_a_round_a_plan_or_a_thread_that_names_a_piece_does_not_lay_it_out() -> None:
    one = hung(plan=("Mit Vera sprechen: die Hausordnung des Turms",))
    assert before(one, "emre") == []
    assert before(one, "emre", TALK) == [TITLE], "of its maker, and the matter of the talk"


def test_of_two_versions_that_a_talk_names_the_one_that_was_replaced_is_not_shown() -> None:
    path, title = f"{PATH}.2", "Hausordnung des Turms, zweite Fassung"
    seen = replace(made(), id="emre-001", type="observation")
    later = replace(made(), id="vera-002", metadata={"artifact_path": path, "title": title, "replaces": PATH})
    cast = (agent("vera", stream=[made(), later]), agent("emre", stream=[seen]), agent("finn"))
    post = Post(0, "vera", "note", title, 3, 2, path)
    one = replace(world(*cast, day=3, settings=Settings(language="de")), posts=(post,))
    asks = [Turn("finn", reply("Und was steht in der Hausordnung des Turms?"))]
    assert before(one, "emre", TALK, asks) == [title]
    assert before(replace(one, posts=()), "emre", TALK, asks) == [TITLE], "it does not know of the other"


def test_a_piece_that_was_replaced_in_the_scene_is_not_shown_beside_the_new_one() -> None:
    one, title = hung(), "Hausordnung, neu"
    new = artifact(title, replaces=TITLE)
    turns = [*ASKS, Turn("vera", reply("Die Hausordnung des Turms gilt nicht mehr.", artifact=new))]
    assert before(one, "emre", TALK, turns) == [title]
    assert before(one, "emre", TALK, turns[:1]) == [TITLE]


MORNING = scene("vera", "emre", "finn", type="ARRIVAL", at="day-003/scene-01")
WORK = scene("emre", "finn", type="WORK", at="day-003/scene-04")


def test_what_is_new_on_the_board_is_read_in_the_morning_at_work_or_before_its_maker_and_remembered() -> None:
    one, talk = hung(), scene("emre", "vera", type="ENCOUNTER", at="day-003/scene-04")
    for there in (MORNING, WORK, talk):
        (piece,) = pieces_before(one, there, one.agents["emre"], ())
        assert (piece.title, piece.is_on_board) == (TITLE, True)
    others = scene("emre", "finn", type="ENCOUNTER", at="day-003/scene-04")
    assert before(one, "emre", others) == [TITLE], "hung up today"
    assert before(replace(one, clock=replace(one.clock, day=4)), "emre", others) == [], "it was there in the morning"
    said = [Turn("emre", reply("Hast du das gesehen?")), Turn("vera", reply("Ja.")), Turn("emre", reply("Gut."))]
    assert before(one, "emre", talk, said) == [], "it has been read"
    at_work = [Turn("emre", reply("Gut.")), Turn("finn", reply("Ja."))]
    change = fold_scene(one, WORK, at_work, words, taken=never)
    read = {name: [one.metadata.get("artifact_path") for one in change.nodes[name]] for name in ("emre", "finn")}
    assert all(paths.count(PATH) == 1 for paths in read.values())
    arrives = [Turn(name, reply(action="Kommt herein.")) for name in ("vera", "emre", "finn")]
    morning = fold_scene(one, MORNING, arrives, words, taken=never)
    made_of = {name: [one.metadata.get("artifact_path") for one in nodes] for name, nodes in morning.nodes.items()}
    assert {name for name, paths in made_of.items() if PATH in paths} == {"emre", "finn"}, "its maker knows it"
    known = replace(
        one,
        agents={**one.agents, "emre": agent("emre", stream=[node(1, agent="emre", metadata={"artifact_path": PATH})])},
    )
    assert before(known, "emre", WORK) == []
    alone = fold_scene(one, WORK, at_work[:1], words, taken=never)
    assert not [node for node in alone.nodes.get("finn", ()) if "artifact_path" in node.metadata], "it was not asked"


def test_what_hangs_for_some_is_no_news_for_others_nor_is_what_no_character_remembers_having_made() -> None:
    one = hung()
    for_some = replace(one, agents={**one.agents, "vera": agent("vera", stream=[made("vera", "emre")])})
    assert [before(for_some, name, WORK) for name in ("emre", "finn")] == [[TITLE], []]
    assert before(for_some, "finn", ROUND, ASKS) == [], "spoken of, too"
    forgotten = replace(one, agents={**one.agents, "vera": agent("vera")})
    assert before(forgotten, "emre", WORK) == []


def test_what_hangs_on_the_board_lies_before_all_who_hear_it_spoken_of() -> None:
    one = hung()
    assert before(one, "emre", ROUND, ASKS) == [TITLE], "its first word is enough, since no other piece has it"
    other = Post(1, "vera", "note", "Noch eine.", 3, 2, "gallery/concepts/day-003_zweite-hausordnung_v1.md")
    assert before(replace(one, posts=(*one.posts, other)), "emre", ROUND, ASKS) == []
    assert before(replace(one, posts=()), "emre", ROUND, ASKS) == []


def test_who_is_to_go_without_having_read_it_does_not_have_it_before_them() -> None:
    open_question = thread(1, "vera", "emre", "finn", text=WALK, kind="question")
    one = replace(hung(), threads=(open_question,))
    assert [before(one, name, ROUND, [READS, *ASKS]) for name in ("vera", "emre", "finn")] == [[TITLE], [], []]
    assert before(replace(hung(), threads=(replace(open_question, outcome="answered"),)), "emre", ROUND, ASKS)
    planned = hung(plan=("Hinaufgehen, die Hausordnung des Turms ungelesen",))
    assert unread_by(planned, planned.agents["emre"]) == {PATH}
    assert before(hung(plan=("DONE: Hinaufgehen, die Hausordnung des Turms ungelesen",)), "emre", ROUND, ASKS)
    for text in ("Wer liest die Hausordnung des Turms?", "Wer hat die Hausordnung des Turms noch nicht gelesen?"):
        assert before(replace(hung(), threads=(replace(open_question, text=text),)), "emre", ROUND, ASKS)
    in_french = replace(one, settings=Settings(language="fr"))
    assert unread_by(in_french, in_french.agents["emre"]) == frozenset()


def test_who_reads_it_on_the_board_remembers_having_read_it_and_who_arrives_elsewhere_nothing() -> None:
    turns = [*ASKS, Turn("emre", reply("Sieben Sätze.")), Turn("vera", reply("Ja."))]
    change = fold_scene(hung(), ROUND, turns, words, taken=never)
    (read,) = [node for node in change.nodes["emre"] if "artifact_path" in node.metadata]
    assert read.description == f"<artifact_read> maker=Vera of= title={TITLE} what=Sieben Sätze für das Treppenhaus."
    assert not [node for node in change.nodes.get("finn", ()) if "artifact_path" in node.metadata], "it spoke first"
    arrival = scene("vera", "emre", "finn", type="ARRIVAL", at="day-003/scene-01")
    assert pieces_shown(hung(), arrival, [READS]) == ()


HUNG = "gallery/concepts/day-003_hausordnung-des-turms_v1.md"


def after(played: Scene, *turns: Turn) -> World:
    """Return the world after a scene in which a piece was hung up."""
    one = world(*map(agent, ("vera", "emre", "finn")), day=3, settings=Settings(language="de"))
    return advance(one, fold_scene(one, played, turns, words, taken=never))


HANGS = Turn("vera", reply("Hängt.", artifact=artifact(TITLE, kind="concepts", audience=["board"])))
HEARD = tuple(Turn(name, reply("Gut.")) for name in ("emre", "finn"))


def test_who_was_there_when_it_was_finished_but_had_no_turn_after_it_reads_it_in_the_next_scene_and_once() -> None:
    one = after(MORNING, HANGS, *HEARD)
    assert [node.metadata["artifact_path"] for node in one.agents["emre"].stream if "title" in node.metadata] == [HUNG]
    (piece,) = pieces_before(one, WORK, one.agents["emre"], ())
    assert (piece.path, piece.is_on_board) == (HUNG, True)
    glance = fold_scene(one, ROUND, [Turn("vera", reply("Und?")), *HEARD], words, taken=never)
    assert "read" not in glance.line.record, "of a long one, a glance shows a part"
    change = fold_scene(one, WORK, HEARD, words, taken=never)
    assert change.line.record["read"] == {"emre": [HUNG], "finn": [HUNG]}
    assert not any("artifact_path" in node.metadata for nodes in change.nodes.values() for node in nodes), (
        "known before"
    )
    then = advance(one, change)
    assert before(then, "emre", WORK) == []
    again = fold_scene(then, replace(WORK, ref=ref("day-003/scene-05")), HEARD, words, taken=never)
    assert "read" not in again.line.record


def test_who_had_a_turn_after_it_was_finished_has_read_it_there() -> None:
    met = scene("vera", "emre", "finn", type="MEETING", at="day-003/scene-02")
    one = after(met, Turn("finn", reply("Und?")), HANGS, Turn("emre", reply("Schön.")))
    assert [before(one, name, WORK) for name in ("emre", "finn")] == [[], [TITLE]]
