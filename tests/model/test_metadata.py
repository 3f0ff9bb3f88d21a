"""The metadata of memories: what gm writes or reads in them is declared."""

import ast
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import gm
from gm.model import node as declaring
from gm.model.node import DATE_KEYS, MADE_KINDS, METADATA, NODE, PERSON_KEYS, Node

PACKAGE = Path(gm.__file__).parent
DECLARED = {key.name for key in METADATA.keys}


def trees() -> Iterator[ast.Module]:
    """Yield the modules that know of memories: fields of dataclasses have metadata of their own."""
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        is_about = "metadata" in text or "make_observation" in text
        if is_about and "base" not in path.parts and path != Path(declaring.__file__):
            tree = ast.parse(text)
            names = {
                alias.name
                for node in ast.walk(tree)
                if isinstance(node, ast.ImportFrom) and node.module == "dataclasses"
                for alias in node.names
            }
            if "fields" not in names:
                yield tree


def written(value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield the keys of a mapping with their values, those of conditional parts too."""
    match value:
        case ast.Dict(keys=keys, values=values):
            for key, inner in zip(keys, values, strict=True):
                if key is None:
                    yield from written(inner)
                elif isinstance(key, ast.Constant):
                    yield str(key.value), inner
        case ast.IfExp(body=body, orelse=other):
            yield from written(body)
            yield from written(other)


def used(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield the keys of metadata that stand in a place of the code, with the values that are written."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="metadata")), args=[ast.Constant(value=key), *_]):
            yield str(key), None
        case ast.Call(args=[ast.Attribute(attr="metadata"), ast.Constant(value=key)]):
            yield str(key), None
        case ast.Subscript(value=ast.Attribute(attr="metadata"), slice=ast.Constant(value=key)):
            yield str(key), None
        case ast.Compare(left=ast.Constant(value=key), comparators=[ast.Attribute(attr="metadata")]):
            yield str(key), None
        case ast.keyword(arg="metadata", value=value):
            yield from written(value)
        case ast.Assign(targets=[ast.Name(id="metadata")], value=value):
            yield from written(value)
        case ast.AnnAssign(target=ast.Name(id="metadata"), value=ast.Dict() as value):
            yield from written(value)
        case ast.Call(func=ast.Name(id="make_observation"), keywords=keywords):
            yield from ((item.arg, item.value) for item in keywords if item.arg)
        case ast.Match(subject=ast.Attribute(attr="metadata"), cases=cases):
            patterns = (one.pattern for one in cases if isinstance(one.pattern, ast.MatchMapping))
            yield from ((str(ast.literal_eval(key)), None) for pattern in patterns for key in pattern.keys)


@cache
def all_used() -> list[tuple[str, ast.expr | None]]:
    return [pair for tree in trees() for node in ast.walk(tree) for pair in used(node)]


def test_every_key_that_stands_in_the_code_is_declared() -> None:
    found = {key for key, _ in all_used()}
    assert found - DECLARED == set()
    assert {"artifact_path", "exchange", "post", "alone", "gift", "lines"} <= found


def test_every_kind_that_is_written_as_a_literal_is_declared() -> None:
    values = [value for key, value in all_used() if key == "kind"]
    kinds = {value.value for value in values if isinstance(value, ast.Constant)}
    assert kinds - {*MADE_KINDS} == set()
    assert {"heard", "link", "association"} <= kinds


def test_every_declared_key_stands_in_the_code() -> None:
    missing = DECLARED - {*PERSON_KEYS, *DATE_KEYS}
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path != Path(declaring.__file__) and any(name in text for name in missing):
            nodes = [*ast.walk(ast.parse(text))]
            missing -= {getattr(node, "value", None) for node in nodes if isinstance(node, ast.Constant)}
            missing -= {node.arg for node in nodes if isinstance(node, ast.keyword | ast.arg) and node.arg}
    assert missing == set()


def test_a_memory_that_gm_recorded_fits() -> None:
    """As do all of the recorded days."""
    lines = [line for path in PACKAGE.rglob("memories/*.jsonl") for line in path.read_text("utf-8").splitlines()]
    problems = [error.message for line in lines for error in METADATA.problems(json.loads(line)["metadata"])]
    assert len(lines) > 100
    assert problems == []


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("title", 7, "metadata-type"),
        ("replaces", 7, "metadata-type"),
        ("valence", True, "metadata-type"),
        ("exchange", "Good morning.", "metadata-type"),
        ("alone", "yes", "metadata-type"),
        ("tier", "golden", "tier-unknown"),
        ("copied_from", ["otto-001"], "copy-source"),
    ],
)
def test_a_value_of_another_type_is_a_problem(key: str, value: object, problem: str) -> None:
    (error,) = METADATA.problems({"kind": "heard", key: value})
    assert (error.key, error.code) == (key, problem)


def test_keys_of_a_persons_own_may_be_anything() -> None:
    node = {"id": "mina-001", "created": "day-001", "type": "plan", "depth": 0, "description": "x", "importance": 5}
    record = {**node, "tags": [], "evidence": [], "metadata": {"weather": ["rain", 3], "replaces": ["mina-001"]}}
    assert not [*METADATA.problems(record["metadata"])]
    assert NODE.write(NODE.read(record)) == record


def test_a_node_says_what_its_metadata_hold_and_other_types_count_as_nothing() -> None:
    keys = ("kind", "title", "about", "replaces", "post", "source", "importance_by", "original")
    full = Node("mina-001", "day-001", "plan", 0, "x", 5, metadata={key: key.upper() for key in keys})
    assert [getattr(full, key) for key in keys] == [key.upper() for key in keys]
    odd = Node("mina-001", "day-001", "plan", 0, "x", 5, metadata={**dict.fromkeys(keys, 3), "canonical": "a"})
    assert [getattr(odd, key) for key in (*keys, "canonical", "said")] == [*[""] * 8, (), ()]
    exchange = [{"agent": "mina", "text": "Yes."}, {"agent": "mina", "text": " "}, {"text": "No."}, 3]
    node = Node("mina-001", "day-001", "plan", 0, "x", 5, metadata={"canonical": ["Who?", 3], "exchange": exchange})
    assert (node.canonical, node.said) == (("Who?",), (("mina", "Yes."),))
