"""A name says one thing: no two public functions or classes share one, and no private function has a common name.

And what a test replaces by its name is there: a test that runs seldom would tell of a name that moved only then.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name

import gm
from tests.conftest import HERE

MOST_HOMES = 8
"""Modules in which a private name may be a function."""
PRIVATE = re.compile(r"^ *(?:async )?def (_[a-z]\w*)", re.MULTILINE)
SLOTS = "layers"
"""Package in which functions have the name of what they are in a layer's declaration (``_write``, ``_check``)."""
REPLACED = re.compile(r"\.setattr\(\s*\"(gm\.[\w.]+)\"")
COMMAND = re.compile(r"(?:\w+\.)*\w*(?:command|group)\(")
"""Decorators of functions that are called by what the user types, and have its name."""
CLASS = re.compile(r"^class ([A-Z]\w*)", re.MULTILINE)
# ``import gm`` has them, and models read the names of forms in the schema of their replies
FORMS_BESIDE_PUBLIC = {"NewMemory", "Regard"}


def test_no_private_function_has_a_name_that_many_modules_have() -> None:
    root = Path(gm.__file__).parent
    homes: defaultdict[str, set[str]] = defaultdict(set)
    for path in root.rglob("*.py"):
        place = path.relative_to(root)
        if place.parts[0] != SLOTS:
            for name in PRIVATE.findall(path.read_text(encoding="utf-8")):
                homes[name].add(place.as_posix())
    assert len(homes) > 1000
    assert {name: sorted(at) for name, at in homes.items() if len(at) > MOST_HOMES} == {}


def test_no_two_public_functions_have_one_name() -> None:
    """Except those that fill the same slot in several modules: of one package, with the same types of arguments."""
    root = Path(gm.__file__).parent
    homes: defaultdict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for path in root.rglob("*.py"):
        place = path.relative_to(root)
        for function in public_functions(path):
            kinds = [ast.unparse(one.annotation).split(".")[-1] for one in function.args.args if one.annotation]
            homes[function.name][place.as_posix()] = (place.parts[0], *kinds)
    assert len(homes) > 2000
    assert {name: sorted(at) for name, at in homes.items() if len({*at.values()}) > 1} == {}


def public_functions(path: Path) -> Iterator[ast.FunctionDef]:
    if path.name == "__main__.py":
        return
    for item in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(item, ast.FunctionDef) and not item.name.startswith("_"):
            decorators = map(ast.unparse, item.decorator_list)
            yield from () if any(map(COMMAND.match, decorators)) else (item,)


def test_no_two_public_classes_have_one_name() -> None:
    root = Path(gm.__file__).parent
    found = [name for path in root.rglob("*.py") for name in CLASS.findall(path.read_text(encoding="utf-8"))]
    assert len(found) > 500
    assert {name for name, times in Counter(found).items() if times > 1} == FORMS_BESIDE_PUBLIC


def test_what_a_test_replaces_by_its_name_is_there() -> None:
    found = {name for path in HERE.rglob("*.py") for name in REPLACED.findall(path.read_text(encoding="utf-8"))}
    assert len(found) > 30
    for name in found:
        resolve_name(name)  # refused with an error that names it
