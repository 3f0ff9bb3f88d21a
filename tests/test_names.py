"""Private functions are named by what they do: a name that many modules have says too little."""

import re
from collections import defaultdict
from pathlib import Path

import gm

MOST_HOMES = 8
"""Modules in which a private name may be a function."""
PRIVATE = re.compile(r"^ *(?:async )?def (_[a-z]\w*)", re.MULTILINE)
SLOTS = "layers"
"""Package in which functions have the name of what they are in a layer's declaration (``_write``, ``_check``)."""


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
