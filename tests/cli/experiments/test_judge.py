"""``gm judge``: pairs, judges through the mailbox and in person, and the result."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from gm.api.experiments.judging.pairs import PairsMade
from gm.cli.experiments.judge import show_made
from gm.files.experiments.judging import read_comparison, read_verdicts, write_pairs
from gm.model.verdict import Pair
from tests.api.experiments.test_judging import HOSTILE, folder_of, say
from tests.cli.running import Run


def answer(folder: Path, better: str, most: int) -> None:
    """Answer some of the open letters."""
    letters = sorted(folder.glob("state/mailbox/*[!m].md"))[:most]
    for letter in letters:
        text = json.dumps({"reason": "So.", "better": better})
        letter.with_suffix(".answer.json").write_text(text, encoding="utf-8")


def beside_its_world(root: Path) -> Path:
    """Return a folder to be judged beside the first world of its comparison."""
    (root / "full/state/personas").mkdir(parents=True)
    return root / "judged"


def test_the_mailbox_judges_in_both_orders_and_goes_on(run: Run, tmp_path: Path) -> None:
    tmp_path = beside_its_world(tmp_path)
    folder_of(tmp_path, 2)
    first = run("judge", tmp_path, "--judge", "mailbox", "--json")
    assert (first.code, len(first.document["awaiting"])) == (75, 4)
    letter = next(tmp_path.glob("state/mailbox/*.md")).read_text(encoding="utf-8")
    assert "as yourself" in letter
    assert not {"full", "none"} & set(letter.split())
    answer(tmp_path, "first", 3)
    second = run("judge", tmp_path, "--judge", "mailbox", "--json")
    assert (second.code, len(second.document["awaiting"])) == (75, 1)
    assert len(read_verdicts(tmp_path)[0]) == 3, "verdicts are written as they come"
    answer(tmp_path, "first", 1)
    third = run("judge", tmp_path, "--judge", "mailbox", "--json")
    assert third.code == 0, third.err
    assert third.document["both_orders"] == 0
    assert [one["won"] for one in third.document["ranking"]] == [0.5, 0.5]
    assert run("judge", tmp_path, "--judge", "mailbox").code == 0
    assert len(read_verdicts(tmp_path)[0]) == 4
    assert not [*tmp_path.glob("state/mailbox/*.md")]
    other = run("judge", tmp_path, "--judge", "mailbox", "--question", "Which is funnier?")
    assert (other.code, "there are verdicts on another question" in other.err) == (2, True)


def test_a_person_judges_and_may_stop(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = folder_of(tmp_path, 3)
    hostile = Pair(key="h", item="h", first="full", second="none", first_text=HOSTILE, second_text="Two.")
    write_pairs(tmp_path, [hostile, *pairs])
    monkeypatch.setattr("sys.stdin", io.StringIO("1\nclearer\nx\nt\n\n"))
    left = run("judge", tmp_path, "--as", "anna", "--json")
    assert left.document == {"judge": "anna", "judged": 2, "left": 2}
    assert left.err.index("Answer 1, 2 or t") < left.err.index("FIRST TEXT")
    assert left.err.count("Ctrl-C stops: judged pairs are kept, the same command goes on.") == 1
    assert "Why (optional; Return leaves it out)" in left.err
    assert "\\x1b[2J" in left.err
    assert "\x1b[2J" not in left.err
    assert not {"full", "none"} & set(left.err.split())
    verdicts = read_verdicts(tmp_path)[0]
    assert [(one.judge, one.pair, one.reason) for one in verdicts] == [
        ("anna", "h", "clearer"),
        ("anna", pairs[0].key, ""),
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO("t\n\nt\n\n"))
    assert run("judge", tmp_path, "--as", "anna").out.endswith("anna: 2 pairs judged, 0 left\n")


def test_the_result_is_shown_with_what_cannot_be_concluded(run: Run, tmp_path: Path) -> None:
    for at, pair in enumerate(folder_of(tmp_path, 10)):
        say(tmp_path, pair, "none" if at == 3 else "full")
    shown = run("judge", tmp_path)
    assert shown.code == 0
    assert "10 pairs, 20 verdicts; judges: critic" in shown.out
    assert "full         90%" in shown.out
    assert "agreement between judges (Krippendorff's alpha): no evidence" in shown.out
    assert "One judge only (critic)" in shown.out


@pytest.mark.parametrize("identical", [0, 1])
def test_who_makes_pairs_is_told_not_to_open_the_key(identical: int, capsys: pytest.CaptureFixture[str]) -> None:
    show_made(PairsMade("judged", "day", ("full", "none"), items=2, pairs=2, new=True, identical=identical))
    shown = capsys.readouterr().out
    assert "key.json says which is which: do not open it before judging." in shown
    assert ("1 pair left out: both texts are the same" in shown) == bool(identical)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "holds no pairs to judge"),
        (("a=b",), "two or more worlds"),
        (("a",), "'a' is not a condition"),
        (("a=b", "--judge", "mailbox"), "exclude each other"),
        (("--worlds", "a=b", "--as", "anna"), "exclude each other"),
        (("--worlds", "a=b"), "two or more worlds"),
        (("--question", "What?"), "--question is asked with"),
        (("--as", " "), "cannot be a name"),
        (("--judge", "mailbox"), "holds no pairs to judge"),
    ],
)
def test_what_makes_no_sense_is_refused(run: Run, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    found = run("judge", tmp_path / "x", *arguments)
    assert found.code in (1, 2)
    assert message in found.err
    assert not (tmp_path / "x").exists()


def test_the_rehearsal_judges_nothing(run: Run, tmp_path: Path) -> None:
    tmp_path = beside_its_world(tmp_path)
    folder_of(tmp_path, 1)
    found = run("judge", tmp_path, "--judge", "rehearsal")
    assert (found.code, "the rehearsal cannot judge" in found.err) == (2, True)


def test_without_the_first_world_there_is_no_budget_and_no_judge_is_asked(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "judged"
    folder_of(folder, 1)
    found = run("judge", folder, "--judge", "mailbox", "--question", "Which is funnier?")
    assert found.code == 2
    assert f"{tmp_path / 'full'} is not a world: the budget" in found.err
    assert f"correct its path in {folder / 'comparison.json'}" in found.err
    assert read_comparison(folder).question == "Which?"
    assert not [*folder.glob("state/mailbox/*")]
