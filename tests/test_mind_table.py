"""The table of requirements in ``gm/MIND.md`` names settings that exist, and tests that exist."""

from __future__ import annotations

import ast
import re
from dataclasses import fields, is_dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from gm.base.config import Settings

ROOT = Path(__file__).resolve().parent.parent


def rows_of(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if re.match(r"\| (?:[SK]\d|BP-)", line)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


PARTS = re.split(
    r"(?m)^## (?:Decided otherwise|Other requirements)$", (ROOT / "gm/MIND.md").read_text(encoding="utf-8")
)
ROWS, OTHERWISE, ELSEWHERE = map(rows_of, PARTS)


def functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def is_setting(name: str) -> bool:
    value: object = Settings()
    for part in name.split("."):
        known = {field.name.rstrip("_"): field.name for field in fields(value)} if is_dataclass(value) else {}
        if part not in known:
            return False
        value = getattr(value, known[part])
    return True


def test_there_is_a_row_for_each_requirement_of_a_mind_over_months() -> None:
    named = {name for row in ROWS for name in row[0].split()}
    wanted = {f"S3-{number:02d}" for number in (2, 3, *range(5, 19))}
    wanted |= {"S2-02", "S2-03", "S2-04", "S2-08", "S2-09", "S2-10", "S2-12", "S2-15", "S2-17", "S2-18", "S4-19"}
    wanted |= {"S1-11", "S1-13", "S1-14", "S1-15", "S1-16", "S1-17", "S0-10", "S0-40", "S0-42", "S0-47", "S0-48"}
    wanted |= {"K12", "K16", "K17", "K18"}
    assert wanted - named == set()


def test_what_was_decided_otherwise_says_what_instead_and_why() -> None:
    assert OTHERWISE
    assert [row for row in OTHERWISE if len(row) != 4 or not all(row)] == []


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_settings_and_tests_of_a_row_exist(row: list[str]) -> None:
    settings = re.findall(r"`([^`]+)`", row[2])
    assert settings or row[2] == "–"
    assert [name for name in settings if not is_setting(name)] == []
    tests = re.findall(r"`([^`]+)::([^`]+)`", row[4])
    assert tests
    assert [name for path, name in tests if name not in functions_of(ROOT / path)] == []


@pytest.mark.parametrize("row", ELSEWHERE, ids=[row[0] for row in ELSEWHERE])
def test_modules_of_other_requirements_exist(row: list[str]) -> None:
    modules = re.findall(r"`([^`]+)`", row[2])
    assert modules
    assert [name for name in modules if find_spec(f"gm.{name}") is None] == []


def test_the_code_names_no_requirement() -> None:
    named = re.compile(r"\b(?:S[0-4]-\d\d|CARD-\d\d|BP-\d\d|K\d{1,2})\b")
    found = [path for path in (ROOT / "gm").rglob("*.py") if named.search(path.read_text(encoding="utf-8"))]
    assert [path.relative_to(ROOT / "gm").as_posix() for path in found] == []
