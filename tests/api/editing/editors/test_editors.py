"""Files for editors: schemas, and settings of VS Code, which are the user's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gm.api.editing.schema import KINDS, MODELINE, add_editor_files, file_schema, vscode_settings
from gm.api.worlds.create import create_world
from gm.base.errors import GmError
from gm.files.layout import Layout
from gm.files.uncommitted.beside import EXTENSIONS, SCHEMAS, SCHEMAS_IN_GIT, VSCODE

YAML, JSON = "yaml.schemas", "json.schemas"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path)


def settings(layout: Layout, text: str) -> Path:
    path = layout.root / VSCODE
    path.parent.mkdir()
    path.write_bytes(text.encode())
    return path


def test_every_schema_that_a_setting_names_is_there_and_no_file_is_mapped_twice(layout: Layout) -> None:
    found = add_editor_files(layout)
    data = json.loads((layout.root / VSCODE).read_text(encoding="utf-8"))
    mapped = dict(data[YAML])
    mapped |= {item["url"]: item["fileMatch"] for item in data[JSON]}
    patterns = [pattern for listed in mapped.values() for pattern in listed]
    assert len(patterns) == len(set(patterns)) == sum(bool(kind.files) for kind in KINDS.values())
    assert all((layout.root / path).is_file() for path in mapped)
    assert all(pattern.startswith("/") for pattern in patterns), "below the opened folder alone"
    assert {*found.written} >= {VSCODE, EXTENSIONS, SCHEMAS_IN_GIT}
    assert not found.to_add
    for name in KINDS:
        assert json.loads((layout.root / SCHEMAS / f"{name}.json").read_text(encoding="utf-8")) == file_schema(name)


def test_a_second_time_nothing_is_written(layout: Layout) -> None:
    add_editor_files(layout)
    assert add_editor_files(layout).written == ()


def test_an_old_schema_is_replaced(layout: Layout) -> None:
    add_editor_files(layout)
    (layout.root / SCHEMAS / "soul.json").write_text("{}", encoding="utf-8")
    assert add_editor_files(layout).written == (f"{SCHEMAS}/soul.json",)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_users_settings_keep_every_byte(layout: Layout, newline: str) -> None:
    text = newline.join(("{", '  "editor.tabSize":   3,', '  "yaml.schemas": {"mine.json": "a.yaml"}', "}", ""))
    path = settings(layout, text)
    assert VSCODE in add_editor_files(layout).written
    merged = path.read_bytes().decode()
    assert merged.startswith(text.partition('"a.yaml"')[0])
    data = json.loads(merged)
    assert data["editor.tabSize"] == 3
    assert data[YAML] == {"mine.json": "a.yaml", **vscode_settings()[YAML]}
    assert data[JSON] == vscode_settings()[JSON]
    assert add_editor_files(layout).written == ()


def test_a_mapping_that_the_user_has_changed_stays(layout: Layout) -> None:
    own = {YAML: {f"./{SCHEMAS}/soul.json": ["/elsewhere/*.yaml"]}, JSON: [{"url": f"./{SCHEMAS}/agent.json"}, 3]}
    path = settings(layout, json.dumps(own))
    add_editor_files(layout)
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data[YAML][f"./{SCHEMAS}/soul.json"] == ["/elsewhere/*.yaml"]
    assert [item for item in data[JSON] if item == 3 or item["url"].endswith("agent.json")] == own[JSON]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1, // mine\n}', "is not plain JSON"),
        ("", "is not plain JSON"),
        ("[]", "is not plain JSON"),
        ('{"a": 1, "a": 2}', "has a key twice"),
        ('{"yaml.schemas": []}', "has another form"),
        ('{"json.schemas": {}}', "has another form"),
    ],
)
def test_settings_that_cannot_be_changed_safely_stay_and_what_is_missing_is_returned(
    layout: Layout, text: str, why: str
) -> None:
    path = settings(layout, text)
    found = add_editor_files(layout)
    assert path.read_text(encoding="utf-8") == text
    assert why in found.why
    assert found.to_add == vscode_settings()
    assert VSCODE not in found.written


def test_recommended_extensions_of_the_user_stay(layout: Layout) -> None:
    path = layout.root / EXTENSIONS
    path.parent.mkdir()
    path.write_text("{}", encoding="utf-8")
    add_editor_files(layout)
    assert path.read_text(encoding="utf-8") == "{}"


@pytest.mark.parametrize("folder", [SCHEMAS, ".vscode"])
def test_nothing_is_written_through_a_link_out_of_the_world(layout: Layout, folder: str) -> None:
    outside = layout.root / "outside"
    world = Layout(layout.root / "world")
    outside.mkdir()
    world.root.mkdir()
    (world.root / folder).symlink_to(outside)
    with pytest.raises(GmError, match="leads out of the world"):
        add_editor_files(world)
    assert list(outside.iterdir()) == []


def test_a_new_world_has_them_and_its_settings_name_their_schema(tmp_path: Path) -> None:
    layout = create_world(tmp_path / "world", "dinner")
    assert layout.settings.read_text(encoding="utf-8").startswith(MODELINE)
    assert (layout.root / MODELINE.rpartition("=")[2].strip()).is_file()
    assert add_editor_files(layout).written == ()


def test_a_new_world_in_a_folder_with_settings_adds_to_them(tmp_path: Path) -> None:
    path = settings(Layout(tmp_path), '{"mine": 1}')
    create_world(tmp_path, "dinner")
    data = json.loads(path.read_text(encoding="utf-8"))
    assert (data["mine"], data[YAML]) == (1, vscode_settings()[YAML])
