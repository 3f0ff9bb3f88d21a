"""Schemas and ``gm check`` say the same about one corpus of files, good and broken."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gm.api.editing.check.whole import check_world
from gm.api.editing.schema import KINDS, describe_schema, file_schema
from gm.api.worlds.create import create_world
from gm.base.frontmatter import load_safely, split_front_matter
from gm.files.layout import Layout
from gm.files.packaged.shipped import shipped_prompts, shipped_worlds
from gm.model.front import FRONT
from gm.model.persona import Persona
from gm.model.piece import PIECE
from tests.api.editing.editors.corpus import BROKEN, GOOD, Case, cases, make_world

ALL = list(cases())
PERSONA = Draft202012Validator(file_schema("persona"))
KEYS = st.sampled_from(["tag", "words", "task", "notes", "title", "limit", "enabled", "otto", "_mine", "roll"])
INSIDE = {"lens", "answer", "logbook"}
"""Kinds that are only parts of others, lie in ``state/.gm``, which is not checked, or are read of any value."""


def content(case: Case) -> Any:
    """Return what a schema is held against: the file, its front matter, or its first line."""
    if case.path.endswith((".md", ".j2")):
        data = load_safely(split_front_matter(case.text)[0] or "")
    elif case.path.endswith(".jsonl"):
        data = json.loads(case.text.splitlines()[0])
    else:
        data = load_safely(case.text)
    return json.loads(json.dumps(data, default=str))  # YAML knows dates


def schema_problems(case: Case) -> list[str]:
    return [error.message for error in Draft202012Validator(file_schema(case.kind)).iter_errors(content(case))]


def check_problems(case: Case, root: Path) -> list[str]:
    make_world(root)
    case.write(root)
    found = check_world(Layout(root)).problems
    doubtful = {"language-missing"}  # not wrong, so no schema refuses it
    return [
        str(item) for item in found if item.path == case.path and item.severity != "info" and item.code not in doubtful
    ]


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_has_a_valid_schema(name: str) -> None:
    Draft202012Validator.check_schema(file_schema(name))


def test_the_corpus_has_every_kind_good_and_broken() -> None:
    assert set(GOOD) == set(BROKEN) == set(KINDS) - INSIDE


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{n}-{case.kind}") for n, case in enumerate(ALL)])
def test_a_schema_and_the_check_agree(case: Case, tmp_path: Path) -> None:
    found = schema_problems(case), check_problems(case, tmp_path)
    assert [not problems for problems in found] == [case.good, case.good], (case.text, found)


def test_the_worlds_that_init_makes_fit_the_schemas(tmp_path: Path) -> None:
    for template in shipped_worlds():
        layout = create_world(tmp_path / template, template)
        paths = [("settings", layout.settings), *(("persona", path) for path in layout.personas.glob("*.md"))]
        paths += [("agent", path) for path in layout.agents.glob("*.json")]
        paths += [("scene-type", path) for path in (shipped_prompts() / "scenes").glob("*.j2")]
        paths += [("world", layout.world), ("board", layout.bulletin)]
        assert len(paths) > 15
        for kind, path in paths:
            assert schema_problems(Case(kind, path.name, path.read_text(encoding="utf-8"), True)) == [], path


def test_examples_and_defaults_fit_their_own_schema() -> None:
    for name in KINDS:
        for key, schema in _keys(describe_schema(name)):
            fits = Draft202012Validator(schema).is_valid
            assert all(map(fits, schema.get("examples", ()))), (name, key)
            assert schema.get("default") is None or fits(schema["default"]), (name, key)


def _keys(schema: Any) -> Iterator[tuple[str, Any]]:
    for key, inner in schema.get("properties", {}).items():
        yield key, inner
        yield from _keys(inner)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 12)
    | st.text("ab -#", max_size=4)
    | st.sampled_from(["inject", "#aabbcc"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


@given(
    st.dictionaries(
        st.sampled_from([key.name for key in FRONT.keys if key.name != "lenses"]) | KEYS, VALUES, max_size=3
    )
)
def test_declaration_and_schema_agree_about_any_persona(front: dict[str, Any]) -> None:
    Persona(front)  # whatever it says, it can be read
    assert PERSONA.is_valid(front) == FRONT.fits(front)


@given(st.dictionaries(st.sampled_from([key.name for key in PIECE.keys]), VALUES, max_size=3))
def test_declaration_and_schema_agree_about_any_piece(front: dict[str, Any]) -> None:
    PIECE.read_fitting(front)
    assert Draft202012Validator(PIECE.schema()).is_valid(front) == PIECE.fits(front)
