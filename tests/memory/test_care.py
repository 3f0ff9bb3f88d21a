"""When old memories are put together, which of them, and how they are shown when they are long."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.base.config import (
    ConversationsSettings,
    ReflectionSettings,
    RetentionSettings,
    RetrievalSettings,
    SelfcareSettings,
    Settings,
)
from gm.base.tokens import estimate_tokens
from gm.memory.care import LINE, Batch, cost, join_ids, plan_care, shorten_to, split_ids
from gm.model.node import Node
from gm.model.world import Agent
from tests.build import agent, node

ROOM = 30_000
TEXT = "Heute habe ich den Turm noch einmal von vorn gezeichnet, und er steht besser." * 2


def settings(**care: Any) -> Settings:
    small = {"min": 5, "batch": 500, "token_ceiling": 2000, "post_ceiling": 1000, "summary_ceiling": 4000}
    return Settings(selfcare=SelfcareSettings(**{**small, **care}), retrieval=RetrievalSettings(last=10))


def stream(count: int, **others: Any) -> list[Node]:
    created = [f"day-{number // 10 + 1:03d}/scene-01" for number in range(count)]
    return [node(number, created=at, description=TEXT, **others) for number, at in enumerate(created)]


def ids(batches: tuple[Batch, ...]) -> list[str]:
    return [one.id for batch in batches for one in batch.nodes]


def test_nothing_is_due_below_the_ceiling() -> None:
    one = agent(stream=stream(15))
    assert cost(one.stream) <= 2000
    assert plan_care(one, settings(), None, ROOM) == ()


def test_the_oldest_go_until_the_rest_is_small_enough() -> None:
    one = agent(stream=stream(60))
    (batch,) = plan_care(one, settings(), None, ROOM)
    assert batch.cause == "memories"
    assert batch.nodes == one.stream[: len(batch.nodes)]
    rest = one.stream[len(batch.nodes) :]
    assert cost(rest) <= 1000 < cost(one.stream[len(batch.nodes) - 1 :])


def test_the_window_is_never_touched_however_large_it_is() -> None:
    one = agent(stream=stream(60))
    world = replace(settings(), retrieval=RetrievalSettings(last=50))
    assert ids(plan_care(one, world, None, ROOM)) == [item.id for item in one.stream[:10]]


def test_fewer_than_the_least_are_not_worth_a_summary() -> None:
    world = replace(settings(min=30), retrieval=RetrievalSettings(last=50))
    assert plan_care(agent(stream=stream(79)), world, None, ROOM) == ()
    assert len(ids(plan_care(agent(stream=stream(80)), world, None, ROOM))) == 30


def test_what_is_pinned_or_given_from_the_start_stays() -> None:
    nodes = stream(60)
    nodes[3] = replace(nodes[3], metadata={"tier": "pinned"})
    nodes[4] = replace(nodes[4], metadata={"kind": "gifted"})
    taken = ids(plan_care(agent(stream=nodes), settings(), None, ROOM))
    assert {nodes[3].id, nodes[4].id}.isdisjoint(taken)
    assert nodes[5].id in taken


@pytest.mark.parametrize(("most", "gone"), [(None, 0), (100, 0), (6, 4)])
def test_reflections_stay_but_the_oldest_above_their_number(most: int | None, gone: int) -> None:
    nodes = [replace(item, type="reflection", depth=1) if n % 6 == 0 else item for n, item in enumerate(stream(60))]
    world = replace(settings(token_ceiling=1000, post_ceiling=500), retention=RetentionSettings(max_reflections=most))
    taken = set(ids(plan_care(agent(stream=nodes), world, None, ROOM)))
    assert [item.id for item in nodes if item.depth and item.id in taken] == [f"vera-{n:03d}" for n in (0, 6, 12, 18)][
        :gone
    ]
    assert {item.id for item in nodes[:50] if not item.depth} <= taken


def test_what_the_coming_reflection_looks_back_on_stays() -> None:
    nodes = stream(60)
    one = agent(stream=nodes, last_reflection=nodes[12].id)
    assert ids(plan_care(one, settings(), None, ROOM)) == [item.id for item in nodes[:12]]
    without = replace(settings(), reflection=ReflectionSettings(enabled=False))
    assert len(ids(plan_care(one, without, None, ROOM))) > 12


def test_what_the_open_day_has_brought_stays() -> None:
    nodes = [replace(item, created="day-004/scene-01") for item in stream(60)]
    assert plan_care(agent(stream=nodes), settings(), 4, ROOM) == ()
    assert plan_care(agent(stream=nodes), settings(), 5, ROOM) != ()


def test_long_streams_are_shared_out_evenly_in_batches() -> None:
    batches = plan_care(agent(stream=stream(200)), settings(batch=50), None, ROOM)
    sizes = [len(batch.nodes) for batch in batches]
    assert len(sizes) > 2
    assert max(sizes) <= 50
    assert max(sizes) - min(sizes) <= len(sizes)
    assert ids(batches) == [f"vera-{number:03d}" for number in range(sum(sizes))]


def test_a_batch_is_no_larger_than_its_question_has_room_for() -> None:
    batches = plan_care(agent(stream=stream(200)), settings(), None, 2000)
    assert max(len(batch.nodes) for batch in batches) <= 50


def test_conversations_above_their_number_go_by_themselves() -> None:
    nodes = stream(40)
    nodes = [replace(item, type="conversation") if place % 2 else item for place, item in enumerate(nodes)]
    world = replace(settings(token_ceiling=100_000), conversations=ConversationsSettings(max=12))
    (batch,) = plan_care(agent(stream=nodes), world, None, ROOM)
    assert batch.cause == "conversations"
    assert [item.id for item in batch.nodes] == [item.id for item in nodes[1:16:2]]
    assert plan_care(agent(stream=nodes), replace(world, conversations=ConversationsSettings(max=16)), None, ROOM) == ()


def summaries(count: int) -> tuple[Node, ...]:
    return tuple(stream(count, type="reflection", depth=1, metadata={"kind": "summary"}))


def test_too_long_summaries_are_summarised_but_never_the_newest() -> None:
    old = replace(agent(), summaries=summaries(70))
    (batch,) = plan_care(old, settings(), None, ROOM)
    assert batch.cause == "summaries"
    assert batch.nodes == old.summaries[: len(batch.nodes)]
    assert cost(old.summaries[len(batch.nodes) :]) <= 2000
    assert plan_care(replace(old, summaries=summaries(2)), settings(), None, ROOM) == ()


def test_care_may_be_for_those_only_who_are_at_home() -> None:
    away = agent(at="kitchen", home="atelier", stream=stream(60))
    assert plan_care(away, settings(at_home=True), None, ROOM) == ()
    assert plan_care(away, settings(), None, ROOM) != ()
    assert plan_care(agent(at="Atelier", home="atelier", stream=stream(60)), settings(at_home=True), None, ROOM) != ()


def test_by_hand_one_batch_goes_though_nothing_is_due() -> None:
    one: Agent = agent(stream=stream(18))
    assert ids(plan_care(one, settings(), None, ROOM, now=True)) == [item.id for item in one.stream[:8]]
    assert plan_care(agent(stream=stream(12)), settings(), None, ROOM, now=True) == ()


def test_long_texts_are_shortened_alike_and_short_ones_stay() -> None:
    texts = ["kurz", "ein Wort " * 100, "noch ein Wort " * 200]
    shown, count = shorten_to(texts, 300)
    assert count == 2
    assert shown[0] == "kurz"
    assert all(text.endswith(" …") for text in shown[1:])
    assert sum(estimate_tokens(LINE + text) for text in shown) <= 300
    assert shorten_to(texts, 10_000) == (texts, 0)


@given(st.lists(st.text(max_size=900), max_size=12), st.integers(600, 4000))
def test_a_shortened_text_fits(texts: list[str], budget: int) -> None:
    shown, count = shorten_to(texts, budget)
    assert sum(estimate_tokens(LINE + text) for text in shown) <= budget + len(texts)
    assert count == sum(one != other for one, other in zip(texts, shown, strict=True))


@given(st.lists(st.integers(0, 60), unique=True))
def test_ids_are_written_short_and_read_back(numbers: list[int]) -> None:
    names = [f"vera-{number:03d}" for number in numbers]
    assert list(split_ids(join_ids(names))) == names


def test_ids_that_follow_each_other_are_one_run() -> None:
    assert join_ids(["vera-001", "vera-002", "vera-003", "vera-007"]) == ["vera-001..vera-003", "vera-007"]
    assert list(split_ids(["vera-001..emre-003", 7, "vera-009..vera-001", "vera-001..vera-99999999"])) == []


def test_a_reflection_that_is_no_longer_known_holds_nothing_back() -> None:
    nodes = stream(60)
    lost, never = (agent(stream=nodes, last_reflection=last) for last in ("vera-999", None))
    assert ids(plan_care(lost, settings(), None, ROOM)) == ids(plan_care(never, settings(), None, ROOM)) != []


def test_all_old_summaries_go_together_where_the_newest_one_alone_is_still_too_long() -> None:
    *old, newest = summaries(3)
    large = replace(newest, description="x" * 30_000)
    (batch,) = plan_care(replace(agent(), summaries=(*old, large)), settings(), None, ROOM)
    assert batch.nodes == tuple(old)
    assert plan_care(replace(agent(), summaries=(old[0], large)), settings(), None, ROOM) == ()


def test_a_long_text_is_cut_at_its_last_word_and_never_to_less_than_half() -> None:
    words = "wort " * 40
    (short,), count = shorten_to([words.strip()], 1)
    assert (short, count) == ("wort " * 15 + "…", 1)
    (one_word,), _ = shorten_to(["x" * 400], 1)
    assert one_word == "x" * 40 + " …"
    (marked,), _ = shorten_to(["x" * 70 + ", " + "y" * 100], 1)
    assert marked == "x" * 70 + " …"
    (just, longer), count = shorten_to(["x" * 80, "y" * 81], 1)
    assert (just, longer, count) == ("x" * 80, "y" * 40 + " …", 1), "what is just long enough stays"


def test_by_hand_the_batch_says_of_what_it_is() -> None:
    (batch,) = plan_care(agent(stream=stream(20)), settings(), None, ROOM, now=True)
    assert (batch.cause, len(batch.nodes)) == ("memories", 10)


def test_exactly_the_ceiling_is_not_above_it() -> None:
    nodes = stream(60)
    one = agent(stream=nodes)
    whole = cost(nodes)
    assert plan_care(one, settings(token_ceiling=whole), None, ROOM) == ()
    assert plan_care(one, settings(token_ceiling=whole - 1), None, ROOM) != ()
    old = replace(agent(), summaries=summaries(70))
    assert plan_care(old, settings(summary_ceiling=cost(old.summaries)), None, ROOM) == ()
    assert plan_care(old, settings(summary_ceiling=cost(old.summaries) - 1), None, ROOM) != ()


def test_a_last_reflection_is_found_wherever_it_stands_and_however_it_is_written() -> None:
    nodes = stream(60)
    for place in (0, 1, 2, 7):
        for last in (nodes[place].id, nodes[place].id.upper()):
            taken = ids(plan_care(agent(stream=nodes, last_reflection=last), settings(min=1), None, ROOM))
            assert taken == [item.id for item in nodes[:place]], (place, last)


@pytest.mark.parametrize(("most", "gone"), [(15, 5), (16, 0), (14, 6)])
def test_conversations_go_from_the_number_on_from_which_a_summary_is_worth_it(most: int, gone: int) -> None:
    nodes = [replace(item, type="conversation") if place % 3 else item for place, item in enumerate(stream(30))]
    world = replace(settings(token_ceiling=100_000), conversations=ConversationsSettings(max=most))
    assert len(ids(plan_care(agent(stream=nodes), world, None, ROOM))) == gone


def test_old_summaries_go_until_the_rest_is_half_of_the_ceiling() -> None:
    old = replace(agent(), summaries=summaries(70))
    each = cost(old.summaries[:1])
    (batch,) = plan_care(old, settings(summary_ceiling=each * 60), None, ROOM)
    assert len(batch.nodes) == 40


def test_long_texts_are_shortened_no_more_than_the_budget_asks_for() -> None:
    spaced = "a " * 300
    room = estimate_tokens(LINE) + estimate_tokens("x" * 320)
    (short,), count = shorten_to([spaced], room)
    assert (short, count) == ("a " * 158 + "a …", 1), "319 characters; a word more would be 321"
    assert {shorten_to(["a " * words], room)[0][0] for words in range(161, 300)} == {short}, "however long it was"
    (less,), _ = shorten_to([spaced], room - 1)
    assert len(less) < len(short)
    both, count = shorten_to(["kurz", spaced], room + estimate_tokens(LINE) + estimate_tokens("kurz"))
    assert (both, count) == (["kurz", short], 1)


def test_texts_that_fit_exactly_stay_whole() -> None:
    texts = ["x" * 200, "y" * 90]
    whole = sum(estimate_tokens(LINE + text) for text in texts)
    assert shorten_to(texts, whole) == (texts, 0)
    assert shorten_to(texts, whole - 1)[1] == 1
    assert shorten_to([], -1) == ([], 0)


def test_the_oldest_go_until_the_rest_is_exactly_what_it_may_be() -> None:
    nodes = stream(60)
    for gone in (33, 45):
        rest = cost(nodes[gone:])
        assert len(ids(plan_care(agent(stream=nodes), settings(post_ceiling=rest), None, ROOM))) == gone
        assert len(ids(plan_care(agent(stream=nodes), settings(post_ceiling=rest - 1), None, ROOM))) == gone + 1


def test_conversations_that_are_still_before_ones_eyes_do_not_go_for_being_too_many() -> None:
    nodes = [
        replace(item, type="conversation") if n in (1, 2, 3) or n > 19 else item for n, item in enumerate(stream(30))
    ]
    world = replace(settings(token_ceiling=100_000), conversations=ConversationsSettings(max=7))
    assert plan_care(agent(stream=nodes), world, None, ROOM) == ()


def test_however_little_room_there_is_two_memories_at_least_go_together() -> None:
    for room, most in ((1, 2), (79, 2), (120, 3)):
        batches = plan_care(agent(stream=stream(60)), settings(), None, room)
        assert {len(batch.nodes) for batch in batches} <= {most, most - 1}
        assert len(batches[0].nodes) == most
