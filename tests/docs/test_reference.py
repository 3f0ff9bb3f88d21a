"""Everything that can be set, called, typed or read stands in the reference."""

from __future__ import annotations

import json
import re
from functools import cache

import pytest
import yaml
from jsonschema import Draft202012Validator

import gm
from gm.api.editing.schema import KINDS, describe_schema
from gm.api.reference.filepages import EXAMPLES, PLACES
from gm.base import plugins
from gm.base.config.index import IndexSettings
from gm.base.config.manual import all_settings
from gm.cli.answers import ANSWERS
from gm.cli.reference import PAGES, all_commands
from gm.files.layout import Layout
from gm.layers import LAYERS
from gm.llm.providers import CREDENTIALS, providers
from gm.llm.vectors.embedders import MODEL_VARIABLE, URL_VARIABLE
from gm.llm.wire import BASE_URL
from gm.model.front import FRONT
from tests.docs.pages import DOCS, ROOT, anchors_of


@cache
def page(name: str) -> str:
    return (DOCS / "reference" / f"{name}.md").read_text(encoding="utf-8")


def test_every_setting_command_persona_key_and_public_name_is_described() -> None:
    missing = [entry.name for entry in all_settings() if f"**`{entry.name}`**" not in page("settings")]
    missing += [path for path, _ in all_commands() if f"# {path}\n" not in page("commands")]
    for path, command in all_commands():
        names = {name for option in command.params for name in option.opts if name.startswith("--")}
        missing += [f"{path} {name}" for name in names if name not in page("commands")]
    missing += [key.name for key in FRONT.keys if f"**`{key.name}`**" not in page("personas")]
    missing += [name for name in gm.__all__ if not re.search(rf"### gm\.{name}\n|- `gm\.{name} = ", page("api"))]
    assert missing == []


READ = re.compile(r"\benviron(?:ment)?(?:\.get\(|\[)\"([A-Z_]+)\"")


def test_every_variable_of_the_environment_that_gm_reads_is_described() -> None:
    code = (path.read_text(encoding="utf-8") for path in ROOT.glob("gm/**/*.py"))
    read = {name for text in code for name in READ.findall(text)}
    declared = {name for one in providers().values() for name in (*one.keys, one.base_from) if name}
    known = {*read, *declared, *CREDENTIALS, BASE_URL, URL_VARIABLE, MODEL_VARIABLE, IndexSettings().key_env}
    assert {"COLUMNS", "OLLAMA_HOST"} <= known
    assert {name for name in known if f"`{name}`" not in page("environment")} == set()


def test_every_kind_of_file_has_its_place_its_keys_and_an_example() -> None:
    assert set(KINDS) <= anchors_of(DOCS / "reference" / "files.md")
    assert set(KINDS) <= anchors_of(DOCS / "reference" / "schemas.md")
    for kind in set(KINDS) - {"settings", "persona"}:
        section = page("files").partition(f"\n## {kind}\n")[2].partition("\n## ")[0]
        schema = describe_schema(kind)
        assert all(f"| `{key}` |" in section for key in schema["properties"]), kind  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", KINDS)
def test_an_example_fits_its_schema_and_has_declared_keys_only(kind: str) -> None:
    schema = describe_schema(kind)
    value = yaml.safe_load(EXAMPLES[kind])
    assert [error.message for error in Draft202012Validator(schema).iter_errors(value)] == []
    assert value
    assert value.keys() <= schema["properties"].keys()  # type: ignore[attr-defined]


def test_the_lines_of_a_logbook_fit_their_schema(two_days: Layout) -> None:
    lines = [line for path in two_days.day_logs().values() for line in path.read_text(encoding="utf-8").splitlines()]
    schema = Draft202012Validator({**describe_schema("logbook"), "additionalProperties": False})
    assert [error.message for line in lines for error in schema.iter_errors(json.loads(line))] == []
    assert len(lines) > 2


def test_every_file_and_folder_that_gm_knows_is_named(two_days: Layout) -> None:
    derived = [path for path in (*two_days.own_files, *two_days.own_folders) if path.is_relative_to(two_days.derived)]
    known = {*two_days.own_files, *two_days.own_folders} - {two_days.state, *derived} | {two_days.derived}
    assert {two_days.shown(path) for path in known} == {place.rstrip("/") for place in PLACES}
    assert all(f"state/{layer.file.folder}/" in PLACES for layer in LAYERS)


def test_the_document_of_every_command_is_described() -> None:
    with_json = {path for path, command in all_commands() if any("--json" in option.opts for option in command.params)}
    assert ANSWERS.keys() == with_json
    assert {path.replace(" ", "-") for path in with_json} <= anchors_of(DOCS / "reference" / "json.md")


def test_every_group_of_plugins_and_its_check_is_described() -> None:
    groups = (plugins.BACKENDS, plugins.STRATEGIES, plugins.EMBEDDERS, plugins.SOURCES, plugins.DIRECTORS)
    said = (DOCS / "how-to" / "plug-in.md").read_text(encoding="utf-8")
    assert all(f"`{group}`" in said for group in groups)


def test_every_page_of_the_reference_is_in_its_index_and_all_others_are_made() -> None:
    names = {path.stem for path in (DOCS / "reference").glob("*.md")}
    made = {name.removeprefix("docs/reference/").removesuffix(".md") for name in PAGES}
    assert names - made == {"index", "environment"}
    assert all(f"]({name}.md)" in page("index") and f"\n{name}\n" in page("index") for name in names - {"index"})
    assert all((ROOT / name).is_file() for name in PAGES)
