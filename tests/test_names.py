"""Private functions are named by what they do, and tests use no private name that the code no longer has."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import gm

PACKAGE = Path(gm.__file__).parent
HERE = Path(__file__).parent
MOST_HOMES = 8
"""Modules in which a private name may be a function."""
PRIVATE = re.compile(r"^ *(?:async )?def (_[a-z]\w*)", re.MULTILINE)
SLOTS = "layers"
"""Package in which functions have the name of what they are in a layer's declaration (``_write``, ``_check``)."""


def test_no_private_function_has_a_name_that_many_modules_have() -> None:
    homes: defaultdict[str, set[str]] = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        place = path.relative_to(PACKAGE)
        if place.parts[0] != SLOTS:
            for name in PRIVATE.findall(path.read_text(encoding="utf-8")):
                homes[name].add(place.as_posix())
    assert len(homes) > 1000
    assert {name: sorted(at) for name, at in homes.items() if len(at) > MOST_HOMES} == {}


ELSEWHERE = {"_exit"}
"""Private names of the standard library that tests use."""


def _nodes(root: Path) -> Iterator[ast.AST]:
    for path in root.rglob("*.py"):
        yield from ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def _defined(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name


def test_tests_use_no_private_attribute_that_nothing_defines() -> None:
    tests = list(_nodes(HERE))
    used = {node.attr for node in tests if isinstance(node, ast.Attribute) and re.match("_[^_]", node.attr)}
    assert len(used) > 20
    assert used - {*_defined(tests), *_defined(_nodes(PACKAGE))} == ELSEWHERE
