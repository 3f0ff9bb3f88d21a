"""Files of a world in an editor, and what is made by forms: shown first, checked, and written to the byte."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from gm.api.editing.textfiles import schema_for
from gm.faces.web.actions.making import MAKING
from gm.faces.web.pages.taking_part import NEW
from gm.faces.web.paths import fill_path, piece_key
from gm.faces.web.publish import publish
from gm.files.commits.lock import locked
from gm.files.editable import editable_files
from gm.files.layout import Layout
from tests.faces.web.conftest import Browse
from tests.faces.web.forms import carry_out, fields_of, open_form, preview, send
from tests.handmade import fingerprint

PERSONA = "state/personas/vera.md"
ATTACKS = (
    "</textarea><script>alert(1)</script>",
    "{{ 7 * 7 }}{% raw %}",
    "<!--",
    "</script><img src=x>",
    "&amp;#60;b>",
)


def form_of(path: str) -> str:
    return "/" + fill_path("edit/file/{key}.html", {"key": piece_key(path)})


def check_of(path: str) -> str:
    return "/" + fill_path("edit/check/{key}.html", {"key": piece_key(path)})


def without_own(prints: dict[str, str]) -> dict[str, str]:
    """Without what gm keeps for itself: lock and journal."""
    return {name: mark for name, mark in prints.items() if "/.gm/" not in name}


def test_all_that_can_be_edited_is_listed_with_its_problems(played: Layout, browse: Browse) -> None:
    played.persona("vera").write_text("---\nname: [Vera\n---\nText.\n", encoding="utf-8")
    client = browse(played)
    page = client.get("/files.html")
    for file in editable_files(played):
        assert form_of(file.path).removeprefix("/") in page.text
    assert 'class="problem' not in page.text
    checked = client.get("/files.html?check=all")
    assert re.findall(r'problem small">(?:<b.*?</b> )?<code>(.*?) ', checked.text) == [f"{PERSONA}:2:7"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_persona_is_saved_as_it_was_shown(played: Layout, browse: Browse, end: str) -> None:
    path = played.persona("vera")
    path.write_bytes(path.read_bytes().replace(b"\n", end.encode()))
    before = path.read_bytes()
    client = browse(played)
    text = fields_of(client.get(form_of(PERSONA)))["text"]
    page = send(client, form_of(PERSONA), open_form(client, form_of(PERSONA), text=f"{text}Sie <b>zögert</b>.\n"))
    assert "<ins>Sie &lt;b&gt;zögert&lt;/b&gt;.</ins>" in page.text
    assert path.read_bytes() == before
    answer = send(client, form_of(PERSONA), fields_of(page), "write")
    assert (answer.status_code, answer.headers["location"]) == (303, "/files.html?saved=file")
    assert path.read_bytes() == before + f"Sie <b>zögert</b>.{end}".encode()
    assert "Die Datei ist gespeichert." in client.get(answer.headers["location"]).text


@pytest.mark.parametrize(("line", "despite"), [("rol: Miller", {}), ("home:mill", {"despite": "on"})])
def test_without_scripts_the_page_after_saving_says_what_the_check_says(
    played: Layout, browse: Browse, line: str, despite: dict[str, str]
) -> None:
    client = browse(played)
    fields = open_form(client, form_of(PERSONA))
    text = fields["text"].replace("---\n", f"---\n{line}\n", 1)
    checked = client.post(check_of(PERSONA), data={"token": fields["token"], "text": text}).json()["problems"]
    assert checked
    page = client.get(carry_out(client, form_of(PERSONA), text=text, **despite).headers["location"])
    for problem in checked:
        assert problem["message"] in unescape(page.text)


def test_a_text_with_errors_is_kept_in_the_form_and_saved_only_on_demand(played: Layout, browse: Browse) -> None:
    before = without_own(fingerprint(played.root))
    client = browse(played)
    broken = "language: de\nplaces: [kontor\n"
    page = send(client, form_of("gm.yaml"), open_form(client, form_of("gm.yaml"), text=broken))
    assert page.status_code == 409
    assert fields_of(page)["text"] == broken
    assert "gm.yaml:2:9" in page.text
    assert 'name="despite"' in page.text
    assert without_own(fingerprint(played.root)) == before
    page = send(client, form_of("gm.yaml"), {**fields_of(page), "despite": "on"})
    assert page.status_code == 200
    assert send(client, form_of("gm.yaml"), fields_of(page), "write").status_code == 303
    assert played.settings.read_text(encoding="utf-8") == broken


@pytest.mark.parametrize("when", ["before the preview", "after the preview"])
def test_what_another_saved_meanwhile_stays_and_is_shown(played: Layout, browse: Browse, when: str) -> None:
    client = browse(played)
    path = played.persona("vera")
    text = fields_of(client.get(form_of(PERSONA)))["text"]
    sent = open_form(client, form_of(PERSONA), text=text + "Von mir.\n")
    if when == "after the preview":
        sent = fields_of(send(client, form_of(PERSONA), sent))
    path.write_text(text + "Von anderer Hand.\n", encoding="utf-8")
    page = send(client, form_of(PERSONA), sent, "write" if "seal" in sent else "look")
    assert page.status_code == 409
    assert "Von anderer Hand." in unescape(re.sub("<[^>]+>", "", page.text))
    assert path.read_text(encoding="utf-8") == text + "Von anderer Hand.\n"
    theirs = send(client, form_of(PERSONA), fields_of(page), "again")
    assert fields_of(theirs)["text"] == text + "Von anderer Hand.\n"
    assert "Von mir." in theirs.text
    mine = send(client, form_of(PERSONA), fields_of(page), "mine")
    shown = send(client, form_of(PERSONA), fields_of(mine))
    assert send(client, form_of(PERSONA), fields_of(shown), "write").status_code == 303
    assert path.read_text(encoding="utf-8") == text + "Von mir.\n"


def test_a_second_click_arrives_and_a_file_that_is_gone_loses_no_text(played: Layout, browse: Browse) -> None:
    client = browse(played)
    text = fields_of(client.get(form_of(PERSONA)))["text"]
    fields = preview(client, form_of(PERSONA), text=text + "Mehr.\n")
    assert send(client, form_of(PERSONA), fields, "write").status_code == 303
    again = send(client, form_of(PERSONA), fields, "write")
    assert again.status_code in (303, 409)
    assert played.persona("vera").read_text(encoding="utf-8") == text + "Mehr.\n"
    played.persona("vera").unlink()
    gone = send(client, form_of(PERSONA), {**fields, "text": text + "Noch mehr.\n"})
    assert gone.status_code == 409
    assert fields_of(gone)["text"] == text + "Noch mehr.\n"
    assert not played.persona("vera").exists()


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_hostile_text_stays_a_text(played: Layout, browse: Browse, attack: str) -> None:
    path = played.persona("vera")
    path.write_text(path.read_text(encoding="utf-8") + attack + "\n", encoding="utf-8")
    client = browse(played)
    page = client.get(form_of(PERSONA))
    assert fields_of(page)["text"] == path.read_text(encoding="utf-8")
    assert attack not in page.text or attack == "{{ 7 * 7 }}{% raw %}"
    data = re.search(r'id="editor-data">(.*?)</script>', page.text, re.DOTALL)
    assert data
    assert json.loads(data[1])["syntax"] == "markdown"


@pytest.mark.parametrize(
    "key",
    ["../../etc/passwd", "state/personas/../../gm.yaml", "state/memories/vera.jsonl", "state/.gm/lock", "gm.yaml/", ""],
)
def test_no_other_path_is_opened_or_checked(played: Layout, browse: Browse, key: str) -> None:
    client = browse(played)
    token = fields_of(client.get(form_of("gm.yaml")))["token"]
    before = without_own(fingerprint(played.root))
    assert client.get(form_of(key)).status_code == 404
    assert client.post(check_of(key), data={"token": token, "text": "x"}).status_code == 404
    written = send(client, form_of(key), {"token": token, "text": "x", "print": ""})
    assert written.status_code in (404, 409)
    assert without_own(fingerprint(played.root)) == before


def test_a_file_that_is_no_utf8_is_named_with_its_place(played: Layout, browse: Browse) -> None:
    played.persona("vera").write_bytes(b"---\nname: Vera\n---\ncaf\xe9\n")
    client = browse(played)
    page = client.get(form_of(PERSONA))
    assert page.status_code == 200
    assert "state/personas/vera.md:4:4" in page.text
    assert "<textarea" not in page.text
    assert form_of(PERSONA).removeprefix("/") not in client.get("/files.html").text


def test_a_text_is_checked_while_it_is_typed_and_nothing_is_written(played: Layout, browse: Browse) -> None:
    client = browse(played)
    token = fields_of(client.get(form_of(PERSONA)))["token"]
    before = fingerprint(played.root)
    answer = client.post(check_of(PERSONA), data={"token": token, "text": "---\nname: [Vera\n---\nText.\n"})
    assert answer.headers["content-type"] == "application/json"
    (problem,) = [item for item in answer.json()["problems"] if item["severity"] == "error"]
    assert (problem["line"], problem["column"]) == (2, 7)
    assert set(problem) == {"kind", "severity", "line", "column", "message", "hint", "english"}
    assert problem["message"] == "Das ist kein YAML: zu dem, was hier beginnt, fehlt ]."
    assert problem["english"] == []
    assert fingerprint(played.root) == before


@pytest.mark.parametrize("token", ["", "ä", "wrong"])
def test_a_check_needs_the_token_and_the_origin(played: Layout, browse: Browse, token: str) -> None:
    client = browse(played)
    assert client.post(check_of(PERSONA), data={"token": token, "text": "x"}).status_code == 403
    client.headers.pop("Origin")
    assert client.post(check_of(PERSONA), data={"token": token, "text": "x"}).status_code == 403
    assert client.get(check_of(PERSONA)).status_code == 405


def test_read_only_pages_list_and_offer_nothing(played: Layout, browse: Browse) -> None:
    client = browse(played, read_only=True)
    listed = client.get("/files.html")
    assert PERSONA in listed.text
    assert "edit/" not in listed.text
    assert "edit/" not in client.get("/make.html").text
    for path in (form_of(PERSONA), check_of(PERSONA), "/edit/character.html", "/edit/switch/diary.html"):
        assert client.get(path).status_code == 404
        assert client.post(path, data={"text": "x"}).status_code == 404


def test_while_another_writes_the_text_stays_in_the_form(played: Layout, browse: Browse) -> None:
    client = browse(played)
    fields = open_form(client, form_of(PERSONA), text="Ein neuer Text.\n")
    with locked(played.lock, "gm advance-day"):
        page = send(client, form_of(PERSONA), fields)
    assert page.status_code == 423
    assert fields_of(page)["text"] == "Ein neuer Text.\n"


def test_what_can_be_made_has_a_form(played: Layout, browse: Browse) -> None:
    client = browse(played)
    page = client.get("/make.html")
    for name in NEW:
        assert f"edit/{name}.html" in page.text
        assert client.get(f"/edit/{name}.html").status_code == 200
    assert {action.name for action in MAKING} - set(NEW) == {"file", "switch"}
    assert 'href="visitor.html"' in page.text


def test_a_button_says_what_it_would_switch(played: Layout, browse: Browse) -> None:
    played.settings.write_text(played.settings.read_text(encoding="utf-8") + 'diary: "on"\nsoul: "off"\n', "utf-8")
    page = browse(played).get("/make.html").text
    assert re.search(r'edit/switch/diary.html">Ausschalten<', page)
    assert re.search(r'edit/switch/soul.html">Einschalten<', page)
    assert re.search(r'edit/switch/goals.html">Einschalten<', page)


@pytest.mark.parametrize(
    ("form", "fields", "path", "arrives"),
    [
        (
            "character",
            {"name": "Ada Lind", "text": "Pilotin, lacht zu früh", "place": "kontor"},
            "state/personas/ada-lind.md",
            "/agents/ada-lind.html?saved=character",
        ),
        ("place", {"name": "Dachboden", "text": "Staub: und <Licht>"}, "gm.yaml", "/make.html?saved=place"),
        (
            "scene-type",
            {"name": "Tanz", "pattern": "meeting"},
            "prompts/de/scenes/tanz.j2",
            "/files.html?saved=scene-type",
        ),
        ("switch/diary", {"value": "on"}, "gm.yaml", "/make.html?saved=switch"),
    ],
)
def test_what_is_made_changes_one_file(
    played: Layout, browse: Browse, form: str, fields: dict[str, str], path: str, arrives: str
) -> None:
    client = browse(played)
    before = without_own(fingerprint(played.root))
    answer = carry_out(client, f"/edit/{form}.html", **fields)
    assert (answer.status_code, answer.headers["location"]) == (303, arrives)
    assert client.get(arrives).status_code == 200
    after = without_own(fingerprint(played.root))
    assert {name for name in after if after[name] != before.get(name)} == {path}
    assert not before.keys() - after.keys()


@pytest.mark.parametrize(
    ("form", "fields"),
    [
        ("character", {"name": "Vera"}),
        ("character", {"name": "Neu", "place": "nirgends"}),
        ("place", {"name": "Kontor", "text": "noch eins"}),
        ("scene-type", {"name": "Neu", "pattern": "../../gm.yaml"}),
        ("switch/diary", {"value": "vielleicht"}),
    ],
)
def test_what_cannot_be_made_is_said(played: Layout, browse: Browse, form: str, fields: dict[str, str]) -> None:
    client = browse(played)
    before = without_own(fingerprint(played.root))
    page = send(client, f"/edit/{form}.html", open_form(client, f"/edit/{form}.html", **fields))
    assert page.status_code == 400
    assert 'role="alert"' in page.text
    assert without_own(fingerprint(played.root)) == before


def test_what_is_switched_off_can_be_switched_on_there(played: Layout, browse: Browse) -> None:
    played.settings.write_text(
        played.settings.read_text(encoding="utf-8") + 'diary: "off"\nsoul: "off"\nrelationships: "off"\n', "utf-8"
    )
    client = browse(played)
    for page in ("diary", "soul", "relationships"):
        assert f"edit/switch/{page}.html" in client.get(f"/agents/vera/{page}.html").text
    assert client.get("/edit/switch/language.html").status_code == 404


def test_a_character_and_the_costs_lead_to_their_files(played: Layout, browse: Browse) -> None:
    client = browse(played)
    assert form_of(PERSONA).removeprefix("/") in client.get("/agents/vera.html").text
    assert form_of("gm.yaml").removeprefix("/") in client.get("/cost.html").text


def test_an_editor_is_given_the_schema_and_the_names_of_the_world(played: Layout, browse: Browse) -> None:
    page = browse(played).get(form_of("gm.yaml"))
    found = re.search(r'id="editor-data">(.*?)</script>', page.text, re.DOTALL)
    assert found
    data = json.loads(found[1])
    settings = next(file for file in editable_files(played) if file.path == "gm.yaml")
    assert data["schema"] == schema_for(settings)
    assert "vera" in data["names"]["character"]
    assert "kontor" in data["names"]["place"]
    assert "WORK" in data["names"]["scene_type"]


def test_a_published_site_has_no_editor(played: Layout, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    publish(played, folder, frozenset())
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*")]
    assert not [
        name for name in names if "codemirror" in name or "editor" in name or name in ("files.html", "make.html")
    ]
    assert "edit/" not in (folder / "agents" / "vera.html").read_text(encoding="utf-8")


def test_a_world_without_settings_has_no_way_to_edit_them(dinner: Layout, browse: Browse) -> None:
    link = "edit/file/gm_2e_yaml.html"
    assert link in browse(dinner).get("/make.html").text
    dinner.settings.unlink()
    assert link not in browse(dinner).get("/make.html").text
