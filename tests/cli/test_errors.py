"""What stops a command is told in words, with the right exit code and never with a traceback."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import pytest

from gm.api.worlds.create import create_world
from gm.base.errors import PromptError
from gm.cli import boundary
from gm.files.layout import Layout
from gm.llm.base import Request
from gm.model.node import render_node
from tests.build import node as memory
from tests.cli.running import Outcome, Run
from tests.stories.playing import Scripted, edit, play, records, tree

ESCAPES = "\x1b[31mrot\x1b[0m \x9b31m \x07 \u202egespiegelt \u061c\x1b]0;Titel\x07"
CONTROL = ("\x1b", "\x9b", "\x07", "\u202e", "\u061c", "\x00")


def assert_told(outcome: Outcome, code: int, *words: str) -> None:
    assert outcome.code == code, outcome.err
    for word in words:
        assert word in outcome.err
    assert "Traceback" not in outcome.out + outcome.err
    assert outcome.out == ""


@pytest.mark.parametrize("command", [("status",), ("check",), ("advance-day",), ("context", "vera"), ("scene", "work")])
def test_a_folder_that_is_no_world(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert_told(run(*command), 1, "no world in", "gm init")
    assert_told(run(*command, "-w", tmp_path / "empty"), 1, "is not a world")
    assert_told(run(*command, "-w", tmp_path / "absent"), 1, "is not a world")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("context", "nobody"), ("nobody here is called 'nobody'", "the cast: darius")),
        (("reflect", "nobody"), ("nobody here is called 'nobody'",)),
        (("reflect", "vera"), ("vera has no memories",)),
        (("scene", "encounter", "--with", "vera,nobody"), ("nobody here is called 'nobody'",)),
        (("scene", "encounter", "--with", "vera"), ("2 to 3 different characters, 1 given",)),
        (("scene", "encounter", "--with", "vera,vera"), ("different characters",)),
        (("scene", "duel"), ("no scene type 'duel'", "prompts/scenes/")),
        (("context", "vera", "--at", "yesterday"), ("'yesterday' is not a point in story time",)),
        (("context", "vera", "--at", "day-007"), ("day-007 has not been played", "the last day is day-000")),
        (("context", "vera", "--last", "0"), ("--last",)),
        (("advance-day", "--days", "0"), ("--days",)),
        (("advance-day", "--sed", "1"), ("--sed", "--seed")),
        (("log", "9" * 5000), ("nobody here is called",)),
        (("rewind", "--undo", "9" * 5000), ("--undo takes a number",)),
        (("mind", "soul", "remove", "vera", "9" * 5000), ("vera's soul has no entry",)),
        (("nothing",), ("nothing",)),
        (("context",), ("AGENT",)),
    ],
)
def test_what_makes_no_sense_is_wrong_usage_and_changes_nothing(
    run: Run, studio: Layout, command: tuple[str, ...], words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(studio.root)
    before = tree(studio.root)
    assert_told(run(*command), 2, *words)
    assert tree(studio.root) == before


@pytest.mark.parametrize(
    "command",
    [("scene", "work", "--with", "no-one"), ("reflect", "no-one"), ("ask", "no-one", "Why?"), ("interview", "no-one")],
)
def test_a_wrong_name_is_refused_before_a_model_is_chosen(run: Run, studio: Layout, command: tuple[str, ...]) -> None:
    outcome = run(*command, "-w", studio.root)
    assert outcome.code == 2
    assert outcome.err.startswith("error: nobody here is called 'no-one'\n")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (
            ("advance-day", "--days", "0"),
            "error: --days: 0 is not in the range x>=1\n  see: gm advance-day --help\n",
        ),
        (("context",), "error: AGENT is missing\n  see: gm context --help\n"),
        (("character", "add"), "error: NAME[: TEXT] is missing\n  see: gm character add --help\n"),
        (("event",), "error: there is no text\n  write: gm event TEXT, or gm event --list; see --help\n"),
        (
            ("threads", "close", "thread-001"),
            "error: --outcome is missing\n  write one of: kept, broken, answered, dropped, missed, replaced\n",
        ),
        (("completion", "csh"), "error: 'csh' is not a value of SHELL\n  write one of: bash, zsh, fish\n"),
        (("mind", "sole"), "error: No such command 'sole'. Did you mean soul?\n  see: gm mind --help\n"),
    ],
)
def test_wrong_usage_is_told_as_all_errors_are(run: Run, command: tuple[str, ...], told: str) -> None:
    outcome = run(*command)
    assert (outcome.code, outcome.out, outcome.err) == (2, "", told)


def test_a_group_without_a_command_shows_its_help(run: Run) -> None:
    outcome = run("mind")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("Usage: gm mind ")


def test_a_template_that_does_not_exist(run: Run, tmp_path: Path) -> None:
    assert_told(run("init", tmp_path / "new", "--template", "castle"), 2, "no template 'castle'", "studio, dinner")
    assert not (tmp_path / "new").exists()


def test_a_world_is_not_made_over_another(run: Run, studio: Layout) -> None:
    before = tree(studio.root)
    assert_told(run("init", studio.root), 2, "is a world already")
    assert tree(studio.root) == before


def test_a_world_is_not_made_out_of_a_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert_told(run("init", tmp_path / "file"), 2, "is a file")
    assert_told(run("init", tmp_path / "file" / "below"), 1, "cannot make")


def test_a_broken_bulletin_stops_the_day_and_not_the_commands_that_only_look(run: Run, studio: Layout) -> None:
    studio.bulletin.write_text('{\n  "posts": [],,\n}', encoding="utf-8")
    before = tree(studio.root)
    assert_told(run("advance-day", "-w", studio.root), 1, "state/bulletin.json:2:15: error:", "nothing was changed")
    assert tree(studio.root) == before
    looked = run("status", "-w", studio.root, "--json")
    assert looked.code == 0
    assert looked.document["day"] == 0
    assert "state/bulletin.json:2:15" in looked.err


def test_a_broken_line_in_one_stream_is_named(run: Run, played: Layout) -> None:
    broken = render_node(memory(900, importance=11))
    with open(played.stream("vera"), "a", encoding="utf-8") as file:
        file.write(broken + "\n")
    number = len(records(played.stream("vera")))
    outcome = run("advance-day", "-w", played.root)
    column = broken.index("11,") + 1
    told = f"state/memories/vera.jsonl:{number}:{column}: error: importance 11 is outside 1–10"
    assert_told(outcome, 1, told, "write a whole number from 1 (routine) to 10 (pivotal)")
    assert run("context", "emre", "-w", played.root).code == 0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("seed: -1\n", ("gm.yaml:1:7", "seed is -1")),
        ("language: fr\n", ("'fr'", "de, en")),
        ("language: ../../prompts\n", ("no prompts in language",)),
        ("day: {scenes: [4, 2]}\n", ("gm.yaml:1:15", "two whole numbers")),
        ("{", ("gm.yaml:", "not YAML")),
    ],
)
def test_a_mistake_in_the_settings_stops_the_day(
    run: Run, studio: Layout, settings: str, words: tuple[str, ...]
) -> None:
    studio.settings.write_text(settings, encoding="utf-8")
    assert_told(run("advance-day", "-w", studio.root), 1, *words)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("situation.j2", "\n{{ nobody }}", ("situation.j2:2:", "'nobody' is undefined")),
        ("situation.j2", "{% if %}", ("situation.j2:1:",)),
        ("scenes/arrival.j2", "no front matter", ("arrival.j2", "no front matter")),
        ("words.yaml", 'why_arrival: "{{ x"', ("why_arrival",)),
        ("words.yaml", "[", ("words.yaml",)),
        ("reply.yaml", "Line: [", ("reply.yaml:1:",)),
        ("reply.yaml", "Line: [to]", ("reply.yaml: Line: found list",)),
    ],
)
def test_a_mistake_in_a_prompt_of_the_world_stops_the_day(
    run: Run, studio: Layout, name: str, text: str, words: tuple[str, ...]
) -> None:
    path = studio.prompts / name
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    assert_told(run("advance-day", "-w", studio.root, "--json"), 1, *words)
    assert not any(path.stat().st_size for path in studio.memories.iterdir())
    if name != "situation.j2" or "nobody" not in text:
        checked = run("check", "-w", studio.root)
        assert checked.code == 1
        assert name.rpartition("/")[2].split(".")[0] in checked.out or words[0] in checked.out


@contextmanager
def held_elsewhere(layout: Layout) -> Iterator[int]:
    code = "import sys; from pathlib import Path; from gm.files.commits.lock import locked\n"
    code += "with locked(Path(sys.argv[1]), 'gm advance-day'): print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(layout.lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process.pid
        finally:
            process.kill()


def test_a_world_that_another_program_writes_to(run: Run, played: Layout) -> None:
    with held_elsewhere(played) as pid:
        for command in (("advance-day",), ("scene", "work"), ("reflect", "vera")):
            assert_told(run(*command, "-w", played.root), 1, f"gm advance-day (process {pid})")
        assert run("status", "-w", played.root).code == 0, "looking needs no lock"
    assert run("advance-day", "-w", played.root).code == 0


def test_a_missing_persona_is_worth_knowing_and_stops_nothing(run: Run, studio: Layout) -> None:
    studio.persona("vera").unlink()
    outcome = run("check", "-w", studio.root)
    assert outcome.code == 0
    assert "state/personas/vera.md: info: vera has no persona" in outcome.out
    assert run("context", "vera", "-w", studio.root, "--prompt").code == 0
    assert run("advance-day", "-w", studio.root).code == 0


def test_a_world_without_characters(run: Run, tmp_path: Path) -> None:
    (tmp_path / "state/agents").mkdir(parents=True)
    assert_told(run("advance-day", "-w", tmp_path), 1, "this world has no characters")
    assert run("status", "-w", tmp_path).code == 0
    assert run("stats", "-w", tmp_path).code == 0


def test_a_bug_is_shown_with_its_traceback_and_an_exit_code_of_its_own(
    run: Run, studio: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError(ESCAPES)

    monkeypatch.setattr("gm.api.editing.check.whole.check_world", broken)
    outcome = run("check", "-w", studio.root)
    assert outcome.code == 3
    assert not any(control in outcome.err for control in CONTROL)
    assert "Traceback" in outcome.err
    assert "This is a bug in gm" in outcome.err


def test_an_interruption_has_its_own_exit_code(run: Run, studio: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gm.api.editing.check.whole.check_world", interrupted)
    outcome = run("check", "-w", studio.root)
    assert outcome.code == 130
    assert outcome.err.strip() == "Interrupted."


def test_a_reader_that_goes_away_early_is_no_error(played: Layout) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = subprocess.run(
            [sys.executable, "-m", "gm", "context", "vera", "--prompt", "-w", str(played.root)],
            stdout=pipe,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert "Traceback" not in done.stderr
    assert done.returncode == 0


def hostile(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
    """A reply that attacks the file system and the terminal."""
    reply["mood"] = f"wach {ESCAPES}"
    reply["thoughts"] = ESCAPES
    if "dialogue" in reply:
        reply["dialogue"] = [{"to": None, "text": ESCAPES}]
        reply["action"] = ESCAPES
        reply["current_task"] = ESCAPES
        reply["go_to"] = "../../etc"
        reply["memories"] = [{"type": "observation", "description": ESCAPES, "importance": 5, "tags": [ESCAPES]}]
        reply["artifact"] = {
            "title": "../../x",
            "kind": "../..",
            "description": ESCAPES,
            "body": "---\nagent: somebody\n---\n{{ 7*7 }}",
            "importance": 7,
        }
    return reply


@pytest.fixture(scope="module")
def _attacked_once(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    layout = create_world(tmp_path_factory.mktemp("attacked") / "studio", "studio")
    play(layout, backend=Scripted(hostile))
    return layout


@pytest.fixture
def attacked(_attacked_once: Layout, tmp_path: Path) -> Layout:
    """A studio whose first day was played by a hostile model."""
    shutil.copytree(_attacked_once.root, tmp_path / "deep" / "attacked")
    return Layout(tmp_path / "deep" / "attacked")


def test_an_artifact_with_a_path_for_a_title_stays_in_the_gallery(attacked: Layout) -> None:
    paths = [path for path in attacked.root.rglob("*.md") if not {"personas", "library"} & {*path.parts}]
    assert paths
    assert all(path.is_relative_to(attacked.gallery) for path in paths)
    assert not [path for path in attacked.root.parent.iterdir() if path.name.startswith(("x", "day-"))]
    assert not [path for path in attacked.root.rglob("*") if ".." in path.name]


def test_artifacts_of_the_same_name_in_one_scene_do_not_replace_each_other(attacked: Layout) -> None:
    nodes = [
        node for name in attacked.agent_names() for node in records(attacked.stream(name)) if node["type"] == "artifact"
    ]
    paths = [node["metadata"]["artifact_path"] for node in nodes]
    assert len(set(paths)) == len(paths)
    for node in nodes:
        text = (attacked.root / node["metadata"]["artifact_path"]).read_text(encoding="utf-8")
        assert f"node: {node['id']}\n" in text


@pytest.mark.parametrize(
    "command", [("status",), ("context", "vera"), ("context", "vera", "--prompt"), ("stats",), ("check",), ("due",)]
)
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["words", "json"])
def test_terminal_escapes_in_the_files_never_reach_the_terminal(
    run: Run, attacked: Layout, command: tuple[str, ...], form: tuple[str, ...]
) -> None:
    with open(attacked.stream("vera"), "a", encoding="utf-8") as file:
        node = {"id": ESCAPES, "type": ESCAPES, "description": ESCAPES, "importance": 5, "created": ESCAPES, ESCAPES: 1}
        file.write(json.dumps(node) + "\n")
    edit(attacked.agent("vera"), {"name": f"Vera {ESCAPES}", "position": ESCAPES})
    outcome = run(*command, "-w", attacked.root, *form)
    assert "Traceback" not in outcome.err
    assert not [sign for sign in CONTROL if sign in outcome.out + outcome.err]
    if form:
        assert isinstance(outcome.document, dict)


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["words", "json"])
def test_terminal_escapes_in_a_reply_never_reach_the_terminal(
    run: Run, studio: Layout, monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]
) -> None:
    monkeypatch.setattr("gm.llm.rehearsal.backend.make", lambda _model, _around: Scripted(hostile))
    outcome = run("advance-day", "-w", studio.root, *form)
    assert outcome.code == 0, outcome.err
    assert "rot" in outcome.out + outcome.err
    assert not [sign for sign in CONTROL if sign in outcome.out + outcome.err]


def test_terminal_escapes_in_an_error_never_reach_the_terminal(
    run: Run, studio: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PromptError(ESCAPES, ESCAPES)

    monkeypatch.setattr("gm.api.editing.check.whole.check_world", refused)
    outcome = run("check", "-w", studio.root)
    assert_told(outcome, 1, "rot")
    assert not [sign for sign in CONTROL if sign in outcome.err]
    monkeypatch.setattr(
        "gm.llm.rehearsal.backend.make", lambda _model, _around: Scripted(lambda _request, _reply: ESCAPES)
    )
    outcome = run("advance-day", "-w", studio.root)
    assert outcome.code == 1
    assert not [sign for sign in CONTROL if sign in outcome.out + outcome.err]


def test_an_empty_clock_stops_the_day_and_checking_says_what_to_do(run: Run, played: Layout) -> None:
    played.world.write_bytes(b"")
    assert_told(run("advance-day", "-w", played.root), 1, "state/world.json: error: the file is empty", "gm rewind")
    checked = run("check", "-w", played.root)
    assert checked.code == 1
    assert "state/world.json: error: the file is empty" in checked.out


def test_settings_that_cannot_be_read_are_told_and_nothing_is_held_against_their_defaults(
    run: Run, dinner: Layout
) -> None:
    """Without its calendar, the weekdays of an English world would be held against German ones."""
    clock = json.loads(dinner.world.read_bytes()) | {"day": 1, "day_of_week": "Monday"}
    dinner.world.write_text(json.dumps(clock, indent=2) + "\n", encoding="utf-8")
    dinner.settings.write_text("language: en\nday:\n\tscenes: 3\n", encoding="utf-8")
    document = run("check", "--json", "-w", dinner.root).document
    said = [(item["path"], item["line"], item["column"], item["code"]) for item in document["problems"]]
    assert said == [("gm.yaml", 3, 1, "yaml-syntax")]
    assert "found a tab, expected spaces" in document["problems"][0]["message"]


def test_aliases_without_end_are_refused_at_once(run: Run, dinner: Layout) -> None:
    names = "abcdefghi"
    lines = [f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]" for before, name in pairwise(names)]
    bomb = "\n".join(["a: &a [x,x,x,x,x,x,x,x,x]", *lines])
    dinner.persona("alex").write_text(f"---\n{bomb}\n---\nAlex.\n", encoding="utf-8")
    for command in (("check",), ("context", "alex"), ("advance-day",)):
        outcome = run(*command, "-w", dinner.root)
        assert "aliases stand for more than 10000 values" in outcome.out + outcome.err


def test_a_persona_that_leads_to_another_file_of_this_machine_is_not_read(
    run: Run, dinner: Layout, tmp_path: Path
) -> None:
    """A world may come from another person, and what stands in a persona is sent to a model's server."""
    secret = tmp_path / "secret.md"
    secret.write_text("The key is under the mat.", encoding="utf-8")
    dinner.persona("alex").unlink()
    dinner.persona("alex").symlink_to(secret)
    assert_told(run("advance-day", "-w", dinner.root), 1, "state/personas/alex.md", "a link leads out of the world")
    for command in (("context", "alex", "--prompt"), ("check",), ("status",)):
        outcome = run(*command, "-w", dinner.root)
        assert "under the mat" not in outcome.out + outcome.err
    assert run("check", "-w", dinner.root).code == 1


def test_a_command_that_exits_by_itself_ends_with_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boundary, "_stop_in_order", lambda: None)
    assert boundary.guarded(click.Command("leave", callback=lambda: sys.exit(3)), []) == 3
    with pytest.raises(SystemExit, match="a text"):
        boundary.guarded(click.Command("leave", callback=lambda: sys.exit("a text")), [])


TWICE = """
import os, signal
import click
from gm.cli.boundary import guarded

@click.command()
def wait():
    try:
        signal.raise_signal(signal.SIGINT)
    finally:
        signal.raise_signal(signal.SIGINT)  # while the command ends in order

os._exit(guarded(wait, []))
"""


def test_a_second_interrupt_ends_at_once_and_is_explained_all_the_same() -> None:
    done = subprocess.run([sys.executable, "-c", TWICE], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stderr.splitlines() == ["", "Interrupted."]
    asking = TWICE.replace("    try:", "    asks_models()\n    try:").replace("guarded\n", "asks_models, guarded\n")
    done = subprocess.run([sys.executable, "-c", asking], capture_output=True, text=True, check=False)
    assert done.stderr.count("Interrupted. What was answered is kept") == 1
