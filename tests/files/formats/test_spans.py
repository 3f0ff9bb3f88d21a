"""A write replaces the text of what changed, and nothing else."""

import json
from typing import Any
from unittest.mock import Mock

import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gm.files.formats import places as module
from gm.files.formats.jsonedit import set_values
from gm.files.formats.places import find_spot, json_place, yaml_place
from gm.files.formats.splice import is_same_value
from gm.files.formats.yamledit import put_at

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8) | st.sampled_from(
    ['"', "\\", "a: b", "{}", "größer", "gro\u0308ßer", "\u2028", "null", '{"a": 1}', "🜂"]
)
NUMBERS = st.sampled_from(["5", "5.00", "-0", "1e2", "1E+2", "0.10", "12345678901234567890"])
SPACES = st.sampled_from(["", " ", "  ", "\n", "\r\n    ", "\t", "\n\n  "])
NEW = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def spelled(draw: st.DrawFn, depth: int = 3) -> str:
    """JSON as any program might write it: any spacing, any spelling of numbers and texts."""
    kind = draw(st.sampled_from(["word", "number", "text", "list", "object"] if depth else ["word", "number", "text"]))
    if kind == "word":
        return draw(st.sampled_from(["true", "false", "null"]))
    if kind == "number":
        return draw(NUMBERS)
    if kind == "text":
        return json.dumps(draw(TEXTS), ensure_ascii=draw(st.booleans()))
    items = draw(st.lists(spelled(depth - 1), max_size=4))
    if kind == "object":
        keys = draw(st.lists(TEXTS, min_size=len(items), max_size=len(items), unique=True))
        items = [
            f"{json.dumps(key, ensure_ascii=draw(st.booleans()))}{draw(SPACES)}:{draw(SPACES)}{item}"
            for key, item in zip(keys, items, strict=True)
        ]
    brackets = "{}" if kind == "object" else "[]"
    inside = ",".join(draw(SPACES) + item + draw(SPACES) for item in items) or draw(SPACES)
    return brackets[0] + inside + brackets[1]


@st.composite
def documents(draw: st.DrawFn) -> str:
    text = draw(spelled().filter(lambda text: text.startswith("{")))
    return draw(st.sampled_from(["", "\ufeff", "\ufeff\n"])) + text + draw(st.sampled_from(["", "\n", "\r\n", " \n\n"]))


def places(data: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path]
    if isinstance(data, dict):
        found += [place for key, value in data.items() for place in places(value, (*path, key))]
    if isinstance(data, list):
        found += [place for key, value in enumerate(data) for place in places(value, (*path, key))]
    return found


def read(text: str) -> Any:
    return json.loads(text.removeprefix("\ufeff"))


def span_of(text: str, path: tuple[str | int, ...]) -> tuple[int, int]:
    spot = find_spot(text, path, len(text) - len(text.lstrip("\ufeff")))
    assert spot is not None
    assert spot.keys == path
    return spot.begin, spot.end


def set_value(text: str, path: tuple[str | int, ...], new: Any) -> str:
    key = str(path[0])
    return set_values(text, {key: put_at(read(text), path, new)[key]})


@patient
@given(documents())
def test_saving_without_a_change_leaves_every_byte(text: str) -> None:
    data = read(text)
    assert set_values(text, data) == text


@patient
@given(documents(), st.data(), NEW)
def test_changing_one_value_changes_only_its_span(text: str, data: st.DataObject, new: Any) -> None:
    assume(read(text))
    path = data.draw(st.sampled_from(places(read(text))[1:]))
    begin, end = span_of(text, path)
    changed = set_value(text, path, new)
    assert changed.startswith(text[:begin])
    assert changed.endswith(text[end:])
    assert is_same_value(read(changed), put_at(read(text), path, new))


@patient
@given(documents(), TEXTS, NEW)
def test_a_new_key_comes_last_and_all_others_keep_their_text(text: str, key: str, new: Any) -> None:
    if key in read(text):
        return
    changed = set_values(text, {key: new})
    assert list(read(changed).items())[:-1] == list(read(text).items())
    assert is_same_value(read(changed)[key], new)
    for old in read(text):
        assert changed[slice(*span_of(changed, (old,)))] == text[slice(*span_of(text, (old,)))]


@patient
@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.lists(st.integers(0, 9), max_size=8))
def test_lists_become_what_is_wanted(old: list[int], new: list[int]) -> None:
    whole = {"items": old}
    for text in (json.dumps(whole), json.dumps(whole, indent=2), json.dumps(whole, separators=(",", ":"))):
        assert read(set_values(text, {"items": new})) == {"items": new}


WORLD = """\
{
  "day": 3,   "scenes_total" : 19.00,
  "scheduled_events": [
    {"day": 4, "event": "Würfel",  "time": "all-day"},
    {"day": 5, "event": "Abgabe"}
  ],
  "active_briefs": [],
  "artifacts_today": ["gallery/a.md", "gallery/b.md"]
}
"""


def test_a_number_keeps_its_spelling_when_its_value_is_the_same() -> None:
    assert set_values(WORLD, {"scenes_total": 19}) == WORLD


def test_true_is_another_value_than_one() -> None:
    assert set_values('{"open": 1}', {"open": True}) == '{"open": true}'


def test_an_inline_object_is_added_in_line_with_its_neighbours() -> None:
    events = [*read(WORLD)["scheduled_events"], {"day": 7, "event": "Fest"}]
    assert set_values(WORLD, {"scheduled_events": events}) == WORLD.replace(
        '"Abgabe"}', '"Abgabe"},\n    {"day": 7, "event": "Fest"}'
    )


def test_an_item_leaves_a_list_without_a_trace() -> None:
    events = read(WORLD)["scheduled_events"][1:]
    line = '    {"day": 4, "event": "Würfel",  "time": "all-day"},\n'
    assert set_values(WORLD, {"scheduled_events": events}) == WORLD.replace(line, "")


def test_an_inline_list_stays_inline() -> None:
    assert set_values(WORLD, {"artifacts_today": ["gallery/b.md", "gallery/c.md"]}) == WORLD.replace(
        '["gallery/a.md", "gallery/b.md"]', '["gallery/b.md", "gallery/c.md"]'
    )


def test_a_list_that_was_empty_is_written_like_its_neighbours() -> None:
    changed = set_values(WORLD, {"active_briefs": ["eins"]})
    assert changed == WORLD.replace('"active_briefs": []', '"active_briefs": [\n    "eins"\n  ]')


def test_one_value_of_a_stream_line_changes_and_the_rest_of_the_line_stays() -> None:
    line = '{"id":"mina-001", "importance": 5.00,"tags":["a","b"],  "description":"caf\\u00e9", "metadata": {"x":1 }}'
    assert set_value(line, ("tags",), ["b", "c"]) == line.replace('["a","b"]', '["b","c"]')
    assert set_value(line, ("metadata", "x"), 2) == line.replace('"x":1 ', '"x":2 ')


def test_of_a_key_that_occurs_twice_the_one_that_counts_is_changed() -> None:
    assert set_values('{"a": 1, "b": 2, "a": 3}', {"a": 4}) == '{"a": 1, "b": 2, "a": 4}'


def test_a_file_that_spells_umlauts_as_escapes_goes_on_doing_so() -> None:
    assert set_values('{"mood": "m\\u00fcde", "x": 1}', {"x": "ä"}) == '{"mood": "m\\u00fcde", "x": "\\u00e4"}'


@pytest.mark.parametrize("text", ["[1]", "{", '{"a": 1} {"b": 2}', "nonsense"])
def test_what_is_no_json_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        set_values(text, {"a": 1})


def test_a_path_that_leads_nowhere_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no 'b'"):
        put_at({"a": 1}, ("b", "c"), 1)


def test_a_file_with_many_faults_is_parsed_once_for_all_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(f"name{number}: [{number}]" for number in range(300))
    body = json.dumps({f"name{number}": [number] for number in range(300)}, indent=1)
    compose, read = Mock(wraps=yaml.compose), Mock(wraps=module.span_at)
    monkeypatch.setattr(yaml, "compose", compose)
    monkeypatch.setattr(module, "span_at", read)
    for number in range(300):
        assert yaml_place(text, (f"name{number}", 0)) == (number + 1, len(f"name{number}: [") + 1)
        assert json_place(body, (f"name{number}", 0))[0] == 3 * number + 3
    assert compose.call_count == 1
    assert read.call_count <= 3 * 300
