"""Forms show what they would write, and write nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from shutil import copytree

import pytest
from httpx2 import Response

from gm.api.answers.speech import load_words
from gm.api.editing.board import end_brief, put_up_brief, put_up_feedback, put_up_post
from gm.api.editing.calendar import EventOptions, schedule_event
from gm.api.editing.memory import NewMemory, add_memory
from gm.api.editing.threads import NewThread, close_thread, open_thread
from gm.faces.web.actions import ACTIONS
from gm.faces.web.paths import fill_path, piece_key
from gm.files.commits.lock import locked
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.media.pieces import list_pieces
from tests.faces.web.conftest import Browse
from tests.faces.web.forms import carry_out, fields_of, open_form, preview, send
from tests.handmade import fingerprint

MEMORY = "/edit/vera/memory/vera-001.html"
ATTACKS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}{% raw %}",
    "</textarea><b>",
    "&#x3c;b>",
)


def lines(layout: Layout, agent: str = "vera") -> list[str]:
    return layout.stream(agent).read_text(encoding="utf-8").split("\n")


def by_hand(layout: Layout, old: str, new: str, agent: str = "vera") -> None:
    path = layout.stream(agent)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def words_of(page: Response) -> str:
    """What a page says, without its marks."""
    return unescape(re.sub("<[^>]+>", "", page.text))


def test_a_change_is_shown_before_anything_is_written(played: Layout, browse: Browse) -> None:
    before = fingerprint(played.root)
    client = browse(played)
    page = send(client, MEMORY, open_form(client, MEMORY, importance="9"))
    old = lines(played)[0]
    assert "state/memories/vera.jsonl" in page.text
    shown = [unescape(re.sub("<[^>]+>", "", item)) for item in re.findall("<code>({.*?)</code>", page.text, re.DOTALL)]
    assert shown == [old, old.replace('"importance": 6', '"importance": 9')]
    assert "<del>6</del>" in page.text
    assert "<ins>9</ins>" in page.text
    assert fingerprint(played.root) == before


def test_what_was_shown_is_written_and_nothing_else(played: Layout, browse: Browse) -> None:
    by_hand(played, '"metadata": {"kind": "plan"}}', '"metadata": {"kind": "plan"},   "mine":5.00}')
    old = lines(played)
    client = browse(played)
    answer = carry_out(client, MEMORY, description="Ich plane nichts mehr.", importance="2", tags="plan, ruhe")
    assert answer.status_code == 303
    new = lines(played)
    assert new[1:] == old[1:]
    assert json.loads(new[0])["description"] == "Ich plane nichts mehr."
    assert json.loads(new[0])["tags"] == ["plan", "ruhe"]
    assert new[0].endswith('"metadata": {"kind": "plan"},   "mine":5.00}')
    assert "Die Erinnerung ist geändert." in client.get(answer.headers["location"]).text


def test_an_untouched_value_stays_as_it_is_written(played: Layout, browse: Browse) -> None:
    odd = "Zwei  Leerzeichen\\n\\nund ein Absatz,\\r\\nvon Hand."
    by_hand(played, '"description": "Mein Plan', f'"description": "{odd} Mein Plan')
    assert carry_out(browse(played), MEMORY, importance="9").status_code == 303
    assert odd in lines(played)[0]


def test_a_form_in_which_nothing_was_changed_writes_nothing(played: Layout, browse: Browse) -> None:
    before = fingerprint(played.root)
    client = browse(played)
    page = send(client, MEMORY, open_form(client, MEMORY))
    assert "würde sich nichts ändern" in page.text
    assert fingerprint(played.root) == before


@pytest.mark.parametrize("step", ["look", "write"])
def test_a_line_that_was_changed_by_hand_meanwhile_is_left_alone(played: Layout, browse: Browse, step: str) -> None:
    client = browse(played)
    begin = open_form if step == "look" else preview
    fields = begin(client, MEMORY, description="Was ich wollte.")
    by_hand(played, "Mein Plan", "Unser Plan")
    before = fingerprint(played.root)
    page = send(client, MEMORY, fields, step)
    assert page.status_code == 409
    assert fingerprint(played.root) == before
    assert "Was ich wollte." in words_of(page)
    assert "<ins>Unser</ins> Plan" in page.text
    assert "Mein Plan" in words_of(page)


def test_of_two_tabs_the_second_one_is_shown_what_the_first_one_wrote(played: Layout, browse: Browse) -> None:
    client = browse(played)
    first, second = open_form(client, MEMORY, importance="2"), open_form(client, MEMORY, importance="9")
    assert send(client, MEMORY, fields_of(send(client, MEMORY, first)), "write").status_code == 303
    conflict = send(client, MEMORY, second)
    assert conflict.status_code == 409

    again = send(client, MEMORY, fields_of(conflict), "again")
    assert fields_of(again)["importance"] == "2"
    assert re.search(r"Was vorhin hier stand.*\b9\b", again.text, re.DOTALL)

    mine = send(client, MEMORY, fields_of(conflict), "mine")
    assert fields_of(mine)["importance"] == "9"
    assert send(client, MEMORY, fields_of(send(client, MEMORY, fields_of(mine))), "write").status_code == 303
    assert json.loads(lines(played)[0])["importance"] == 9


def test_a_memory_that_vanished_meanwhile_is_not_made_again(played: Layout, browse: Browse) -> None:
    client = browse(played)
    fields = open_form(client, MEMORY, description="Was ich wollte.")
    played.stream("vera").write_text("\n".join(lines(played)[1:]), encoding="utf-8")
    page = send(client, MEMORY, fields)
    assert page.status_code == 409
    assert "gibt es nicht mehr" in page.text
    assert "Was ich wollte." in words_of(page)


def test_lines_that_came_in_elsewhere_do_not_matter(played: Layout, browse: Browse) -> None:
    client = browse(played)
    fields = preview(client, MEMORY, importance="9")
    add_memory(played, "vera", NewMemory("Es regnet.", 3))
    by_hand(played, '{"id": "vera-001"', '\n{"id": "vera-001"')
    assert send(client, MEMORY, fields, "write").status_code == 303
    assert json.loads(lines(played)[1])["importance"] == 9


def test_a_button_that_was_pressed_twice_writes_once(played: Layout, browse: Browse) -> None:
    client = browse(played)
    for path, changes in ((MEMORY, {"importance": "9"}), ("/edit/post.html", {"text": "Es regnet."})):
        fields = preview(client, path, **changes)
        assert send(client, path, fields, "write").status_code == 303
        before = fingerprint(played.root)
        send(client, path, fields, "write")
        assert fingerprint(played.root) == before


def test_what_would_be_written_by_now_is_shown_again_before_it_is(played: Layout, browse: Browse) -> None:
    client, path = browse(played), "/edit/vera/memory.html"
    fields = preview(client, path, description="Der Turm steht.", importance="4")
    node, _ = add_memory(played, "vera", NewMemory("Es regnet.", 3))
    before = fingerprint(played.root)
    page = send(client, path, fields, "write")
    assert page.status_code == 409
    assert "Inzwischen hat sich etwas geändert" in page.text
    assert fingerprint(played.root) == before
    assert send(client, path, fields_of(page), "write").status_code == 303
    last = json.loads(lines(played)[-2])
    assert (last["id"] > node.id, last["description"]) == (True, "Der Turm steht.")


@pytest.mark.parametrize("step", ["look", "write"])
def test_while_another_program_writes_the_form_keeps_what_was_filled_in(
    played: Layout, browse: Browse, step: str
) -> None:
    client = browse(played)
    begin = open_form if step == "look" else preview
    fields = begin(client, MEMORY, description="Was ich <wollte>.")
    before = fingerprint(played.root)
    with locked(played.lock, "gm advance-day"):
        page = send(client, MEMORY, fields, step)
    assert page.status_code == 423
    assert "gm advance-day" in page.text
    assert fields_of(page)["description"] == "Was ich <wollte>."
    assert fingerprint(played.root) == before
    assert send(client, MEMORY, fields_of(page)).status_code == 200


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_filled_in_comes_back_as_text(played: Layout, browse: Browse, attack: str) -> None:
    client = browse(played)
    for path, name in ((MEMORY, "description"), ("/edit/brief.html", "text"), ("/edit/event.html", "text")):
        page = send(client, path, open_form(client, path, **{name: attack}))
        assert fields_of(page)[name] == attack
        for raw in ("<script>alert", "<img src=x", "49{%", "<b>"):
            assert raw not in page.text
        assert send(client, path, fields_of(page), "write").status_code == 303
    assert client.get(MEMORY).text.count('<form class="fill"') == 1
    assert fields_of(client.get(MEMORY))["description"] == " ".join(attack.split())


@pytest.mark.matrix
@pytest.mark.parametrize("attack", ATTACKS)
def test_hidden_fields_and_steps_that_are_made_up_do_no_harm(played: Layout, browse: Browse, attack: str) -> None:
    client = browse(played)
    before = fingerprint(played.root)
    fields = open_form(client, MEMORY)
    for name in ("print", "was", "seal", "step", "importance", "tags", attack):
        for step in ("look", "write", "again", "mine", "edit", attack):
            page = client.post(MEMORY, data={**fields, "step": step, name: attack}, follow_redirects=False)
            assert page.status_code in (200, 303, 400, 409), page.text
            assert "<script>alert" not in page.text
            assert "<img src=x" not in page.text
    assert fingerprint(played.root) == before


def test_a_form_goes_on_without_the_fields_it_should_have(played: Layout, browse: Browse) -> None:
    client = browse(played)
    before = fingerprint(played.root)
    token = fields_of(client.get(MEMORY))["token"]
    for action in ACTIONS:
        path = "/" + fill_path(action.pattern, PARAMS)
        for step in ("look", "write", "edit"):
            assert send(client, path, {"token": token}, step).status_code in (200, 400, 404, 409), path
    assert fingerprint(played.root) == before


PARAMS: dict[str, object] = {
    "agent": "vera",
    "moment": "day-000",
    "node": "vera-001",
    "number": 1,
    "piece": "x",
    "thread": "thread-001",
    "key": "gm.yaml",
    "part": "diary",
}


@pytest.mark.parametrize(
    ("path", "changes", "said"),
    [
        (MEMORY, {"description": " "}, "fehlt noch etwas: Was erinnert wird"),
        (MEMORY, {"importance": "11"}, "Zahl von 1 bis 10"),
        ("/edit/vera/memory.html", {"description": "x", "importance": "viel"}, "Zahl von 1 bis 10"),
        ("/edit/vera/memory.html", {"description": "x", "type": "dream"}, "dream"),
        ("/edit/vera/memory.html", {"description": "x", "evidence": "vera-999"}, "vera-999"),
        ("/edit/brief.html", {"text": "\r\n"}, "fehlt noch etwas: Text"),
        ("/edit/brief.html", {"text": "x", "author": "Vera"}, "eine der Figuren"),
        ("/edit/event.html", {"text": "x", "day": "morgen"}, "Ein Tag ist eine Zahl"),
        ("/edit/event.html", {"text": "x", "day": "0"}, "Tag 0 ist vorbei"),
        ("/edit/event.html", {"text": "x", "place": "mond"}, "mond"),
    ],
)
def test_what_makes_no_sense_is_said_beside_what_was_filled_in(
    played: Layout, browse: Browse, path: str, changes: dict[str, str], said: str
) -> None:
    client = browse(played)
    before = fingerprint(played.root)
    page = send(client, path, open_form(client, path, **changes))
    assert page.status_code == 400
    assert said in unescape(page.text)
    kept = {name: value.replace("\r\n", "\n") for name, value in changes.items() if name not in ("type", "place")}
    assert kept.items() <= fields_of(page).items()
    assert fingerprint(played.root) == before


def test_without_the_mark_of_this_server_nothing_is_written_and_nothing_is_lost(played: Layout, browse: Browse) -> None:
    client, other = browse(played), browse(played)
    before = fingerprint(played.root)
    page = send(client, "/edit/brief.html", open_form(other, "/edit/brief.html", text="Baut!"))
    assert page.status_code == 403
    assert fields_of(page)["text"] == "Baut!"
    assert fingerprint(played.root) == before
    assert send(client, "/edit/brief.html", fields_of(page)).status_code == 200


def test_a_form_from_another_site_is_refused(played: Layout, browse: Browse) -> None:
    client = browse(played)
    fields = preview(client, "/edit/brief.html", text="Baut!")
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"}):
        answer = client.post("/edit/brief.html", data={**fields, "step": "write"}, headers=headers)
        assert answer.status_code == 403


def test_what_is_no_form_is_refused(played: Layout, browse: Browse) -> None:
    client = browse(played)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    path = "/edit/brief.html"
    assert client.post(path, json={"text": "x"}).status_code == 415
    assert client.post(path, files={"text": b"x"}).status_code == 415
    assert client.post(path, content=b"text=" + b"x" * 1_000_001, headers=form).status_code == 413
    assert client.post(path, content=b"text=%ff", headers=form).status_code == 400
    assert client.post(path, content="text=ä".encode(), headers=form).status_code == 400
    assert client.post(path, content=b"a=1&" * 600, headers=form).status_code == 400
    assert client.put(path, data={"text": "x"}).status_code == 405


@pytest.mark.parametrize(
    "path",
    [
        "/edit/nobody/memory.html",
        "/edit/vera/memory/emre-001.html",
        "/edit/vera/memory/vera-999.html",
        "/edit/vera/memory/..%2f..%2fx.html",
        "/edit/_2e__2e_/memory.html",
        "/edit/brief-0/end.html",
        "/edit/brief-99/end.html",
        "/edit/feedback/_2e__2e__2f_gm_2e_yaml.html",
        "/edit/feedback/_2e__2e__2f_state_2f_world_2e_json.html",
        "/edit/thread/thread-999.html",
        "/edit/thread/%00.html",
    ],
)
def test_what_does_not_exist_has_no_form(played: Layout, browse: Browse, path: str) -> None:
    assert browse(played).get(path).status_code == 404


def test_a_form_sends_no_user_elsewhere(played: Layout, browse: Browse) -> None:
    client, path = browse(played), "/edit/post.html?next=//evil.example&saved=https://evil.example"
    answer = carry_out(client, path, text="Es regnet.", next="//evil.example", back="https://evil.example")
    assert answer.headers["location"] == "/index.html?saved=post"
    assert "evil" not in client.get("/index.html?saved=<b>evil").text


def test_a_server_that_may_not_write_has_no_forms(played: Layout, browse: Browse) -> None:
    client = browse(played, read_only=True)
    assert 'method="post"' not in client.get("/index.html").text
    for action in ACTIONS:
        path = "/" + fill_path(action.pattern, PARAMS)
        assert client.get(path).status_code == 404
        assert client.post(path, data={"step": "look"}).status_code == 404


def test_a_stream_that_cannot_be_read_is_named_and_left_alone(played: Layout, browse: Browse) -> None:
    with played.stream("vera").open("a", encoding="utf-8") as file:
        file.write("{broken\n")
    before = fingerprint(played.root)
    client = browse(played)
    page = send(client, "/edit/vera/memory.html", open_form(client, "/edit/vera/memory.html", description="Ja."))
    assert page.status_code == 409
    assert "state/memories/vera.jsonl:" in page.text
    assert fields_of(page)["description"] == "Ja."
    assert fingerprint(played.root) == before


def piece_of(layout: Layout) -> str:
    return list_pieces(layout)[0].path


TOWER = NewMemory("Der Turm steht.", 7, "observation", ("turm", "asche"), ("vera-001",))
Twin = tuple[str, dict[str, str], Callable[[Layout], object]]
TWINS: dict[str, Twin] = {
    "brief": (
        "/edit/brief.html",
        {"text": "Baut\r\neinen Turm."},
        lambda world: put_up_brief(world, "Baut\neinen Turm."),
    ),
    "post": (
        "/edit/post.html",
        {"text": "Hallo", "author": "Hafenamt"},
        lambda world: put_up_post(world, "Hallo", "Hafenamt"),
    ),
    "end": ("/edit/brief-1/end.html", {}, lambda world: end_brief(world, "1")),
    "feedback": (
        "/edit/feedback/{piece}.html",
        {"text": "Schön."},
        lambda world: put_up_feedback(world, f"gallery/{piece_of(world)}", "Schön."),
    ),
    "settle": (
        "/edit/thread/thread-001.html",
        {"outcome": "broken", "text": "Nein."},
        lambda world: close_thread(world, "thread-001", "broken", "Nein."),
    ),
    "event": (
        "/edit/event.html",
        {"text": "Brettspiele", "day": "4", "time": "evening", "with-vera": "on", "with-emre": "on"},
        lambda world: schedule_event(world, EventOptions("Brettspiele", day=4, time="evening", cast=("emre", "vera"))),
    ),
    "thread": (
        "/edit/thread.html",
        {
            "by": "vera",
            "text": "das Modell ansehen",
            "with-leo": "on",
            "with-emre": "on",
            "due": "3",
            "clock": "15:00",
            "place": "flur",
        },
        lambda world: open_thread(
            world,
            NewThread("vera", "das Modell ansehen", "appointment", ("emre", "leo"), 3, "15:00", "flur"),
        ),
    ),
    "memory": (
        "/edit/vera/memory.html",
        {"description": "Der Turm steht.", "importance": "7", "tags": "turm, asche", "evidence": "vera-001"},
        lambda world: add_memory(world, "vera", TOWER),
    ),
}


@pytest.mark.parametrize("name", TWINS)
def test_a_form_writes_what_the_command_writes(played: Layout, browse: Browse, tmp_path: Path, name: str) -> None:
    if not load_world(played).world.threads:
        open_thread(played, NewThread("vera", "Ich bringe die Maße."))
    twin = Layout(tmp_path / "twin")
    copytree(played.root, twin.root)
    path, changes, command = TWINS[name]
    path = "/" + fill_path(path.removeprefix("/"), {"piece": piece_key(piece_of(played))})
    assert carry_out(browse(played), path, **changes).status_code == 303
    command(twin)
    assert fingerprint(played.root) == fingerprint(twin.root)


@pytest.mark.parametrize("language", ["de", "en"])
def test_every_form_has_its_words(language: str) -> None:
    words = load_words(language, "gm.faces.web")
    for action in ACTIONS:
        assert words(f"edit.{action.name}.title")
        assert words(f"edit.{action.name}.saved")


def test_a_world_that_cannot_be_read_is_shown_with_the_place(played: Layout, browse: Browse) -> None:
    played.settings.write_text("language: de\nworld: [", encoding="utf-8")
    for path in ("/index.html", MEMORY):
        page = browse(played).get(path)
        assert page.status_code == 200
        assert "gm.yaml:2:8 [yaml-syntax]" in page.text
        assert "Das ist kein YAML:" in page.text


@pytest.mark.parametrize("read_only", [False, True])
def test_pages_lead_to_the_forms_where_something_may_be_changed(
    played: Layout, browse: Browse, read_only: bool
) -> None:
    if not load_world(played).world.threads:
        open_thread(played, NewThread("vera", "Ich bringe die Maße."))
    client = browse(played, read_only=read_only)
    places = ("/index.html", "/threads.html", "/agents/vera/memories-1.html", "/agents/vera/memory/vera-001.html")
    piece = "/" + fill_path("gallery/{piece}.html", {"piece": piece_key(piece_of(played))})
    found: set[str] = set()
    for place in (*places, piece):
        page = client.get(place)
        assert page.status_code == 200
        for link in re.findall(r'(?:href|action)="([^"]*edit/[^"]*)"', page.text):
            target = str(page.url.join(unescape(link)))
            assert client.get(target).status_code == 200, target
            found.add(re.sub(r"\d+", "N", target.rpartition("/edit/")[2]))
    wanted = {
        "brief.html",
        "post.html",
        "event.html",
        "thread.html",
        "brief-N/end.html",
        "thread/thread-N.html",
        "vera/memory.html",
    }
    wanted |= {"vera/memory/vera-N.html"}
    assert found - {path for path in found if path.startswith("feedback/")} == (set() if read_only else wanted)
    assert any(path.startswith("feedback/") for path in found) is not read_only


def test_a_form_with_more_than_it_takes_says_how_much_that_is(studio: Layout, browse: Browse) -> None:
    client = browse(studio)
    answer = send(client, "/edit/brief.html", open_form(client, "/edit/brief.html", text="ä" * 1_000_000))
    assert answer.status_code == 413
    assert "1 MB" in answer.text
    assert "ä" * 100 not in studio.bulletin.read_text(encoding="utf-8")
