"""A folder without a world: a page makes one, as the commands would, or opens one; then that one is served."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from gm.api.worlds.create import create_world, describe_templates
from gm.api.worlds.new import Sketch, new_world, read_named
from gm.faces.web.app import make_app
from gm.faces.web.beginning import Beginning
from gm.faces.web.new_world_forms import WAYS, Way
from gm.files.layout import Layout
from tests.faces.web.conftest import ADDRESS
from tests.faces.web.forms import carry_out, fields_of, open_form, preview, send
from tests.faces.web.test_forms import ATTACKS, words_of
from tests.handmade import fingerprint

OWN, TEMPLATE = (f"/begin/{way.name}.html" for way in reversed(WAYS))
SAID = {
    "title": "Orbit",
    "premise": "Two people\nkeep a station.",
    "people": "Mira: pilot, laughs too early\n\nOno",
    "places": "Deck: Dark.\ngalley",
    "brief": "Repair the antenna.",
    "language": "en",
}
SKETCH = Sketch(
    "en",
    "Orbit",
    "Two people\nkeep a station.",
    "Repair the antenna.",
    (read_named("Deck: Dark.", "place"), read_named("galley", "place")),
    (read_named("Mira: pilot, laughs too early", "character"), read_named("Ono", "character")),
)
HOSTILE = (
    "..",
    "../x",
    "a/b",
    "/etc/x",
    "a\\b",
    ".hidden",
    "-x",
    "x" * 61,
    "a\nb",
    "a b",
    "~",
    "\N{FULLWIDTH SOLIDUS}",
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "some" / "place"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def opened() -> list[Layout]:
    """The worlds that were chosen."""
    return []


@pytest.fixture
def client(home: Path, opened: list[Layout]) -> TestClient:
    return client_of(home, opened)


def client_of(home: Path, opened: list[Layout], language: str = "en") -> TestClient:
    headers = {"Origin": ADDRESS, "Accept-Language": language}
    return TestClient(Beginning(home, opened.append), base_url=ADDRESS, headers=headers)


@pytest.mark.parametrize(
    ("path", "said", "command"),
    [
        (OWN, SAID, lambda folder: new_world(folder, SKETCH)),
        (TEMPLATE, {"template": "dinner-0"}, lambda folder: create_world(folder, "dinner")),
        (TEMPLATE, {"template": "studio-1"}, lambda folder: create_world(folder, "studio", days=1)),
    ],
)
def test_a_form_makes_what_the_command_makes_and_then_it_is_served(
    client: TestClient,
    home: Path,
    opened: list[Layout],
    path: str,
    said: dict[str, str],
    command: Callable[[Path], Layout],
) -> None:
    fields = preview(client, path, **said, folder="here")
    assert list(home.iterdir()) == []
    assert send(client, path, fields, "write").status_code == 303
    twin = command(home.parent / "twin" / "here")
    assert fingerprint(home / "here") == fingerprint(twin.root)
    assert opened == [Layout(home / "here")]
    assert client.get("/agents/index.html").status_code == 200


def test_a_world_lies_in_a_free_folder_itself_and_else_in_one_named_after_it(home: Path, opened: list[Layout]) -> None:
    (home / ".git").mkdir()
    assert carry_out(client_of(home, opened), OWN, **SAID).status_code == 303
    assert (home / "gm.yaml").is_file()
    assert carry_out(client_of(home.parent, opened), OWN, **SAID).status_code == 303
    assert carry_out(client_of(home.parent, opened), TEMPLATE, template="dinner-0").status_code == 303
    assert [layout.root.name for layout in opened] == ["place", "orbit", "dinner"]


def test_of_several_worlds_one_is_opened_by_its_name(tmp_path: Path, opened: list[Layout]) -> None:
    create_world(tmp_path / "one", "dinner")
    create_world(tmp_path / "Löwe", "orbit")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "gm.yaml").write_text("world: [", encoding="utf-8")
    (tmp_path / "away").symlink_to(tmp_path / "one")
    client = client_of(tmp_path, opened)
    page = client.get("/index.html")
    for shown in ("Dinner for Noor", "House Above Neptune", "<code>Löwe</code>", "<code>broken</code>"):
        assert shown in page.text
    assert "<code>away</code>" not in page.text
    token = fields_of(page)["token"]
    for name in ("away", "../one", ".", "", str(tmp_path / "one"), *ATTACKS):
        answer = client.post("/begin/open.html", data={"token": token, "world": name})
        assert answer.status_code == 404
        assert opened == []
    before = fingerprint(tmp_path)
    answer = client.post("/begin/open.html", data={"token": token, "world": "Löwe"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/index.html")
    assert "House Above Neptune" in client.get("/index.html").text
    assert opened == [Layout(tmp_path / "Löwe")]
    assert fingerprint(tmp_path) == before


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("step", ["look", "write"])
def test_a_name_that_is_no_plain_one_makes_nothing(client: TestClient, home: Path, name: str, step: str) -> None:
    fields = open_form(client, OWN, **SAID, folder=name)
    before = fingerprint(home.parent)
    page = send(client, OWN, fields, step)
    assert page.status_code == 400
    assert "cannot be the name of a folder" in words_of(page)
    assert fields_of(page)["premise"] == SAID["premise"]
    assert fingerprint(home.parent) == before


def test_what_is_there_already_is_left_alone(client: TestClient, home: Path) -> None:
    (home / "taken").write_text("mine", encoding="utf-8")
    (home / "dangling").symlink_to(home.parent / "elsewhere")
    (home / "folder").mkdir()
    for name in ("taken", "dangling", "folder"):
        page = send(client, OWN, open_form(client, OWN, **SAID, folder=name))
        assert page.status_code == 400
        assert f"{home / name} already exists" in words_of(page)
    assert not (home.parent / "elsewhere").exists()


def test_a_folder_that_was_taken_after_the_preview_is_left_alone(client: TestClient, home: Path) -> None:
    fields = preview(client, OWN, **SAID, folder="orbit")
    create_world(home / "orbit", "dinner")
    before = fingerprint(home)
    assert send(client, OWN, fields, "write").status_code == 400
    assert fingerprint(home) == before


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_filled_in_is_text_on_every_page_and_in_every_file(client: TestClient, home: Path, attack: str) -> None:
    said = {"title": attack, "premise": attack, "people": f"Mira: {attack}", "places": f"deck: {attack}"}
    page = send(client, OWN, open_form(client, OWN, **said, brief=attack, folder="w"))
    assert page.status_code == 200
    assert "<script>alert" not in page.text
    assert "<img" not in page.text
    assert fields_of(page)["premise"] == attack
    assert send(client, OWN, fields_of(page), "write").status_code == 303
    first = client.get("/index.html")
    assert first.status_code == 200
    assert attack in words_of(first)
    assert "<script>alert" not in first.text


def test_only_what_was_previewed_is_made(client: TestClient, home: Path) -> None:
    fields = preview(client, OWN, **SAID, folder="orbit")
    for changed in ({"title": "Other"}, {"seal": ""}, {"folder": "other"}):
        page = send(client, OWN, {**fields, **changed}, "write")
        assert page.status_code == 409
    assert list(home.iterdir()) == []


def test_a_second_click_and_an_old_tab_lead_to_the_world(client: TestClient, home: Path, opened: list[Layout]) -> None:
    fields = preview(client, OWN, **SAID)
    assert send(client, OWN, fields, "write").status_code == 303
    before = fingerprint(home)
    again = send(client, OWN, fields, "write")
    assert (again.status_code, again.headers["location"]) == (303, "/index.html")
    assert client.get(TEMPLATE, follow_redirects=False).status_code == 303
    assert fingerprint(home) == before
    assert len(opened) == 1


@pytest.mark.parametrize("way", WAYS)
def test_a_form_without_its_fields_makes_nothing(client: TestClient, home: Path, way: Way) -> None:
    path = f"/begin/{way.name}.html"
    token = fields_of(client.get(path))["token"]
    for step in ("look", "write", "edit", "<b>"):
        assert send(client, path, {"token": token}, step).status_code in (200, 400, 409)
    assert list(home.iterdir()) == []


def test_wrong_words_are_refused_with_what_was_filled_in(client: TestClient, home: Path) -> None:
    for wrong in ({"language": "tlh"}, {"people": "Mira: a\nmira: b"}, {"places": ": no name"}):
        page = send(client, OWN, {**open_form(client, OWN, **SAID), **wrong})
        assert page.status_code == 400
        assert fields_of(page)["title"] == "Orbit"
    assert send(client, TEMPLATE, open_form(client, TEMPLATE, template="../x")).status_code == 400
    assert list(home.iterdir()) == []


def asked(client: TestClient, **headers: str) -> Response:
    fields = preview(client, OWN, **SAID)
    answer: Response = client.post(OWN, data={**fields, "step": "write"}, headers=headers)
    return answer


def test_pages_of_other_sites_make_nothing(client: TestClient, home: Path) -> None:
    assert asked(client, Origin="http://evil.example").status_code == 403
    assert asked(client, Host="evil.example").status_code == 403
    strange = {**preview(client, OWN, **SAID), "token": "wrong"}
    page = send(client, OWN, strange, "write")
    assert page.status_code == 403
    assert fields_of(page)["title"] == "Orbit"
    assert client.post("/begin/open.html", data={"world": "x"}).status_code == 403
    assert list(home.iterdir()) == []
    assert "default-src 'none'" in client.get("/index.html").headers["content-security-policy"]


def test_a_page_that_does_not_exist_yet_shows_the_first_one(client: TestClient) -> None:
    page = client.get("/days/index.html")
    assert page.status_code == 404
    assert "There is no world here yet" in page.text
    assert client.post(OWN, content=b"x", headers={"Content-Type": "text/plain"}).status_code == 415


@pytest.mark.parametrize(
    ("asks", "says"),
    [("de-AT,en;q=0.5", "noch keine Welt"), ("fr, de;q=0.3", "noch keine Welt"), ("fr", "no world here")],
)
def test_the_browser_says_in_which_language(home: Path, asks: str, says: str) -> None:
    assert says in client_of(home, [], asks).get("/index.html").text


def test_a_folder_that_cannot_be_made_is_named(home: Path, client: TestClient) -> None:
    fields = preview(client, OWN, **SAID, folder="orbit")
    home.rmdir()
    home.write_text("a file by now", encoding="utf-8")
    page = send(client, OWN, fields, "write")
    assert page.status_code == 409
    assert f"cannot make {home / 'orbit'}" in words_of(page)


@pytest.fixture
def beside(home: Path) -> TestClient:
    """The pages of a world that lies in ``home``."""
    layout = create_world(home / "first", "dinner")
    return TestClient(make_app(layout), base_url=ADDRESS, headers={"Origin": ADDRESS})


def test_the_pages_of_a_world_make_another_one_beside_it(beside: TestClient, home: Path) -> None:
    before = fingerprint(home / "first")
    for way in ("own", "template"):
        assert f'href="edit/world/{way}.html"' in beside.get("/make.html").text
    fields = preview(beside, "/edit/world/own.html", **SAID)
    assert [path.name for path in home.iterdir()] == ["first"]
    answer = send(beside, "/edit/world/own.html", fields, "write")
    assert (answer.status_code, answer.headers["location"]) == (303, "/history.html?saved=world")
    assert fingerprint(home / "orbit") == fingerprint(new_world(home.parent / "twin" / "orbit", SKETCH).root)
    page = beside.get("/history.html?saved=world")
    assert "The new world is made" in page.text
    assert f"gm view -w {home / 'orbit'}" in words_of(page)
    assert {name: mark for name, mark in fingerprint(home / "first").items() if ".gm/" not in name} == before
    again = send(beside, "/edit/world/own.html", fields, "write")
    assert again.status_code == 400


@pytest.mark.parametrize("name", HOSTILE)
def test_a_world_beside_another_has_a_plain_name(beside: TestClient, home: Path, name: str) -> None:
    fields = open_form(beside, "/edit/world/own.html", **SAID, folder=name)
    before = fingerprint(home.parent)
    assert send(beside, "/edit/world/own.html", fields, "write").status_code == 400
    assert fingerprint(home.parent) == before


def test_a_world_in_a_hidden_folder_gets_no_world_around_it(home: Path) -> None:
    layout = create_world(home / ".first", "dinner")
    client = TestClient(make_app(layout), base_url=ADDRESS, headers={"Origin": ADDRESS})
    assert carry_out(client, "/edit/world/template.html", template="dinner-0").status_code == 303
    assert sorted(path.name for path in home.iterdir()) == [".first", "dinner"]


def test_pages_to_read_make_no_world(home: Path) -> None:
    layout = create_world(home / "first", "dinner")
    client = TestClient(make_app(layout, read_only=True), base_url=ADDRESS, headers={"Origin": ADDRESS})
    for way in WAYS:
        assert client.get(f"/edit/world/{way.name}.html").status_code == 404
    assert "edit/world" not in client.get("/make.html").text + client.get("/history.html").text


def test_every_shipped_world_can_be_chosen(client: TestClient) -> None:
    page = client.get(TEMPLATE).text
    keys = [each.key for each in describe_templates()]
    assert {"studio-0", "studio-1", "studio-3", "dinner-0", "dinner-1", "ferry-0", "orbit-0"} == set(keys)
    assert all(f'value="{key}"' in page for key in keys)
