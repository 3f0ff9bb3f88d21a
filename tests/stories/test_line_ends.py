"""A world saved by an editor that writes CRLF, a byte order mark, or no last line end is the same world."""

from __future__ import annotations

import difflib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from gm.api.editing.check.whole import check_world
from gm.api.worlds.create import create_world
from gm.base.errors import Problem
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.packaged.shipped import shipped_prompts
from gm.llm.identity import identity
from tests.cli.running import Run
from tests.everything import everything_on
from tests.stories.playing import Counting, play

BOM = b"\xef\xbb\xbf"
FORMS: dict[str, Callable[[bytes], bytes]] = {
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "a byte order mark": lambda data: BOM + data,
    "no final newline": lambda data: data.rstrip(b"\n"),
    "CRLF and a byte order mark": lambda data: BOM + data.replace(b"\n", b"\r\n"),
}
FORM_CODES = {"line-end", "byte-order-mark", "final-newline"}
OUR_OWN = ("state/.gm/", "state/traces/")
HAND_MADE = {
    "gm.yaml",
    "library/soup.md",
    "prompts/en/scenes/work.j2",
    "prompts/en/words.yaml",
    "scripts/day-002.yaml",
    "state/agents/alex.json",
    "state/bulletin.json",
    "state/diary/alex.jsonl",
    "state/goals/alex.jsonl",
    "state/memories/alex.jsonl",
    "state/personas/alex.md",
    "state/relationships/alex.json",
    "state/souls/alex.yaml",
    "state/threads.jsonl",
    "state/working/alex.yaml",
    "state/world.json",
}
SCRIPT = """\
# mine
scenes:
  - type: encounter
    with: [alex, casey]
    topic: the soup
    premise: |
      Alex waits.
      Casey does not.
  - free
"""


@dataclass(frozen=True)
class Lived:
    """A world before and after two days, and what was asked in them."""

    layout: Layout
    before: dict[str, bytes]
    after: dict[str, bytes]
    asked: list[str]


def files_of(layout: Layout) -> dict[str, bytes]:
    found = {path.relative_to(layout.root).as_posix(): path for path in layout.root.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in sorted(found.items()) if not name.startswith(OUR_OWN)}


def plain(data: bytes) -> bytes:
    return data.replace(BOM, b"").replace(b"\r\n", b"\n").rstrip(b"\n")


def save_as(layout: Layout, form: str) -> Layout:
    for name, data in files_of(layout).items():
        (layout.root / name).write_bytes(FORMS[form](data))
    return layout


def live(layout: Layout) -> Lived:
    before, backend = files_of(layout), Counting()
    play(layout, days=2, backend=backend)
    return Lived(
        layout,
        before,
        files_of(layout),
        sorted(f"{item.place} {item.label} {identity(item, backend)}" for item in backend.asked),
    )


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """A world after a day, with a file of every kind that people write."""
    layout = everything_on(create_world(tmp_path_factory.mktemp("begun") / "dinner", "dinner"))
    shutil.copytree(shipped_prompts() / "en", layout.prompts / "en", dirs_exist_ok=True)
    layout.scripts.mkdir()
    (layout.scripts / "day-002.yaml").write_text(SCRIPT, encoding="utf-8")
    layout.library.mkdir(exist_ok=True)
    (layout.library / "soup.md").write_text(
        "# Soup\n\nBoil onions.\n\n## Salt\n\nFor a dinner, less.\n", encoding="utf-8"
    )
    play(layout)
    return layout


@pytest.fixture(scope="module")
def usual(begun: Layout, tmp_path_factory: pytest.TempPathFactory) -> Lived:
    root = tmp_path_factory.mktemp("usual") / "dinner"
    shutil.copytree(begun.root, root)
    return live(Layout(root))


@pytest.fixture
def copy(begun: Layout, tmp_path: Path) -> Layout:
    shutil.copytree(begun.root, tmp_path / "dinner")
    return Layout(tmp_path / "dinner")


@pytest.mark.parametrize("form", FORMS)
def test_a_world_in_another_form_lives_the_same_days_and_keeps_its_form(
    begun: Layout, usual: Lived, copy: Layout, form: str
) -> None:
    save_as(copy, form)
    assert files_of(copy).keys() >= HAND_MADE
    loaded = load_world(copy)
    assert loaded.world == load_world(begun).world
    assert loaded.problems == ()
    lived = live(copy)
    assert lived.asked == usual.asked
    assert {name: plain(data) for name, data in lived.after.items()} == {
        name: plain(data) for name, data in usual.after.items()
    }
    for name, old in lived.before.items():
        new = lived.after.get(name, b"")
        if name not in lived.after or new == old:
            continue
        assert new.count(BOM) == new.startswith(BOM) == old.startswith(BOM), name
        # of a single line without an end nobody can tell how the next one should end
        if b"\r\n" in old:
            assert new.count(b"\n") == new.count(b"\r\n"), name
        else:
            assert b"\r" not in new, name


@pytest.mark.parametrize("form", FORMS)
def test_check_says_how_files_are_saved_and_calls_it_no_error(copy: Layout, form: str) -> None:
    def shown(problem: Problem) -> tuple[str, str]:
        return problem.severity, problem.code

    def problems() -> list[Problem]:
        # of the script it is also said that the Director plays by rules: that is no matter of form
        return [item for item in check_world(copy).problems if item.code != "script-unplayed"]

    assert problems() == []
    save_as(copy, form)
    found = problems()
    assert {item.code for item in found} <= FORM_CODES
    # a line of a stream has one agreed form; of what people write by hand it is merely worth knowing
    assert {item.severity for item in found if not item.path.endswith(".jsonl")} == {"info"}
    assert {item.severity for item in found} <= {"info", "warning"}


BY_HAND: tuple[tuple[tuple[str, ...], str, int], ...] = (
    (("memory", "edit", "alex-002", "--description", "Quite another thing."), "state/memories/alex.jsonl", 1),
    (("memory", "add", "alex", "By hand.", "--importance", "3"), "state/memories/alex.jsonl", 1),
    (("soul", "add", "alex", "Soup is a promise.", "--kind", "value"), "state/souls/alex.yaml", 2),
    (("working", "set", "alex", "current_subgoal", "Soup"), "state/working/alex.yaml", 1),
    (("goals", "add", "alex", "Serve soup."), "state/goals/alex.jsonl", 1),
    (("threads", "open", "alex", "I bring bread.", "--to", "casey"), "state/threads.jsonl", 1),
    (("post", "Bread is here."), "state/bulletin.json", 8),
    (("event", "Bread", "--day", "5", "--time", "noon"), "state/world.json", 8),
)
"""What a person has gm write, into which file, and how many lines it adds or changes there."""


@pytest.mark.parametrize("form", FORMS)
def test_what_is_written_by_hand_changes_only_its_own_lines(run: Run, copy: Layout, form: str) -> None:
    save_as(copy, form)
    before = files_of(copy)
    for arguments, path, lines in BY_HAND:
        outcome = run(*arguments, "-w", copy.root)
        assert (outcome.code, outcome.err) == (0, "")
        after = files_of(copy)
        assert {name for name in after if after[name] != before.get(name)} <= {path, "state/agents/alex.json"}
        old, new = (data[path].decode().split("\n") for data in (before, after))
        changed = [line for line in difflib.ndiff(old, new) if line[0] in "-+"]
        added = [line for line in changed if line[0] == "+"]
        # a last line that had no end gets one, and that is all that may happen to a line which nobody meant
        slack = 1 if form == "no final newline" else 0
        assert 1 <= len(added) <= lines + slack, changed
        assert len(changed) - len(added) <= 1 + slack, changed
        if before[path].count(b"\r\n"):
            assert after[path].count(b"\n") == after[path].count(b"\r\n")
        assert after[path].startswith(BOM) == before[path].startswith(BOM)
        before = after
