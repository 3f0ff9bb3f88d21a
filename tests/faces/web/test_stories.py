"""The pages that read like a book: arcs, one character's days, two characters, and the recap of a day."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from gm.api.answers.speech import load_words
from gm.faces.web.publish import publish
from gm.files.layout import Layout
from tests.api.views.story import KEPT, PROMISE, REMINDER, THREADS, lines_of, make_story, write
from tests.faces.web.conftest import Browse
from tests.faces.web.links import check_links, read_page

PATHS = ("arcs.html", "arcs/thread-001.html", "agents/ada/days.html", "agents/bo/with/cy.html")
HOSTILE = "<script>alert(1)</script>{{ 7 * 7 }}"


@pytest.fixture
def story(tmp_path: Path) -> Layout:
    return make_story(tmp_path / "story")


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).replace("&#39;", "'").split())


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("language", ["en", "de"])
def test_each_page_is_whole_in_both_languages(tmp_path: Path, browse: Browse, path: str, language: str) -> None:
    answer = browse(make_story(tmp_path, language=language)).get(f"/{path}")
    assert answer.status_code == 200
    page = read_page(answer.text)
    assert page.inline == []
    assert len(page.places) == len(set(page.places))
    assert page.headings.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(page.headings))


def test_an_arc_tells_its_steps_in_order_with_links_to_their_scenes(story: Layout, browse: Browse) -> None:
    html = browse(story).get("/arcs/thread-001.html").text
    told = text_of(html)
    at = [told.index(words) for words in (PROMISE, "taken up", REMINDER, "It is due tomorrow.", KEPT)]
    assert at == sorted(at)
    assert {"../days/001.html#scene-02", "../days/002.html#scene-01"} <= {to for _, to in read_page(html).links}
    assert "Days 2 to 3" in told


def test_an_arc_that_is_open_says_so_and_offers_its_end_where_one_can_write(story: Layout, browse: Browse) -> None:
    assert "Day 4: still open." in text_of(browse(story).get("/arcs/thread-002.html").text)
    assert "edit/thread/thread-002.html" in browse(story).get("/arcs/thread-002.html").text
    assert "edit/thread/thread-002.html" not in browse(story, read_only=True).get("/arcs/thread-002.html").text


def test_the_day_begins_with_what_happened_before(story: Layout, browse: Browse) -> None:
    client = browse(story)
    assert "Previously" in client.get("/days/004.html").text
    assert "Ada has promised Bo something for today" in text_of(client.get("/days/004.html").text)
    assert "Previously" not in client.get("/days/001.html").text


def test_threads_people_and_relationships_lead_to_stories(story: Layout, browse: Browse) -> None:
    client = browse(story)

    def leads(path: str) -> set[str]:
        return {to for _, to in read_page(client.get(path).text).links}

    assert {"arcs.html", "arcs/thread-001.html"} <= leads("/threads.html")
    assert {"ada/days.html", "../arcs/thread-001.html"} <= leads("/agents/ada.html")
    assert "with/cy.html" in leads("/agents/bo/relationships.html")
    assert "agents/ada/with/bo.html" in leads("/arcs.html")
    assert "../agents/ada/with/bo.html" in leads("/arcs/thread-001.html")


@pytest.mark.parametrize(
    "path",
    [
        *("arcs-1.html", "arcs-2.html", "arcs/thread-077.html", "arcs/Thread-001.html", "arcs/..%2fgm.yaml.html"),
        *("agents/ada/days-1.html", "agents/dan/days.html", "agents/ada/with/cy.html", "agents/ada/with/ada.html"),
        *("agents/cy/with/bo.html", "agents/ada/with/dan.html"),
    ],
)
def test_what_does_not_exist_has_no_page(story: Layout, browse: Browse, path: str) -> None:
    assert browse(story).get(f"/{path}").status_code == 404


def test_words_of_a_world_are_only_words(story: Layout, browse: Browse) -> None:
    hostile = [{**one, "text": HOSTILE} for one in THREADS]
    write(story.threads, lines_of(hostile))
    for path in (*PATHS, "days/004.html"):
        text = browse(story).get(f"/{path}").text
        assert "<script>alert" not in text
        assert "49" not in text_of(text)


def test_a_published_story_has_the_same_pages_and_no_link_leads_nowhere(story: Layout, tmp_path: Path) -> None:
    done = publish(story, tmp_path / "site", frozenset())
    assert check_links(tmp_path / "site")[1] == []
    assert (done.pages["arcs"], done.pages["arc"], done.pages["life"], done.pages["pair"]) == (1, 5, 3, 2)
    for path in PATHS:
        assert (tmp_path / "site" / path).is_file()


def test_a_published_story_tells_nothing_of_what_is_kept_back(story: Layout, tmp_path: Path) -> None:
    publish(story, tmp_path / "site", frozenset(("private", "relationships", "diary")))
    assert check_links(tmp_path / "site")[1] == []
    site = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "site").rglob("*.html"))
    for secret in ("I tell nobody of the letter.", "Cy put me off.", "The kettle weighs on me."):
        assert secret not in site
    assert not (tmp_path / "site" / "arcs" / "thread-004.html").exists()
    assert "Rather on Thursday, Bo." in site


def test_a_world_without_anything_says_so(tmp_path: Path, browse: Browse) -> None:
    layout = make_story(tmp_path, logbook=False)
    layout.threads.unlink()
    assert load_words("en", "gm.faces.web")("arcs.none") in browse(layout).get("/arcs.html").text
    assert load_words("en", "gm.faces.web")("arcs.no_days") in browse(layout).get("/agents/ada/days.html").text
