"""``gm recall``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gm.files.layout import Layout
from gm.model.node import render_node
from tests.build import node
from tests.cli.running import Run

NODES = (
    node(1, description="Der Knochenturm steht schief.", created="day-001/scene-02", tags=("towers", "darius")),
    node(2, description="Es regnet auf die Aschen-Einöden.", created="day-002/scene-01", type="plan", importance=8),
    node(3, description="Die Zisterne ist leer.", created="day-003/scene-01", metadata={"kind": "lesson"}),
)


@pytest.fixture
def world(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path / "world")
    layout.memories.mkdir(parents=True)
    layout.agents.mkdir()
    layout.agent("vera").write_text('{"name": "Vera Klein"}', encoding="utf-8")
    layout.stream("vera").write_text("".join(render_node(item) + "\n" for item in NODES), encoding="utf-8")
    other = node(1, agent="emre", description="Am Knochenturm war ich nie.", created="day-001/scene-01")
    layout.stream("emre").write_text(render_node(other) + "\n", encoding="utf-8")
    return layout


def test_the_document_has_what_others_build_on(run: Run, world: Layout) -> None:
    done = run("recall", "Vera", "Knochentürme", "-w", world.root, "--json")
    assert done.code == 0
    assert list(done.document) == ["query", "strategy", "memories"]
    assert (done.document["query"], done.document["strategy"]) == ("Knochentürme", "hybrid")
    assert done.document["memories"] == [
        {
            "id": "vera-001",
            "content": "Der Knochenturm steht schief.",
            "relevance": 1.0,
            "turn": "2",
            "agent": "vera",
            "created": "day-001/scene-02",
            "type": "observation",
            "importance": 5,
            "tags": ["towers", "darius"],
        }
    ]
    assert "no embedding index" in done.err


def test_words_need_no_quotation_marks_and_are_shown_in_lines(run: Run, world: Layout) -> None:
    done = run("recall", "vera", "Knochenturm", "schief", "-w", world.root, "--explain")
    assert done.out.splitlines()[0].startswith("1.00  vera-001 day-001/scene-02 observation (5): Der Knochenturm")
    assert "own " in done.out.splitlines()[1]
    assert "1.00 is the best that was found" in done.err
    assert "Nothing matches" not in done.err


def test_words_that_match_nothing_are_named(run: Run, world: Layout) -> None:
    done = run("recall", "vera", "Wo steht der Knochenturm im Schnee, Vera?", "-w", world.root)
    assert done.out.startswith("1.00  vera-001")
    assert "Nothing matches schnee." in done.err
    assert run("recall", "vera", "Schnee Turm", "-w", world.root, "--json").document["unmatched"] == ["schnee"]


def test_nothing_found_is_no_error(run: Run, world: Layout) -> None:
    done = run("recall", "vera", "Schnee", "-w", world.root)
    assert (done.code, done.out) == (0, "")
    assert "No memories were found." in done.err


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ((), ["vera-003", "vera-002", "vera-001"]),
        (("-k", "1"), ["vera-003"]),
        (("--type", "plan,reflection"), ["vera-002"]),
        (("--kind", "lesson"), ["vera-003"]),
        (("--about", "Darius"), ["vera-001"]),
        (("--tags", "TOWERS"), ["vera-001"]),
        (("--min-importance", "6"), ["vera-002"]),
        (("--min-turn", "3"), ["vera-003", "vera-002"]),
        (("--max-turn", "2"), ["vera-001"]),
        (("--days", "2-3"), ["vera-003", "vera-002"]),
        (("--days", "2"), ["vera-002"]),
    ],
)
def test_filters_leave_only_what_they_name(run: Run, world: Layout, options: tuple[str, ...], found: list[str]) -> None:
    done = run("recall", "vera", "alles", "-w", world.root, "--strategy", "recent", "--json", *options)
    assert [item["id"] for item in done.document["memories"]] == found


def test_everybody_can_be_asked(run: Run, world: Layout) -> None:
    done = run("recall", "vera", "Knochenturm", "-w", world.root, "--all-agents", "--json")
    assert {item["agent"] for item in done.document["memories"]} == {"vera", "emre"}


def test_archived_memories_are_found_and_marked(run: Run, world: Layout) -> None:
    world.archive.mkdir()
    old = node(9, description="Im Archiv liegt eine Kelle.", created="day-001/scene-01")
    world.archived("vera").write_text(render_node(old) + "\n", encoding="utf-8")
    (item,) = run("recall", "vera", "Kelle", "-w", world.root, "-k", "1", "--json").document["memories"]
    assert (item["id"], item["kept_in"], item["turn"]) == ("vera-009", "archive", "1")


def test_a_file_of_questions_gives_a_line_for_each(run: Run, world: Layout, tmp_path: Path) -> None:
    asked = tmp_path / "questions.jsonl"
    asked.write_text('{"question": "Zisterne", "q": 7}\n\n{"question": "Schnee"}\n', encoding="utf-8")
    done = run("recall", "vera", "--queries", asked, "-w", world.root)
    first, second = (json.loads(line) for line in done.out.splitlines())
    assert (first["q"], first["question"], first["query"]) == (7, "Zisterne", "Zisterne")
    assert [item["id"] for item in first["memories"]] == ["vera-003"]
    assert second["memories"] == []
    assert done.err.count("no embedding index") == 1


def test_a_bad_file_of_questions_is_named_with_its_places(run: Run, world: Layout, tmp_path: Path) -> None:
    asked = tmp_path / "questions.jsonl"
    asked.write_text('{"question": "Zisterne"}\n{"ask": 1}\nnothing\n', encoding="utf-8")
    done = run("recall", "vera", "--queries", asked, "-w", world.root)
    assert (done.code, done.out) == (1, "")
    assert f"{asked}:2:1" in done.err
    assert f"{asked}:3:1" in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("vera",),
        ("vera", " "),
        ("nobody", "Turm"),
        ("vera", "Turm", "--strategy", "magic"),
        ("vera", "Turm", "--days", "7-3"),
        ("vera", "Turm", "--days", "x"),
        ("vera", "Turm", "--queries", "q.jsonl"),
        ("vera", "--queries", "absent.jsonl"),
        ("vera", "Turm", "-k", "0"),
        ("vera", "Turm", "--min-importance", "11"),
    ],
)
def test_wrong_arguments_are_a_usage_error(run: Run, world: Layout, arguments: tuple[str, ...]) -> None:
    done = run("recall", *arguments, "-w", world.root)
    assert (done.code, done.out) == (2, "")
    assert done.err


def test_a_broken_line_is_left_out_and_told(run: Run, world: Layout) -> None:
    with open(world.stream("vera"), "a", encoding="utf-8") as file:
        file.write('{"id": "vera-004"\n')
    done = run("recall", "vera", "Knochenturm", "-w", world.root)
    assert done.code == 0
    assert "state/memories/vera.jsonl: 1 line cannot be read" in done.err


def test_control_characters_are_never_printed_raw(run: Run, world: Layout) -> None:
    with open(world.stream("vera"), "a", encoding="utf-8") as file:
        file.write(render_node(node(4, description="Kelle \x1b[31m rot", created="day-003/scene-02")) + "\n")
    assert "\x1b[31m" not in run("recall", "vera", "Kelle", "-w", world.root).out
    asked = world.root / "q.jsonl"
    asked.write_text('{"question": "Kelle"}\n', encoding="utf-8")
    lines = run("recall", "vera", "--queries", asked, "-w", world.root).out
    assert "\x1b" not in lines
    assert json.loads(lines)["memories"][0]["content"] == "Kelle \x1b[31m rot"


def test_it_starts_without_what_is_heavy(world: Layout) -> None:
    code = (
        "import sys; from gm.cli.boundary import guarded; from gm.cli import gm;"
        f"guarded(gm, ['recall', 'vera', 'Turm', '-w', {str(world.root)!r}]);"
        "print([name for name in ('numpy', 'anthropic', 'jinja2', 'pydantic', 'rich') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_seed_memories_are_found_where_a_filter_names_them(run: Run, dinner: Layout) -> None:
    def found(*options: str) -> list[dict[str, object]]:
        done = run("recall", "alex", "Who am I?", "-w", dinner.root, "--json", *options)
        assert done.code == 0
        memories: list[dict[str, object]] = done.document["memories"]
        return memories

    assert run("gift", "-w", dinner.root).code == 0
    assert not [item for item in found() if "kept_in" in item]
    identity = found("--type", "character", "--category", "identity")
    assert str(identity[0]["content"]).startswith("You are Alex Pemberton")
    assert (identity[0]["kept_in"], identity[0]["type"], identity[0]["relevance"]) == ("gifted", "character", 1.0)
    assert str(identity[0]["id"]).startswith("gifted/alex-")
    about = found("--type", "character_knowledge", "--about", "jordan")
    assert about
    assert all("Jordan" in str(item["content"]) for item in about)
    assert {str(item["id"]).partition("-")[0] for item in found("--type", "scene")} == {"gifted/_world"}
    assert found("--type", "episodic", "--category", "identity") == []


def test_the_character_whose_context_is_shown_takes_part_in_the_scene(run: Run, dinner: Layout) -> None:
    where = ("-w", dinner.root, "--scene", "encounter", "--json", "--prompt")
    one, both = (run("context", "alex", *where, "--with", cast).document for cast in ("Casey", "casey,alex"))
    assert one["prompt"] == both["prompt"]
    assert "Here with you: Casey" in one["prompt"]
