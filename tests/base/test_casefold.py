"""Names and tags are the same across case and Unicode form."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.base.casefold import casefold, casefold_all, casefold_lines, casefold_tag, is_named, says, search_key
from gm.model.ids import highest_number
from gm.model.state import AgentState
from gm.model.world import Agent, find_agent
from gm.scene.grounding.mentions import mentioned
from gm.scene.ledger import clean_tags

NFD = "Ju\u0308rgen"
NFC = "Jürgen"


def test_what_is_compared_again_is_kept_and_what_rarely_repeats_is_not() -> None:
    casefold.cache_clear()
    assert casefold_all([NFD, "Leo"]) == ["jürgen", "leo"]
    assert casefold.cache_info().currsize == 0
    assert casefold(NFD) == casefold(NFD)
    assert casefold.cache_info().hits == 1


def agent(identifier: str, name: str) -> Agent:
    return Agent(identifier, AgentState(name))


CAST = {"jürgen": agent("jürgen", "Jürgen Vogt"), "leo": agent("leo", "Leonie Fuchs"), "al": agent("al", "Alma Vogt")}


@given(st.text())
def test_case_and_unicode_form_make_no_difference(text: str) -> None:
    for form in ("NFC", "NFD"):
        assert casefold(unicodedata.normalize(form, text)) == casefold(text)
    assert casefold(casefold(text)) == casefold(text)
    assert casefold_tag(text) == "-".join(casefold(text).split())


@pytest.mark.parametrize("name", [NFC, NFD, NFD.upper(), " jürgen ", "Jürgen Vogt", "JÜRGEN VOGT"])
def test_an_agent_is_found_by_id_and_name_in_any_spelling(name: str) -> None:
    assert find_agent(CAST, name) == "jürgen"


def test_an_agent_is_found_by_its_call_name() -> None:
    assert find_agent(CAST, "leonie") == "leo"
    assert find_agent(CAST, "Vogt") is None


def test_lines_are_folded_at_once_and_stay_lines() -> None:
    assert casefold_lines("Die Türme\nStraße") == "die tuerme\nstrasse"
    assert casefold_lines("TOWER\n x ") == "tower\n x "


def test_a_name_is_among_others_in_either_form() -> None:
    assert is_named(NFD, [NFC])
    assert not is_named("Jorgen", [NFC])


def test_numbers_count_on_for_any_form_of_the_name() -> None:
    assert highest_number(NFC.lower(), [f"{NFD.lower()}-007", "leo-009"]) == 7


def test_a_name_is_mentioned_in_either_form() -> None:
    assert mentioned(f"mit {NFD} sprechen", CAST.values()) == ("jürgen",)


def test_a_tag_occurs_once_in_any_form() -> None:
    assert clean_tags([NFD, NFC, "Bone Towers", "bone-towers", "LEO"], "leo") == ("jürgen", "bone-towers")


@pytest.mark.parametrize("text", ["Türme", "TÜRME", "Tu\u0308rme", "Tuerme"])
def test_search_finds_umlauts_in_every_spelling(text: str) -> None:
    assert search_key(text) == "tuerme"


@pytest.mark.parametrize("first", range(0, 0x3000, 0x100))
def test_each_character_is_folded_alike_on_any_lines(first: int) -> None:
    # a line that is all Latin-1 takes a shorter way than one that is not
    for one in map(chr, range(first, first + 0x100)):
        if one != "\n":
            plain = unicodedata.normalize("NFC", unicodedata.normalize("NFC", f"a{one}").casefold())
            spelled = plain.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
            assert casefold_lines(f"a{one}") == spelled
            assert casefold_lines(f"Tür\na{one}\n–") == f"tuer\n{spelled}\n–"


@given(st.lists(st.text(alphabet="aZäÖßµéÉ×÷\u0308–„ \t", max_size=12), max_size=5))
def test_lines_are_folded_each_by_itself(lines: list[str]) -> None:
    assert casefold_lines("\n".join(lines)).split("\n") == [casefold_lines(line) for line in lines or [""]]


@given(st.lists(st.text()))
def test_many_texts_are_folded_as_each_of_them(texts: list[str]) -> None:
    assert casefold_all(texts) == [casefold(text) for text in texts]


def test_a_text_is_found_in_another_despite_marks_and_line_ends() -> None:
    post = "Ihr Lieben,\nich will »Türme«: drei."
    assert says("Der Chef hat geschrieben: »Ihr Lieben, ich will ›Türme‹: drei.«", post)
    assert says("TU\u0308RME", "Türme")
    assert not says("Ihr Lieben, ich will Türme", post), "it ends too early"
    assert not says("Ihr Liebenden", "Ihr Lieben")
