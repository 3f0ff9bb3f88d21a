"""The application around the pages: who is answered, and with which headers."""

from pathlib import Path

import pytest

from gm.layers import LAYERS
from gm.store.layout import Layout
from gm.web.pages import KINDS
from tests.web.conftest import Browse


def test_the_first_page_names_the_world_and_its_cast(studio: Layout, browse: Browse) -> None:
    page = browse(studio).get("/")
    assert page.status_code == 200
    assert "Studio Brandsohle" in page.text
    assert "Vera Hollstein" in page.text


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


def test_every_answer_carries_the_policy(studio: Layout, browse: Browse) -> None:
    for path in ("/index.html", "/static/site.css", "/no-such-page.html"):
        policy = browse(studio).get(path).headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


def test_a_page_that_does_not_exist_says_so_in_the_worlds_language(studio: Layout, browse: Browse) -> None:
    answer = browse(studio).get("/agents/nobody/here.html")
    assert answer.status_code == 404
    assert "Diese Seite gibt es nicht" in answer.text


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
