"""Approximate search: it proposes, the vectors decide."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from array import array
from pathlib import Path

import pytest

from gm.index import near as module
from gm.index.base import normalised
from gm.index.files import Shelf, ShelfWriter, read_shelf
from gm.index.near import grow, open_near
from gm.index.similarities import Similarities
from gm.index.texts import Recipe

WIDTH = 48
ROWS = 1500
RECIPE = Recipe("toy", WIDTH)


def clustered(dice: random.Random, centres: list[list[float]]) -> array[float]:
    """A vector near one of some centres, as texts about the same things are."""
    centre = dice.choice(centres)
    return normalised([value + dice.gauss(0, 0.6) for value in centre])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    dice = random.Random(3)
    centres = [[dice.gauss(0, 1) for _ in range(WIDTH)] for _ in range(30)]
    folder = tmp_path_factory.mktemp("near")
    writer = ShelfWriter(folder, RECIPE)
    writer.append({b"0" * 32 + b" vera-%04d" % row: clustered(dice, centres) for row in range(ROWS)})
    return folder


def shelf_of(folder: Path) -> Shelf:
    shelf = read_shelf(folder)
    assert shelf is not None
    return shelf


def similarities(folder: Path, above: int, extra: tuple[array[float], ...] = ()) -> Similarities:
    shelf = shelf_of(folder)
    count = len(shelf) + len(extra)
    return Similarities(shelf, tuple(f"vera-{row:04d}" for row in range(count)), tuple(range(count)), extra, above)


def test_the_graph_grows_in_steps_and_finds_what_exact_search_finds(folder: Path) -> None:
    steps: list[int] = []
    assert grow(shelf_of(folder), steps.append, step=600) == ROWS
    assert steps == [600, 1200, ROWS]
    assert grow(shelf_of(folder), steps.append) == ROWS, "nothing left to do"
    assert len(steps) == 3
    dice = random.Random(9)
    exact, approximate = similarities(folder, ROWS), similarities(folder, 1000)
    hits = 0
    for _ in range(50):
        query = normalised([dice.gauss(0, 1) for _ in range(WIDTH)])
        wanted, found = exact.to(query, 10), approximate.to(query, 10)
        hits += len(set(wanted) & set(found))
        assert list(found.values()) == sorted(found.values(), reverse=True)
        for name in set(wanted) & set(found):
            assert math.isclose(wanted[name], found[name], abs_tol=1e-6), "values are exact, whoever proposed the row"
    assert hits / 500 >= 0.95


def test_all_memories_and_masks_are_compared_exactly(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(shelf_of(folder))
    monkeypatch.setattr(module.Near, "propose", lambda *_: pytest.fail("the graph was asked"))
    similar = similarities(folder, 1000)
    query = normalised([1.0] * WIDTH)
    assert len(similar.to(query)) == ROWS
    assert len(similar.to(query, 3, {"vera-0001", "vera-0002"})) == 2
    assert len(similarities(folder, ROWS).to(query, 3)) == 3, "few enough to be compared exactly"


def test_rows_that_the_graph_does_not_know_yet_are_found(folder: Path) -> None:
    grow(shelf_of(folder))
    query = normalised([1.0] * WIDTH)
    assert next(iter(similarities(folder, 1000, (query,)).to(query, 5))) == f"vera-{ROWS:04d}"


def test_without_a_graph_search_is_exact(folder: Path) -> None:
    shelf = shelf_of(folder)
    (folder / shelf.header.near).unlink(missing_ok=True)
    assert open_near(shelf) is None
    assert len(similarities(folder, 1000).to(normalised([1.0] * WIDTH), 5)) == 5


def test_a_process_that_asks_the_graph_first_can_compare_exactly(folder: Path) -> None:
    """The two libraries get into each other's way when they are loaded in the other order."""
    grow(shelf_of(folder))
    code = (
        "import sys; from array import array; from pathlib import Path;"
        "from gm.index.files import read_shelf; from gm.index.near import open_near; from gm.index.exact import score;"
        "shelf = read_shelf(Path(sys.argv[1])); query = array('f', bytes(shelf.row(7)));"
        "near = open_near(shelf); assert near.propose(query, 1)[0] == 7; scores = score(shelf.data, query);"
        "assert max(scores) == scores[7]"
    )
    subprocess.run([sys.executable, "-c", code, str(folder)], check=True)


@pytest.mark.parametrize("damage", [b"", b"garbage", None])
def test_a_graph_that_somebody_else_wrote_is_not_opened_and_made_again(folder: Path, damage: bytes | None) -> None:
    shelf = shelf_of(folder)
    grow(shelf)
    path = folder / shelf.header.near
    path.write_bytes(path.read_bytes()[:-100] if damage is None else damage)
    assert open_near(shelf) is None
    assert len(similarities(folder, 1000).to(normalised([1.0] * WIDTH), 5)) == 5
    assert grow(shelf) == ROWS
    near = open_near(shelf)
    assert near is not None
    assert near.count == ROWS
