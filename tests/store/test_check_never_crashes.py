"""Checking and loading never crash, whatever a person wrote, and both leave out the very same lines."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from gm.config import Settings
from gm.errors import Problem
from gm.model.node import node_record
from gm.store.check.whole import check_files
from gm.store.layout import Layout
from gm.store.load import load_stream, load_world
from gm.tools.check import check_world, describe_report, find_corrections
from tests.build import node
from tests.stories.playing import tree

TYPES = ("WORK", "REFLECTION", "MEETING")
FAR = "9" * 5000
WORDS = st.sampled_from(
    [
        *("", " ", "vera", "Vera", "vera-001", "vera-002", "vera-999", "emre-001", "vera-1", "day-001/scene-01"),
        *(
            "day-001",
            "day-1/scene-2",
            "morning",
            "SUMMARY",
            "WORK+REFLECTION",
            "01b",
            "DONE: x",
            "r&d",
            "o\u0308",
            "NaN",
        ),
        *("\x00", "\ud800", "\u2028", "\ufeff", "gallery/", "gallery/x.md", "../x", "/x", FAR, FAR + "b", "n\nm"),
        *("vera-999999999999999999", "day-999999999999999999", "emre-999999999999999999"),
        *("gallery/\x00", "gallery/" + "x" * 5000, "x" * 5000),
    ]
)
NUMBERS = st.integers(-1, 12) | st.sampled_from(
    [10**400, -(10**400), 1e308, 0.5, 5.0, -0.0, float("nan"), float("inf"), float("-inf")]
)
INNER_KEYS = st.sampled_from(
    ["id", "agent", "path", "importance", "text", "content", "day", "event", "time", "decision"]
)
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(INNER_KEYS | st.text(max_size=3), inner, max_size=4),
    max_leaves=6,
)
NODE = node_record(node(1))
LOG: dict[str, Any] = {
    "scene": 1,
    "type": "WORK",
    "time_of_day": "morning",
    "location": "atelier",
    "participants": ["vera"],
    "why": "",
    "premise": "",
    "summary": "x",
    "dialogue": [],
    "thoughts": [],
    "artifacts": [],
    "cd_feedback": [],
    "memories": [{"agent": "vera", "id": "vera-001", "importance": 5}],
}
WORLD: dict[str, Any] = {
    "day": 1,
    "day_of_week": "Montag",
    "time_of_day": "evening",
    "scenes_today": 1,
    "scenes_total": 1,
    "scheduled_events": [{"day": 2, "event": "Fest"}],
    "active_briefs": [],
    "artifacts_today": [],
    "studio_status": "",
    "day_open": False,
}
BULLETIN: dict[str, Any] = {"posts": [{"from": "x", "day": 1, "content": "y"}], "team_decisions": [{"decision": "z"}]}
AGENT: dict[str, Any] = {
    "name": "Vera",
    "position": "atelier",
    "current_task": "",
    "today_plan": ["x"],
    "mood": "",
    "importance_accumulator": 5,
    "last_reflection": None,
}
SOUL = {"beliefs": ["x"], "values": [], "fears": ["y"]}
PAGE = {"current_subgoal": "x", "known": ["y"], "recent_insights": ["LESSON: z"]}
FRONT: dict[str, Any] = {
    "name": "Vera",
    "role": "x",
    "home": "atelier",
    "archetype": "x",
    "decision_style": "x",
    "wish": "x",
    "communication": "x",
    "age": 40,
}
SETTINGS: dict[str, Any] = {name: {} for name in Settings.__dataclass_fields__} | {"language": "de", "seed": 1}
SETTING_NAMES = st.sampled_from(
    ["weekdays", "weekly", "scenes", "strategy", "last", "threshold", "insights", "budget_tokens", "timeout_s", "rules"]
)


def records(base: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with a few values of another kind, and objects that share nothing but keys with what is expected."""
    keys = st.sampled_from([*base, *(["content", "day", "agent"] if base is NODE else ["time", "memories_created"])])
    changes = st.dictionaries(keys | st.text(max_size=3), ANYTHING, max_size=3)
    without = st.sets(st.sampled_from(list(base)), max_size=1)

    def changed(change: dict[str, Any], left_out: set[str]) -> dict[str, Any]:
        return {key: value for key, value in {**base, **change}.items() if key not in left_out}

    return st.builds(changed, changes, without) | st.dictionaries(keys, ANYTHING, max_size=4)


def texts(base: dict[str, Any]) -> st.SearchStrategy[str]:
    """JSON of such objects, of anything else, and JSON that was cut off or into which something was typed."""
    good = (records(base) | ANYTHING).map(json.dumps)
    cut = st.builds(lambda text, at: text[: at % (len(text) + 1)], good, st.integers(0, 400))
    typed = st.builds(
        lambda text, at, more: text[: at % (len(text) + 1)] + more + text[at % (len(text) + 1) :],
        good,
        st.integers(0, 400),
        st.sampled_from(['"', ",", "}", "]", "{", "[", ":", "\\", "é", "\ufeff", "\u2028", "\x00", "\r", "NaN", FAR]),
    )
    twice = good.map(lambda text: text.replace("{", '{"id": "vera-001", "scene": 1, ', 1))
    return good | cut | typed | twice | st.text(max_size=8).filter(lambda text: "\ud800" not in text)


DEEP = ["[" * n + "]" * n for n in (150, 250, 900, 950, 100_000)] + ["[" * 100_000, '{"a":' * 100_000]
DEEP_NODES = [json.dumps(NODE)[:-3] + f'{{"x": {deep}}}' + "}" for deep in DEEP]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """A small world in which nothing is wrong."""
    layout = Layout(tmp_path_factory.mktemp("base"))
    files = {
        layout.settings: "places: {atelier: hell}\n",
        layout.world: json.dumps(WORLD),
        layout.bulletin: json.dumps(BULLETIN),
        layout.agent("vera"): json.dumps(AGENT),
        layout.agent("emre"): json.dumps({**AGENT, "name": "Emre", "importance_accumulator": 0}),
        layout.persona("vera"): f"---\n{yaml.safe_dump(FRONT)}---\n\nVera.\n",
        layout.persona("emre"): f"---\n{yaml.safe_dump({**FRONT, 'name': 'Emre'})}---\n\nEmre.\n",
        layout.soul("vera"): yaml.safe_dump(SOUL),
        layout.working("vera"): yaml.safe_dump(PAGE),
        layout.stream("vera"): json.dumps(NODE),
        layout.state / "logbook" / "day-001.jsonl": json.dumps(LOG) + '\n{"type": "SUMMARY", "summary": "x"}',
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    return layout


@pytest.fixture
def world(base: Layout, tmp_path: Path) -> Layout:
    return Layout(shutil.copytree(base.root, tmp_path / "world"))


@pytest.fixture(scope="module")
def world_of(base: Layout, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Layout]:
    """Gives the small world as it was in the beginning, again and again: examples share a fixture."""
    layout = Layout(tmp_path_factory.mktemp("fuzzed") / "world")
    shutil.copytree(base.root, layout.root)
    fresh = {path: path.read_bytes() for path in layout.root.rglob("*") if path.is_file()}

    def restore() -> Layout:
        for path, data in fresh.items():
            path.write_bytes(data)
        return layout

    return restore


def held(layout: Layout, path: Path, data: bytes) -> tuple[Problem, ...]:
    """Load and check a world with something in one of its files; every place that is named is in that file."""
    path.write_bytes(data)
    load_world(layout)
    found = check_files(layout, TYPES).problems
    find_corrections(layout)
    # YAML knows more line ends than JSON
    ends = "\r\n|[\r\n\x85\u2028\u2029]" if path.suffix in (".yaml", ".md") else "\n"
    shown, lines = layout.shown(path), re.split(ends, data.decode("utf-8", "replace"))
    for problem in found:
        problem.message.encode("utf-8", "replace")
        assert problem.message, problem
        if problem.path == shown and problem.line:
            assert problem.line <= len(lines), problem
            assert 0 <= problem.column <= len(lines[problem.line - 1]) + 1, problem
    return found


def test_the_small_world_has_nothing_to_object_to(world: Layout) -> None:
    assert [item for item in check_world(world).problems if item.severity != "info"] == []


# -- memories --------------------------------------------------------------------------------------------

# errors of references between lines, and to a stream in which there are none: what there is is read
REFERENCES = ("evidence-missing", "evidence-later", "file-empty")
OTHERS = st.sampled_from([json.dumps(node_record(node(number))) for number in (1, 2, 3, 7)])
LINES = texts(NODE) | OTHERS | st.sampled_from(["", " ", "\r"])


@given(lines=st.lists(LINES, max_size=5), newline=st.sampled_from(["\n", "\r\n"]))
@example(lines=[*DEEP_NODES, json.dumps(NODE)], newline="\n")
@example(lines=["\f", json.dumps(NODE)], newline="\n")
@example(lines=[json.dumps({**NODE, "evidence": ["vera-009", "vera-001"]})], newline="\n")
def test_loading_leaves_out_exactly_the_lines_that_check_calls_errors(
    world_of: Callable[[], Layout], lines: list[str], newline: str
) -> None:
    world = world_of()
    data = newline.join(lines).encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    found = held(world, world.stream("vera"), data.encode())
    nodes, problems = load_stream(world, "vera")
    here = [item for item in found if item.path == "state/memories/vera.jsonl" and item.severity == "error"]
    assert sorted({item for item in here if item.code not in REFERENCES}) == sorted(set(problems))
    wrong = {item.line for item in problems}
    good = [
        line for number, line in enumerate(data.split("\n"), 1) if number not in wrong and line.strip("\ufeff").strip()
    ]
    assert [one.id for one in nodes] == [json.loads(line.lstrip("\ufeff"))["id"] for line in good]


FILES = st.sampled_from(
    [
        "gm.yaml",
        "state/world.json",
        "state/bulletin.json",
        "state/agents/vera.json",
        "state/personas/vera.md",
        "state/souls/vera.yaml",
        "state/working/vera.yaml",
        "state/memories/vera.jsonl",
        "state/logbook/day-001.jsonl",
    ]
)


@given(file=FILES, data=st.binary(max_size=40), whole=st.booleans())
def test_any_bytes_in_any_file_are_named(world_of: Callable[[], Layout], file: str, data: bytes, whole: bool) -> None:
    path = world_of().root / file
    before = path.read_bytes()
    held(
        Layout(world_of().root), path, data if whole else before[: len(before) // 2] + data + before[len(before) // 2 :]
    )


# -- every other file ------------------------------------------------------------------------------------


@given(lines=st.lists(texts(LOG), max_size=3))
@example(lines=DEEP)
def test_anything_in_a_logbook(world_of: Callable[[], Layout], lines: list[str]) -> None:
    world = world_of()
    held(world, world.day_log(1), "\n".join(lines).encode("utf-8", "replace"))


@given(text=texts(WORLD))
def test_anything_in_the_clock(world_of: Callable[[], Layout], text: str) -> None:
    world = world_of()
    held(world, world.world, text.encode("utf-8", "replace"))


@given(text=texts(BULLETIN))
def test_anything_on_the_bulletin_board(world_of: Callable[[], Layout], text: str) -> None:
    world = world_of()
    held(world, world.bulletin, text.encode("utf-8", "replace"))


@given(text=texts(AGENT))
def test_anything_in_an_agent_file(world_of: Callable[[], Layout], text: str) -> None:
    world = world_of()
    held(world, world.agent("vera"), text.encode("utf-8", "replace"))


PLAIN = [*("&a [*a]", "{? [1] : 2}", "{1: 2, true: 3}", "2024-01-01", "0x" + "f" * 5000, "1:30", "!!binary aGk=")]
PLAIN += [*("!!set {a}", "!x y", "<<: 3", "{<<: {a: 1}}", ".nan", ".inf", "~", "%x", "---\n---", "2024-99-99", FAR)]


def flow(values: dict[str, str]) -> str:
    """Write a mapping in one line."""
    return "{" + ", ".join(f"{name}: {value}" for name, value in values.items()) + "}"


def block(values: dict[str, str]) -> str:
    """Write a mapping, one name a line."""
    return "".join(f"{json.dumps(name)}: {value}\n" for name, value in values.items())


YAML_VALUES = st.sampled_from(PLAIN) | ANYTHING.map(json.dumps)


@given(front=st.dictionaries(st.sampled_from(list(FRONT)) | st.text(max_size=3), YAML_VALUES, max_size=3))
@example(front=dict.fromkeys(FRONT, DEEP[-1]))
def test_anything_in_the_front_matter_of_a_persona(world_of: Callable[[], Layout], front: dict[str, str]) -> None:
    world = world_of()
    held(world, world.persona("vera"), f"---\n{block(front)}---\n".encode("utf-8", "replace"))


@given(front=ANYTHING.map(json.dumps) | st.sampled_from(PLAIN))
def test_front_matter_that_is_no_mapping(world_of: Callable[[], Layout], front: str) -> None:
    world = world_of()
    held(world, world.persona("vera"), f"---\n{front}\n---\n".encode("utf-8", "replace"))


@given(
    values=st.dictionaries(
        st.sampled_from(list(SETTINGS)) | st.text(max_size=3),
        YAML_VALUES | st.dictionaries(SETTING_NAMES, YAML_VALUES, max_size=2).map(flow),
        max_size=3,
    )
)
def test_anything_in_the_settings(world_of: Callable[[], Layout], values: dict[str, str]) -> None:
    world = world_of()
    held(world, world.settings, block(values).encode("utf-8", "replace"))
    check_world(world)  # the prompts depend on the settings


def test_a_deeply_nested_line_is_left_out_and_named_by_both(world: Layout) -> None:
    world.stream("vera").write_text("\n".join([*DEEP_NODES, json.dumps(NODE)]) + "\n", encoding="utf-8")
    nodes, problems = load_stream(world, "vera")
    assert [item.line for item in problems] == [2, 3, 4, 5, 6, 7, 8]
    assert len(nodes) == 1


@pytest.mark.parametrize("text", [*DEEP, "- " * 100_000, "? " * 100_000])
def test_deeply_nested_yaml_is_named(world: Layout, text: str) -> None:
    found = held(world, world.settings, f"places: {text}\n".encode() if text[0] in "[{" else text.encode())
    assert [item.severity for item in found if item.path == "gm.yaml"][:1] == ["error"]


# -- nothing is changed ----------------------------------------------------------------------------------


def test_checking_changes_no_file(played: Layout) -> None:
    before = tree(played.root)
    check_world(played)
    find_corrections(played)
    assert tree(played.root) == before


def test_checking_a_world_in_which_everything_is_wrong_changes_no_file(world: Layout) -> None:
    for path in (world.world, world.bulletin, world.agent("vera"), world.stream("vera"), world.day_log(1)):
        path.write_bytes(b'\xef\xbb\xbf{"id": "vera-001",\r\n\r\n{"tags": ["a", "a"], "x": NaN}')
    world.settings.write_bytes(b"seed: [1\r\n")
    world.persona("vera").write_bytes(b"---\nname: \xff\n---")
    before = tree(world.root)
    report = check_world(world)
    assert json.loads(json.dumps(describe_report(report)))["ok"] is False
    assert tree(world.root) == before


# -- what once crashed or never ended --------------------------------------------------------------------

HUGE = "1" + "0" * 400


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("state/world.json", '{"day": 1e400}'),
        ("state/world.json", f'{{"day": 1, "scenes_total": {HUGE}}}'),
        ("state/agents/vera.json", f'{{"importance_accumulator": {HUGE}}}'),
        ("state/logbook/day-001.jsonl", f'{{"scene": 1, "memories": [{{"id": "vera-001", "importance": {HUGE}}}]}}'),
        ("state/logbook/day-001.jsonl", f'{{"scene": "{FAR}"}}'),
        ("state/logbook/day-001.jsonl", f'{{"scene": 1, "artifacts": ["gallery/{"x" * 5000}"]}}'),
        ("gm.yaml", f"language: 0x{'f' * 5000}"),
        ("gm.yaml", f"llm: {{timeout_s: {HUGE}}}"),
        ("gm.yaml", "llm: {timeout_s: .inf}"),
        ("state/personas/vera.md", f"---\nname: {'[' * 100_000}\n---"),
        ("state/memories/vera.jsonl", json.dumps({**NODE, "id": "vera-999999999999999999"})),
        ("state/memories/vera.jsonl", json.dumps({**NODE, "type": "reflection", "depth": int("9" * 4300)})),
        ("state/memories/vera.jsonl", '{"id": "vera-001", "day": 1e300, "content": "x", "importance": 5}'),
    ],
)
def test_numbers_without_end_and_names_that_no_file_can_have_are_named(world: Layout, file: str, text: str) -> None:
    found = held(world, world.root / file, text.encode() + b"\n")
    assert [item for item in found if item.path == file and item.severity != "info"]


def test_a_gap_as_wide_as_numbers_get_is_told_without_counting_through_it(world: Layout) -> None:
    ids = ["vera-001", "vera-004", "vera-999999999999999999"]
    lines = [json.dumps({**NODE, "id": one}) for one in ids]
    archive = json.dumps({**NODE, "id": "vera-002"})
    world.archived("vera").parent.mkdir()
    world.archived("vera").write_text(archive + "\n", encoding="utf-8")
    found = held(world, world.stream("vera"), ("\n".join(lines) + "\n").encode())
    told = [(item.line, item.message) for item in found if item.code == "id-gap"]
    assert told == [
        (2, "vera-003 is missing before this line"),
        (
            3,
            "vera-005 to vera-999999999999999998 are missing (999999999999999994 memories) before this line",
        ),
    ]
