"""How single scenes are played: answers at work, a visit to the library, a game night."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from gm.base.errors import BackendError
from gm.files.layout import Layout
from gm.llm.base import Request
from gm.play.master import GameMaster
from gm.scene.directing.choosing import SceneRequest
from tests.stories.playing import Counting, Heard, Scripted, play_with, records, tree

WORK = SceneRequest("work", ("vera", "emre", "finn"), place="zeichenraum")
LOOKING_UP = SceneRequest("library", ("vera",), topic="ausgetretene Schwellen")


def asks(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
    """Vera starts and asks Emre something; he answers while Finn asks him something else."""
    said = {
        "vera": [("emre", "Wie tief ist die Mulde?"), ("finn", "Danke für den Kuchen.")],
        "emre": [("vera", "Zwei Finger, streng genommen.")],
        "finn": [("emre", "Darf ich mal sehen?")],
        "vera-turn-2": [("finn", "Nur mit den Augen.")],
    }
    lines = [{"to": name, "text": text} for name, text in said.get(request.label, [])]
    return reply | {"dialogue": lines, "conversation": None, "memories": [], "artifact": None, "done": True}


def play(layout: Layout, backend: Any, wanted: SceneRequest) -> Heard:
    report = Heard()
    play_with(layout, backend, report, lambda master: master.play_requested(wanted))
    return report


def last_scene(layout: Layout) -> dict[str, Any]:
    return records(layout.day_log(1))[-1]


def test_who_is_spoken_to_at_work_answers_in_turn_and_the_one_answered_remembers_it(studio: Layout) -> None:
    backend = Scripted(asks)
    play(studio, backend, WORK)
    labels = [request.label for request in backend.asked]
    assert (labels[0], sorted(labels[1:3])) == ("vera", ["emre", "finn"])
    assert labels[3:] == ["vera-turn-2", "emre-turn-2"], "Finn has heard the thanks before his turn"
    first = next(request for request in backend.asked if request.label == "emre")
    assert "Vera (zu Emre): Wie tief ist die Mulde?" in first.messages[0][1]
    again = next(request for request in backend.asked if request.label == "emre-turn-2")
    assert "Finn (zu Emre): Darf ich mal sehen?" in again.messages[0][1]
    assert [line["text"] for line in last_scene(studio)["dialogue"]] == [
        "Wie tief ist die Mulde?",
        "Danke für den Kuchen.",
        "Zwei Finger, streng genommen.",
        "Darf ich mal sehen?",
        "Nur mit den Augen.",
    ]
    (heard,) = [node for node in records(studio.stream("finn")) if node["metadata"].get("kind") == "heard"]
    assert "Nur mit den Augen." in heard["description"], "the answer is not lost on the one who is not asked again"


def test_a_scene_that_stops_before_the_answer_goes_on_there(studio: Layout) -> None:
    class Stops(Counting):
        def ask(self, request: Request) -> Any:
            if request.label == "vera-turn-2":
                raise BackendError("the line is dead")
            return super().ask(request)

    stopped = Stops(Scripted(asks))
    with pytest.raises(BackendError):
        play(studio, stopped, WORK)
    goes_on = Counting(Scripted(asks))
    play(studio, goes_on, WORK)
    assert [request.label for request in goes_on.asked] == ["vera-turn-2", "emre-turn-2"]


def test_what_is_looked_up_lies_before_the_reader_and_is_remembered_with_its_place(studio: Layout) -> None:
    backend = Counting()
    play(studio, backend, LOOKING_UP)
    (request,) = backend.asked
    assert "(`library/ausgetretene-stufen.md:" in request.messages[0][1]
    line = last_scene(studio)
    assert (line["type"], line["location"], line["participants"]) == ("LIBRARY", "bibliothek", ["vera"])
    nodes = records(studio.stream("vera"))
    read, insight = nodes[0], [node for node in nodes if "post" not in node["metadata"]][-1]
    first, last = read["metadata"]["lines"]
    text = (studio.root / read["metadata"]["source"]).read_text(encoding="utf-8").split("\n")
    assert "Schwelle" in "\n".join(text[first - 1 : last])
    assert insight["evidence"] == [read["id"]]


def test_a_text_that_changes_between_start_and_resume_is_asked_about_anew(studio: Layout) -> None:
    with pytest.raises(BackendError):
        play(studio, Counting(limit=0), LOOKING_UP)
    text = studio.library / "ausgetretene-stufen.md"
    text.write_text("# Neu\n\nDie ausgetretene Schwelle ist aus Schiefer.\n", encoding="utf-8")
    (studio.library / "kaputt.md").write_bytes(b"\xff\xfe Schwelle")
    backend = Counting()
    report = play(studio, backend, LOOKING_UP)
    assert "aus Schiefer" in backend.asked[0].messages[0][1]
    assert [note for note in report.notices if note.startswith("library/kaputt.md: ")]


def test_where_nothing_is_found_the_scene_says_so_and_nothing_was_read(studio: Layout) -> None:
    backend = Counting()
    play(studio, backend, SceneRequest("library", ("vera",), topic="Quantenphysik"))
    assert "nichts gefunden" in backend.asked[0].messages[0][1]
    assert not [node for node in records(studio.stream("vera")) if node["metadata"].get("kind") == "read"]


def test_a_game_night_is_led_and_everybody_plays_and_remembers_it_under_its_tag(studio: Layout) -> None:
    backend = Counting()
    play(studio, backend, SceneRequest("dnd", topic="D&D-Abend: »Der Zoll von Grauwerder«"))
    line = last_scene(studio)
    assert line["participants"][0] == "tobi", "who leads in the calendar leads"
    speakers = [item["agent"] for item in line["dialogue"]]
    assert set(speakers) == set(studio.agent_names())
    assert speakers[0] == speakers[-1] == "tobi"
    assert len(backend.asked) <= 12
    for name in studio.agent_names():
        nodes = records(studio.stream(name))
        assert nodes
        assert all(node["tags"][0] == "dnd" for node in nodes)
    said = " ".join(item["text"] for item in line["dialogue"])
    assert "Schwester Ottilie" in said
    assert "Gipsmodell" not in said, "nobody talks about work"


def test_a_game_night_that_was_stopped_ends_with_the_same_bytes(studio: Layout, tmp_path: Path) -> None:
    def game(master: GameMaster) -> None:
        master.play_requested(SceneRequest("dnd", topic="»Der Zoll«"))

    other = Layout(shutil.copytree(studio.root, tmp_path / "other"))
    for _ in range(3):
        with pytest.raises(BackendError):
            play_with(studio, Counting(limit=3), Heard(), game)
    play_with(studio, Counting(), Heard(), game)
    play_with(other, Counting(), Heard(), game)
    assert tree(studio.root) == tree(other.root)
