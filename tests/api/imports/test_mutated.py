"""Files of other tools with any value in any place, in any encoding: they land whole, or are refused in words."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gm.api.editing.check.whole import check_world
from gm.api.imports.landing import ImportOptions, import_files
from gm.api.worlds.create import create_world
from gm.base.errors import UsageError, errors_in
from gm.files.layout import Layout
from tests.api.imports.corpus import BOOKS, SILLY, entry, v1, v2, v3
from tests.api.imports.examples import CHAT, GROUP, MIRA, WOLF, by, user
from tests.stories.playing import tree

BOOK = {"name": "b", "entries": [entry("a", "b", content="one", name="n"), entry("c", content="two", constant=True)]}
OWN = {"gm": {"soul": {"beliefs": ["x"]}, "relationships": {"alex": "ok"}, "front": {"role": "x", "age": 3}}}
DOCUMENTS: dict[str, Any] = {
    "v1.json": v1("Vera", description="x {{char}}", mes_example="<START>\n{{user}}: hi\n{{char}}: ho"),
    "v2.json": v2("Vera", description="x", alternate_greetings=["a"], character_book=BOOK, extensions=OWN),
    "v3.json": v3("Vera", description="x", nickname="V", assets=[{"type": "icon", "uri": "x"}], character_book=BOOK),
    "silly.json": SILLY,
    **{f"{name}.json": book for name, book in BOOKS.items()},
    "wolf.agent.json": WOLF,
    "mira.json": MIRA,
    "chat.jsonl": CHAT.data,
    "group.jsonl": [GROUP, by("Ada", "x"), user("y"), by("Ben", "z", swipes=["z", "k"], swipe_id=0)],
}
VALUES: list[Any] = [
    *(None, True, 7, -1, 1.5, float("nan"), float("inf"), 10**400, [], {}, [None], [[]], {"a": [1]}, {"": ""}, "", " "),
    *("x" * 100_000, "\ud800", "\x00", "\x1b[2J", "\u202e", "\ufeff", "{{char}}" * 50, "---\na: 1\n---", "../../x"),
    *(json.loads("[" * 60 + "]" * 60), ["a", 7, None, {"x": 1}], {"\ud800": "\udfff"}, "@@activate\nx", "alex", "CON"),
    *(["x"] * 5000, {str(number): number for number in range(3000)}),
]
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1")
WANTED = (
    *(ImportOptions(), ImportOptions(name="Zed"), ImportOptions(user="Mo"), ImportOptions(lore="library")),
    *(ImportOptions(holder="alex"), ImportOptions(lore="gifted", holder="alex")),
)


def places(document: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    return [here, *(place for key, value in inner for place in places(value, (*here, key)))]


PLACES = [(name, place) for name, document in DOCUMENTS.items() for place in places(document)]


def changed(name: str, place: tuple[Any, ...], value: Any) -> str:
    whole = [copy.deepcopy(DOCUMENTS[name])]
    inside: Any = whole
    for before, key in zip((0, *place), place, strict=False):
        inside = inside[before]
        last = key
    inside[last if place else 0] = value
    is_lines = name.endswith(".jsonl") and isinstance(whole[0], list)
    return "\n".join(map(json.dumps, whole[0])) if is_lines else json.dumps(whole[0])


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    return create_world(tmp_path_factory.mktemp("mutated") / "dinner", "dinner")


def brought(world: Layout, name: str, data: bytes, wanted: ImportOptions, *, write: bool = False) -> None:
    """Import a file; a refusal says what to do, and writes nothing."""
    path = world.root.parent / name
    path.write_bytes(data)
    before = tree(world.root)
    try:
        import_files(world, [path], wanted, write=write)
    except UsageError as error:
        assert error.message
        assert error.hint, error.message
        assert tree(world.root) == before


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    at=st.sampled_from(PLACES),
    value=st.sampled_from(VALUES),
    encoding=st.sampled_from(ENCODINGS),
    ends=st.sampled_from(["\n", "\r\n", "\r"]),
    wanted=st.sampled_from(WANTED),
)
def test_any_value_in_any_place_lands_or_is_refused_in_words(
    world: Layout, at: tuple[str, tuple[Any, ...]], value: Any, encoding: str, ends: str, wanted: ImportOptions
) -> None:
    text = changed(*at, value).replace("\n", ends)
    brought(world, at[0], text.encode(encoding, "surrogatepass" if encoding[:3] == "utf" else "replace"), wanted)


@given(
    name=st.sampled_from(list(DOCUMENTS)), place=st.integers(0, 10_000), more=st.binary(max_size=5), cut=st.booleans()
)
def test_any_bytes_in_any_place_land_or_are_refused_in_words(
    world: Layout, name: str, place: int, more: bytes, cut: bool
) -> None:
    data = changed(name, (), DOCUMENTS[name]).encode()
    brought(
        world, name, data[: place % len(data)] + more + (b"" if cut else data[place % len(data) :]), ImportOptions()
    )


@pytest.mark.parametrize("value", VALUES[::4], ids=lambda value: repr(value)[:20])
def test_what_lands_is_a_world_without_errors(tmp_path: Path, value: Any) -> None:
    for number, key in enumerate(("description", "extensions", "character_book", "alternate_greetings")):
        layout = create_world(tmp_path / str(number), "dinner")
        brought(layout, "v2.json", changed("v2.json", ("data", key), value).encode(), ImportOptions(), write=True)
        assert errors_in(check_world(layout).problems) == []
