"""Everything that can be switched on is on at once, for days; and then it is switched off again."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gm.api.answers.document import as_json
from gm.api.editing.accumulators import describe_accumulators
from gm.api.editing.board import put_up_brief, put_up_feedback
from gm.api.worlds.create import create_world
from gm.ask.reply.schema import schema_of
from gm.base.errors import BackendError
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.streams.archive import read_archive
from gm.layers import LAYERS
from gm.layers.diary import DIARY
from gm.layers.goals import GOALS
from gm.layers.now import NOW
from gm.layers.relationships import RELATIONSHIPS
from gm.layers.soul import SOUL
from gm.layers.working import WORKING, page_lines
from gm.model.master_replies import ChapterReply, DirectorReply, RatingReply, RatingsReply, RetellingReply
from gm.model.scene_reply import PlanningReply, SceneReply
from gm.model.solo_replies import AnsweringReply, DiaryReply, QuestionsReply, ReflectionReply, SummaryReply
from tests.api.repositories import commit_all, git, make_repository
from tests.cli.running import Run
from tests.everything import everything_off, everything_on
from tests.llm.postman import Postman
from tests.llm.standin import MOST_OPTIONAL, MOST_UNIONS, sum_up
from tests.replies import TEXTS
from tests.stories.leaks import Shown, find_leaks, prompts_of
from tests.stories.playing import Counting, check_replay, objections, play, records, tree

DAYS = 15
EVERY = frozenset({"soul", "now", "working", "relationships", "diary", "goals", "kinds", "share"})
FORMS = (
    SceneReply, PlanningReply, ReflectionReply, AnsweringReply, QuestionsReply,
    DiaryReply, SummaryReply, RatingReply, RatingsReply, DirectorReply, RetellingReply, ChapterReply,
)  # fmt: skip
FEW = "day: {scenes: [2, 3]}\nnarrator: on\nchapters: on\n"


def wrong_sums(layout: Layout) -> dict[str, Any]:
    def archive(name: str) -> Any:
        return read_archive(layout, name)

    found = as_json(describe_accumulators(load_world(layout).world, recompute=True, read_archive=archive))["agents"]
    return {name: item for name, item in found.items() if item["difference"]}


def kinds(layout: Layout) -> dict[tuple[str, str, str], str]:
    """Find an id of each kind of line: by the file that holds it, its type and its finer kind."""
    found: dict[tuple[str, str, str], str] = {}
    for name in layout.agent_names():
        for path in (layout.stream(name), layout.archived(name), layout.summarised(name)):
            for record in records(path) if path.exists() else ():
                kind = str(record["metadata"].get("kind", ""))
                found.setdefault((path.parent.name, record["type"], kind), record["id"])
    return found


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """Fifteen days of the studio, with briefs and feedback."""
    layout = everything_on(create_world(tmp_path_factory.mktemp("everything") / "studio", "studio"))
    for day in range(DAYS):
        if day % 4 == 2:
            put_up_brief(layout, f"Nach Tag {day}: Ich will eine Sache weniger sehen als gestern.")
            pieces = [path for past in layout.logged_days() for entry in records(layout.day_log(past))
                      for path in entry.get("artifacts", [])]  # fmt: skip
            put_up_feedback(layout, pieces[-1], "Zu glatt; wo ist hier der Dreck an den Kanten geblieben?")
        play(layout)
        assert wrong_sums(layout) == {}
    return layout


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Layout, Layout]:
    """The dinner before its first day, and after three."""
    folder = tmp_path_factory.mktemp("small")
    before = everything_on(create_world(folder / "before", "dinner"), more=FEW)
    after = Layout(shutil.copytree(before.root, folder / "after"))
    play(after, days=3)
    return before, after


@pytest.fixture
def after(small: tuple[Layout, Layout], tmp_path: Path) -> Layout:
    return Layout(shutil.copytree(small[1].root, tmp_path / "copied"))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("layers", [frozenset(), EVERY], ids=["no layers", "all layers"])
@pytest.mark.parametrize("importance", ["reply", "facets", "heuristic"])
def test_no_schema_is_more_than_providers_compile(form: Any, layers: frozenset[str], importance: str) -> None:
    optional, unions = sum_up(schema_of(form, TEXTS, layers, importance))
    assert optional <= MOST_OPTIONAL
    assert unions <= MOST_UNIONS


def test_the_layers_counted_above_are_all_that_there_are(small: tuple[Layout, Layout]) -> None:
    assert load_world(small[0]).world.layers == EVERY


def test_days_with_everything_on_leave_nothing_to_object_to(small: tuple[Layout, Layout]) -> None:
    assert objections(small[1]) == []
    assert wrong_sums(small[1]) == {}


def test_replayed_from_its_traces_such_a_world_has_the_same_bytes(small: tuple[Layout, Layout], tmp_path: Path) -> None:
    before, after = small
    again = Layout(shutil.copytree(before.root, tmp_path / "again"))
    check_replay(after, again, days=3)


@pytest.mark.soak
def test_a_day_that_breaks_off_goes_on_without_asking_any_twice(after: Layout, tmp_path: Path) -> None:
    whole = Layout(shutil.copytree(after.root, tmp_path / "whole"))
    counting = Counting()
    play(whole, backend=counting)
    total = len(counting.asked)
    for answered in range(2, total, total // 4):
        layout = Layout(shutil.copytree(after.root, tmp_path / f"after-{answered}"))
        first, second = Counting(limit=answered), Counting()
        with pytest.raises(BackendError):
            play(layout, backend=first)
        play(layout, backend=second)
        assert len(first.asked) + len(second.asked) == total
        assert tree(layout.root) == tree(whole.root)


def test_such_a_day_can_be_played_by_answering_letters(small: tuple[Layout, Layout], tmp_path: Path, run: Run) -> None:
    layout = Layout(shutil.copytree(small[0].root, tmp_path / "letters"))
    persona = layout.persona("casey")  # answers by letter call no tools here
    persona.write_text(persona.read_text(encoding="utf-8").replace("mode: discover\n", ""), encoding="utf-8")
    postman = Postman(layout.root)
    for _ in range(90):
        outcome = run("advance-day", "-w", layout.root, "--model", "mailbox")
        if outcome.code == 0:
            break
        assert outcome.code == 75, outcome.err
        postman.answer_all()
    assert records(layout.day_log(1))[-1]["type"] == "SUMMARY"
    assert objections(layout) == []


def test_each_day_is_one_commit_of_all_its_files(small: tuple[Layout, Layout], tmp_path: Path, run: Run) -> None:
    layout = Layout(shutil.copytree(small[0].root, tmp_path / "committed"))
    with layout.settings.open("a", encoding="utf-8") as file:
        file.write("git: {commit: day}\n")
    make_repository(layout.root)
    commit_all(layout.root, "new world")
    assert run("advance-day", "-w", layout.root, "--model", "rehearsal", "--days", 2).code == 0
    assert len(git(layout.root, "log", "--format=%s").splitlines()) == 3
    assert git(layout.root, "status", "--porcelain") == ""
    assert run("diff", "HEAD~1", "HEAD", "-w", layout.root, "--json").document


def test_switched_off_again_the_world_goes_on_and_is_asked_for_nothing_of_it(after: Layout) -> None:
    everything_off(after)
    before = {kind for kind in kinds(after) if kind[0] == "archive"}
    folders = map(after.layer_folder, LAYERS)
    layered = {path: path.read_bytes() for folder in folders for path in folder.iterdir()}
    counting = Counting()
    play(after, days=2, backend=counting)
    asked = {key for request in counting.asked for key in request.schema["properties"]}
    own = {"soul", "now", "working", "relationships", "goal_reports", "memory_requests", "memory_answers"}
    assert asked.isdisjoint(own)
    assert not any(request.tools or request.purpose in ("diary", "summary") for request in counting.asked)
    assert {path: path.read_bytes() for path in layered} == layered
    assert {kind for kind in kinds(after) if kind[0] == "archive"} == before
    assert objections(after) == []


@pytest.mark.soak
def test_everything_that_is_on_is_made_use_of(lived: Layout) -> None:
    found = {(folder, kind) for folder, _, kind in kinds(lived)}
    for kind in ("dialogue", "copied", "link", "lesson", "goal_progress", "emotional", "procedural", "brief"):
        assert {("memories", kind), ("archive", kind)} & found, kind
    assert ("summaries", "summary") in found
    entries = [entry for day in lived.logged_days() for entry in records(lived.day_log(day))]
    assert any("over_allowance" in entry for entry in entries) or any("formed" in entry for entry in entries)
    assert any("duplicates" in entry for entry in entries)
    assert any(path.name.endswith("-questions.json") or "-questions" in path.name for path in lived.traces.rglob("*"))


@pytest.mark.soak
def test_after_fifteen_days_nothing_is_to_be_objected_to(lived: Layout) -> None:
    assert objections(lived) == []


@pytest.mark.soak
def test_every_command_that_reports_gives_one_document(lived: Layout, run: Run) -> None:
    name, other, *_ = lived.agent_names()
    commands: list[Any] = [
        ["status"], ["stats"], ["cost"], ["cost", "--agents"], ["cost", "--day", 3], ["context", name],
        ["context", other], ["context", name, "--at", "day-006"], ["recall", name, "Turm", "--kind", "dialogue"],
        *(["recall", name, "Turm und Asche", "--strategy", way] for way in ("recent", "tags", "scored", "hybrid")),
        ["recall", name, "Turm", "--kind", "copied", "--explain"], ["diff", "day-003", "day-006"], ["log"],
        ["log", name], ["diary"], ["relationships", name], ["soul", "show", name], ["working", "show", name],
        ["goals", "list"], ["share", "list"], ["threads", "list"], ["due"], ["accumulators", "--recompute"],
        ["index", "status"], ["memory", "show", name], ["memory", "find", "Turm"], ["plan"],
        ["care", "--all", "--dry-run"], ["prune", "--all", "--dry-run"], ["check"],
        *(["why", identifier] for identifier in kinds(lived).values()),
        *(["memory", "show", identifier] for identifier in kinds(lived).values()),
    ]  # fmt: skip
    for command in commands:
        outcome = run(*command, "--json", "-w", lived.root)
        assert outcome.code == 0, f"{command}: {outcome.err}"
        assert json.loads(outcome.out) is not None
    assert len(kinds(lived)) > 20


@pytest.fixture(scope="module")
def prompts(lived: Layout) -> list[Shown]:
    return list(prompts_of(lived, lived.logged_days()))


@pytest.mark.soak
def test_no_prompt_of_these_days_says_what_its_character_could_not_know(lived: Layout, prompts: list[Shown]) -> None:
    assert len(prompts) > 25 * DAYS
    assert find_leaks(lived, prompts) == []


@pytest.mark.soak
@pytest.mark.parametrize(
    "what", ["soul", "goal", "page", "now", "diary", "relationship", "summary", "archive", "dialogue"]
)
def test_a_planted_secret_of_each_layer_is_found(lived: Layout, prompts: list[Shown], what: str) -> None:
    last = prompts[-1]
    found = set()
    for text in private(lived, last.who, what):
        planted = replace(last, blocks=(*last.blocks, text))
        found |= {leak.what for leak in find_leaks(lived, [planted])}
    # what is also a memory, word for word, is found as one
    assert {"summary": "memory", "archive": "memory", "now": "memory"}.get(what, what) in found


def private(layout: Layout, who: str, what: str) -> list[str]:
    """Return some texts of a layer that other characters keep to themselves."""
    other = next(name for name in reversed(layout.agent_names()) if name != who)
    mind = load_world(layout).world.agents[other].mind
    match what:
        case "soul":
            return [entry.text for entry in mind[SOUL].entries]
        case "goal":
            return [goal.text for goal in mind[GOALS]]
        case "page":
            return [line.text for line in page_lines(mind[WORKING])]
        case "now":
            return [*mind[NOW].occupies, *mind[NOW].thinks]
        case "diary":
            return [entry.text for entry in mind[DIARY] or ()]
        case "relationship":
            return [item.rationale for item in (mind[RELATIONSHIPS] or {}).values()]
        case "summary":
            return [record["description"] for record in records(layout.summarised(other))]
        case "archive":
            return [node.description for node in read_archive(layout, other)][:12]
    entries = [entry for day in layout.logged_days() for entry in records(layout.day_log(day))]
    return [
        item["text"]
        for entry in entries
        if who not in entry.get("participants", [who])
        for item in entry.get("dialogue", [])
    ][-12:]  # fmt: skip; older ones may have come as copies since
