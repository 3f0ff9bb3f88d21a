"""Memories that a scene calls up, and the window by what is on a character's mind, in days that are played."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from gm.api.editing.gift import give_memories
from gm.files.layout import Layout
from tests.cli.running import Run
from tests.stories.playing import Heard, play

HEADING = "## Was dir dazu einfällt"
ON = "\nrag: {limit: 2}\nretrieval: {last: 4, all_reflections: false}\n"


def configure(layout: Layout, text: str) -> None:
    with open(layout.settings, "a", encoding="utf-8") as file:
        file.write(text)


def questions(layout: Layout, day: int) -> list[str]:
    """The questions of a day, with all that was sent."""
    paths = sorted(layout.traces.glob(f"day-{day:03d}/**/*.json"))
    return [path.read_text(encoding="utf-8") for path in paths]


def asked(text: str) -> str:
    return str(json.loads(text)["request"]["messages"][0]["content"])


def files(layout: Layout) -> dict[str, bytes]:
    kept = [path for path in layout.root.rglob("*") if path.is_file() and ".gm" not in path.parts]
    return {str(path.relative_to(layout.root)): path.read_bytes() for path in kept}


def test_nothing_comes_to_mind_by_default(played: Layout) -> None:
    play(played)
    assert not any(HEADING in text for text in questions(played, 2))


def test_a_scene_calls_memories_up_in_the_question_only(played: Layout) -> None:
    configure(played, ON)
    play(played)
    with_mind = [json.loads(text) for text in questions(played, 2) if HEADING in text]
    assert with_mind
    for trace in with_mind:
        request = trace["request"]
        assert not any(HEADING in json.dumps(block, ensure_ascii=False) for block in request["system"])


def test_what_comes_to_mind_is_the_same_however_often_and_however_the_index_was_made(
    played: Layout, tmp_path: Path
) -> None:
    configure(played, ON)
    twin = Layout(tmp_path / "twin")
    shutil.copytree(played.root, twin.root)
    shutil.rmtree(twin.derived, ignore_errors=True)
    play(played, days=2)
    play(twin)
    shutil.rmtree(twin.derived)
    play(twin)
    assert files(played) == files(twin)


def test_a_query_template_that_cannot_be_rendered_costs_a_notice_and_no_scene(played: Layout, run: Run) -> None:
    configure(played, '\nrag: {limit: 2, query_template: "{{ scene.topic }} {{ me.nothing }}"}\nretrieval: {last: 4}\n')
    done = run("context", "vera", "--prompt", "-w", played.root)
    assert done.code == 0
    assert HEADING in done.out, "a bad template does not stop a scene: memories are looked for as without it"
    (notice,) = [line for line in done.err.splitlines() if "rag.query_template" in line]
    assert "no attribute 'nothing'" in notice
    assert "gm check" in notice


@pytest.mark.parametrize("strategy", ["scored", "hybrid"])
def test_the_window_by_the_scene_stays_the_same_for_all_of_its_turns(played: Layout, strategy: str) -> None:
    configure(played, f"\nretrieval: {{strategy: {strategy}, last: 6, all_reflections: false}}\n")
    play(played, days=2)
    settled: dict[tuple[str, str], list[str]] = {}
    for path in sorted(played.traces.glob("day-00[23]/**/*.json")):
        trace = json.loads(path.read_text(encoding="utf-8"))
        if trace["purpose"] == "scene":
            settled.setdefault((str(path.parent), trace["who"]), []).append(json.dumps(trace["request"]["system"][2]))
    assert any(len(turns) > 1 for turns in settled.values())
    assert all(len(set(turns)) == 1 for turns in settled.values())
    by_agent = {who: {text for (_, other), (text, *_) in settled.items() if other == who} for _, who in settled}
    assert any(len(windows) > 1 for windows in by_agent.values()), "another scene calls for other memories"


def test_context_shows_the_strategy_that_chose_the_window(played: Layout, run: Run) -> None:
    configure(played, "\nretrieval: {strategy: hybrid, last: 3, all_reflections: false}\n")
    done = run("context", "vera", "--json", "-w", played.root)
    assert done.document["strategy"] == "hybrid"
    assert len(done.document["memories"]) == 3


LESSONS = (
    'seeds: {lessons: ["Wer fragt, verliert keine Zeit.", "Gips bricht.", "Ton reißt.", "Asche ist Erinnerung."]}\n'
)
BRINGS = "## Was du von Anfang an mitbringst"


def test_lessons_reach_the_prompts_of_all_scenes(played: Layout) -> None:
    configure(played, LESSONS)
    give_memories(played)
    heard = Heard()
    play(played, report=heard)
    scenes = [text for text in questions(played, 2) if json.loads(text)["purpose"] == "scene"]
    assert scenes
    for text in scenes:
        told = asked(text).partition(BRINGS)[2].partition("\n#")[0]
        assert len([line for line in told.splitlines() if line.startswith("- ")]) == 3
    assert not any("seeds.lessons" in notice for notice in heard.notices)


def test_the_lessons_that_fit_a_scene_come_first(played: Layout, run: Run) -> None:
    configure(played, LESSONS)
    give_memories(played)
    scene = ("--scene", "encounter", "--with", "vera,emre", "--topic", "Was die Asche in Erinnerung behält")
    told = run("context", "vera", *scene, "--prompt", "-w", played.root).out.partition(BRINGS)[2].split("\n- ")
    assert told[1].strip() == "Asche ist Erinnerung."


def test_lessons_that_were_not_given_are_named_where_a_person_looks(played: Layout, run: Run) -> None:
    configure(played, LESSONS)
    heard = Heard()
    play(played, report=heard)
    said = "4 lessons of seeds.lessons have not been given to the characters yet; run: gm gift"
    assert [notice for notice in heard.notices if "lessons" in notice] == [said]
    assert "4 of seeds.lessons have not been given" in run("status", "-w", played.root).out
    (found,) = [
        item
        for item in run("check", "--json", "-w", played.root).document["problems"]
        if item["code"] == "lessons-not-given"
    ]
    assert (found["path"], found["severity"], found["hint"]) == ("gm.yaml", "warning", "run: gm gift")
    give_memories(played)
    assert run("status", "--json", "-w", played.root).document["lessons_not_given"] == 0
    assert "lessons-not-given" not in run("check", "--json", "-w", played.root).out


def with_rag(layout: Layout, agent: str, rag: str) -> None:
    path = layout.persona(agent)
    path.write_text(path.read_text(encoding="utf-8").replace("---\n", f"---\nrag: {rag}\n", 1), encoding="utf-8")


def test_a_persona_says_how_many_memories_come_to_its_mind_and_by_what(played: Layout, run: Run) -> None:
    configure(played, "\nretrieval: {last: 1, all_reflections: false}\nrag: {limit: 1}\n")
    with_rag(played, "vera", '{enabled: true, limit: 2, query_template: "Brief {{ said | join }}"}')
    with_rag(played, "emre", "false")
    scene = ("--scene", "encounter", "--with", "vera,emre,tobi", "-w", played.root, "--prompt")
    shown = {name: run("context", name, *scene).out for name in ("vera", "emre", "tobi")}
    counts = {name: text.partition(HEADING)[2].partition("\n#")[0].count("\n- `") for name, text in shown.items()}
    assert counts == {"vera": 2, "emre": 0, "tobi": 1}


def test_a_template_of_a_persona_reads_what_it_is_given_and_nothing_else(played: Layout, run: Run) -> None:
    with_rag(played, "vera", "{limit: 1, query_template: \"{{ ''.__class__.__mro__ }}\"}")
    done = run("context", "vera", "--prompt", "-w", played.root)
    assert done.code == 0
    assert "rag.query_template: access to attribute '__class__'" in done.err


def test_check_shows_what_is_wrong_with_a_query_template_at_its_place(played: Layout, run: Run) -> None:
    configure(played, '\nrag: {enabled: true, query_template: "{{ scene.nothing }}"}\n')
    with_rag(played, "vera", '{limit: some, query_template: "{{ balance }} {{ me.name }}"}')
    with_rag(played, "emre", '{query_template: "{% if %}"}')
    done = run("check", "--json", "-w", played.root)
    assert done.code == 1
    found = [
        (item["path"], item["line"], item["severity"], item["message"])
        for item in done.document["problems"]
        if item["code"] in ("rag-template", "persona-value")
    ]
    text = played.settings.read_text(encoding="utf-8")
    line = 1 + text[: text.index("rag: {enabled")].count("\n")
    assert [(path, number, severity) for path, number, severity, _ in found] == [
        ("gm.yaml", line, "error"),
        ("state/personas/emre.md", 2, "error"),
        ("state/personas/vera.md", 2, "warning"),
        ("state/personas/vera.md", 2, "error"),
    ]
    assert "no 'nothing' in it" in found[0][3]
    assert 'rag.limit is "some"' in found[2][3]
    assert "no variable is called 'balance' here; there are: me, others, said, scene" in found[3][3]
