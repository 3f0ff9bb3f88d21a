"""What the coming day is going to take, rehearsed in a copy."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from pathlib import Path
from statistics import mean

import pytest

from gm.api.answers.document import as_json
from gm.api.playing.ask import CharacterQuestion, ask_character
from gm.api.playing.forecast.make import RECORDED, REHEARSED, STUDIO, Forecast, forecast_answer, make_forecast
from gm.api.playing.forecast.report import describe_forecast
from gm.base.errors import BackendError, BrokenWorldError, UsageError
from gm.base.tokens import tokens_of
from gm.files.commits.lock import locked
from gm.files.commits.runnote import note_speed, read_speed
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.questions.traces import TraceReader
from gm.llm.base import Backend, Request, Usage, length_of
from gm.llm.choose import Choice
from gm.llm.foresight import CHAPTER, STUDIO_CHARACTERS
from gm.llm.rehearsal.backend import Rehearsal
from gm.play.care import last_ref
from gm.play.master import run_days
from gm.play.report import Report
from tests.stories.paying import Paid
from tests.stories.playing import Counting, play, set_sections


def foresee(layout: Layout, backend: Backend | None = None, days: int = 1, seed: int | None = None) -> Forecast:
    return make_forecast(layout, Choice(backend or Rehearsal(), "a test"), days, seed)


def recorded_input(layout: Layout, first: int, last: int) -> int:
    """Sum up what the traces of some days say was sent."""
    return sum(
        sum(kept.record["usage"][name] for name in ("input_tokens", "cache_read_tokens", "cache_write_tokens"))
        for day in range(first, last + 1)
        for kept in TraceReader(layout.traces).of_day(day)
    )


def everything(root: Path) -> dict[str, tuple[bytes, int]]:
    """Return every file, derived ones and traces too, with the time of its last change; and every folder."""
    found = {}
    for folder, _, names in os.walk(root):
        found[folder] = (b"", os.stat(folder).st_mtime_ns)
        for name in names:
            path = Path(folder, name)
            found[str(path)] = (path.read_bytes(), path.stat().st_mtime_ns)
    return found


@pytest.mark.matrix
@pytest.mark.parametrize("world", ["studio", "dinner"])
@pytest.mark.parametrize(("played", "days"), [(0, 1), (0, 3), (4, 2)])
def test_a_forecast_is_what_the_same_days_then_take(
    world: str, played: int, days: int, request: pytest.FixtureRequest
) -> None:
    layout: Layout = request.getfixturevalue(world)
    if played:
        play(layout, days=played)
    forecast = foresee(layout, days=days)
    backend = Counting()
    play(layout, days=days, backend=backend)
    taken = recorded_input(layout, played + 1, played + days)
    assert taken > 0
    assert abs(forecast.total.tokens.asked - taken) <= 0.10 * taken
    assert forecast.total.calls == len(backend.asked)


@pytest.mark.matrix
@pytest.mark.parametrize("limit", [3, 9, 16])
def test_of_an_open_day_only_the_rest_is_forecast(dinner: Layout, limit: int) -> None:
    play(dinner)
    before = recorded_input(dinner, 1, 2)
    with pytest.raises(BackendError):
        play(dinner, backend=Counting(limit=limit))
    half = recorded_input(dinner, 1, 2)
    forecast = foresee(dinner)
    backend = Counting()
    play(dinner, backend=backend)
    rest = recorded_input(dinner, 1, 2) - half
    assert half > before
    assert abs(forecast.total.tokens.asked - rest) <= 0.10 * rest
    assert forecast.total.calls == len(backend.asked)


def test_what_another_model_has_answered_is_going_to_be_asked_again(dinner: Layout) -> None:
    with pytest.raises(BackendError):
        play(dinner, backend=Counting(limit=2))
    after_rehearsal = foresee(dinner, Paid()).total.calls
    whole = foresee(dinner).total.calls + 2
    assert after_rehearsal == whole
    with pytest.raises(BackendError):
        play(dinner, backend=Counting(Paid(), limit=2))
    assert foresee(dinner, Paid()).total.calls == whole - 2
    assert foresee(dinner, Paid("claude-opus-4-8")).total.calls == whole, "to another model they are new"


@pytest.mark.parametrize("open_day", [False, True])
def test_nothing_in_the_world_changes_not_even_a_lock(dinner: Layout, open_day: bool) -> None:
    play(dinner)
    if open_day:
        with pytest.raises(BackendError):
            play(dinner, backend=Counting(limit=2))
    shutil.rmtree(dinner.derived)
    before = everything(dinner.root)
    backend = Paid()
    foresee(dinner, backend, days=2)
    assert everything(dinner.root) == before
    assert backend.asked == []


def test_a_world_that_is_being_played_can_be_forecast(dinner: Layout) -> None:
    with locked(dinner.lock, "another command"):
        assert foresee(dinner).total.calls > 0


def test_an_interrupted_run_of_several_days_is_forecast_to_its_end(dinner: Layout) -> None:
    whole = foresee(dinner, days=2).total.calls
    with pytest.raises(BackendError):
        run_days(dinner, Choice(Counting(limit=whole - 2), "a test"), Report(), 2, command="test")
    assert foresee(dinner, days=2).total.calls == 2


def test_a_broken_world_is_refused_as_the_run_would_refuse_it(dinner: Layout) -> None:
    dinner.bulletin.write_text("{", encoding="utf-8")
    with pytest.raises(BrokenWorldError):
        foresee(dinner)


def test_the_dice_are_those_of_the_run(dinner: Layout) -> None:
    scenes = {seed: [item.cast for item in foresee(dinner, seed=seed).scenes] for seed in (1, 2, 3, 4)}
    assert scenes[1] == [item.cast for item in foresee(dinner).scenes]
    assert len({str(casts) for casts in scenes.values()}) > 1


def test_the_scenes_are_named_with_type_and_cast(dinner: Layout) -> None:
    first = foresee(dinner).scenes[0]
    assert (str(first.ref), first.type, first.cast) == ("day-001/scene-01", "ARRIVAL", ("alex", "casey", "jordan"))


def test_after_a_recorded_day_the_counter_is_calibrated_and_the_answers_are_measured(studio: Layout) -> None:
    fresh = foresee(studio, Paid())
    assert fresh.error is None
    assert fresh.answers == STUDIO
    play(studio, backend=Paid(), days=4)
    forecast = foresee(studio, Paid())
    assert forecast.error is not None
    assert forecast.error < 0.01
    assert forecast.counters["claude-opus-5"].samples > 50
    assert forecast.answers == RECORDED
    play(studio, backend=Paid())
    taken = recorded_input(studio, 5, 5)
    assert abs(forecast.total.tokens.asked - taken) <= 0.02 * taken


def test_until_answers_were_measured_they_are_as_long_as_those_of_the_recorded_days(dinner: Layout) -> None:
    lengths: dict[str, list[int]] = {}
    for path in Path("gm/worlds/recorded/studio/traces").rglob("*.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        kind = CHAPTER if record["label"] == CHAPTER else record["purpose"]
        lengths.setdefault(kind, []).append(len(record["answer"]["text"]))
    assert {kind: round(mean(found)) for kind, found in lengths.items()} == STUDIO_CHARACTERS
    of_scenes = [call for call in foresee(dinner, Paid()).calls if call.purpose == "scene"]
    assert {call.usage.output_tokens for call in of_scenes} == {tokens_of(STUDIO_CHARACTERS["scene"])}
    rehearsed = foresee(dinner)
    assert rehearsed.answers == REHEARSED
    play(dinner)
    usages = [kept.record["usage"]["output_tokens"] for kept in TraceReader(dinner.traces).of_day(1)]
    assert rehearsed.total.tokens.output == sum(usages), "a rehearsal writes as much as it is going to"


def test_a_question_out_of_scene_is_no_answer_of_a_scene(played: Layout) -> None:
    question = CharacterQuestion("vera", "Was fehlt?")
    forecast = forecast_answer(played, Choice(Paid(), "a test"), question)
    assert ([call.purpose for call in forecast.calls], forecast.answers) == (["ask"], REHEARSED)


def test_the_time_is_that_of_the_answers_before_and_a_batch_has_none(dinner: Layout) -> None:
    play(dinner)
    assert read_speed(dinner) == {}, "a rehearsal takes no time that would say anything"
    paid = Paid()
    play(dinner, backend=paid)
    ((model, (answers, seconds)),) = read_speed(dinner).items()
    assert (model, answers) == ("anthropic:claude-opus-5", len(paid.asked))
    forecast = foresee(dinner, Paid())
    assert forecast.seconds == pytest.approx(forecast.total.calls * seconds / answers)
    assert make_forecast(dinner, Choice(Paid(), "a test"), batch=True).seconds is None


def test_of_scenes_played_side_by_side_the_longest_counts(studio: Layout) -> None:
    set_sections(studio.settings, "day: {scenes: [8, 9], together: 3, company: false}\n")
    note_speed(studio, {"anthropic:claude-opus-5": (1, 10.0)})
    forecast = foresee(studio, Paid(), seed=3)
    calls = Counter(call.place for call in forecast.calls)
    alone = [scene for scene in forecast.scenes if scene.step is None]
    groups: dict[int, list[int]] = {}
    for scene in forecast.scenes:
        if scene.step is not None:
            groups.setdefault(scene.step, []).append(calls[scene.ref])
    assert max(map(len, groups.values())) > 1
    longest = sum(map(max, groups.values())) + sum(calls[scene.ref] for scene in alone)
    assert forecast.seconds == 10 * longest < 10 * forecast.total.calls


def test_a_rehearsal_calibrates_no_real_model(dinner: Layout) -> None:
    play(dinner)
    assert foresee(dinner, Paid()).error is None
    assert foresee(dinner).counters == {}


def test_the_models_of_purposes_and_characters_have_their_own_prices(dinner: Layout) -> None:
    persona = dinner.persona("alex")
    text = persona.read_text(encoding="utf-8")
    persona.write_text(text.replace("---\n", "---\nmodel: qwen3\n", 1), encoding="utf-8")
    choice = Choice(Paid(), "a test", {"reflection": "claude-haiku-4-5"}, own_models=True)
    forecast = make_forecast(dinner, choice, days=4)
    by = {(call.model, call.purpose) for call in forecast.calls}
    assert ("claude-opus-5", "scene") in by
    assert ("claude-haiku-4-5", "reflection") in by
    assert ("qwen3", "scene") in by
    assert ("claude-opus-5", "reflection") not in by
    assert forecast.unpriced == ["qwen3"]
    document = as_json(describe_forecast(forecast))
    assert document["totals"]["unpriced_calls"] == sum(call.model == "qwen3" for call in forecast.calls)
    (qwen,) = [item for item in document["models"] if (item["model"], item["purpose"]) == ("qwen3", "scene")]
    assert qwen["usd"] is None


def test_a_prefix_is_likely_read_when_an_earlier_wave_sent_it(dinner: Layout) -> None:
    forecast = foresee(dinner, Paid())
    first = [call for call in forecast.calls if call.place.scene == 1]
    later = [call for call in forecast.calls if call.place.scene > 1 and call.purpose == "scene"]
    assert all(call.usage.cache_read_tokens == 0 < call.usage.cache_write_tokens for call in first)
    assert all(call.usage.cache_read_tokens > 0 for call in later)
    assert 0 < forecast.total.tokens.share_cached < 1
    assert foresee(dinner).total.tokens.share_cached == 0, "a rehearsal caches nothing"
    costs = [call.usd for call in forecast.calls if call.usd is not None]
    assert sum(costs) == pytest.approx(forecast.total.usd)


def test_what_is_left_of_the_budget_is_told(dinner: Layout) -> None:
    def usage(request: Request, text: str) -> Usage:
        return Usage(length_of(request) // 4, len(text) // 4)

    settings = dinner.settings.read_text(encoding="utf-8")
    dinner.settings.write_text(f"{settings}\nbudget: {{day_usd: 0.50, calls: 500}}\n", encoding="utf-8")
    with pytest.raises(BackendError):
        play(dinner, backend=Counting(Paid(usage=usage), limit=3))
    budget = as_json(describe_forecast(foresee(dinner, Paid())))["budget"]
    assert budget["day"] == 1
    assert budget["calls"] == {"limit": 500, "spent": 3, "left": 497, "enough": True}
    assert 0 < budget["day_usd"]["spent"] < 0.5
    assert budget["day_usd"]["left"] == pytest.approx(0.5 - budget["day_usd"]["spent"])
    assert "day_tokens" not in budget


def test_without_a_budget_none_is_told(dinner: Layout) -> None:
    assert as_json(describe_forecast(foresee(dinner, Paid())))["budget"] is None


def test_a_budget_does_not_stop_a_forecast(dinner: Layout) -> None:
    settings = dinner.settings.read_text(encoding="utf-8")
    dinner.settings.write_text(f"{settings}\nbudget: {{calls: 1, day_usd: 0.01}}\n", encoding="utf-8")
    budget = as_json(describe_forecast(foresee(dinner, Paid())))["budget"]
    assert not budget["calls"]["enough"]
    assert not budget["day_usd"]["enough"]


def test_a_forecast_of_a_question_is_what_the_question_then_takes_and_writes_nothing(played: Layout) -> None:
    asked = CharacterQuestion("vera", "What would you throw away?", remember=True)
    before = everything(played.root)
    forecast = forecast_answer(played, Choice(Rehearsal(), "a test"), asked)
    assert everything(played.root) == before
    backend = Counting()
    ask_character(played, Choice(backend, "a test"), asked)
    (kept,) = TraceReader(played.asks).of_day(last_ref(load_world(played).world).day)
    assert forecast.total.calls == len(backend.asked) == 1
    assert abs(forecast.total.tokens.asked - kept.record["usage"]["input_tokens"]) <= 1
    assert [(scene.type, scene.cast) for scene in forecast.scenes] == [("ASK", ("vera",))]
    assert forecast_answer(played, Choice(backend, "a test"), asked).total.calls == 0, "it is known by now"


def test_a_forecast_of_a_question_waits_for_no_lock_and_counts_what_was_asked_today(dinner: Layout) -> None:
    settings = dinner.settings.read_text(encoding="utf-8")
    dinner.settings.write_text(f"{settings}\nbudget: {{calls: 1}}\n", encoding="utf-8")
    choice = Choice(Paid(), "a test")
    with locked(dinner.lock, "gm test"):
        budget = as_json(
            describe_forecast(forecast_answer(dinner, choice, CharacterQuestion("alex", "The oven?", remember=True)))
        )["budget"]
        assert budget["calls"]["enough"]
    ask_character(dinner, choice, CharacterQuestion("alex", "The oven?"))
    forecast = forecast_answer(dinner, choice, CharacterQuestion("alex", "The chairs?"))
    limit = as_json(describe_forecast(forecast))["budget"]["calls"]
    assert limit == {"limit": 1, "spent": 1, "left": 0, "enough": False}
    with pytest.raises(UsageError, match="nobody here is called"):
        forecast_answer(dinner, choice, CharacterQuestion("nobody", "Who?"))
