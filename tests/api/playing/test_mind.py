"""What a character can ask its own mind, and what it can keep."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from gm.api.answers.document import as_json
from gm.api.editing.check.whole import check_world
from gm.api.editing.gift import give_memories
from gm.api.playing.mind.changing import reinforcements, strengthen
from gm.api.playing.mind.mind import Here, PendingChanges, open_mind
from gm.api.playing.mind.minds import LAYER_TOOLS, LINK_TOOLS, TOOLS, describe_arguments
from gm.api.reports.gifted import rank_gifted
from gm.api.reports.recall import RecalledMemory
from gm.base.errors import LockedError, UsageError
from gm.files.commits.lock import locked
from gm.files.layout import Layout
from gm.files.load import load_agent
from gm.files.streams.gifted import read_gifted
from gm.layers.relationships import HISTORY, RELATIONSHIPS
from gm.model.node import node_from_record
from tests.stories.playing import set_sections


def outside(name: str) -> Any:
    """Call a tool as it is called outside of scenes."""
    (tool,) = (tool for tool in TOOLS if tool.name == name)
    return lambda layout, agent, *given, **more: as_json(tool.function(open_mind(layout, agent), *given, **more))


check_similar_situations, query_memory, recall_episodes, recall_facts, recall_interactions = map(
    outside, ("check_similar_situations", "query_memory", "recall_episodes", "recall_facts", "recall_interactions")
)
associate_memories, form_memory, reinforce_memory = map(
    outside, ("associate_memories", "form_memory", "reinforce_memory")
)
query_background, query_character, query_communication_style, query_scene, query_self = map(
    outside, ("query_background", "query_character", "query_communication_style", "query_scene", "query_self")
)


@dataclass
class Stream:
    """Writes memories of a day or two into a stream."""

    layout: Layout
    lines: list[str] = field(default_factory=list)

    def add(self, name: str, created: str, text: str, importance: int = 5, **more: Any) -> str:
        identifier = f"{name}-{len(self.lines) + 1:03d}"
        record = {
            "id": identifier,
            "created": created,
            "type": "observation",
            "depth": 0,
            "description": text,
            "importance": importance,
            "tags": [],
            "evidence": [],
            "metadata": {},
            **more,
        }
        self.lines.append(json.dumps(record, ensure_ascii=False))
        self.layout.stream(name).parent.mkdir(exist_ok=True)
        self.layout.stream(name).write_text("\n".join(self.lines) + "\n", encoding="utf-8")
        return identifier


@pytest.fixture
def world(dinner: Layout) -> Layout:
    give_memories(dinner)
    return dinner


@pytest.fixture
def lived(world: Layout) -> Layout:
    stream = Stream(world)
    stream.add("alex", "day-001/scene-01", "Jordan burnt the onions in the oven.", 4, tags=["jordan"])
    stream.add("alex", "day-002/scene-02", "Casey hid the fifth chair behind the coats.", 7, tags=["casey"])
    stream.add("alex", "day-003/scene-01", "The oven gave up again, and Jordan laughed.", 8, tags=["jordan"])
    stream.add(
        "alex", "day-003/scene-02", "The oven cannot be trusted above medium.", 8,
        type="reflection", depth=1, evidence=["alex-001", "alex-003"],
    )  # fmt: skip
    for day, scenes in ((1, 1), (2, 2), (3, 2)):
        entries = [{"scene": scene, "type": "ENCOUNTER"} for scene in range(1, scenes + 1)]
        world.day_log(day).parent.mkdir(exist_ok=True)
        world.day_log(day).write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    clock = json.loads(world.world.read_text(encoding="utf-8"))
    world.world.write_text(json.dumps({**clock, "day": 3, "scenes_today": 2}), encoding="utf-8")
    return world


def contents(document: dict[str, Any]) -> list[str]:
    return [memory["content"] for memory in document["memories"]]


@pytest.mark.parametrize("tool", [query_self, query_background, query_communication_style])
def test_fixed_questions_answer_with_content_and_relevance_only(world: Layout, tool: Any) -> None:
    document = tool(world, "alex")
    assert list(document) == ["memories"]
    assert document["memories"]
    assert all(list(memory) == ["content", "relevance"] for memory in document["memories"])
    assert all(memory["relevance"] == 1.0 for memory in document["memories"])


def test_one_finds_oneself(world: Layout) -> None:
    assert contents(query_self(world, "Alex"))[0].startswith("You are Alex Pemberton, Project manager")
    assert len(contents(query_background(world, "alex"))) <= 5
    assert len(contents(query_communication_style(world, "alex"))) <= 3


def test_one_finds_others_as_they_are_seen_from_outside(world: Layout) -> None:
    document = query_character(world, "alex", "Casey Lindholm")
    assert list(document) == ["character", "memories"]
    assert document["character"] == "Casey Lindholm"
    assert "Keeper of lost property" in contents(document)[0]
    assert len(contents(document)) == 3
    with pytest.raises(UsageError, match="is you"):
        query_character(world, "alex", "alex")


def test_the_scene_is_the_present_one(world: Layout) -> None:
    document = query_scene(world, "alex")
    assert contents(document)[0] == "The first day has not begun. You are here: hallway."
    assert contents(document)[2].startswith("hallway: A dim corridor")
    assert len(contents(document)) == 5


def test_canonical_questions_find_what_shares_no_word_with_them(world: Layout) -> None:
    nodes = read_gifted(world, "alex").nodes
    for category, query in (("identity", "Describe myself"), ("skills", "what am I good at?")):
        best, relevance = rank_gifted(nodes, query, "en")[0]
        assert (best.metadata["category"], relevance) == (category, 1.0)


def test_a_world_without_gifted_memories_says_what_to_do(dinner: Layout) -> None:
    with pytest.raises(UsageError, match="no gifted memories yet") as caught:
        query_self(dinner, "alex")
    assert "gm gift" in caught.value.hint


def test_episodes_come_with_their_turn_as_a_text(lived: Layout) -> None:
    document = query_memory(lived, "alex", "Where is the fifth chair?")
    assert list(document) == ["query", "memories"]
    assert document["query"] == "Where is the fifth chair?"
    first = document["memories"][0]
    assert list(first) == ["content", "relevance", "turn"]
    assert (first["content"], first["turn"]) == ("Casey hid the fifth chair behind the coats.", "3")
    assert len(document["memories"]) <= 5


def test_gifted_memories_are_no_episodes(world: Layout) -> None:
    assert query_memory(world, "alex", "who am I?")["memories"] == []


def test_one_searches_the_own_stream_unless_the_world_says_otherwise(lived: Layout) -> None:
    assert query_memory(lived, "casey", "oven")["memories"] == []
    with lived.settings.open("a", encoding="utf-8") as file:
        file.write("tools:\n  scope: all\n")
    assert query_memory(lived, "casey", "oven")["memories"]


def test_episodes_are_told_in_their_order(lived: Layout) -> None:
    document = recall_episodes(lived, "alex", "Jordan and the oven")
    assert [item["id"] for item in document["memories"]] == sorted(item["id"] for item in document["memories"])
    assert {"alex-001", "alex-003"} <= {item["id"] for item in document["memories"]}


@pytest.mark.parametrize("span", ["1-2", "day 1 to day 2", "day-001..day-002"])
def test_episodes_of_some_days(lived: Layout, span: str) -> None:
    document = recall_episodes(lived, "alex", "oven chair", span)
    assert [item["id"] for item in document["memories"]] == ["alex-001", "alex-002"]


@pytest.mark.parametrize("span", ["2-1", "soon", "9" * 5000, f"1-{'9' * 5000}"])
def test_what_is_no_span_of_days_is_refused(lived: Layout, span: str) -> None:
    with pytest.raises(UsageError, match="not a span of story days"):
        recall_episodes(lived, "alex", "oven chair", span)


def test_important_episodes_only(lived: Layout) -> None:
    document = recall_episodes(lived, "alex", "oven onions", importance_threshold=8)
    assert {item["id"] for item in document["memories"]} == {"alex-003"}, "the other one is an insight"
    with pytest.raises(UsageError, match="outside 1–10"):
        recall_episodes(lived, "alex", "oven", importance_threshold=11)
    with pytest.raises(UsageError, match="is not a span of story days"):
        recall_episodes(lived, "alex", "oven", "5-3")


def test_facts_come_with_confidence(lived: Layout) -> None:
    document = recall_facts(lived, "alex", "can the oven be trusted")
    by_id = {item["id"]: item for item in document["memories"]}
    assert by_id["alex-004"]["confidence"] == 0.75
    assert any(item["confidence"] == 1.0 for item in document["memories"] if item.get("kept_in") == "gifted")
    assert "alex-001" not in by_id, "what was seen once is no fact"


def test_interactions_are_those_with_the_named_character(lived: Layout) -> None:
    document = recall_interactions(lived, "alex", "Jordan")
    assert document["character"].startswith("Jordan")
    assert [item["id"] for item in document["memories"]] == ["alex-001", "alex-003"]


def test_similar_situations_include_lessons(lived: Layout) -> None:
    with lived.settings.open("a", encoding="utf-8") as file:
        file.write('seeds:\n  lessons: ["An oven that fails once fails at dinner."]\n')
    give_memories(lived)
    document = check_similar_situations(lived, "alex", "The oven fails while guests wait")
    given = [item for item in document["memories"] if item["id"].startswith("gifted/_world-")]
    assert [item["content"] for item in given] == ["An oven that fails once fails at dinner."]
    assert any(item["id"] == "alex-003" for item in document["memories"])


@pytest.mark.parametrize("tool", [query_memory, recall_episodes, check_similar_situations])
def test_an_empty_question_is_refused(lived: Layout, tool: Any) -> None:
    with pytest.raises(UsageError, match="no question"):
        tool(lived, "alex", " ")


def test_a_formed_memory_is_a_line_of_the_stream_and_counts_for_the_next_reflection(lived: Layout) -> None:
    before = load_agent(lived, "alex")[0]
    document = form_memory(lived, "alex", "Never trust\n the dial.", 7, "procedural")
    after = load_agent(lived, "alex")[0]
    node = after.stream[-1]
    assert document["memory"]["id"] == node.id == "alex-005"
    assert (node.created, node.type, node.description) == ("day-003/scene-02", "observation", "Never trust the dial.")
    assert node.metadata == {"source": "tool", "kind": "procedural"}
    assert after.state.importance_accumulator == before.state.importance_accumulator + 7
    own = [problem for problem in check_world(lived).problems if problem.path == "state/memories/alex.jsonl"]
    assert own == []


@pytest.mark.parametrize(("importance", "type", "said"), [(0, "observation", "outside"), (5, "dream", "not a type of")])
def test_a_memory_that_makes_no_sense_is_not_kept(lived: Layout, importance: int, type: str, said: str) -> None:
    before = lived.stream("alex").read_bytes()
    with pytest.raises(UsageError, match=said):
        form_memory(lived, "alex", "Something.", importance, type)
    assert lived.stream("alex").read_bytes() == before


def test_a_locked_world_says_so_and_nothing_is_written(lived: Layout) -> None:
    before = lived.stream("alex").read_bytes()
    with locked(lived.lock, "gm advance-day"), pytest.raises(LockedError, match="gm advance-day"):
        form_memory(lived, "alex", "Something.", 5)
    assert lived.stream("alex").read_bytes() == before


def test_a_reinforced_memory_comes_up_and_no_stream_changes(lived: Layout) -> None:
    before = lived.stream("alex").read_bytes()
    for count in (1, 2):
        assert reinforce_memory(lived, "alex", "ALEX-001")["reinforced"] == count
    assert reinforcements(lived, "alex-001") == 2
    assert lived.stream("alex").read_bytes() == before
    found = [
        RecalledMemory(name, "", relevance, "", "alex", "", "observation", 5, ())
        for name, relevance in (("alex-002", 0.5), ("alex-001", 0.48))
    ]
    assert [item.id for item in strengthen(lived, found, 0.1)] == ["alex-001", "alex-002"]
    assert strengthen(lived, found, 0) == found


def test_counters_can_be_deleted_or_broken_at_any_time(lived: Layout) -> None:
    reinforce_memory(lived, "alex", "alex-001")
    lived.reinforced.write_text("[", encoding="utf-8")
    assert reinforcements(lived, "alex-001") == 0
    lived.reinforced.unlink()
    assert contents(query_memory(lived, "alex", "oven"))


def test_a_link_is_a_memory_of_its_own_and_made_once(lived: Layout) -> None:
    document = associate_memories(lived, "alex", "alex-003", "alex-001")
    assert (document["linked"], document["already"]) == (["alex-001", "alex-003"], False)
    node = node_from_record(json.loads(lived.stream("alex").read_text(encoding="utf-8").splitlines()[-1]))
    assert node.metadata == {"source": "tool", "kind": "association", "links": ["alex-001", "alex-003"]}
    assert (node.importance, node.tags) == (4, ("jordan",))
    again = associate_memories(lived, "alex", "alex-001", "alex-003")
    assert (again["already"], again["memory"]["id"]) == (True, node.id)


@pytest.mark.parametrize(
    ("identifier", "said"),
    [
        ("alex-900", "not one of your memories"),
        ("casey-001", "not one of"),
        ("gifted/alex-001", "given from the start"),
    ],
)
def test_only_own_memories_can_be_strengthened(lived: Layout, identifier: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        reinforce_memory(lived, "alex", identifier)
    with pytest.raises(UsageError, match="with itself"):
        associate_memories(lived, "alex", "alex-001", "alex-001")


def test_every_tool_and_every_argument_is_described() -> None:
    assert len({tool.name for tool in TOOLS}) == 13
    used = {"agent"}
    for tool in (*TOOLS, *LAYER_TOOLS, *LINK_TOOLS):
        names = list(inspect.signature(tool.function).parameters)
        assert names[0] == "mind"
        assert tool.description
        used |= set(names[1:])
    assert used == set(describe_arguments())


def test_no_more_memories_are_formed_in_a_day_than_allowed(lived: Layout) -> None:
    set_sections(lived.settings, "allowance: {memories_per_day: 2}\n")
    form_memory(lived, "alex", "Something.", 5)
    form_memory(lived, "alex", "Something else.", 5)
    with pytest.raises(UsageError, match="2 memories were formed today"):
        form_memory(lived, "alex", "A third thing.", 5)
    one, two = (node.id for node in load_agent(lived, "alex")[0].stream[:2])
    with pytest.raises(UsageError, match="2 memories were formed today"):
        associate_memories(lived, "alex", one, two)
    assert recall_episodes(lived, "alex", "something")["memories"], "searching costs nothing"


def test_in_the_first_scene_of_a_day_the_allowance_is_that_of_the_new_day(lived: Layout) -> None:
    set_sections(lived.settings, "allowance: {memories_per_day: 2}\n")
    form_memory(lived, "alex", "Something.", 5)
    form_memory(lived, "alex", "Something else.", 5)
    (tool,) = (tool for tool in TOOLS if tool.name == "form_memory")
    pending = PendingChanges()
    mind = replace(open_mind(lived, "alex"), here=Here(4, "morning", "the kitchen"), pending=pending)
    tool.function(mind, "A third thing.", 5)
    assert [item.description for item in pending.formed] == ["A third thing."]


def test_what_was_lived_and_what_was_concluded_are_told_apart(lived: Layout) -> None:
    insights = {node.id for node in load_agent(lived, "alex")[0].stream if node.type == "reflection"}
    assert insights
    question = "oven onions kitchen guests"
    asked = [query_memory, recall_episodes]
    found = [str(tool(lived, "alex", question)["memories"]) for tool in asked]
    texts = [node.description for node in load_agent(lived, "alex")[0].stream if node.id in insights]
    assert not [text for text in texts if any(text in told for told in found)]
    facts = {item["id"] for item in recall_facts(lived, "alex", texts[0])["memories"]}
    assert insights & facts


def test_a_category_leaves_out_all_others(lived: Layout) -> None:
    give_memories(lived)
    facts = recall_facts(lived, "alex", "Who am I?", category="identity")["memories"]
    assert facts
    assert all(item["content"].startswith("You are Alex") or item["kept_in"] == "gifted" for item in facts)
    assert facts[0]["content"].startswith("You are Alex Pemberton")
    everything = recall_episodes(lived, "alex", "oven")["memories"]
    talks = recall_episodes(lived, "alex", "oven", category="dialogue")["memories"]
    kinds = {node.id: node.type for node in load_agent(lived, "alex")[0].stream}
    assert {kinds[item["id"]] for item in talks} <= {"conversation"}
    assert len(talks) < len(everything)


def test_recalled_interactions_tell_what_one_thinks_of_the_other_where_that_is_kept(lived: Layout) -> None:
    assert "relationship" not in recall_interactions(lived, "alex", "jordan")
    regard = {
        "relationship_type": "rival",
        "trust_level": -0.4,
        "emotional_tone": "wary",
        "relationship_notes": "Owes me.",
    }
    lived.layer(RELATIONSHIPS, "alex").parent.mkdir(exist_ok=True)
    lived.layer(RELATIONSHIPS, "alex").write_text(json.dumps({"jordan": regard}), encoding="utf-8")
    turn = {"at": "day-001/scene-02", "with": "jordan", "changed": {"trust_level": [0, -0.4]}}
    other = {**turn, "with": "casey"}
    lines = "".join(json.dumps(line) + "\n" for line in (turn, other))
    lived.layer(RELATIONSHIPS, "alex", HISTORY).write_text(lines, encoding="utf-8")
    document = recall_interactions(lived, "alex", "Jordan")
    assert {key: document["relationship"][key] for key in regard} == regard
    assert document["history"] == [turn]
    assert recall_interactions(lived, "alex", "casey")["relationship"] is None
    set_sections(lived.settings, "relationships: off\n")
    assert "relationship" not in recall_interactions(lived, "alex", "jordan")


@pytest.mark.parametrize("tool", [query_memory, recall_episodes, recall_facts, check_similar_situations])
def test_an_endless_question_is_refused(lived: Layout, tool: Any) -> None:
    with pytest.raises(UsageError, match="20,000 at most"):
        tool(lived, "alex", "lemon " * 4000)
