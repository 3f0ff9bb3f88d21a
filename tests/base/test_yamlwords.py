"""A mistake in YAML is named in plain words, where it is and not a line later, and never takes long."""

import pytest
import yaml

from gm.base import frontmatter
from gm.base.yamlwords import Mistake, explain_yaml

NINES = "9" * 5_000
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def mistake(text: str) -> Mistake:
    with pytest.raises(yaml.YAMLError) as caught:
        frontmatter.load_safely(text)
    return explain_yaml(caught.value, text)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("seed: 1\nday:\n\tscenes: 3\n", 3, 1, "found a tab, expected spaces"),
        ("seed: 1\n\tday: 2\n", 2, 1, "found a tab, expected spaces"),
        ("day:\n  \tscenes: 3\n", 2, 3, "found a tab, expected spaces"),
        ("seed 1\nlanguage: de\n", 1, 1, "no colon in this line"),
        ("language: de\nseed 1\nday: {}\n", 2, 1, "no colon in this line"),
        ("seed:1\nlanguage: de\n", 1, 6, "no space behind the colon"),
        ("language: de\nseed:1\nday: {}\n", 2, 6, "no space behind the colon"),
        ("world: a: b\n", 1, 9, "a second colon in one line"),
        ("seed: 1\n  day: 2\n", 2, 3, "this line is indented further than the one above, which has a value already"),
        ("a:\n    b: 1\n  c: 2\n", 3, 3, "this line is indented like none of the lines above"),
        ("a: 1\n- b\n", 2, 1, "a list item among names with values"),
        ('a: "x\nb: 2\nc: 3\n', 1, 4, 'the text that begins here with " never ends'),
        ('a: "x\n---\nb: 2\n', 1, 4, 'the text that begins here with " never ends'),
        ('a: "x\nb: 2\nc: "y"\n', 1, 4, 'the text that begins here with " ends lines later, before more text'),
        ("a: 'x\nb: it's\n", 1, 4, "the text that begins here with ' ends lines later, before more text"),
        ('a:\r\n  - "x\r\n  - "y"\r\n', 2, 5, 'the text that begins here with " ends lines later, before more text'),
        ('a: ["x", "y]\nb: "2"\n', 1, 10, 'the text that begins here with " ends lines later, before more text'),
        ('a: "x\nb: ": c\n', 1, 4, 'the text that begins here with " ends lines later, before more text'),
        ('a: "x\n  y"\nb: c: d\n', 3, 5, "a second colon in one line"),
        ("a: 'it's'\n", 1, 8, "more text behind a value that has ended"),
        ("a: [1, 2\nb: 3\n", 1, 4, "what begins here has no ] where one is expected"),
        ("a: {x: 1\nb: 3\n", 1, 4, "what begins here has no } where one is expected"),
        ("seed: 1\na: [\n", 2, 4, "what begins here has no ] where one is expected"),
        ("a: @x\n", 1, 4, "no value begins with @"),
        ("a: *x\n", 1, 4, "a value that begins with * is an alias, and nothing has that name"),
        ("a: !x y\n", 1, 4, "a value that begins with ! has a kind of its own, which is not read"),
        ("a: 1\n---\nb: 2\n", 2, 1, "a second document begins here"),
        ("x: 1\na: b\0c\n", 2, 5, "the character U+0000 is not allowed here"),
        ("a: &a [*a]\n", 1, 8, "an alias stands inside what it stands for"),
        (BOMB, 5, 34, "aliases stand for more than 10000 values"),
        ("x: 1\na: " + "[" * 500, 2, 103, "nested too deeply"),
        ("a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 300)), 100, 12, "nested too deeply"),
        (f"x: 1\na: {NINES}\n", 2, 4, "no int that can be read"),
        (f"a: 0x{'f' * 5_000}\n", 1, 4, "a number of too many digits"),
        ("a: 2024-99-99\n", 1, 4, "no timestamp that can be read"),
        ('a: !!int ""\n', 1, 4, "no int that can be read"),
        ("a: !!bool maybe\n", 1, 4, "no bool that can be read"),
    ],
)
def test_a_mistake_is_named_where_it_is(text: str, line: int, column: int, message: str) -> None:
    found = mistake(text)
    assert (found.line, found.column, found.message) == (line, column, message)
    assert found.hint


def test_half_a_character_is_named() -> None:
    assert mistake('a: "\\ud800"\n')[:2] == (1, 7)


def test_aliases_in_moderate_use_are_read() -> None:
    text = "base: &base {x: 1, y: [2, 3]}\nfirst: *base\nsecond: {<<: *base, x: 4}\n"
    base = {"x": 1, "y": [2, 3]}
    assert frontmatter.load_safely(text) == {"base": base, "first": base, "second": {"x": 4, "y": [2, 3]}}


@pytest.mark.parametrize("value", ["9:30", "1:1:1", "1:30.5", "-1:59", "1" + ":1" * 400])
def test_what_looks_like_a_time_is_a_text(value: str) -> None:
    """YAML 1.1 reads it as a number to the base of 60: 9:30 would be 570."""
    assert frontmatter.load_safely(f"a: {value}") == {"a": value}


@pytest.mark.parametrize(("text", "value"), [("12", 12), ("1_000", 1000), ("0x1f", 31), ("1.5", 1.5), ("-3", -3)])
def test_numbers_are_read_as_before(text: str, value: float) -> None:
    assert frontmatter.load_safely(f"a: {text}") == {"a": value}


def test_nesting_beyond_the_limit_of_any_library_is_told_alike() -> None:
    found = mistake("x: 1\na: " + "[" * 100_000)
    assert (found.line, found.message, found.hint) == (2, "nested too deeply", "write it flatter")
