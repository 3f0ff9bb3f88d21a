"""The front page, the entries of the navigation, and the search box in the header."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path

import pytest

from gm.api.views.today import view_today
from gm.faces.web.pages import BY_NAME, KINDS
from gm.faces.web.pages.kind import PageKind
from gm.faces.web.publish import publish
from gm.faces.web.rendering import MORE, PRIMARY
from gm.files.layout import Layout
from tests.faces.web.conftest import Browse
from tests.faces.web.links import read_page
from tests.stories.playing import edit


def words(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def test_who_is_where_is_a_map_of_places(played: Layout, browse: Browse) -> None:
    edit(played.agent("vera"), {"position": "flur", "mood": "hellwach", "current_task": "Krepp zählen"})
    edit(played.agent("leo"), {"position": "dachboden"})
    rooms = {room.place: room for room in view_today(played).rooms}
    assert "vera" in [each.agent for each in rooms["flur"].standing]
    assert rooms["flur"].sentence
    assert rooms["dachboden"].sentence == ""
    page = browse(played).get("/index.html").text
    room = next(part for part in page.split('<li class="room') if "<bdi>Flur</bdi>" in part)
    assert "hellwach" in room
    assert "Krepp zählen" in room
    assert "<bdi>Dachboden</bdi>" in page


def test_the_front_page_tells_the_latest_scenes_and_not_the_whole_day(five_days: Layout, browse: Browse) -> None:
    view = view_today(five_days)
    assert view.last is not None
    page = browse(five_days).get("/index.html").text
    assert page.count('<article class="glimpse">') == len(view.latest) == 2
    links = {address for tag, address in read_page(page).links if tag == "a"}
    assert {f"days/005.html#{scene.anchor}" for scene in view.latest} <= links
    assert page.count('class="turn ') == 0
    assert all(len(scene.cast) > 1 for scene in view.latest)


def test_what_is_due_and_what_comes_is_on_the_front_page(five_days: Layout, browse: Browse) -> None:
    view = view_today(five_days)
    page = words(browse(five_days).get("/index.html").text)
    for thread in [*view.threads.overdue[:3], *view.due[:4], *view.later[:3]]:
        assert words(html.escape(thread.text)) in page
    for each in view.ahead[:3]:
        assert each.event.event in page
    assert not {one.id for one in view.due} & {one.id for one in view.later}


def test_who_is_about_to_look_back_is_said_at_the_top(played: Layout, browse: Browse) -> None:
    client = browse(played)
    for name in played.agent_names():
        edit(played.agent(name), {"importance_accumulator": 3})
    assert 'class="waits"' not in client.get("/index.html").text
    edit(played.agent("vera"), {"importance_accumulator": 101})
    waits = client.get("/index.html").text.partition('class="waits"')[2].partition("</section>")[0]
    assert "Vera" in waits
    assert "Leo" not in waits


def test_open_letters_wait_and_lead_to_the_mailbox_where_there_is_one(
    played: Layout, browse: Browse, monkeypatch: pytest.MonkeyPatch
) -> None:
    played.mailbox.mkdir(parents=True, exist_ok=True)
    (played.mailbox / "day-002_scene-01_vera.md").write_text("?", "utf-8")
    client = browse(played)
    assert "Eine Frage wartet im Briefkasten" in client.get("/index.html").text
    shown = replace(KINDS[0], name="mailbox", pattern="mailbox.html")
    monkeypatch.setitem(BY_NAME, "mailbox", shown)
    page = client.get("/index.html").text
    assert '<a href="mailbox.html">Eine Frage wartet' in page


def kinds_of(names: tuple[str, ...]) -> dict[str, PageKind]:
    return {name: replace(KINDS[0], name=name, pattern=f"{name}.html", is_live=True) for name in names}


def test_five_entries_are_in_sight_and_the_rest_in_a_menu_that_needs_no_script(
    played: Layout, browse: Browse, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    listed = [name for group in MORE for name in group]
    for name, kind in kinds_of(tuple(name for name in (*PRIMARY, *listed) if name not in BY_NAME)).items():
        monkeypatch.setitem(BY_NAME, name, kind)
    page = browse(played).get("/index.html").text
    nav = page.partition("<nav")[2].partition("</nav>")[0]
    seen, _, menu = nav.partition("<details>")
    assert seen.count("<a ") + 1 == 5
    assert menu.count("<a ") == len(listed) - 1, "this world is no run of an experiment"
    assert menu.count('class="begins"') == len(MORE) - 1
    assert '<a class="button main" href="play.html">' in page
    publish(played, tmp_path / "site", frozenset())
    published = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "play.html" not in published
    assert "files.html" not in published


def test_a_page_of_the_menu_marks_it(played: Layout, browse: Browse) -> None:
    client = browse(played)
    assert '<summary class="current">' in client.get("/threads.html").text
    assert '<summary class="current">' not in client.get("/days/index.html").text


@pytest.mark.parametrize("path", ["/index.html", "/agents/vera.html", "/nothing.html", "/days/001.html"])
def test_every_page_has_a_search_box_that_is_a_plain_form(played: Layout, browse: Browse, path: str) -> None:
    page = browse(played).get(path).text
    form = re.search(r'<form class="seek"[^>]*>', page)
    assert form is not None
    assert 'method="get"' in form[0]
    assert re.search(r'action="(\.\./)?search\.html"', form[0])
    assert '<input id="seek" type="search" name="q"' in page


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("abzweigen", "history.html"),
        ("vergleich", "compare.html"),
        ("gast", "visitor.html"),
        ("veröffentlichen", "help/index.html"),
        ("persona", "edit/file/state_2f_personas_2f_vera_2e_md.html"),
        ("gm.yaml", "edit/file/gm_2e_yaml.html"),
    ],
)
def test_a_search_finds_what_can_be_done_by_its_words(played: Layout, browse: Browse, query: str, path: str) -> None:
    def hits(**more: bool) -> str:
        page = browse(played, **more).get("/search.html", params={"q": query}).text
        return "".join(re.findall(r"<section data-hits.*?</section>", page, re.DOTALL))

    assert f'href="{path}"' in hits()
    assert (f'href="{path}"' in hits(read_only=True)) is not path.startswith(("visitor", "edit/"))


def test_a_search_finds_people_scenes_and_pages(played: Layout, browse: Browse) -> None:
    client = browse(played)
    people = client.get("/search.html?q=hollstein").text
    assert 'id="people"' in people
    assert 'href="agents/vera.html"' in people
    pages = client.get("/search.html?q=diagramme").text
    assert 'id="places"' in pages
    assert 'href="edit/event.html"' in client.get("/search.html?q=kalender").text
    assert 'href="edit/event.html"' not in browse(played, read_only=True).get("/search.html?q=kalender").text
    day = view_today(played).last
    assert day is not None
    scene = next(scene for scene in day.scenes if scene.title)
    word = max(re.findall(r"\w+", scene.title), key=len)
    found = client.get("/search.html", params={"q": word}).text
    assert f'href="days/001.html#{scene.anchor}"' in found
    assert 'data-hits aria-labelledby="people"' not in client.get("/search.html").text


def test_published_data_hold_people_and_scenes(played: Layout, tmp_path: Path) -> None:
    publish(played, tmp_path / "site", frozenset())
    data = (tmp_path / "site" / "search-data.js").read_text("utf-8")
    assert '["Vera Hollstein","agents/vera.html"]' in data.replace('", "', '","')
    assert "days/001.html#scene-02" in data


def test_fonts_are_kept_for_days_and_pages_never(played: Layout, browse: Browse) -> None:
    client = browse(played)
    font = client.get("/static/fonts/literata-latin-wght-normal.woff2")
    assert font.headers["cache-control"] == "max-age=604800"
    assert client.get("/static/vendor/echarts/echarts.min.js").headers["cache-control"] == "max-age=604800"
    sheet = client.get("/static/site.css")
    assert sheet.headers["cache-control"] == "no-cache"
    assert client.get("/static/site.css", headers={"If-None-Match": sheet.headers["etag"]}).status_code == 304
    assert client.get("/index.html").headers["cache-control"] == "no-store"


def test_a_layer_that_is_off_says_how_to_switch_it_on(dinner: Layout, browse: Browse) -> None:
    dinner.settings.write_text(dinner.settings.read_text("utf-8") + "\nsoul: off\n", "utf-8")
    assert "edit/switch/soul.html" in browse(dinner).get("/agents/alex/soul.html").text
    assert "<code>soul: on</code>" in browse(dinner, read_only=True).get("/agents/alex/soul.html").text
