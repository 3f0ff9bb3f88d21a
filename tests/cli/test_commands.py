"""What the commands print: help, documents for other programs, words for people."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gm.cli import COMMANDS
from gm.cli.commands import WorldCommand
from gm.cli.reference import all_commands
from gm.files.layout import Layout
from gm.files.packaged.shipped import shipped_worlds
from tests.cli.running import Run
from tests.stories.playing import records, tree

COUNTS = ["agents", "memories", "scenes", "errors", "warnings", "infos"]
AGENT = {"accumulator", "due", "next_id", "memories", "reflections"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_without_a_world(
    run: Run, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run(command, "--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith(f"Usage: gm {command}")
    assert "--help" in outcome.out


def test_the_overview_names_every_command_with_its_sentence(run: Run) -> None:
    outcome = run("help", "--all")
    assert outcome.code == 0
    for name in COMMANDS:
        assert name in outcome.out


PLACED = {"gm mind goals close": 2, "gm publish": 0, "gm check": 0}
"""Commands that place an option themselves, and where the world stands among their options."""


def test_a_command_about_a_world_begins_its_options_with_the_world_and_ends_them_with_json() -> None:
    seen = set()
    for path, command in all_commands():
        if isinstance(command, WorldCommand):
            options = [param.name for param in command.params if param.param_type_name == "option"]
            assert options.index("layout") == PLACED.get(path, 0), path
            assert options.index("as_json") == (1 if path in ("gm publish", "gm check") else len(options) - 1), path
            seen.add(path)
    assert len(seen) > 50
    assert set(PLACED) < seen


def test_the_status_is_told_without_loading_what_a_mind_is_made_of(played: Layout) -> None:
    code = (
        "import sys; from gm.cli import gm; from gm.cli.boundary import guarded; guarded(gm, sys.argv[1:]);"
        "print(*(name for name in sys.modules if name.startswith('gm.')), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "status", "-w", str(played.root)], capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert "gm.api.reports.status" in loaded
    heavy = {"gm.model.world", "gm.model.mind", "gm.model.logged", "gm.layers", "gm.files.load"}
    assert not {*heavy, "gm.api.answers.document"} & loaded
    assert "gm.api.history.git" not in loaded, "git is not asked about a world outside of its repositories"


def test_the_version_is_told(run: Run) -> None:
    assert run("--version").out.startswith("gm, version ")


def test_check_as_a_document(run: Run, played: Layout) -> None:
    outcome = run("check", "-w", played.root, "--json")
    assert outcome.code == 0
    assert list(outcome.document) == ["ok", "counts", "problems"]
    assert list(outcome.document["counts"]) == COUNTS
    assert outcome.document["ok"] is True


def test_a_problem_in_the_document_of_check(run: Run, played: Layout) -> None:
    played.bulletin.write_text('{"posts": [}', encoding="utf-8")
    outcome = run("check", "-w", played.root, "--json")
    assert outcome.code == 1
    assert outcome.document["ok"] is False
    assert outcome.document["counts"]["errors"] == 1
    (problem,) = [item for item in outcome.document["problems"] if item["severity"] == "error"]
    assert list(problem) == ["severity", "code", "path", "line", "column", "message", "hint"]
    assert (problem["path"], problem["line"], problem["column"]) == ("state/bulletin.json", 1, 12)


def test_context_as_a_document(run: Run, played: Layout) -> None:
    document = run("context", "vera", "-w", played.root, "--json").document
    keys = ["agent", "strategy", "memories", "reflections", "in_plan", "dropped", "tokens", "sections"]
    assert list(document) == keys
    assert document["memories"] == records(played.stream("vera"))
    with_prompt = run("context", "vera", "-w", played.root, "--json", "--prompt").document
    assert list(with_prompt) == [*document, "prompt"]


def test_context_by_tags_and_by_size(run: Run, played: Layout) -> None:
    by_tag = run("context", "vera", "-w", played.root, "--json", "--tags", "PLAN").document
    assert by_tag["strategy"] == "tags"
    assert {tag for node in by_tag["memories"] for tag in node["tags"]} >= {"plan"}
    assert all("plan" in node["tags"] for node in by_tag["memories"])
    nothing = run("context", "vera", "-w", played.root, "--json", "--tags", "nobody-has-this").document
    assert nothing["strategy"] == "recent"
    last = run("context", "vera", "-w", played.root, "--json", "--last", "2").document
    assert last["memories"] == records(played.stream("vera"))[-2:]


def test_context_as_it_was_before(run: Run, played: Layout) -> None:
    document = run("context", "vera", "-w", played.root, "--json", "--at", "day-001/scene-01").document
    assert {node["created"] for node in document["memories"]} == {"day-001/scene-01"}
    assert run("context", "vera", "-w", played.root, "--at", "day-001/scene-99").code == 2


def test_context_with_a_broken_logbook_speaks_of_no_question(run: Run, played: Layout) -> None:
    played.day_log(1).write_text('{"day":', encoding="utf-8")
    failed = run("context", "vera", "-w", played.root, "--at", "day-001/scene-01")
    assert failed.code == 1
    assert "correct this by hand; nothing was changed" in failed.err
    assert "question" not in failed.err


def test_due_as_a_document(run: Run, played: Layout) -> None:
    assert run("due", "-w", played.root, "--json").document == {"threshold": 100, "due": []}
    everybody = run("due", "-w", played.root, "--json", "--threshold", "1").document
    assert everybody == {"threshold": 1, "due": list(played.agent_names())}


def test_the_status_shows_what_characters_ask_the_person_outside(run: Run, played: Layout) -> None:
    asked = {"id": "thread-900", "at": "day-001/scene-01", "event": "open", "by": "vera", "kind": "question"}
    line = json.dumps({**asked, "to": ["Creative Director"], "due": None, "text": "One answer or seven?"})
    with played.threads.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    said = "! vera asks you, since day 1: One answer or seven? (thread-900); gm post answers"
    assert said in run("status", "-w", played.root).out
    assert run("status", "-w", played.root, "--json").document["questions"] == [
        {"id": "thread-900", "by": "vera", "day": 1, "text": "One answer or seven?"}
    ]
    assert "thread-agent" not in run("check", "-w", played.root).out
    run("threads", "close", "thread-900", "--outcome", "answered", "-w", played.root)
    assert run("status", "-w", played.root, "--json").document["questions"] == []


def test_status_as_a_document(run: Run, played: Layout) -> None:
    document = run("status", "-w", played.root, "--json").document
    assert (document["day"], document["open"]) == (1, False)
    assert list(document["agents"]) == list(played.agent_names())
    for name, agent in document["agents"].items():
        assert agent.keys() >= AGENT
        assert agent["memories"] == len(records(played.stream(name)))
        assert agent["next_id"] == f"{name}-{agent['memories'] + 1:03d}"
        assert agent["accumulator"] == sum(node["importance"] for node in records(played.stream(name)))


def test_stats_as_a_document(run: Run, played: Layout) -> None:
    document = run("stats", "-w", played.root, "--json").document
    assert list(document) == ["days", "scenes", "all", "agents"]
    assert document["days"] == 1


def test_a_run_as_a_document_keeps_what_is_shown_on_the_other_channel(run: Run, dinner: Layout) -> None:
    outcome = run("advance-day", "-w", dinner.root, "--days", "2", "--json")
    assert outcome.code == 0
    assert list(outcome.document) == ["backend", "model", "days"]
    assert [day["day"] for day in outcome.document["days"]] == [1, 2]
    assert all({"day", "scenes", "memories", "artifacts"} <= day.keys() for day in outcome.document["days"])
    assert "Day 1, Monday" in outcome.err
    assert "This is a rehearsal" in outcome.err


def test_a_scene_as_a_document_is_its_line_in_the_logbook(run: Run, studio: Layout) -> None:
    outcome = run("scene", "encounter", "--with", "vera,emre", "--location", "teekueche", "-w", studio.root, "--json")
    assert outcome.code == 0
    assert outcome.document == records(studio.day_log(1))[0]
    assert outcome.document["participants"] == ["vera", "emre"]
    assert outcome.document["location"] == "teekueche"


def test_a_reflection_as_a_document(run: Run, played: Layout) -> None:
    outcome = run("reflect", "vera", "-w", played.root, "--json")
    assert outcome.code == 0
    assert outcome.document["type"] == "REFLECTION"
    assert run("status", "-w", played.root, "--json").document["agents"]["vera"]["accumulator"] == 0


@pytest.mark.parametrize("template", shipped_worlds())
def test_init_makes_a_world_that_is_ready(run: Run, tmp_path: Path, template: str) -> None:
    outcome = run("init", tmp_path / "new", "--template", template)
    assert outcome.code == 0
    assert "gm advance-day -w" in outcome.out
    assert run("check", "-w", tmp_path / "new", "--json").document["problems"] == []


@pytest.mark.parametrize("command", [("status",), ("check",), ("due",), ("stats",), ("context", "vera")])
def test_looking_changes_no_file(run: Run, played: Layout, command: tuple[str, ...]) -> None:
    before = tree(played.root)
    for arguments in ((), ("--json",)):
        assert run(*command, "-w", played.root, *arguments).code == 0
    assert tree(played.root) == before


def test_a_day_as_a_person_reads_it(run: Run, studio: Layout) -> None:
    outcome = run("advance-day", "-w", studio.root)
    assert outcome.code == 0
    assert outcome.out.startswith("Day 1, Montag\n\n1. ARRIVAL · morning\n  Darius, Emre, Finn")
    assert "\n  why: Ein neuer Tag beginnt" in outcome.out
    assert "model: rehearsal (no ANTHROPIC_API_KEY" in outcome.err
    assert "\x1b" not in outcome.out + outcome.err, "no colour without a terminal"


@pytest.mark.parametrize("day", [1, 2])
def test_the_prompt_that_is_shown_is_the_prompt_that_is_sent(run: Run, studio: Layout, day: int) -> None:
    for _ in range(day - 1):
        assert run("advance-day", "-w", studio.root).code == 0
    document = run("context", "vera", "-w", studio.root, "--json", "--prompt").document
    shown = run("context", "vera", "-w", studio.root, "--prompt").out
    assert run("advance-day", "-w", studio.root).code == 0
    (path,) = studio.traces.joinpath(f"day-{day:03d}/scene-01").glob("vera.*.json")
    sent = json.loads(path.read_text(encoding="utf-8"))["request"]
    parts = [*sent["system"], *(message["content"] for message in sent["messages"])]
    assert document["prompt"] == "\n".join(parts)
    assert shown == "\n".join(parts) + "\n"


def test_the_module_runs_as_a_program(studio: Layout) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gm", "status", "--json"], cwd=studio.state, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["day"] == 0


@pytest.mark.parametrize(
    "arguments", [("--help",), ("status",), ("log",), ("threads",), ("cost",), ("post", "--list"), ("plan",)]
)
def test_what_is_quick_loads_nothing_heavy(studio: Layout, arguments: tuple[str, ...]) -> None:
    heavy = {"anthropic", "jinja2", "rich", "pydantic", "httpx2"} - ({"jinja2"} if arguments == ("plan",) else set())
    code = (
        "import sys; from gm.cli import gm; from gm.cli.boundary import guarded; "
        f"code = guarded(gm, {list(arguments)!r}); "
        f"heavy = {heavy} & set(sys.modules); "
        "sys.exit(code or ', '.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=studio.root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_git_calls_in_a_merge_loads_nothing_heavy() -> None:
    code = (
        "import sys; import gm.cli.history.gitdrivers, gm.api.history.gitsetup, gm.api.history.merge.drive; "
        "heavy = {'anthropic', 'jinja2', 'rich', 'pydantic', 'httpx2'} & set(sys.modules); "
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_conversation_is_shown_with_what_was_said(run: Run, played: Layout) -> None:
    streams = [record for path in sorted(played.memories.glob("*.jsonl")) for record in records(path)]
    talk = next(record for record in streams if record["metadata"].get("exchange"))
    shown = run("memory", "show", talk["id"], "-w", played.root).out
    for said in talk["metadata"]["exchange"]:
        assert f"    {said['agent']}: {said['text']}\n" in shown
    assert "exchange =" not in shown


def test_an_earlier_moment_shows_what_was_open_then(run: Run, played: Layout) -> None:
    told = {"id": "thread-900", "by": "vera", "text": "Ich gieße die Schwelle."}
    opened = {**told, "at": "day-001/scene-02", "event": "open", "kind": "promise", "to": [], "due": 1}
    closed = {**told, "at": "day-001/scene-03", "event": "close", "outcome": "kept"}
    played.threads.write_text("".join(json.dumps(item) + "\n" for item in (opened, closed)), encoding="utf-8")
    shown = {
        scene: "`thread-900`" in run("context", "vera", "-w", played.root, "--prompt", "--at", f"day-001{scene}").out
        for scene in ("/scene-01", "/scene-02", "/scene-03", "")
    }
    assert shown == {"/scene-01": False, "/scene-02": True, "/scene-03": False, "": False}


def test_what_comes_next_fits_where_the_world_lies(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = run("init", "a b", "--template", "dinner")
    assert made.out.splitlines()[1:] == [
        "Play its first day:  gm advance-day -w 'a b'",
        "Follow every change in git:  git init 'a b' && git -C 'a b' add . && git -C 'a b' commit -m 'Day 0'",
    ]
    assert run("advance-day", "-w", "a b").err.splitlines()[-1] == "Read what happened: gm log -w 'a b'"
    nowhere = run("diff", "-w", "a b")
    assert nowhere.code == 1
    assert "or name a day: day-000" in nowhere.err
    assert run("diff", "-w", "a b", "day-000").code == 0
    assert run("diff", "-w", "a b", "day-000", "day-001").code == 0
    assert "other is not a folder of a world, and for a commit" in run("compare", "-w", "a b", "day-000", "other").err
    subprocess.run(["git", "init", "-q", "a b"], check=True)
    assert run("advance-day", "-w", "a b").err.splitlines()[-1] == (
        "Read what happened: gm log -w 'a b'; what has changed since the last commit: gm diff -w 'a b'"
    )
    fresh = run("diff", "-w", "a b")
    assert fresh.code == 1
    assert "the repository has no commit yet" in fresh.err
    assert "or name a day: day-000" in fresh.err
    assert run("init", "a b/inside", "--template", "dinner").out.splitlines()[1:] == [
        "Play its first day:  gm advance-day -w 'a b/inside'",
        "Follow every change in git:  git init 'a b/inside' && "
        "git -C 'a b/inside' add . && git -C 'a b/inside' commit -m 'Day 0'",
    ], "the repository of another world is not its own"
    assert run("advance-day", "-w", "a b/inside").err.splitlines()[-1] == "Read what happened: gm log -w 'a b/inside'"
    monkeypatch.chdir("a b/inside/state")
    assert run("advance-day").err.splitlines()[-1] == "Read what happened: gm log"
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q", "worlds"], check=True)
    assert run("init", "worlds/one", "--template", "dinner").out.splitlines()[2] == (
        "Follow every change in git:  git -C worlds/one add . && git -C worlds/one commit -m 'Day 0'"
    )


def test_a_world_that_is_made_without_a_template_says_its_language_and_how_to_get_the_other(
    run: Run, tmp_path: Path
) -> None:
    line = "Its characters speak German. For a world in English:  gm init DIR --template dinner"
    assert line in run("init", tmp_path / "a").out.splitlines()
    assert line not in run("init", tmp_path / "b", "--template", "studio").out
    assert line not in run("init", tmp_path / "c", "--template", "dinner").out


def test_a_run_that_had_nothing_left_to_play_names_no_number_of_days(run: Run, dinner: Layout) -> None:
    run("advance-day", "-w", dinner.root)
    # as when the process died between the end of the day and the note that the run is complete
    dinner.run_note.write_text('{"days": 1, "first": 1, "last": 1}', encoding="utf-8")
    again = run("advance-day", "-w", dinner.root, "--json")
    assert again.document["days"] == []
    assert again.err.splitlines()[-1] == f"Read what happened: gm log -w {dinner.root}"


def test_what_everybody_was_told_is_shown_once_and_short(run: Run, dinner: Layout) -> None:
    shown = run("advance-day", "-w", dinner.root).out.splitlines()
    lines = [line for line in shown if "The host wrote to us" in line and line.lstrip().startswith("+ ")]
    assert len(lines) == 1
    assert re.match(r"  \+ alex-\d+, casey-\d+, jordan-\d+ observation \(\d+\) ", lines[0])
    assert len(lines[0]) < 250


def test_a_memory_is_corrected_only_while_its_line_is_the_one_that_was_shown(played: Layout, run: Run) -> None:
    seen = run("memory", "show", "vera-001", "-w", played.root, "--json").document["line_sha256"]
    edit = ("memory", "edit", "vera-001", "-w", played.root, "--expect", seen, "--importance")
    assert run(*edit, 2).code == 0
    late = run(*edit, 3)
    assert late.code == 1
    assert "vera-001 was changed meanwhile; nothing was written" in late.err
    assert run("memory", "show", "vera-001", "-w", played.root, "--json").document["importance"] == 2
