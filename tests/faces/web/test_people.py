"""The pages of the people: cast, portraits, relationships, diaries, souls."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import html5lib
import pytest

from gm.api.answers.speech import load_words
from gm.base.markup.html import render_prose
from gm.faces.web.pages.cast import COURSES, LAYER_PAGES, tones_of, trust_word
from gm.faces.web.paths import relative
from gm.faces.web.publish import publish
from gm.faces.web.site import NoPageError, open_site
from gm.files.layout import Layout
from gm.layers.diary import DIARY
from gm.layers.goals import GOALS
from gm.layers.relationships import RELATIONSHIPS
from gm.layers.soul import SOUL
from gm.layers.working import WORKING
from tests.api.views.worlds import line, world
from tests.everything import everything_off, everything_on
from tests.faces.web.conftest import Browse
from tests.faces.web.links import check_links, read_page
from tests.faces.web.test_graphs import blocks
from tests.handmade import make_handmade
from tests.stories.playing import edit, play

OWN = ("", "/relationships", "/diary", "/soul")


def own_pages(agent: str) -> list[str]:
    return [f"/agents/{agent}{page}.html" for page in OWN]


def write_diary(layout: Layout, agent: str, days: int) -> None:
    layout.layer_folder(DIARY).mkdir(exist_ok=True)
    lines = (json.dumps({"day": day, "text": f"Satz {day}."}) for day in range(1, days + 1))
    layout.layer(DIARY, agent).write_text("\n".join(lines), encoding="utf-8")


def test_the_cast_leads_to_everybody(studio: Layout, browse: Browse) -> None:
    text = browse(studio).get("/agents/index.html").text
    links = {address for tag, address in read_page(text).links if tag == "a"}
    assert {f"{name}.html" for name in studio.agent_names()} <= links
    assert "Eine ehemalige Tierpräparatorin" in text


def test_a_portrait_says_who_a_character_is_and_how(played: Layout, browse: Browse) -> None:
    page = browse(played).get("/agents/vera.html")
    assert page.status_code == 200
    for part in ("Vera Hollstein", "Concept Artist", "grantig", "aufgewachsen in Bremerhaven", "Ankommen"):
        assert part in page.text, part


def test_a_portrait_says_at_home_where_by_the_name_of_the_place(dinner: Layout, browse: Browse) -> None:
    assert '<bdi class="place">Living room</bdi>' in browse(dinner).get("/agents/casey.html").text


def test_a_portrait_draws_the_last_days_or_on_request_and_when_published_all(
    five_days: Layout, browse: Browse, tmp_path: Path
) -> None:
    layout = Layout(tmp_path / "world")
    shutil.copytree(five_days.root, layout.root)
    pages, address = browse(layout), "/agents/vera.html"
    usual = pages.get(address).text
    assert "?days=all" not in usual
    edit(layout.world, {"day": 62})
    late, whole = (pages.get(f"{address}{query}").text for query in ("", "?days=all"))
    assert "Gezeichnet sind die letzten 60 Tage." in late
    assert '<a href="vera.html?days=all">' in late
    assert '<a href="vera.html">' in whole
    spans = [[span["short"] for span in courses_of(page)["importance"]["spans"]] for page in (usual, late, whole)]
    assert spans[1] == spans[0][-3:]
    publish(layout, tmp_path / "site", frozenset())
    published = (tmp_path / "site" / "agents" / "vera.html").read_text(encoding="utf-8")
    assert "letzten 60 Tage" not in published
    assert courses_of(published) == courses_of(whole) == courses_of(usual)


def courses_of(page: str) -> dict[str, Any]:
    return {kind: blocks(page)[f"data-{kind}-vera"]["data"] for kind in COURSES}


def test_a_portrait_shows_how_it_went_as_soon_as_there_is_a_course(played: Layout, browse: Browse) -> None:
    client = browse(played)
    assert "data-chart" not in client.get("/agents/vera.html").text
    play(played)
    page = client.get("/agents/vera.html").text
    assert page.count("data-chart=") == 2
    assert "echarts.min.js" in page
    assert "data-numbers" not in page


def test_a_plan_that_is_done_says_so_in_the_language_of_the_world(studio: Layout, browse: Browse) -> None:
    edit(studio.agent("vera"), {"today_plan": ["DONE: Gips anrühren", "Leim suchen"]})
    page = browse(studio).get("/agents/vera.html").text
    assert '<bdi class="soft">Gips anrühren</bdi> <span class="tag">erledigt</span>' in page
    assert "DONE" not in page
    assert "<li><bdi>Leim suchen</bdi></li>" in page


def test_the_pages_of_a_character_lead_to_each_other(studio: Layout, browse: Browse) -> None:
    client = browse(studio)
    for path in own_pages("vera"):
        links = {address for tag, address in read_page(client.get(path).text).links if tag == "a"}
        for other in own_pages("vera"):
            assert relative(other.lstrip("/"), path.lstrip("/")) in links, (path, other)


@pytest.mark.parametrize("path", ["/agents/nobody.html", "/agents/vera/diary-1.html", "/agents/vera/diary-2.html",
                                  "/agents/vera/diary-02.html", "/agents/vera/diary-x.html", "/agents/nobody/soul.html",
                                  "/agents/nobody/relationships.html"])  # fmt: skip
def test_who_and_what_does_not_exist_has_no_page(studio: Layout, browse: Browse, path: str) -> None:
    assert browse(studio).get(path).status_code == 404


def test_a_world_with_everything_on_shows_all_layers(studio: Layout, browse: Browse) -> None:
    client = browse(everything_on(studio))
    everything = "".join(client.get(path).text for path in own_pages("vera"))
    for part in ("Etwas bauen, das ohne mich", "Bis heute Abend eine Sache", "Was steht, muss auch stehen können",
                 "einmal die Lampe gehalten", "wie müde ich bin", "von Anfang an bekannt"):  # fmt: skip
        assert part in everything, part


def test_layers_that_are_off_are_said_to_be(dinner: Layout, browse: Browse) -> None:
    client = browse(dinner)
    assert "does not keep what its people think" in client.get("/agents/alex/relationships.html").text
    assert "No diaries are kept" in client.get("/agents/alex/diary.html").text
    assert "Souls are switched off" in client.get("/agents/alex/soul.html").text


def test_what_is_switched_off_is_shown_with_a_word_about_it(studio: Layout, browse: Browse) -> None:
    everything_off(everything_on(studio))
    client = browse(studio)
    for page, text in (("soul", "Was steht, muss auch"), ("diary", "wie müde ich bin"), ("relationships", "die Lampe")):
        shown = client.get(f"/agents/vera/{page}.html").text
        assert "ausgeschaltet" in shown, page
        assert text in shown, page


def test_a_long_diary_is_turned_page_by_page(studio: Layout, browse: Browse) -> None:
    write_diary(studio, "vera", 61)
    client = browse(studio)
    last = client.get("/agents/vera/diary-3.html").text
    assert "Satz 1." in last
    assert "Satz 32." not in last
    assert "diary-2.html" in last
    assert 'href="diary.html"' in client.get("/agents/vera/diary-2.html").text
    assert client.get("/agents/vera/diary-4.html").status_code == 404


def test_what_a_model_wrote_does_nothing_on_these_pages(tmp_path: Path, browse: Browse) -> None:
    evil = "<img src=x onerror=alert(1)><script>alert(1)</script>"
    layout = world(tmp_path, {"vera": [line("vera-001", evil, tags=[evil]), line("vera-002", evil, type="reflection",
                   depth=1, evidence=["vera-001", evil])]})  # fmt: skip
    for folder in (layout.personas, layout.agents, layout.layer_folder(SOUL), layout.layer_folder(RELATIONSHIPS)):
        folder.mkdir(parents=True)
    layout.persona("vera").write_text(f"---\nrole: '{evil}'\n'{evil}': ['{evil}']\n---\n# {evil}\n", encoding="utf-8")
    layout.agent("vera").write_text(json.dumps({"name": evil, "mood": evil, "today_plan": [evil]}), encoding="utf-8")
    layout.layer(SOUL, "vera").write_text(f"'{evil}': ['{evil}']\n", encoding="utf-8")
    layout.layer(RELATIONSHIPS, "vera").write_text(json.dumps({evil: {"rationale": evil}}), encoding="utf-8")
    write_diary(layout, "vera", 1)
    layout.layer(DIARY, "vera").write_text(json.dumps({"day": 1, "text": evil, "mood": evil}), encoding="utf-8")
    client = browse(layout)
    for path in ("/agents/index.html", *own_pages("vera")):
        page = client.get(path)
        assert page.status_code == 200
        assert "<img src=x" not in page.text
        assert "<script>alert" not in page.text
        assert read_page(page.text).inline == []


def test_broken_files_are_named_with_their_place_and_every_page_stands(studio: Layout, browse: Browse) -> None:
    everything_on(studio)
    for path, text in (
        (studio.agent("vera"), "{"),
        (studio.layer(SOUL, "vera"), "beliefs: ["),
        (studio.layer(WORKING, "vera"), "a: b: c"),
        (studio.layer(RELATIONSHIPS, "vera"), '{"leo": 3}'),
        (studio.layer(DIARY, "vera"), '{"day": "x"}\n'),
        (studio.layer(GOALS, "vera"), "nichts\n"),
        (studio.persona("vera"), "---\nrole: [\n---\nProsa.\n"),
        (studio.gifted("vera"), "nichts\n"),
    ):
        path.write_text(text, encoding="utf-8")
    studio.memories.mkdir(exist_ok=True)
    studio.stream("vera").write_text(line("vera-001", "Ganz.") + '\n{"id": "vera-002"\n', encoding="utf-8")
    client = browse(studio)
    pages = {path: client.get(path) for path in own_pages("vera")}
    assert {page.status_code for page in pages.values()} == {200}
    portrait = pages["/agents/vera.html"].text
    for place in ("state/agents/vera.json:1:2", "state/memories/vera.jsonl:2:", "state/goals/vera.jsonl:1:1",
                  "state/personas/vera.md:", "state/working/vera.yaml:1:"):  # fmt: skip
        assert place in portrait, place
    assert "Ganz." in portrait
    assert "state/souls/vera.yaml:" in pages["/agents/vera/soul.html"].text
    assert "state/diary/vera.jsonl:1:" in pages["/agents/vera/diary.html"].text
    assert "state/relationships/vera.json:1:" in pages["/agents/vera/relationships.html"].text
    assert client.get("/agents/index.html").status_code == 200


def test_a_world_made_by_hand_is_shown(tmp_path: Path, browse: Browse) -> None:
    layout = make_handmade(tmp_path / "hand")
    client = browse(layout)
    for path in ("/agents/index.html", *own_pages("mina"), *own_pages("ole")):
        assert client.get(path).status_code == 200, path
    text = client.get("/agents/mina.html").text
    assert "Wer wartet, sieht mehr." in text
    assert "Die Türme am Ufer" in text


def test_published_pages_of_everybody_hold_together(studio: Layout, tmp_path: Path) -> None:
    everything_on(studio)
    write_diary(studio, "vera", 61)
    publish(studio, tmp_path / "site", frozenset())
    pages, faults = check_links(tmp_path / "site")
    assert [fault for fault in faults if fault.startswith("agents/")] == []
    assert {f"agents/vera{page}.html" for page in (*OWN, "/diary-2", "/diary-3")} <= set(pages)
    for path in (*own_pages("vera"), "/agents/index.html"):
        page = pages[path.removeprefix("/")]
        assert page.headings[0] == 1, path
        assert all(later <= earlier + 1 for earlier, later in zip(page.headings, page.headings[1:], strict=False)), path
        assert len(set(page.places)) == len(page.places), path
        html5lib.HTMLParser(strict=True).parse((tmp_path / "site" / path.removeprefix("/")).read_text(encoding="utf-8"))


def test_what_is_kept_back_has_neither_page_nor_link(studio: Layout, tmp_path: Path) -> None:
    everything_on(studio)
    publish(studio, tmp_path / "site", frozenset(("diary", "soul", "relationships", "private")))
    pages, faults = check_links(tmp_path / "site")
    assert [fault for fault in faults if fault.startswith("agents/")] == []
    assert not [path for path in pages if path.endswith(("diary.html", "soul.html", "relationships.html"))]
    text = (tmp_path / "site" / "agents" / "vera.html").read_text(encoding="utf-8")
    for secret in ("wie müde ich bin", "Was steht, muss auch stehen können", "einmal die Lampe gehalten"):
        assert secret not in text


def test_a_live_site_that_keeps_something_back_has_no_such_page(studio: Layout) -> None:
    site = open_site(studio, hidden=frozenset(("diary", "soul", "relationships")))
    assert {kind.name for kind in LAYER_PAGES} == {"diary", "diary_page", "relationships", "soul"}
    for kind in LAYER_PAGES:
        with pytest.raises(NoPageError):
            kind.show(site, {"agent": "vera", "page": "2"}, {})


def test_headings_of_prose_stand_below_those_of_the_page() -> None:
    for text in ("# A\n\n## B", "## A\n\n### B", "#### A\n\n##### B"):
        assert "<h3>A</h3>" in render_prose(text) or "<h4>A</h4>" in render_prose(text)
        assert "<h1" not in render_prose(text)
        assert "<h2" not in render_prose(text)


def test_trust_is_a_word_and_a_number_with_its_sign() -> None:
    values = (-1, -0.8, -0.45, -0.15, 0, 0.15, 0.45, 0.8, 1)
    words = ["hostile", "hostile", "distrust", "wary", "open", "some", "strong", "blind", "blind"]
    assert [trust_word(value) for value in values] == words
    say = load_words("de", "gm.faces.web")
    assert [say.signed(0.3, 2), say.signed(-0.3, 2), say.signed(0, 2)] == ["+0,30", "−0,30", "0,00"]


def test_the_same_mood_has_the_same_colour_however_it_is_written() -> None:
    tones = tones_of(["müde", "Müde", "", "froh", *(f"wort {n}" for n in range(20))])
    assert tones["müde"] == tones["Müde"] == 1
    assert "" not in tones
    assert set(tones.values()) == set(range(13))
