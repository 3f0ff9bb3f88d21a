"""The mailbox as pages: letters and their answers, questions out of scene, guests."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from typing import Any

import pytest
from starlette.testclient import TestClient

from gm.api.playing.ask import Answered, CharacterQuestion, ask_character
from gm.api.playing.forecast.make import forecast_answer
from gm.api.playing.forecast.report import describe_forecast
from gm.api.playing.mailbox import Letter, open_letters
from gm.api.reports.models import choose_for
from gm.base.errors import WaitingError
from gm.faces.web.actions import deeds
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.model.turns import turns_of
from gm.play.master import run_days
from gm.play.report import Report
from tests.faces.web.conftest import Browse
from tests.faces.web.forms import carry_out, fields_of, open_form
from tests.stories.person import filled_in
from tests.stories.playing import play, records, set_sections

SECRET = "The spare key lies under the third step, and nobody knows."
MOST = 20


def wait(layout: Layout, *people: str) -> list[Letter]:
    """Play until something is asked of people; return it."""
    choice = choose_for(layout, "rehearsal", people=people or ("alex",))
    with pytest.raises(WaitingError):
        run_days(layout, choice, Report(), 1, command="test")
    return [letter for letter in open_letters(layout) if not letter.is_answered]


def path_of(letter: Letter) -> str:
    return f"/mailbox/{letter.name}.html"


@pytest.fixture
def letter(dinner: Layout) -> Letter:
    (found,) = wait(dinner)
    return found


@pytest.fixture
def client(dinner: Layout, browse: Browse) -> TestClient:
    return browse(dinner)


def test_the_mailbox_lists_letters_and_says_so_when_there_are_none(client: TestClient, dinner: Layout) -> None:
    assert "Nothing is asked" in client.get("/mailbox.html").text
    (letter,) = wait(dinner)
    page = client.get("/mailbox.html").text
    assert f"mailbox/{letter.name}.html" in page
    assert "mailbox.html" in client.get("/index.html").text


def test_each_field_of_a_form_is_named_as_the_letter_names_it(client: TestClient, letter: Letter) -> None:
    page = client.get(path_of(letter)).text
    for field in (*letter.usual, *letter.further):
        assert f"<code>{field.key}</code>" in page, field


def test_the_example_of_a_field_is_about_who_is_asked(client: TestClient, letter: Letter) -> None:
    assert "“Alex turns …”" in client.get(path_of(letter)).text


def test_the_kind_of_a_piece_is_one_of_those_of_the_world(client: TestClient, letter: Letter) -> None:
    found = re.search(r'<select id="f-artifact-kind".*?</select>', client.get(path_of(letter)).text, re.S)
    assert found
    assert re.findall(r'<option value="(\w*)"', found[0]) == ["", *letter.settings.world.kinds]


def test_a_letter_is_answered_by_its_form(client: TestClient, dinner: Layout, letter: Letter) -> None:
    sent = client.post(
        path_of(letter), data=open_form(client, path_of(letter), **filled_in(letter)), follow_redirects=False
    )
    assert sent.status_code == 303
    assert sent.headers["location"] == "/mailbox.html?saved=letter"
    assert "It is answered" in client.get(sent.headers["location"]).text
    assert json.loads((dinner.mailbox / f"{letter.name}.answer.json").read_text(encoding="utf-8"))["mood"] == "calm"
    assert 'value="calm"' in client.get(path_of(letter)).text


def test_the_next_open_letter_follows(client: TestClient, dinner: Layout) -> None:
    first, second = wait(dinner, "alex", "casey")
    sent = client.post(
        path_of(first), data=open_form(client, path_of(first), **filled_in(first)), follow_redirects=False
    )
    assert sent.headers["location"] == f"{path_of(second)}?saved=letter"


def test_a_whole_answer_is_taken_as_it_is(client: TestClient, dinner: Layout, letter: Letter) -> None:
    fields = open_form(client, path_of(letter), whole='{"mood": "calm", "plan": {"work": ["it"]}}')
    assert client.post(path_of(letter), data=fields, follow_redirects=False).status_code == 303
    assert open_letters(dinner)[0].is_answered


def test_what_cannot_be_used_is_shown_again_with_the_reason(client: TestClient, dinner: Layout, letter: Letter) -> None:
    fields = open_form(client, path_of(letter), mood="calm", thoughts="<b>Hm</b>")
    page = client.post(path_of(letter), data=fields)
    assert page.status_code == 400
    assert "plan.work: missing" in page.text
    assert fields_of(page)["thoughts"] == "<b>Hm</b>"
    assert "<b>Hm</b>" not in page.text
    assert not open_letters(dinner)[0].answer


def test_a_slip_in_a_whole_answer_is_said_before_it_is_saved(
    client: TestClient, dinner: Layout, letter: Letter
) -> None:
    whole = '{"mood": "calm", "plan": {"work": ["it"]}, "thougts": "Hm."}'
    page = unescape(client.post(path_of(letter), data=open_form(client, path_of(letter), whole=whole)).text)
    assert "thougts: unknown key; did you mean thoughts?" in page
    assert whole in page
    assert not open_letters(dinner)[0].answer


def test_an_answer_to_a_question_that_has_changed_is_not_written(
    client: TestClient, dinner: Layout, letter: Letter
) -> None:
    fields = open_form(client, path_of(letter), **filled_in(letter))
    path = dinner.mailbox / f"{letter.name}.md"
    path.write_text(path.read_text(encoding="utf-8").replace(letter.identity, "f" * 64), encoding="utf-8")
    page = client.post(path_of(letter), data=fields)
    assert page.status_code == 409
    assert "has changed" in page.text
    assert not open_letters(dinner)[0].answer


@pytest.mark.parametrize("path", ["/ask/alex.html", "/visitor.html"])
def test_without_the_token_nothing_is_done(client: TestClient, dinner: Layout, path: str) -> None:
    before = sorted(dinner.root.rglob("*"))
    page = client.post(path, data={"text": "Hello?", "name": "Mira", "token": "stolen"})
    assert page.status_code == 403
    assert sorted(dinner.root.rglob("*")) == before


def test_without_the_token_no_letter_is_answered(client: TestClient, dinner: Layout, letter: Letter) -> None:
    fields = {**open_form(client, path_of(letter), **filled_in(letter)), "token": ""}
    assert client.post(path_of(letter), data=fields).status_code == 403
    assert not open_letters(dinner)[0].answer


def test_read_only_pages_show_letters_and_take_no_answers(dinner: Layout, browse: Browse, letter: Letter) -> None:
    client = browse(dinner, read_only=True)
    assert 'method="post"' not in client.get(path_of(letter)).text
    for path in (path_of(letter), "/ask/alex.html", "/visitor.html"):
        assert client.get(path).status_code == 200
        assert client.post(path, data={"token": ""}).status_code == 405


@pytest.mark.parametrize("name", ["..%2f..%2fgm", "nothing", "day-001-scene-01-alex.answer", "%00"])
def test_there_is_no_page_of_what_is_no_letter(client: TestClient, letter: Letter, name: str) -> None:
    assert client.get(f"/mailbox/{name}.html").status_code == 404


def test_a_letter_of_a_stranger_is_shown_as_text(client: TestClient, dinner: Layout) -> None:
    attack = "<script>alert(1)</script>"
    front = f"for: '{attack}'\nscene: day-001/scene-01\nreply: SceneReply\nkeys: mood, dialogue\nwith: '{attack}'"
    text = f"# {attack}\n\n{attack} [x](javascript:alert(1)) ![y](http://elsewhere.example/y.png)"
    dinner.mailbox.mkdir()
    for name in ("odd", attack.replace("/", "")):
        (dinner.mailbox / f"{name}.md").write_text(f"---\n{front}\n---\n{'─' * 30}\n{text}\n", encoding="utf-8")
        (dinner.mailbox / f"{name}.problem.md").write_text(attack, encoding="utf-8")
    pages = [client.get("/mailbox.html").text]
    links = re.findall(r'href="(mailbox/[^"]+)"', pages[0])
    assert len(links) == 2
    pages += [client.get(f"/{link}").text for link in links]
    for page in pages:
        assert "alert(1)" in page
        assert attack not in page
        assert 'href="javascript' not in page
        assert 'src="http' not in page


def test_a_letter_shows_nothing_that_its_character_does_not_know(dinner: Layout, client: TestClient) -> None:
    set_sections(dinner.settings, "day: {scenes: [2, 3]}\n")
    persona = dinner.persona("casey")
    persona.write_text(persona.read_text(encoding="utf-8") + f"\n{SECRET}\n", encoding="utf-8")
    pages = []
    for _ in range(MOST):
        try:
            run_days(dinner, choose_for(dinner, "rehearsal", people=["alex"]), Report(), 1, command="test")
            break
        except WaitingError:
            for letter in open_letters(dinner):
                pages.append(unescape(client.get(path_of(letter)).text))
                client.post(path_of(letter), data=open_form(client, path_of(letter), **filled_in(letter)))
    asked = "".join(path.read_text(encoding="utf-8") for path in dinner.traces.rglob("casey*.json"))
    assert SECRET in asked, "it was not planted"
    turns = [turn for entry in records(dinner.day_log(1)) for turn in turns_of(entry) if turn.agent != "alex"]
    thoughts = [turn.thought for turn in turns if turn.thought]
    assert pages
    assert thoughts
    for page in pages:
        assert not [text for text in (SECRET, *thoughts) if text in page]


def test_a_character_answers_a_question_and_shows_what_came_to_mind(client: TestClient, dinner: Layout) -> None:
    play(dinner)
    set_sections(dinner.settings, "model: rehearsal\n")
    page = client.post("/ask/alex.html", data=open_form(client, "/ask/alex.html", text="What about <the> oven?"))
    assert page.status_code == 200
    assert "What about &lt;the&gt; oven?" in page.text
    assert "What came to mind" in page.text
    assert "agents/alex/memory/" in page.text
    assert "live.js" not in page.text


def test_the_model_that_answers_is_chosen_on_the_page(client: TestClient, dinner: Layout) -> None:
    set_sections(dinner.settings, "model: openai:gpt-5\n")
    asked = open_form(client, "/ask/alex.html", text="What about the oven?")
    refused = client.post("/ask/alex.html", data=asked)
    assert refused.status_code == 409
    assert "OPENAI_API_KEY" in refused.text
    answered = client.post("/ask/alex.html", data={**asked, "model": "rehearsal"})
    assert "<code>rehearsal</code>" in answered.text
    assert fields_of(answered)["model"] == "rehearsal"
    elsewhere = client.post("/ask/alex.html", data={**asked, "typed": "http://127.0.0.1:9/v1#m"})
    assert elsewhere.status_code == 400
    assert fields_of(elsewhere)["text"] == "What about the oven?"


def test_a_question_is_remembered_only_if_it_is_wanted(client: TestClient, dinner: Layout) -> None:
    play(dinner)
    set_sections(dinner.settings, "model: rehearsal\n")
    before = dinner.stream("alex").read_bytes()
    fields = open_form(client, "/ask/alex.html", text="What about the oven?")
    client.post("/ask/alex.html", data=fields)
    assert dinner.stream("alex").read_bytes() == before
    assert client.post("/ask/alex.html", data={**fields, "remember": "on"}).status_code == 200
    assert "What about the oven?" in dinner.stream("alex").read_text(encoding="utf-8")


def test_a_question_is_forecast_before_it_is_sent(client: TestClient, dinner: Layout) -> None:
    set_sections(dinner.settings, "model: rehearsal\nbudget: {calls: 1, day_usd: 0.001}\n")
    fields = open_form(client, "/ask/alex.html", text="What about the oven?", typed="claude-sonnet-5", step="forecast")
    page = client.post("/ask/alex.html", data=fields)
    expected = describe_forecast(
        forecast_answer(
            dinner, choose_for(dinner, "claude-sonnet-5", asking=False), CharacterQuestion("alex", fields["text"])
        )
    )
    tokens = expected.totals.tokens
    assert expected.totals.calls == 1
    assert page.status_code == 200
    assert re.search(r"<b>1</b> call\b", page.text)
    assert f"<b>{tokens.input + tokens.cache_read + tokens.cache_write + tokens.output:,}</b> tokens" in page.text
    assert "not enough" in page.text, "a dollar in a thousand pieces buys no answer of this model"
    assert fields_of(page)["text"] == "What about the oven?"
    assert fields_of(page)["typed"] == "claude-sonnet-5"
    assert not dinner.asks.exists()


def test_a_question_beyond_the_budget_is_refused(client: TestClient, dinner: Layout) -> None:
    set_sections(dinner.settings, "model: rehearsal\nbudget: {calls: 1}\n")
    first, second = (open_form(client, "/ask/alex.html", text=text) for text in ("The oven?", "The chairs?"))
    assert client.post("/ask/alex.html", data=first).status_code == 200
    refused = client.post("/ask/alex.html", data=second)
    assert refused.status_code == 409
    assert "The budget does not allow this" in refused.text


def test_who_is_played_by_a_person_is_asked_by_letter(client: TestClient, dinner: Layout) -> None:
    set_sections(dinner.settings, "model: rehearsal\n")
    fields = open_form(client, "/visitor.html", name="Mira Sol", text="You are Mira, from below.")
    sent = client.post("/visitor.html", data=fields, follow_redirects=False)
    assert sent.headers["location"] == "/agents/mira-sol.html?saved=visitor"
    assert load_world(dinner).world.agents["mira-sol"].front_values.visits == (1,)
    page = client.post("/ask/mira-sol.html", data=open_form(client, "/ask/mira-sol.html", text="Why today?"))
    assert "A person plays this character" in page.text
    (letter,) = open_letters(dinner)
    client.post(path_of(letter), data=open_form(client, path_of(letter), answer="For the ladder."))
    page = client.post("/ask/mira-sol.html", data=open_form(client, "/ask/mira-sol.html", text="Why today?"))
    assert "For the ladder." in page.text


def test_places_are_offered_by_name(client: TestClient, dinner: Layout) -> None:
    set_sections(dinner.settings, "places: {living-room: A sofa.}\n")
    assert '<option value="living-room">Living room</option>' in client.get("/visitor.html").text


def test_a_second_click_waits_for_the_answer_to_the_first(
    client: TestClient, dinner: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_sections(dinner.settings, "model: rehearsal\n")
    fields = open_form(client, "/ask/alex.html", text="What about the oven?")
    asked: list[int] = []
    most: list[int] = []

    def ask_slowly(*given: Any) -> Answered:
        asked.append(1)
        most.append(len(asked))
        answered = ask_character(*given)
        asked.pop()
        return answered

    monkeypatch.setattr(deeds, "ask_character", ask_slowly)
    with ThreadPoolExecutor(4) as pool:
        pages = list(pool.map(lambda _: client.post("/ask/alex.html", data=fields), range(4)))
    assert {page.status_code for page in pages} == {200}
    assert max(most) == 1


def test_signs_that_cannot_be_seen_leave_a_world_that_can_be_read(client: TestClient, dinner: Layout) -> None:
    signs = {"name": "Mi\0ra\x1b]0;x\x07 \u202eSol", "text": "You\0 are\uffff\nMira."}
    page = client.post("/visitor.html", data=open_form(client, "/visitor.html", **signs), follow_redirects=False)
    assert page.headers["location"] == "/agents/mi-ra-0-x-sol.html?saved=visitor"
    carry_out(client, "/edit/character.html", name="O\0no", text="pilot,\x00 laughs")
    loaded = load_world(dinner)
    assert not loaded.problems
    assert (loaded.world.agents["mi-ra-0-x-sol"].name, loaded.world.agents["o-no"].name) == ("Mi ra ]0;x Sol", "O no")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"name": " "}, "needs a name"),
        ({"name": "\0\x1b"}, "needs a name"),
        ({"day": "0"}, "is over"),
        ({"day": "soon"}, "A day is a number"),
        ({"place": "moon"}, "no place"),
        ({"name": "Alex Pemberton", "day": ""}, ""),
    ],
)
def test_a_guest_that_cannot_come_is_refused_and_the_form_stays(
    client: TestClient, dinner: Layout, changes: dict[str, str], told: str
) -> None:
    fields = open_form(client, "/visitor.html", **{"name": "Mira", "text": "You are Mira.", **changes})
    page = client.post("/visitor.html", data=fields, follow_redirects=False)
    if told:
        assert page.status_code == 400
        assert told in page.text
        assert "You are Mira." in page.text
        assert not (dinner.personas / "mira.md").exists()
    else:
        assert page.status_code == 303
