"""The application around the pages: who is answered, and with which headers."""

from pathlib import Path

import pytest

from gm.faces.web.pages import KINDS
from gm.faces.web.pages.kind import PageKind
from gm.faces.web.site import open_site
from gm.files.layout import Layout
from gm.layers import LAYERS
from tests.faces.web.conftest import Browse
from tests.faces.web.forms import open_form


def test_the_first_page_names_the_world_and_its_cast(studio: Layout, browse: Browse) -> None:
    page = browse(studio).get("/")
    assert page.status_code == 200
    assert "Studio Brandsohle" in page.text
    assert all(f"<bdi>{name}</bdi>" in page.text for name in ("Vera", "Leo", "Darius"))


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "user@127.0.0.1", "127.0.0.1/x", "", "[::2]"]
)
def test_a_request_under_another_name_is_refused(studio: Layout, browse: Browse, host: str) -> None:
    assert browse(studio).get("/index.html", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "[::1]:8765"])
def test_a_request_under_an_own_name_is_answered(studio: Layout, browse: Browse, host: str) -> None:
    answer = browse(studio).get("/index.html", headers={"Host": host, "Origin": f"http://{host}"})
    assert answer.status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1:8765"])
def test_a_page_of_another_site_is_refused(studio: Layout, browse: Browse, origin: str) -> None:
    assert browse(studio).get("/index.html", headers={"Origin": origin}).status_code == 403
    assert browse(studio).post("/index.html", headers={"Origin": origin}).status_code == 403


def test_a_form_does_not_write_where_its_world_was_taken_away(dinner: Layout, browse: Browse, tmp_path: Path) -> None:
    client = browse(dinner)
    fields = open_form(client, "/visitor.html", name="Mira", text="You are Mira.")
    away, other = tmp_path / "away", tmp_path / "other"
    dinner.root.rename(away)
    for change in (None, other.mkdir, lambda: dinner.root.symlink_to(other)):
        if change:
            change()
        for path in ("/visitor.html", "/edit/post.html", "/play.html", "/ask/alex.html"):
            answer = client.post(path, data={**fields, "step": "start"}, follow_redirects=False)
            assert (answer.status_code, "is not a world any more" in answer.text) == (409, True), path
        assert client.get("/index.html").status_code == 200
    assert not list(other.iterdir())


def test_every_answer_carries_the_policy(studio: Layout, browse: Browse) -> None:
    for path in ("/index.html", "/static/site.css", "/no-such-page.html"):
        policy = browse(studio).get(path).headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


def test_a_page_that_does_not_exist_says_so_in_the_worlds_language(studio: Layout, browse: Browse) -> None:
    answer = browse(studio).get("/agents/nobody/here.html")
    assert answer.status_code == 404
    assert "Diese Seite gibt es nicht" in answer.text
    assert "/agents/nobody/here.html" in answer.text
    main = answer.text[answer.text.index("<main") :]
    assert 'action="../../search.html"' in main
    assert 'href="../../agents/emre.html"' in main or 'href="../emre' in main
    assert main.count('href="../../days/') == bool(studio.logged_days())


def test_the_address_of_a_page_that_does_not_exist_is_shown_as_short_text(studio: Layout, browse: Browse) -> None:
    text = browse(studio).get("/%3Cb%3E%0A%E2%80%AE" + "x" * 500 + "?q=1").text
    assert "<bdi>/&lt;b&gt; " + "x" * 74 + "…</bdi>" in text


def test_static_files_do_not_lead_out_of_their_folder(studio: Layout, browse: Browse) -> None:
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd"):
        assert browse(studio).get(path).status_code == 404


def test_what_makes_a_page_new_is_a_path_of_the_layout(studio: Layout) -> None:
    for kind in KINDS:
        for name in kind.watches:
            is_layer = any(name == layer.name for layer in LAYERS)
            assert is_layer or isinstance(getattr(studio, name), Path), (kind.name, name)


def test_a_page_of_the_logbook_watches_it_wherever_it_lies(studio: Layout, browse: Browse) -> None:
    assert 'data-watches="state/logbook"' in browse(studio).get("/logbook.html").text
    (studio.root / "logbook").mkdir()
    assert 'data-watches="logbook"' in browse(studio).get("/logbook.html").text


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "{page}" in kind.pattern], ids=lambda kind: str(kind.name))
def test_a_page_of_a_list_has_one_address_and_the_first_one_none_of_its_own(
    studio: Layout, browse: Browse, kind: PageKind
) -> None:
    path = "/" + kind.pattern.replace("{agent}", "vera")
    first = 200 if kind.first == 1 else 404
    found = [browse(studio).get(path.replace("{page}", page)).status_code for page in ("1", "01", "0", "x", "99999")]
    assert found == [first, 404, 404, 404, 404]


def test_published_pages_follow_from_the_pattern_of_a_kind(played: Layout) -> None:
    site = open_site(played, live=False)
    agents = [{"agent": character.id} for character in site.frame.cast]
    every = {kind.name: list(kind.every(site)) for kind in KINDS}
    assert every["today"] == [{}]
    assert every["agent"] == every["diary"] == agents
    assert every["day"] == [{"day": 1}]
    assert every["memories"][0] == {**agents[0], "page": 1}
    assert every["diary_page"] == every["threads_page"] == every["memory"] == every["changes_of"] == []
