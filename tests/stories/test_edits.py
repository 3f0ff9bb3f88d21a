"""A person edits a value while a scene is being played that would have changed it as well."""

import json
from collections.abc import Callable

import pytest

from gm.files.formats.jsonedit import set_values
from gm.files.layout import Layout
from gm.llm.base import Answer, Request
from gm.llm.choose import Choice
from gm.llm.rehearsal.backend import Rehearsal
from gm.play.master import run_days
from gm.play.report import Report
from tests.stories.playing import tree


class Edited(Rehearsal):
    """A model that does something once, when it is asked for the first time."""

    def __init__(self, edit: Callable[[], None]) -> None:
        super().__init__()
        self._edit: Callable[[], None] | None = edit

    def ask(self, request: Request) -> Answer:
        edit, self._edit = self._edit, None
        if edit:
            edit()
        return super().ask(request)


class Notices(Report):
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def notice(self, text: str) -> None:
        self.texts.append(text)


def change(layout: Layout, **values: object) -> Callable[[], None]:
    def edit() -> None:
        path = layout.agent("alex")
        path.write_text(set_values(path.read_text(), values))

    return edit


class BreakError(Exception):
    """Breaks a day off."""


class OneScene(Notices):
    """Breaks off after the first scene."""

    def scene_played(self, *_: object) -> None:
        raise BreakError


def test_the_persons_value_stays_ours_goes_to_the_trace_and_a_notice_says_so(dinner: Layout) -> None:
    report = OneScene()
    model = Edited(change(dinner, mood="as I say", importance_accumulator=50))
    with pytest.raises(BreakError):
        run_days(dinner, Choice(model, "test"), report, 1, command="test")
    state = json.loads(dinner.agent("alex").read_text())
    assert state["mood"] == "as I say"
    assert any("mood was edited meanwhile and stays" in text for text in report.texts)
    (note,) = dinner.traces.rglob("overruled-*.json")
    (kept,) = json.loads(note.read_text())
    assert (kept["path"], kept["key"], kept["theirs"]) == ("state/agents/alex.json", "mood", "as I say")
    assert kept["ours"] not in ("", "as I say")
    # what adds up adds to what the person wrote
    gained = sum(json.loads(line)["importance"] for line in dinner.stream("alex").read_text().splitlines())
    assert state["importance_accumulator"] == 50 + gained


def test_a_value_that_the_scene_does_not_change_is_no_conflict(dinner: Layout) -> None:
    report = OneScene()
    with pytest.raises(BreakError):
        run_days(dinner, Choice(Edited(change(dinner, note="mine")), "test"), report, 1, command="test")
    assert json.loads(dinner.agent("alex").read_text())["note"] == "mine"
    assert not report.texts
    assert not list(dinner.traces.rglob("overruled-*.json"))


def test_a_prompt_that_is_edited_between_a_break_and_its_resume_is_asked_anew(dinner: Layout) -> None:
    asked: list[str] = []

    class Counted(Rehearsal):
        def ask(self, request: Request) -> Answer:
            asked.append(str(request.messages[0][1]))
            return super().ask(request)

    with pytest.raises(BreakError):
        run_days(dinner, Choice(Edited(lambda: None), "test"), OneScene(), 1, command="test")
    before = tree(dinner.traces)
    (dinner.prompts / "scenes").mkdir(parents=True)
    own = (
        "---\ntype: ENCOUNTER\nplay: sequential\ncast: [2, 3]\ntimes: [morning, noon, afternoon]\nrounds: [1, 1]\n---\n"
    )
    (dinner.prompts / "scenes" / "encounter.j2").write_text(own + "A new question for {{ me.name }}.\n")
    run_days(dinner, Choice(Counted(), "test"), Report(), 1, command="test")
    assert any(text.startswith("A new question for") for text in asked)
    assert {name: data for name, data in tree(dinner.traces).items() if name in before} == before
