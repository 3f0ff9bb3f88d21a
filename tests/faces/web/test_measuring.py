"""Pages that measure a world: interviews, an evaluation, a run of a sweep beside the others."""

from __future__ import annotations

import os
import re
import shutil
from functools import partial
from html import escape, unescape
from pathlib import Path

import pytest

from gm.api.experiments.evaluate.measure import Case, Evaluation, Figure, Measured
from gm.faces.web.pages import measuring
from gm.faces.web.publish import publish
from gm.files.experiments.interviews import keep_answers, render_answers
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.model.interview import FirstAnswer, InterviewAnswer, Quote
from tests.browser.attacks import HTML
from tests.faces.web.conftest import Browse
from tests.faces.web.test_forms import words_of

HOSTILE = "".join(attack.text for attack in HTML)
INTERVIEW = "/agents/vera/interview.html"


def answered(key: str, **more: object) -> InterviewAnswer:
    usual = {"agent": "vera", "at": "day-001", "kind": "memory", "question": f"What of {key}?", "answer": f"So {key}."}
    return InterviewAnswer(key=key, **{**usual, **more})  # type: ignore[arg-type]


def is_harmless(text: str) -> bool:
    return not any(attack.text in text for attack in HTML) and escape(HTML[0].text) in text


def test_an_interview_shows_each_answer_with_what_it_rests_on(played: Layout, browse: Browse) -> None:
    own = load_world(played).world.agents["vera"].stream
    leo = load_world(played).world.agents["leo"].stream[0]
    keep_answers(
        played,
        [
            answered("plain", cited=(own[0].id, leo.id, "vera-9999"), beside=tuple(node.id for node in own[:5])),
            answered("nobody", trap=True, answer="", kind="reactions"),
            answered("quoting", kind="plans", sources=("plan", "diary"), quotes=(Quote("plan", "half past two"),)),
        ],
    )
    keep_answers(played, [answered("less", without=("reflections",), kind="plans")])
    page = browse(played).get(INTERVIEW)
    said = words_of(page)
    for text in ("What of plain?", "So plain.", own[0].description, "Beruht auf 3 Erinnerungen", "Keine Antwort."):
        assert text in said
    assert f'href="memory/{own[0].id}.html"' in page.text
    assert said.count("Falle: Das ist nicht zu wissen") == 1
    assert said.count("keine Erinnerung dieser Person") == 2, "of leo, and of nobody"
    assert leo.description not in said
    assert "Außerdem: Vorhaben half past two Tagebuch" in said
    assert "ohne Einsichten" in said
    assert "Vor Augen: 5 Erinnerungen" in said
    assert said.index("So plain.") < said.index("So less.") < said.index("What of nobody?"), "by kind"


def test_what_was_said_before_a_second_look_is_folded_under_the_answer(played: Layout, browse: Browse) -> None:
    changed = answered("changed", first=FirstAnswer(HOSTILE))
    keep_answers(played, [changed, answered("alike", first=FirstAnswer("So alike."))])
    page = browse(played).get(INTERVIEW)
    assert is_harmless(page.text)
    assert words_of(page).count("Vor dem zweiten Blick") == 1


def test_of_several_moments_the_newest_is_shown_first(played: Layout, browse: Browse) -> None:
    for at in ("day-001/scene-02", "day-001", "day-001/scene-10"):
        keep_answers(played, [answered("it", at=at, answer=f"after {at}")])
    client = browse(played)
    assert "after day-001/" not in words_of(client.get(INTERVIEW))
    assert "after day-001/scene-02" in words_of(client.get(INTERVIEW, params={"at": "day-001/scene-02"}))
    assert client.get(INTERVIEW, params={"at": "../../etc"}).status_code == 200


def test_texts_of_answers_stay_texts(played: Layout, browse: Browse) -> None:
    texts = {"question": HOSTILE, "answer": HOSTILE, "thoughts": HOSTILE, "made_with": HOSTILE}
    lists = {
        "cited": (HOSTILE,),
        "beside": (HOSTILE,),
        "without": (HOSTILE,),
        "quotes": (Quote("plan", HOSTILE),),
        "sources": ("plan",),
    }
    path, _ = keep_answers(played, [answered("first")])
    path.write_text(f"{{broken\n{render_answers([answered('it', **texts, **lists)])}", "utf-8")
    page = browse(played).get(INTERVIEW)
    assert page.status_code == 200
    assert is_harmless(page.text)
    assert f"{played.shown(path)}:1" in words_of(page)


def test_without_an_interview_the_page_says_how_one_is_held(played: Layout, browse: Browse) -> None:
    page = browse(played).get(INTERVIEW)
    assert "gm interview vera" in words_of(page)
    assert 'href="vera/interview.html"' in browse(played).get("/agents/vera.html").text


def test_none_of_these_pages_is_published(played: Layout, tmp_path: Path) -> None:
    keep_answers(played, [answered("it", answer="never to be published")])
    publish(played, tmp_path / "site", frozenset())
    for path in (tmp_path / "site").rglob("*.html"):
        text = path.read_text("utf-8")
        assert path.stem not in ("interview", "evaluation", "experiment")
        assert "interview.html" not in text
        assert "never to be published" not in text


def test_an_evaluation_is_made_only_when_asked(played: Layout, browse: Browse, monkeypatch: pytest.MonkeyPatch) -> None:
    def made(*_arguments: object) -> Evaluation:
        raise AssertionError("it was not asked for")

    with monkeypatch.context() as patched:
        patched.setattr(measuring, "describe_evaluation", made)
        assert "gm evaluate" in browse(played).get("/evaluation.html").text
    page = browse(played).get("/evaluation.html", params={"show": "all", "first": "1", "last": "1"})
    said = words_of(page)
    assert page.status_code == 200
    assert "Promises and appointments" in said
    assert "Versprechen" in said
    assert browse(played).get("/evaluation.html", params={"show": "all", "first": "77"}).status_code == 400


def test_a_figure_stands_with_its_interval_and_cases_lead_to_where_they_are(
    played: Layout, browse: Browse, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = load_world(played).world.agents["vera"].stream[0]
    figures = (
        Figure(of="all", name="kept", value=0.5, low=0.25, high=0.75, count=8),
        Figure(of="vera, leo", name=HOSTILE, value=None, count=0),
        Figure(of="day-001", name="slope", value=-2.5, low=-5.0, high=1.0, count=3, unit=HOSTILE),
    )
    cases = (
        Case(agent="vera", at="day-001/scene-01", text="a scene"),
        Case(agent="vera", at=node.id, text="a memory"),
        Case(agent=HOSTILE, at=HOSTILE, text=HOSTILE),
    )
    measured = partial(Measured, definition=HOSTILE, source=HOSTILE, interval=HOSTILE)
    found = (
        measured(name="promises", figures=figures, cases=cases),
        measured(name=HOSTILE, missing=f"nothing {HOSTILE}"),
    )
    evaluation = Evaluation(world=HOSTILE, first=1, last=1, measures=found)
    monkeypatch.setattr(measuring, "describe_evaluation", lambda *_arguments: evaluation)
    page = browse(played).get("/evaluation.html", params={"show": "all"})
    assert is_harmless(page.text)
    assert "style=" not in page.text.replace(escape(HOSTILE), "")
    assert "50,0 %" in page.text
    assert "25,0 % – 75,0 %" in page.text
    assert '<path class="reach" d="M42.0 6H118.0"/><circle class="value" cx="80.0"' in page.text
    assert words_of(page).count("keine Belege") == 2
    assert 'href="days/001.html#scene-01"' in page.text
    assert f'href="agents/vera/memory/{node.id}.html"' in page.text


def sweep_with(world: Layout, folder: Path) -> tuple[Layout, Path]:
    """Put a world into the folder of a sweep, with tables of two conditions."""
    out = folder / "two.out"
    run = Layout(out / "runs" / "seed=1")
    shutil.copytree(world.root, run.root)
    (out / ".sweep" / "base").mkdir(parents=True)
    (out / "table.csv").write_text(
        "run,status,condition,seed,days,usd,world,error\n"
        "seed=1,done,full,1,3,,abc,\nseed=2,done,full,2,5,nan,abc,\nseed=3,failed,none,1,9,,abc,a bug\n"
        "seed=4,done,none,2,7,,abc,\nseed=5,waiting,full,3,1,,abc,\n"
    )
    (out / "measures.csv").write_text(
        "run,condition,measure,of,name,value,low,high,count,unit\n"
        "seed=1,full,promises,all,kept,0.5,0.25,0.75,8,share\nseed=3,none,promises,all,kept,0.9,,,1,share\n"
        "seed=4,none,promises,all,kept,0.4,,,5,share\n"
    )
    return run, out


def test_a_run_stands_beside_the_others_by_condition(played: Layout, browse: Browse, tmp_path: Path) -> None:
    run, _ = sweep_with(played, tmp_path)
    page = browse(run).get("/experiment.html")
    said = " ".join(unescape(re.sub("<[^>]+>", " ", page.text)).split())
    assert "Was dieser Lauf full 2 fertige Läufe none 1 fertiger Lauf Tage 3 4 (3 – 5) 7" in said, "one failed"
    assert "gehalten 50,0 % [25,0 %; 75,0 %] 50,0 % 40,0 %" in said
    assert '<a href="experiment.html" aria-current="page">' in page.text, "the menu of a run has it"
    assert page.text.count('<tr class="own-run">') == 1
    assert "a bug" in said
    assert "Dollar" not in said.split("Jeder Lauf")[0], "nobody knows them"


def test_a_world_that_is_no_run_says_how_an_experiment_is_made(played: Layout, browse: Browse, tmp_path: Path) -> None:
    assert "gm sweep FILE.yaml" in words_of(browse(played).get("/experiment.html"))
    run, out = sweep_with(played, tmp_path)
    shutil.rmtree(out / ".sweep")
    assert "gm sweep FILE.yaml" in words_of(browse(run).get("/experiment.html"))


def test_broken_and_hostile_tables_are_told_of(played: Layout, browse: Browse, tmp_path: Path) -> None:
    run, out = sweep_with(played, tmp_path)
    quoted = '"' + HOSTILE.replace('"', '""') + '"'
    (out / "table.csv").write_text(f"run,status,condition,seed,days,{quoted}\n{quoted},1,{quoted},2,3,4\nseed=1,2\n")
    (out / "measures.csv").write_text('run,measure\n"open')
    page = browse(run).get("/experiment.html")
    assert is_harmless(page.text)
    assert re.search(r"table\.csv:3 \[[a-z-]+\]\s+found 2 cells, expected 6", words_of(page))
    assert "measures.csv:2 [" in words_of(page)
    for data in (b"", b"\xff\xfe\0", b"run\nseed=1\n"):
        (out / "table.csv").write_bytes(data)
        assert browse(run).get("/experiment.html").status_code == 200


def test_nothing_outside_of_the_folder_of_a_sweep_is_read(played: Layout, browse: Browse, tmp_path: Path) -> None:
    run, out = sweep_with(played, tmp_path)
    secret = tmp_path / "secret.csv"
    secret.write_text("run,status,condition,days\nseed=1,told,secret,1\n")
    (out / "table.csv").unlink()
    os.symlink(secret, out / "table.csv")
    said = words_of(browse(run).get("/experiment.html"))
    assert "told" not in said
    assert "leads out" in said
    away = tmp_path / "away" / "runs"
    away.mkdir(parents=True)
    os.symlink(run.root, away / "seed=1")
    assert "gm sweep FILE.yaml" in words_of(browse(Layout(away / "seed=1")).get("/experiment.html"))
