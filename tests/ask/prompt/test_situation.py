"""What a question shows of what is open: as far as the character knows, and each thing once."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gm.ask.prompt.people import view_neighbour, view_scene
from gm.ask.prompt.render import Prompts
from gm.ask.prompt.situation import list_hanging, view_deadlines, view_kept, view_own_threads
from gm.base.config import Settings
from gm.files.packaged.shipped import shipped_prompts
from gm.model.clock import Clock, ScheduledEvent
from gm.model.logged import LogEntry
from gm.model.scene import Scene
from gm.model.thread import Thread
from gm.model.world import Sentences, World
from tests.build import agent, entry, post, scene, thread, words, world

CAST = (agent("emre"), agent("finn"), agent("vera"))
NAMES = {"emre": "Emre", "finn": "Finn", "vera": "Vera"}
TEXT = "Vera bringt die Maße."


def with_threads(*threads: Thread, **others: Any) -> World:
    return replace(world(*CAST, **{"day": 3, **others}), threads=threads)


def talk(*cast: str, **others: Any) -> Scene:
    return replace(scene(*cast, type="ENCOUNTER", at="day-003/scene-02"), **others)


def shown(one: World, playing: Scene, name: str) -> list[Any]:
    found: list[Any] = view_own_threads(one, playing, one.agents[name], (), NAMES).shown
    return found


def kept(one: World, playing: Scene, name: str) -> Mapping[str, Any]:
    return view_kept(words, one, playing, one.agents[name], (), NAMES)


def test_an_ended_brief_hangs_no_longer() -> None:
    briefs = (post("Streicht den Mast."), post("Zählt die Seile.", index=1), post("Malt.", day=2, index=2))
    one = replace(world(*CAST), posts=briefs, clock=Clock(3, active_briefs=("Zählt die Seile.",)))
    assert list_hanging(one) == [briefs[1], briefs[2]]


def test_the_calendar_names_time_and_place_of_what_is_today() -> None:
    events = (
        ScheduledEvent(3, "Die Glocke läutet", time="evening", place="alter_kai"),
        ScheduledEvent(3, "Bericht"),
        ScheduledEvent(4, "Probe", time="noon"),
    )
    one = replace(world(*CAST, day=3), clock=Clock(3, scheduled_events=events), settings=Settings(language="de"))
    assert view_deadlines(Prompts(Path("none"), shipped_prompts(), "de").words, one) == [
        "heute (abends, alter kai): Die Glocke läutet",
        "heute: Bericht",
        "Donnerstag, Tag 4 (morgen): Probe",
    ]


@pytest.mark.parametrize("kind", ["promise", "appointment"])
def test_what_was_settled_behind_a_characters_back_is_open_until_the_other_one_is_there(kind: str) -> None:
    closed = thread(
        1, "vera", "emre", kind=kind, text=TEXT, outcome="dropped", closed_by="vera", touched="day-002/scene-03",
        reason="Das Maßband\nist weg.",
    )  # fmt: skip
    one = with_threads(closed, log=[entry(2, "WORK", "vera", scene=3)])

    def seen(*cast: str, name: str = "emre", **others: Any) -> list[tuple[str, str]]:
        playing = talk(*cast, **others)
        found = shown(one, playing, name) if kind == "promise" else kept(one, playing, name)["agreed"]
        return [(item.settled_by, item.settled) for item in found]

    assert seen("emre", "finn") == [("", "")]
    assert seen("emre", "vera") == [("Vera", "Das Maßband ist weg.")]
    assert seen("emre", "vera", type=scene(type="ARRIVAL").type) == [("", "")], "each arrives alone"
    assert seen("emre", "vera", name="vera") == []


@pytest.mark.parametrize("kind", ["promise", "appointment"])
def test_how_a_matter_of_several_was_settled_is_told_to_the_one_who_opened_it_alone(kind: str) -> None:
    closed = thread(
        1, "vera", "emre", "finn", kind=kind, text=TEXT, outcome="kept", closed_by="emre", touched="day-002/scene-03",
        reason="Alma hat es bekommen.",
    )  # fmt: skip
    one = with_threads(closed, log=[entry(2, "WORK", "emre", scene=3)])

    def seen(name: str) -> list[tuple[str, str]]:
        playing = talk("emre", "vera", "finn")
        found = shown(one, playing, name) if kind == "promise" else kept(one, playing, name)["agreed"]
        return [(item.settled_by, item.settled) for item in found]

    assert seen("vera") == [("Emre", "Alma hat es bekommen.")]
    assert seen("finn") == [("Emre", "")]


def test_an_appointment_that_the_scene_states_is_not_told_in_full_again() -> None:
    agreed = thread(1, "vera", "emre", kind="appointment", text=TEXT, due=3)
    one = with_threads(agreed)

    def here(**others: Any) -> bool:
        (view,) = kept(one, talk("emre", "vera", **others), "emre")["agreed"]
        told: bool = view.here
        return told

    assert here(answers=("thread-001",), premise=f"Wie verabredet: »{TEXT}«")
    assert not here(answers=("thread-001",), premise="Es geht los.")
    assert not here(premise=f"Wie verabredet: »{TEXT}«")


def test_what_the_game_master_let_go_is_said_once_on_the_next_arrival() -> None:
    gone = thread(1, "vera", "emre", text="Die\nMaße.", outcome="dropped", closed_by="gm", touched="day-002")
    others = (
        replace(gone, id="thread-002", touched="day-001"),
        replace(gone, id="thread-003", outcome="missed"),
        replace(gone, id="thread-004", closed_by="vera"),
        replace(gone, id="thread-005", by="finn", to=()),
    )
    one = with_threads(gone, *others, log=[entry(2, "WORK", "vera"), entry(3, "WORK", "vera")])
    arrival = replace(talk("emre", "vera"), type=scene(type="ARRIVAL").type)
    assert kept(one, arrival, "emre")["settled"] == ["Die Maße."]
    assert kept(one, talk("emre", "vera"), "emre")["settled"] == []


def test_what_another_settled_and_hung_up_is_said_once_on_the_next_arrival() -> None:
    closed = thread(
        1, "vera", "emre", text=TEXT, outcome="kept", closed_by="vera", touched="day-002/scene-03",
        reason="Sie hängen\nam Brett.",
    )  # fmt: skip
    hung = replace(post("Die Maße.", author="vera", day=2), scene=3, artifact="gallery/concepts/masse.md")
    one = replace(with_threads(closed, log=[entry(2, "WORK", "vera", scene=3)]), posts=(hung,))
    arriving = replace(scene("emre", "vera", type="ARRIVAL", at="day-003/scene-01"))

    def told(name: str, playing: Scene = arriving, made: World = one) -> list[tuple[str, str]]:
        return [(item.text, item.why) for item in kept(made, playing, name)["closed"]]

    assert told("emre") == [(TEXT, "Sie hängen am Brett.")]
    assert told("vera") == told("finn") == told("emre", talk("emre", "vera")) == []
    assert told("emre", made=replace(one, log=(entry(2, "WORK", "vera", "emre", scene=3),))) == []
    assert told("emre", made=replace(one, posts=())) == [], "it takes it for open"


def test_where_one_comes_from_is_said_of_another_place_that_no_scene_of_today_has_told_of() -> None:
    def came_from(at: str = "flur", log: Sequence[LogEntry] = (), remote: Sentences | None = None, **more: Any) -> str:
        there = world(agent("vera", at=at), agent("emre"), day=2, log=log)
        talk = scene("vera", "emre", type="ENCOUNTER", at="day-002/scene-03", place="hall", **more)
        return str(view_scene(there, talk, there.agents["vera"], remote).came_from)

    assert came_from() == "flur"
    assert came_from("flur\n# Szene") == "flur # Szene", "a place stays on its line"
    assert came_from("hall") == ""
    assert came_from(log=[entry(2, "WORK", "vera", scene=2, place="flur")]) == "", "that scene tells what happened"
    assert came_from(log=[entry(2, "WORK", "emre", scene=2, place="flur")]) == "flur"
    assert came_from(log=[entry(1, "WORK", "vera", scene=2, place="flur")]) == "flur", "that was yesterday"
    assert came_from(moved=("hall",)) == ""
    assert came_from(remote=lambda *_args, **_values: "at home") == ""


@pytest.mark.parametrize(
    ("task", "shown"),
    [
        ("Den Grundriss kleben", "Den Grundriss kleben"),
        ("Krepp im Flur kleben", "Krepp im Flur kleben"),
        ("Das Blatt am Brett der Teeküche", ""),
        ("Kabel in serverkammer ziehen", ""),
    ],
)
def test_who_is_in_the_room_is_at_nothing_that_is_in_another_one(task: str, shown: str) -> None:
    places = dict.fromkeys(("flur", "teekueche", "serverkammer"), "")
    settings = Settings(places=places, place_names={"teekueche": "Teeküche"})
    one = world(agent("vera"), agent("emre", task=task), settings=settings)
    seen = view_neighbour(words, one, scene("vera", place="flur"), "emre")
    assert seen.task == shown
    assert (task in seen.text) is bool(shown)
