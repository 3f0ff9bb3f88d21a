"""The cast in a few words, and each character whole."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gm.api.views.cast import CastView, ShownAgent, count_met, first_sentence, view_cast, view_frame
from gm.api.views.graphs.base import Cast, Met
from gm.api.views.portrait import Portrait, view_portrait
from gm.files.layout import Layout
from gm.files.streams import nodefile
from gm.files.streams.memories import Memories
from gm.layers.diary import DIARY
from gm.layers.goals import GOALS
from gm.model.calendar import SceneRef
from gm.model.node import is_beside
from tests.api.views.worlds import line, world
from tests.everything import everything_on
from tests.files.longstreams import make_stream, write_stream
from tests.files.streams.test_unread import make_unread
from tests.stories.playing import set_sections

PRIVATE = frozenset(("private",))


def cast_view(layout: Layout, hidden: frozenset[str] = frozenset()) -> CastView:
    return view_cast(layout, view_frame(layout), hidden)


def portrait(layout: Layout, agent: str, hidden: frozenset[str] = frozenset()) -> Portrait:
    return view_portrait(Memories(layout), view_frame(layout), agent, hidden)


def log(layout: Layout, day: int, *lines: dict[str, object]) -> None:
    layout.logbook.mkdir(parents=True, exist_ok=True)
    layout.day_log(day).write_text("".join(json.dumps(item) + "\n" for item in lines), encoding="utf-8")


def state(layout: Layout, agent: str, **values: object) -> None:
    layout.agents.mkdir(parents=True, exist_ok=True)
    layout.agent(agent).write_text(json.dumps({"name": agent.capitalize(), **values}), encoding="utf-8")


@pytest.fixture
def small(tmp_path: Path) -> Layout:
    vera = [
        line("vera-001", "Der Turm fiel.", importance=9),
        line("vera-002", "Leo log.", created="day-002/scene-01", importance=3, tags=["Privat"]),
        line(
            "vera-003",
            "Wer lügt, baut nicht.",
            created="day-002/scene-03",
            type="reflection",
            depth=1,
            evidence=["vera-001", "vera-002", "leo-001", "vera-777"],
        ),
        line("vera-004", "Von Leo.", created="day-002/scene-03", metadata={"copied_from": "leo-001"}),
    ]
    layout = world(tmp_path, {"vera": vera, "leo": [line("leo-001", "Ich war es nicht.")]})
    state(layout, "vera", mood="wund", last_reflection="vera-003", importance_accumulator=120)
    log(layout, 1, {"scene": 1, "type": "ARRIVAL", "participants": ["leo", "vera"]})
    return layout


def test_a_character_is_shown_with_its_last_insight_and_how_far_it_is_to_the_next(small: Layout) -> None:
    leo, vera = cast_view(small).members
    assert (vera.now.state.mood, vera.insight) == ("wund", "Wer lügt, baut nicht.")
    assert (vera.now.state.importance_accumulator, vera.now.reflection.threshold, vera.now.is_due) == (120, 100, True)
    assert (vera.memories, vera.reflections) == (4, 1)
    assert (leo.insight, leo.now.is_due) == ("", False)


def test_scenes_of_everybody_do_not_count_as_meetings() -> None:
    scenes = [
        Met(1, 1, "ARRIVAL", ("emre", "leo", "vera")),
        Met(1, 2, "ENCOUNTER", ("leo", "vera")),
        Met(1, 3, "WORK", ("vera",)),
    ]
    assert count_met(scenes) == {"leo": {"vera": 1}, "vera": {"leo": 1}}


def test_of_two_people_every_scene_counts() -> None:
    assert count_met([Met(1, 1, "ARRIVAL", ("leo", "vera"))])["vera"] == {"leo": 1}


def test_pages_call_a_character_as_prompts_do() -> None:
    called = [ShownAgent("krahl", name, 1).called for name in ("Frau Krahl", "Dr. Amira Haddad", " ")]
    assert called == ["Frau Krahl", "Amira", "krahl"]
    cast = Cast("de", {"krahl": "Frau Krahl", "amira": "Dr. Amira Haddad"})
    assert [cast.called(name) for name in cast.names] == ["Frau Krahl", "Amira"]


def test_a_persona_without_a_line_is_told_by_its_first_sentence() -> None:
    assert first_sentence("## Wer\n\nDu bist Vera. Du zeichnest.") == "Du bist Vera."
    assert first_sentence("Er lügt »nie«. Sagt er.") == "Er lügt »nie«."
    assert first_sentence("") == ""


def test_a_sentence_does_not_end_after_an_abbreviated_title() -> None:
    told = "Du bist Prof. Dr. Amira Haddad. Du heilst."
    assert first_sentence(told) == "Du bist Prof. Dr. Amira Haddad."
    assert first_sentence("Ask Mrs. Ott") == "Ask Mrs. Ott"


def test_what_a_character_rests_its_insights_on_is_found_wherever_it_lies(small: Layout) -> None:
    (insight,) = portrait(small, "vera").memory.insights
    found = [(cited.id, cited.found.node.description if cited.found else None) for cited in insight.evidence]
    assert found == [
        ("vera-001", "Der Turm fiel."),
        ("vera-002", "Leo log."),
        ("leo-001", "Ich war es nicht."),
        ("vera-777", None),
    ]


def test_newest_and_strongest_memories_leave_out_what_is_kept_beside_the_stream(small: Layout) -> None:
    memory = portrait(small, "vera").memory
    assert [item.node.id for item in memory.newest] == ["vera-003", "vera-002", "vera-001"]
    assert [item.node.id for item in memory.strongest] == ["vera-001", "vera-003", "vera-002"]
    assert (memory.count, memory.beside, memory.reflections) == (4, 1, 1)


@pytest.mark.parametrize("seed", range(3))
def test_a_portrait_of_a_long_stream_that_has_not_been_read_says_what_one_that_was_read_says(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = make_stream(seed, "vera", 300)
    lived = [node.id for node in nodes if not is_beside(node.metadata)]
    cited = (lived[0], nodes[-2].id, lived[-1], "leo-001", "vera-999999")
    nodes = [replace(node, evidence=cited) if node.type == "reflection" else node for node in nodes]
    layout = world(tmp_path, {"leo": [line("leo-001", "Ich war es nicht.")]})
    write_stream(layout, nodes, "vera")
    whole = portrait(layout, "vera")
    make_unread(layout, monkeypatch)
    monkeypatch.setattr(nodefile, "LONG", 1)
    assert portrait(layout, "vera") == whole
    assert whole.memory.insights[0].evidence[0].found
    unread = Memories(layout)
    view_portrait(unread, view_frame(layout), "leo")
    assert unread.unread().keys() == {"leo", "vera"}


def test_a_private_memory_is_marked_or_left_out_everywhere(small: Layout) -> None:
    shown = portrait(small, "vera")
    assert [item.node.id for item in shown.memory.newest if item.is_private] == ["vera-002"]
    kept_back = portrait(small, "vera", PRIVATE)
    assert "Leo log." not in repr(kept_back)
    assert kept_back.memory.insights[0].evidence[1].found is None


def test_a_private_insight_is_not_told_in_the_cast(small: Layout) -> None:
    lines = [json.loads(item) for item in small.stream("vera").read_text(encoding="utf-8").splitlines()]
    lines[2]["tags"] = ["private"]
    small.stream("vera").write_text("".join(json.dumps(item) + "\n" for item in lines), encoding="utf-8")
    assert cast_view(small).members[1].insight
    assert not cast_view(small, PRIVATE).members[1].insight


def test_days_tell_the_mood_and_how_much_they_weigh(small: Layout) -> None:
    small.layer_folder(DIARY).mkdir()
    small.layer(DIARY, "vera").write_text('{"day": "day-001", "text": "Ach.", "mood": "müde"}\n', encoding="utf-8")
    second, first = portrait(small, "vera").days
    assert (first.day, first.mood, first.memories, first.mean, first.most) == (1, "müde", 1, 9.0, 9)
    assert (second.day, second.mood, second.memories, second.mean, second.most) == (2, "", 2, 4.0, 5)
    assert portrait(small, "vera", frozenset(("diary",))).days[1].mood == ""


def test_scenes_are_listed_by_day_the_newest_first(small: Layout) -> None:
    log(small, 2, {"scene": 1, "type": "WORK", "participants": ["vera"]}, {"type": "SUMMARY", "summary": "Aus."})
    count, days = portrait(small, "vera").scenes
    assert count == 2
    assert [at for at, _ in days] == [SceneRef(2), SceneRef(1)]
    assert [(part.at, part.others) for _, parts in days for part in parts] == [
        (SceneRef(2, 1), ()),
        (SceneRef(1, 1), ("leo",)),
    ]


def test_a_piece_of_work_is_linked_only_where_its_file_is(small: Layout) -> None:
    made = [
        line(
            "leo-002", "Gebaut.", type="artifact", metadata={"artifact_path": "gallery/texte/a.md", "title": "Der Turm"}
        ),
        line("leo-003", "Weg.", type="artifact", metadata={"artifact_path": "gallery/texte/weg.md"}),
    ]
    with open(small.stream("leo"), "a", encoding="utf-8") as file:
        file.write("".join(f"{item}\n" for item in made))
    (small.gallery / "texte").mkdir(parents=True)
    (small.gallery / "texte" / "a.md").write_text("Ein Turm.", encoding="utf-8")
    made_by_leo = portrait(small, "leo").pieces
    assert made_by_leo is not None
    count, pieces = made_by_leo
    assert count == 2
    assert [(work.title, work.path) for work in pieces] == [("weg.md", ""), ("Der Turm", "texte/a.md")]
    assert portrait(small, "leo", frozenset({"memories"})).pieces is None, "unknown without the memories that name them"


def test_everything_a_mind_can_have_is_in_a_portrait(studio: Layout) -> None:
    everything_on(studio)
    shown = portrait(studio, "vera")
    assert [fact.key for _, facts in shown.layer_facts for fact in facts] == ["thinks", "current_subgoal", "known"]
    assert shown.goals[0].text.startswith("Etwas bauen")
    assert shown.memory.given
    assert shown.persona.role == "Concept Artist"
    assert "die Knochentürme" in shown.persona.topics
    assert shown.problems == ()


def test_what_was_given_of_friends_is_left_out_with_the_relationships(studio: Layout) -> None:
    everything_on(studio)
    friend = "Er schickt mir seine Nachrufe"
    assert any(friend in text for text in portrait(studio, "vera").memory.given)
    kept_back = portrait(studio, "vera", frozenset(("relationships",)))
    assert kept_back.memory.given
    assert friend not in repr(kept_back)


def test_examples_of_thoughts_are_left_out_with_the_thoughts(studio: Layout) -> None:
    assert "thoughts" in [fact.key for fact in portrait(studio, "vera").persona.rest]
    assert "thoughts" not in [fact.key for fact in portrait(studio, "vera", frozenset(("thoughts",))).persona.rest]


def test_a_file_that_is_broken_is_named_with_its_place_and_the_rest_is_there(studio: Layout) -> None:
    studio.layer_folder(GOALS).mkdir()
    studio.layer(GOALS, "vera").write_text(
        '{"id": "goal-01", "at": "day-001", "event": "hoped", "text": "x"}\n', encoding="utf-8"
    )
    studio.agent("vera").write_text('{"mood": ["wund"]}', encoding="utf-8")
    shown = portrait(studio, "vera")
    assert {problem.path for problem in shown.problems} == {"state/goals/vera.jsonl", "state/agents/vera.json"}
    assert all(problem.line and problem.column for problem in shown.problems)
    assert shown.persona.prose
    set_sections(studio.settings, "goals: off\n")
    assert {problem.path for problem in portrait(studio, "vera").problems} == {"state/agents/vera.json"}


def test_a_character_without_any_file_but_memories_has_a_portrait(small: Layout) -> None:
    shown = portrait(small, "leo")
    assert not shown.persona.exists
    assert shown.persona.path == "state/personas/leo.md"
    assert shown.memory.insights == ()
