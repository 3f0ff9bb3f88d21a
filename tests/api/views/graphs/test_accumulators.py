"""What gathers until the next reflection."""

from __future__ import annotations

from collections.abc import Iterable

from gm.api.views.graphs.accumulators import MOST_POINTS, MOST_SCENES, Point, accumulate, draw_accumulators, resets_of
from gm.base.config import ReflectionSettings
from gm.model.state import AgentState
from tests.api.views.graphs.small import GERMAN, insight, memory, met

LIVED = (
    memory("ada-001", 1, 1, importance=7),
    memory("ada-002", 1, 2, importance=8),
    memory("ada-003", 1, 2, importance=2),
)
THOUGHT = (insight("ada-004", "ada-001", importance=9), insight("ada-005", "ada-002", importance=6))


def at(threshold: int) -> ReflectionSettings:
    return ReflectionSettings(threshold=threshold, reset="after")


def written(accumulator: int = 0, last_reflection: str | None = None) -> AgentState:
    return AgentState("", importance_accumulator=accumulator, last_reflection=last_reflection)


def sums(points: Iterable[Point]) -> list[tuple[int, int, bool]]:
    return [(point.before, point.after, point.is_reset) for point in points]


def test_the_sum_grows_scene_by_scene_and_a_reflection_sets_it_to_zero() -> None:
    points = accumulate((*LIVED, *THOUGHT), frozenset({"ada-005"}), count_insights=False)
    assert sums(points) == [(7, 7, False), (17, 17, False), (17, 0, True)]


def test_insights_count_for_the_next_reflection_where_that_is_set() -> None:
    points = accumulate((*LIVED, *THOUGHT), frozenset({"ada-005"}), count_insights=True)
    assert sums(points)[-1] == (17, 15, True)


def test_what_comes_after_the_last_insight_in_the_same_scene_counts_again() -> None:
    points = accumulate(
        (*LIVED, *THOUGHT, memory("ada-006", 1, 9, importance=4)), frozenset({"ada-005"}), count_insights=False
    )
    assert sums(points)[-1] == (17, 4, True)


def test_a_reflection_in_another_scene_resets_nothing() -> None:
    assert resets_of("ada", (*LIVED, *THOUGHT), [met(1, "ada", scene=9, kind="WORK")], written()) == frozenset()


def test_resets_are_known_from_the_logbook_and_from_the_file() -> None:
    logged = [met(1, "ada", scene=9, kind="REFLECTION")]
    assert resets_of("ada", (*LIVED, *THOUGHT), logged, written()) == {"ada-005"}
    assert resets_of("ada", (*LIVED, *THOUGHT), [], written(0, "ADA-005")) == {"ada-005"}
    assert resets_of("ada", (*LIVED, *THOUGHT), [met(1, "bo", scene=9, kind="REFLECTION")], written()) == frozenset()


def test_the_finding_names_who_is_nearest_to_the_threshold() -> None:
    streams = {"ada": LIVED, "bo": (memory("bo-001", importance=9),)}
    stated = {"ada": written(17), "bo": written(9)}
    graph = draw_accumulators(GERMAN, streams, (), stated, at(100))
    assert graph.finding.startswith("Mit 17 ist Ada am nächsten an der Schwelle von 100. Noch hat keine Rückschau")


def test_where_nothing_has_gathered_no_character_is_nearest() -> None:
    graph = draw_accumulators(GERMAN, {"ada": (), "bo": THOUGHT[:1]}, (), {"ada": written(), "bo": written()}, at(100))
    assert graph.finding.startswith("Mit 9 ist Bo am nächsten an der Schwelle von 100.")
    streams, stated = {"ada": (*LIVED, *THOUGHT), "bo": ()}, {"ada": written(), "bo": written()}
    reset = draw_accumulators(GERMAN, streams, [met(1, "ada", scene=9, kind="REFLECTION")], stated, at(100))
    assert reset.finding.startswith("Bei niemandem hat sich schon etwas angesammelt; die Schwelle liegt bei 100.")


def test_who_has_reached_the_threshold_is_named() -> None:
    streams = {"ada": LIVED, "bo": (memory("bo-001", importance=9),)}
    stated = {"ada": written(17), "bo": written(9)}
    for reached in (16, 17):
        finding = draw_accumulators(GERMAN, streams, (), stated, at(reached)).finding
        assert f"Die Schwelle von {reached} ist erreicht: Ada (17)." in finding
    assert "erreicht" not in draw_accumulators(GERMAN, streams, (), stated, at(18)).finding


def test_a_file_that_says_something_else_is_told() -> None:
    graph = draw_accumulators(GERMAN, {"ada": LIVED}, (), {"ada": written(50)}, at(100))
    assert graph.finding.endswith("In den Dateien steht etwas anderes: Ada 50 statt 17.")
    assert graph.table.rows == (("Ada", "17", "50", "17", "0"),)


def test_a_long_time_is_drawn_day_by_day_with_its_resets() -> None:
    stream = [memory(f"ada-{n:03d}", 1 + n // 3, 1 + n % 3, importance=1) for n in range(3 * MOST_SCENES)]
    last = insight("ada-900", day=MOST_SCENES, scene=8)
    graph = draw_accumulators(GERMAN, {"ada": [*stream, last]}, (), {"ada": written(0, "ada-900")}, at(100))
    (panel,) = graph.data["panels"]
    assert len(graph.data["moments"]) == MOST_SCENES
    assert panel["resets"] == [[MOST_SCENES - 1, 3 * MOST_SCENES]]
    assert panel["points"][-1] == [MOST_SCENES - 1, 0]


def test_of_a_very_long_time_the_newest_days_are_drawn_and_that_is_said() -> None:
    stream = [memory(f"ada-{day:03d}", day, importance=1) for day in range(1, MOST_POINTS + 12)]
    graph = draw_accumulators(GERMAN, {"ada": stream}, (), {"ada": written(len(stream))}, at(100))
    (panel,) = graph.data["panels"]
    assert panel["points"][0] == [0, 12]
    assert len(graph.data["moments"]) == MOST_POINTS
    assert graph.note.endswith(f"Gezeichnet sind die letzten {MOST_POINTS} von {MOST_POINTS + 11} Tagen.")


def test_a_world_without_memories_has_nothing_to_draw() -> None:
    graph = draw_accumulators(GERMAN, {"ada": ()}, (), {"ada": written()}, at(100))
    assert graph.data == {}
    assert graph.finding == "Noch nichts zu zeigen: Es ist noch kein Tag gespielt."
