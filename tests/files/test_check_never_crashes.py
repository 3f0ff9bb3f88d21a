"""Checking and loading never crash on anything a person wrote, and both leave out the same lines."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from gm.api.answers.document import as_json
from gm.api.editing.check.whole import check_world, describe_report, find_corrections
from gm.api.worlds.create import create_world
from gm.base.config import Settings
from gm.base.errors import Problem
from gm.files.check.whole import check_files
from gm.files.layout import Layout
from gm.files.load import load_stream, load_world
from gm.files.packaged.shipped import shipped_prompts
from gm.layers.soul import SOUL
from gm.layers.working import WORKING
from gm.model.node import node_record
from tests.build import node
from tests.cli.running import Run
from tests.everything import everything_on
from tests.stories.playing import play, set_sections, tree

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
SENTENCES = {"beliefs": ["x"], "values": [], "fears": ["y"]}
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
        layout.settings: "language: de\nplaces: {atelier: hell}\n",
        layout.world: json.dumps(WORLD),
        layout.bulletin: json.dumps(BULLETIN),
        layout.agent("vera"): json.dumps(AGENT),
        layout.agent("emre"): json.dumps({**AGENT, "name": "Emre", "importance_accumulator": 0}),
        layout.persona("vera"): f"---\n{yaml.safe_dump(FRONT)}---\n\nVera.\n",
        layout.persona("emre"): f"---\n{yaml.safe_dump({**FRONT, 'name': 'Emre'})}---\n\nEmre.\n",
        layout.layer(SOUL, "vera"): yaml.safe_dump(SENTENCES),
        layout.layer(WORKING, "vera"): yaml.safe_dump(PAGE),
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
    assert json.loads(json.dumps(as_json(describe_report(report))))["ok"] is False
    assert tree(world.root) == before


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


GUARD_S = 30
"""A guard against waiting for ever; nothing here takes a tenth of it."""
COMMANDS = (
    ("status",),
    ("context", "alex"),
    ("recall", "alex", "dinner"),
    ("log",),
    ("stats",),
    ("memory", "show", "alex-001"),
    ("advance-day",),
)
EVERY = (
    "gm.yaml",
    "state/world.json",
    "state/bulletin.json",
    "state/threads.jsonl",
    "state/links.json",
    "state/agents/alex.json",
    "state/personas/alex.md",
    "state/memories/alex.jsonl",
    "state/gifted/alex.jsonl",
    "state/archive/alex.jsonl",
    "state/summaries/alex.jsonl",
    "state/souls/alex.yaml",
    "state/working/alex.yaml",
    "state/relationships/alex.json",
    "state/relationships/alex.history.jsonl",
    "state/diary/alex.jsonl",
    "state/goals/alex.jsonl",
    "state/logbook/day-001.jsonl",
    "gallery/notes/day-001_menu_v1.md",
    "library/bread.md",
    "prompts/en/situation.j2",
    "prompts/en/scenes/work.j2",
    "prompts/words.yaml",
    "scripts/every-day.yaml",
    "state/.gm/journal.jsonl",
    "state/.gm/reinforced.jsonl",
    "state/.gm/lines.jsonl",
    "state/.gm/lock",
    "state/.gm/changes/day-001.jsonl",
)
FOLDERS = (
    "state/memories",
    "state/logbook",
    "state/traces",
    "state/agents",
    "state/.gm",
    "gallery",
    "library",
    "prompts",
)
LENIENT = ("gallery/", "library/")
"""What cannot be read there is left out, with a warning: the day goes on without it."""
MAY_BE_EMPTY = (*LENIENT, "prompts/", "state/souls/", "state/working/")
DERIVED = "state/.gm/"
"""What is derived is made anew when it cannot be used; what stands in it is nothing that a person would correct."""


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        here = os.getcwd()
        os.chdir(path.parent)  # the path of a socket is short
        try:
            made.bind(path.name)
        finally:
            os.chdir(here)


def _link(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


IN_ITS_PLACE: dict[str, Callable[[Path], None]] = {
    "a folder": lambda path: path.mkdir(),
    "a FIFO": _fifo,
    "a socket": _socket,
    "an endless device": _link("/dev/zero"),
    "a full device": _link("/dev/full"),
    "a link that leads nowhere": _link("nowhere"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link out of the world": _link("/etc/passwd"),
}
WHOLE = ("a folder", "an endless device")
THIRDS = [(what, third) for n, what in enumerate(IN_ITS_PLACE) for third in (range(3) if what in WHOLE else (n % 3,))]
"""Some are tried in the place of every file, the others, which one function tells apart, in that of a third each."""
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
CONTENTS: dict[str, tuple[tuple[str, ...], bytes]] = {
    "nothing": ((".json", ".yaml"), b""),
    "white space": ((".json", ".yaml", ".md"), b" \n\n"),
    "null bytes": ((".json", ".jsonl", ".yaml", ".md", ".j2"), b"a: \0\n"),
    "no UTF-8": ((".json", ".jsonl", ".yaml", ".md", ".j2"), b"a: \xff\n"),
    "half a character": ((".json", ".jsonl"), b'{"a": "\\ud800"}\n'),
    "half a character in YAML": ((".yaml",), b'a: "\\ud800"\n'),
    "aliases without end": ((".yaml",), BOMB.encode()),
    "aliases without end in front": ((".md",), f"---\n{BOMB}---\n".encode()),
    "lists in lists in YAML": ((".yaml",), b"a: " + b"[" * 100_000),
    "lists in lists": ((".json", ".jsonl"), b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"),
    "a number without end": ((".json", ".jsonl"), b'{"day": ' + b"9" * 5_000 + b"}\n"),
    "a number without end in YAML": ((".yaml",), b"a: " + b"9" * 5_000 + b"\n"),
    "a long line": ((".json", ".jsonl", ".yaml", ".md", ".j2"), b"x" * 50_000_000),
}


@pytest.fixture(scope="module")
def every_file(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """A small world after a day, in which every kind of file is there, and nothing is wrong."""
    layout = everything_on(create_world(tmp_path_factory.mktemp("every") / "dinner", "dinner"))
    set_sections(layout.settings, "day: {scenes: [1, 1]}\nselfcare: {enabled: false}\n")
    play(layout)
    for path, text in {
        "gallery/notes/day-001_menu_v1.md": "---\nagent: alex\n---\n\nSoup.\n",
        "library/bread.md": "# Bread\n\nBread and salt.\n",
        "prompts/en/situation.j2": (shipped_prompts() / "en/situation.j2").read_text(encoding="utf-8"),
        "prompts/en/scenes/work.j2": (shipped_prompts() / "en/scenes/work.j2").read_text(encoding="utf-8"),
        "prompts/words.yaml": "{}\n",
        "scripts/every-day.yaml": "scenes: [free]\n",
        "state/links.json": '{"requests": []}\n',
    }.items():
        file = layout.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for path in EVERY:
        file = layout.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return layout


@contextmanager
def guard(seconds: int) -> Iterator[None]:
    """Break off what never ends."""

    def never(_signal: int, _frame: object) -> None:
        raise TimeoutError("this waits for ever")

    before = signal.signal(signal.SIGALRM, never)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def answers(layout: Layout, run: Run, file: str, *, severity: str = "error") -> list[str]:
    """Run all commands; say what is not as it should be: silence, a traceback, a command that plays nevertheless."""
    wrong = []
    with guard(GUARD_S):
        begun = time.process_time()
        checked = run("check", "--json", "-w", layout.root)
        spent = time.process_time() - begun
    if checked.code == 3 or not checked.out.startswith("{"):
        return [f"{file}: gm check ended with {checked.code}: {checked.err[-400:]}"]
    told = [item for item in checked.document["problems"] if item["path"] == file]
    levels = ("error",) if severity == "error" else ("error", "warning")
    if severity and not any(item["severity"] in levels for item in told):
        wrong.append(f"{file}: gm check says nothing: {told}")
    if any(not item["message"] or not item["hint"] for item in told if item["severity"] == "error"):
        wrong.append(f"{file}: gm check does not say what to do: {told}")
    if spent > GUARD_S / 5:
        wrong.append(f"{file}: gm check took {spent:.0f} s of processor time")
    for command in COMMANDS:
        with guard(GUARD_S):
            outcome = run(*command, "-w", layout.root)
        if outcome.code not in (0, 1, 2) or "SECRET" in outcome.out or "root:x" in outcome.out:
            wrong.append(f"{file}: gm {' '.join(command)} ended with {outcome.code}: {outcome.err[-900:]}")
        elif command == ("advance-day",) and outcome.code and checked.code == 0:
            wrong.append(f"{file}: gm check is content, gm advance-day is not: {outcome.err[-900:]}")
    return wrong


def in_a_copy(source: Layout, folder: Path, change: Callable[[Layout], None]) -> Layout:
    """Copy a world, and change the copy."""
    layout = Layout(folder / "world")
    shutil.rmtree(layout.root, ignore_errors=True)
    shutil.copytree(source.root, layout.root, ignore=shutil.ignore_patterns("lexical.sqlite"))
    change(layout)
    return layout


def test_the_world_with_every_kind_of_file_is_played(every_file: Layout, run: Run, tmp_path: Path) -> None:
    layout = in_a_copy(every_file, tmp_path, lambda _: None)
    checked = run("check", "--json", "-w", layout.root)
    assert [item for item in checked.document["problems"] if item["severity"] == "error"] == []
    assert [run(*command, "-w", layout.root).code for command in COMMANDS] == [0] * len(COMMANDS)


@pytest.mark.matrix
@pytest.mark.parametrize(("what", "third"), THIRDS)
def test_what_is_no_file_is_named_and_no_command_waits_for_it(
    every_file: Layout, run: Run, tmp_path: Path, what: str, third: int
) -> None:
    wrong = []
    for file in EVERY[third::3]:

        def spoil(layout: Layout, file: str = file) -> None:
            (layout.root / file).unlink()
            IN_ITS_PLACE[what](layout.root / file)

        severity = "warning" if file.startswith(LENIENT) else "error"
        severity = "" if (what, file.startswith("gallery/")) == ("a folder", True) else severity
        severity = "" if (what, file.startswith("library/")) == ("a folder", True) else severity
        wrong += answers(in_a_copy(every_file, tmp_path, spoil), run, file, severity=severity)
    assert not wrong, "\n".join(wrong)


@pytest.mark.matrix
@pytest.mark.parametrize("what", CONTENTS)
def test_what_stands_in_a_file_and_cannot_be_read_is_named(
    every_file: Layout, run: Run, tmp_path: Path, what: str
) -> None:
    endings, data = CONTENTS[what]
    wrong = []
    files = [file for file in EVERY if file.endswith(endings)]
    if what != "nothing":  # each stands in a third of the files, each file holds a third of them
        files = files[list(CONTENTS).index(what) % 3 :: 3]
    if len(data) > 1_000_000:  # one of each kind
        files = list({Path(file).suffix: file for file in reversed(files)}.values())
    for file in files:

        def spoil(layout: Layout, file: str = file) -> None:
            (layout.root / file).write_bytes(data)

        severity = "warning" if file.startswith(LENIENT) else "" if file.startswith(DERIVED) else "error"
        severity = "" if not data.strip() and file.startswith(MAY_BE_EMPTY) else severity
        wrong += answers(in_a_copy(every_file, tmp_path, spoil), run, file, severity=severity)
    assert not wrong, "\n".join(wrong)


@pytest.mark.matrix
@pytest.mark.parametrize("folder", FOLDERS)
def test_a_file_or_a_link_in_the_place_of_a_folder_is_named(
    every_file: Layout, run: Run, tmp_path: Path, folder: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    for what in (lambda path: path.write_bytes(b"x"), _fifo, _link("nowhere"), lambda path: path.symlink_to(outside)):

        def spoil(layout: Layout, what: Callable[[Path], object] = what) -> None:
            shutil.rmtree(layout.root / folder)
            what(layout.root / folder)

        wrong = answers(in_a_copy(every_file, tmp_path, spoil), run, folder)
        assert not wrong, "\n".join(wrong)
    assert list(outside.iterdir()) == []


ODD_NAMES = (b"a\nb", b"\x1b[31mred", b"\xff", b"x" * 240, b"..x", b" ", b"a" * 64, "Ö".encode(), b"-rf")


@pytest.mark.matrix
@pytest.mark.parametrize("name", ODD_NAMES, ids=repr)
@pytest.mark.parametrize("where", ["state/agents/alex.json", "state/logbook/day-001.jsonl", "gallery/notes/x.md"])
def test_an_odd_name_is_named_or_can_be_played(
    every_file: Layout, run: Run, tmp_path: Path, where: str, name: bytes
) -> None:
    folder, ending = where.rpartition("/")[0], Path(where).suffix

    def spoil(layout: Layout) -> None:
        target = os.fsencode(layout.root / folder) + b"/" + name + ending.encode()
        with open(target, "wb") as file:
            file.write((every_file.root / where).read_bytes() if (every_file.root / where).exists() else b"x\n")

    wrong = answers(in_a_copy(every_file, tmp_path, spoil), run, folder, severity="")
    assert not wrong, "\n".join(wrong)
