"""JSON Schemas of a world's files, made from declarations; with VS Code settings that name them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from gm.ask.prompt.scenetypes import front_matter_schema
from gm.base.config.manual import settings_schema
from gm.files.experiments.scripttext import DAY
from gm.files.formats.document import read_document, render_document
from gm.files.formats.jsonedit import set_values
from gm.files.formats.places import find_duplicates
from gm.files.formats.text import BOM
from gm.files.layout import Layout
from gm.files.uncommitted.beside import EXTENSIONS, SCHEMAS, SCHEMAS_IN_GIT, VSCODE, make_files
from gm.layers import LAYERS
from gm.layers.declare import JSON, LINES, YAML, AnyLayer
from gm.layers.privacy import private_words
from gm.memory.lens import LENS, SHARED_LENS
from gm.model import clock, front, interview, link, node, piece, state, thread
from gm.model.logged import LOGGED
from gm.model.record import Record

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, object]
YAML_SCHEMAS, JSON_SCHEMAS = "yaml.schemas", "json.schemas"
MODELINE = f"# yaml-language-server: $schema={SCHEMAS}/settings.json\n"
"""First line of the ``gm.yaml`` of a new world: editors other than VS Code follow it too."""
GITATTRIBUTES = """\
# made by gm schema --write: in git, so that a clone has them, and left out of differences
*.json linguist-generated -diff
"""


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of object in a world's files.

    Attributes:
        files: Pattern of whole files; empty for front matter, lines and parts of other kinds.
        whole: Makes a file's schema from its objects', if it holds several.
    """

    place: str
    describe: Callable[[], Schema]
    files: str = ""
    whole: Callable[[Schema], Schema] = dict


def _by_name(schema: Schema) -> Schema:
    return {"type": "object", "additionalProperties": schema}


def _requests(schema: Schema) -> Schema:
    return {"type": "object", "properties": {"requests": {"type": "array", "items": schema}}}


def kind_of(layer: AnyLayer) -> str:
    """Return the kind of a layer's file: the name of its records, or the layer's own."""
    return layer.file.record.name if layer.file.record else layer.name


def _of_layers() -> Iterator[tuple[str, FileKind]]:
    for layer in sorted(LAYERS, key=lambda layer: layer.file.ending, reverse=True):  # lines first
        file, form = layer.file, layer.file.form
        where = f"state/{file.folder}/AGENT{file.ending}"
        pattern = f"state/{file.folder}/*{file.ending}"
        if form is not None:
            yield kind_of(layer), FileKind(where, form.schema, pattern)
        elif file.record is not None and file.ending == LINES:
            yield kind_of(layer), FileKind(f"a line of {where}", file.record.schema)
        elif file.record is not None:
            yield kind_of(layer), FileKind(f"a value in {where}", file.record.schema, pattern, _by_name)


def _settings_with_lenses() -> Schema:
    schema: Any = deepcopy(settings_schema())
    private = schema["properties"]["publish"]["properties"]["private"]
    words, absent = private["anyOf"]  # keys of the same kind share these
    private["anyOf"] = [{**words, "items": {"anyOf": [{"enum": list(private_words())}, {"type": "string"}]}}, absent]
    return _with_lenses(schema, SHARED_LENS)


def _with_lenses(schema: Schema, record: Record[Any]) -> Schema:
    properties: Any = schema["properties"]
    lenses = {**properties["lenses"], "type": "array", "items": record.schema()}
    lenses.pop("anyOf", None)
    return {**schema, "properties": {**properties, "lenses": lenses}}


KINDS: Mapping[str, FileKind] = {
    "settings": FileKind("gm.yaml", _settings_with_lenses, "gm.yaml"),
    "persona": FileKind(
        "the front matter of state/personas/AGENT.md", lambda: _with_lenses(front.FRONT.schema(), LENS)
    ),
    "scene-type": FileKind("the front matter of a template in prompts/scenes/", front_matter_schema),
    "piece": FileKind("the front matter of a text in gallery/", piece.PIECE.schema),
    "memory": FileKind("a line of state/memories/AGENT.jsonl", node.NODE.schema),
    "agent": FileKind("state/agents/AGENT.json", state.AGENT_STATE.schema, "state/agents/*.json"),
    "world": FileKind("state/world.json", clock.CLOCK.schema, "state/world.json"),
    "board": FileKind("state/bulletin.json", clock.BOARD.schema, "state/bulletin.json"),
    "thread": FileKind("a line of state/threads.jsonl", thread.THREAD_EVENT.schema),
    **dict(_of_layers()),
    "answer": FileKind("a line of state/.gm/interviews/MOMENT/AGENT.jsonl", interview.INTERVIEW_ANSWER.schema),
    "lens": FileKind("an item of lenses in a persona", LENS.schema),
    "script": FileKind("scripts/NAME.yaml", DAY.schema, "scripts/*.yaml"),
    "request": FileKind(
        "an item of requests in state/links.json", link.LINK_REQUEST.schema, "state/links.json", _requests
    ),
    "logbook": FileKind("a line of state/logbook/DAY.jsonl", LOGGED.schema),
}
"""What ``gm schema`` describes, by name."""
PLACES = {name: kind.place for name, kind in KINDS.items()}
"""Where each kind is stored, by its name in ``gm schema``."""


def describe_schema(name: str) -> Schema:
    """Return the JSON Schema of a kind (one of ``KINDS``)."""
    kind = KINDS[name]
    return {"$schema": DIALECT, **kind.describe(), "description": kind.place}


def file_schema(name: str) -> Schema:
    """Return the JSON Schema of a kind's files, or of the kind if it has none."""
    kind = KINDS[name]
    return {"$schema": DIALECT, **kind.whole(kind.describe()), "description": kind.place}


def file_patterns(ending: str) -> dict[str, str]:
    """Return patterns of files with an ending (``.json`` or ``.yaml``), by kind."""
    assert ending in (JSON, YAML)
    return {name: kind.files for name, kind in KINDS.items() if kind.files.endswith(ending)}


@dataclass(frozen=True, slots=True)
class EditorFiles:
    """Files written for editors."""

    written: tuple[str, ...]
    to_add: Mapping[str, Any]
    why: str = ""


def add_editor_files(layout: Layout, kinds: Iterable[str] = KINDS) -> EditorFiles:
    """Write schemas, and VS Code settings that name them.

    Schemas are replaced; settings only gain keys, and stay as they are if not plain JSON.

    Raises:
        GmError: The disk refused, or a link leads out of the world.
    """
    names = tuple(kinds)
    schemas = {schema_path(name): f"{json.dumps(file_schema(name), ensure_ascii=False, indent=2)}\n" for name in names}
    written = make_files(layout, {**schemas, SCHEMAS_IN_GIT: GITATTRIBUTES}, anew=True)
    written += make_files(layout, {EXTENSIONS: render_document({"recommendations": ["redhat.vscode-yaml"]})})
    wanted = vscode_settings(names)
    text, why = _merge_settings(layout, wanted)
    if text is None:
        return EditorFiles(written, wanted, why)
    return EditorFiles(written + make_files(layout, {VSCODE: text}, anew=True), {})


def schema_path(name: str) -> str:
    """Return a schema's path inside the world."""
    return f"{SCHEMAS}/{name}.json"


def vscode_settings(names: Iterable[str] = KINDS) -> dict[str, Any]:
    """Return VS Code settings that map files to schemas."""
    wanted = set(names)
    yaml, listed = (
        {f"./{schema_path(name)}": [f"/{files}"] for name, files in file_patterns(ending).items() if name in wanted}
        for ending in (YAML, JSON)
    )
    return {YAML_SCHEMAS: yaml, JSON_SCHEMAS: [{"fileMatch": files, "url": path} for path, files in listed.items()]}


def _merge_settings(layout: Layout, wanted: Mapping[str, Any]) -> tuple[str | None, str]:
    """Return settings with additions; None and a reason if that is unsafe."""
    document, problems = read_document(layout.root / VSCODE, VSCODE)
    if not document.exists:
        return render_document(wanted), ""
    if problems:
        return None, f"{VSCODE} is not plain JSON"
    if find_duplicates(document.text.removeprefix(BOM)):
        return None, f"{VSCODE} has a key twice"
    yaml, listed = document.data.get(YAML_SCHEMAS, {}), document.data.get(JSON_SCHEMAS, [])
    if not isinstance(yaml, dict) or not isinstance(listed, list):
        return None, f"{YAML_SCHEMAS} or {JSON_SCHEMAS} in {VSCODE} has another form"
    there = [item.get("url") for item in listed if isinstance(item, dict)]
    values = {
        YAML_SCHEMAS: yaml | {path: files for path, files in wanted[YAML_SCHEMAS].items() if path not in yaml},
        JSON_SCHEMAS: [*listed, *(item for item in wanted[JSON_SCHEMAS] if item["url"] not in there)],
    }
    return set_values(document.text, {key: value for key, value in values.items() if value}), ""
