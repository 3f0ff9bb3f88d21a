import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.model.ids import (
    highest_number,
    is_agent_id,
    name_from_id,
    pad_node_id,
    parse_node_id,
    place_name,
    render_node_id,
)

agents = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,20}", fullmatch=True)
numbers = st.integers(0, 10**12)


@given(agents, numbers)
def test_an_id_is_read_as_it_was_written(agent: str, number: int) -> None:
    assert parse_node_id(render_node_id(agent, number)) == (agent, number)


@given(agents)
def test_what_names_an_agent_is_an_agent_id(agent: str) -> None:
    assert is_agent_id(agent)


@pytest.mark.parametrize("text", ["", "Vera", "vera.md", "../vera", "vera/x", "-vera", "vera\n", "völva", "vera leu"])
def test_what_cannot_be_a_file_stem_is_no_agent_id(text: str) -> None:
    assert not is_agent_id(text)


@pytest.mark.parametrize(
    ("number", "text"), [(1, "vera-001"), (42, "vera-042"), (999, "vera-999"), (1000, "vera-1000")]
)
def test_ids_have_three_digits_and_grow_past_999(number: int, text: str) -> None:
    assert render_node_id("vera", number) == text


@pytest.mark.parametrize("text", ["", "vera", "vera-1", "vera-12", "vera-abc", "-001", "vera-001\n", "vera-001 "])
def test_what_is_no_node_id_is_not_read(text: str) -> None:
    assert parse_node_id(text) is None


def test_digits_of_other_scripts_are_no_number() -> None:
    assert parse_node_id("vera-٠٠١") is None


def test_an_endless_number_in_a_reply_is_no_id_and_no_crash() -> None:
    assert parse_node_id("vera-" + "9" * 5000) is None


@given(st.text())
def test_any_text_can_be_asked_whether_it_is_an_id(text: str) -> None:
    parsed = parse_node_id(text)
    assert parsed is None or text.startswith(parsed[0])


def test_the_highest_number_is_a_number_and_no_text() -> None:
    assert highest_number("vera", ["vera-999", "vera-1000", "vera-002"]) == 1000


def test_ids_of_others_and_broken_ids_do_not_count() -> None:
    assert highest_number("vera", ["emre-500", "vera-leu-400", "vera-x", "", "vera-003"]) == 3
    assert highest_number("vera", ["emre-500"]) == 0


def test_an_id_with_too_few_or_too_many_digits_has_no_number() -> None:
    assert highest_number("vera", ["vera-12", "vera-" + "9" * 19]) == 0
    assert highest_number("vera", ["vera-" + "9" * 18]) == 10**18 - 1


def test_a_name_counts_in_every_spelling_of_it() -> None:
    assert highest_number("vera", ["Vera-007", "vera-003"]) == 7
    assert highest_number("vera", ["vera-003", "VERA-002"]) == 3


@pytest.mark.parametrize(
    ("identifier", "name"), [("mira", "Mira"), ("ono-bekele", "Ono Bekele"), ("jo_ann", "Jo Ann"), ("-", "-")]
)
def test_who_has_no_name_is_called_by_the_file(identifier: str, name: str) -> None:
    assert name_from_id(identifier) == name


def test_a_place_has_the_name_that_its_world_gives_it_or_its_id_as_words() -> None:
    assert place_name("living-room", {}) == "Living room"
    assert place_name("teekueche", {"teekueche": "Teeküche"}) == "Teeküche"
    assert place_name("", {}) == ""


@pytest.mark.parametrize(
    ("text", "meant"),
    [("vera-7", "vera-007"), ("vera-42", "vera-042"), ("vera-0042", "vera-0042"), ("vera-x", "vera-x"), ("-7", "-7")],
)
def test_an_id_may_leave_out_its_zeros(text: str, meant: str) -> None:
    assert pad_node_id(text) == meant
