"""Every card of the corpus comes in, goes out, and comes in again: nothing is lost that a world or a card keeps."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.check.whole import check_world
from gm.api.editing.gift import give_memories
from gm.api.imports.cardexport.cardfile import make_card
from gm.api.imports.cardmodel import FIELDS_V1
from gm.api.imports.landing import Imported, ImportOptions, import_files
from gm.api.playing.context import ContextOptions, describe_context
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.media.library import find_passages
from gm.files.streams.gifted import read_gifted
from tests.api.imports.corpus import BOOKS, CARDS_V1, CARDS_V2, CARDS_V3, INSTRUCTIONS, written
from tests.stories.playing import tree

VERSIONS: Mapping[str, Mapping[str, Any]] = {"V1": CARDS_V1, "V2": CARDS_V2, "V3": CARDS_V3}
TOP = ("spec", "spec_version", "data")


def laid_out(folder: Path, documents: Mapping[str, Any]) -> list[Path]:
    folder.mkdir()
    paths = []
    for name, document in documents.items():
        path = folder / f"{name.replace(' ', '-').replace(',', '')}.json"
        path.write_bytes(document if isinstance(document, bytes) else written(document))
        paths.append(path)
    return paths


def brought(layout: Layout, paths: list[Path], **wanted: Any) -> Imported:
    return import_files(layout, paths, ImportOptions(**wanted))[0]


def minds(layout: Layout) -> dict[str, tuple[object, ...]]:
    """Return what a world knows of its cast, without the numbers of memories."""
    found: dict[str, tuple[object, ...]] = {}
    for name, agent in load_world(layout).world.agents.items():
        assert agent.persona is not None
        nodes = [
            (node.type, node.description, node.importance, node.tags, node.metadata.get("canonical"))
            for node in read_gifted(layout, name).nodes
            if node.metadata.get("kind") == "imported"
        ]
        found[name] = (agent.name, dict(agent.persona.front), agent.persona.prose, nodes)
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_cards_come_in_go_out_and_come_in_again(dinner: Layout, version: str, tmp_path: Path) -> None:
    other = Layout(tmp_path / "other")
    shutil.copytree(dinner.root, other.root)
    cards = VERSIONS[version]
    assert len(cards) >= 10
    imported = brought(dinner, laid_out(tmp_path / "in", cards))
    assert {landed.format for landed in imported.sources} == {f"character card {version}"}
    assert check_world(dinner).problems == ()
    ids = {landed.people[0]: document for landed, document in zip(imported.sources, cards.values(), strict=True)}
    out = {name: make_card(dinner, name, ".json")[1] for name in ids}
    for name, document in ids.items():
        card = json.loads(out[name])
        came = document.get("data") or {key: document.get(key, "") for key in FIELDS_V1}
        assert card["spec"] == "chara_card_v3"
        assert {key: card["data"][key] for key in came} == came, name
        kept = {key: value for key, value in document.items() if key not in TOP}
        assert {key: card[key] for key in kept} == kept, name
    brought(other, laid_out(tmp_path / "out", out))
    assert minds(other) == minds(dinner)


@pytest.mark.parametrize("version", VERSIONS)
def test_nothing_that_a_card_says_to_models_and_people_reaches_a_prompt(
    dinner: Layout, version: str, tmp_path: Path
) -> None:
    cards = {key: card for key, card in VERSIONS[version].items() if key in ("full", "silly tavern", "plain")}
    imported = brought(dinner, laid_out(tmp_path / "in", cards))
    world = load_world(dinner).world
    for landed in imported.sources:
        name = landed.people[0]
        prompt = describe_context(dinner, world, name, ContextOptions()).prompt or ""
        persona = world.agents[name].persona
        assert persona is not None
        assert persona.prose.split("\n")[2] in prompt
        for words in INSTRUCTIONS:
            assert words not in prompt
    kept = dinner.imported
    outside = [path for path in dinner.root.rglob("*.*") if path.is_file() and not path.is_relative_to(kept)]
    texts = b"".join(path.read_bytes() for path in outside)
    assert not [words for words in INSTRUCTIONS if words.encode() in texts]


def test_the_card_is_kept_to_the_byte(dinner: Layout, tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf" + json.dumps(CARDS_V2["chub"], indent=3).replace("\n", "\r\n").encode()
    brought(dinner, laid_out(tmp_path / "in", {"hale": data}))
    assert dinner.kept("professor-hale").read_bytes() == data
    assert check_world(dinner).problems == ()


def test_numbers_and_unknown_fields_go_out_as_they_came(dinner: Layout, tmp_path: Path) -> None:
    text = (
        '{"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Una", "description": "Una weighs letters.",'
        ' "extensions": {"a": 1.0, "b": 1, "c": 1e400, "d": 0.10, "e": -0.0, "f": 123456789012345678901234567890,'
        f' "g": {"9" * 5000}, "h": 1E+2, "i": "\\ud800"}}}}}}'
    )
    brought(dinner, laid_out(tmp_path / "in", {"una": text.encode()}))
    out = make_card(dinner, "una", ".json")[1].decode()
    for part in (
        '"a": 1.0',
        '"b": 1,',
        "1e400",
        '"d": 0.10',
        "-0.0",
        "123456789012345678901234567890",
        "9" * 5000,
        "1E+2",
    ):
        assert part in out
    assert '"i": "\\ud800"' in out


def test_gift_keeps_what_was_imported(dinner: Layout, tmp_path: Path) -> None:
    give_memories(dinner)
    before = tree(dinner.gifted_folder)
    imported = brought(dinner, laid_out(tmp_path / "in", {"tess": CARDS_V2["book"]}))
    assert imported.others == tuple(f"state/gifted/{name}.jsonl" for name in ("alex", "casey", "jordan"))
    landed = tree(dinner.gifted_folder)
    assert all(landed[path].startswith(data) for path, data in before.items())
    given, _ = give_memories(dinner)
    assert not [file for file in given.files if file.added or file.changed or file.removed]
    assert tree(dinner.gifted_folder) == landed
    said = [node.description for node in read_gifted(dinner, "old-tess").nodes]
    assert "The last keeper was called Old Tess." in said
    assert len([text for text in said if text.startswith("The Arcona sank.")]) == 4, "long entries come in pieces"
    assert not [text for text in said if "Never shown" in text]


@pytest.mark.parametrize("holder", ["", "Alex"])
def test_lorebooks_land_in_the_library_or_with_a_character(dinner: Layout, holder: str, tmp_path: Path) -> None:
    assert len(BOOKS) >= 10
    before = tree(dinner.root)
    imported = brought(dinner, laid_out(tmp_path / "in", BOOKS), holder=holder)
    assert check_world(dinner).problems == ()
    after = tree(dinner.root)
    assert all(after[path] == data for path, data in before.items()), "nothing that exists is overwritten"
    kept = [path for path in after if path.startswith("state/imported/")]
    assert len(kept) == len(BOOKS)
    if holder:
        nodes = [node for node in read_gifted(dinner, "alex").nodes if node.metadata.get("kind") == "imported"]
        assert "The toll is paid in candles." in [node.description for node in nodes]
        assert [node.tags for node in nodes if "lead" in node.description] == [("crown", "throne")]
        assert not [path for path in after if path.startswith("library/")]
    else:
        assert after["library/der-duesterwald.md"].decode() == (
            "---\ntitle: Der Düsterwald\ntags:\n- Düsterwald\n---\nIm Düsterwald fällt kein Schnee.\n"
        )
        assert next(passage.title for passage in find_passages(dinner, "the toll", "en")[0]) == "The Toll"
        assert next(passage.text for passage in find_passages(dinner, "a throne", "en")[0]) == "The crown is lead."
    left = [(item.part, item.said) for landed in imported.sources for item in landed.left]
    assert any("always on" in said for _, said in left) != bool(holder)
    assert any("Gone" in part and said == "switched off" for part, said in left)
    assert any("entry 2" in part for part, _ in left)
    assert any("/w(i|o)n(d+)+$/" in part for part, _ in left)


def test_lore_that_is_there_already_is_not_written_twice(dinner: Layout, tmp_path: Path) -> None:
    paths = laid_out(tmp_path / "in", {"saltmarsh": BOOKS["lorebook_v3"]})
    brought(dinner, paths)
    before = tree(dinner.library)
    again = brought(dinner, paths)
    assert tree(dinner.library) == before
    assert [item.said for item in again.sources[0].left if item.part == "The Toll"] == [
        "library/the-toll.md says it already"
    ]


def test_entries_of_a_card_can_go_to_the_library(dinner: Layout, tmp_path: Path) -> None:
    brought(dinner, laid_out(tmp_path / "in", {"tess": CARDS_V2["book"]}), lore="library")
    assert sorted(path.name for path in dinner.library.glob("*.md")) == ["lamp.md", "ship.md", "who.md"]
    assert not dinner.gifted("old-tess").exists()
    card = json.loads(make_card(dinner, "old-tess", ".json")[1])
    assert card["data"]["character_book"] == CARDS_V2["book"]["data"]["character_book"]
