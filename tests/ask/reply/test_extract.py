import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gm.ask.reply.extract import MOST_CHARACTERS, MOST_YAML, extract_object, load_json

PLAIN = {"mood": "ruhig", "dialogue": [{"to": None, "text": 'Sie sagte: "{nein}, ```nie```", und ging.'}]}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(), json_values, min_size=1, max_size=4)
prose = st.text("abc äß.,:!?\n'", max_size=40)
# signs of which JSON, YAML and fences are made: more likely to confuse a reader than any text
signs = st.text("{}[]\"',:\\`~ \n\t-&*!|>%@#?abtrue1.0\ufeff", max_size=200)


def data_of(text: str) -> dict[str, Any] | None:
    found = extract_object(text)
    return found.data if found else None


def repairs_of(text: str) -> tuple[str, ...]:
    found = extract_object(text)
    assert found is not None
    return found.repairs


@given(st.text() | signs)
def test_no_text_at_all_raises(text: str) -> None:
    found = extract_object(text)
    assert found is None or isinstance(found.data, dict)


@given(objects, st.sampled_from([None, 2]))
def test_plain_json_is_found_without_repairs(data: dict[str, Any], indent: int | None) -> None:
    found = extract_object(json.dumps(data, ensure_ascii=False, indent=indent))
    assert found is not None
    assert (found.data, found.repairs) == (data, ())


@given(
    objects, prose, prose, st.sampled_from(["```", "```json", "~~~", "  ``` JSON "]), st.sampled_from(["\n", "\r\n"])
)
def test_json_in_a_fence_is_found(data: dict[str, Any], before: str, after: str, fence: str, end: str) -> None:
    close = "~~~" if fence == "~~~" else "```"
    text = end.join([before, fence, json.dumps(data, indent=1), close, after])
    assert data_of(text) == data
    assert repairs_of(text) == ("taken out of a fenced block",)


@given(objects, prose.filter(str.strip), prose)
def test_json_between_prose_is_found(data: dict[str, Any], before: str, after: str) -> None:
    text = before + json.dumps(data, ensure_ascii=False) + after
    assert data_of(text) == data
    assert repairs_of(text) == ("prose around it left out",)


@given(objects)
def test_trailing_commas_are_left_out_but_not_those_inside_of_texts(data: dict[str, Any]) -> None:
    text = json.dumps({**data, "said": "a,} b,]"}, ensure_ascii=False)[:-1] + " ,\n}"
    assert data_of(text) == {**data, "said": "a,} b,]"}
    assert repairs_of(text) == ("trailing commas removed",)


def test_trailing_commas_are_left_out_in_a_fence_and_between_prose() -> None:
    assert data_of('Gern:\n```json\n{"tags": ["a", "b",],}\n```') == {"tags": ["a", "b"]}
    assert data_of('Gern: {"tags": ["a", "b",],} Bitte.') == {"tags": ["a", "b"]}


@given(st.dictionaries(st.text("abcdefgh", min_size=1, max_size=8), st.text("abc äßü.,\n'\"", max_size=60), min_size=1))
def test_yaml_of_a_person_is_read(data: dict[str, str]) -> None:
    written = yaml.safe_dump(data, allow_unicode=True)
    assert data_of(written) == data
    assert data_of(f"Hier:\n```yaml\n{written}```\n") == data
    assert repairs_of(written) == ("read as YAML",)


def test_signs_inside_of_texts_do_not_mislead() -> None:
    for indent in (None, 2):
        text = json.dumps(PLAIN, ensure_ascii=False, indent=indent)
        assert data_of(text) == data_of(f"Also: {text} So.") == data_of(f"```json\n{text}\n```") == PLAIN


def test_a_raw_line_break_in_a_text_is_read() -> None:
    assert data_of('{"mood": "ruhig\nund müde"}') == {"mood": "ruhig\nund müde"}


def test_a_byte_order_mark_is_no_obstacle() -> None:
    assert data_of(' \ufeff{"mood": "ruhig"}') == {"mood": "ruhig"}


def test_the_first_fence_that_holds_an_object_counts() -> None:
    text = '```\nNotizen\n```\n```json\n{"mood": "ruhig"}\n```\n```json\n{"mood": "wach"}\n```'
    assert data_of(text) == {"mood": "ruhig"}


def test_an_unclosed_fence_is_no_obstacle() -> None:
    assert data_of('```json\n{"mood": "ruhig"}') == {"mood": "ruhig"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n",
        "Nein.",
        "null",
        "[1, 2]",
        '"mood: ruhig"',
        "{",
        "}{",
        '{"mood": "ruhig"',
        "1: eins",
        "- a: 1\n- b: 2",
    ],
)
def test_where_there_is_no_object_none_is_found(text: str) -> None:
    assert extract_object(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x]\nb: [*a, *a]",
        "a: &a-1 [x, x]\nb: [*a-1, *a-1]",
        "a: &a [x, x]\nb: {c: *a}",
        "a: &a\n  b: *a",
    ],
)
def test_yaml_aliases_that_could_blow_up_are_not_read(text: str) -> None:
    assert extract_object(text) is None


def test_stars_and_ampersands_in_prose_are_no_aliases() -> None:
    assert data_of("mood: ruhig & *sehr* müde") == {"mood": "ruhig & *sehr* müde"}


@pytest.mark.parametrize(
    "value",
    [
        "!!python/object/apply:os.system [true]",
        "!!int ''",
        "!!float ''",
        "!!bool vielleicht",
        "!!timestamp bald",
        "2026-99-99",
        "1:" * 200 + "1.0",
        "!!binary ä",
    ],
)
def test_yaml_values_that_pyyaml_stumbles_over_are_no_object(value: str) -> None:
    assert extract_object(f"mood: {value}") is None


@pytest.mark.parametrize("text", ["{" * 20_000, '{"a":' * 20_000, "[" * 500 + ":", "a:\n" + " - " * 20_000])
def test_bottomless_nesting_is_no_object(text: str) -> None:
    assert extract_object(text) is None


@pytest.mark.parametrize("text", ["```json\n" * 20_000, '"' + '\\"' * 40_000, '{"a": "' + "\\" * 80_001])
def test_a_model_that_loops_does_not_hold_up_the_day(text: str) -> None:
    # each of these took minutes when a reader began anew behind every sign
    assert extract_object(text) is None


def test_a_text_beyond_all_measure_is_not_searched() -> None:
    assert extract_object('{"mood": "ruhig"}' + " " * MOST_CHARACTERS) is None


@pytest.mark.parametrize("text", ["{}", "[]", "7"])
def test_json_of_any_kind_is_read_but_not_without_bottom(text: str) -> None:
    assert load_json(text) == json.loads(text)
    for depth in (60, 100_000):
        with pytest.raises(ValueError, match="nested too deeply"):
            load_json("[" * depth + "]" * depth)


def test_a_number_of_very_many_digits_is_no_whole_number() -> None:
    assert load_json("[1, 1e999, " + "9" * 400 + "]") == [1, float("inf"), float("inf")]
    assert data_of("a: 0x" + "F" * 5000) == {"a": float("inf")}
    assert data_of("a: " + "1:" * 5000 + "1") == {"a": float("inf")}


@pytest.mark.parametrize("text", ["a: &x 1\nb: *x", "a: !!set {b}", "a: !!binary YQ==", "a: " + "[" * 60 + "]" * 60])
def test_yaml_of_more_than_plain_data_is_none(text: str) -> None:
    assert data_of(text) is None


def test_what_is_read_as_yaml_is_bounded_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    load = yaml.load

    def counted(text: str, loader: Any) -> Any:
        tried.append(len(text))
        return load(text, loader)

    monkeypatch.setattr(yaml, "load", counted)
    block = "```yaml\n" + "a: b: c\n" * 20_000 + "```\n"
    assert data_of(block * 5) is None
    assert 0 < sum(tried) <= MOST_YAML


@pytest.mark.parametrize("text", ["```" + " " * 500_000 + "x", "{" * 500_000, '"' * 500_000, "```\n" * 100_000])
def test_what_a_looping_model_writes_is_read_once(text: str) -> None:
    assert data_of(text) is None


def test_an_object_that_holds_the_reply_alone_is_opened() -> None:
    found = extract_object('{"reply": {"mood": "wach"}}', ["mood"])
    assert found is not None
    assert (found.data, found.repairs) == ({"mood": "wach"}, ("taken out of an object around it",))
    for other in ({"reply": {"note": 1}}, {"reply": {"mood": "wach"}, "note": 1}, {"reply": "wach"}):
        found = extract_object(json.dumps(other), ["mood"])
        assert found is not None
        assert found.data == other
