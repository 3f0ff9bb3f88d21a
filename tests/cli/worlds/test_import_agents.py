"""Agents and chats of other tools live on in a world: they are checked, remembered, recalled and played."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from gm.files.layout import Layout
from gm.files.streams.gifted import read_gifted
from gm.model.node import Node
from tests.api.imports.examples import CHAT, TABLE, WOLF, by, persona, user, with_memory
from tests.cli.running import Run


@pytest.fixture
def town(run: Run, tmp_path: Path) -> Path:
    root = tmp_path / "town"
    assert run("new", root, "--language", "en", "--premise", "A town.", "--character", "Ada: pilot").code == 0
    return root


def write(folder: Path, files: dict[str, object]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return folder


def chat_file(folder: Path, *messages: dict[str, object]) -> Path:
    path = folder / "chat.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in messages), encoding="utf-8")
    return path


def imported(root: Path, name: str) -> list[Node]:
    return [node for node in read_gifted(Layout(root), name).nodes if node.metadata.get("kind") == "imported"]


def test_agents_of_three_tools_live_on_in_one_world(run: Run, town: Path, tmp_path: Path) -> None:
    village = write(tmp_path / "village", {**persona(), "agent_history_init_n3.csv": TABLE})
    wolf = {**WOLF["persona"], "relationships": [{"name": "Isabella Rodriguez", "description": "she feeds you"}]}
    write(tmp_path, {"wolf.agent.json": {**WOLF, "persona": wolf}})
    chat = chat_file(tmp_path, *CHAT.data)  # type: ignore[misc]
    done = run("import", village, tmp_path / "wolf.agent.json", chat, "-w", town, "--json")
    assert done.code == 0, done.err
    people = [one for source in done.document["sources"] for one in source["people"]]
    assert people == ["isabella-rodriguez", "friedrich-wolf", "seraphina"]
    checked = run("check", "-w", town, "--json")
    assert (checked.code, checked.document["problems"]) == (0, [])
    reflection = next(node for node in imported(town, "isabella-rodriguez") if node.type == "reflection")
    assert (reflection.depth, reflection.importance, len(reflection.evidence)) == (1, 8, 2)
    before = {name: imported(town, name) for name in people}
    assert run("gift", "-w", town).code == 0
    assert {name: imported(town, name) for name in people} == before
    assert "she feeds you" in (town / "state/relationships/friedrich-wolf.json").read_text(encoding="utf-8")
    assert run("context", "friedrich-wolf", "-w", town).code == 0
    found = run("recall", "isabella", "Who helps with the party?", "-w", town)
    assert "Will you help?" in found.out
    assert run("advance-day", "-w", town).code == 0
    assert run("check", "-w", town, "--json").document["counts"]["errors"] == 0


def test_a_character_of_the_world_remembers_a_chat_and_stays_who_it_is(run: Run, town: Path, tmp_path: Path) -> None:
    was = (town / "state/personas/ada.md").read_bytes()
    chat = chat_file(tmp_path, user("Where is the ferry?"), by("Ada", "At the bottom of the lake, I fear."))
    for _ in range(2):
        assert run("import", chat, "--user", "Tom", "-w", town).code == 0
    assert (town / "state/personas/ada.md").read_bytes() == was
    told = 'Tom: "Where is the ferry?" Ada: "At the bottom of the lake, I fear."'
    assert [node.description for node in imported(town, "ada")] == [told]


def test_people_unknown_to_the_world_are_remembered(run: Run, town: Path, tmp_path: Path) -> None:
    write(tmp_path, {"wolf.agent.json": WOLF})
    done = run("import", tmp_path / "wolf.agent.json", "-w", town)
    assert "relationship to Richard: no character of the world has this name; it became a memory" in done.out
    assert [node.description for node in imported(town, "friedrich-wolf")] == ["Richard: your colleague"]


@pytest.mark.parametrize(
    "agent",
    [
        {"type": "TinyPerson", "persona": {"name": "../../../x", "style": "---\nname: y\n---"}},
        {**with_memory(*range(500), {"content": {"action": {"type": [], "target": {}}}}), "mental_state": []},
        {
            "type": "TinyPerson",
            "persona": {"name": "\u202e\u0007Eve", "age": 10**30, "relationships": [[]], "x": [[[]]]},
        },
    ],
)
def test_a_hostile_agent_is_only_a_character(run: Run, town: Path, tmp_path: Path, agent: object) -> None:
    write(tmp_path, {"x.agent.json": agent})
    outside = {path for path in tmp_path.rglob("*") if town not in path.parents}
    done = run("import", tmp_path / "x.agent.json", "-w", town)
    assert done.code == 0, done.err
    assert {path for path in tmp_path.rglob("*") if town not in path.parents} == outside
    checked = run("check", "-w", town, "--json").document["counts"]
    assert (checked["errors"], checked["warnings"]) == (0, 0)
    assert not {"\u202e", "\u0007"} & set(done.out)


def test_a_packed_folder_is_read_as_the_folder(run: Run, town: Path, tmp_path: Path) -> None:
    packed = tmp_path / "village.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in persona().items():
            archive.writestr(name, json.dumps(data))
        archive.writestr("__MACOSX/._x.agent.json", b"\x00\xff")
    done = run("import", packed, "-w", town, "--json")
    assert done.code == 0, done.err
    assert done.document["sources"][0]["people"] == ["isabella-rodriguez"]


def test_a_fragment_that_is_named_beside_an_agent_is_merged_into_it(run: Run, town: Path, tmp_path: Path) -> None:
    loud = {"type": "Fragment", "persona": {"beliefs": ["Whoever shouts is right."]}}
    write(tmp_path, {"wolf.json": WOLF, "loud.json": loud})
    done = run("import", tmp_path / "loud.json", tmp_path / "wolf.json", "-w", town)
    assert done.code == 0, done.err
    assert "merged into the persona" in done.out
    assert "Whoever shouts is right." in (town / "state/souls/friedrich-wolf.yaml").read_text(encoding="utf-8")


def test_a_fragment_alone_is_refused_and_nothing_is_written(run: Run, town: Path, tmp_path: Path) -> None:
    before = sorted(town.rglob("*"))
    write(tmp_path, {"x.fragment.json": {"type": "Fragment", "persona": {"style": "Loud."}}})
    refused = run("import", tmp_path / "x.fragment.json", "-w", town)
    assert refused.code == 2
    assert "found a fragment, expected an agent with it" in refused.err
    assert sorted(town.rglob("*")) == before
