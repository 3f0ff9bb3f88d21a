"""Every address and every form of the application, attacked: by what a world holds, and by what is sent.

The lists of routes are the application's own: a new one without attacks fails here. What only a browser sees is in
``tests/browser/test_attacked.py``.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

import pytest
from httpx2 import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from gm.api.editing.threads import NewThread, open_thread
from gm.faces.web.actions.sent import MOST_BYTES, MOST_FIELDS
from gm.faces.web.app import HEADERS, make_app
from gm.faces.web.beginning import Beginning
from gm.faces.web.pages import KINDS
from gm.faces.web.paths import fill_path, piece_key, safe_name
from gm.faces.web.rendering import page_path
from gm.faces.web.site import open_site
from gm.faces.web.stage.run import StageRun
from gm.faces.web.stage.state import RunState
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.media.pieces import list_pieces
from gm.files.questions.mailbox import PostFolder
from tests.browser.attacked import CANARY, LETTER, STRANGERS, attack_everything, run_events
from tests.browser.attacks import ATTACKS, HTML, LONG
from tests.faces.web.conftest import ADDRESS, Browse
from tests.faces.web.forms import carry_out, fields_of, send
from tests.faces.web.links import read_page
from tests.faces.web.test_stage import FAKE
from tests.handmade import fingerprint
from tests.stories.playing import set_sections

NAMED = re.compile(r"\{(\w+)\}")
VALUES: dict[str, object] = {
    "agent": "alex",
    "other": "casey",
    "day": 2,
    "page": 2,
    "node": "alex-2001",
    "number": 1,
    "moment": "day-001/scene-01",
    "thread": "thread-1100",
    "key": "gm.yaml",
    "part": "diary",
    "section": "reference",
    "topic": "index",
    "letter": LETTER,
    "name": "none.png",
    "piece": "none.md",
}
"""What the parameters of routes are filled with in the attacked world; a parameter that is not here fails."""
MISSING = ("/gallery/files/{name}", "/agents/portraits/{name}")
"""Routes of which the attacked world has nothing under that name."""
SEGMENTS = (
    "..%2f..%2f..%2fsecret", "_2e__2e__2f__2e__2e__2f_secret_2e_md", "_2f_etc_2f_passwd", "a%00b", "_0_", "_d800_",
    "%0d%0aX-Attacked:1", "__proto__", "%ff%fe", "9" * 400, "%d9%a3", "a" * 3000, "-1",
    quote("<script>alert(1)</script>{{7*7}}%s%n", safe=""), safe_name("\x1b]0;x\x07<script>alert(1)</script>"),
)  # fmt: skip
"""What may stand in an address where a name is expected; none is a name of anything."""
HELD = "\n".join(attack.text for attack in ATTACKS if attack is not LONG)
LINE = "\"'><svg onload=alert(1)> {{7*7}} a\0b\x07\x1b]0;x\x07\x7f\x85\u2028\u202e\u2067\ufffe"
"""One line that leaves an attribute, a template, a terminal and the direction of a text."""
SENT: Mapping[str, str] = {
    "every attack": HELD,
    "a line": LINE,
    "a way out": "../../secret.md",
    "no number": "-1",
    "a key": "__proto__",
    "empty": "",
}
"""What a field is sent, one after the other."""
LARGE = "ü" * 150_000
"""Nearly a megabyte, as a form is sent."""
STRANGE = ("with-alex", "step", "seal", "<img src=x onerror=alert(1)>")
"""Fields that a form does not show; they are sent ``LINE``."""
FORMS: Mapping[str, Mapping[str, str]] = {
    "/mailbox/{letter}.html": {"whole": "", "action": "Nods.", "mood": "calm", "done": "on"},
    "/ask/{agent}.html": {"text": "Why?", "author": "", "remember": "on"},
    "/visitor.html": {"name": "Mira", "text": "You are Mira.", "day": "3", "place": ""},
    "/play.html": {"step": "forecast", "model": "rehearsal", "days": "1", "much": "days", "typed": "", "plays": ""},
    "/edit/check/{key}.html": {"text": "a: b"},
    "/edit/{agent}/memory/{node}.html": {"description": "x", "importance": "5", "tags": "a", "print": "", "was": ""},
    "/edit/{agent}/memory.html": {"description": "x", "importance": "5", "tags": "", "type": "", "evidence": ""},
    "/edit/brief.html": {"text": "x", "author": ""},
    "/edit/brief-{number}/end.html": {"brief": ""},
    "/edit/post.html": {"text": "x", "author": ""},
    "/edit/feedback/{piece}.html": {"text": "x", "author": ""},
    "/edit/thread.html": {"text": "x", "by": "", "kind": "promise", "due": "", "clock": "", "time": "", "place": ""},
    "/edit/thread/{thread}.html": {"text": "x", "outcome": ""},
    "/edit/event.html": {"text": "x", "day": "9", "time": "evening", "place": ""},
    "/edit/file/{key}.html": {"text": "x", "print": "", "despite": "on"},
    "/edit/character.html": {"name": "Ono", "text": "x", "place": ""},
    "/edit/place.html": {"name": "cellar", "text": "x"},
    "/edit/scene-type.html": {"name": "DREAM", "pattern": ""},
    "/edit/switch/{part}.html": {"value": ""},
    "/edit/rewind/{moment}.html": {"ask_again": ""},
    "/edit/undo/{number}.html": {},
    "/edit/branch/{moment}.html": {"branch": "other"},
    "/edit/world/template.html": {"template": "dinner-0", "folder": "world-a"},
    "/edit/world/own.html": {"title": "x", "premise": "x", "people": "A", "places": "B", "folder": "world-b"},
}
"""The forms and their fields; what is empty here is sent as the form of the world has it."""
FIRST: Mapping[str, Mapping[str, str]] = {
    "/begin/open.html": {"world": "dinner"},
    "/begin/template.html": {"template": "dinner", "folder": "x"},
    "/begin/own.html": {"title": "x", "premise": "x", "people": "A", "places": "B", "brief": "x", "folder": "y"},
}
WRITING = (
    "/ask/{agent}.html", "/visitor.html", "/edit/{agent}/memory.html", "/edit/{agent}/memory/{node}.html",
    "/edit/brief.html", "/edit/post.html", "/edit/feedback/{piece}.html", "/edit/thread.html",
    "/edit/thread/{thread}.html", "/edit/event.html", "/edit/character.html", "/edit/place.html",
)  # fmt: skip
"""Forms that write a text into the world."""
WORDS = ("text", "description", "tags", "author")
"""Fields that take a text of any kind."""
PASSED = (200, 303, 400, 404, 409)
ASKED = {"for": "alex", "scene": "day-003/scene-01", "label": "alex", "identity": "1", "reply": "SceneReply"}
"""The front matter of a letter."""


@pytest.fixture(scope="module")
def attacked(two_full_days: Layout, tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """A world that is one attack. Shared: read it, do not write into it."""
    root = tmp_path_factory.mktemp("attacked") / "dinner"
    shutil.copytree(two_full_days.root, root)
    attack_everything(Layout(root))
    return Layout(root)


@pytest.fixture
def lively(two_full_days: Layout, tmp_path: Path) -> Layout:
    """A played world with nothing odd in it, a letter and an open thread; beside it lies what nobody may see."""
    shutil.copytree(two_full_days.root, tmp_path / "home" / "world")
    layout = Layout(tmp_path / "home" / "world")
    set_sections(layout.settings, "model: rehearsal\n")
    open_thread(layout, NewThread("alex", "I bring the salt."))
    PostFolder(layout).write_question(LETTER, ASKED, "What do you do?\n")
    (tmp_path / "home" / "secret.md").write_text(CANARY, encoding="utf-8")
    return layout


def routes(app: object, method: str) -> list[str]:
    """Name the patterns of an application that take a method."""
    found = getattr(app, "routes", ())
    return [route.path for route in found if isinstance(route, Route) and method in (route.methods or ())]


def address(pattern: str, values: Mapping[str, object] = VALUES) -> str:
    return "/" + fill_path(pattern.removeprefix("/"), {name: values[name] for name in NAMED.findall(pattern)})


def harmless(answer: Response) -> list[str]:
    """Return the harm that an answer does."""
    page_text = answer.text
    faults = [f"{name} is {answer.headers.get(name)}" for name in HEADERS if name not in answer.headers]
    faults += [f"status {answer.status_code}"] if answer.status_code >= 500 else []
    faults += ["shows what lies outside"] if CANARY in page_text or "root:x:" in page_text else []
    faults += ["splits its head"] if "x-attacked" in answer.headers else []
    place = answer.headers.get("location", "/")
    faults += [f"leads to {place}"] if not re.match(r"/(?!/)[!-~]*\Z", place) or urlsplit(place).netloc else []
    if not answer.headers.get("content-type", "").startswith("text/html"):
        return faults
    page = read_page(page_text)
    faults += [f"armed: {name}" for name in page.inline]
    faults += [f"<{tag}> leads to {link}" for tag, link in page.links if leads_out(tag, link)]
    return faults + [f"raw: {attack.name}" for attack in HTML if attack.text in page_text]


def leads_out(tag: str, link: str) -> bool:
    """Return whether an element refers to what it should not; texts may link to other hosts."""
    scheme = urlsplit(re.sub(r"[\s\0-\x1f]", "", link)).scheme
    return scheme not in ("", "http", "https", "mailto") or bool(tag != "a" and urlsplit(link).netloc)


def pages(layout: Layout) -> Iterator[str]:
    """Name the first pages of each kind that are listed, and one address of each route with a parameter."""
    site = open_site(layout)
    known = {**VALUES, "piece": piece_key(list_pieces(layout)[0].path), "part": "diary", "agent": "alex"}
    for kind in KINDS:
        yield from ("/" + page_path(kind.name, **params) for params in list(kind.every(site))[:1])
        yield address(kind.pattern, known)
    for name in (*STRANGERS[:3], "alex"):
        yield from (
            address(pattern, {**known, "agent": name}) for pattern in ("ask/{agent}.html", "agents/{agent}.html")
        )


def test_every_route_is_attacked(lively: Layout) -> None:
    app, first = make_app(lively), Beginning(lively.root.parent, lambda _layout: None)._first
    assert set(routes(app, "POST")) == set(FORMS)
    assert set(routes(first, "POST")) == set(FIRST)
    named = {name for path in (*routes(app, "GET"), *routes(app, "POST")) for name in NAMED.findall(path)}
    assert named == set(VALUES)
    others = [route for route in app.routes if not isinstance(route, Route)]
    assert [getattr(route, "path", "") for route in others] == ["/static"]


def test_no_page_of_an_attacked_world_lets_anything_loose(attacked: Layout, browse: Browse) -> None:
    client = browse(attacked)
    tried = {*pages(attacked), *(address(path) for path in routes(client.app, "GET") if path != "/events")}
    tried.add("/compare.html?a=day-001&b=now")
    answers = {path: client.get(path, follow_redirects=False) for path in sorted(tried)}
    faults = {path: found for path, answer in answers.items() if (found := harmless(answer))}
    assert faults == {}
    there = {path for path, answer in answers.items() if answer.status_code in (200, 307)}
    gone = {path for path in routes(client.app, "GET") if path != "/events" and address(path) not in there}
    further = {f"/{kind.pattern}" for kind in KINDS if kind.first > 1}
    assert gone <= {*MISSING, *further, "/gallery/{piece}.html", "/edit/feedback/{piece}.html"}


@pytest.mark.parametrize("deciding", [False, True], ids=["playing", "deciding"])
def test_what_a_run_tells_is_text(deciding: bool, attacked: Layout, browse: Browse) -> None:
    run = StageRun(attacked, state=RunState("playing", is_running=True))
    client = browse(attacked, run=run)
    for event in run_events(attacked.agent_names(), deciding=deciding):
        run.fold_line(json.dumps(event))
    page = client.get("/play.html")
    assert (page.status_code, harmless(page)) == (200, [])
    assert len(run.state.takes) == 2 * deciding
    awaited = [{"who": "alex", "question": "../../secret.md", "answer": HELD, "problem": HELD}]
    for event in (
        {"event": "waiting", "awaited": awaited},
        {"event": "stopped", "message": HELD, "hint": HELD, "exit": 1},
    ):
        run.fold_line(json.dumps(event))
        ended = browse(attacked, run=StageRun(attacked, state=replace(run.state, is_running=False)))
        assert [harmless(one.get("/play.html")) for one in (client, ended)] == [[], []]


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_no_name_in_an_address_leads_out(method: str, lively: Layout, browse: Browse) -> None:
    client, known = browse(lively), {**VALUES, **there_in(lively)}
    token = fields_of(client.get("/edit/brief.html"))["token"]
    sent = {"token": token, "step": "look"} if method == "POST" else None
    for pattern in routes(client.app, method):
        for name in NAMED.findall(pattern):
            left, right = pattern.split(f"{{{name}}}", 1)
            left, right = (fill_path(part, known) for part in (left, right))
            for segment in SEGMENTS:
                path = f"{left}{segment}{right}"
                answer = client.request(method, path, data=sent)
                assert harmless(answer) == [], path
                assert 400 <= answer.status_code < 500, path


def there_in(layout: Layout) -> dict[str, object]:
    """Name what the lively world has, where that is not what the attacked one has."""
    piece = piece_key(list_pieces(layout)[0].path)
    thread = next(thread.id for thread in load_world(layout).world.threads if thread.is_open)
    return {"node": "alex-001", "thread": thread, "piece": piece, "key": "state/personas/alex.md"}


def fill(client: TestClient, pattern: str, path: str) -> dict[str, str]:
    """Fill in a form with what makes sense."""
    shown = fields_of(client.get(path if pattern in routes(client.app, "GET") else "/edit/brief.html"))
    asked = {name: value or shown.get(name, "") for name, value in FORMS[pattern].items()}
    return {**asked, "token": shown["token"], "step": asked.get("step", "look")}


def prepare(client: TestClient, pattern: str) -> None:
    """See that there is something that a form is about."""
    if pattern.startswith("/edit/undo/"):
        assert carry_out(client, "/edit/rewind/day-001.html").status_code == 303


def faults_of(answer: Response) -> list[str]:
    """Return what is wrong with the answer to a form."""
    return harmless(answer) + ([] if answer.status_code in PASSED else [f"status {answer.status_code}"])


@pytest.mark.parametrize("pattern", FORMS)
def test_no_field_lets_anything_loose(pattern: str, lively: Layout, browse: Browse) -> None:
    """Each field is sent each attack, and what is previewed is written; the world stays one that can be played."""
    client = browse(lively, run=StageRun(lively, FAKE))
    prepare(client, pattern)
    path, before = address(pattern, {**VALUES, **there_in(lively)}), around(lively)
    usual, faults = fill(client, pattern, path), []
    asked = [(name, what, text) for name in FORMS[pattern] for what, text in SENT.items()]
    asked += [(name, "large", LARGE) for name in list(FORMS[pattern])[:1]]
    for name, what, text in (*asked, *((name, "strange", LINE) for name in STRANGE)):
        answer = client.post(path, data={**usual, name: text}, follow_redirects=False)
        faults += [f"{name}, {what}: {fault}" for fault in faults_of(answer)]
        if answer.status_code == 200 and what == "a line" and "seal" in (sealed := fields_of(answer)):
            faults += [f"{name}, written: {fault}" for fault in faults_of(send(client, path, sealed, "write"))]
    assert faults == []
    assert not [problem for problem in load_world(lively).problems if problem.severity == "error"]
    assert around(lively) == before


def around(layout: Layout) -> dict[str, str]:
    """Return the state of what lies beside a world; what is written apart from it lies there too."""
    found = fingerprint(layout.root.parent)
    return {name: value for name, value in found.items() if not name.startswith(layout.root.name)}


def test_what_was_written_by_forms_is_text_on_every_page(lively: Layout, browse: Browse) -> None:
    client, known = browse(lively), {**VALUES, **there_in(lively)}
    done = {}
    for pattern in WRITING:
        path = address(pattern, known)
        usual = fill(client, pattern, path)
        texts = {name: f"{usual[name]} {LINE}" for name in WORDS if name in usual}
        answer = client.post(path, data={**usual, **texts}, follow_redirects=False)
        sealed = fields_of(answer) if answer.status_code == 200 else {}
        done[pattern] = send(client, path, sealed, "write") if "seal" in sealed else answer
    assert {path: answer.status_code for path, answer in done.items() if answer.status_code not in (200, 303)} == {}
    assert {page: found for page in pages(lively) if (found := harmless(client.get(page)))} == {}
    assert "svg onload" in client.get("/threads.html").text


@pytest.mark.parametrize("pattern", FORMS)
def test_no_form_takes_what_is_not_its_own(pattern: str, lively: Layout, browse: Browse) -> None:
    client = browse(lively, run=StageRun(lively, FAKE))
    prepare(client, pattern)
    path = address(pattern, {**VALUES, **there_in(lively)})
    fields = fill(client, pattern, path)
    before = fingerprint(lively.root.parent)
    assert refused(client, path, fields) == {}
    assert fingerprint(lively.root.parent) == before
    assert client.app.state.run.state.kind == "idle"  # type: ignore[attr-defined]


def refused(client: TestClient, path: str, fields: Mapping[str, str]) -> dict[str, int]:
    """Send a form in every way that must be refused; return what was not."""
    body = urlencode(fields)
    form: dict[str, str | None] = {"Content-Type": "application/x-www-form-urlencoded"}
    bare = urlencode({name: value for name, value in fields.items() if name != "token"})
    sent: dict[str, tuple[int, str | bytes, dict[str, str | None]]] = {
        "no token": (403, bare, form),
        "another token": (403, f"{bare}&token=x", form),
        "a token that is followed by another": (403, f"{body}&token=x", form),
        "a token that is no text of ours": (403, f"{bare}&token=%C3%BC%00", form),
        "no origin": (403, body, {**form, "Origin": None}),
        "the origin of a sandbox": (403, body, {**form, "Origin": "null"}),
        "another origin": (403, body, {**form, "Origin": "http://attack.invalid"}),
        "another port": (403, body, {**form, "Origin": "http://127.0.0.1:1"}),
        "another scheme": (403, body, {**form, "Origin": ADDRESS.replace("http", "https")}),
        "another host": (403, body, {**form, "Host": "attack.invalid", "Origin": "http://attack.invalid"}),
        "a host behind a name": (403, body, {**form, "Host": "127.0.0.1@attack.invalid"}),
        "no kind of content": (415, body, {"Content-Type": None}),
        "json": (415, json.dumps(dict(fields)), {"Content-Type": "application/json"}),
        "text": (415, body, {"Content-Type": "text/plain"}),
        "parts": (415, body, {"Content-Type": "multipart/form-data; boundary=x"}),
        "too much": (413, f"{body}&more={'x' * MOST_BYTES}", form),
        "too many": (400, f"{body}{'&a=1' * MOST_FIELDS}", form),
        "no text": (400, f"{body}&more=%ff", form),
        "raw bytes": (400, body.encode() + b"&more=\xc3\xbc", form),
    }
    wrong = {}
    for name, (status, content, headers) in sent.items():
        request = client.build_request("POST", path, content=content)
        for header, value in headers.items():
            request.headers.pop(header, None)
            request.headers.update({header: value} if value is not None else {})
        answer = client.send(request, follow_redirects=False)
        if answer.status_code != status or harmless(answer):
            wrong[name] = answer.status_code
    return wrong


@pytest.fixture
def first(tmp_path: Path) -> TestClient:
    """The first page of a folder in which folders have hostile names, and some hold worlds with hostile titles."""
    home = tmp_path / "around" / "home"
    for name in set(STRANGERS) - set(SENT.values()):
        world = home / name
        (world / "state").mkdir(parents=True)
        title = json.dumps({"world": {"title": HELD, "premise": HELD}})
        (world / "gm.yaml").write_text(title, encoding="utf-8")
        (world / "state" / "world.json").write_text("{}", encoding="utf-8")
    (tmp_path / "around" / "secret.md").write_text(CANARY, encoding="utf-8")
    app = Beginning(home, lambda _layout: None)
    return TestClient(app, base_url=ADDRESS, headers={"Origin": ADDRESS})


@pytest.mark.parametrize("path", FIRST)
def test_the_first_page_lets_nothing_loose_and_takes_only_its_own(path: str, first: TestClient, tmp_path: Path) -> None:
    token = fields_of(first.get("/begin/own.html"))["token"]
    page = first.get("/index.html")
    assert (page.status_code, harmless(page)) == (200, [])
    assert STRANGERS[0] not in page.text
    before = fingerprint(tmp_path / "around")
    fields = {**FIRST[path], "token": token, "step": "look"}
    assert refused(first, path, fields) == {}
    faults = []
    for name in (*FIRST[path], "language", "step", "seal"):
        for what, text in SENT.items():
            answer = first.post(path, data={**fields, name: text}, follow_redirects=False)
            status = [] if answer.status_code in (*PASSED, 403) else [f"status {answer.status_code}"]
            faults += [f"{name}, {what}: {fault}" for fault in harmless(answer) + status]
    assert faults == []
    assert fingerprint(tmp_path / "around") == before


def test_a_world_with_a_hostile_name_is_opened(first: TestClient) -> None:
    token = fields_of(first.get("/begin/own.html"))["token"]
    opened = first.post("/begin/open.html", data={"world": STRANGERS[0], "token": token}, follow_redirects=False)
    assert (opened.status_code, harmless(opened)) == (303, [])
    assert harmless(first.get("/index.html")) == []
    assert harmless(first.get("/begin/own.html", follow_redirects=False)) == []
