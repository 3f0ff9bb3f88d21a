"""What is shown or read aloud: who has it before them, in the scene and in the next one."""

from __future__ import annotations

from dataclasses import replace

from gm.base.config import Settings
from gm.model.node import Node
from gm.model.world import World
from gm.scene.advance import advance
from gm.scene.apply import fold_scene
from gm.scene.artifacts import pieces_at_hand, shorten_piece
from gm.scene.showing import at_hand, pieces_shown
from gm.scene.turns import Turn
from tests.build import agent, never, node, reply, scene, thread, words, world

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
    shown = at_hand(pieces_shown(one, ROUND, turns), name)
    return [piece.title for piece in pieces_at_hand(one, ROUND, one.agents[name], turns, shown)]


def test_what_is_read_aloud_lies_before_all_who_may_see_it() -> None:
    one = day_with()
    assert [titles(one, name, READS) for name in ("vera", "emre", "finn")] == [[TITLE]] * 3
    assert titles(one, "emre") == [], "nothing has been read yet"
    limited = day_with("vera", "emre")
    assert [titles(limited, name, READS) for name in ("emre", "finn")] == [[TITLE], []]


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
