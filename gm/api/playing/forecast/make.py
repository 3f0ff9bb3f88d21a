"""Rehearse a run in a copy of the world and count its calls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from gm.api.playing.ask import CharacterQuestion, ask_character
from gm.api.playing.mind.minds import SceneMinds
from gm.api.reports.cost import Spent
from gm.base.config import Settings
from gm.base.errors import GmError
from gm.base.tokens import TokenCounter
from gm.files.commits.copying import scratch
from gm.files.commits.runnote import noted_seed, read_speed
from gm.files.layout import Layout
from gm.files.questions.traces import TraceFolder, TraceReader, paid_traces
from gm.files.story.now import load_clock, load_settings
from gm.llm.base import CAN_WAIT, LAST_WORD, Backend, CachingBackend, Request, Usage, made_with
from gm.llm.budget import Amount, Budget
from gm.llm.calls import ASK_PURPOSE, calibrate_counters, parse_call
from gm.llm.choose import Choice
from gm.llm.foresight import Foreseen, Foresight, foresee_usage, waves_of
from gm.llm.prices import FREE_BACKENDS, Prices, cost_usd, uncached_usd
from gm.model.calendar import SceneRef, parse_ref
from gm.model.scene import ASKED, Scene
from gm.model.world import Change, World
from gm.play import ask, directors, fitting, master, report, spending
from gm.play.narrator import PURPOSE as NARRATOR
from gm.scene.evening.off_scene import DIARY_PURPOSE

RECENT_DAYS = 5
"""Number of last days with traces that calibrate the counters."""
RECORDED, STUDIO, REHEARSED = "recorded", "studio", "rehearsed"


@dataclass(frozen=True, slots=True)
class RehearsedScene:
    """A rehearsed scene; those played side by side share a ``step``."""

    ref: SceneRef
    type: str
    play: str
    cast: tuple[str, ...]
    starts_alone: bool = False
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Expected:
    """An expected call; dollars are None if unknown."""

    place: SceneRef
    model: str
    purpose: str
    usage: Usage
    usd: float | None
    uncached_usd: float | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """The forecast of a run.

    Attributes:
        counters: By model; empty for estimating backends.
        answers: What the lengths of answers rest on: ``RECORDED`` calls of this world alone, the studio's (``STUDIO``),
            or the rehearsal alone.
        seconds: By the mean of measured answers; of scenes played side by side, the longest counts. None = a model has
            none, or answers come in a batch.
    """

    backend: Backend
    scenes: tuple[RehearsedScene, ...]
    calls: tuple[Expected, ...]
    counters: Mapping[str, TokenCounter]
    answers: str
    seconds: float | None
    spent: Amount
    settings: Settings

    @property
    def error(self) -> float | None:
        """Usual maximum error of the counters, relative; None if one is not calibrated."""
        errors = [counter.error for counter in self.counters.values()]
        known = [error for error in errors if error is not None]
        return max(known) if known and len(known) == len(errors) else None

    @property
    def total(self) -> Spent:
        """The sum of all calls."""
        return sum_calls(self.calls)

    @property
    def unpriced(self) -> list[str]:
        """Models without a known price, sorted."""
        return sorted({call.model for call in self.calls if call.usd is None})


def sum_calls(calls: Iterable[Expected]) -> Spent:
    """Sum up calls."""
    total = Spent()
    for call in calls:
        total.add_usage(call.usage, call.usd, call.uncached_usd)
    return total


class _SceneCounter(report.Report):
    def __init__(self) -> None:
        self.played: dict[str, RehearsedScene] = {}
        self._steps: dict[SceneRef, int] = {}

    def scene_begins(self, world: World, scene: Scene) -> None:
        if not scene.type.is_reflection:  # of those, all questions are asked at once, and measured so
            self._steps[scene.ref] = len(self.played)

    def scene_played(self, world: World, scene: Scene, change: Change) -> None:
        self.played[str(scene.ref)] = RehearsedScene(
            scene.ref,
            scene.type.name,
            scene.type.play,
            tuple(scene.cast),
            scene.type.starts_alone,
            self._steps.get(scene.ref),
        )


def make_forecast(
    layout: Layout,
    choice: Choice,
    days: int = 1,
    seed: int | None = None,
    *,
    batch: bool = False,
    direction: directors.Direction = directors.AS_SET,
) -> Forecast:
    """Rehearse ``gm advance-day`` in a temporary copy, without asking a model.

    Args:
        days: As ``--days``; likewise ``seed`` and ``batch``.
        direction: As ``--director`` and ``--script``.

    Raises:
        NoRoomError: The next question does not fit its limit.
        GmError: The day cannot be played.
    """
    foresight = _foresee(choice, layout.traces)
    seed = noted_seed(layout, load_clock(layout)[0]) if seed is None else seed
    heard = _SceneCounter()
    with scratch(layout) as copy:
        stand_in = _stand_in(choice, foresight)
        command = "gm advance-day --dry-run"
        try:
            master.run_days(
                copy,
                stand_in,
                heard,
                days,
                command=command,
                seed=seed,
                direction=direction,
                minds=SceneMinds,
                embeds=False,
            )
        except fitting.NoRoomError as error:
            if foresight.foreseen:
                # of later questions it is not known: the model plays on in another way than the rehearsal
                raise GmError(error.message, error.hint) from error
            raise
    return _count_costs(layout, choice.backend, heard.played, foresight.foreseen, batch=batch)


def forecast_answer(layout: Layout, choice: Choice, asked: CharacterQuestion) -> Forecast:
    """Rehearse ``gm ask`` likewise. An answer that is kept costs nothing.

    Raises:
        GmError: The question cannot be asked.
    """

    def ask_in_copy(copy: Layout, stand_in: Choice) -> tuple[str, tuple[str, ...]]:
        answered = ask_character(copy, stand_in, asked)
        return answered.at, (answered.agent,)

    return forecast_questions(layout, choice, ask_in_copy)


def forecast_questions(
    layout: Layout, choice: Choice, ask_in_copy: Callable[[Layout, Choice], tuple[str, tuple[str, ...]]]
) -> Forecast:
    """Rehearse questions out of scene, with what follows on their answers.

    Args:
        ask_in_copy: Asks them in a copy of the world; returns the moment as of which, and the ids of the characters.
    """
    foresight = _foresee(choice, layout.asks)
    with scratch(layout) as copy:
        at, cast = ask_in_copy(copy, _stand_in(choice, foresight))
    place = parse_ref(at)
    assert place is not None
    return _count_costs(layout, choice.backend, {at: RehearsedScene(place, ASKED, "solo", cast)}, foresight.foreseen)


def _foresee(choice: Choice, kept: Path) -> Foresight:
    return Foresight(choice.backend, lambda place, label, identity: TraceFolder(kept, place).find(label, identity))


def _stand_in(choice: Choice, foresight: Foresight) -> Choice:
    return replace(choice, backend=foresight, person_backend=choice.person_backend and foresight, why="a forecast")


def _count_costs(
    layout: Layout,
    backend: Backend,
    played: Mapping[str, RehearsedScene],
    foreseen: Iterable[Foreseen],
    *,
    batch: bool = False,
) -> Forecast:
    settings, _ = load_settings(layout)
    foreseen = list(foreseen)
    played = {**played, **_evenings(foreseen)}
    traces = TraceReader(layout.traces, layout.asks)
    days = islice(reversed(traces.days()), RECENT_DAYS)
    recent = (parse_call(kept.record) for day in days for kept in traces.of_day(day) if not kept.rejected)
    counters, answers = calibrate_counters(recent)
    order = sorted(
        foreseen, key=lambda item: _place_key(_place_of_request(item.request))
    )  # stable: within a scene, as they came
    waves = waves_of(order, lambda request: _wave(request, played))
    is_free = backend.name in FREE_BACKENDS
    caches = isinstance(backend, CachingBackend) and backend.caches
    usages = foresee_usage(waves, counters, answers, cached=caches, hour=settings.llm.cache == "1h")
    prices = Prices(settings.prices)
    calls = tuple(
        _expect(item, usage, prices, backend, batch=batch and item.request.purpose in CAN_WAIT)
        for wave, counted in zip(waves, usages, strict=True)
        for item, usage in zip(wave, counted, strict=True)
    )
    first = min((scene.ref.day for scene in played.values()), default=None)
    paid = paid_traces(layout, layout.asks)
    budget = Budget(settings.budget, prices, backend, lambda day: spending.read_calls(paid, day))
    return Forecast(
        backend=backend,
        scenes=tuple(sorted(played.values(), key=lambda scene: _place_key(scene.ref))),
        calls=calls,
        counters={call.model: counters.get(call.model, TokenCounter()) for call in calls if not is_free},
        answers=_answers(foreseen, answers),
        seconds=None if batch else _expect_seconds(calls, backend, read_speed(layout), played.values()),
        spent=Amount() if first is None else budget.spent_on(first),
        settings=settings,
    )


def _answers(foreseen: Iterable[Foreseen], measured: Mapping[str, Mapping[str, float]]) -> str:
    others = [item for item in foreseen if item.purpose not in measured.get(item.model, {})]
    return (STUDIO if any(item.of_studio for item in others) else REHEARSED) if others else RECORDED


def _expect_seconds(
    calls: Sequence[Expected],
    backend: Backend,
    speed: Mapping[str, tuple[int, float]],
    scenes: Iterable[RehearsedScene],
) -> float | None:
    steps = {scene.ref: scene.step for scene in scenes if scene.step is not None}
    took: dict[object, dict[SceneRef, float]] = defaultdict(lambda: defaultdict(float))
    for call in calls:
        measured = speed.get(made_with(backend.name, call.model))
        if measured is None:
            return None
        took[steps.get(call.place, call.place)][call.place] += measured[1] / measured[0]
    return sum(max(step.values()) for step in took.values()) if took else None


def _wave(request: Request, played: Mapping[str, RehearsedScene]) -> object:
    if request.purpose == "reflection":
        return (
            "reflection",
            _place_of_request(request).day,
            request.label == request.who,
        )  # insights wait for their questions
    if request.purpose in ("director", NARRATOR):
        return (
            request.place,
            request.label,
        )  # the scene waits for it; or it waits for what was asked before it in the evening
    if request.label.startswith(f"{request.who}{LAST_WORD}"):
        return request.place, "last"
    if played[request.place].type == ASKED:  # all questions at once, then all second looks
        return request.place, request.who, request.label[len(f"{request.who}-{ASK_PURPOSE}-") + ask.LABEL_DIGITS :]
    scene = played[request.place]
    if scene.play != "sequential" and request.label == request.who:
        return request.place, "start" if scene.starts_alone and request.who == scene.cast[0] else "first"
    return request.place, request.label  # turn by turn; also those who answer, after all have replied at once


def _place_of_request(request: Request) -> SceneRef:
    place = parse_ref(request.place)
    assert place is not None
    return place


def _evenings(foreseen: Iterable[Foreseen]) -> dict[str, RehearsedScene]:
    asked: dict[str, list[Request]] = defaultdict(list)
    for item in foreseen:
        if item.request.purpose in (DIARY_PURPOSE, NARRATOR):
            asked[item.request.place].append(item.request)
    return {
        place: RehearsedScene(
            _place_of_request(requests[0]),
            requests[0].purpose.upper(),
            "parallel",
            tuple(sorted(one.who for one in requests if one.who)),
        )
        for place, requests in asked.items()
    }


def _place_key(place: SceneRef) -> tuple[int, bool, SceneRef]:
    return place.day, not place.scene, place


def _expect(item: Foreseen, usage: Usage, prices: Prices, backend: Backend, *, batch: bool) -> Expected:
    price = prices.ahead(backend, item.model)
    return Expected(
        place=_place_of_request(item.request),
        model=item.model,
        purpose=item.purpose,
        usage=usage,
        usd=cost_usd(usage, price, batch=batch) if price else None,
        uncached_usd=uncached_usd(usage, price, batch=batch) if price else None,
    )
