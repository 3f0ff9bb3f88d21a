from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.base.config import Settings, parse_settings
from gm.base.frontmatter import load_safely

yaml_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | st.integers(), inner, max_size=3),
    max_leaves=8,
)
known_keys = st.sampled_from([item.name for item in fields(Settings)])


def codes_of(data: object) -> list[tuple[tuple[str | int, ...], str]]:
    return [(problem.keys, problem.code) for problem in parse_settings(data)[1]]


@pytest.mark.parametrize("data", [None, {}])
def test_an_absent_or_empty_file_means_all_defaults(data: object) -> None:
    assert parse_settings(data) == (Settings(), [])


def test_a_section_without_a_value_means_its_defaults() -> None:
    assert parse_settings({"reflection": None, "day": {}}) == (Settings(), [])


def test_values_reach_their_settings() -> None:
    settings, problems = parse_settings(
        {
            "language": "en",
            "day": {"scenes": [2, 4]},
            "reflection": {"threshold": 40, "inclusive": True},
            "places": {"kontor": "A green table."},
            "context": {"budget_tokens": 8000},
            "llm": {"timeout_s": 30},
        }
    )
    assert not problems
    assert (settings.language, settings.day.scenes, settings.reflection.threshold) == ("en", (2, 4), 40)
    assert settings.reflection.inclusive
    assert settings.places == {"kontor": "A green table."}
    assert settings.context.budget_tokens == 8000
    assert settings.llm.timeout_s == 30.0
    assert settings.retrieval == Settings().retrieval


def test_all_problems_are_collected_and_the_rest_is_used() -> None:
    settings, problems = parse_settings(
        {
            "seed": "seven",
            "langage": "en",
            "day": {"scenes": [6, 3]},
            "reflection": {"threshold": 0, "enabled": "yes", "input": 20},
            "places": ["kontor"],
            "llm": 7,
            "model": "rehearsal",
        }
    )
    assert [(problem.keys, problem.code) for problem in problems] == [
        (("seed",), "setting-value"),
        (("langage",), "setting-unknown"),
        (("day", "scenes"), "setting-value"),
        (("reflection", "threshold"), "setting-value"),
        (("reflection", "enabled"), "setting-value"),
        (("places",), "setting-value"),
        (("llm",), "setting-type"),
    ]
    assert (settings.seed, settings.day.scenes, settings.reflection.threshold) == (1, (3, 6), 100)
    assert (settings.reflection.input, settings.model) == (20, "rehearsal")


def test_off_is_a_word_where_a_name_or_a_choice_is_expected() -> None:
    away = [{"who": "mina", "day": 3, "how": False}]
    settings, problems = parse_settings({"calendar": {False: ["Saturday", 7], "away": away}, "llm": {"cache": False}})
    assert not problems
    assert (settings.calendar.off, settings.llm.cache) == (("Saturday", 7), "off")
    assert settings.calendar.away == ({"who": "mina", "day": 3, "how": "off"},)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"day": 3}, "who: the id"),
        ({"who": "mina"}, "exactly one of weekday, day, days"),
        ({"who": "mina", "day": 3, "weekday": "Mo"}, "exactly one of"),
        ({"who": "mina", "day": 3, "how": "ill"}, "how: one of off, remote"),
        ({"who": "mina", "days": [5, 3]}, "days: two story days"),
        ({"who": "mina", "days": [None, 3]}, "days: two story days [from, to]; [from, null] = for good"),
        ({"who": "mina", "days": [5]}, "days: two story days"),
        ({"who": "mina", "day": "three"}, "day: a story day"),
        ({"who": "mina", "date": 3}, "not date"),
    ],
)
def test_an_absence_that_cannot_be_read_says_what_is_missing(entry: dict[str, object], expected: str) -> None:
    (problem,) = parse_settings({"calendar": {"away": [{"who": "otto", "day": 1}, entry]}})[1]
    assert "in entry 2" in problem.message
    assert expected in problem.message


def test_a_character_may_be_away_for_good() -> None:
    settings, problems = parse_settings({"calendar": {"away": [{"who": "mina", "days": [5, None]}]}})
    assert (settings.calendar.away[0]["days"], problems) == ([5, None], [])


def test_the_former_name_of_a_preset_is_read_as_its_present_one() -> None:
    settings, problems = parse_settings({"recall": {"preset": "adr006"}})
    assert (settings.recall.preset, problems) == ("relevance_first", [])
    assert settings.recall == Settings().recall
    settings, (problem,) = parse_settings({"recall": {"preset": ["adr006"]}})
    assert settings.recall.preset == "relevance_first"
    assert "expected one of relevance_first, park" in problem.message


def test_weights_are_numbers_from_zero_on() -> None:
    settings, problems = parse_settings({"weights": {"plan": 9, "dice": 0, "brief": -1}})
    assert (settings.weights.plan, settings.weights.dice, settings.weights.brief) == (9.0, 0.0, 60.0)
    assert [problem.keys for problem in problems] == [("weights", "brief")]


def test_an_unknown_setting_is_no_error_and_the_nearest_name_is_offered() -> None:
    (problem,) = parse_settings({"reflection": {"treshold": 5}})[1]
    assert not problem.is_error
    assert problem.hint == "did you mean threshold?"


KNOWN_OF_DAY = (
    "times",
    "scenes",
    "busy",
    "together",
    "lunch",
    "in_a_row",
    "meetings",
    "meeting_days",
    "scenes_each",
    "patience",
    "company",
    "raise_at",
    "last_word",
    "library",
)


def test_an_unknown_setting_that_resembles_nothing_gets_the_known_ones() -> None:
    (problem,) = parse_settings({"day": {"xyz": 5}})[1]
    assert problem.hint == f"there are: {', '.join(KNOWN_OF_DAY)}"


def test_a_wrong_value_is_shown_with_what_is_expected() -> None:
    (problem,) = parse_settings({"retrieval": {"last": 0}})[1]
    assert problem.is_error
    assert problem.message == "retrieval.last is 0, expected a whole number, at least 1"


def test_a_long_wrong_value_is_cut_in_the_message() -> None:
    (problem,) = parse_settings({"seed": "x" * 500})[1]
    assert len(problem.message) < 120
    assert "…" in problem.message


@pytest.mark.parametrize(
    "data",
    [
        {"seed": True},
        {"seed": -1},
        {"seed": 1.0},
        {"day": {"scenes": [True, 3]}},
        {"day": {"scenes": [3]}},
        {"day": {"scenes": "3-6"}},
        {"day": {"scenes": [0, 3]}},
        {"llm": {"timeout_s": float("nan")}},
        {"llm": {"timeout_s": True}},
        {"llm": {"concurrency": 201}},
        {"retrieval": {"strategy": ["recent"]}},
        {"context": {"budget_tokens": 10}},
        {"context": {"budget_by_model": {"qwen3:8b": 10}}},
        {"context": {"budget_by_model": {"qwen3:8b": True}}},
        {"context": {"budget_by_model": {8: 1000}}},
        {"context": {"budget_by_model": [1000]}},
        {"llm": {"cache": "2h"}},
        {"llm": {"structured": "json"}},
        {"calendar": {"weekdays": ["Montag", 2]}},
        {"calendar": {"weekly": ["Donnerstag"]}},
        {"places": {"kontor": None}},
        {"world": {"outside": " "}},
        {"world": {"kinds": []}},
        {"world": {"kinds": ["../letters"]}},
        {"world": {"kinds": ["Rezepte"]}},
        {"day": {"times": []}},
        {"day": {"times": ["midnight"]}},
    ],
)
def test_what_only_looks_like_a_value_is_a_problem(data: dict[str, Any]) -> None:
    settings, problems = parse_settings(data)
    assert [problem.code for problem in problems] == ["setting-value"]
    assert settings == Settings()


def test_the_times_of_a_day_are_kept_in_their_order_each_once() -> None:
    settings, problems = parse_settings({"day": {"times": ["evening", "morning", "evening"]}})
    assert (settings.day.times, problems) == (("morning", "evening"), [])


@pytest.mark.parametrize(
    ("data", "outside"),
    [
        ({}, "Creative Director"),
        ({"world": {"outside": "The host"}}, "The host"),
        ({"world": {"outside": "The host"}, "start": {"brief_from": "Aunt Ida"}}, "Aunt Ida"),
        ({"world": {"outside": "The host"}, "start": {"brief_from": None}}, "The host"),
    ],
)
def test_who_writes_from_outside_is_named_once_for_the_world(data: dict[str, Any], outside: str) -> None:
    settings, problems = parse_settings(data)
    assert (settings.outside, problems) == (outside, [])


def test_a_budget_may_differ_by_model() -> None:
    context = parse_settings({"context": {"budget_tokens": 9000, "budget_by_model": {"qwen3:8b": 2500}}})[0].context
    assert [context.budget_for(model) for model in ("qwen3:8b", "claude-sonnet-5", "")] == [2500, 9000, 9000]


def test_a_budget_of_null_means_no_limit() -> None:
    assert parse_settings({"context": {"budget_tokens": None}}) == (Settings(), [])


@pytest.mark.parametrize("data", [[], "language: de", 5, True])
def test_a_file_that_is_no_mapping_is_one_problem(data: object) -> None:
    assert codes_of(data) == [((), "setting-type")]


def test_two_worlds_do_not_share_a_mapping() -> None:
    assert Settings().places is not Settings().places


@given(st.dictionaries(known_keys | st.text(max_size=8), yaml_values, max_size=5) | yaml_values)
def test_no_data_at_all_stops_the_settings_from_being_read(data: object) -> None:
    settings, problems = parse_settings(data)
    assert isinstance(settings, Settings)
    assert all(problem.message and problem.code for problem in problems)


def settings_of(kind: type, prefix: str = "") -> list[tuple[str, str, Any]]:
    assert is_dataclass(kind)
    found: list[tuple[str, str, Any]] = []
    for item in fields(kind):
        section = item.metadata.get("section")
        if section is not None:
            found += settings_of(section, f"{item.name}.")
        else:
            found.append((f"{prefix}{item.name}", item.metadata["doc"], item.metadata["kind"]))
    return found


def test_every_setting_has_a_sentence_for_the_manual() -> None:
    assert [name for name, doc, _ in settings_of(Settings) if not doc.endswith(".")] == []


def test_signal_words_are_lists_by_language() -> None:
    settings, problems = parse_settings({"importance": {"missing": "batch", "signals": {"de": ["wichtig ", "eil"]}}})
    assert not problems
    assert settings.importance.missing == "batch"
    assert settings.importance.signals == {"de": ("wichtig", "eil")}


@pytest.mark.parametrize(
    "signals", [["wichtig"], {"de": "wichtig"}, {"de": [""]}, {"de": ["  "]}, {"de": [7]}, {False: ["x"]}, 7, None]
)
def test_signal_words_of_another_form_are_named(signals: object) -> None:
    settings, (problem,) = parse_settings({"importance": {"signals": signals}})
    assert (problem.keys, problem.code) == (("importance", "signals"), "setting-value")
    assert "a list of words for each language" in problem.message
    assert settings.importance.signals == {}


def test_every_example_is_a_value_that_its_setting_takes() -> None:
    shown = {}
    for name, _, check in settings_of(Settings):
        with pytest.raises(ValueError, match=r".") as refused:
            check(object())
        words, _, example = str(refused.value).removesuffix(", or null").partition(": ")
        if example:
            value = load_safely(example)
            check([value] if words == "a list of mappings" else value)
            shown[name] = example
    assert {"places", "calendar.weekly", "calendar.start", "prices", "context.budget_by_model"} <= set(shown)


@pytest.mark.parametrize(
    ("data", "first"),
    [
        ({}, "Montag"),
        ({"language": "de"}, "Montag"),
        ({"language": "en"}, "Monday"),
        ({"language": "en", "calendar": {"off": ["Tuesday"]}}, "Monday"),
        ({"language": "en", "calendar": {"weekdays": None}}, "Monday"),
        ({"language": "fr"}, "Monday"),
        ({"language": "en", "calendar": {"weekdays": ["Firstday"]}}, "Firstday"),
        ({"calendar": {"weekdays": []}}, None),
    ],
)
def test_the_days_of_a_week_are_named_in_the_language_of_the_world(data: dict[str, Any], first: str | None) -> None:
    settings, problems = parse_settings(data)
    assert problems == []
    names = settings.calendar.weekdays
    assert (names[0] if names else None) == first
    assert len(names) in (0, 1, 5)


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("index", "ann_above"), 100_000),
        (("recall", "signals"), {"k1": 1.2, "session_is": "scene"}),
        (("recall", "vectors_above"), 0.5),
        (("recall", "vectors_speaker"), 1.3),
    ],
)
def test_a_setting_of_an_earlier_version_gives_a_notice_and_changes_nothing(
    keys: tuple[str, ...], value: object
) -> None:
    data = value
    for key in reversed(keys):
        data = {key: data}
    settings, (problem,) = parse_settings(data)
    assert settings == Settings()
    assert (problem.keys, problem.code, problem.is_error) == (keys, "setting-unknown", False)
    assert problem.message.startswith(f"{'.'.join(keys)} can no longer be set: ")
    assert problem.hint == "remove it from gm.yaml"


def test_settings_are_compared_by_value_and_not_hashable() -> None:
    assert Settings() == parse_settings({})[0]
    for settings in (Settings(), Settings().git):
        with pytest.raises(TypeError, match=f"unhashable type: '{type(settings).__name__}'"):
            hash(settings)
