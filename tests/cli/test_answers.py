"""What commands print with ``--json`` is what the reference says of it: no key more, none missing, each of its type."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from gm.api.reference.keytables import render_keys, type_in_words
from gm.api.reference.shapes import describe_type
from gm.cli.answers import ANSWERS, AwaitedDocument, answer_schemas, render_answers_page
from gm.files.layout import Layout
from gm.model.logged import LOG_END, LOG_LINE
from tests.api.repositories import make_repository
from tests.cli.running import Run
from tests.handmade import make_handmade

READING = """
gm status
gm log
gm due
gm plan --all
gm threads list
gm stats
gm cost
gm models
gm context alex
gm recall alex dinner --explain
gm brief --list
gm post --list
gm event --list
gm mailbox list
gm mind soul show
gm mind working show
gm mind relationships
gm mind relationships --graph json
gm mind diary
gm mind goals list
gm memory show casey-001
gm memory show casey
gm memory find dinner
gm memory shown day-001/scene-01
gm share list
gm accumulators
gm index status
gm why casey-050
gm evaluate
gm check
gm settings reflection
gm migrate --dry-run
gm care --all --dry-run
gm prune --all --dry-run
gm gift --dry-run
gm branch
gm diff day-001 day-002
gm compare . .
gm publish ../site --dry-run
gm export --to ../book.md
gm export casey --card ../casey.json
gm judge ../pairs --worlds run-1=. run-2=../again
gm judge ../pairs
"""
WRITING = """
gm brief Finish
gm brief --done 1
gm post Hello
gm post Wrong --type brief
gm post --withdraw
gm event Launch --day 9
gm event --remove 1
gm mind soul add casey Words --kind conviction
gm mind soul remove casey Words
gm mind working set casey known Words
gm mind working clear casey known
gm mind goals add casey Sing
gm mind goals progress casey goal-02 Hummed
gm mind goals close casey goal-02 --outcome reached
gm memory add casey Words --importance 3
gm memory tag casey-001 +words
gm memory tier casey-001 pinned
gm memory edit casey-001 --importance 4
gm memory delete casey-002
gm threads open casey Words --to alex
gm threads close OPEN --outcome kept
gm character add Mira
gm share copy casey alex --query dinner
gm share request alex casey
gm share accept casey alex
gm share request jordan casey
gm share refuse casey jordan
gm ask casey Who? --model rehearsal
gm ask casey Why? --dry-run
gm interview casey --model rehearsal
gm scene work --with casey --model rehearsal
gm reflect casey --model rehearsal
gm meeting --topic Plans --day 30 --with casey,alex,jordan
gm meeting --topic Plans --now --with casey,alex,jordan --model rehearsal
gm prune casey
gm care casey --now --model rehearsal
gm advance-day --model rehearsal
gm rewind day-002 --yes
gm rewind --undo --yes
gm branch other --from day-001 --dir ELSEWHERE
gm index remove
"""
BELOW = {
    "gm new": "makes a world",
    "gm adopt": "takes the world of another tool",
    "gm import": "takes the file of another tool",
    "gm feedback": "needs a piece of work",
    "gm mailbox show": "needs a letter",
    "gm mailbox answer": "needs a letter",
    "gm git-setup": "needs a repository",
}
"""Commands that have a test of their own below, and why."""
NOT_CALLED = {
    "gm provenance": "reads all traces",
    "gm replay": "plays all days again",
    "gm index build": "needs an embedding server",
    "gm sweep": "plays many worlds",
}
"""Commands whose answer no test here compares with its description, and why."""
BARE = {
    "metadata": "a user's own keys",
    "weekly[]": "as in gm.yaml",
    "page": "working memory: a character's own keys",
    "scene": "the logbook line of a world of any age",
    "original": "as the metadata or the scene has it",
    "days[].scenes[].threads[]": "as the logbook of a world of any age has them",
    "days[].scenes[].plan_status": "as the logbook of a world of any age has it",
    "days[].threads[]": "as the logbook of a world of any age has them",
    "days[].missed[]": "as the logbook of a world of any age has them",
    "days[].plans": "as the logbook of a world of any age has them",
    "agents.*.summaries[]": "lines of a file, valid or not",
    "agents.*.*[]": "each layer of a mind has its own",
    "runs[]": "a row of table.csv, whose columns depend on the sweep",
    "provenance.settings": "as in gm.yaml",
}
"""Objects without declared keys, by the end of their path, and why."""


def calls(text: str) -> list[list[str]]:
    return [line.split()[1:] for line in text.splitlines() if line]


def command_of(words: list[str]) -> str:
    return next(name for name in (" ".join(["gm", *words[:end]]) for end in (3, 2, 1)) if name in ANSWERS)


def faults(command: str, document: Any) -> list[str]:
    """Return what of a document no description of its command says; of several, that which says most of it counts."""
    document = json.loads(json.dumps(document))
    found = [list(map(shown, Draft202012Validator(schema).iter_errors(document))) for schema in answer_schemas(command)]
    return min(found, key=len)


def shown(error: Any) -> str:
    return f"{'.'.join(map(str, error.absolute_path))}: {error.message[:300]}"


@pytest.mark.slow
def test_what_is_read_of_a_world(
    two_full_days: Layout, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shutil.copytree(two_full_days.root, tmp_path / "dinner"))
    again = Layout(shutil.copytree(two_full_days.root, tmp_path / "again"))
    log = again.day_log(1)  # the other world tells its days in other words
    log.write_text(log.read_text(encoding="utf-8").replace(" the ", " that "), encoding="utf-8")
    assert answered(run, READING) == ""


@pytest.mark.slow
def test_what_is_written_into_a_world(
    two_full_days: Layout, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shutil.copytree(two_full_days.root, tmp_path / "dinner"))
    assert answered(run, WRITING) == ""


def answered(run: Run, text: str) -> str:
    found = []
    for words in calls(text):
        if "OPEN" in words:
            words[words.index("OPEN")] = run("threads", "list", "--json").document["open"][0]["id"]
        words = [str(Path.cwd().parent / "other") if word == "ELSEWHERE" else word for word in words]
        done = run(*words, "--json")
        try:
            document = done.document
        except ValueError:
            found.append(f"{' '.join(words)}: exit code {done.code}, no document: {done.err[-300:]}")
            continue
        found += [f"{' '.join(words)}: {fault}" for fault in faults(command_of(words), document)]
    return "\n".join(found)


def test_every_command_is_called_or_it_is_said_why_not() -> None:
    called = {command_of(words) for words in calls(READING + WRITING)}
    assert called | BELOW.keys() | NOT_CALLED.keys() == ANSWERS.keys()
    assert not called & (BELOW.keys() | NOT_CALLED.keys())


def bare(schema: dict[str, Any], path: str = "") -> Iterator[str]:
    """Yield the paths of objects without declared keys, and of lists without declared items."""
    each = schema.get("additionalProperties")
    if schema.get("type") == "object" and not schema.get("properties") and not each:
        yield path
    for one in schema.get("anyOf", ()):
        yield from bare(one, path)
    for key, one in schema.get("properties", {}).items():
        yield from bare(one, f"{path}.{key}" if path else key)
    if isinstance(each, dict):
        yield from bare(each, f"{path}.*")
    if "items" in schema:
        yield from bare(schema["items"], f"{path}[]")


def test_the_keys_of_every_object_are_declared_or_it_is_said_why_not() -> None:
    found = {path for command in ANSWERS for schema in answer_schemas(command) for path in bare(schema)}
    reasons = {path: [end for end in BARE if path == end or path.endswith(f".{end}")] for path in found}
    assert [path for path, ends in reasons.items() if not ends] == []
    assert {end for ends in reasons.values() for end in ends} == BARE.keys()


def test_no_function_is_named_where_an_answer_is_described() -> None:
    functions = re.findall(r"(?:result|answer|value) of `(\w+)`", render_answers_page(ANSWERS))
    assert functions == []


def test_what_is_made_and_brought_in(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "card.json").write_text(
        json.dumps(
            {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Otto", "description": "A carpenter."}}
        )
    )
    assert faults("gm new", run("new", "boats", "--language", "en", "--json").document) == []
    imported = run("import", "card.json", "-w", "boats", "--json")
    assert faults("gm import", imported.document) == []


def test_a_command_that_waits_says_for_what(dinner: Layout, run: Run) -> None:
    waiting = run("ask", "casey", "Who?", "--model", "mailbox", "-w", dinner.root, "--json")
    schema = describe_type(AwaitedDocument, {})
    assert waiting.code == 75
    assert Draft202012Validator(schema).is_valid(waiting.document)
    letters = run("mailbox", "list", "-w", dinner.root, "--json").document
    assert faults("gm mailbox list", letters) == []
    name = letters["letters"][0]["letter"]
    assert faults("gm mailbox show", run("mailbox", "show", name, "-w", dinner.root, "--json").document) == []
    answered = run("mailbox", "answer", name, '{"answer": "Casey.", "mood": "calm"}', "-w", dinner.root, "--json")
    assert faults("gm mailbox answer", answered.document) == []


def test_what_takes_up_a_piece_of_work(two_full_days: Layout, tmp_path: Path, run: Run) -> None:
    layout = Layout(shutil.copytree(two_full_days.root, tmp_path / "dinner"))
    piece = layout.shown(next(layout.gallery.rglob("*.md")))
    assert faults("gm feedback", run("feedback", piece, "Shorter.", "-w", layout.root, "--json").document) == []


def test_what_a_repository_is_given(dinner: Layout, run: Run) -> None:
    make_repository(dinner.root)
    for undo in ([], ["--undo"]):
        assert faults("gm git-setup", run("git-setup", *undo, "-w", dinner.root, "--json").document) == []


def test_what_is_made_for_the_world_of_another_tool(tmp_path: Path, run: Run) -> None:
    make_handmade(tmp_path)
    done = run("adopt", tmp_path, "--dry-run", "--json").document
    assert done["made"]
    assert faults("gm adopt", done) == []


def test_what_is_wrong_with_a_world(dinner: Layout, run: Run) -> None:
    dinner.stream("casey").write_text("{\n", encoding="utf-8")
    report = run("check", "-w", dinner.root, "--json").document
    assert report["problems"]
    assert faults("gm check", report) == []


def logged(layout: Layout) -> Iterator[dict[str, Any]]:
    for path in sorted(layout.logbook.glob("*.jsonl")):
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


@pytest.mark.slow
def test_a_line_of_the_logbook_has_the_keys_that_are_described(two_full_days: Layout, two_days: Layout) -> None:
    kinds: Counter[str] = Counter()
    for line in (*logged(two_full_days), *logged(two_days)):
        record = LOG_END if line["type"] == "SUMMARY" else LOG_LINE
        kinds[record.what] += 1
        errors = map(shown, Draft202012Validator(record.schema(written=True)).iter_errors(line))
        assert list(errors) == [], line
    assert kinds[LOG_END.what] == 4


def test_a_table_names_inner_keys_and_what_may_be_absent() -> None:
    table = render_keys(
        {
            "type": "object",
            "properties": {
                "a": {"type": "array", "items": {"type": "object", "properties": {"b": {"enum": [1, 2]}}}},
                "c": {
                    "type": "object",
                    "additionalProperties": {"type": "integer", "minimum": 0},
                    "description": "x|y",
                },
            },
            "required": ["c"],
        }
    )
    assert "| `a` | list of object | May be absent. |" in table
    assert "| `a[].b` | one of `1`, `2` | May be absent. |" in table
    assert "| `c` | object by name: whole number, at least 0 | X\\|y. |" in table
    assert type_in_words({"anyOf": [{"type": "string"}, {"type": "null"}]}) == "text or null"
