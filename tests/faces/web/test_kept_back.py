"""Nothing that is private leaves a world: not in pages, not in their data, not in books.

A world is played in which everything private carries a mark, wherever the days then take it; the marks are looked for
in every byte of what is published.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gm.api.worlds.create import create_world
from gm.faces.book.build import build_book
from gm.faces.book.export.formats import bind_book
from gm.faces.book.sources import ExportOptions, parse_hidden
from gm.faces.web.publish import publish
from gm.files.layout import Layout
from gm.layers.goals import GOALS
from gm.layers.privacy import private_words, with_private
from gm.layers.relationships import RELATIONSHIPS
from gm.layers.soul import SOUL
from gm.layers.working import WORKING
from gm.llm.base import Answer, Request
from gm.llm.rehearsal.backend import Rehearsal
from tests.everything import everything_on
from tests.stories.playing import play

MARK = re.compile(r"ZZ([a-z]+)[0-9]+ZZ")
MARKED = (
    *("thoughts", "reasons", "memories", "private", "diary", "soul", "relationships", "working", "now", "goals"),
    "prompts",
)
"""All but ``cost``: figures have pages of their own, which are left out whole."""
ALSO = {"memories": ("diary", "now")}
"""What quotes what is kept back in its own words: a diary page is not a memory."""
SECRET = "## What you tell nobody\n\nZZprivate900000ZZ is where the money lies.\n"


class Marking:
    """Answers like the rehearsal, with a mark in everything that a person may want to keep back."""

    name = model = "marking"
    reads_facts = True

    def __init__(self) -> None:
        self._count = 0

    def ask(self, request: Request) -> Answer:
        answer = Rehearsal().ask(request)
        try:
            reply = json.loads(answer.text)
        except ValueError:
            return answer
        marked = self._marked(reply, diary="tags" in reply and "text" in reply)
        return replace(answer, text=json.dumps({"aside": self._mark("prompts"), **marked}, ensure_ascii=False))

    def _mark(self, kind: str, text: str = "") -> str:
        self._count += 1
        return f"ZZ{kind}{self._count}ZZ {text}"

    def _marked(self, value: Any, kind: str = "", *, diary: bool = False) -> Any:
        if isinstance(value, list):
            return [self._marked(item, kind) for item in value]
        if not isinstance(value, dict):
            return self._mark(kind, value) if kind and isinstance(value, str) and value else value
        found = {key: self._marked(item, self._kind(key, kind, diary)) for key, item in value.items()}
        if "description" in value and "tags" in value and "body" not in value and len(value["description"]) % 3 == 0:
            found["tags"] = [*value["tags"], "Privat"]
            found["description"] = self._mark("private", value["description"])
        elif "description" in value and "tags" in value and "body" not in value:
            found["description"] = self._mark("memories", value["description"])
        elif "evidence" in value and "text" in value:
            found["text"] = self._mark("memories", value["text"])
        if isinstance(value.get("plan"), list):
            found["plan"] = [self._mark("memories", item) if isinstance(item, str) else item for item in value["plan"]]
        return found

    @staticmethod
    def _kind(key: str, outer: str, diary: bool) -> str:
        if key in ("thoughts", "soul", "relationships", "working", "now"):
            return key
        if diary and key == "text":
            return "diary"
        return outer if key in ("text", "why", "add", "occupies", "thinks") else ""


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """Three days with marks in everything private, and some put in by hand."""
    layout = create_world(tmp_path_factory.mktemp("marked") / "dinner", "dinner")
    everything_on(layout, more="day: {scenes: [2, 3]}\n")
    persona = layout.persona("alex")
    text, _, rest = persona.read_text(encoding="utf-8").partition("## What you tell nobody")
    persona.write_text(f"{text}{SECRET}\n## {rest.partition('## ')[2]}", encoding="utf-8")
    layout.layer(SOUL, "alex").write_text("beliefs:\n  - ZZsoul900002ZZ\n", encoding="utf-8")
    layout.layer(WORKING, "alex").write_text("known:\n  - ZZworking900005ZZ\n", encoding="utf-8")
    goal = {"id": "goal-01", "at": "day-000", "event": "open", "text": "ZZgoals900006ZZ"}
    layout.layer(GOALS, "alex").write_text(json.dumps(goal) + "\n", encoding="utf-8")
    play(layout, days=3, backend=Marking())
    for path in layout.logbook.iterdir():
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for number, line in enumerate(lines):
            place = f"{path.stem[-3:]}{number}"
            line |= {"why": f"ZZreasons{place}ZZ", "director_note": f"ZZreasons9{place}ZZ"}
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    regards = json.loads(layout.layer(RELATIONSHIPS, "alex").read_text(encoding="utf-8"))
    for regard in regards.values():
        regard |= {"rationale": "ZZrelationships900003ZZ", "relationship_notes": "ZZrelationships900004ZZ"}
    layout.layer(RELATIONSHIPS, "alex").write_text(json.dumps(regards), encoding="utf-8")
    return layout


def _marks(text: str) -> set[str]:
    return {found[1] for found in MARK.finditer(text)}


def _published(layout: Layout, folder: Path, hidden: frozenset[str]) -> dict[str, str]:
    publish(layout, folder, hidden)
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8", errors="replace") for path in files}


def _books(layout: Layout, hidden: frozenset[str]) -> dict[str, str]:
    exports = [
        ExportOptions(what, parse_hidden((), hidden), least_importance=1) for what in ((), ("alex",), ("casey", "1-3"))
    ]
    return {
        f"{options.what} {form}": bind_book(build_book(layout, options)[0], form, "a5").decode()
        for options in exports
        for form in ("md", "html")
    }


def test_the_world_holds_marks_of_every_kind(marked: Layout) -> None:
    files = [path for path in marked.root.rglob("*") if path.suffix in (".json", ".jsonl", ".yaml", ".md")]
    assert set().union(*(_marks(path.read_text(encoding="utf-8")) for path in files)) == {*MARKED}
    assert {*MARKED, "cost"} == {*private_words()}


def test_when_nothing_is_kept_back_it_is_shown(marked: Layout, tmp_path: Path) -> None:
    shown = set().union(*map(_marks, _published(marked, tmp_path / "site", frozenset()).values()))
    assert {"thoughts", "reasons", "private", "diary", "soul", "relationships", "working", "goals"} <= shown
    assert {"thoughts", "private", "diary", "soul"} <= set().union(*map(_marks, _books(marked, frozenset()).values()))


@pytest.mark.matrix
@pytest.mark.parametrize(
    "hidden",
    [*([name, *ALSO.get(name, ())] for name in private_words()), [*private_words()]],
    ids=[*private_words(), "all"],
)
def test_what_is_kept_back_stands_in_no_published_byte(marked: Layout, tmp_path: Path, hidden: list[str]) -> None:
    told = {**_published(marked, tmp_path / "site", frozenset(hidden)), **_books(marked, frozenset(hidden))}
    assert {name: _marks(text) & {*hidden} for name, text in told.items() if _marks(text) & {*hidden}} == {}


def _mind_of(layout: Layout, name: str) -> set[str]:
    """Return the marks of one mind: of its own files, and of what logbooks have of it beside what is done and said."""
    texts = [path.read_text(encoding="utf-8") for path in (layout.root / "state").rglob(f"{name}.*")]
    for path in layout.logbook.iterdir():
        for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            texts += [turn.get("thought", "") for turn in line.get("turns", ()) if turn["agent"] == name]
            texts += [line["why"], line["director_note"]] if name in line.get("participants", [name]) else []
    return {found[0] for found in MARK.finditer("".join(texts))}


@pytest.mark.parametrize("name", ["alex", "casey"])
def test_one_mind_is_kept_back_and_the_others_are_shown(marked: Layout, tmp_path: Path, name: str) -> None:
    hidden = frozenset(with_private([name]))
    told = {**_published(marked, tmp_path / "site", hidden), **_books(marked, hidden)}
    mind = _mind_of(marked, name)
    assert {"thoughts", "memories", "reasons"} <= set().union(*map(_marks, mind))
    found = {page: [found[0] for found in MARK.finditer(text) if found[0] in mind] for page, text in told.items()}
    assert {page: marks for page, marks in found.items() if marks} == {}
    assert {"thoughts", "memories", "relationships"} <= set().union(*map(_marks, told.values()))


def test_no_page_tells_what_was_spent_or_leads_there(marked: Layout, tmp_path: Path) -> None:
    told = _published(marked, tmp_path / "site", frozenset({"cost"}))
    assert "cost.html" not in told
    assert not [name for name, text in told.items() if "cost.html" in text]


def test_what_is_private_in_a_persona_is_kept_back_and_the_rest_is_shown(marked: Layout, tmp_path: Path) -> None:
    page = _published(marked, tmp_path / "site", frozenset({"private"}))["agents/alex.html"]
    assert "What you tell nobody" not in page
    assert "where the money lies" not in page
    assert "Voice" in page
