"""`gm care`, `gm prune` and `gm memory tier` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from gm.files.layout import Layout
from tests.cli.running import Run
from tests.llm.postman import Postman, as_json
from tests.stories.playing import copied, records, set_sections, tree

CARE = "selfcare: {min: 10, token_ceiling: 1500, post_ceiling: 700}\nretrieval: {last: 5}\nreflection: {enabled: false}"


@pytest.fixture
def old(two_days: Layout, tmp_path: Path) -> Layout:
    layout = copied(two_days, tmp_path / "dinner")
    set_sections(layout.settings, CARE)
    return layout


def test_a_dry_run_says_what_is_due_and_touches_nothing(run: Run, old: Layout) -> None:
    before = tree(old.root)
    outcome = run("care", "--all", "-w", old.root, "--dry-run", "--json")
    assert outcome.code == 0
    document = outcome.document
    assert not document["enabled"]
    assert document["ceilings"] == {"tokens": 1500, "summary_tokens": 12000}
    (batch,) = document["agents"]["alex"]["due"]
    assert (batch["cause"], batch["first"]) == ("memories", "alex-001")
    assert document["agents"]["alex"]["tokens"] > 1500
    assert tree(old.root) == before
    words = run("care", "alex", "-w", old.root, "--dry-run")
    assert f"due: {batch['memories']} memories, alex-001 to {batch['last']}" in words.out
    assert "selfcare.enabled is false" in words.err


def test_care_by_hand_puts_memories_together_once(run: Run, old: Layout) -> None:
    others = {path: text for path, text in tree(old.root).items() if "alex" not in path and "traces" not in path}
    outcome = run("care", "Alex", "-w", old.root, "--model", "rehearsal", "--json")
    assert outcome.code == 0
    (cared,) = outcome.document["cared"]
    assert cared["archived"][0] == "alex-001"
    assert [record["id"] for record in records(old.summarised("alex"))] == [node["id"] for node in cared["summaries"]]
    assert {path: text for path, text in tree(old.root).items() if path in others} == others
    sums = run("accumulators", "alex", "-w", old.root, "--recompute", "--json").document["agents"]["alex"]
    assert sums["difference"] == 0, "what went to the archive without having been reflected on counts"
    again = run("care", "alex", "-w", old.root, "--model", "rehearsal")
    assert "nothing is due" in again.out
    context = run("context", "alex", "-w", old.root, "--json").document
    assert [node["id"] for node in context["summaries"]] == [node["id"] for node in cared["summaries"]]
    assert "alex-001" not in [node["id"] for node in context["memories"]]
    then = run("context", "alex", "-w", old.root, "--at", "day-001", "--last", 90, "--json").document
    assert "alex-001" in [node["id"] for node in then["memories"]]
    assert "summaries" not in then


def test_search_show_and_evidence_reach_the_archive(run: Run, old: Layout) -> None:
    first = records(old.stream("alex"))[0]
    run("care", "alex", "-w", old.root, "--model", "rehearsal")
    shown = run("memory", "show", "alex-001", "-w", old.root, "--json").document
    assert (shown["description"], shown["path"], shown["archived"]) == (
        first["description"], "state/archive/alex.jsonl", True,
    )  # fmt: skip
    (summary, *_) = records(old.summarised("alex"))
    rests = run("memory", "show", summary["id"], "-w", old.root, "--json").document
    assert [item["id"] for item in rests["rests_on"]] == summary["evidence"]
    assert rests["summary"] is True
    found = run("recall", "alex", first["description"], "-w", old.root, "--json").document["memories"]
    assert ("alex-001", "archive") in [(item["id"], item.get("kept_in")) for item in found]


def test_the_mailbox_waits_for_what_remains_and_goes_on(run: Run, old: Layout) -> None:
    postman = Postman(old.root)
    command = ("care", "alex", "-w", old.root, "--model", "mailbox")
    outcome = run(*command)
    assert outcome.code == 75
    assert not old.archive.exists()
    (letter,) = postman.letters()
    assert "alex-care-001" in letter.path.name
    theme = {"title": "The table", "text": "We set it.", "importance": 6, "tags": [], "evidence": ["alex-002"]}
    letter.path.with_name(f"{letter.path.stem}.answer.json").write_text(as_json({"themes": [theme]}), encoding="utf-8")
    assert run(*command).code == 0
    (summary,) = records(old.summarised("alex"))
    assert (summary["description"], summary["evidence"]) == ("We set it.", ["alex-002"])
    assert postman.files() == [".gitignore"]


@pytest.mark.parametrize("command", ["care", "prune"])
def test_a_character_has_to_be_named(run: Run, old: Layout, command: str) -> None:
    assert run(command, "-w", old.root).code == 2
    assert run(command, "alex", "--all", "-w", old.root).code == 2
    outcome = run(command, "nobody", "-w", old.root, "--dry-run")
    assert outcome.code == 2
    assert "alex" in outcome.err
    assert run(command, "nobody", "-w", old.root).err.startswith("error: nobody here is called 'nobody'")


def test_pruning_shows_what_would_go_and_then_moves_exactly_that(run: Run, old: Layout) -> None:
    set_sections(old.settings, "retention: {max_observations: 8}")
    before = {record["id"]: record for record in records(old.stream("alex"))}
    arguments = ("prune", "alex", "-w", old.root, "--strategy", "importance_weighted", "--json")
    planned = run(*arguments, "--dry-run").document["agents"]["alex"]
    assert list(records(old.stream("alex"))) == list(before.values())
    outcome = run(*arguments)
    assert outcome.code == 0
    assert outcome.document["agents"]["alex"] == planned
    gone = [item["id"] for item in planned["pruned"]]
    assert gone
    assert [record["id"] for record in records(old.archived("alex"))] == gone
    assert [record["id"] for record in records(old.stream("alex"))] == [name for name in before if name not in gone]
    assert len(records(old.stream("alex"))) == planned["kept"]
    assert run("prune", "--all", "-w", old.root).err.startswith("retention.strategy is none")


def test_pruning_says_how_many_stay_above_the_limits_and_why(run: Run, old: Layout) -> None:
    set_sections(old.settings, "retention: {max_observations: 3}\nretrieval: {last: 50}")
    lived = len(records(old.stream("alex")))
    above = sum(record["depth"] == 0 for record in records(old.stream("alex"))) - 3
    for more in ((), ("--dry-run",)):
        outcome = run("prune", "alex", "-w", old.root, "--strategy", "fifo", *more)
        assert f"0 {'would go' if more else 'went'} to the archive, {lived} stay" in outcome.out
        assert f"{above} above the limits stay: the last 50 (retrieval.last)" in outcome.out
    document = run("prune", "alex", "-w", old.root, "--strategy", "fifo", "--json").document
    assert document["agents"]["alex"]["held"] == above
    assert "above the limits" not in run("prune", "alex", "-w", old.root, "--dry-run").out, "nothing is pruned"


def test_a_tier_is_set_in_its_line_and_changes_what_is_found(run: Run, old: Layout) -> None:
    text = old.stream("alex").read_text(encoding="utf-8").split("\n")
    assert run("memory", "tier", "alex-003", "pinned", "-w", old.root).code == 0
    after = old.stream("alex").read_text(encoding="utf-8").split("\n")
    assert [place for place, line in enumerate(after) if line != text[place]] == [2]
    assert records(old.stream("alex"))[2]["metadata"]["tier"] == "pinned"
    for strategy in ("scored", "hybrid"):
        found = run("recall", "alex", "zebra", "-w", old.root, "--strategy", strategy, "--explain", "--json").document
        (first,) = [item for item in found["memories"] if item["id"] == "alex-003"]
        assert first["relevance"] == 1.0
        assert first["parts"]["tier"] > 0
    run("care", "alex", "-w", old.root, "--model", "rehearsal")
    assert "alex-003" in old.stream("alex").read_text(encoding="utf-8")
    run("memory", "tier", "alex-003", "normal", "-w", old.root)
    assert text[2] in old.stream("alex").read_text(encoding="utf-8").split("\n")
    assert run("memory", "tier", "alex-003", "golden", "-w", old.root).code == 2


def test_who_is_away_is_said_to_be_away_and_who_remembers_too_little_too(run: Run, old: Layout) -> None:
    set_sections(old.settings, "selfcare: {min: 10, at_home: true}\nretrieval: {last: 5}\nreflection: {enabled: false}")
    persona = old.persona("alex").read_text(encoding="utf-8")
    assert persona.startswith("---\n")
    front, mark, prose = persona[4:].partition("\n---\n")
    kept = "\n".join(line for line in front.splitlines() if not line.startswith("home:"))
    old.persona("alex").write_text(f"---\n{kept}\nhome: cellar{mark}{prose}", encoding="utf-8")
    away = run("care", "alex", "-w", old.root, "--now", "--model", "rehearsal")
    assert away.code == 0
    assert "alex is away: in " in " ".join(away.out.split()).replace("tokens is", "alex is")
    assert "at home in cellar; selfcare.at_home lets it put memories together only there" in away.out
    assert "nothing is due" not in away.out
    assert not run("care", "alex", "-w", old.root, "--dry-run", "--json").document["agents"]["alex"]["at_home"]
    set_sections(old.settings, "selfcare: {min: 400}")
    few = run("care", "alex", "-w", old.root, "--now", "--dry-run")
    assert "memories are old enough, and selfcare.min asks for 400" in few.out
