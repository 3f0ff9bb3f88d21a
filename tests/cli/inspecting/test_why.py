"""How a memory came to be is told from the files alone, and what is missing is said."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gm.api.answers.document import as_json
from gm.api.editing.memory import NewMemory, add_memory
from gm.api.reports.why.describe import describe_why, render_evidence_dot
from gm.api.reports.why.questions import is_worded_in
from gm.base.errors import GmError
from gm.files.layout import Layout
from gm.files.streams.find import Finder, list_found
from gm.model.node import Node, render_node
from tests.build import node
from tests.cli.running import Run
from tests.handmade import make_handmade


def write(layout: Layout, name: str, *nodes: Node, archived: bool = False) -> None:
    path = layout.archived(name) if archived else layout.stream(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8") as file:
        file.writelines(render_node(item) + "\n" for item in nodes)


def test_a_number_needs_no_zeros(played: Layout, run: Run) -> None:
    for command in (["why"], ["memory", "show"]):
        short, whole = (run(*command, name, "-w", played.root) for name in ("vera-1", "vera-001"))
        assert (short.code, short.out) == (0, whole.out)
    assert "'vera-0'" in run("why", "vera-0", "-w", played.root).err


def of_type(layout: Layout, kind: str) -> Node:
    kept = (kept.node for name in layout.agent_names() for kept in list_found(layout, name))
    return next(item for item in kept if item.type == kind)


def lived(layout: Layout) -> Node:
    """Find a memory that a character wrote itself."""
    kept = (kept.node for name in layout.agent_names() for kept in list_found(layout, name))
    return next(item for item in kept if item.type == "observation" and not item.metadata)


def made_it(document: dict[str, Any]) -> dict[str, Any]:
    (item,) = [item for item in document["questions"] if item["made_it"]]
    assert isinstance(item, dict)
    return item


def rewrite(layout: Layout, old: Node, description: str) -> None:
    """Replace the text of a memory, as a person does in an editor."""
    path = layout.stream(old.id.rpartition("-")[0])
    text = path.read_text(encoding="utf-8")
    assert render_node(old) in text
    path.write_text(
        text.replace(render_node(old), render_node(replace(old, description=description))), encoding="utf-8"
    )


def test_a_memory_leads_to_its_scene_its_reason_its_question_and_its_answer(played: Layout) -> None:
    memory = lived(played)
    document = as_json(describe_why(played, memory.id, prompts=True))
    logged = played.day_log(1).read_text(encoding="utf-8").split("\n")[document["scene"]["line"] - 1]
    assert document["origin"] == "reply"
    assert document["scene"]["why"] == json.loads(logged)["why"]
    question = made_it(document)
    trace = json.loads((played.root / question["path"]).read_text(encoding="utf-8"))
    assert question["answer"] == trace["answer"]["text"]
    assert question["prompt"]["system"] == trace["request"]["system"]
    assert question["tokens"]["input"] == trace["usage"]["input_tokens"]
    assert (question["model"], question["usd"], document["missing"]) == ("rehearsal", 0.0, [])


@pytest.mark.parametrize("kind", ["plan", "artifact", "conversation"])
def test_what_the_game_master_puts_to_words_leads_to_the_answer_behind_it(played: Layout, kind: str) -> None:
    document = as_json(describe_why(played, of_type(played, kind).id))
    assert document["origin"] == "reply"
    assert any(item["made_it"] for item in document["questions"])


def test_a_piece_of_work_leads_to_its_makers_memory_and_back(played: Layout, run: Run) -> None:
    made = of_type(played, "artifact")
    path = str(made.metadata["artifact_path"])
    document = run("why", path, "-w", played.root, "--json").document
    assert document["id"] == made.id
    assert document["artifact"]["readable"]
    (played.root / path).unlink()
    assert not as_json(describe_why(played, made.id))["artifact"]["readable"]


def test_evidence_leads_down_to_what_was_lived_into_the_archive_and_to_others(played: Layout) -> None:
    write(played, "vera", node(801, description="Ganz früher."), archived=True)
    write(played, "emre", node(802, agent="emre", depth=1, type="reflection", evidence=["vera-801"]))
    write(played, "vera", node(803, depth=2, type="reflection", evidence=["emre-802", "vera-801", "tobi-999"]))
    first, again, missing = as_json(describe_why(played, "vera-803"))["evidence"]
    assert (first["id"], first["evidence"][0]["id"], first["evidence"][0]["home"]) == (
        "emre-802",
        "vera-801",
        "archive",
    )
    assert again["again"]
    assert missing == {"id": "tobi-999", "missing": True}
    assert {item["id"] for item in as_json(describe_why(played, "vera-801"))["rests_on_it"]} == {"vera-803", "emre-802"}


@pytest.mark.parametrize("moment", ["day-001", "day-001/scene-02"])
def test_a_moment_is_no_memory_and_its_day_is_named(moment: str, played: Layout) -> None:
    with pytest.raises(GmError, match=f"{moment} is no memory") as error:
        describe_why(played, moment)
    assert error.value.hint == "why its scenes were chosen: gm log 1"


def test_a_circle_of_evidence_ends(played: Layout) -> None:
    write(played, "vera", node(801, evidence=["vera-802"]), node(802, evidence=["vera-801"]))
    (below,) = as_json(describe_why(played, "vera-801"))["evidence"]
    assert below["evidence"][0]["again"]


def test_a_memory_of_what_was_left_undone_is_the_game_masters(played: Layout) -> None:
    kept = (found.node for name in played.agent_names() for found in list_found(played, name))
    left = next(item for item in kept if item.metadata.get("kind") == "plan-left")
    document = as_json(describe_why(played, left.id))
    assert (document["origin"], document["questions"]) == ("dusk", [])


def test_a_memory_added_by_hand_says_so(played: Layout) -> None:
    added, _ = add_memory(played, "vera", NewMemory("Das hat jemand hineingeschrieben.", 4))
    document = as_json(describe_why(played, added.id))
    assert (document["origin"], document["questions"]) == ("hand", [])
    assert "gm memory add" in document["origin_text"]


def test_a_memory_changed_by_hand_leads_to_the_answer_in_which_it_stood(played: Layout, run: Run) -> None:
    old = lived(played)
    assert as_json(describe_why(played, old.id))["origin"] == "reply"
    text = f"Heute weiß ich: {old.description}"[:-1] + ", sicher nicht."
    assert run("memory", "edit", old.id, "--description", text, "-w", played.root).code == 0
    document = as_json(describe_why(played, old.id))
    assert document["origin"] == "edited"
    assert document["original"] == {"description": old.description}
    assert made_it(document)["stood"] == old.description
    told = " ".join(run("why", old.id, "-w", played.root).out.split())
    assert "in this scene, and was changed by hand since." in told
    assert f"originally: {old.description}" in told


def test_a_conversation_rewritten_by_hand_still_stood_in_its_answer(played: Layout) -> None:
    old = of_type(played, "conversation")
    rewrite(played, old, "Ganz anders.")
    document = as_json(describe_why(played, old.id))
    assert (document["origin"], document["original"]) == ("edited", {"description": old.description})


def test_a_memory_rewritten_by_hand_still_leads_to_its_answer(played: Layout) -> None:
    old = lived(played)
    rewrite(played, old, "Ganz anders.")
    document = as_json(describe_why(played, old.id))
    assert (document["origin"], document["original"]) == ("edited", {"description": old.description})
    assert made_it(document)["stood"] == old.description


def test_what_the_game_master_wrote_and_a_person_changed_is_shown_as_it_was(played: Layout, run: Run) -> None:
    old = next(
        kept.node
        for name in played.agent_names()
        for kept in list_found(played, name)
        if as_json(describe_why(played, kept.node.id))["origin"] == "game-master"
    )
    rewrite(played, old, "Ganz anders.")
    document = as_json(describe_why(played, old.id))
    assert (document["origin"], document["original"]) == ("game-master", {"description": old.description})
    told = " ".join(run("why", old.id, "-w", played.root).out.split())
    assert f"originally: {' '.join(old.description.split())}" in told


def test_without_the_worlds_own_record_the_answer_most_like_it_is_taken(played: Layout) -> None:
    old = lived(played)
    rewrite(played, old, f"{old.description[:-1]}, sicher nicht.")
    shutil.rmtree(played.changes)
    document = as_json(describe_why(played, old.id))
    assert (document["origin"], made_it(document)["stood"]) == ("edited", old.description)


def test_what_a_lens_has_bent_is_not_called_an_edit(played: Layout, run: Run) -> None:
    old = lived(played)
    bent = replace(old, description=f"{old.description} Leider.", metadata={"original": old.description})
    path = played.stream(old.id.rpartition("-")[0])
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(render_node(old), render_node(bent)), encoding="utf-8")
    document = as_json(describe_why(played, old.id))
    assert document["node"]["description"] == bent.description
    assert (document["origin"], made_it(document)["stood"]) == ("reply", None)


def test_a_copy_names_its_source_and_the_source_its_copies(played: Layout) -> None:
    metadata = {"copied_from": "emre-001", "original": "So war es eigentlich."}
    write(played, "vera", node(801, metadata=metadata))
    document = as_json(describe_why(played, "vera-801"))
    assert (document["origin"], document["copied_from"]["id"]) == ("copied", "emre-001")
    assert document["original"] == {"description": "So war es eigentlich."}
    assert [item["id"] for item in as_json(describe_why(played, "emre-001"))["copies"]] == ["vera-801"]


def test_what_was_given_from_the_start_says_so(studio: Layout, run: Run) -> None:
    assert run("gift", "-w", studio.root).code == 0
    first = json.loads(studio.gifted("vera").read_text(encoding="utf-8").split("\n")[0])
    document = as_json(describe_why(studio, first["id"]))
    assert (document["origin"], document["home"]) == ("gifted", "gifted")


def test_a_seed_memory_is_named_as_one_and_misses_nothing(studio: Layout, run: Run) -> None:
    added = run("memory", "add", "vera", "Vera kennt den Fluss.", "-w", studio.root, "--json").document
    document = as_json(describe_why(studio, added["id"]))
    assert (document["origin"], document["missing"]) == ("seed", [])
    assert "dated before the first day" in document["origin_text"]


def test_absent_traces_and_logbooks_are_said(played: Layout, run: Run) -> None:
    memory = lived(played)
    shutil.rmtree(played.traces)
    played.day_log(1).unlink()
    document = as_json(describe_why(played, memory.id))
    assert document["origin"] == "unknown"
    assert [text.split(" ")[0] for text in document["missing"]] == ["state/logbook/day-001.jsonl", "question"]
    assert "! question and answer are not there" in run("why", memory.id, "-w", played.root).out


def test_an_unknown_id_is_answered_with_near_ones(played: Layout, run: Run) -> None:
    outcome = run("why", "vera-9999", "-w", played.root)
    assert (outcome.code, outcome.out) == (1, "")
    assert "vera-0" in outcome.err
    assert "emre-001" in run("why", "emer-001", "-w", played.root).err


def test_the_older_shape_and_other_spellings_are_found(tmp_path: Any) -> None:
    layout = make_handmade(tmp_path)
    assert as_json(describe_why(layout, "MINA-003"))["id"] == "mina-003"
    assert as_json(describe_why(layout, "mina-002"))["node"]["id"] == "mina-002"


def test_an_id_that_only_stands_in_a_text_is_no_hit(played: Layout) -> None:
    write(played, "vera", node(801, description='Auf dem Zettel stand "vera-977".', tags=["vera-977"]))
    assert Finder(played).find("vera-977") == []


def test_the_graph_escapes_what_characters_said(played: Layout) -> None:
    write(played, "vera", node(801, description='"]; evil [label="x\\'), node(802, evidence=["vera-801", "vera-999"]))
    text = render_evidence_dot(describe_why(played, "vera-802"))
    assert '"vera-801" [label="vera-801 (5)\\n\\"]; evil [label=\\"x\\\\", shape=box];' in text
    assert '"vera-802" -> "vera-801";' in text
    assert 'label="vera-999\\nmissing", style=dotted' in text


def test_people_read_it_in_eighty_columns_without_colour(
    played: Layout, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(played, "vera", node(801, description="Wort " * 100 + "\x1b[31mrot"), node(802, evidence=["vera-801"]))
    monkeypatch.setenv("NO_COLOR", "1")
    for name in ("vera-801", "vera-802", lived(played).id):
        text = run("why", name, "-w", played.root).out
        assert "\x1b" not in text
        assert max(map(len, text.splitlines())) <= 80


def test_the_whole_question_is_printed_on_request(played: Layout, run: Run) -> None:
    memory = lived(played)
    block = made_it(as_json(describe_why(played, memory.id, prompts=True)))["prompt"]["system"][0].splitlines()[0]
    assert block not in run("why", memory.id, "-w", played.root).out
    assert block in run("why", memory.id, "-w", played.root, "--prompt").out


def test_a_quoted_line_is_not_the_wording_of_a_conversation() -> None:
    talk = node(
        1, type="conversation", description="We spoke.", metadata={"exchange": [{"agent": "vera", "text": "Hi."}]}
    )
    assert not is_worded_in('{"dialogue": [{"text": "Hi."}], "conversation": null}', talk)
    assert is_worded_in('{"conversation": {"description": "We spoke."}}', talk)


def test_an_imported_memory_says_so_and_shares_its_number_with_a_lived_one(
    played: Layout, run: Run, tmp_path: Path
) -> None:
    book = tmp_path / "book.json"
    book.write_text(json.dumps({"entries": [{"keys": ["Turm"], "content": "Der Turm ist alt."}]}), encoding="utf-8")
    assert run("import", book, "--for", "vera", "-w", played.root).code == 0
    seed = json.loads(played.gifted("vera").read_text(encoding="utf-8").splitlines()[-1])["id"]
    write(played, "vera", node(int(seed.removeprefix("vera-"))))
    assert "from another tool's file (gm import)" in run("why", f"gifted/{seed}", "-w", played.root).out
    assert not [text for text in describe_why(played, seed).missing if "more than once" in text]
