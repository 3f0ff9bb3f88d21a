import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gm.base.frontmatter import load_safely, split_front_matter


def test_front_matter_ends_at_the_second_fence() -> None:
    assert split_front_matter("---\nname: Vera\n---\nShe paints.\n---\n") == ("name: Vera\n", "She paints.\n---\n", 4)


def test_the_line_number_is_that_of_the_first_line_of_the_rest() -> None:
    text = "---\na: 1\nb: 2\n---\n\nrest"
    _, rest, line = split_front_matter(text)
    assert text.split("\n")[line - 1 :] == rest.split("\n")


@pytest.mark.parametrize("text", ["", "Only prose.", "--\nname: x\n--\n", "\n---\na: 1\n---\n", "---\nnever closed"])
def test_a_text_without_two_fences_is_all_rest(text: str) -> None:
    assert split_front_matter(text) == (None, text, 1)


def test_windows_line_ends_and_spaces_behind_a_fence_are_read() -> None:
    front, rest, _ = split_front_matter("--- \r\nname: Vera\r\n---\r\nShe paints.")
    assert (front, rest) == ("name: Vera\r\n", "She paints.")


@given(st.text())
def test_any_text_can_be_split(text: str) -> None:
    front, rest, line = split_front_matter(text)
    assert text.endswith(rest)
    assert (front is None) == (line == 1)


@pytest.mark.parametrize("text", ["a: [1, 2]\nb: {c: 2026-01-02}", "one: &it [1]\ntwo: *it", "", "- 9:30"])
def test_data_is_as_read_the_first_time_whatever_a_reader_did_with_it(text: str) -> None:
    first, second = load_safely(text), load_safely(text)
    assert repr(first) == repr(second)
    assert first is None or first is not second
    if isinstance(first, dict):
        first.clear()
        first["new"] = 1
        assert repr(load_safely(text)) == repr(second)


def test_an_error_is_the_same_each_time() -> None:
    for _ in range(2):
        with pytest.raises(yaml.YAMLError, match="expected"):
            load_safely("a: [1")
