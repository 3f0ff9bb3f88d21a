from __future__ import annotations

from dataclasses import replace

from gm.api.history.past import rewind
from gm.memory.care import Batch
from gm.model.solo_replies import SummaryReply, Theme
from gm.model.world import Agent, Change
from gm.scene.evening.selfcare import fold_care
from gm.scene.folding.advance import advance
from gm.scene.ledger import Ledger, NewNode
from tests.build import agent, node, ref, world

NODES = [
    node(1, created="day-001/scene-01"),
    node(2, created="day-001/scene-02", type="reflection", depth=1, evidence=["vera-001"]),
    node(4, created="day-002/scene-01"),
    node(9, created="day-003/scene-01"),
]
AT = ref("day-003/scene-05")


def theme(*evidence: str, title: str = "Der Turm", importance: int | None = 6) -> Theme:
    text = "Er  stand.\nEr fiel."
    return Theme(title=title, text=text, importance=importance, tags=["Turm"], evidence=list(evidence))


def fold(one: Agent, *themes: Theme, take: int = 3) -> Change:
    batch = Batch("memories", tuple(NODES[:take]))
    return fold_care(world(one, day=3), "vera", [batch], [SummaryReply(themes=list(themes))], AT)


def test_themes_become_summaries_and_all_of_the_batch_goes_cited_or_not() -> None:
    one = agent(stream=NODES)
    change = fold(one, theme("vera-001"), theme("vera-002", title="Zwei"))
    first, second = change.summaries["vera"]
    assert (first.id, second.id) == ("vera-010", "vera-011")
    assert (first.depth, second.depth) == (1, 2)
    assert first.description == "Er stand. Er fiel."
    assert first.metadata == {
        "kind": "summary",
        "title": "Der Turm",
        "from": "day-001/scene-01",
        "to": "day-002/scene-01",
        "replaces": ["vera-001..vera-002", "vera-004"],
    }
    assert second.metadata["with"] == "vera-010"
    assert change.to_archive["vera"] == {"vera-001", "vera-002", "vera-004"}
    assert change.agents["vera"] == {"conv_summarized_until": "vera-004"}
    assert change.nodes == {}
    assert change.log is None


def test_cited_ids_that_are_not_in_the_batch_are_dropped_with_a_warning() -> None:
    change = fold(agent(stream=NODES), theme("vera-009", " VERA-001", "vera-077"))
    (summary,) = change.summaries["vera"]
    assert summary.evidence == ("vera-001",)
    assert [warning.split("'")[1] for warning in change.warnings] == ["vera-009", "vera-077"]


def test_what_retells_a_private_memory_is_private() -> None:
    secret, *others = NODES
    one = agent(stream=[replace(secret, tags=("turm", "privat")), *others])
    batch = Batch("memories", tuple(one.stream[:3]))

    def tags(*evidence: str) -> tuple[str, ...]:
        reply = SummaryReply(themes=[theme(*evidence)])
        (summary,) = fold_care(world(one, day=3), "vera", [batch], [reply], AT).summaries["vera"]
        return summary.tags

    assert tags(secret.id) == tags("vera-999") == ("privat", "turm")
    assert tags(others[0].id) == ("turm",)


def test_a_theme_without_importance_is_rated_by_rule() -> None:
    (summary,) = fold(agent(stream=NODES), theme("vera-001", importance=None)).summaries["vera"]
    assert (summary.importance, summary.metadata["importance_by"]) == (3, "heuristic")


def test_what_was_removed_by_hand_meanwhile_is_left_alone() -> None:
    change = fold(agent(stream=NODES[1:]), theme("vera-001", "vera-002"))
    (summary,) = change.summaries["vera"]
    assert summary.evidence == ("vera-002",)
    assert summary.metadata["replaces"] == ["vera-002", "vera-004"]
    assert fold(agent(stream=NODES[3:]), theme("vera-001")).to_archive == {}


def test_ids_go_on_above_stream_archive_and_summaries() -> None:
    one = agent(stream=NODES)
    before = world(one, day=3)
    after = advance(before, fold(one, theme("vera-001"), theme("vera-002"))).agents["vera"]
    assert [item.id for item in after.stream] == ["vera-009"]
    assert [item.id for item in after.summaries] == ["vera-010", "vera-011"]
    assert after.next_number == 12
    batch = Batch("summaries", after.summaries)
    again = replace(before, agents={"vera": after})
    change = fold_care(again, "vera", [batch], [SummaryReply(themes=[theme("vera-011")])], ref("day-009/scene-01"))
    (summary,) = change.summaries["vera"]
    assert (summary.id, summary.depth) == ("vera-012", 3)
    assert (summary.metadata["from"], summary.metadata["to"]) == ("day-001/scene-01", "day-002/scene-01")
    assert change.agents == {}
    last = advance(again, change).agents["vera"]
    assert (last.archived_number, last.next_number) == (11, 13)


def test_a_later_memory_may_rest_on_a_summary_and_on_what_was_looked_up_in_the_archive() -> None:
    one = replace(agent(stream=NODES[3:]), summaries=(node(10, type="reflection", depth=2),))
    ledger = Ledger(replace(world(one), archived={"vera-002": 1}), "day-004/scene-01")
    made = ledger.add("vera", NewNode("Beides.", 5, "reflection", evidence=["vera-010", "Vera-002", "vera-001"]))
    assert made.evidence == ("vera-010", "Vera-002")
    assert made.depth == 3
    assert len(ledger.warnings) == 1


def test_how_it_was_before_comes_back_from_the_archive() -> None:
    one = agent(stream=NODES)
    after = advance(world(one, day=3), fold(one, theme("vera-001"))).agents["vera"]
    then = rewind(after, NODES[:3], ref("day-002/scene-01"))
    assert [item.id for item in then.stream] == ["vera-001", "vera-002", "vera-004"]
    assert then.summaries == ()
    now = rewind(after, NODES[:3], ref("day-003"))
    assert [item.id for item in (*now.stream, *now.summaries)] == ["vera-009", "vera-010"]
