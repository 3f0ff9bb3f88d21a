"""Graphs in pages: a finding and a table for everybody, data for a script, and nothing that can break out of it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gm.api.views.graphs.draw import OF_AGENT, OF_WORLD, draw_agent, draw_world
from gm.api.views.graphs.source import GraphSource, source_of
from gm.faces.web.pages import world
from gm.faces.web.publish import publish
from gm.files.layout import Layout
from gm.layers.diary import DIARY
from tests.faces.web.conftest import Browse
from tests.stories.playing import edit

BLOCK = re.compile(r'<script type="application/json" id="([^"]+)">(.*?)</script>', re.DOTALL)


def blocks(page: str) -> dict[str, dict[str, Any]]:
    return {name: json.loads(text) for name, text in BLOCK.findall(page)}


def remember(layout: Layout, agent: str, *nodes: Mapping[str, object]) -> None:
    with layout.stream(agent).open("a", encoding="utf-8", newline="\n") as file:
        for number, node in enumerate(nodes, 900):
            whole = {
                "id": f"{agent}-{number}",
                "created": "day-001/scene-01",
                "type": "observation",
                "depth": 0,
                "description": "Etwas.",
                "importance": 5,
                "tags": [],
                "evidence": [],
                "metadata": {},
                **node,
            }
            file.write(json.dumps(whole, ensure_ascii=False) + "\n")


def test_the_page_of_a_world_shows_every_graph_with_its_finding(played: Layout, browse: Browse) -> None:
    page = browse(played).get("/graphs.html").text
    graphs = draw_world(GraphSource(played))
    assert [graph.kind for graph in graphs] == list(OF_WORLD)
    for graph in graphs:
        assert f'id="{graph.id}"' in page
        assert graph.data, graph.kind
    found = blocks(page)
    assert {f"data-{graph.id}" for graph in graphs if graph.kind != "moods"} == found.keys()
    assert all(set(block) == {"data", "links"} for block in found.values())


def test_the_page_of_a_character_shows_its_own(played: Layout, browse: Browse) -> None:
    page = browse(played).get("/agents/vera/graphs.html").text
    assert [graph.kind for graph in draw_agent(GraphSource(played), "vera")] == list(OF_AGENT)
    assert 'data-chart="tags"' in page
    assert browse(played).get("/agents/nobody/graphs.html").status_code == 404


def test_without_a_script_the_numbers_are_there(played: Layout, browse: Browse) -> None:
    page = browse(played).get("/graphs.html").text
    assert page.count("<details data-numbers open>") == len(OF_WORLD) - 1  # moods are a table themselves
    assert '<table class="moods">' in page


def test_a_world_in_which_nothing_happened_yet_says_so(studio: Layout, browse: Browse) -> None:
    client = browse(studio)
    page = client.get("/graphs.html").text
    assert blocks(page) == {}
    assert "Noch sind sich keine zwei in einer Szene begegnet." in page
    assert "Vera hat noch keine Rückschau gehalten." in client.get("/agents/vera/graphs.html").text


def test_no_text_of_the_world_ends_the_data_or_becomes_an_element(played: Layout, browse: Browse) -> None:
    evil = "</script><script>alert(1)</script>"
    remember(played, "vera", *({"tags": [evil], "description": evil} for _ in range(50)))
    page = browse(played).get("/graphs.html").text
    assert evil not in page
    (tags,) = [block["data"] for name, block in blocks(page).items() if name == "data-tags"]
    assert evil in json.dumps(tags)


def test_an_open_page_shows_what_was_remembered_meanwhile(played: Layout, browse: Browse) -> None:
    client = browse(played)
    assert "neuerdings" not in client.get("/agents/vera/graphs.html").text
    remember(played, "vera", *({"tags": ["neuerdings"]} for _ in range(200)))
    assert "neuerdings" in client.get("/agents/vera/graphs.html").text


@pytest.mark.parametrize(("hidden", "kept"), [(frozenset(), True), (frozenset({"private"}), False)])
def test_a_published_site_keeps_private_memories_back(
    played: Layout, tmp_path: Path, hidden: frozenset[str], kept: bool
) -> None:
    secret = {
        "type": "reflection",
        "depth": 7,
        "tags": ["Privat", "verschwiegenes"],
        "description": "Das Verschwiegene.",
    }
    remember(played, "vera", *(secret for _ in range(100)))
    publish(played, tmp_path / "site", hidden)
    pages = [path.read_text(encoding="utf-8") for path in (tmp_path / "site").rglob("*graphs.html")]
    assert len(pages) == 1 + len(played.agent_names())
    assert any("erschwiegene" in page for page in pages) is kept


def test_what_is_kept_back_still_counts_in_the_sums(played: Layout) -> None:
    remember(played, "vera", {"tags": ["privat"], "importance": 10})
    (open_,) = draw_agent(source_of(played), "vera", kinds=["accumulators"])
    (shut,) = draw_agent(source_of(played), "vera", kinds=["accumulators"], hidden={"private"})
    assert open_ == shut


def test_relationships_and_diaries_that_are_kept_back_are_not_drawn(played: Layout) -> None:
    played.layer_folder(DIARY).mkdir()
    played.layer(DIARY, "vera").write_text(
        '{"day": "day-001", "text": "Nichts.", "mood": "wundersam"}\n', encoding="utf-8"
    )
    assert "wundersam" not in repr(draw_world(GraphSource(played)))  # today's mood is the one of the first page
    edit(played.agent("vera"), {"mood": ""})
    assert "wundersam" in repr(draw_world(GraphSource(played)))
    graphs = draw_world(GraphSource(played), hidden={"diary", "relationships", "prompts"})
    assert "wundersam" not in repr(graphs)
    assert [graph.kind for graph in graphs] == [kind for kind in OF_WORLD if kind != "relationships"]


def test_an_old_world_shows_its_last_days_and_on_request_and_when_published_all(
    played: Layout, browse: Browse, tmp_path: Path
) -> None:
    pages = browse(played)
    assert "?days=all" not in pages.get("/graphs.html").text
    edit(played.world, {"day": 61})
    late, whole = (pages.get(f"/graphs.html{query}").text for query in ("", "?days=all"))
    assert "die der letzten 60 Tage" in late
    assert '<a href="graphs.html?days=all">' in late
    assert '<a href="graphs.html">' in whole
    publish(played, tmp_path / "site", frozenset())
    published = (tmp_path / "site" / "graphs.html").read_text(encoding="utf-8")
    assert "letzten 60 Tage" not in published
    assert blocks(published)["data-importance"]["data"] == blocks(whole)["data-importance"]["data"]
    assert "data-importance" not in blocks(late)  # nothing was remembered after the first day


def test_graphs_of_many_characters_are_on_pages_of_some_each_or_on_request_and_when_published_on_one(
    five_days: Layout, browse: Browse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = Layout(tmp_path / "world")
    shutil.copytree(five_days.root, layout.root)
    pages, address = browse(layout), "/graphs.html"
    whole = pages.get(address).text
    assert "?people=" not in whole
    monkeypatch.setattr(world, "MOST_PEOPLE", 4)
    edit(layout.world, {"day": 61})
    names = layout.agent_names()
    texts = [pages.get(f"{address}?days=all&people={page}").text for page in (1, 2)]
    drawn = [[panel["agent"] for panel in panels_of(text)] for text in texts]
    assert drawn == [list(names[:4]), list(names[4:])]
    assert '<a href="graphs.html?people=2">' in texts[1]  # the last days of the same characters
    assert 'href="graphs.html?days=all" aria-current' not in texts[1]
    assert 'href="graphs.html?days=all&amp;people=2" aria-current="page"' in texts[1]
    for odd in ("0", "x", "9" * 30):
        assert 'href="graphs.html" aria-current="page"' in pages.get(f"{address}?people={odd}").text
    assert panels_of(pages.get(f"{address}?days=all&people=all").text) == panels_of(whole)
    publish(layout, tmp_path / "site", frozenset())
    published = (tmp_path / "site" / "graphs.html").read_text(encoding="utf-8")
    assert "?people=" not in published
    assert panels_of(published) == panels_of(whole)


def panels_of(page: str) -> list[dict[str, Any]]:
    panels: list[dict[str, Any]] = blocks(page)["data-importance"]["data"]["panels"]
    return panels
