"""Every layer of a mind takes part in every feature, or its declaration says why it does not.

The table: ``LAYERS`` × ``FEATURES``. Each feature has one test, which is told a layer; what it writes for it stands in
``SAMPLES``. A layer that is declared in a test alone (``fears``) is held against the same tests.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gm.api.answers.document import as_json
from gm.api.editing.gift import give_memories
from gm.api.history.merge.world import merge_worlds
from gm.api.imports.cardexport.cardfile import make_card
from gm.api.playing.mind.mind import open_mind
from gm.api.playing.mind.minds import describe_arguments, select_tools
from gm.api.reports.why.describe import describe_why
from gm.api.worlds.create import create_world
from gm.cli.commands import read_private
from gm.faces.book.build import build_book
from gm.faces.book.export.formats import bind_book
from gm.faces.book.sources import ExportOptions, parse_hidden
from gm.faces.web.publish import publish
from gm.files.check.whole import check_files
from gm.files.commits.watch import Watch
from gm.files.layers import load_layer, load_mind
from gm.files.layout import Layout
from gm.layers import LAYERS
from gm.layers.declare import FEATURES, AnyLayer
from gm.layers.privacy import card_words
from gm.llm.base import Request
from tests.api.repositories import commit_all, make_repository
from tests.cli.running import Run
from tests.layers.fears import FEARS, TEMPLATE, declared
from tests.stories.playing import Scripted, play

WHO, OTHER = "alex", "casey"
MARK, EDIT, THEIRS = "ZZlayerZZ", "ZZeditedZZ", "ZZtheirsZZ"
"""What stands in the file of each layer; what a person, or a second branch, writes there beside it."""


@dataclass(frozen=True)
class Sample:
    """Contents of a file of one layer: ``first`` with a text; with a second one; and one that cannot be read.

    Attributes:
        first: The content with ``MARK``.
        more: Adds a text to the content.
        broken: What ``gm check`` has something to say about.
    """

    first: str
    more: Callable[[str], str]
    broken: str


def goal(number: int, text: str) -> str:
    return json.dumps({"id": f"goal-{number:02d}", "at": "day-000", "event": "open", "text": text}) + "\n"


def entry(text: str, day: int = 0) -> str:
    return json.dumps({"day": f"day-{day:03d}", "mood": "calm", "location": "kitchen", "text": text, "tags": []}) + "\n"


REGARD = {"relationship_type": "friend", "trust_level": 0.4, "rationale": MARK}
SAMPLES = {
    "soul": Sample(f"beliefs:\n  - {MARK}\n", lambda text: f"beliefs:\n  - {MARK}\n  - {text}\n", "beliefs: ["),
    "working": Sample(f"known:\n  - {MARK}\n", lambda text: f"known:\n  - {MARK}\n  - {text}\n", "known: ["),
    "now": Sample(f"thinks:\n  - {MARK}\n", lambda text: f"thinks:\n  - {MARK}\n  - {text}\n", "thinks: ["),
    "goals": Sample(goal(1, MARK), lambda text: goal(1, MARK) + goal(2, text), "none\n"),
    "relationships": Sample(
        json.dumps({OTHER: REGARD}) + "\n",
        lambda text: json.dumps({OTHER: REGARD, text.lower(): {"rationale": text}}) + "\n",
        '{"casey": 3}',
    ),
    "diary": Sample(entry(MARK), lambda text: entry(MARK) + entry(text, 1), '{"day": "never"}\n'),
    "fears": Sample(
        json.dumps({"fear": MARK}) + "\n",
        lambda text: "".join(json.dumps({"fear": each}) + "\n" for each in (MARK, text)),
        '{"fear": 3}\n',
    ),
}
"""A layer without a sample here fails the table: what it looks like on the disk has to be known to its tests."""


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """A world in which a character has a file of every layer, of a layer declared in a test too."""
    layout = create_world(tmp_path_factory.mktemp("table") / "dinner", "dinner")
    for name, layer in known_layers().items():
        path = layout.layer(layer, WHO)
        path.parent.mkdir(exist_ok=True)
        path.write_text(SAMPLES[name].first.replace(MARK, f"{MARK} {name}"), encoding="utf-8")
    (layout.prompts / "en").mkdir(parents=True, exist_ok=True)
    (layout.prompts / "en" / "fears.j2").write_text(TEMPLATE, encoding="utf-8")
    return layout


@pytest.fixture(scope="module")
def lived(origin: Layout, tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """The same after a day, in a git repository; then edited by hand in every layer."""
    layout = Layout(tmp_path_factory.mktemp("lived") / "dinner")
    shutil.copytree(origin.root, layout.root)
    make_repository(layout.root)
    with declared():
        play(layout)
    commit_all(layout.root, "a day")
    return layout


@pytest.fixture
def world(origin: Layout, tmp_path: Path) -> Layout:
    return copied(origin, tmp_path)


@dataclass
class Table:
    """What a feature's test works with: a world, the same after a day, and the command line."""

    world: Layout
    lived: Layout
    run: Run
    folder: Path


@pytest.fixture
def table(world: Layout, lived: Layout, run: Run, tmp_path: Path) -> Table:
    return Table(world, lived, run, tmp_path / "made")


def copied(layout: Layout, folder: Path) -> Layout:
    shutil.copytree(layout.root, folder / "copy")
    return Layout(folder / "copy")


def known_layers() -> dict[str, AnyLayer]:
    return {layer.name: layer for layer in (*LAYERS, FEARS)}


def write(layout: Layout, layer: AnyLayer, text: str) -> Path:
    path = layout.layer(layer, WHO)
    path.write_text(text, encoding="utf-8")
    return path


def check(layer: AnyLayer, table: Table) -> None:
    layout = table.world
    assert check_files(layout).problems == ()
    path = write(layout, layer, SAMPLES[layer.name].broken)
    assert layout.shown(path) in {problem.path for problem in check_files(layout).problems}
    write(layout, layer, SAMPLES[layer.name].first)
    stranger = layout.layer(layer, "nobody")
    stranger.write_text(SAMPLES[layer.name].first, encoding="utf-8")
    assert (layout.shown(stranger), "agent-unknown") in {
        (item.path, item.code) for item in check_files(layout).problems
    }


def diff(layer: AnyLayer, table: Table) -> None:
    layout = table.world
    make_repository(layout.root)
    commit_all(layout.root, "before")
    write(layout, layer, SAMPLES[layer.name].more(EDIT))
    outcome = table.run("diff", "-w", layout.root)
    assert EDIT in outcome.out
    assert "nothing has changed" not in outcome.out
    assert table.run("diff", "-w", layout.root, "--json").document["agents"][WHO][layer.name]


def merge(layer: AnyLayer, table: Table) -> None:
    path, sample = table.world.shown(table.world.layer(layer, WHO)), SAMPLES[layer.name]
    versions = [{path: text.encode()} for text in (sample.first, sample.more(EDIT), sample.more(THEIRS))]
    merged = merge_worlds(*versions)[path]
    assert merged.conflicts == ()
    assert merged.data is not None
    text = merged.data.decode()
    assert [text.count(mark) for mark in (MARK, EDIT, THEIRS)] == [1, 1, 1]
    write(table.world, layer, text)
    found = {problem.code for problem in check_files(table.world).problems if problem.severity == "error"}
    assert found == set()


def rewind(layer: AnyLayer, table: Table) -> None:
    layout = copied(table.lived, table.folder)
    then = layout.layer(layer, WHO).read_text(encoding="utf-8")
    path = write(layout, layer, SAMPLES[layer.name].more(EDIT))
    play(layout)
    commit_all(layout.root, "a second day, after an edit by hand")
    assert EDIT in path.read_text(encoding="utf-8")
    outcome = table.run("rewind", "-w", layout.root, "day-001", "--yes")
    assert outcome.code == 0, outcome.err
    assert path.read_text(encoding="utf-8") == then


def watch(layer: AnyLayer, table: Table) -> None:
    watching = Watch(table.world)
    watching.remember()
    assert not watching.edited()
    write(table.world, layer, SAMPLES[layer.name].more(EDIT))
    assert watching.edited()


def published(table: Table, folder: str, hidden: frozenset[str]) -> str:
    target = table.folder / folder
    publish(table.world, target, hidden)
    files = [path for path in target.rglob("*") if path.is_file()]
    return "".join(path.read_text(encoding="utf-8", errors="replace") for path in files)


def keep(layer: AnyLayer, table: Table) -> None:
    """Leave the mark in the file of this layer alone."""
    for other in LAYERS:
        if other is not layer:
            table.world.layer(other, WHO).unlink()


def publish_pages(layer: AnyLayer, table: Table) -> None:
    keep(layer, table)
    assert MARK in published(table, "all", frozenset())
    assert MARK not in published(table, "some", frozenset({layer.name}))
    assert MARK not in published(table, "default", frozenset(read_private(table.world)))
    outcome = table.run("publish", "-w", table.world.root, table.folder / "named", "--private", layer.name)
    assert f"left out as private: {layer.name} (1)" in outcome.err


def export(layer: AnyLayer, table: Table) -> None:
    keep(layer, table)

    def book(*hidden: str) -> str:
        options = ExportOptions((WHO,), parse_hidden((), hidden), least_importance=1)
        return bind_book(build_book(table.world, options)[0], "md", "a5").decode()

    assert MARK in book()
    assert MARK not in book(layer.name)


def card(layer: AnyLayer, table: Table) -> None:
    keep(layer, table)
    held, whole = (make_card(table.world, WHO, ".json", shown)[1].decode() for shown in ((), card_words()))
    assert MARK in whole
    assert MARK not in held


def context(layer: AnyLayer, table: Table) -> None:
    keep(layer, table)

    def prompts(name: str) -> str:
        other = OTHER if name == WHO else WHO
        shown = [
            table.run("context", "-w", table.world.root, name, "--prompt", "--scene", kind, "--with", f"{name},{other}")
            for kind in ("encounter", "arrival")
        ]
        assert [outcome.code for outcome in shown] == [0, 0], shown[0].err + shown[1].err
        return "".join(outcome.out for outcome in shown)

    assert MARK in prompts(WHO)
    assert MARK not in prompts(OTHER)


def why(layer: AnyLayer, table: Table) -> None:
    ids = [
        json.loads(row)["id"] for row in table.lived.stream(WHO).read_text(encoding="utf-8").splitlines() if row.strip()
    ]
    documents = (json.dumps(as_json(describe_why(table.lived, name, prompts=True))) for name in ids)
    assert any(f"{MARK} {layer.name}" in document for document in documents)


def mcp(layer: AnyLayer, table: Table) -> None:
    keep(layer, table)
    give_memories(table.world, [])
    given = {name: OTHER if name in ("name", "character") else "what" for name in describe_arguments()}
    found = []
    for tool in select_tools({layer.name}):
        if not tool.writes and not {"time_range", "memory_id", "id1", "id2", "type"} & {p.name for p in needed(tool)}:
            arguments = {parameter.name: given[parameter.name] for parameter in needed(tool)}
            found.append(json.dumps(as_json(tool.function(open_mind(table.world, WHO), **arguments))))
    assert any(MARK in text for text in found)


def needed(tool: Any) -> list[Any]:
    return [parameter for parameter in tool.parameters if parameter.default is parameter.empty]


def command(layer: AnyLayer, table: Table) -> None:
    keep(layer, table)
    assert layer.commands
    for each in layer.commands:
        outcome = table.run(*each.format(agent=WHO).split()[1:], "-w", table.world.root)
        assert outcome.code == 0, outcome.err
        assert MARK in outcome.out, each


TESTS: dict[str, Callable[[AnyLayer, Table], None]] = {
    "check": check,
    "diff": diff,
    "merge": merge,
    "rewind": rewind,
    "watch": watch,
    "publish": publish_pages,
    "export": export,
    "card": card,
    "context": context,
    "why": why,
    "mcp": mcp,
    "command": command,
}


def test_every_feature_has_a_test() -> None:
    assert TESTS.keys() == FEATURES.keys()


@pytest.mark.matrix
@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("name", [layer.name for layer in LAYERS])
def test_a_layer_takes_part_or_says_why_not(name: str, feature: str, table: Table) -> None:
    layer = known_layers()[name]
    if feature in layer.without:
        with pytest.raises(AssertionError):
            TESTS[feature](layer, table)
    else:
        TESTS[feature](layer, table)


@pytest.fixture
def _with_fears() -> Iterator[None]:
    with declared():
        yield


@pytest.mark.matrix
@pytest.mark.usefixtures("_with_fears")
@pytest.mark.parametrize("feature", [feature for feature in FEATURES if feature not in FEARS.without])
def test_a_layer_declared_by_one_module_and_one_template_takes_part_too(feature: str, table: Table) -> None:
    TESTS[feature](FEARS, table)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.name)
def test_a_reason_is_a_sentence_about_a_feature(layer: AnyLayer) -> None:
    assert layer.without.keys() <= FEATURES.keys()
    assert all(len(reason) > 20 for reason in layer.without.values())


@pytest.mark.usefixtures("_with_fears")
def test_what_a_reply_says_about_a_declared_layer_is_written_into_its_file(world: Layout) -> None:
    def frightened(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        asked = "afraid_of" in json.dumps(request.schema)
        return {**reply, "afraid_of": ["The dark."]} if asked else reply

    play(world, backend=Scripted(frightened))
    read, problems = load_layer(world, FEARS, WHO)
    assert read == (f"{MARK} fears", "The dark.")
    assert problems == []
    assert load_layer(world, FEARS, OTHER)[0] == ("The dark.",)


def test_a_layer_is_declared_for_a_time(world: Layout) -> None:
    with declared():
        assert FEARS in load_mind(world, WHO)[0]
    assert FEARS not in load_mind(world, WHO)[0]
