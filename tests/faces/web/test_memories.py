"""What characters remember, in pages: lists with a filter, one memory, reflections as trees, the search."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from gm.base.casefold import search_key
from gm.faces.web.pages import search
from gm.faces.web.pages.memories import page_numbers
from gm.faces.web.publish import publish
from gm.faces.web.rendering import make_ready, mark_spans
from gm.faces.web.site import open_site
from gm.files.layout import Layout
from gm.memory.search import matches, terms_in
from tests.api.views.worlds import line, world
from tests.cli.inspecting.test_why import lived, rewrite
from tests.faces.web.conftest import Browse
from tests.faces.web.links import check_links, read_page
from tests.files.streams.test_unread import make_unread

NOTHING: frozenset[str] = frozenset()
ATTACK = "</script><img src=x onerror=alert(1)> & \"quoted\" 'single' {{ 7*7 }} \u2028"


def ids_in(page: str) -> list[str]:
    return re.findall(r'<li class="memory[^"]*" id="mem_([^"]+)"', page)


@pytest.fixture
def many(tmp_path: Path) -> Layout:
    lines = [line(f"vera-{number:03d}", f"Der Turm steht {number}.", tags=["turm"]) for number in range(1, 251)]
    lines += [line("vera-251", type="reflection", depth=1, evidence=["vera-001", "vera-999", "leo-001"])]
    return world(tmp_path / "world", {"vera": lines, "leo": [line("leo-001", ATTACK, tags=["<b>", 'a"b'])]})


def test_a_list_has_a_hundred_memories_a_page_the_newest_first(many: Layout, browse: Browse) -> None:
    client = browse(many)
    first = client.get("/agents/vera/memories-1.html").text
    assert len(ids_in(first)) == 100
    assert ids_in(first)[0] == "vera-251"
    assert len(ids_in(client.get("/agents/vera/memories-3.html").text)) == 51
    for path in ("memories-4", "memories-0", "memories-01", "memories-x", "memories-1000000000000"):
        assert client.get(f"/agents/vera/{path}.html").status_code == 404


def test_a_filter_stands_in_the_address_and_stays_while_pages_are_turned(many: Layout, browse: Browse) -> None:
    client = browse(many)
    page = client.get("/agents/vera/memories-1.html", params={"q": "Türme", "order": "oldest"}).text
    assert ids_in(page)[:2] == ["vera-001", "vera-002"]
    assert "<mark>Turm</mark> steht 1." in page
    following = next(link for _, link in read_page(page).links if "memories-2" in link)
    assert parse_qs(urlsplit(following).query) == {"q": ["Türme"], "order": ["oldest"]}
    assert ids_in(client.get(f"/agents/vera/{following}").text)[0] == "vera-101"


def test_each_condition_can_be_taken_away_by_itself(many: Layout, browse: Browse) -> None:
    page = browse(many).get("/agents/vera/memories-1.html?type=observation&tag=turm&least=3").text
    chosen = page[page.index('<ul class="chosen"') :]
    links = re.findall(r'href="([^"]+)"', chosen[: chosen.index("</ul>")])
    assert [link.replace("&amp;", "&").partition("?")[2] for link in links] == [
        "tag=turm&least=3",
        "type=observation&least=3",
        "type=observation&tag=turm",
    ]


def test_what_a_person_wrote_is_text_on_every_page(many: Layout, browse: Browse) -> None:
    client = browse(many)
    for path in (
        "/agents/leo/memories-1.html",
        "/agents/leo/memory/leo-001.html",
        "/agents/vera/reflections.html",
        "/search.html?q=img",
        "/search.html?q=%3Cscript%3Ealert(1)%3C/script%3E&tag=%22%3E%3Cb%3E",
    ):
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert "<img" not in answer.text
        assert "<b>" not in answer.text
        assert read_page(answer.text).inline == []


def test_marks_are_made_from_places_and_every_piece_is_escaped() -> None:
    assert mark_spans("<b>&x", [(0, 3), (4, 5)]) == "<mark>&lt;b&gt;</mark>&amp;<mark>x</mark>"
    assert mark_spans("<i>", []) == "&lt;i&gt;"


def test_a_memory_has_a_page_with_its_line_and_what_it_rests_on(many: Layout, browse: Browse) -> None:
    client = browse(many)
    page = client.get("/agents/vera/memory/vera-251.html").text
    assert "state/memories/vera.jsonl:251" in page
    assert "gibt es nicht" in page
    assert 'href="vera-001.html"' in page
    assert 'href="../../leo/memory/leo-001.html"' in page
    for path in (
        "agents/vera/memory/vera-998",
        "agents/leo/memory/vera-001",
        "agents/vera/memory/x",
        "agents/vera/memory/_2e__2e__2f_",
    ):
        assert client.get(f"/{path}.html").status_code == 404


def test_other_keys_of_a_line_are_shown_as_text(tmp_path: Path, browse: Browse) -> None:
    said = [{"agent": "leo", "text": "<i>Guten Tag.</i>"}, "x", {"agent": 3, "text": None}, {"text": "Wer da?"}]
    odd = {"exchange": said, "kind": "dialogue", "<b>": ["</dd>", {"tief": None}], "speaker": 3}
    layout = world(
        tmp_path / "world", {"vera": [line("vera-001", metadata=odd), line("vera-002", metadata={"exchange": 5})]}
    )
    page = browse(layout).get("/agents/vera/memory/vera-001.html").text
    assert "&lt;i&gt;Guten Tag.&lt;/i&gt;" in page
    assert "Wer da?" in page
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "<i>" not in page
    assert browse(layout).get("/agents/vera/memory/vera-002.html").status_code == 200


def test_a_question_in_a_trace_of_any_shape_does_not_break_the_page(played: Layout, browse: Browse) -> None:
    folder = played.traces / "day-001"
    for path in folder.rglob("*.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        record["request"] = {"system": ["x", 3, {"text": "<u>"}], "messages": [{"content": [{"a": 1}]}, 4]}
        path.write_text(json.dumps(record), encoding="utf-8")
    page = browse(played).get("/agents/vera/memory/vera-001.html")
    assert page.status_code == 200
    assert "&lt;u&gt;" in page.text


def test_a_tree_opens_and_closes_without_scripts(many: Layout, browse: Browse) -> None:
    page = browse(many).get("/agents/vera/reflections.html").text
    tree = page[page.index('<ol class="forest">') :]
    assert tree.count("<details>") == 1
    assert "vera-001" in tree
    assert "hidden data-tree-switches" in page


def test_broken_lines_are_named_and_the_rest_is_shown(tmp_path: Path, browse: Browse) -> None:
    layout = world(tmp_path / "world", {"vera": [line("vera-001"), "{<kaputt>"]})
    page = browse(layout).get("/agents/vera/memories-1.html").text
    assert ids_in(page) == ["vera-001"]
    assert "state/memories/vera.jsonl:2:2" in page


def test_a_search_shows_whose_each_memory_is(played: Layout, browse: Browse) -> None:
    page = browse(played).get("/search.html", params={"q": "Vera"}).text
    assert "<mark>Vera</mark>" in page
    one = browse(played).get("/search.html", params={"q": "Vera", "agent": "leo"}).text
    assert one.count('<li class="memory') < page.count('<li class="memory')
    assert browse(played).get("/search.html", params={"agent": "nobody"}).status_code == 400


def test_a_search_before_all_is_read_shows_the_newest_and_says_that_older_ones_are_not_counted(
    tmp_path: Path, browse: Browse, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = [f"day-{1 + number // 20:03d}/scene-01" for number in range(400)]
    lines = [line(f"vera-{at + 1:03d}", f"Turm {at}.", created=day, tags=["bau"]) for at, day in enumerate(days)]
    layout = world(tmp_path, {"vera": lines})
    make_unread(layout, monkeypatch)
    first, second = (browse(layout).get("/search.html", params={"q": "turm", "page": page}).text for page in "12")
    assert "<bdi><mark>Turm</mark> 399.</bdi>" in first
    assert "ältere sind noch nicht gezählt" in first
    assert "page=2" in first
    shown = [re.findall(r"<mark>Turm</mark> (\d+)\.", page) for page in (first, second)]
    assert shown == [[str(399 - at) for at in range(100)], [str(299 - at) for at in range(100)]]
    rare = browse(layout).get("/search.html", params={"q": '"Turm 7."'}).text
    assert "Eine gefunden." in rare


@pytest.mark.parametrize("query", ["vera", "arbeit", "turm", "abend", "a", '"das ist"', "vera arbeit", "nirgends"])
def test_scenes_and_days_that_are_found_are_the_newest_that_match(five_days: Layout, query: str) -> None:
    site, terms = open_site(five_days), terms_in(query, "de")
    logged = [(day, scene) for day in reversed(site.days) for scene in reversed(day.scenes)]
    scenes = [scene for _, scene in logged if matches(search_key(search._searched_words(site, scene)), terms)]
    days = [day for day in reversed(site.days) if matches(search_key(day.summary), terms)]
    found = search._find_logged(site, terms)
    assert found == (scenes[: search.MOST_SCENES], days[: search.MOST_DAYS])


def test_published_memories_are_places_in_lists_and_nothing_leads_to_pages_that_only_live_ones_have(
    many: Layout, tmp_path: Path
) -> None:
    publish(many, tmp_path / "site", NOTHING)
    pages, faults = check_links(tmp_path / "site")
    assert [fault for fault in faults if "nothing leads there" not in fault] == []
    assert "agents/vera/memories-3.html" in pages
    assert not any("/memory/" in name for name in pages)
    tree = (tmp_path / "site" / "agents/vera/reflections.html").read_text(encoding="utf-8")
    assert 'href="memories-3.html#mem_vera-001"' in tree


def test_a_piece_that_says_the_word_as_it_was_typed_is_found_before_other_forms_of_it(
    studio: Layout, browse: Browse
) -> None:
    (studio.gallery / "design").mkdir(parents=True, exist_ok=True)
    for name, title in (("a", "Die Türme"), ("b", "Ein Turm")):
        made = studio.gallery / "design" / f"day-001_{name}_v1.md"
        made.write_text(f"---\ntitle: {title}\n---\n\nEin Blatt.\n", encoding="utf-8")
    text = re.sub(r"<[^>]*>", "", browse(studio).get("/search.html", params={"q": "Turm"}).text)
    assert 0 < text.index("Ein Turm") < text.index("Die Türme")


def test_the_published_search_brings_what_there_is_to_find_as_harmless_script(many: Layout, tmp_path: Path) -> None:
    publish(many, tmp_path / "site", NOTHING)
    script = (tmp_path / "site" / "search-data.js").read_text(encoding="utf-8")
    assert script.count("\n") == 1
    assert "<" not in script
    assert "\u2028" not in script
    data = json.loads(script.removeprefix("window.gmFound = ").removesuffix(";\n"))
    found = {row[1]: row for row in data["memories"]}
    assert len(found) == 252
    assert found["leo-001"][8] == ATTACK
    assert found["vera-001"][2] == "agents/vera/memories-3.html#mem_vera-001"


def test_private_memories_are_on_no_published_page(tmp_path: Path) -> None:
    secret = line("vera-002", "Niemand darf das wissen.", tags=["Privat"], evidence=["vera-001"])
    above = line("vera-003", type="reflection", depth=1, evidence=["vera-002"])
    layout = world(tmp_path / "world", {"vera": [line("vera-001"), secret, above]})
    publish(layout, tmp_path / "site", frozenset({"private"}))
    for path in (tmp_path / "site").rglob("*.*"):
        assert b"Niemand darf" not in path.read_bytes(), path
    assert b"vera-003" not in (tmp_path / "site/agents/vera/reflections.html").read_bytes()
    publish(layout, tmp_path / "open", NOTHING)
    assert "Niemand darf" in (tmp_path / "open/agents/vera/memories-1.html").read_text(encoding="utf-8")
    assert b"vera-003" in (tmp_path / "open/agents/vera/reflections.html").read_bytes()


def test_an_id_that_stands_in_two_files_has_one_place_on_a_page(tmp_path: Path) -> None:
    layout = world(tmp_path / "world", {"vera": [line("vera-001")]}, archive={"vera": [line("vera-001")]})
    publish(layout, tmp_path / "site", NOTHING)
    page = read_page((tmp_path / "site/agents/vera/memories-1.html").read_text(encoding="utf-8"))
    assert page.places.count("mem_vera-001") == 1


def test_a_server_keeps_what_it_has_read_and_sees_what_is_added(many: Layout, browse: Browse) -> None:
    client = browse(many)
    assert ids_in(client.get("/agents/leo/memories-1.html").text) == ["leo-001"]
    with open(many.stream("leo"), "a", encoding="utf-8") as file:
        file.write(line("leo-002") + "\n")
    assert ids_in(client.get("/agents/leo/memories-1.html").text) == ["leo-002", "leo-001"]


@pytest.mark.parametrize(
    ("page", "pages", "numbers"),
    [
        (1, 1, [1]),
        (1, 9, [1, 2, 3, 0, 9]),
        (5, 9, [1, 2, 3, 4, 5, 6, 7, 8, 9]),
        (50, 99, [1, 0, 48, 49, 50, 51, 52, 0, 99]),
    ],
)
def test_page_numbers_name_the_ends_and_what_is_near(page: int, pages: int, numbers: list[int]) -> None:
    assert page_numbers(page, pages) == numbers


def test_every_template_can_be_compiled_ahead() -> None:
    make_ready()


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_page_of_a_memory_that_was_edited_by_hand_says_so(played: Layout, browse: Browse, language: str) -> None:
    memory = lived(played)
    rewrite(played, memory, "Ganz anders.")
    settings = played.settings.read_text(encoding="utf-8")
    played.settings.write_text(settings.replace("language: de", f"language: {language}"), encoding="utf-8")
    page = browse(played).get(f"/agents/{memory.id.rpartition('-')[0]}/memory/{memory.id}.html")
    assert page.status_code == 200
    assert ("von Hand geändert" if language == "de" else "changed by hand") in page.text
