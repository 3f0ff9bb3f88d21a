"""The commands for worlds that people and other tools write, run as a user runs them."""

import json
from pathlib import Path

import pytest

from gm.cli import gm
from gm.cli.boundary import guarded
from gm.files.layout import Layout
from tests.handmade import BROKEN_BULLETIN, MINA_LINES, OLE_LINES, fingerprint, make_handmade

PLACE = "state/bulletin.json:4:5"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return make_handmade(tmp_path)


def run(layout: Layout, *arguments: str) -> int:
    return guarded(gm, [*arguments, "-w", str(layout.root)])


@pytest.mark.parametrize(
    "arguments",
    [
        ("status",),
        ("status", "--json"),
        ("stats",),
        ("due", "--json"),
        ("context", "Mina", "--json"),
        ("accumulators", "--recompute"),
        ("memory", "show", "mina-002"),
        ("memory", "show", "Ole", "--json"),
        ("memory", "find", "türme"),
        ("memory", "add", "mina", "Neu.", "--importance", "3"),
        ("memory", "edit", "mina-001", "--importance", "3"),
        ("memory", "tag", "mina-001", "+neu", "-boot"),
        ("migrate", "--dry-run"),
    ],
)
def test_a_broken_bulletin_stops_no_command_that_does_not_need_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    layout = make_handmade(tmp_path, bulletin=BROKEN_BULLETIN)
    assert run(layout, *arguments) == 0
    shown = capsys.readouterr()
    assert shown.out
    assert shown.err.count("bulletin.json") <= 1
    assert ("bulletin.json" in shown.err) == (PLACE in shown.err)
    assert layout.bulletin.read_text(encoding="utf-8") == BROKEN_BULLETIN


@pytest.mark.parametrize(
    "arguments",
    [("advance-day", "--model", "rehearsal"), ("scene", "work", "--model", "rehearsal"), ("reflect", "mina")],
)
def test_a_broken_bulletin_stops_playing_before_the_first_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    layout = make_handmade(tmp_path, bulletin=BROKEN_BULLETIN)
    before = fingerprint(tmp_path)
    assert run(layout, *arguments) == 1
    shown = capsys.readouterr()
    assert shown.err.count(PLACE) == 1
    assert fingerprint(tmp_path) == before
    assert not layout.traces.exists()


def test_an_adopted_world_goes_on_from_its_own_day(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(gm, ["adopt", str(layout.root), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["written"], document["day"]) == (True, 3)
    assert [item["path"] for item in document["made"]] == ["gm.yaml", "state/personas/mina.md", "state/personas/ole.md"]
    streams = {name: layout.stream(name).read_bytes() for name in ("mina", "ole")}
    before = fingerprint(layout.root)
    assert run(layout, "advance-day", "--model", "rehearsal", "--json") == 0
    assert json.loads(capsys.readouterr().out)["days"][0]["day"] == 4
    for name, old in streams.items():
        new = layout.stream(name).read_bytes()
        assert new.startswith(old)
        assert len(new) > len(old)
        assert (b"\r\n" in new) == (b"\r\n" in old)
    world = layout.world.read_text(encoding="utf-8")
    assert '"day": 4,  "day_of_week": "Donnerstag",\n' in world
    assert '    {"day": 4, "event": "Probe am Steg", "time": "all-day"}\n' in world
    assert '"note": "bleibt",\n "importance_accumulator": ' in layout.agent("ole").read_text(encoding="utf-8")
    after = fingerprint(layout.root)
    changed = {path for path in before if after[path] != before[path]}
    assert changed == {
        "state/world.json",
        *(f"state/agents/{name}.json" for name in streams),
        *(f"state/memories/{name}.jsonl" for name in streams),
    }
    assert (layout.root / "logbook" / "day-004.jsonl").exists()


def test_adopting_says_what_to_fill_in_and_twice_does_nothing(
    layout: Layout, capsys: pytest.CaptureFixture[str]
) -> None:
    assert guarded(gm, ["adopt", str(layout.root), "--dry-run"]) == 0
    assert "would make gm.yaml" in capsys.readouterr().out
    assert not layout.settings.exists()
    assert guarded(gm, ["adopt", str(layout.root)]) == 0
    shown = capsys.readouterr().out
    assert "made state/personas/mina.md  from roster/mina-soerensen.md" in shown
    assert "fill in: world.premise" in shown
    before = fingerprint(layout.root)
    assert guarded(gm, ["adopt", str(layout.root)]) == 0
    assert "Nothing is missing" in capsys.readouterr().out
    assert fingerprint(layout.root) == before


def test_adopting_what_is_no_world_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert guarded(gm, ["adopt", str(empty)]) == 1
    assert "is not a world" in capsys.readouterr().err
    assert list(empty.iterdir()) == []


@pytest.mark.parametrize(("answer", "code", "is_written"), [("y\n", 0, True), ("n\n", 1, False), ("", 1, False)])
def test_migrating_shows_the_diff_and_asks(
    layout: Layout,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
    answer: str,
    code: int,
    is_written: bool,
) -> None:
    typed = tmp_path_factory.mktemp("typed") / "answer"
    typed.write_text(answer, encoding="utf-8")
    before = fingerprint(layout.root)
    with open(typed, encoding="utf-8") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        assert run(layout, "migrate") == code
    shown = capsys.readouterr()
    assert "--- a/state/memories/mina.jsonl" in shown.out
    assert "\\ No newline at end of file" in shown.out
    assert "Rewrite 2 lines in 2 files?" in shown.err
    assert (fingerprint(layout.root) != before) is is_written


def test_migrating_without_being_asked(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(layout, "migrate", "--json") == 0
    assert json.loads(capsys.readouterr().out)["written"] is False
    assert run(layout, "migrate", "--yes", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["written"], document["lines"]) == (True, 2)
    assert run(layout, "migrate") == 0
    assert "Nothing has an older shape. A gm.yaml could say the format" in capsys.readouterr().out
    assert guarded(gm, ["adopt", str(layout.root)]) == 0
    assert run(layout, "migrate", "--yes") == 0
    assert "1 line rewritten in 1 file; the world has format 2." in capsys.readouterr().out
    assert run(layout, "migrate") == 0
    assert "The world has format 2, the present one." in capsys.readouterr().out
    assert layout.stream("ole").read_text(encoding="utf-8").startswith(OLE_LINES[0] + "\n")


def test_tags_are_written_with_signs(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(gm, ["memory", "tag", "-w", str(layout.root), "mina-001", "+Hafen", "-BOOT", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tags"] == ["hafen"]
    lines = layout.stream("mina").read_bytes().decode().split("\r\n")
    assert lines[0] == MINA_LINES[0].replace('["boot"]', '["hafen"]')
    assert run(layout, "memory", "tag", "mina-001", "-w-x", "--add", "a,b") == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("memory", "edit", "mina-001"),
        ("memory", "tag", "mina-001"),
        ("memory", "show", "nobody-001"),
        ("memory", "add", "mina", "x", "--importance", "11"),
        ("memory", "add", "mina"),
        ("memory", "find", "x", "--agent", "vera"),
        ("accumulators", "--write"),
    ],
)
def test_wrong_usage_is_said_and_changes_nothing(
    layout: Layout, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    before = fingerprint(layout.root)
    assert run(layout, *arguments) == 2
    assert capsys.readouterr().err
    assert fingerprint(layout.root) == before


def test_adding_is_shown_as_the_line_that_was_written(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (
        "memory",
        "add",
        "MINA",
        "Neu.",
        "--importance",
        "3",
        "--tags",
        "a,b",
        "--evidence",
        "ole-002",
        "--json",
    )
    assert run(layout, *arguments) == 0
    node = json.loads(capsys.readouterr().out)
    last = layout.stream("mina").read_bytes().decode().split("\r\n")[-2]
    assert json.loads(last) == node
    assert (node["id"], node["tags"], node["evidence"]) == ("mina-005", ["a", "b"], ["ole-002"])


def test_accumulators_are_shown_and_written(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(layout, "accumulators", "--json") == 0
    assert json.loads(capsys.readouterr().out)["agents"]["mina"]["accumulator"] == 40
    assert run(layout, "accumulators", "--recompute", "--write") == 0
    assert "recomputed    5 (-35, written)" in capsys.readouterr().out
    assert run(layout, "accumulators", "mina", "--json") == 0
    assert json.loads(capsys.readouterr().out)["agents"] == {
        "mina": {"accumulator": 5, "due": False, "last_reflection": "mina-003"}
    }
