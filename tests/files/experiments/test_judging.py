"""The folder of a comparison: lines that are broken are named, and what is appended never tears another line."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gm.base.errors import GmError
from gm.files.experiments.judging import (
    append_verdict,
    comparison_file,
    key_file,
    pairs_file,
    read_comparison,
    read_pairs,
    read_verdicts,
    verdicts_file,
    write_comparison,
    write_pairs,
)
from gm.model.verdict import PAIR, Better, Pair, PairComparison, Verdict

HOW = PairComparison(what="day", worlds=("a=../a", "b=../b"), language="en", question="Which?")


def pair(key: str) -> Pair:
    return Pair(key=key, item=key, first="a", second="b", first_text="One.", second_text="Two.")


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    write_comparison(tmp_path, HOW)
    write_pairs(tmp_path, [pair("x"), pair("y")])
    assert read_comparison(tmp_path) == HOW
    assert read_pairs(tmp_path) == ((pair("x"), pair("y")), [])
    assert read_verdicts(tmp_path) == ((), [])


def test_the_file_of_the_pairs_does_not_say_whose_texts_they_are(tmp_path: Path) -> None:
    secret = Pair(key="x", item="x", first="with-plans", second="without", first_text="One.", second_text="Two.")
    write_pairs(tmp_path, [secret])
    assert "with" not in pairs_file(tmp_path).read_text("utf-8")
    assert "with-plans" in key_file(tmp_path).read_text("utf-8")
    assert read_pairs(tmp_path) == ((secret,), [])


def test_a_folder_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    pairs_file(tmp_path).write_text(PAIR.render(pair("x")) + "\n", encoding="utf-8")
    assert read_pairs(tmp_path) == ((pair("x"),), [])


def test_a_pair_that_the_key_does_not_hold_is_named(tmp_path: Path) -> None:
    write_pairs(tmp_path, [pair("x"), pair("y")])
    key_file(tmp_path).write_text('[{"pair": "y", "first": "a", "second": "b"}]', encoding="utf-8")
    found, problems = read_pairs(tmp_path)
    assert found == (pair("y"),)
    assert [(problem.line, "'x' is not in" in problem.message) for problem in problems] == [(1, True)]


@pytest.mark.parametrize("text", ["{}", "[1]", "[", '[{"pair": "x"}]'])
def test_a_key_that_cannot_be_read_is_named(tmp_path: Path, text: str) -> None:
    write_pairs(tmp_path, [pair("x")])
    key_file(tmp_path).write_text(text, encoding="utf-8")
    with pytest.raises(GmError, match=r"key\.json cannot be read"):
        read_pairs(tmp_path)


def test_broken_lines_are_named_and_the_others_count(tmp_path: Path) -> None:
    write_pairs(tmp_path, [pair("x"), pair("x")])
    with pairs_file(tmp_path).open("a", encoding="utf-8") as file:
        file.write('{"key": "z", "item": 3}\n{"key": \n')
    found, problems = read_pairs(tmp_path)
    assert found == (pair("x"),)
    where = pairs_file(tmp_path)
    assert [str(item).partition(": error")[0] for item in problems] == [f"{where}:{at}" for at in ("2:9", "3:1", "4:9")]
    assert "'x' is the key of an earlier line already" in str(problems[0])


def test_a_verdict_after_a_line_that_was_cut_off_begins_a_line_of_its_own(tmp_path: Path) -> None:
    verdict = Verdict(pair="x", judge="anna", choice="first")
    verdicts_file(tmp_path).write_text('{"pair": "x", "jud', encoding="utf-8")
    append_verdict(tmp_path, verdict)
    found, problems = read_verdicts(tmp_path)
    assert found == (verdict,)
    assert [problem.line for problem in problems] == [1]


def test_the_last_of_two_verdicts_in_one_order_counts(tmp_path: Path) -> None:
    said: tuple[tuple[Better, bool], ...] = (("first", False), ("tie", True), ("second", False))
    for choice, swapped in said:
        append_verdict(tmp_path, Verdict(pair="x", judge="anna", swapped=swapped, choice=choice))
    assert [(one.swapped, one.choice) for one in read_verdicts(tmp_path)[0]] == [(False, "second"), (True, "tie")]


def test_several_may_append_at_the_same_time(tmp_path: Path) -> None:
    verdicts = [Verdict(pair=f"x{at}", judge="anna", choice="tie", reason="so " * 400) for at in range(40)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda verdict: append_verdict(tmp_path, verdict), verdicts))
    found, problems = read_verdicts(tmp_path)
    assert not problems
    assert sorted(one.pair for one in found) == sorted(one.pair for one in verdicts)


@pytest.mark.parametrize("text", ["[", "[]", '{"what": "dance"}', "[" * 100_000])
def test_a_comparison_that_cannot_be_read_is_named(tmp_path: Path, text: str) -> None:
    comparison_file(tmp_path).write_text(text, encoding="utf-8")
    with pytest.raises(GmError, match=r"comparison\.json cannot be read"):
        read_comparison(tmp_path)


def test_a_folder_without_pairs_says_how_they_are_made(tmp_path: Path) -> None:
    with pytest.raises(GmError, match="holds no pairs to judge") as caught:
        read_comparison(tmp_path)
    assert "--worlds" in caught.value.hint
