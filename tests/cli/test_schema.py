"""``gm schema``: the keys of the files of a world, for other programs."""

from __future__ import annotations

from gm.api.schema import PLACES
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
    assert "'memory'" in outcome.err
