"""Everyone reads who is in the room, at what, and where it stands with them; and of nobody who is not there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from gm.llm.base import Request
from gm.llm.content import text_of
from gm.scene.directing.choosing import SceneRequest
from tests.stories.playing import Counting, Heard, Scripted, about, play, play_with, set_sections

HERE = "Im selben Raum: "


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> list[Request]:
    """The questions of the scenes of three days of a studio in which Leo has moved in with Vera."""
    layout = create_world(tmp_path_factory.mktemp("rooms") / "studio", "studio")
    set_sections(layout.settings, "relationships: on\n")
    persona = layout.persona("leo")
    persona.write_text(
        persona.read_text(encoding="utf-8").replace("home: ", "home: zeichenraum #", 1), encoding="utf-8"
    )
    counting = Counting()
    play(layout, days=3, backend=counting)
    return [request for request in counting.asked if request.purpose == "scene"]


def scenes(letters: list[Request], kind: str) -> Iterator[tuple[Request, str]]:
    for request in letters:
        if about(request).here.type == kind and not request.label.endswith("-last"):
            yield request, text_of(request.messages[0][1])


def names(request: Request) -> dict[str, str]:
    return {name: agent.name for name, agent in about(request).world.agents.items()}


def test_at_work_everyone_reads_who_is_there_and_at_what(letters: list[Request]) -> None:
    together = 0
    for request, text in scenes(letters, "WORK"):
        cue = about(request)
        line = next((line for line in text.splitlines() if HERE in line), "").partition(HERE)[2]
        for other in cue.scene.cast:
            if other != request.who:
                together += 1
                task = cue.world.agents[other].state.current_task
                assert f"{cue.world.agents[other].name}, an »{task}«" in line
        elsewhere = [
            agent.name
            for agent in cue.world.agents.values()
            if agent.id not in cue.scene.cast and agent.state.position != cue.scene.place
        ]
        assert not any(name in line for name in elsewhere)
    assert together >= 4


def test_in_the_morning_those_are_named_who_come_to_the_same_place(letters: list[Request]) -> None:
    arrived = list(scenes(letters, "ARRIVAL"))
    assert len(arrived) == 21
    for request, text in arrived:
        (line,) = (line for line in text.splitlines() if line.startswith("Ein neuer Tag: "))
        other = {"vera": "leo", "leo": "vera"}.get(request.who)
        if other:
            assert line.endswith(f". Mit dir hier: {names(request)[other]}.")
        else:
            assert line.endswith(" Außer dir ist hier noch niemand.")


def test_where_one_stands_is_shown_with_those_present_alone_in_a_number_or_as_said_once(letters: list[Request]) -> None:
    seen = 0
    numbers: list[str] = []
    for kind in ("WORK", "ENCOUNTER", "MEETING"):
        for request, text in scenes(letters, kind):
            cue = about(request)
            shown = text.partition("## Wie du zu denen stehst, die hier sind\n")[2].partition("\n#")[0]
            lines = [line for line in shown.splitlines() if line.startswith("- ")]
            agents = cue.world.agents
            there = {name for name in agents if agents[name].state.position == cue.scene.place} | set(cue.scene.cast)
            called = {agents[name].call_name for name in there - {request.who}}
            assert {line[2:].partition(":")[0] for line in lines} == called
            missing = [line for line in lines if "Vertrauen " not in line]
            assert ("wo keines steht, ist es 0" in shown) == bool(missing)
            seen += len(lines)
            numbers += [line for line in lines if line not in missing]
    assert seen > 20
    # trust that was named is shown, and beside it the character's own sentence
    assert any(line.partition(" Warum: ")[0].endswith("«") for line in numbers)


def test_who_plans_the_day_reads_where_it_stands_with_the_others(letters: list[Request]) -> None:
    for request, text in scenes(letters, "ARRIVAL"):
        assert "## Wie du zu denen stehst, die hier sind" not in text
        friends = about(request).agent.persona
        assert friends is not None
        if friends.front.get("friends"):
            assert "## Wie du zu den anderen stehst" in text


def test_who_sits_in_the_room_of_a_talk_is_named_with_what_it_is_at(studio: Layout) -> None:
    backend = Scripted(lambda _request, reply: {**reply, "go_to": "teekueche"})
    play(studio, backend=backend)
    found = 0
    for request, text in scenes([item for item in backend.asked if item.purpose == "scene"], "ENCOUNTER"):
        cue = about(request)
        for agent in cue.world.agents.values():
            if agent.id not in cue.scene.cast and agent.state.position == cue.scene.place:
                found += 1
                assert "Außerdem im Raum und nicht im Gespräch: " in text
                assert f"{agent.name}, an »{agent.state.current_task}«" in text
    assert found


def test_everyone_who_came_reads_why_and_so_does_the_one_they_came_to(letters: list[Request]) -> None:
    came = 0
    for request, text in scenes(letters, "WORK"):
        cue = about(request)
        host, agents = cue.scene.cast[0], cue.world.agents
        guests = [name for name in cue.scene.cast[1:] if agents[name].state.position != cue.scene.place]
        if request.who == host:
            why = [said for said in text.split(". ") if " zum Arbeiten zu dir herübergekommen" in said]
            assert all(any(agents[name].call_name in said for said in why) for name in guests)
            assert len(why) <= 2, "those of one reason are named together"
        elif request.who in guests:
            come = f"Du bist zum Arbeiten zu {agents[host].call_name} herübergekommen, "
            assert (
                f"{come}weil {agents[host].call_name} in deinem Plan für heute vorkommt" in text
                or f"{come}um nicht den ganzen Tag für dich" in text
            )
            came += 1
        else:
            assert "herübergekommen" not in text
    assert came >= 2


def test_after_work_a_guest_is_where_it_was_and_no_bystander_of_the_hosts_next_talk(studio: Layout) -> None:
    heard = Heard()
    backend = Scripted(lambda _request, reply: {**reply, "go_to": None})
    guests = 0
    play(studio, days=2, backend=backend, report=heard)
    worlds = {request.place: about(request).world for request in backend.asked if request.purpose == "scene"}
    ordered = sorted(worlds)
    for place, later in pairwise(ordered):
        scene = next(item for item in heard.scenes if str(item.ref) == place)
        if scene.type.name == "WORK" and later.startswith(place.partition("/")[0]):
            before = {name: agent.state.position for name, agent in worlds[place].agents.items()}
            after = {name: agent.state.position for name, agent in worlds[later].agents.items()}
            assert after == {**before, scene.cast[0]: scene.place}
            guests += sum(before[name] != scene.place for name in scene.cast[1:])
    assert guests


def test_every_character_has_a_letter_a_day_that_names_company(letters: list[Request]) -> None:
    met = {
        (about(request).scene.ref.day, request.who)
        for kind in ("WORK", "ENCOUNTER", "MEETING")
        for request, text in scenes(letters, kind)
        if HERE in text or "Mit dir hier: " in text or "Mit dabei: " in text
    }
    assert met == {(day, name) for day in (1, 2, 3) for name in names(letters[0])}


def test_who_goes_to_another_place_for_its_work_works_there(studio: Layout) -> None:
    def change(request: Request, reply: dict[str, object]) -> dict[str, object]:
        arrives = request.purpose == "scene" and about(request).here.type == "ARRIVAL"
        return {**reply, "go_to": "flur"} if arrives else reply

    backend = Scripted(change)
    play(studio, days=3, backend=backend)
    played: set[tuple[int, str]] = set()
    found = 0
    for request in (item for item in backend.asked if item.purpose == "scene"):
        cue = about(request)
        day, kind = cue.scene.ref.day, cue.here.type
        if kind == "WORK" and request.label == cue.scene.cast[0] and (day, request.who) not in played:
            found += 1
            assert "Ort: flur" in text_of(request.messages[0][1])
        played |= {(day, name) for name in cue.scene.cast if kind != "ARRIVAL"}
    assert found


def test_who_changes_its_trust_reads_its_own_sentence_and_the_new_number(dinner: Layout) -> None:
    set_sections(dinner.settings, "relationships: on\n")
    said = {"with": "jordan", "type": "rival", "trust": 0.4, "tone": "warm", "why": "He tasted it.", "notes": ""}

    def change(request: Request, reply: dict[str, object]) -> dict[str, object]:
        reply = {**reply, "relationships": []} if "relationships" in reply else reply
        return {**reply, "relationships": [said]} if request.label == "alex" else reply

    backend = Scripted(change)
    talk = SceneRequest("encounter", ("alex", "jordan"))
    for _ in range(2):
        play_with(dinner, backend, Heard(), lambda master: master.play_requested(talk))
    of_alex = [text_of(request.messages[0][1]) for request in backend.asked if request.label == "alex"]
    before, after = (
        next(line for line in text.splitlines() if line.startswith("- Jordan: ")) for text in (of_alex[0], of_alex[-1])
    )
    own = before.partition("“")[2]
    assert own
    assert "trust" not in before
    assert after.startswith("- Jordan: rival; trust +0.4; warm: “")
    assert after.partition("“")[2] == f"{own} Why: He tasted it."
