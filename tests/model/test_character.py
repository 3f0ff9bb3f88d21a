from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.base.errors import UsageError
from gm.model.persona import Persona
from gm.model.state import AgentState
from gm.model.world import Agent, find_agent, known_agent, known_agents, unknown_agent, with_call_names
from tests.build import agent, node


def test_the_first_memory_has_number_one() -> None:
    assert agent().next_number == 1


def test_the_next_number_is_above_the_stream_whatever_its_order() -> None:
    assert agent(stream=[node(7), node(3), node(5)]).next_number == 8


def test_numbers_grow_past_999() -> None:
    assert agent(stream=[node(998), node(999)]).next_number == 1000
    assert agent(stream=[node(1000), node(999)]).next_number == 1001


@given(st.lists(st.integers(1, 2000), max_size=5), st.integers(0, 2000))
def test_an_archived_number_is_never_used_again(numbers: list[int], archived: int) -> None:
    number = agent(stream=[node(one) for one in numbers], archived=archived).next_number
    assert number > archived
    assert number not in numbers


def test_numbers_of_other_agents_in_the_stream_do_not_count() -> None:
    assert agent("vera", stream=[node(500, agent="emre"), node(2)]).next_number == 3


def test_the_call_name_is_the_first_word_of_the_display_name() -> None:
    assert agent(called="Vera Leu-Baumann").call_name == "Vera"


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("Dr. Amira Haddad", "Amira"),
        ("Frau Prof. Dr. Hannelore Krahl", "Hannelore"),
        ("FRÄULEIN Else Ott", "Else"),
        ("Frau Krahl", "Frau Krahl"),
        ("Frau  Dr. Krahl", "Frau Dr. Krahl"),
        ("Herr von der Au", "Herr von der Au"),
        ("Captain", "Captain"),
        ("Captain Old  Pell", "Old Pell"),
        ("Old Captain Pell", "Old Captain Pell"),
        ("Little Ned Hart", "Little Ned"),
        ("Die Alte", "Die Alte"),
        ("The Harbour Master", "The Harbour Master"),
        ("Old", "Old"),
        ('Tobias "Tully" Finch', "Tully"),
        ("Tobias ‘Tully’ Finch", "Tully"),
        ("Karla „Kalle  Kurz“ Au", "Kalle Kurz"),
        ("Rock 'n' Rolf", "Rock"),
        ("Conn O'Hara O'Dea", "Conn"),
        ("Vera Frau", "Vera"),
    ],
)
def test_a_title_is_no_call_name_and_stays_before_a_single_name(name: str, called: str) -> None:
    assert agent(called=name).call_name == called


def test_characters_with_the_same_title_are_told_apart() -> None:
    cast = {"krahl": agent("krahl", called="Frau Krahl"), "ott": agent("ott", called="Frau Ott")}
    assert [find_agent(cast, name) for name in ("frau krahl", "Frau Ott", "Frau")] == ["krahl", "ott", None]


def test_those_who_share_a_short_name_are_called_in_full() -> None:
    names = {"ida": "Ida", "ida-brown": "Ida  Brown", "ben": "Ben Ash"}
    cast = with_call_names({one: agent(one, called=name) for one, name in names.items()})
    assert [one.call_name for one in cast.values()] == ["Ida", "Ida Brown", "Ben"]
    assert [find_agent(cast, name) for name in ("ida", "Ida Brown", "ben ash")] == ["ida", "ida-brown", "ben"]
    assert replace(cast["ida-brown"], stream=(node(1),)).call_name == "Ida Brown"


def test_a_persona_says_what_others_call_a_character() -> None:
    one, other = (agent(name, called="Ida Berg") for name in ("ida", "berg"))
    cast = with_call_names({"one": replace(one, persona=Persona({"called": " Idchen "}), call_name=""), "berg": other})
    assert [one.call_name for one in cast.values()] == ["Idchen", "Ida"]
    assert [find_agent(cast, name) for name in ("idchen", "Ida")] == ["one", "berg"]


def test_a_nickname_may_be_left_out_of_a_name() -> None:
    cast = {"tobias-tully-finch": agent("tobias-tully-finch", called='Tobias "Tully" Finch')}
    found = {find_agent(cast, name) for name in ("tully", "tobias", "Tobias Finch", 'Tobias "Tully" Finch')}
    assert found == {"tobias-tully-finch"}


def test_who_has_no_name_is_called_by_id() -> None:
    assert Agent("vera", AgentState("")).call_name == "vera"
    assert Agent("vera", AgentState("  ")).call_name == "vera"


def test_home_is_what_the_persona_says_else_where_the_character_is() -> None:
    state = AgentState("Vera", position="hall")
    assert Agent("vera", state, Persona({"home": "atelier"})).home == "atelier"
    assert Agent("vera", state, Persona({"home": 3})).home == "hall"
    assert Agent("vera", state).home == "hall"


def test_who_plays_a_character_and_how_it_knows_itself_may_stand_in_its_persona() -> None:
    state = AgentState("Vera")
    own = Agent("vera", state, Persona({"model": "some/model", "mode": "discover"}))
    assert (own.front_values.model, own.front_values.mode) == ("some/model", "discover")
    for other in (Agent("vera", state), Agent("vera", state, Persona({"model": 3, "mode": None}))):
        assert (other.front_values.model, other.front_values.mode) == ("", "")


def test_everything_is_in_the_order_of_the_numbers_whatever_is_kept_beside() -> None:
    one = agent(stream=[node(1), node(4)])
    assert one.everything is one.stream
    beside = replace(one, beside=(node(3), node(2), node(10)))
    assert [item.id for item in beside.everything] == ["vera-001", "vera-002", "vera-003", "vera-004", "vera-010"]
    assert beside.next_number == 11


@pytest.mark.parametrize(
    ("name", "cast", "hint"),
    [
        ("Veraa", ["emre", "vera"], "the cast: emre, vera; did you mean vera?"),
        ("Finch", ["dr-aubrey-finch", "vera"], "the cast: dr-aubrey-finch, vera; did you mean dr-aubrey-finch?"),
        ("xyz", ["emre", "vera"], "the cast: emre, vera"),
        ("vera", [], "the cast: nobody"),
    ],
)
def test_a_name_that_no_character_has_brings_the_cast_and_the_nearest(name: str, cast: list[str], hint: str) -> None:
    error = unknown_agent(name, cast)
    assert (error.message, error.hint) == (f"nobody here is called {name!r}", hint)


def test_characters_are_known_by_id_and_name_each_once_and_all_without_names() -> None:
    cast = {name: agent(name) for name in ("vera", "emre")}
    assert known_agents(cast, []) == ["vera", "emre"]
    assert known_agents(cast, ["EMRE", cast["vera"].name, "emre"]) == ["emre", "vera"]
    with pytest.raises(UsageError, match="nobody here is called 'xyz'"):
        known_agent(cast, "xyz")


def test_a_name_is_found_without_its_accents_if_it_is_one_characters_alone() -> None:
    names = {
        "jose-nunez": "José Núñez",
        "zoe-berg": "Zoë Berg",
        "gross": "Jürgen Groß",
        "rene": "René",
        "other": "Rene",
    }
    cast = {identifier: agent(identifier, called=name) for identifier, name in names.items()}
    for name in ("Jose", "jose nunez", "JOSE\u0301", "José Núñez"):
        assert find_agent(cast, name) == "jose-nunez"
    assert [find_agent(cast, name) for name in ("Zoe", "Zoé", "Jurgen", "Juergen Gross")] == ["zoe-berg"] * 2 + [
        "gross"
    ] * 2
    del cast["rene"]
    assert [find_agent(cast, name) for name in ("Rene", "René", "Renée")] == ["other", "other", None]
    cast |= {"third": agent("third", called="Renè")}
    assert [find_agent(cast, name) for name in ("Rene", "Renê")] == ["other", None]


def test_the_number_of_a_deleted_memory_is_not_given_again() -> None:
    vera = agent(stream=[node(3)], archived=4)
    assert replace(vera, state=replace(vera.state, deleted_until=7)).next_number == 8
    assert replace(vera, state=replace(vera.state, deleted_until=2)).next_number == 5
