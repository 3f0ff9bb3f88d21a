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
def test_data_is_not_changed_by_an_earlier_reader(text: str) -> None:
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


DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.dates() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4) | st.integers(), inner, max_size=3),
    max_leaves=8,
)


@given(DATA, st.booleans())
def test_data_are_those_of_pyyaml(data: object, flow: bool) -> None:
    text = yaml.safe_dump(data, allow_unicode=True, default_flow_style=flow)
    assert load_safely(text) == yaml.safe_load(text)  # not always the data: PyYAML folds a key of U+0085 alone


@pytest.mark.parametrize(
    "text",
    [
        *("a: 1\na: 2\nb: null", "1: x\nyes: y\n~: z", "? [a]\n: b", "? {a: b}\n: c", "=: 1", "!!str 5: x", "'<<': 1"),
        *("!!set {a, b}", "!!set x", "!!omap [a: 1]", "a: !!seq x", "a: !!map [b]", "!!str {a: b}", "!!binary aGk="),
        *("<<: {a: 1}\nb: 2", "<<: [{a: 1}, {a: 2}]", "<<: 3", "a: &x 1\nb: *x", "b: *x", "a: 2026-13-45", "a: !own 1"),
        *("- 0x1F\n- 0b11\n- 017\n- 1_000\n- .inf\n- 1e3\n- 2026-01-02T03:04:05Z", "'\"': [1, 2", "a\n---\nb"),
    ],
)
def test_unusual_texts_are_read_as_pyyaml_reads_them(text: str) -> None:
    try:
        expected = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError):
        with pytest.raises(yaml.YAMLError):
            load_safely(text)
    else:
        found = load_safely(text)
        assert (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize("text", ["9:30", "-1:59:59", "12:30.5", "+1_0:5"])
def test_a_time_of_day_is_a_text(text: str) -> None:
    assert load_safely(text) == text
    assert load_safely(f"{text}: [{text}]") == {text: [text]}
