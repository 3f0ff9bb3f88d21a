"""Everything that hand-made files may hold is named at its place, and nothing else is."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from gm.api.answers.document import as_json
from gm.api.editing.check.whole import check_world, describe_report
from gm.base.errors import errors_in
from gm.cli.worlds.check import check
from gm.files.layout import Layout
from gm.files.load import load_world
from tests.files.check.handmade import make_handmade

# severity, code, path:line:column, what stands at that place
EXPECTED = (
    ("info", "artifact-name", "logbook/day-001.jsonl:1:255", '"mast-skizze"'),
    ("info", "artifact-object", "logbook/day-001.jsonl:1:270", '{"path": "gall'),
    ("info", "artifact-folder", "logbook/day-001.jsonl:1:308", '"gallery/plans'),
    ("info", "scene-compound", "logbook/day-001.jsonl:2:22", '"WORK+REFLECTI'),
    ("info", "scene-type", "logbook/day-001.jsonl:3:22", '"FISCHESSEN"'),
    ("info", "scene-time", "logbook/day-001.jsonl:3:51", '"late-afternoo'),
    ("info", "participant", "logbook/day-001.jsonl:4:113", '"creative-dire'),
    ("info", "json-layout", "state/agents/mina.json:5:20", '"DONE: Mast ve'),
    ("info", "plan-state", "state/agents/mina.json:5:44", '"OFFEN: Segel '),
    ("warning", "accumulator", "state/agents/mina.json:7:31", "12"),
    ("info", "last-reflection-null", "state/agents/mina.json:8:24", "null"),
    ("info", "number-form", "state/agents/otto.json:7:31", "15.00"),
    ("info", "json-layout", "state/agents/otto.json:7:35", "0"),
    ("error", "json-syntax", "state/bulletin.json:4:9", '{"from": "otto'),
    ("info", "node-older", "state/memories/mina.jsonl:1:110", '"Die Werft rie'),
    ("info", "reflection-bare", "state/memories/mina.jsonl:2:192", "[]"),
    ("info", "memory-unlisted", "state/memories/mina.jsonl:3:8", '"mina-003"'),
    ("info", "evidence-type", "state/memories/mina.jsonl:3:187", '"mina-002"]'),
    ("info", "evidence-type", "state/memories/mina.jsonl:4:191", '"mina-003"]'),
    ("info", "artifact-bare", "state/memories/mina.jsonl:5:206", "{}}"),
    ("info", "depth-rule", "state/memories/mina.jsonl:6:82", "1"),
    ("info", "evidence-other", "state/memories/mina.jsonl:7:193", '"otto-001"]'),
    ("info", "number-form", "state/memories/mina.jsonl:8:159", "5.00"),
    ("info", "tag-letters", "state/memories/mina.jsonl:9:183", '"mövenruf"]'),
    ("info", "tag-spelling", "state/memories/mina.jsonl:10:172", '"moevenruf"]'),
    ("warning", "tag-nfd", "state/memories/mina.jsonl:12:181", '"mövenruf"]'),
    ("info", "text-nfd", "state/memories/mina.jsonl:13:101", '"Der Kran übe'),
    ("info", "tag-form", "state/memories/mina.jsonl:14:172", '"r&d"'),
    ("warning", "byte-order-mark", "state/memories/otto.jsonl:1:1", '{"id": "otto-0'),
    ("info", "memory-unlisted", "state/memories/otto.jsonl:1:8", '"otto-001"'),
    ("warning", "blank-line", "state/memories/otto.jsonl:2:1", ""),
    ("warning", "line-end", "state/memories/otto.jsonl:3:212", "\r"),
    ("info", "scene-unlogged", "state/memories/otto.jsonl:4:31", '"day-001/scene'),
    ("warning", "final-newline", "state/memories/otto.jsonl:4:213", ""),
    ("info", "persona-missing", "state/personas/mina.md:0:0", ""),
    ("info", "persona-missing", "state/personas/otto.md:0:0", ""),
    ("info", "json-layout", "state/world.json:8:10", '"day": 2'),
    ("info", "event-time", "state/world.json:8:51", '"all-day"}'),
)


@pytest.fixture
def handmade(tmp_path: Path) -> Layout:
    return make_handmade(tmp_path)


def test_each_item_of_the_list_is_named_at_its_place_and_nothing_else_is(handmade: Layout) -> None:
    found = [
        (item.severity, item.code, f"{item.path}:{item.line}:{item.column}") for item in check_world(handmade).problems
    ]
    assert found == [row[:3] for row in EXPECTED]


@pytest.mark.parametrize("row", EXPECTED, ids=lambda row: f"{row[1]}@{row[2]}")
def test_the_place_is_where_the_value_stands(handmade: Layout, row: tuple[str, str, str, str]) -> None:
    path, line, column = row[2].rsplit(":", 2)
    if int(line):
        text = (handmade.root / path).read_bytes().decode().removeprefix("\ufeff").split("\n")[int(line) - 1]
        assert text[int(column) - 1 :].startswith(row[3])


def test_a_null_of_the_contract_says_that_nothing_has_to_be_done(handmade: Layout) -> None:
    (found,) = (item for item in check_world(handmade).problems if item.code == "last-reflection-null")
    assert found.message.endswith("nothing has to be done")


def test_only_the_broken_bulletin_is_an_error_and_everything_else_is_read(handmade: Layout) -> None:
    loaded = load_world(handmade)
    assert [item.path for item in errors_in(loaded.problems)] == ["state/bulletin.json"]
    assert {name: len(agent.stream) for name, agent in loaded.world.agents.items()} == {"mina": 14, "otto": 3}
    assert loaded.world.agents["mina"].stream[0].description == "Die Werft riecht nach Teer."
    assert loaded.world.agents["mina"].stream[0].created == "day-001"
    assert loaded.world.agents["mina"].stream[7].importance == 5


def test_the_document_for_tools_has_exactly_these_keys(handmade: Layout) -> None:
    document = as_json(describe_report(check_world(handmade)))
    assert list(document) == ["ok", "counts", "problems"]
    assert document["ok"] is False
    assert list(document["counts"]) == ["agents", "memories", "scenes", "errors", "warnings", "infos"]
    assert document["counts"] | {"warnings": 0, "infos": 0} == {
        "agents": 2,
        "memories": 17,
        "scenes": 4,
        "errors": 1,
        "warnings": 0,
        "infos": 0,
    }
    keys = ["severity", "code", "path", "line", "column", "message", "hint"]
    assert all(list(problem) == keys for problem in document["problems"])


def test_people_see_problems_grouped_by_file_with_the_text_at_the_place(handmade: Layout) -> None:
    result = CliRunner().invoke(check, ["-w", str(handmade.root), "--quiet"], standalone_mode=False)
    assert result.return_value == 1
    head, place, text, caret, *_ = (
        result.output.split("state/bulletin.json\n")[1].splitlines()
        and result.output[result.output.index("state/bulletin.json\n") :].splitlines()
    )
    assert head == "state/bulletin.json"
    assert place == "  state/bulletin.json:4:9: error: not JSON: '{' found; expecting ',' delimiter  [json-syntax]"
    assert text.index('{"from"') == caret.index("^")
    assert "info:" not in result.output
    assert result.output.splitlines()[-1].startswith("2 agents, 17 memories, 4 scenes: 1 error, ")


def test_checking_writes_nothing(handmade: Layout) -> None:
    def files() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in handmade.root.rglob("*") if path.is_file()}

    before = files()
    check_world(handmade)
    assert files() == before
