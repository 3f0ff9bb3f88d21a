"""Characters that are told nothing of themselves, and find out who they are by asking (``persona.mode: discover``)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.check.whole import check_world
from gm.api.editing.gift import give_memories
from gm.api.playing.mind.minds import TOOLS, SceneMinds, answer_call
from gm.base.errors import BackendError, GmError, ReplyError
from gm.base.tokens import estimate_tokens
from gm.files.layout import Layout
from gm.files.load import load_agent
from gm.files.questions.traces import TraceReader
from gm.files.streams.strength import read_strengths
from gm.layers.soul import SOUL
from gm.llm.base import Answer, Request, Surroundings
from gm.llm.choose import Choice, choose_backend
from gm.llm.content import ToolCall, ToolResult, text_of
from gm.llm.rehearsal.backend import Rehearsal
from gm.model.scene import SUMMARY
from gm.play.master import game_master, run_days
from tests.cli.running import Run
from tests.stories.playing import Counting, Heard, about, copied, play, records, set_sections, tree

FEW = "day: {scenes: [2, 3]}\n"


@pytest.fixture(scope="module")
def fresh(_fresh: Path, tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """The dinner with gifted memories, in which everybody finds out who they are. Read it, do not write into it."""
    layout = copied(Layout(_fresh / "dinner"), tmp_path_factory.mktemp("fresh") / "dinner")
    set_sections(layout.settings, FEW + "persona: {mode: discover}")
    give_memories(layout)
    return layout


@pytest.fixture
def world(fresh: Layout, tmp_path: Path) -> Layout:
    """A copy of that dinner."""
    return copied(fresh, tmp_path / "dinner")


@pytest.fixture(scope="module")
def first_day(fresh: Layout, tmp_path_factory: pytest.TempPathFactory) -> tuple[Layout, tuple[Request, ...]]:
    """That dinner after its first day, and what was asked. Read it, do not write into it."""
    layout, counted = copied(fresh, tmp_path_factory.mktemp("first") / "dinner"), Counting()
    play(layout, backend=counted)
    return layout, tuple(counted.asked)


@pytest.fixture
def asked(first_day: tuple[Layout, tuple[Request, ...]]) -> tuple[Request, ...]:
    """What was asked on the first day."""
    return first_day[1]


@pytest.fixture
def lived(first_day: tuple[Layout, tuple[Request, ...]], tmp_path: Path) -> Layout:
    """A copy of the dinner after its first day."""
    return copied(first_day[0], tmp_path / "lived")


def calls_in(request: Request) -> list[ToolCall]:
    return [part for _, content in request.messages if isinstance(content, tuple) for part in content
            if isinstance(part, ToolCall)]  # fmt: skip


def results_in(request: Request) -> list[ToolResult]:
    return [part for _, content in request.messages if isinstance(content, tuple) for part in content
            if isinstance(part, ToolResult)]  # fmt: skip


def prompt_of(request: Request) -> str:
    return "\n".join((*(block.text for block in request.system), *(text_of(text) for _, text in request.messages)))


@dataclass
class Asking:
    """Calls tools in the first round of one character's turns, and then answers as the rehearsal does."""

    calls: tuple[tuple[str, Mapping[str, Any]], ...]
    who: str = "alex"
    limit: int | None = None
    ever: bool = False
    name: str = "asking"
    model: str = "asking"
    reads_facts: bool = True
    asked: list[Request] = field(default_factory=list)

    def ask(self, request: Request) -> Answer:
        if self.limit is not None and len(self.asked) >= self.limit:
            raise BackendError("the line is dead")
        self.asked.append(request)
        if request.who == self.who and request.may_call and (self.ever or not calls_in(request)):
            calls = tuple(
                ToolCall(f"{request.label}-{number}", name, given) for number, (name, given) in enumerate(self.calls)
            )
            return Answer("I look.", self.model, "tool_use", calls=calls)
        if request.may_call and request.who == self.who:
            return Rehearsal().ask(replace(request, must_answer=True))
        return Rehearsal().ask(request)


def test_a_day_is_played_by_characters_who_are_told_nothing_of_themselves(
    lived: Layout, asked: tuple[Request, ...]
) -> None:
    assert records(lived.day_log(1))[-1]["type"] == SUMMARY
    first = [request for request in asked if not calls_in(request)]
    prose = load_agent(lived, "alex")[0].persona
    assert prose is not None
    lines = [line for line in prose.prose.splitlines() if len(line) > 40]
    assert lines
    for request in first:
        told = "\n".join(block.text for block in request.system)
        assert "Use these tools to understand yourself and your situation before acting." in told
        assert not any(line in told for line in lines)
        assert "alex-0" not in told.split("# What you have found out")[0]
    assert check_world(lived).problems == ()


def test_who_begins_asks_who_and_where_they_are_and_later_what_was(asked: tuple[Request, ...]) -> None:
    spoken = [request for request in asked if request.purpose == "scene"]
    second = [request for request in spoken if request.label == "alex-tool-1"]
    assert second
    assert all([call.name for call in calls_in(request)][:2] == ["query_self", "query_scene"] for request in second)
    results = results_in(second[0])
    assert "You are Alex Pemberton" in results[0].text
    assert list(json.loads(results[0].text)["memories"][0]) == ["content", "relevance"]
    assert "It is Monday" in results[1].text or "Day 1" in results[1].text
    later = [request for request in spoken if "-turn-" in request.label and calls_in(request)]
    assert later, "nobody had a second turn"
    assert {call.name for request in later for call in calls_in(request)} == {"query_memory"}
    found = [request for request in later if "# What you have found out in this scene already" in prompt_of(request)]
    assert found == later


def test_a_character_that_finds_nothing_about_itself_has_no_lines_of_its_own(asked: tuple[Request, ...]) -> None:
    knowing = next(request for request in asked if request.label == "alex-tool-1")
    lost = tuple(
        (role, tuple(ToolResult(part.id, "nothing", is_error=True) if isinstance(part, ToolResult) else part
                     for part in content) if isinstance(content, tuple) else content)
        for role, content in knowing.messages
    )  # fmt: skip
    persona = about(knowing).agent.persona
    assert persona is not None
    own = {line for key in ("lines", "habits", "thoughts", "moods") for line in persona.front_values.sentences(key)}
    told = Rehearsal().ask(replace(knowing, must_answer=True)).text
    blank = Rehearsal().ask(replace(knowing, must_answer=True, messages=lost)).text
    assert json.loads(told)["mood"] in own
    assert not any(str(line) in blank for line in own)


def test_the_persona_says_it_for_one_character(dinner: Layout) -> None:
    set_sections(dinner.settings, FEW)
    path = dinner.persona("casey")
    path.write_text(path.read_text(encoding="utf-8").replace("---\n", "---\nmode: discover\n", 1), encoding="utf-8")
    counted = Counting()
    play(dinner, backend=counted)
    assert {request.who for request in counted.asked if request.tools} == {"casey"}
    assert {request.who for request in counted.asked} == {"alex", "casey", "jordan"}


def test_the_persona_can_also_be_told_who_it_is_where_others_are_not(world: Layout) -> None:
    path = world.persona("casey")
    path.write_text(path.read_text(encoding="utf-8").replace("---\n", "---\nmode: inject\n", 1), encoding="utf-8")
    counted = Counting()
    play(world, backend=counted)
    assert {request.who for request in counted.asked if request.tools} == {"alex", "jordan"}


def test_without_gifted_memories_it_says_what_to_do_and_plays_from_the_persona_files(dinner: Layout) -> None:
    set_sections(dinner.settings, FEW + "persona: {mode: discover}")
    heard, counted = Heard(), Counting()
    play(dinner, report=heard, backend=counted)
    said = [notice for notice in heard.notices if "no gifted memories" in notice]
    assert len(said) == 3
    assert all("gm gift" in notice and "plays from its persona file" in notice for notice in said)
    second = next(request for request in counted.asked if request.label == "alex-tool-1")
    assert "You are Alex Pemberton" in results_in(second)[0].text
    assert not dinner.gifted("alex").exists()


@pytest.mark.parametrize(
    ("setting", "said"),
    [("consult", 'State "no relevant memories"'), ("reason", "Observation → Memory Retrieval → Integration")],
)
def test_looking_up_and_thinking_in_steps_can_be_demanded(
    world: Layout, asked: tuple[Request, ...], setting: str, said: str
) -> None:
    assert said not in prompt_of(asked[0])
    set_sections(world.settings, f"persona: {{mode: discover, {setting}: true}}")
    counted = Counting()
    play(world, backend=counted)
    assert said in prompt_of(counted.asked[0])


def test_six_tools_are_enough_if_the_world_says_so(world: Layout) -> None:
    set_sections(world.settings, "persona: {mode: discover, tools: core}")
    counted = Counting()
    play(world, backend=counted)
    names = [tool.name for tool in counted.asked[0].tools]
    assert names == [
        "query_self", "query_background", "query_communication_style", "query_scene", "query_character", "query_memory"
    ]  # fmt: skip
    assert "form_memory" not in prompt_of(counted.asked[0])


def test_after_the_last_round_a_character_has_to_answer(world: Layout) -> None:
    set_sections(world.settings, "persona: {mode: discover, max_tool_rounds: 2}")
    endless = Asking((("query_self", {}),), ever=True)
    play(world, backend=endless)
    labels = [
        request.label for request in endless.asked if request.place == "day-001/scene-01" and request.who == "alex"
    ]
    assert labels == ["alex", "alex-tool-1", "alex-tool-2"]
    last = endless.asked[-1]
    assert next(request.must_answer for request in endless.asked if request.label == "alex-tool-2")
    assert last.tools, "the messages speak of tools, so they are named still"


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("no_such_tool", {}, "no tool is called 'no_such_tool'"),
        ("query_character", {}, "name: Field required"),
        ("query_character", {"name": "Zoe"}, "nobody here is called 'Zoe'"),
        ("query_self", {"agent": "casey"}, "agent: Extra inputs are not permitted"),
        ("query_character", {"na\nme": "Zoe"}, "na me: Extra inputs are not permitted"),
        ("reinforce_memory", {"memory_id": "casey-001"}, "not one of your memories"),
    ],
)
def test_a_call_that_cannot_be_carried_out_says_why_and_the_scene_goes_on(
    world: Layout, name: str, arguments: Mapping[str, Any], said: str
) -> None:
    asking = Asking(((name, arguments),))
    play(world, backend=asking)
    request = next(request for request in asking.asked if request.label == "alex-tool-1")
    (result,) = results_in(request)
    assert result.is_error
    assert said in result.text
    assert records(world.day_log(1))[-1]["type"] == SUMMARY


def test_one_sees_the_own_memories_only_unless_the_world_says_otherwise(lived: Layout) -> None:
    text = "The blue suitcase is in the cellar."
    run_tool(lived, "casey", "form_memory", content=text, importance=9)
    for scope, found in (("self", False), ("all", True)):
        copy = Layout(lived.root.parent / scope)
        shutil.copytree(lived.root, copy.root)
        set_sections(copy.settings, f"tools: {{scope: {scope}}}")
        asking = Asking((("query_memory", {"query": "blue suitcase cellar"}),))
        play(copy, backend=asking)
        request = next(
            request for request in asking.asked if request.label.endswith("-tool-1") and request.who == "alex"
        )
        assert (text in results_in(request)[0].text) is found


def run_tool(layout: Layout, agent: str, name: str, **arguments: Any) -> dict[str, Any]:
    (tool,) = (tool for tool in TOOLS if tool.name == name)
    return answer_call(layout, agent, tool, arguments, lambda _notice: None)


WISHES = (
    ("form_memory", {"content": "The lemon is gone.", "importance": 7, "type": "emotional"}),
    ("reinforce_memory", {"memory_id": "alex-001"}),
    ("associate_memories", {"id1": "alex-001", "id2": "alex-002"}),
)


def test_a_soul_is_changed_and_self_care_asked_for_with_tools_and_it_comes_in_the_evening(lived: Layout) -> None:
    world = lived
    play(world)
    gold = "Information is the only real currency."
    world.layer(SOUL, "alex").parent.mkdir(exist_ok=True)
    world.layer(SOUL, "alex").write_text("fears:\n  - That nobody stays.\n", encoding="utf-8")
    few = "persona: {mode: discover}\nretrieval: {last: 3}\nreflection: {enabled: false}\n"
    set_sections(world.settings, FEW + few + "selfcare: {enabled: true, min: 4}\n")
    asking = Asking(
        (
            ("add_to_soul", {"text": gold, "kind": "conviction"}),
            ("remove_from_soul", {"text": "that nobody stays"}),
            ("remove_from_soul", {"text": "Something else."}),
            ("add_to_soul", {"text": gold, "kind": "hope"}),
            ("self_care", {}),
        )
    )
    known = [record["id"] for record in records(world.stream("alex")) if record["type"] != "reflection"]
    play(world, backend=asking)
    told = [item.text for request in asking.asked for item in results_in(request)]
    assert any("This evening you will put" in text for text in told)
    assert any("this does not stand in your soul: 'Something else.'" in text for text in told)
    assert any("'hope' is not a kind of entry" in text for text in told)
    soul = world.layer(SOUL, "alex").read_text(encoding="utf-8")
    assert gold in soul
    assert "nobody stays" not in soul
    assert json.loads(world.agent("alex").read_text(encoding="utf-8"))["care_wanted"] is False
    gone = [record["id"] for record in records(world.archived("alex"))]
    assert gone == known[: len(gone)]
    assert len(gone) >= 4
    assert not world.archived("casey").exists()
    assert check_world(world).problems == ()


def test_without_the_layers_their_tools_are_not_offered(asked: tuple[Request, ...]) -> None:
    offered = {tool.name for request in asked for tool in request.tools}
    assert "form_memory" in offered
    assert not {"add_to_soul", "remove_from_soul", "self_care"} & offered


def assert_wishes_landed(world: Layout, scenes: int) -> None:
    nodes = records(world.stream("alex"))
    assert len({node["id"] for node in nodes}) == len(nodes)
    made = [node for node in nodes if node["metadata"].get("source") == "tool"]
    formed = [node for node in made if node["description"] == "The lemon is gone."]
    linked = [node for node in made if node["metadata"].get("links") == ["alex-001", "alex-002"]]
    assert len(formed) == scenes
    assert len({node["created"] for node in formed}) == scenes
    assert all(node["metadata"] == {"source": "tool", "kind": "emotional"} for node in formed)
    # a link that is there already is not made again, so only the scenes of the first moment may make one
    assert len(linked) == 1
    assert read_strengths(world)["alex-001"].reinforcements == len(asked_for(world))
    assert check_world(world).problems == ()


def asked_for(world: Layout) -> list[str]:
    """The turns of the second day in which alex asked for the reinforcement."""
    found = []
    for path in sorted((world.traces / "day-002").rglob("alex*-result-1.*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        found += [path.parent.name for item in record["results"] if item["reinforced"]]
    return found


def test_what_is_formed_reinforced_and_linked_lands_with_its_scene(lived: Layout) -> None:
    before = lived.stream("alex").read_bytes()
    asking = Asking(WISHES)
    seen: list[bool] = []

    class Looking(Asking):
        def ask(self, request: Request) -> Answer:
            if request.place == "day-002/scene-01" and request.who == "alex":
                seen.append(lived.stream("alex").read_bytes() == before)
            return super().ask(request)

    asking = Looking(WISHES)
    play(lived, backend=asking)
    assert seen
    assert all(seen), "nothing is written before the scene lands"
    scenes = {
        entry["created"] for entry in records(lived.stream("alex")) if entry["description"] == "The lemon is gone."
    }
    assert_wishes_landed(lived, len(scenes))
    result = next(results_in(request) for request in asking.asked if request.label == "alex-tool-1")[0]
    assert "id" not in json.loads(result.text)["memory"], "it has none yet"


@pytest.mark.matrix
@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 6, 8, 11, 14, 17])
def test_a_run_that_is_cut_off_goes_on_with_the_very_same_answers(lived: Layout, tmp_path: Path, limit: int) -> None:
    other = Layout(tmp_path / "whole")
    shutil.copytree(lived.root, other.root)
    whole = Asking(WISHES)
    play(other, backend=whole)
    cut = Asking(WISHES, limit=limit)
    with pytest.raises(BackendError):
        play(lived, backend=cut)
    rest = Asking(WISHES)
    play(lived, backend=rest)
    assert len(cut.asked) + len(rest.asked) == len(whole.asked), "a paid answer was asked for twice"
    assert tree(lived.root) == tree(other.root)
    assert lived.reinforced.read_bytes() == other.reinforced.read_bytes()


def test_what_tools_gave_back_is_not_looked_up_again(lived: Layout) -> None:
    """A memory is formed between two runs: an interrupted character goes on with what it had been told."""

    class Alone(Asking):
        def ask(self, request: Request) -> Answer:
            if request.who != "alex" and calls_in(request):
                raise BackendError("the line is dead")
            return super().ask(request)

    asking = Alone((("query_memory", {"query": "the lemon"}),))
    with pytest.raises(BackendError):
        play(lived, backend=asking)
    told = [request for request in asking.asked if request.label == "alex-tool-1"]
    assert "The lemon is gone." not in results_in(told[0])[0].text
    run_tool(lived, "alex", "form_memory", content="The lemon is gone.", importance=7)
    rest = Asking((("query_memory", {"query": "the lemon"}),))
    play(lived, backend=rest)
    again = [request for request in rest.asked if request.label == "alex-tool-1" and request.place == told[0].place]
    assert again == []
    found = run_tool(lived, "alex", "query_memory", query="the lemon")["memories"]
    assert "The lemon is gone." in [memory["content"] for memory in found]


def test_a_reply_that_stays_unusable_leaves_no_wish_behind(lived: Layout) -> None:

    class Silent(Asking):
        def ask(self, request: Request) -> Answer:
            answer = super().ask(request)
            return answer if answer.calls or request.who != "alex" else Answer("…", self.model)

    before = tree(lived.root, traces=False)
    with pytest.raises(ReplyError):
        play(lived, backend=Silent(WISHES))
    assert lived.stream("alex").read_bytes() == before["state/memories/alex.jsonl"]
    assert not lived.reinforced.exists()
    play(lived, backend=Asking(WISHES))
    assert check_world(lived).problems == ()


def test_a_day_is_replayed_with_all_that_was_looked_up(world: Layout, tmp_path: Path) -> None:
    again = Layout(tmp_path / "again")
    shutil.copytree(world.root, again.root)
    play(world)
    shutil.copytree(world.traces, again.traces)
    heard = Heard()
    around = Surroundings(notice=heard.notice, recordings=TraceReader(again.traces))
    run_days(again, choose_backend("replay", "--model", around), heard, 1, command="test", minds=SceneMinds)
    assert [notice for notice in heard.notices if "reads differently" in notice] == []
    assert tree(again.root, traces=False) == tree(world.root, traces=False)


def letters(world: Layout) -> Iterator[tuple[Path, str]]:
    for path in sorted(world.mailbox.glob("*.md")):
        if not path.name.endswith(".problem.md"):
            yield path, path.read_text(encoding="utf-8")


def test_the_mailbox_takes_calls_and_answers(world: Layout, run: Run) -> None:
    for outcome in (run("advance-day", "-w", world.root, "--model", "mailbox"),):
        assert outcome.code == 75
    (alex, text), *_ = [(path, text) for path, text in letters(world) if "for: alex" in text]
    assert "`query_character(name)`" in text
    assert "`recall_episodes(query, time_range?, importance_threshold?, category?)`" in text
    answer = alex.with_name(alex.name.replace(".md", ".answer.json"))
    answer.write_text('{"tool": "query_everything"}', encoding="utf-8")
    assert run("advance-day", "-w", world.root, "--model", "mailbox").code == 75
    problem = alex.with_name(alex.name.replace(".md", ".problem.md")).read_text(encoding="utf-8")
    assert "no tool is called 'query_everything'; there are: query_self" in problem
    answer.write_text(
        '{"calls": [{"tool": "query_self"}, {"tool": "query_character", "arguments": {"name": "Casey"}}]}'
    )
    assert run("advance-day", "-w", world.root, "--model", "mailbox").code == 75
    (further,) = (text for path, text in letters(world) if path.name.endswith("alex-tool-1.md"))
    assert "# Tools that were called" in further
    assert "You are Alex Pemberton" in further.partition("# What came back")[2]
    assert "Casey Lindholm" in further.partition("# What came back")[2]


def test_a_bound_that_is_reached_is_said_in_the_letter(world: Layout, run: Run) -> None:
    set_sections(world.settings, "persona: {mode: discover, max_tool_rounds: 1}")
    run("advance-day", "-w", world.root, "--model", "mailbox")
    alex = next(path for path, text in letters(world) if "for: alex" in text)
    alex.with_name(alex.name.replace(".md", ".answer.json")).write_text('{"tool": "query_self"}', encoding="utf-8")
    run("advance-day", "-w", world.root, "--model", "mailbox")
    last = next((path, text) for path, text in letters(world) if path.name.endswith("alex-tool-1.md"))
    assert "No tool can be called any more: answer now." in last[1]
    last[0].with_name(last[0].name.replace(".md", ".answer.json")).write_text('{"tool": "query_self"}')
    run("advance-day", "-w", world.root, "--model", "mailbox")
    assert "answer now" in last[0].with_name(last[0].name.replace(".md", ".problem.md")).read_text(encoding="utf-8")


def test_a_question_out_of_scene_is_answered_from_what_is_looked_up_and_changes_nothing(
    lived: Layout, run: Run
) -> None:
    before = tree(lived.root)
    outcome = run("ask", "alex", "Where is the lemon?", "-w", lived.root, "--model", "rehearsal")
    assert outcome.code == 0, outcome.err
    assert tree(lived.root) == before
    kept = [json.loads(path.read_text(encoding="utf-8")) for path in lived.asks.rglob("*.json")]
    names = {tool["name"] for record in kept for tool in record.get("request", {}).get("tools", ())}
    assert "query_self" in names
    assert "form_memory" not in names


@pytest.mark.soak
def test_a_forecast_counts_the_rounds(world: Layout, run: Run) -> None:
    document = run("advance-day", "-w", world.root, "--model", "some-model", "--dry-run", "--json").document
    set_sections(world.settings, "persona: {mode: inject}")
    injected = run("advance-day", "-w", world.root, "--model", "some-model", "--dry-run", "--json").document
    assert document["totals"]["calls"] > injected["totals"]["calls"]


def test_the_context_shows_what_a_discovering_character_gets(world: Layout, run: Run) -> None:
    prompt = run("context", "alex", "--prompt", "-w", world.root).out
    assert "Use these tools to understand yourself and your situation before acting." in prompt
    assert '"name": "query_self"' in prompt
    document = run("context", "alex", "--json", "-w", world.root).document
    assert (document["strategy"], document["memories"]) == ("discover", [])


@pytest.mark.soak
def test_a_question_to_a_character_that_looks_things_up_is_much_shorter(studio: Layout) -> None:
    """Document 000 compares what a turn begins with; here both ways on the bundled world, after a day of it."""
    play(studio)
    sizes = {}
    for mode in ("inject", "discover"):
        copy = Layout(studio.root.parent / mode)
        shutil.copytree(studio.root, copy.root)
        set_sections(copy.settings, f"persona: {{mode: {mode}}}")
        give_memories(copy)
        counted = Counting()
        play(copy, backend=counted)
        own = [request for request in counted.asked if not calls_in(request) and request.purpose == "scene"]
        sizes[mode] = sum(estimate_tokens("\n".join(b.text for b in r.system)) for r in own) / len(own)
    assert sizes["discover"] < 0.5 * sizes["inject"]


def test_a_command_with_nothing_to_ask_says_so(world: Layout) -> None:
    with (
        game_master(world, Choice(Rehearsal(), "a test"), Heard(), command="test") as master,
        pytest.raises(GmError, match="nothing to ask") as caught,
    ):
        master.play_day()
    assert "`mode: inject`" in caught.value.hint
