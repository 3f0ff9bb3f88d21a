"""People judge pairs on pages: blind, each pair once, and only where the forms come from."""

from __future__ import annotations

from html import escape
from pathlib import Path

import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from gm.base.errors import GmError
from gm.faces.web.judging import make_judging
from gm.faces.web.serve import serve_judging
from gm.files.experiments.judging import (
    append_verdict,
    pairs_file,
    read_verdicts,
    verdicts_file,
    write_comparison,
    write_pairs,
)
from gm.model.verdict import Pair, PairComparison, Verdict
from tests.browser.attacks import HTML
from tests.cli.running import runner
from tests.faces.web.conftest import ADDRESS
from tests.faces.web.forms import fields_of
from tests.faces.web.test_forms import words_of

HOSTILE = "".join(attack.text for attack in HTML)
PAIRS = 12
OURS, THEIRS = "condition-of-ours", "condition-of-theirs"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Pairs of two conditions; the first text of each names its number."""
    home = tmp_path / f"{OURS}-against-{THEIRS}"
    write_pairs(
        home,
        [
            Pair(
                key=f"{OURS}/{number}",
                item=f"{THEIRS}-{number}",
                first=OURS,
                second=THEIRS,
                first_text=f"ours {number:02d}\n{HOSTILE}",
                second_text=f"theirs {number:02d}",
            )
            for number in range(PAIRS)
        ],
    )
    worlds = (f"{OURS}=a", f"{THEIRS}=b")
    write_comparison(home, PairComparison(what="day", worlds=worlds, language="en", question=f"Which? {HOSTILE}"))
    return home


def client_of(folder: Path, **headers: str) -> TestClient:
    return TestClient(make_judging(folder), base_url=ADDRESS, headers={"Origin": ADDRESS, **headers})


def open_pair(client: TestClient, judge: str) -> Response:
    page: Response = client.get("/pair.html", params={"judge": judge})
    return page


def send(client: TestClient, fields: dict[str, str], **changes: str) -> Response:
    answer: Response = client.post("/pair.html", data={**fields, **changes}, follow_redirects=False)
    return answer


def shown_first(page: Response) -> str:
    said = words_of(page)
    return "ours" if said.index("ours ") < said.index("theirs ") else "theirs"


def test_a_judge_sees_each_pair_once_and_each_verdict_is_kept_at_once(folder: Path) -> None:
    client, seen, first = client_of(folder), [], []
    for number in range(PAIRS):
        page = open_pair(client, "Anna")
        assert f"Pair {number + 1} of {PAIRS}" in words_of(page)
        assert shown_first(open_pair(client, "Anna")) == shown_first(page), "it stays"
        seen.append(words_of(page).partition("theirs ")[2][:2])
        first.append(shown_first(page))
        answer = send(client, fields_of(page), choice="first", reason=" as it\n is ")
        assert (answer.status_code, answer.headers["location"]) == (303, "/pair.html?judge=Anna")
        kept = read_verdicts(folder)[0]
        assert len(kept) == number + 1
        assert kept[-1].choice == ("first" if first[-1] == "ours" else "second"), "as it is stored in the pair"
        assert (kept[-1].swapped, kept[-1].reason) == (first[-1] == "theirs", "as it is")
    assert len(set(seen)) == PAIRS
    assert set(first) == {"ours", "theirs"}, "which is first is drawn"
    page = open_pair(client, " anna ")
    assert "Thank you!" in words_of(page)
    assert f"All {PAIRS} pairs are judged." in words_of(page)
    assert fields_of(open_pair(client, "Ben"))["pair"], "somebody else begins"


def test_judges_see_pairs_in_orders_of_their_own(folder: Path) -> None:
    def orders(judge: str) -> list[str]:
        client, found = client_of(folder), []
        for _ in range(PAIRS):
            page = open_pair(client, judge)
            found.append(shown_first(page))
            send(client, fields_of(page), choice="tie")
        return found

    assert len({tuple(orders(judge)) for judge in ("Anna", "Ben", "Cleo")}) > 1


def test_nothing_says_which_condition_a_text_is_of_nor_what_others_said(folder: Path) -> None:
    client = client_of(folder)
    append_verdict(folder, Verdict(pair=f"{OURS}/0", judge="Ben", choice="second", reason="said by ben"))
    pages = [client.get("/index.html"), client.get("/none.html"), open_pair(client, "Anna"), open_pair(client, "")]
    for _ in range(PAIRS):
        page = open_pair(client, "Anna")
        pages += [page, send(client, fields_of(page), choice="none of them")]
        send(client, fields_of(page), choice="tie")
    pages += [open_pair(client, "Anna")]
    pairs_file(folder).write_text(f'{{"key": "{OURS}"}}\n')
    pages += [client.get("/index.html"), open_pair(client, "Anna")]
    assert pages[-1].status_code == 409
    for page in pages:
        assert "condition" not in page.text + str(page.headers)
        assert "said by ben" not in page.text
        assert "Ben" not in page.text


def test_a_second_click_and_an_old_page_write_nothing(folder: Path) -> None:
    client = client_of(folder)
    fields = fields_of(open_pair(client, "Anna"))
    for choice in ("first", "second", "tie"):
        assert send(client, fields, choice=choice).status_code == 303
    assert len(read_verdicts(folder)[0]) == 1
    of_ben = fields_of(open_pair(client, "Ben"))
    send(client, of_ben, judge="Cleo", choice="first")
    assert len(read_verdicts(folder)[0]) == 1, "a pair is named for one judge"


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"token": ""}, 403),
        ({"token": "x" * 43}, 403),
        ({"choice": ""}, 400),
        ({"choice": "FIRST"}, 400),
        ({"judge": ""}, 400),
        ({"judge": "x" * 81}, 400),
        ({"judge": "a\0b"}, 400),
        ({"pair": HOSTILE}, 303),
    ],
)
def test_a_form_that_is_not_ours_writes_nothing(folder: Path, changes: dict[str, str], status: int) -> None:
    client = client_of(folder)
    fields = {**fields_of(open_pair(client, "Anna")), "choice": "first"}
    assert send(client, fields, **changes).status_code == status
    assert not verdicts_file(folder).exists()


@pytest.mark.parametrize("headers", [{"Origin": "http://elsewhere.invalid"}, {"Host": "elsewhere.invalid"}])
def test_a_page_of_another_site_is_refused(folder: Path, headers: dict[str, str]) -> None:
    fields = {**fields_of(open_pair(client_of(folder), "Anna")), "choice": "first"}
    stranger = client_of(folder, **headers)
    assert send(stranger, fields).status_code == 403
    assert stranger.get("/index.html").status_code == 403
    assert TestClient(make_judging(folder), base_url=ADDRESS).post("/pair.html", data=fields).status_code == 403
    assert not verdicts_file(folder).exists()


def test_texts_and_names_stay_texts(folder: Path) -> None:
    client = client_of(folder)
    name = "<svg onload=alert(1)>"
    for page in (open_pair(client, name), open_pair(client, HOSTILE)):
        assert not [attack for attack in HTML if attack.text in page.text]
        assert "script-src 'self'" in page.headers["content-security-policy"]
        assert "style=" not in page.text.replace(escape(HOSTILE), "").replace("rel=&#34;style", "")
    assert escape(name) in open_pair(client, name).text


def test_the_pages_speak_the_language_of_the_browser(folder: Path) -> None:
    client = client_of(folder, **{"Accept-Language": "de-AT"})
    assert "Dein Name" in words_of(client.get("/index.html"))
    page = open_pair(client, "Anna")
    assert "Gleich gut" in words_of(page)
    assert '<h1 lang="en">' in page.text, "the question is in the language of the texts"


def test_what_cannot_be_judged_is_refused_before_an_address_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def tell(_address: str) -> None:
        raise AssertionError("nothing is served")

    with pytest.raises(GmError, match="no pairs"):
        serve_judging(tmp_path, 0, tell=tell)
    run = runner(capsys)
    outcome = run("judge", tmp_path, "--page")
    assert "no pairs" in outcome.err
    assert "exclude each other" in run("judge", tmp_path, "--page", "--as", "anna").err
