"""Schemas of a world for editors, and VS Code settings that name them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gm.api.schema import KINDS, file_patterns, file_schema
from gm.files.beside import EXTENSIONS, SCHEMAS, SCHEMAS_IN_GIT, VSCODE, make_files
from gm.files.forms.document import read_document, render_document, set_values
from gm.files.forms.places import twice
from gm.files.forms.text import BOM
from gm.files.layout import Layout
from gm.layers.declare import JSON, YAML

YAML_SCHEMAS, JSON_SCHEMAS = "yaml.schemas", "json.schemas"
MODELINE = f"# yaml-language-server: $schema={SCHEMAS}/settings.json\n"
"""First line of the ``gm.yaml`` of a new world: editors other than VS Code follow it too."""
GITATTRIBUTES = """\
# made by gm schema --write: in git, so that a clone has them, and left out of differences
*.json linguist-generated -diff
"""


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
    text, why = _merged(layout, wanted)
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


def _merged(layout: Layout, wanted: Mapping[str, Any]) -> tuple[str | None, str]:
    """Return settings with additions; None and a reason if that is unsafe."""
    document, problems = read_document(layout.root / VSCODE, VSCODE)
    if not document.exists:
        return render_document(wanted), ""
    if problems:
        return None, f"{VSCODE} is not plain JSON"
    if twice(document.text.removeprefix(BOM)):
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
