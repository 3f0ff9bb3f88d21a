"""A name says one thing: no two public classes share one, and no private function has a name that many modules have.

And what a test replaces by its name is there: a test that runs seldom would tell of a name that moved only then.
"""

import re
from collections import Counter, defaultdict
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
