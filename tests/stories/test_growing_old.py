"""Characters grow old: at the close of a day memories become summaries, by any model, interrupted or not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.check.whole import check_world
from gm.base.errors import BackendError, ReplyError
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.llm.base import Request
from gm.llm.content import text_of
from gm.memory.care import split_ids
from gm.model.node import PLAN_LEFT
from gm.play.care import care_for
from gm.play.master import GameMaster
from tests.files.killing import killed_after
from tests.stories.playing import (
    Counting,
    Heard,
    Scripted,
    check_replay,
    copied,
    play,
    play_with,
    records,
    set_sections,
    tree,
)

CARE = "selfcare: {enabled: true, min: 10, token_ceiling: 1500, post_ceiling: 700}\nretrieval: {last: 5}"


@pytest.fixture(scope="module")
def _old(two_days: Layout, tmp_path_factory: pytest.TempPathFactory) -> Layout:
    layout = copied(two_days, tmp_path_factory.mktemp("old") / "dinner")
    play(layout)
    set_sections(layout.settings, CARE)
    return layout


@pytest.fixture
def old(_old: Layout, tmp_path: Path) -> Layout:
    """A dinner whose characters have more in mind than they are going to keep, after its third day."""
    return copied(_old, tmp_path / "dinner")


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines() if path.is_file() else []


def asked_about_old_days(backend: Counting | Scripted) -> list[Request]:
    return [request for request in backend.asked if request.purpose == "summary"]


def test_old_memories_become_summaries_at_the_close_of_a_day(old: Layout) -> None:
    born = {name: lines(old.stream(name)) for name in old.agent_names()}
    backend = Counting()
    play(old, backend=backend)
    questions = asked_about_old_days(backend)
    assert {request.who for request in questions} == set(old.agent_names())
    world = load_world(old).world
    for name, agent in world.agents.items():
        archived = lines(old.archived(name))
        # reflections stay: there are fewer than retention.max_reflections
        assert archived == [line for line in born[name] if not json.loads(line)["depth"]][: len(archived)]
        assert len(archived) >= 10
        assert len(agent.summaries) >= 1
        replaced = records(old.summarised(name))[0]["metadata"]["replaces"]
        ids = [json.loads(line)["id"] for line in archived]
        assert list(split_ids(replaced)) == ids
        assert agent.state.conv_summarized_until == ids[-1]
        text = "\n".join(text_of(content) for _, content in next(r for r in questions if r.who == name).messages)
        assert all(f"`{identifier}`" in text for identifier in ids)
    assert [item for item in check_world(old).problems if item.severity != "info"] == []


def test_the_next_day_begins_with_what_remains(old: Layout) -> None:
    play(old)
    backend = Counting()
    play(old, backend=backend)
    told = {name: agent.summaries for name, agent in load_world(old).world.agents.items()}
    for request in backend.asked:
        if request.purpose == "scene":
            memories = request.system[2].text
            first = told[request.who][0]
            assert first.description in memories
            assert f"“{first.metadata['title']}”" in memories
            assert f"`{request.who}-001`" not in "".join(block.text for block in request.system)


def test_nothing_happens_where_it_is_not_wanted(old: Layout) -> None:
    set_sections(old.settings, "selfcare: {token_ceiling: 1500, post_ceiling: 700}")
    backend = Counting()
    play(old, backend=backend)
    assert asked_about_old_days(backend) == []
    assert not old.archive.exists()
    assert not old.summaries.exists()


@pytest.mark.matrix
@pytest.mark.parametrize("stride", [4, 1])
def test_an_interrupted_run_resumes_pays_nothing_twice_and_ends_the_same(
    old: Layout, tmp_path: Path, stride: int
) -> None:
    whole = copied(old, tmp_path / "whole")
    counting = Counting()
    play(whole, backend=counting)
    first = next(number for number, request in enumerate(counting.asked) if request.purpose == "summary")
    for limit in range(first, len(counting.asked), stride):
        again = copied(old, tmp_path / f"again-{limit}")
        broken = Counting(limit=limit)
        with pytest.raises(BackendError):
            play(again, backend=broken)
        rest = Counting()
        play(again, backend=rest)
        assert len(broken.asked) + len(rest.asked) == len(counting.asked)
        assert tree(again.root) == tree(whole.root)


def test_the_day_is_played_again_from_its_traces(old: Layout, tmp_path: Path) -> None:
    again = copied(old, tmp_path / "again")
    play(old)
    check_replay(old, again)


def test_ids_that_were_not_asked_about_are_dropped_and_said(old: Layout) -> None:
    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if request.purpose == "summary":
            reply["themes"] = [{"title": "Alles", "text": "Es war viel.", "importance": 7, "evidence": ["nobody-001"]}]
        return reply

    heard = Heard()
    play(old, backend=Scripted(change), report=heard)
    assert [text for text in heard.notices if "'nobody-001'" in text]
    for name in old.agent_names():
        (summary,) = records(old.summarised(name))
        assert (summary["evidence"], summary["depth"]) == ([], 1)
        assert summary["description"] == "Es war viel."


def test_a_reply_that_stays_unusable_stops_the_day_and_loses_nothing(old: Layout) -> None:
    before = {name: lines(old.stream(name)) for name in old.agent_names()}

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        return {"themes": []} if request.purpose == "summary" else reply

    with pytest.raises(ReplyError, match="themes"):
        play(old, backend=Scripted(change))
    for name, known in before.items():
        assert lines(old.stream(name))[: len(known)] == known
    assert load_world(old).world.clock.day_open
    scenes = len(records(old.day_log(4)))
    play(old)
    assert len(records(old.day_log(4))) == scenes + 1, "another scene was played after the day was over"


def test_a_memory_that_is_edited_while_the_model_thinks_goes_to_the_archive_as_it_is_then(old: Layout) -> None:
    path = old.stream("alex")

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if request.label.startswith("alex-care"):
            first, rest = path.read_text(encoding="utf-8").split("\n", 1)
            record = json.loads(first) | {"description": "Von Hand verbessert."}
            path.write_text(f"{json.dumps(record, ensure_ascii=False)}\n{rest}", encoding="utf-8")
        return reply

    play(old, backend=Scripted(change))
    assert records(old.archived("alex"))[0]["description"] == "Von Hand verbessert."
    assert "alex-001" not in path.read_text(encoding="utf-8").split("\n")[0]
    assert [item for item in check_world(old).problems if item.severity == "error"] == []


def test_a_character_may_cite_what_lies_in_the_archive(old: Layout) -> None:
    play(old)
    archived = records(old.archived("alex"))
    deep = max(archived, key=lambda record: record["depth"])

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if request.purpose == "scene" and request.who == "alex":
            reply["memories"] = [
                {"type": "reflection", "description": "Das hängt zusammen.", "importance": 6, "evidence": [deep["id"]]}
            ]
        return reply

    heard = Heard()
    play(old, backend=Scripted(change), report=heard)
    found = [record for record in records(old.stream("alex")) if record["evidence"] == [deep["id"]]]
    assert found
    assert {record["depth"] for record in found} == {deep["depth"] + 1}
    assert not [text for text in heard.notices if "does not exist" in text]


@pytest.mark.soak
def test_summaries_themselves_are_summarised_when_they_are_too_many(old: Layout) -> None:
    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        for theme in reply.get("themes", ()):
            theme["text"] = "Daran erinnere ich mich gut. " * 45
        return reply

    set_sections(old.settings, "selfcare: {enabled: true, min: 2, token_ceiling: 1000, post_ceiling: 500, "
                               "summary_ceiling: 4000}\nretrieval: {last: 5}")  # fmt: skip
    backend = Scripted(change)
    play(old, days=12, backend=backend)
    second = [record for record in records(old.archived("alex")) if record["metadata"].get("kind") == "summary"]
    assert second, "no summary was ever summarised"
    assert "You have put this together once already" in str([r.messages for r in asked_about_old_days(backend)])
    assert max(record["depth"] for record in records(old.summarised("alex"))) >= 2
    assert [item for item in check_world(old).problems if item.severity != "info"] == []


def test_pruning_by_policy_happens_at_the_close_of_a_day(old: Layout) -> None:
    keep = "retention: {strategy: fifo, max_observations: 20}"
    set_sections(old.settings, f"{keep}\nselfcare: {{enabled: false}}\nreflection: {{enabled: false}}")
    play(old)
    world = load_world(old).world
    for agent in world.agents.values():
        # what the day leaves undone is remembered at its very end
        *stream, last = agent.stream
        kept = stream if last.metadata.get("kind") == PLAN_LEFT and last.when.day == world.clock.day else agent.stream
        assert sum(node.depth == 0 for node in kept) == 20
    assert [item for item in check_world(old).problems if item.severity != "info"] == []


def test_care_by_hand_leaves_the_open_day_open_for_more_scenes(old: Layout) -> None:
    def use(master: GameMaster) -> None:
        master.play(master.table.next_step().scenes) if master.world.clock.day_open else None
        assert care_for(master.table, ("alex",), now=True)
        assert not master.table.is_ended

    play_with(old, Counting(), Heard(), use)
    assert lines(old.archived("alex"))


@pytest.mark.soak
def test_wherever_care_is_killed_it_ends_the_same_and_asks_nothing_twice(old: Layout, tmp_path: Path) -> None:
    def care(layout: Layout) -> int:
        backend = Counting()
        play_with(layout, backend, Heard(), lambda master: care_for(master.table, ("alex",)))
        return len(backend.asked)

    whole = copied(old, tmp_path / "whole")
    assert care(whole) == 1
    operations = 0
    while True:
        again = copied(old, tmp_path / "again")
        with killed_after(again.root, operations) as countdown:
            care(again)
        if countdown.left:
            break
        kept = list(again.traces.rglob("alex-care-*.json"))
        assert care(again) == (0 if kept else 1)
        assert tree(again.root, traces=False) == tree(whole.root, traces=False), countdown.seen[-1]
        shutil.rmtree(again.root)
        operations += 1
    assert operations > 20
