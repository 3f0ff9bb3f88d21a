"""Copies, requests for memories, goals, lenses: what cannot be read or makes no sense is named at its value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.check.whole import check_world
from gm.files.load import load_world
from tests.files.check.handmade import line, node
from tests.files.check.test_rules import make_world

GOALS, LINKS, STREAM = "state/goals/mina.jsonl", "state/links.json", "state/memories/mina.jsonl"


def event(kind: str = "open", **values: Any) -> str:
    record = {"id": "goal-01", "at": "day-001", "event": kind, "text": "Das Segel flicken."} | values
    return json.dumps({key: value for key, value in record.items() if value is not None}, ensure_ascii=False) + "\n"


def links(*items: Any) -> str:
    return json.dumps({"requests": list(items)})


def asked(**values: Any) -> dict[str, Any]:
    return {"from": "mina", "to": "otto", "about": [], "at": "day-001"} | values


def copy(source: object) -> str:
    return (
        line(node("mina", 1)) + "\n" + line(node("mina", 2, metadata={"kind": "copied", "copied_from": source})) + "\n"
    )


def persona(lens: str) -> str:
    return f"---\nname: Mina Holt\nlenses:\n{lens}\n---\n\nMina.\n"


def test_what_is_in_order_has_no_problem(tmp_path: Path) -> None:
    files = {
        GOALS: event() + event("progress") + event(id="goal-02") + event("reached"),
        LINKS: links(asked()),
        STREAM: copy("otto-001"),
        "state/memories/otto.jsonl": line(node("otto", 1)) + "\n",
        "state/personas/mina.md": persona("  - {at: retrieval, add: So ist es.}"),
        "state/agents/otto.json": '{"name": "Otto"}\n',
    }
    about = ("goal", "link", "copy", "lens", "json", "agent")
    assert [item for item in check_world(make_world(tmp_path, **files)).problems if item.code.startswith(about)] == []


@pytest.mark.parametrize(
    ("path", "text", "severity", "code", "line", "what"),
    [
        (GOALS, event(id="ziel"), "error", "goal-id", 1, '"ziel"'),
        (GOALS, event(at="Montag"), "error", "goal-at", 1, '"Montag"'),
        (GOALS, event("begun"), "error", "goal-event", 1, '"begun"'),
        (GOALS, event(text=None), "error", "goal-text", 1, "{"),
        (GOALS, event() + event(), "error", "goal-id", 2, '"goal-01"'),
        (GOALS, event() + "{", "error", "json-syntax", 2, ""),
        (GOALS, event("progress"), "warning", "goal-unopened", 1, '"goal-01"'),
        (GOALS, event() + event("reached") + event("progress"), "warning", "goal-closed", 3, '"progress"'),
        (GOALS, event(at="day-099"), "warning", "goal-future", 1, '"day-099"'),
        ("state/goals/nobody.jsonl", event(), "warning", "agent-unknown", 0, ""),
        (LINKS, '{"requests": {}}', "error", "link-form", 1, "{}"),
        (LINKS, links("mina"), "error", "link-form", 1, '"mina"'),
        (LINKS, links(asked(at="soon")), "error", "link-form", 1, '"soon"'),
        (LINKS, links(asked(about="all")), "error", "link-form", 1, '"all"'),
        (LINKS, links({"from": "mina"}), "error", "link-form", 1, '{"from"'),
        (LINKS, links(asked(to="nobody")), "warning", "link-agent", 1, '"nobody"'),
        (LINKS, links(asked(to="mina")), "warning", "link-self", 1, '"mina"'),
        (LINKS, links(asked(), asked()), "warning", "link-twice", 1, '{"from"'),
        (LINKS, links(asked(at="day-099")), "warning", "link-future", 1, '"day-099"'),
        (LINKS, '{"requests": [], "requests": []}', "error", "key-twice", 1, ""),
        (STREAM, copy(7), "warning", "copy-source", 2, "7"),
        (STREAM, copy("mina-001"), "warning", "copy-own", 2, '"mina-001"'),
        ("state/personas/mina.md", persona("  - {at: dreaming}"), "error", "lens-form", 4, "dreaming"),
        ("state/personas/mina.md", persona("  - at: formation\n    importance: 12"), "error", "lens-form", 5, "12"),
        ("gm.yaml", "lenses:\n  - {at: retrieval, boost: {}}\n", "error", "lens-form", 2, ""),
    ],
)
def test_what_is_wrong_is_named_at_its_place(
    tmp_path: Path, path: str, text: str, severity: str, code: str, line: int, what: str
) -> None:
    layout = make_world(tmp_path, **{path: text})
    problem = next(item for item in check_world(layout).problems if item.code == code)
    assert (problem.path, problem.severity, problem.line) == (path, severity, line)
    written = text.split("\n")[line - 1] if line else ""
    assert written[problem.column - 1 :].startswith(what)


def test_loading_names_the_errors_that_checking_names(tmp_path: Path) -> None:
    layout = make_world(tmp_path, **{GOALS: event(id="ziel"), LINKS: '{"requests": 3}'})
    loaded = {item for item in load_world(layout).problems if item.severity == "error"}
    assert {item.code for item in loaded} == {"goal-id", "link-form"}
    assert loaded <= set(check_world(layout).problems)


def test_a_copied_artifact_needs_no_file_and_a_tag_that_is_the_receivers_name_is_in_order(tmp_path: Path) -> None:
    copied = node("mina", 1, type="artifact", tags=["mina"], metadata={"kind": "copied", "copied_from": "otto-001"})
    codes = {item.code for item in check_world(make_world(tmp_path, **{STREAM: line(copied) + "\n"})).problems}
    assert codes.isdisjoint({"artifact-bare", "tag-own-name"})
    own = node("mina", 1, type="artifact", tags=["mina"])
    codes = {item.code for item in check_world(make_world(tmp_path / "own", **{STREAM: line(own) + "\n"})).problems}
    assert codes >= {"artifact-bare", "tag-own-name"}
