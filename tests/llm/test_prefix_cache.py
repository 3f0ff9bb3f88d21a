"""The accounting of the prefix cache: each rule by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.llm.prefix_cache import Charge, PrefixCache, count_tokens, minimum_of, parts_of

MODEL = "claude-sonnet-5"
LONG = 1024
SHORT = 100


def block(name: str, tokens: int, mark: str = "") -> dict[str, Any]:
    """A block of a number of tokens: words of four letters, one token each."""
    text = " ".join([name] + ["wort"] * (tokens - count_tokens(name)))
    control = {"type": "ephemeral"} | ({"ttl": mark} if mark != "5m" else {})
    return {"type": "text", "text": text, **({"cache_control": control} if mark else {})}


def body(*blocks: dict[str, Any], question: str = "Und?", **others: Any) -> dict[str, Any]:
    return {"model": MODEL, "system": list(blocks), "messages": [{"role": "user", "content": question}], **others}


QUESTION = count_tokens("Und?")
WORLD = block("a", LONG, "5m")


def charges(cache: PrefixCache, *requests: tuple[float, Mapping[str, Any]]) -> list[Charge]:
    return [cache.charge(request, now_s) for now_s, request in requests]


def test_tokens_are_counted_by_four_letters_and_by_sign() -> None:
    assert count_tokens("") == 0
    assert count_tokens("Glut") == 1
    assert count_tokens("Glutlos, ja.") == 2 + 1 + 1 + 1


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("claude-opus-5", 512),
        ("claude-sonnet-5", 1024),
        ("claude-opus-4-7", 2048),
        ("claude-haiku-4-5-20251001", 4096),
        ("a-model-that-nobody-listed", 4096),
    ],
)
def test_each_model_has_its_own_minimum(model: str, tokens: int) -> None:
    assert minimum_of(model) == tokens


def test_what_was_written_is_read_by_the_next_request() -> None:
    first, second = charges(PrefixCache(), (0, body(WORLD)), (10, body(WORLD)))
    assert first == Charge(plain=QUESTION, write_5m=LONG)
    assert second == Charge(plain=QUESTION, read=LONG)


def test_the_parts_of_a_charge_add_up_to_the_request() -> None:
    cache = PrefixCache()
    request = body(WORLD, block("b", 300), block("c", 200, "5m"), block("d", 50))
    for now_s in (0, 10):
        assert cache.charge(request, now_s).total == LONG + 300 + 200 + 50 + QUESTION


def test_a_prefix_below_the_minimum_is_neither_written_nor_read() -> None:
    little = body(block("a", LONG - 1, "5m"))
    assert charges(PrefixCache(), (0, little), (10, little)) == [Charge(LONG - 1 + QUESTION)] * 2


def test_the_minimum_counts_the_whole_prefix_and_not_the_block() -> None:
    request = body(block("a", 600), block("b", 424, "5m"))
    assert charges(PrefixCache(), (0, request), (10, request))[1].read == LONG


def test_nothing_is_written_where_there_is_no_mark() -> None:
    cache = PrefixCache()
    bare, marked = body(block("a", LONG), block("b", SHORT)), body(WORLD, block("b", SHORT))
    first, second, third = charges(cache, (0, bare), (10, marked), (20, marked))
    assert first == Charge(LONG + SHORT + QUESTION)
    assert second.write_5m == LONG
    assert third.read == LONG


def test_another_beginning_is_another_prefix() -> None:
    own = block("b", LONG, "5m")
    first, second = charges(PrefixCache(), (0, body(block("a", SHORT), own)), (10, body(block("c", SHORT), own)))
    assert first.write_5m == second.write_5m == SHORT + LONG
    assert second.read == 0


def test_two_short_blocks_are_not_one_long_one() -> None:
    whole = block("a", LONG, "5m")
    head, tail = whole["text"][:-10], whole["text"][-10:]
    parted = body({"type": "text", "text": head}, whole | {"text": tail})
    assert charges(PrefixCache(), (0, body(whole)), (10, parted))[1].read == 0


@pytest.mark.parametrize(
    "change",
    [
        {"model": "claude-opus-5"},
        {"output_config": {"format": {"type": "json_schema", "schema": {"title": "Plan"}}}},
        {"output_config": {"effort": "low"}},
        {"tools": [{"name": "roll", "input_schema": {}}]},
    ],
    ids=["model", "format", "effort", "tools"],
)
def test_what_stands_before_the_system_makes_another_prefix(change: dict[str, Any]) -> None:
    assert charges(PrefixCache(), (0, body(WORLD)), (10, body(WORLD, **change)))[1].read == 0


def test_what_another_format_costs_can_be_shown() -> None:
    other = body(WORLD, output_config={"format": {"type": "json_schema", "schema": {"title": "Plan"}}})
    assert charges(PrefixCache(format_counts=False), (0, body(WORLD)), (10, other))[1].read == LONG


def test_a_longer_prefix_is_written_on_top_of_the_one_that_is_read() -> None:
    longer = body(WORLD, block("b", SHORT, "5m"))
    first, second, third = charges(PrefixCache(), (0, body(WORLD)), (10, longer), (20, longer))
    assert first.write_5m == LONG
    assert second == Charge(QUESTION, read=LONG, write_5m=SHORT)
    assert third == Charge(QUESTION, read=LONG + SHORT)


def grown(blocks: int) -> dict[str, Any]:
    """A prompt of a number of blocks, marked at the last one only."""
    parts = [block("a", LONG), *(block(f"b {number}", 10) for number in range(2, blocks + 1))]
    return body(*parts[:-1], parts[-1] | {"cache_control": {"type": "ephemeral"}})


@pytest.mark.parametrize(("blocks", "is_found"), [(24, True), (25, False)])
def test_a_read_looks_back_over_twenty_blocks_the_marked_one_counted(blocks: int, is_found: bool) -> None:
    cache = PrefixCache()
    wrote = cache.charge(grown(5), 0)
    assert cache.charge(grown(blocks), 10).read == (wrote.write_5m if is_found else 0)


def test_an_entry_lives_five_minutes() -> None:
    assert charges(PrefixCache(), (0, body(WORLD)), (299, body(WORLD)))[1].read == LONG
    assert charges(PrefixCache(), (0, body(WORLD)), (300, body(WORLD)))[1] == Charge(QUESTION, write_5m=LONG)


def test_each_use_begins_the_five_minutes_anew() -> None:
    found = charges(PrefixCache(), *((now_s, body(WORLD)) for now_s in (0, 290, 580, 870)))
    assert [charge.read for charge in found] == [0, LONG, LONG, LONG]


def test_an_entry_is_refreshed_by_a_longer_read_that_marks_its_end() -> None:
    both = body(WORLD, block("b", SHORT, "5m"))
    other = body(WORLD, block("c", SHORT, "5m"))
    found = charges(PrefixCache(), (0, both), (200, both), (400, both), (600, other))
    assert found[-1].read == LONG


def test_an_entry_whose_end_is_not_marked_grows_old_while_longer_ones_are_read() -> None:
    long = body(block("a", LONG), block("b", SHORT, "5m"))
    cache = PrefixCache()
    cache.charge(body(WORLD, block("b", SHORT, "5m")), 0)
    for now_s in (200, 400):
        assert cache.charge(long, now_s).read == LONG + SHORT
    assert cache.charge(body(WORLD), 450).read == 0


def test_an_hour_is_written_and_lives_apart() -> None:
    request = body(block("a", LONG, "1h"), block("b", SHORT, "5m"))
    first, second, third = charges(PrefixCache(), (0, request), (3000, request), (6700, request))
    assert first == Charge(QUESTION, write_5m=SHORT, write_1h=LONG)
    assert second == Charge(QUESTION, read=LONG, write_5m=SHORT)
    assert third == first


def test_requests_at_the_same_time_do_not_find_each_others_entries() -> None:
    cache = PrefixCache(first_token_s=2)
    found = charges(cache, *((now_s, body(WORLD)) for now_s in (0, 0, 1.9, 2)))
    assert [charge.read for charge in found] == [0, 0, 0, LONG]
    assert [charge.write_5m for charge in found] == [LONG, LONG, LONG, 0]


def test_messages_are_blocks_too_and_their_role_counts() -> None:
    said: dict[str, Any] = {"role": "user", "content": [block("a", LONG, "5m")]}
    request = {"model": MODEL, "messages": [said]}
    cache = PrefixCache()
    cache.charge(request, 0)
    assert cache.charge({**request, "messages": [said, {"role": "assistant", "content": "Ja."}]}, 10).read == LONG
    assert cache.charge({**request, "messages": [said | {"role": "assistant"}]}, 10).read == 0


def test_one_mark_for_the_whole_request_stands_at_its_last_block() -> None:
    request = body(block("a", LONG), cache_control={"type": "ephemeral"})
    assert [part.mark for part in parts_of(request)] == ["", "5m"]
    assert PrefixCache().charge(request, 0) == Charge(0, write_5m=LONG + QUESTION)


def test_a_charge_is_reported_as_the_api_does() -> None:
    assert Charge(1, 20, 300, 4000).usage(5) == {
        "input_tokens": 1,
        "output_tokens": 5,
        "cache_read_input_tokens": 20,
        "cache_creation_input_tokens": 4300,
        "cache_creation": {"ephemeral_5m_input_tokens": 300, "ephemeral_1h_input_tokens": 4000},
    }
