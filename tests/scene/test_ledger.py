import pytest

from gm.base.casefold import casefold
from gm.base.config import ReflectionSettings, Settings
from gm.scene.ledger import Ledger, NewNode, clean_tags, memory_list
from tests.build import agent, node, world


def test_nodes_of_one_step_may_rest_on_each_other() -> None:
    ledger = Ledger(world(agent("vera")), "day-001/scene-01")
    first = ledger.add("vera", NewNode("Eins.", 5, "reflection"))
    second = ledger.add("vera", NewNode("Zwei.", 5, "reflection", evidence=[first.id]))
    assert (second.evidence, second.depth) == (("vera-001",), 2)


def test_nodes_of_one_step_are_unknown_where_only_the_past_may_be_cited() -> None:
    ledger = Ledger(world(agent("vera", stream=[node(1)])), "day-001/scene-01", cite_new=False)
    ledger.add("vera", NewNode("Eins.", 5, "reflection"))
    second = ledger.add("vera", NewNode("Zwei.", 5, "reflection", evidence=["vera-002", "vera-001"]))
    assert (second.evidence, second.depth) == (("vera-001",), 1)
    assert ledger.warnings == ["vera: evidence 'vera-002' does not exist and was dropped"]


def test_each_agent_is_numbered_and_summed_up_for_itself() -> None:
    ledger = Ledger(world(agent("vera", stream=[node(9)]), agent("emre")), "day-001/scene-01")
    ids = [ledger.add(name, NewNode("…", 4)).id for name in ("vera", "emre", "vera")]
    assert ids == ["vera-010", "emre-001", "vera-011"]
    assert (ledger.gained("vera"), ledger.gained("emre"), ledger.gained("finn")) == (8, 4, 0)
    assert memory_list(ledger.nodes)[0] == {"agent": "vera", "id": "vera-010", "importance": 4}


def test_without_reflection_a_scene_leaves_observations() -> None:
    new = NewNode("All waiting is work.", 5, "reflection", evidence=["vera-001"])
    off = Settings(reflection=ReflectionSettings(enabled=False))
    kept = [Ledger(world(agent("vera", stream=[node(1)]), settings=given), "day-001/scene-02") for given in (None, off)]
    assert [(one.type, one.depth) for ledger in kept if (one := ledger.add_once("vera", new))] == [
        ("reflection", 1),
        ("observation", 0),
    ]
    assert kept[0].warnings == []
    assert kept[1].warnings == [
        "vera: reflection.enabled is false, so a reflection is kept as an observation: 'All waiting is work.'"
    ]


def test_tags_are_lower_case_hyphenated_unique_and_few() -> None:
    assert clean_tags(["Ashen  Wastes", "ashen-wastes", " ", "Vera", "r&d"], "vera") == ("ashen-wastes", "r&d")
    assert len(clean_tags([f"tag {number}" for number in range(30)], "vera")) == 12


def test_importance_below_the_least_is_raised_and_what_was_given_is_kept() -> None:
    ledger = Ledger(world(agent("vera")), "day-001/scene-01")
    raised = ledger.add("vera", NewNode("Leise.", 2), least=5)
    enough = ledger.add("vera", NewNode("Laut.", 5), least=5)
    assert (raised.importance, raised.metadata) == (5, {"importance_given": 2})
    assert (enough.importance, enough.metadata) == (5, {})


def test_however_much_is_cited_a_memory_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = [node(number) for number in range(1, 501)]
    one = Ledger(world(agent("vera", stream=stream), agent("emre")), "day-001/scene-01")
    looked: list[str] = []

    def counted(text: str) -> str:
        looked.append(text)
        return casefold(text)

    monkeypatch.setattr("gm.scene.ledger.casefold", counted)
    for number in range(100):
        added = one.add("vera", NewNode(f"{number}.", 5, "reflection", evidence=["vera-003", f"vera-9{number:03d}"]))
        assert (added.evidence, added.depth) == (("vera-003",), 1)
    assert len(looked) <= 500 + 100 * 10
    assert one.add_once("vera", NewNode("7.", 5)) is None
    assert one.add_once("emre", NewNode("7.", 5)) is not None
    assert one.warnings[-1] == "vera: the same memory twice in one scene, kept once: '7.'"
