"""Addresses of pages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.faces.web.paths import fill_path, plain_name, relative, safe_name


@given(st.text())
def test_every_text_has_a_name_that_leads_back_to_it(text: str) -> None:
    assert plain_name(safe_name(text)) == text


@given(st.text())
def test_a_name_is_one_plain_piece_of_a_path(text: str) -> None:
    assert all(letter in "abcdefghijklmnopqrstuvwxyz0123456789-_" for letter in safe_name(text))


def test_a_name_that_was_never_written_stands_for_nothing() -> None:
    for name in ("_61_", "_zz_", "A", "..", "_110000_", "a/b", "_2f"):
        with pytest.raises(ValueError, match=r".*"):
            plain_name(name)


def test_two_names_that_differ_in_case_differ_on_every_file_system() -> None:
    assert safe_name("Vera").casefold() != safe_name("vera").casefold()


def test_a_link_is_relative_to_the_page_it_stands_on() -> None:
    assert relative("static/site.css", "agents/vera/memories-1.html") == "../../static/site.css"
    assert relative("agents/vera.html", "agents/leo.html") == "vera.html"
    assert relative("index.html", "index.html") == "index.html"


def test_what_fills_a_pattern_cannot_leave_its_place() -> None:
    assert "/" not in fill_path("{piece}", {"piece": "../../etc/passwd"})


@pytest.mark.parametrize("name", ["index", "con", "nul", "com1"])
def test_a_name_that_is_taken_is_written_otherwise(name: str) -> None:
    assert fill_path("agents/{agent}.html", {"agent": name}) != f"agents/{name}.html"
    assert plain_name(safe_name(name)) == name
    with pytest.raises(ValueError, match=name):
        plain_name(name)
