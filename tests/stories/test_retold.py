"""Days that a narrator retells when they close: asked once, stored in the logbook, shown before the next day."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.check.whole import check_world
from gm.api.playing.forecast.make import make_forecast
from gm.api.playing.forecast.report import describe_forecast
from gm.api.views.recap import view_recap
from gm.api.worlds.create import create_world
from gm.base.errors import BackendError, BudgetError, WaitingError
from gm.files.commits.steps import Step
from gm.files.layout import Layout
from gm.files.packaged.shipped import shipped_prompts
from gm.files.questions.mailbox import PostFolder
from gm.files.questions.traces import TraceReader
from gm.files.save import plan_steps
from gm.llm.base import Answer, Request, Surroundings
from gm.llm.choose import Choice, choose_backend
from gm.llm.identity import identity
from gm.model.world import Change, World
from gm.play.master import game_master
from gm.play.narrator import LEAST_CHARACTERS, RETELLING, TELLINGS
from tests.stories.playing import (
    Counting,
    Heard,
    Scripted,
    check_replay,
    copied,
    objections,
    play,
    records,
    set_sections,
    tree,
)

ON = "day: {scenes: [2, 3]}\ndiary: on\nnarrator: on\n"
OFF = "day: {scenes: [2, 3]}\ndiary: on\nnarrator: off\n"
Reply = dict[str, Any]


@pytest.fixture
def narrated(dinner: Layout) -> Layout:
    set_sections(dinner.settings, ON)
    return dinner


def retellings(backend: Counting | Scripted) -> list[Request]:
    return [request for request in backend.asked if request.purpose == "narrator"]


def identities(backend: Counting) -> set[str]:
    return {identity(request, backend) for request in backend.asked}


def telling(answer: Reply | str) -> Scripted:
    """Make a backend that plays as the rehearsal does and retells days as it is told."""
    return Scripted(lambda request, reply: answer if request.purpose == "narrator" else reply)


def closing(layout: Layout, day: int = 1) -> Reply:
    return dict(records(layout.day_log(day))[-1])


def letter(request: Request) -> str:
    return "\n".join((*(block.text for block in request.system), str(request.messages[0][1])))


def test_switched_off_no_narrator_is_asked_and_every_question_is_the_same(dinner: Layout, tmp_path: Path) -> None:
    other = copied(dinner, tmp_path / "other")
    on, off = Counting(), Counting()
    for layout, settings, backend in ((dinner, OFF, off), (other, ON, on)):
        set_sections(layout.settings, settings)
        play(layout, days=2, backend=backend)
    assert retellings(off) == []
    assert "retold" not in closing(dinner)
    assert identities(on) - identities(off) == {identity(request, on) for request in retellings(on)}
    assert identities(off) <= identities(on)


def test_each_day_is_retold_once_after_its_diaries_and_the_next_begins_with_it(narrated: Layout) -> None:
    backend = Counting()
    play(narrated, days=2, backend=backend)
    asked = retellings(backend)
    assert [(request.place, request.label, request.who) for request in asked] == [
        ("day-001", "narrator", ""),
        ("day-002", "narrator", ""),
    ]
    first = [request.purpose for request in backend.asked if request.place == "day-001"]
    assert first == ["diary", "diary", "diary", "narrator"]
    assert len({request.system for request in asked}) == 1
    for day in (1, 2):
        retold = closing(narrated, day)["retold"]
        assert " met (" in retold
        assert view_recap(narrated, day + 1) == retold
    assert closing(narrated)["retold"] in str(asked[1].messages[0][1])
    assert "What you told of the day before" not in str(asked[0].messages[0][1])
    assert "- The host: My dears, Noor's train comes in on Sunday at six" in letter(asked[0]), "what began it all"
    assert objections(narrated) == []


def test_what_is_longer_than_its_letter_asks_is_told(narrated: Layout, tmp_path: Path) -> None:
    for one in TELLINGS:
        for folder, words in (("", f"{one.asked_words} Wörter"), ("en", f"{one.asked_words:,} words")):
            assert words in (shipped_prompts() / folder / one.system).read_text(encoding="utf-8")
    for count in (120, 121):
        heard, layout = Heard(), copied(narrated, tmp_path / str(count))
        play(layout, backend=telling({"text": " ".join(["so"] * (count - 1) + ["on."])}), report=heard)
        assert [one for one in heard.notices if "asked for at most" in one] == (
            ["day-001 narrator: 121 words, 120 were asked for at most"] if count > 120 else []
        )
        assert len(closing(layout)["retold"].split()) == count


def test_the_narrator_is_told_what_was_done_and_said_and_nothing_that_anyone_keeps_to_itself(narrated: Layout) -> None:
    def change(request: Request, reply: Reply) -> Reply:
        if request.purpose == "scene" and request.place != "day-001/scene-01" and "opens" in reply:
            reply["dialogue"] = [{"to": None, "text": f"Aloud says {request.who}: the salt is gone."}]
            reply["action"] = f"Action: {request.who} opens a window."
            reply["opens"] = [
                {"kind": kind, "to": None, "text": f"Open {kind} of {request.who}.", "due": 3}
                for kind in ("promise", "silence")
            ]
        if "thoughts" in reply:
            reply["thoughts"] = f"SECRET thought of {request.who}."
        if request.purpose == "diary":
            reply["text"] = f"SECRET diary of {request.who}."
        for memory in reply.get("memories", ()):
            memory["description"] = f"SECRET memory {request.label} of {request.who} at {request.place}."
        if reply.get("artifact"):
            reply["artifact"] = {**reply["artifact"], "body": "SECRET body."}
        return reply

    backend = Scripted(change)
    play(narrated, backend=backend)
    (asked,) = retellings(backend)
    text = letter(asked)
    lines = records(narrated.day_log(1))
    said = [line["text"] for entry in lines for line in entry.get("dialogue", ())]
    done = [line["text"] for entry in lines[:-1] if entry["type"] != "REFLECTION" for line in entry["actions"]]
    assert any("the salt is gone" in one for one in said)
    assert all(one in text for one in (*said, *done))
    assert "Open promise of" in text
    assert "day 3" in text
    assert "Open silence of" not in text
    assert "SECRET" in "".join(path.read_text(encoding="utf-8") for path in narrated.state.rglob("*.jsonl"))
    assert "SECRET" not in text


LONG = " ".join(f"Number {number} has exactly seven words here." for number in range(40))


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ({"text": " Alex met\n\nCasey. \t They talked."}, "Alex met Casey. They talked."),
        ({"text": LONG}, LONG[: LONG.index(f" Number {RETELLING.most_words // 7}")]),
    ],
    ids=["several lines", "long"],
)
def test_a_retelling_is_one_line_of_whole_sentences(narrated: Layout, answer: Reply, kept: str) -> None:
    heard = Heard()
    play(narrated, backend=telling(answer), report=heard)
    assert closing(narrated)["retold"] == kept
    assert not any("is not retold" in notice for notice in heard.notices)


@pytest.mark.parametrize(
    "answer",
    [{"text": " "}, {"text": None}, {}, "It was a day.", {"text": "so " * (RETELLING.most_words + 1) + "it was."}],
    ids=["blank", "null", "empty", "prose", "endless"],
)
def test_a_bad_answer_is_told_and_the_day_closes_without(narrated: Layout, tmp_path: Path, answer: Reply | str) -> None:
    without = copied(narrated, tmp_path / "without")
    set_sections(without.settings, OFF)
    heard = Heard()
    play(narrated, backend=telling(answer), report=heard)
    play(without, backend=telling(answer))
    (notice,) = [text for text in heard.notices if "is not retold" in text]
    assert notice.startswith("day-001 narrator: the day is not retold (")
    assert closing(narrated) == closing(without)
    assert view_recap(narrated, 2) == view_recap(without, 2) != ""


def test_a_budget_that_is_spent_loses_the_retelling_and_not_the_day(narrated: Layout, tmp_path: Path) -> None:
    counting = Counting()
    play(copied(narrated, tmp_path / "counted"), backend=counting)
    again = copied(narrated, tmp_path / "again")
    for layout, calls in ((narrated, len(counting.asked) - 1), (again, len(counting.asked) - 2)):
        with layout.settings.open("a", encoding="utf-8") as file:
            file.write(f"budget: {{calls: {calls}}}\n")
    heard = Heard()
    play(narrated, report=heard)
    assert any("is not retold" in text and "budget.calls" in text for text in heard.notices)
    assert "retold" not in closing(narrated)
    with pytest.raises(BudgetError, match="diary"):
        play(again)
    replay = choose_backend("replay", "a test", Surroundings(recordings=TraceReader(narrated.traces))).backend
    shutil.copytree(narrated.traces, again.traces, dirs_exist_ok=True)
    shutil.copyfile(narrated.settings, again.settings)
    play(again, backend=replay)
    assert tree(again.root) == tree(narrated.root)


def test_a_retold_day_is_replayed_to_the_byte(narrated: Layout, tmp_path: Path) -> None:
    again = copied(narrated, tmp_path / "again")
    play(narrated, days=2)
    assert check_replay(narrated, again, days=2) == []


class KilledError(Exception):
    """Stands in for a kill before the day's last record lands."""


@pytest.mark.parametrize("unasked", [0, 1, 2])
def test_a_kill_before_or_after_the_question_loses_nothing(
    narrated: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unasked: int
) -> None:
    whole = copied(narrated, tmp_path / "whole")
    undisturbed = Counting()
    play(whole, backend=undisturbed)

    def die_at_the_close(layout: Layout, world: World, *changes: Change) -> Sequence[Step]:
        if changes[0].line.is_summary:
            raise KilledError
        return plan_steps(layout, world, *changes)

    first, second = Counting(limit=len(undisturbed.asked) - unasked), Counting()
    with monkeypatch.context() as patch:
        patch.setattr("gm.play.liveworld.plan_steps", die_at_the_close)
        with pytest.raises(BackendError if unasked else KilledError):
            play(narrated, backend=first)
    play(narrated, backend=second)
    assert len(second.asked) == unasked
    assert identities(first) | identities(second) == identities(undisturbed)
    assert tree(narrated.root) == tree(whole.root)


def test_a_model_that_cannot_be_asked_is_no_bad_answer(narrated: Layout) -> None:
    class Mute(Counting):
        def ask(self, request: Request) -> Answer:
            if request.purpose == "narrator":
                raise BackendError("the line is dead")
            return super().ask(request)

    with pytest.raises(BackendError):
        play(narrated, backend=Mute())
    assert closing(narrated)["type"] != "SUMMARY"
    play(narrated)
    assert closing(narrated)["retold"]


def test_a_day_is_retold_by_a_letter(narrated: Layout) -> None:
    mailbox = choose_backend("mailbox", "--model", Surroundings(postbox=PostFolder(narrated))).backend

    class Handed(Counting):
        def ask(self, request: Request) -> Answer:
            return mailbox.ask(request) if request.purpose == "narrator" else super().ask(request)

    def awaited() -> str:
        with pytest.raises(WaitingError) as caught:
            play(narrated, backend=Handed())
        return caught.value.awaited[0].answer

    answer = narrated.root / awaited()
    assert answer.name == "day-001-narrator.answer.json"
    answer.write_text('{"text": " "}', encoding="utf-8")
    awaited()
    (problem,) = narrated.mailbox.glob("*.problem.md")
    assert "text" in problem.read_text(encoding="utf-8")
    answer.write_text("text: Alex and Casey met.\n", encoding="utf-8")
    play(narrated, backend=Handed())
    assert closing(narrated)["retold"] == "Alex and Casey met."
    assert not answer.exists()


@pytest.mark.parametrize("diary", ["on", "off"])
def test_a_forecast_counts_the_question_for_the_model_of_its_own(narrated: Layout, diary: str) -> None:
    set_sections(narrated.settings, f"diary: {diary}\n")
    backend = Counting()
    choice = Choice(backend, "a test", {"narrator": "small"}, own_models=True)
    forecast = describe_forecast(make_forecast(narrated, choice))
    (own,) = [item for item in forecast.models if item.purpose == "narrator"]
    assert (own.model, own.sum.calls) == ("small", 1)
    with game_master(narrated, choice, Heard(), command="test") as master:
        master.play_day()
    assert forecast.totals.calls == len(backend.asked)
    assert {request.model for request in retellings(backend)} == {"small"}
    evening = [(scene.type, scene.sum.calls) for scene in forecast.scenes if scene.scene == "day-001"]
    assert evening == ([("DIARY", 4)] if diary == "on" else [("NARRATOR", 1)])


def test_a_long_day_is_shortened_to_a_small_window(narrated: Layout) -> None:
    def change(request: Request, reply: Reply) -> Reply:
        if reply.get("dialogue"):
            reply["dialogue"] = [{"to": None, "text": "Salt " * 150} for _ in range(4)]
        return reply

    lengths = []
    for settings in ("", "context: {prompt_by_model: {scripted: 4500}}\n"):
        layout = copied(narrated, narrated.root.parent / f"window-{len(settings)}")
        set_sections(layout.settings, settings.replace("scripted", "narrow"))
        backend = Scripted(change)
        choice = Choice(backend, "a test", {"narrator": "narrow"}, own_models=True)
        with game_master(layout, choice, Heard(), command="test") as master:
            master.play_day()
        (asked,) = retellings(backend)
        lengths.append(len(letter(asked)))
    assert lengths[0] > 2 * LEAST_CHARACTERS + lengths[1]


def test_check_knows_the_setting_and_its_kind(narrated: Layout) -> None:
    assert check_world(narrated).problems == ()
    set_sections(narrated.settings, "narrator: maybe\n")
    assert ["narrator" in problem.message for problem in check_world(narrated).problems] == [True]


def test_in_a_german_world_it_is_german(tmp_path: Path) -> None:
    studio = create_world(tmp_path / "studio", "studio")
    set_sections(studio.settings, "day: {scenes: [2, 3]}\nnarrator: on\n")
    backend = Counting()
    play(studio, backend=backend)
    assert " trafen sich (" in closing(studio)["retold"]
    assert "# Wie du erzählst" in letter(retellings(backend)[0])
