"""What graphs are drawn from, as it lies in the files of a world."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gm.api.answers.document import as_json
from gm.api.editing.accumulators import describe_accumulators
from gm.api.views.bank import moods_of_days
from gm.api.views.graphs import accumulators
from gm.api.views.graphs.draw import draw_agent, draw_world
from gm.api.views.graphs.moods import DIARY, FILE, LOG, TRACES
from gm.api.views.graphs.source import GraphSource
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.streams.archive import read_archive
from gm.files.streams.memories import Memories
from gm.layers.diary import DIARY as DIARIES
from gm.layers.privacy import PROMPTS
from gm.layers.relationships import RELATIONSHIPS
from tests.files.streams.test_unread import make_unread
from tests.stories.playing import edit

NODE: dict[str, Any] = {
    "created": "day-001/scene-01",
    "type": "observation",
    "depth": 0,
    "description": "Etwas.",
    "importance": 5,
    "tags": [],
    "evidence": [],
    "metadata": {},
}


def write(path: Path, *records: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")


@pytest.fixture
def small(tmp_path: Path) -> Layout:
    """A world of two, made by hand."""
    layout = Layout(tmp_path)
    layout.settings.write_text("language: de\n", encoding="utf-8")
    write(layout.world, {"day": 2, "day_open": False})
    for agent, name in (("ada", "Ada Ähre"), ("bo", "Bo Bölling")):
        write(layout.agent(agent), {"name": name, "mood": f"Stand {agent}", "importance_accumulator": 5})
    return layout


def test_archived_memories_come_first_and_what_no_character_lived_through_is_left_out(small: Layout) -> None:
    write(
        small.archived("ada"),
        {**NODE, "id": "ada-001"},
        {**NODE, "id": "ada-002", "metadata": {"kind": "summary"}},
        {**NODE, "id": "ada-003", "metadata": {"copied_from": "bo-001"}},
    )
    said = {"kind": "dialogue", "speaker": "bo", "turn": 1}
    write(
        small.stream("ada"),
        {**NODE, "id": "ada-004", "created": "day-002/scene-01"},
        {**NODE, "id": "ada-005", "created": "day-002/scene-01", "metadata": said},
    )
    source = GraphSource(small)
    rows = source.stream("ada")
    assert [row.id for row in rows] == ["ada-001", "ada-004"]
    assert source.texts("ada", rows) == ["Etwas.", "Etwas."]


def test_participants_are_found_by_any_of_their_names_and_strangers_left_out(small: Layout) -> None:
    write(
        small.day_log(1),
        {"scene": 1, "type": "WORK", "participants": ["Ada", "Bo Bölling", "creative-director", "ada"]},
    )
    source = GraphSource(small)
    (scene,) = source.scenes(source.cast())
    assert scene.cast == ("ada", "bo")


def test_a_mood_comes_from_diary_logbook_or_answers_and_that_of_today_from_the_file(
    small: Layout,
) -> None:
    write(small.layer(DIARIES, "ada"), {"day": "day-001", "text": "Nichts.", "mood": "aus dem Tagebuch"})
    write(
        small.day_log(1),
        {
            "scene": 1,
            "type": "WORK",
            "participants": ["ada", "bo"],
            "mood": {"after": {"Ada": "überholt", "Bo": "vom Tag"}},
        },
    )
    write(small.day_log(2), {"scene": 1, "type": "WORK", "participants": ["ada", "bo"]})
    answer = {"identity": "x", "who": "ada", "label": "ada", "answer": {"text": '{"mood": "gesagt"}'}}
    write(small.traces / "day-002" / "scene-01" / "ada.x.json", answer)
    source = GraphSource(small)
    found = {(mood.agent, mood.day): (mood.word, mood.source) for mood in source.moods(source.cast(), [1, 2])}
    assert found == {
        ("ada", 1): ("aus dem Tagebuch", DIARY),
        ("bo", 1): ("vom Tag", LOG),
        ("ada", 2): ("Stand ada", FILE),
        ("bo", 2): ("Stand bo", FILE),
    }
    edit(small.agent("ada"), {"mood": ""})
    moods = source.moods(source.cast(), [2])
    assert ("gesagt", TRACES) in [(mood.word, mood.source) for mood in moods if mood.agent == "ada"]
    assert moods_of_days(small, source.cast(), "ada", [2], ()) == {1: "aus dem Tagebuch", 2: "gesagt"}
    assert moods_of_days(small, source.cast(), "ada", [2], (PROMPTS, DIARIES.name)) == {}


def test_a_trace_may_name_a_turn_of_any_number(small: Layout) -> None:
    answer = {"identity": "x", "who": "ada", "label": f"ada-turn-{'9' * 5000}", "answer": {"text": '{"mood": "late"}'}}
    write(small.traces / "day-001" / "scene-01" / "ada.x.json", answer)
    assert moods_of_days(small, GraphSource(small).cast(), "ada", [1], ()) == {1: "late"}


def test_a_logbook_of_one_alone_may_say_a_mood_without_a_name(small: Layout) -> None:
    write(small.day_log(1), {"scene": 1, "participants": ["bo"], "mood": {"before": "matt", "after": "wach"}})
    source = GraphSource(small)
    assert [(mood.agent, mood.word) for mood in source.moods(source.cast(), [1])] == [("bo", "wach")]


def test_relationships_are_read_only_while_the_layer_is_on(small: Layout) -> None:
    write(small.layer(RELATIONSHIPS, "ada"), {"Bo": {"trust_level": 0.5}})
    source = GraphSource(small)
    regards = source.regards(source.cast())
    assert regards is not None
    assert regards["ada"]["bo"].trust_level == 0.5
    small.settings.write_text("language: de\nrelationships: off\n", encoding="utf-8")
    assert source.regards(source.cast()) is None


def test_sums_are_those_that_gm_accumulators_computes(five_days: Layout) -> None:
    world = load_world(five_days).world
    found = describe_accumulators(world, recompute=True, read_archive=partial(read_archive, five_days))
    known = as_json(found)["agents"]
    (graph,) = draw_world(GraphSource(five_days), kinds=["accumulators"])
    drawn = {panel["agent"]: panel["points"][-1][1] for panel in graph.data["panels"]}
    assert drawn == {name: item["recomputed"] for name, item in known.items()}
    assert any(panel["resets"] for panel in graph.data["panels"])


def test_a_played_world_has_every_graph_of_everybody(five_days: Layout) -> None:
    source = GraphSource(five_days)
    for graph in (*draw_world(source), *draw_agent(source, "vera")):
        assert graph.data, graph.id
        assert graph.finding
        assert graph.table.rows
        assert all(len(row) == len(graph.table.columns) for row in graph.table.rows)
        json.dumps(graph.data, allow_nan=False)


def test_a_broken_line_takes_nothing_else_with_it(played: Layout) -> None:
    before = len(GraphSource(played).stream("vera"))
    with played.stream("vera").open("a", encoding="utf-8") as file:
        file.write('{"id": "vera-9\n')
    with played.day_log(1).open("a", encoding="utf-8") as file:
        file.write("{\n")
    assert len(GraphSource(played).stream("vera")) == before
    assert all(graph.data for graph in draw_world(GraphSource(played)))


@pytest.mark.parametrize("days", [1, 2, 4])
def test_graphs_of_the_last_days_are_those_of_all_days_cut_there(
    five_days: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    monkeypatch.setattr(accumulators, "MOST_SCENES", 10_000)  # no graph is drawn day by day
    layout = Layout(tmp_path / "world")
    shutil.copytree(five_days.root, layout.root)
    read = Memories(layout)
    make_unread(layout, monkeypatch)
    late = draw_world(GraphSource(layout), days=days)
    read.warm()
    source = GraphSource(layout, read)
    assert late == draw_world(source, days=days)
    first = 5 - days + 1
    cut, whole = ({graph.kind: graph.data for graph in graphs} for graphs in (late, draw_world(source)))
    for one, other in zip(cut["accumulators"]["panels"], whole["accumulators"]["panels"], strict=True):
        for key in ("points", "resets"):
            assert named(cut, one[key], 0) == named(whole, other[key], first)
    kept = [place for place, span in enumerate(whole["importance"]["spans"]) if int(span["short"]) >= first]
    for one, other in zip(cut["importance"]["panels"], whole["importance"]["panels"], strict=True):
        assert one["mean"] == [other["mean"][place] for place in kept]
        assert one["count"] == [other["count"][place] for place in kept]
    assert sum(met[3] for met in cut["meetings"]["counts"]) == sum(
        met[3] for met in whole["meetings"]["counts"] if met[0] + 1 >= first
    )


def test_graphs_of_some_characters_are_those_of_all_of_them_cut_there(
    five_days: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accumulators, "MOST_SCENES", 10_000)  # no graph is drawn day by day
    source = GraphSource(five_days)
    names = list(source.cast().names)
    whole = {graph.kind: graph.data for graph in draw_world(source)}
    parts = [slice(0, 2), slice(2, len(names))]
    cut = [{graph.kind: graph.data for graph in draw_world(source, people=part)} for part in parts]
    for key in ("points", "resets"):
        sums = [named(data, panel[key], 0) for data in cut for panel in data["accumulators"]["panels"]]
        assert sums == [named(whole, panel[key], 0) for panel in whole["accumulators"]["panels"]]
    for kind, key in (("importance", "panels"), ("moods", "people"), ("meetings", "people")):
        assert [one for data in cut for one in data[kind][key]] == whole[kind][key]
    assert [one for data in cut for one in data["tags"]["choices"][1:]] == whole["tags"]["choices"][1:]
    for part, data in zip(parts, cut, strict=True):
        inside = range(len(names))[part]
        assert [[span, inside[one], inside[other], n] for span, one, other, n in data["meetings"]["counts"]] == [
            met for met in whole["meetings"]["counts"] if met[1] in inside and met[2] in inside
        ]
        kept = set(names[part])
        assert data["relationships"]["edges"] == [
            edge for edge in whole["relationships"]["edges"] if {edge["from"], edge["to"]} <= kept
        ]


def named(data: Mapping[str, Any], points: list[list[int]], first: int) -> list[tuple[str, int]]:
    """Return points since a day, with the names of their moments."""
    moments = data["accumulators"]["moments"]
    return [(moments[at]["name"], value) for at, value in points if int(moments[at]["short"]) >= first]


def test_sums_that_do_not_follow_from_the_last_days_are_read_from_the_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = Layout(tmp_path)
    layout.settings.write_text("language: de\n", encoding="utf-8")
    write(layout.world, {"day": 9, "day_open": False})
    insight = {**NODE, "type": "reflection", "depth": 1}
    for name in ("ada", "bo", "cy"):
        write(layout.agent(name), {"name": name})
        lines = [{**NODE, "id": f"{name}-{day:03d}", "created": f"day-{day:03d}/scene-01"} for day in range(1, 10)]
        write(layout.stream(name), *lines[:2], {**insight, **lines[2], "type": "reflection"}, *lines[3:])
    # a reflection that left no insight; one that only the file knows
    write(layout.day_log(5), {"scene": 1, "type": "REFLECTION", "participants": ["ada"]})
    edit(layout.agent("bo"), {"last_reflection": "bo-003"})
    read = Memories(layout)
    make_unread(layout, monkeypatch)
    late = draw_world(GraphSource(layout), days=3)
    read.warm()
    assert late == draw_world(GraphSource(layout, read), days=3)
    assert [panel["points"][-1][1] for panel in late[3].data["panels"]] == [45, 30, 45]
