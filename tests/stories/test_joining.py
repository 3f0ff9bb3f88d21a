"""Who is in the room and is spoken to takes part in the talk from then on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from gm.api.history.commits import scene_message
from gm.base.errors import GmError
from gm.cli.playing.byhand import OwnView
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.llm.base import Request
from gm.llm.choose import Choice
from gm.model.scene import Scene
from gm.model.world import Change, World
from gm.play.interactive import require_cast
from gm.play.master import game_master
from gm.play.report import Report
from gm.play.review import Draft, Review
from gm.play.table import GameTable
from gm.scene.directing.choosing import SceneRequest
from tests.stories.playing import Heard, Scripted, edit, letter, play_with, records

TALK = SceneRequest("encounter", ("vera", "emre"), place="zeichenraum", topic="die Schwelle im Turm")
LOUD = "Nami, wie klingt die?"


def ask_nami(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
    said = [{"to": "nami", "text": LOUD}]
    return (
        reply | {"dialogue": said, "done": False}
        if request.label == "vera" and "Begegnung" in letter(request)
        else reply
    )


def test_who_is_spoken_to_in_the_room_answers_next_and_knows_nothing_of_what_brought_the_others(studio: Layout) -> None:
    edit(studio.agent("nami"), {"position": "zeichenraum"})
    backend = Scripted(ask_nami)
    play_with(studio, backend, Heard(), lambda master: master.play_requested(TALK))
    labels = [request.label for request in backend.asked]
    first, second = (letter(request) for request in backend.asked[:2])
    assert labels[:2] == ["vera", "nami"]
    assert "Nami" in next(text for text in first.splitlines() if "nicht im Gespräch" in text)
    assert LOUD in second
    assert "jetzt hat Vera sich an dich gewandt" in second
    assert "die Schwelle im Turm" in first
    assert "die Schwelle im Turm" not in second
    later = next(letter(request) for request in backend.asked if request.label == "emre")
    assert "Mit dir hier: Vera Hollstein, Nami" in later
    day = load_world(studio).world.clock.day
    played = records(studio.day_log(day))[-1]
    assert (played["participants"], played["joined"]) == (["vera", "emre", "nami"], ["nami"])
    assert "nami" in {turn["agent"] for turn in played["turns"]}


def test_who_is_elsewhere_does_not_join(studio: Layout) -> None:
    edit(studio.agent("nami"), {"position": "flur"})
    backend = Scripted(ask_nami)
    play_with(studio, backend, Heard(), lambda master: master.play_requested(TALK))
    assert {request.label.partition("-")[0] for request in backend.asked} == {"vera", "emre"}


def play_talk(layout: Layout, report: Report, review: Review | None = None) -> None:
    edit(layout.agent("nami"), {"position": "zeichenraum"})
    with game_master(layout, Choice(Scripted(ask_nami), "a test"), report, command="test", review=review) as master:
        master.play_requested(TALK)


def test_who_joined_is_in_the_commit_of_the_scene(studio: Layout) -> None:
    messages: list[str] = []

    class Committing(Report):
        def scene_played(self, world: World, scene: Scene, change: Change) -> None:
            messages.append(scene_message(world, scene, change))

    play_talk(studio, Committing())
    assert "ENCOUNTER, Vera, Emre and Nami; " in messages[0]


def test_a_person_sees_the_talk_that_its_character_joined(studio: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    play_talk(studio, OwnView({"nami"}))
    shown = capsys.readouterr().out
    assert "ENCOUNTER" in shown
    assert LOUD in shown


def test_who_joined_and_was_removed_while_the_scene_is_read_stops_it_with_a_message(studio: Layout) -> None:
    class Removing(Review):
        def judge(self, table: GameTable, takes: Sequence[Draft]) -> Draft | str:
            for path in (studio.persona("nami"), studio.agent("nami"), studio.stream("nami")):
                path.unlink()
            require_cast(table, takes[-1])
            return takes[-1]

    with pytest.raises(GmError, match="nami took part and is not in the world any more"):
        play_talk(studio, Report(), Removing())
