"""How a world stands, what is open, what changed, what it cost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from gm.api.answers.document import as_json
from gm.api.editing.threads import NewThread, close_thread, describe_threads, open_thread
from gm.api.reports.cost import describe_cost
from gm.api.views.changes import view_changes
from gm.api.views.cost import view_cost
from gm.api.views.threads import PAGE, view_threads
from gm.api.views.today import view_today
from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.questions.traces import TraceReader
from gm.files.story.now import load_settings
from gm.files.streams.lineindex import LineIndex
from gm.llm.prices import FREE_BACKENDS
from tests.api.repositories import commit_all, make_repository
from tests.everything import everything_on
from tests.stories.playing import edit, play


@pytest.fixture(scope="module")
def _two_days(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    layout = create_world(tmp_path_factory.mktemp("two-days") / "dinner", "dinner")
    play(everything_on(layout), days=2)
    return layout


@pytest.fixture
def two_days(_two_days: Layout, tmp_path: Path) -> Layout:
    """A dinner with every layer switched on, after two days."""
    return Layout(shutil.copytree(_two_days.root, tmp_path / "two-days"))


def test_the_first_page_counts_no_stream(fifteen_days: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a stream was counted")

    monkeypatch.setattr(LineIndex, "lines", refuse)
    today = view_today(fifteen_days)
    assert today.last is not None
    assert today.last.day == 15
    assert today.last.memories
    assert all(memory.node.description for memory in today.last.memories)


def test_it_says_who_stands_where_and_who_is_due(played: Layout) -> None:
    edit(played.agent("vera"), {"importance_accumulator": 101})
    edit(played.agent("leo"), {"importance_accumulator": 100, "mood": "zufrieden"})
    standing = {item.agent: item for item in view_today(played).standing}
    assert standing["vera"].is_due
    assert not standing["leo"].is_due
    assert standing["leo"].state.mood == "zufrieden"
    assert all(item.state.position for item in standing.values())


def test_before_the_first_day_it_says_what_waits(studio: Layout) -> None:
    today = view_today(studio)
    assert (today.clock.day, today.last, today.clock.day_open) == (0, None, False)
    assert today.clock.active_briefs
    assert [item.kind for item in today.threads.waiting] == ["post"]
    assert [item.day for item in today.ahead] == [4, 5]


def test_what_all_remember_in_the_same_words_is_no_news(played: Layout) -> None:
    weighty = [memory.node.description for memory in view_today(played).weighty]
    assert len(set(weighty)) == len(weighty)


def test_threads_are_those_of_the_command(fifteen_days: Layout) -> None:
    document = as_json(describe_threads(load_world(fifteen_days).world))
    threads = view_threads(fifteen_days)
    assert threads is not None
    assert {item.id for item in threads.open} == {item["id"] for item in document["open"]}
    assert {item.id for item in threads.settled} == {item["id"] for item in document["settled"]}
    assert [(item.kind, item.text, item.by) for item in threads.waiting] == [
        (item["kind"], item["text"], item["by"]) for item in document["waiting"]
    ]
    today = view_today(fifteen_days).threads
    assert (today.open, today.waiting) == (threads.open, threads.waiting)


def test_what_is_overdue_comes_first(played: Layout) -> None:
    open_thread(played, NewThread("vera", "Ohne Tag."))
    open_thread(played, NewThread("leo", "Bis morgen.", due=2))
    open_thread(played, NewThread("nami", "Bis heute.", due=1))
    threads = view_threads(played)
    assert threads is not None
    assert threads.open[0].state == "overdue"
    assert threads.open[0] == threads.overdue[0]
    assert threads.open[-1].due is None


def test_settled_threads_are_read_page_by_page(played: Layout) -> None:
    lines = []
    for number in range(1, PAGE + 2):
        name = f"thread-{number:03d}"
        told = {"id": name, "at": "day-001", "event": "open", "by": "vera", "kind": "promise"}
        lines.append(json.dumps(told | {"to": [], "due": None, "text": f"Nummer {number}"}))
        closed = {"id": name, "at": "day-001", "event": "close", "by": "vera", "outcome": "kept", "text": ""}
        lines.append(json.dumps(closed | {"text": "fertig"}))
    played.threads.write_text("\n".join(lines) + "\n", encoding="utf-8")
    first, second = view_threads(played), view_threads(played, 2)
    assert (len(first.settled), len(second.settled), first.pages) == (PAGE, 1, 2)
    assert view_threads(played, 3).page == 2


def test_a_thread_that_is_settled_meanwhile_is_read_again(played: Layout) -> None:
    opened, _ = open_thread(played, NewThread("vera", "Eine Schwelle."))
    before = view_threads(played)
    close_thread(played, opened.id, "kept", "Da ist sie.")
    after = view_threads(played)
    assert before is not None
    assert after is not None
    assert opened.id in {item.id for item in before.open}
    assert opened.id in {item.id for item in after.settled}


def test_without_commits_what_changed_is_known_from_the_own_record(two_days: Layout) -> None:
    changes = view_changes(two_days)
    assert changes is not None
    assert (changes.day, changes.source, changes.previous) == (2, "record", 1)
    assert any(mind.pages["working"] for mind in changes.minds)
    assert any(item.key == "mood" for mind in changes.minds for item in mind.state)
    assert all(mind.lived for mind in changes.minds)


def test_without_a_record_only_what_carries_a_date_is_known(two_days: Layout) -> None:
    shutil.rmtree(two_days.derived)
    changes = view_changes(two_days, 2)
    assert changes is not None
    assert changes.source == "dated"
    assert any(mind.lived for mind in changes.minds)
    assert not any(mind.state or any(mind.pages.values()) for mind in changes.minds)


def test_with_commits_an_edit_by_hand_is_told(studio: Layout) -> None:
    make_repository(studio.root)
    play(studio)
    commit_all(studio.root, "day 1")
    play(studio)
    stream = studio.stream("vera")
    stream.write_text(stream.read_text(encoding="utf-8").replace("Mein Plan", "Unser Plan", 1), encoding="utf-8")
    commit_all(studio.root, "day 2")
    changes = view_changes(studio, 2)
    assert changes is not None
    assert changes.source == "commits"
    vera = next(mind for mind in changes.minds if mind.agent == "vera")
    assert [
        (item.key, [segment.text for segment in item.segments if segment.mark == "ins"])
        for item in vera.edited[0].changes
    ] == [("description", ["Unser"])]


def test_what_is_kept_back_is_in_no_change(two_days: Layout) -> None:
    changes = view_changes(two_days, 2, frozenset(("private", "soul", "relationships")))
    assert changes is not None
    assert not any(any(mind.pages.values()) or mind.regards for mind in changes.minds)


def test_a_world_without_days_has_changed_nothing(studio: Layout) -> None:
    assert view_changes(studio) is None
    assert view_changes(studio, 3) is None


def test_costs_are_those_of_the_command(fifteen_days: Layout) -> None:
    traces = TraceReader(fifteen_days.traces, fifteen_days.asks)
    document = as_json(describe_cost(traces, load_settings(fifteen_days)[0]))
    cost = view_cost(fifteen_days)
    assert cost.free == all(name in FREE_BACKENDS for name in document["models"])
    assert cost.total.calls == document["totals"]["calls"]
    assert cost.total.tokens.output == document["totals"]["tokens"]["output"]
    assert {name: item.calls for name, item in cost.agents.items()} == {
        name: item["calls"] for name, item in document["agents"].items()
    }
    for sums in (cost.days, cost.kinds, cost.models, cost.purposes):
        assert sum(item.calls for item in sums.values()) == cost.total.calls


def test_a_new_answer_is_in_the_sum_at_once(played: Layout) -> None:
    before = view_cost(played).total.calls
    trace = next((played.traces / "day-001").rglob("*.json"))
    shutil.copy(trace, trace.with_name("once-more.json"))
    assert view_cost(played).total.calls == before + 1


def test_a_world_without_answers_does_not_claim_to_have_been_free(studio: Layout) -> None:
    cost = view_cost(studio)
    assert not cost.kept
    assert not cost.free
