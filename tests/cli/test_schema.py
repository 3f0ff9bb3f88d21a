"""``gm schema``: the keys of the files of a world, for other programs."""

from __future__ import annotations

import json
from pathlib import Path

from gm.api.editing.schema import PLACES
from gm.base.config.manual import all_settings
from tests.cli.running import Run


def test_every_record_is_listed_with_its_file_and_printed_as_json_schema(run: Run) -> None:
    assert [line.split(maxsplit=1) for line in run("schema").out.splitlines()] == [
        list(item) for item in PLACES.items()
    ]
    for name, place in PLACES.items():
        document = run("schema", name).document
        assert document["$schema"].startswith("https://json-schema.org/")
        assert document["description"] == place
        assert document["properties"]


def test_the_schema_of_the_settings_holds_every_setting_with_its_sentence(run: Run) -> None:
    document = run("schema", "settings").document
    for setting in all_settings():
        found = document
        for key in setting.name.split("."):
            found = found["properties"][key]
        assert found["description"] == setting.sentence


def test_a_record_that_does_not_exist_is_a_wrong_use(run: Run) -> None:
    outcome = run("schema", "dream")
    assert outcome.code == 2
    assert " memory, " in outcome.err


def test_write_leaves_the_schemas_and_the_settings_of_an_editor_in_the_world(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gm.yaml").write_text("seed: 2\n", encoding="utf-8")
    (tmp_path / "state").mkdir()
    done = run("schema", "--write", "-w", tmp_path)
    assert done.code == 0
    assert "wrote .gm-schemas/persona.json" in done.out.splitlines()
    assert "wrote .vscode/settings.json" in done.out.splitlines()
    for name in PLACES:
        assert json.loads((tmp_path / ".gm-schemas" / f"{name}.json").read_text(encoding="utf-8"))["description"]
    assert run("schema", "--write", "-w", tmp_path).out == "Nothing was changed.\n"


def test_write_takes_one_kind_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gm.yaml").write_text("seed: 2\n", encoding="utf-8")
    (tmp_path / "state").mkdir()
    run("schema", "soul", "--write", "-w", tmp_path)
    assert [path.name for path in (tmp_path / ".gm-schemas").glob("*.json")] == ["soul.json"]


def test_settings_that_are_no_plain_json_stay_and_what_to_add_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gm.yaml").write_text("seed: 2\n", encoding="utf-8")
    (tmp_path / "state").mkdir()
    settings = tmp_path / ".vscode" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n  // mine\n  "a": 1,\n}\n', encoding="utf-8")
    done = run("schema", "soul", "--write", "-w", tmp_path)
    assert settings.read_text(encoding="utf-8") == '{\n  // mine\n  "a": 1,\n}\n'
    assert ".vscode/settings.json is not plain JSON, so it was left alone; add to it by hand:" in done.err
    assert '"./.gm-schemas/soul.json"' in done.out


def test_a_world_is_named_with_write_only(run: Run, tmp_path: Path) -> None:
    for words in (("schema", "soul", "-w", tmp_path), ("-w", tmp_path, "schema")):
        outcome = run(*words)
        assert outcome.code == 2
        assert "with --write only" in outcome.err


def test_write_needs_a_world(run: Run, tmp_path: Path) -> None:
    assert run("schema", "--write", "-w", tmp_path).code == 1
