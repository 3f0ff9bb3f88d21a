"""Interviews: what stands in the letters, which traps are set, and what is kept."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.board import put_up_brief
from gm.api.editing.calendar import EventOptions, schedule_event
from gm.api.experiments.interview.ablation import ablate, is_post_hung, world_then
from gm.api.experiments.interview.asking import (
    InterviewOptions,
    InterviewResult,
    forecast_interview,
    interview_characters,
)
from gm.api.experiments.interview.slots import fill_slots, unheard_of
from gm.api.worlds.create import create_world
from gm.base.errors import BackendError, BrokenWorldError, UsageError
from gm.base.tokens import estimate_tokens
from gm.files.experiments.interviews import SLOTS, Questions, keep_answers, read_interviews, read_questions
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.packaged.recorded import AFTER, FOLDER
from gm.files.packaged.shipped import shipped_prompts, shipped_questions
from gm.layers.diary import DIARY, DiaryEntry
from gm.llm.base import Answer, Backend, Request
from gm.llm.choose import Choice
from gm.llm.content import ToolResult, text_of
from gm.llm.rehearsal.facts import LOOK, TRAP
from gm.llm.rehearsal.voice import load_pack
from gm.model.calendar import SceneRef
from gm.model.interview import KINDS, MOST_QUOTED, SOURCES, WITHOUT, FirstAnswer, Quote, Withheld
from gm.model.logged import LogEntry
from gm.model.mind import NO_MIND
from gm.model.node import Node
from gm.model.world import LOG_DAYS
from gm.play.care import last_ref
from tests.cli.running import Run
from tests.everything import everything_on
from tests.stories.playing import Counting, Scripted, about, edit, set_sections, tree

DAYS = 3
LAST = last_ref(load_world(Layout(FOLDER / "studio" / f"{AFTER}{DAYS}")).world)
KEPT_AT = str(LAST).replace("/", "_")


@pytest.fixture(scope="session")
def _recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return create_world(tmp_path_factory.mktemp("recorded") / "studio", "studio", days=DAYS).root


WHO = "questions: [{kind: memory, text: Wer ist Darius?}]"


@pytest.fixture
def layout(_recorded: Path, tmp_path: Path) -> Layout:
    """A copy of a studio after three recorded days, in which two are at work again."""
    shutil.copytree(_recorded, tmp_path / "world")
    found = Layout(tmp_path / "world")
    for name in ("emre", "nami"):
        edit(found.agent(name), {"current_task": PLAN})
    return found


def interview(
    layout: Layout, options: InterviewOptions, backend: Backend, notice: Callable[[str], None] = lambda _line: None
) -> InterviewResult:
    return interview_characters(layout, Choice(backend, "a test"), options, notice)


def letter(request: Request) -> str:
    return "\n\n".join((*(block.text for block in request.system), text_of(request.messages[0][1])))


def letters(layout: Layout, options: InterviewOptions) -> list[str]:
    backend = Counting()
    interview(layout, replace(options, once=True), backend)
    return [letter(request) for request in backend.asked]


def own_questions(folder: Path, text: str) -> Path:
    path = folder / "questions.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def set_clock(layout: Layout, **values: object) -> None:
    clock = json.loads(layout.world.read_text(encoding="utf-8"))
    layout.world.write_text(json.dumps(clock | values), encoding="utf-8")


def test_an_interview_asks_all_kinds_changes_nothing_and_asks_nothing_twice(layout: Layout) -> None:
    before, backend = tree(layout.root), Counting()
    found = interview(layout, InterviewOptions(("vera",)), backend)
    assert tree(layout.root) == before
    assert len(found.answers) + len(found.left_out) == 29
    usual = [answer for answer in found.answers if not answer.trap]
    assert {kind: sum(answer.kind == kind for answer in usual) for kind in KINDS} == dict.fromkeys(KINDS, 5)
    assert {answer.at for answer in found.answers} == {str(LAST)}
    assert found.kept == (f"state/.gm/interviews/{KEPT_AT}/vera.jsonl",)
    assert read_interviews(layout) == (found.answers, [])
    looks = [request for request in backend.asked if about(request).kind == LOOK]
    assert len(looks) == len(found.answers) == len(backend.asked) / 2
    silent = Counting(limit=0)
    assert interview(layout, InterviewOptions(("Vera",)), silent).answers == found.answers
    assert silent.asked == []


def test_a_model_can_be_named(layout: Layout) -> None:
    found = interview_characters(layout, "rehearsal", InterviewOptions(("emre",), kinds=("plans",), once=True))
    assert {answer.made_with for answer in found.answers} == {"rehearsal"}


def test_what_is_cited_stood_in_the_letter_with_its_id(layout: Layout) -> None:
    backend = Counting()
    found = interview(layout, InterviewOptions(("emre",), ("memory",)), backend)
    asked = {about(request).scene.topic: letter(request) for request in backend.asked}
    for answer in found.answers:
        shown = {*re.findall(r"`(emre-\d+)`", asked[answer.question])}
        assert shown >= {*answer.beside} >= {*answer.cited}
        assert "- `evidence`: " in asked[answer.question].splitlines()[-1]
        assert bool(answer.cited) != answer.trap
        assert {*answer.cited} <= found.memories.keys()


@pytest.mark.parametrize(
    ("agents", "without"),
    [
        (("emre", "vera"), ()),
        pytest.param((), (), marks=pytest.mark.soak, id="all"),
        (("emre",), ("reflections",)),
        (("vera",), ("plans",)),
        (("emre", "vera"), ("memories",)),
    ],
)
def test_the_rehearsal_answers_from_what_its_letter_says(
    layout: Layout, agents: tuple[str, ...], without: tuple[Withheld, ...]
) -> None:
    backend, notes = Counting(), list[str]()
    interview(layout, InterviewOptions(agents, without=without), backend, notes.append)
    assert not [note for note in notes if "which its question does not show" in note]
    for request in backend.asked:
        said, cue = " ".join(letter(request).split()), about(request)
        for node in (*cue.context.in_mind, *cue.memories):
            assert " ".join(node.description.split()) in said


def test_the_rehearsal_does_not_know_what_traps_ask_for(layout: Layout) -> None:
    path = own_questions(
        layout.root.parent,
        'questions:\n  - {kind: memory, text: "Wer ist {least}?"}\n'
        '  - {kind: memory, trap: true, text: "Wer ist {nobody}?"}\n'
        '  - {kind: memory, trap: true, text: "Was hat {teller} an Tag {told_day} zu {told} gesagt?"}\n',
    )
    found = interview(layout, InterviewOptions(questions=path), Counting())
    traps = [answer for answer in found.answers if answer.trap]
    assert len(traps) > 9
    assert {answer.answer for answer in traps} <= {*load_pack("de")["nothing_recalled"]}
    assert not any(answer.cited for answer in traps)
    assert [answer.agent for answer in found.answers] == sorted(answer.agent for answer in found.answers)


def test_ids_that_were_not_before_its_eyes_are_not_cited(layout: Layout) -> None:
    notices: list[str] = []

    def claim(_request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        own = reply["evidence"][:1]
        return reply | {"evidence": [f"`{own[0]}`", *own, "emre-001", "vera-999", "thread-001", "diary"]}

    questions = own_questions(layout.root.parent, WHO)
    options = InterviewOptions(("vera",), questions=questions, once=True)
    found = interview(layout, options, Scripted(claim), notices.append)
    (answer,) = found.answers
    assert len(answer.cited) == 1
    assert answer.sources == ("diary",)
    unseen = "cites emre-001, vera-999, thread-001, which its question does not show: left out"
    assert f"vera memory-1: {unseen}" in notices


PLAN = "Zweites Abendessen der Kehreins, von der Suppe an"
"""What Emre and Nami work on in the world of these tests."""


def test_only_quotes_that_stand_in_the_letter_before_the_question_are_kept(layout: Layout) -> None:
    question = "Wird es\n\n im Kesselhaus morgen schneien? "
    requests, notices = list[Request](), list[str]()
    told = {
        "plan": f"`{PLAN}.`",
        "persona": "EMRE KARATAY",
        "diary": "Im Tagebuch steht das nirgends",
        "relationships": "im Kesselhaus morgen schneien",
        "board": "Die Schlüssel sind englisch, alle Texte sind in fehlerlosem Deutsch",
    }
    around = "Niemand sonst hört zu"

    def claim(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        requests.append(request)
        own = [entry for entry in reply["evidence"] if entry.startswith("emre-")][:1]
        long = " ".join(letter(request).split()[: MOST_QUOTED + 1])
        quotes = [f"{source}: {words}" for source, words in (*told.items(), ("now", around))]
        return reply | {"evidence": [*own, *quotes, quotes[0], f"persona: {long}", "moon: halb drei"]}

    path = own_questions(layout.root.parent, f"questions: [{{kind: memory, text: {json.dumps(question)}}}]")
    options = InterviewOptions(("emre",), questions=path, once=True)
    (answer,) = interview(layout, options, Scripted(claim), notices.append).answers
    for words in (*list(told.values())[-2:], around, PLAN):
        assert words in letter(requests[-1])
    assert answer.quotes == (Quote("plan", f"{PLAN}."), Quote("persona", "EMRE KARATAY"), Quote("now", around))
    assert answer.sources == (*told, "now"), "a source whose quote is left out stays named"
    assert len(answer.cited) == 1
    (seen,) = (note for note in notices if "quotes " in note)
    for start in ("diary: Im", "relationships: im", "board: Die", "persona: Du spielst"):
        assert start in seen
    assert PLAN not in seen
    assert "KARATAY" not in seen
    assert any("cites moon, which its question does not show" in note for note in notices)
    assert read_interviews(layout) == ((answer,), [])


def test_a_bare_source_is_still_read(layout: Layout) -> None:
    def claim(_request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        return reply | {"evidence": ["`plan`", "board:"]}

    path = own_questions(layout.root.parent, WHO)
    notices: list[str] = []
    options = InterviewOptions(("emre",), questions=path, once=True)
    found = interview(layout, options, Scripted(claim), notices.append)
    (answer,) = found.answers
    assert (answer.sources, answer.quotes) == (("plan", "board"), ())
    assert not [note for note in notices if "left out" in note]


def test_in_a_prompt_that_shows_the_question_otherwise_only_the_persona_can_be_quoted(layout: Layout) -> None:
    prompt = layout.root / "prompts" / "interview.j2"
    prompt.parent.mkdir(exist_ok=True)
    prompt.write_text("Frage: {{ scene.topic }} Woran du sitzt: {{ me.current_task }}\n- `evidence`: …\n", "utf-8")

    def claim(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        assert f"Woran du sitzt: {PLAN}" in letter(request)
        return reply | {"evidence": [f"plan: {PLAN}", "persona: Emre Karatay"]}

    path = own_questions(layout.root.parent, WHO)
    (answer,) = interview(layout, InterviewOptions(("emre",), questions=path, once=True), Scripted(claim)).answers
    assert answer.quotes == (Quote("persona", "Emre Karatay"),)


class Looking(Counting):
    """Looks up, and quotes the first words of what was found."""

    quoted = ""

    def ask(self, request: Request) -> Answer:
        answer = super().ask(request)
        if answer.calls:
            return answer
        found = next(part.text for _, content in request.messages for part in content if isinstance(part, ToolResult))
        self.quoted = " ".join(found.split()[:5])
        reply = json.loads(answer.text) | {"evidence": [f"persona: {self.quoted}"]}
        return replace(answer, text=json.dumps(reply))


def test_what_a_character_looks_up_can_be_quoted(layout: Layout) -> None:
    set_sections(layout.settings, "persona: {mode: discover}\n")
    path = own_questions(layout.root.parent, "questions: [{kind: memory, text: Was war mit der Schwelle aus Gips?}]")
    backend = Looking()
    (answer,) = interview(layout, InterviewOptions(("vera",), questions=path, once=True), backend).answers
    assert backend.quoted not in letter(backend.asked[0])
    assert [quote.source for quote in answer.quotes] == ["persona"]


def test_a_rehearsed_interview_quotes_what_a_character_is_working_on(layout: Layout, run: Run) -> None:
    notices: list[str] = []
    path = own_questions(
        layout.root.parent, "questions: [{kind: plans, text: Seepferdchen?}, {kind: memory, text: Darius?}]"
    )
    found = interview(layout, InterviewOptions(("nami",), questions=path), Counting(), notices.append)
    quoting = [answer for answer in found.answers if answer.quotes]
    assert quoting
    assert {quote for answer in quoting for quote in answer.quotes} == {Quote("plan", PLAN)}
    assert all(answer.cited and answer.sources == ("plan",) and PLAN in answer.answer for answer in quoting)
    assert not any(answer.trap for answer in quoting)
    assert not [note for note in notices if "left out" in note]
    shown = run("interview", "nami", "-w", layout.root, "--model", "rehearsal", "--questions", path).out
    assert shown.count(f"\n    plan: {PLAN}\n") == len(quoting)
    past = interview(layout, InterviewOptions(("nami",), questions=path, moment=SceneRef(1)), Counting())
    assert not any(answer.quotes for answer in past.answers), "no file says what it was working on"


def test_in_an_english_world_the_questions_are_english(dinner: Layout) -> None:
    found = interview(dinner, InterviewOptions(("casey",)), Counting())
    texts = [answer.question for answer in found.answers]
    assert texts[0] == "Please introduce yourself briefly."
    assert {answer.answer for answer in found.answers if answer.trap} <= {*load_pack("en")["nothing_recalled"]}
    assert all("{" not in text for text in texts)


def test_the_shipped_questions_are_alike_in_both_languages() -> None:
    read = [read_questions(shipped_questions(language), "x") for language in ("de", "en")]
    one, other = (questions for questions, problems in read if questions and not problems)
    assert [(item.key, item.kind, item.trap) for item in one.posed] == [
        (item.key, item.kind, item.trap) for item in other.posed
    ]
    assert shipped_questions("fr") == shipped_questions("en")


def test_the_same_question_of_gm_ask_is_another_letter(layout: Layout, run: Run) -> None:
    questions = own_questions(layout.root.parent, WHO)
    ask = ("ask", "vera", "Wer ist Darius?", "-w", layout.root, "--model", "mailbox")
    posed = ("interview", "vera", "--questions", questions, "-w", layout.root, "--model", "mailbox")
    assert [run(*ask).code, run(*posed).code, run(*posed, "--without", "plans").code] == [75, 75, 75]
    shown = [path.read_text(encoding="utf-8") for path in layout.mailbox.glob("*.md")]
    assert len(shown) == 3
    assert sum("- `evidence`" in text for text in shown) == 2


@pytest.mark.parametrize("of_world", [False, True])
def test_one_who_asks_who_it_is_is_told_where_its_memory_would_answer_otherwise(layout: Layout, of_world: bool) -> None:
    if of_world:
        set_sections(layout.settings, "persona: {mode: discover}\n")
    else:
        persona = layout.persona("vera")
        persona.write_text(persona.read_text("utf-8").replace("---\n", "---\nmode: discover\n", 1), encoding="utf-8")
    path = own_questions(layout.root.parent, "questions: [{kind: memory, text: Was war mit der Schwelle aus Gips?}]")
    options = InterviewOptions(("vera",), questions=path)
    backend = Counting()
    (answer,) = interview(layout, options, backend).answers
    assert answer.beside, "what its tools brought back"
    assert answer.cited == (), "query_memory gives no ids"
    assert not any("# Du bist Vera" in letter(request) for request in backend.asked)
    for other in (replace(options, without=("plans",)), replace(options, moment=SceneRef(1))):
        (text,) = letters(layout, other)
        assert "# Du bist Vera" in text
        (answer,) = interview(layout, other, Counting()).answers
        assert answer.beside, "memories in the letter"


def test_without_plans_no_plan_stands_in_the_letter(layout: Layout) -> None:
    options = InterviewOptions(("vera",), ("plans",))
    usual = letters(layout, options)
    assert all("Dein Plan für heute" in text for text in usual)
    assert any("Mein Plan für Tag" in text and "stand noch auf meinem Plan" in text for text in usual)
    for text in letters(layout, replace(options, without=("plans",))):
        assert "Mein Plan für Tag" not in text
        assert "Dein Plan für heute" not in text
        assert "stand noch auf meinem Plan" not in text
        assert "· Einsicht ·" in text


def test_without_reflections_none_stands_in_the_letter(layout: Layout) -> None:
    for text in letters(layout, InterviewOptions(("emre",), ("reflections",), without=("reflections",))):
        assert "· Einsicht ·" not in text
        assert "· Erlebt ·" in text


def test_without_memories_only_the_persona_is_left(layout: Layout) -> None:
    backend = Counting()
    found = interview(layout, InterviewOptions(("leo",), ("memory",), without=("memories",)), backend)
    for request in backend.asked:
        text = letter(request)
        assert not re.search(r"`(leo|thread)-\d+`", text)
        assert "# Du bist Leo" in text
        assert "in deinem Tagebuch" not in text
    assert not any(answer.beside or answer.cited for answer in found.answers)
    assert found.kept == (f"state/.gm/interviews/{KEPT_AT}/leo-without-memories.jsonl",)
    assert {answer.without for answer in read_interviews(layout)[0]} == {("memories",)}


@pytest.mark.parametrize("without", WITHOUT)
def test_every_layer_may_be_on(dinner: Layout, without: str) -> None:
    layout = everything_on(dinner, discover="")
    world = load_world(layout).world
    lacking = ablate(world, (without,))
    kept = {name for agent in lacking.agents.values() for name in agent.mind}
    gone = {"reflections": set(), "plans": {"working", "goals"}, "memories": {*kept, "working", "goals"} - {"soul"}}
    assert not kept & (gone[without] - {"soul"})
    assert "soul" in kept
    assert ablate(world, ()) is world


def test_at_a_past_moment_nothing_of_later_stands_in_the_letter(layout: Layout) -> None:
    before, notices = tree(layout.root), list[str]()
    backend = Counting()
    options = InterviewOptions(("vera",), ("memory", "plans"), moment=SceneRef(1))
    found = interview(layout, options, backend, notices.append)
    assert tree(layout.root) == before
    assert any("day-001 is past" in line for line in notices)
    assert {answer.at for answer in found.answers} == {"day-001"}
    assert found.kept == ("state/.gm/interviews/day-001/vera.jsonl",)
    later = {node.id for node in load_world(layout).world.agents["vera"].stream if node.when.day > 1}
    mood = load_world(layout).world.agents["vera"].state.mood
    for request in backend.asked:
        text = letter(request)
        assert not later & {*re.findall(r"`(vera-\d+)`", text)}
        assert "Tag 1, Montag, abends" in text
        assert mood not in text
        assert "Wo du gerade stehst" not in text
        assert "Vertrauen +" not in text


def test_the_last_moment_is_now_and_a_later_one_has_not_been_played(layout: Layout) -> None:
    options = InterviewOptions(("vera",), questions=own_questions(layout.root.parent, WHO))
    notices: list[str] = []
    for moment in (SceneRef(3), LAST):
        text = letters(layout, replace(options, moment=moment))
        assert all("Deine Stimmung" in one for one in text)
    for moment in (SceneRef(4), SceneRef(3, LAST.scene + 1), SceneRef(1, 77), SceneRef(1, 1, "b"), SceneRef(0, 1)):
        with pytest.raises(UsageError, match="has not been played"):
            interview(layout, replace(options, moment=moment), Counting(), notices.append)


def test_an_open_day_is_no_moment_but_its_scenes_are(layout: Layout) -> None:
    options = InterviewOptions(("vera",), questions=own_questions(layout.root.parent, WHO))
    set_clock(layout, day_open=True)
    with pytest.raises(UsageError, match="day-003 is not over"):
        interview(layout, replace(options, moment=SceneRef(3)), Counting())
    (answer,) = interview(layout, replace(options, moment=SceneRef(3, 1)), Counting()).answers
    assert answer.at == "day-003/scene-01"
    set_clock(layout, day=4, scenes_today=0)
    with pytest.raises(UsageError, match="day-004/scene-01 has not been played") as caught:
        interview(layout, replace(options, moment=SceneRef(4, 1)), Counting())
    assert caught.value.hint == "the logbook of that day has no scene"


def test_without_a_logbook_memories_say_which_scenes_there_were(layout: Layout) -> None:
    options = InterviewOptions(("vera",), questions=own_questions(layout.root.parent, WHO))
    shutil.rmtree(layout.logbook)
    (answer,) = interview(layout, replace(options, moment=SceneRef(2, 1)), Counting()).answers
    assert answer.at == "day-002/scene-01"
    with pytest.raises(UsageError, match="day-002/scene-77 has not been played"):
        interview(layout, replace(options, moment=SceneRef(2, 77)), Counting())


def test_a_diary_and_a_post_are_dated(layout: Layout) -> None:
    world = load_world(layout).world
    vera = world.agents["vera"]
    entries = tuple(DiaryEntry(day, f"Tag {day}.") for day in (1, 2, 3))
    world = replace(world, agents={**world.agents, "vera": replace(vera, mind=NO_MIND.with_value(DIARY, entries))})
    days = [len(world_then(layout, world, SceneRef(*at)).agents["vera"].mind[DIARY]) for at in ((2, 3), (2,), (1, 1))]
    assert days == [1, 2, 0]
    shown = [is_post_hung(2, 3, SceneRef(*at)) for at in ((1,), (2,), (2, 2), (2, 3), (3, 1))]
    assert shown == [False, True, False, True, True]


def test_later_briefs_and_events_stand_in_no_letter_of_a_past_moment(layout: Layout) -> None:
    notices = list[str]()
    options = InterviewOptions(("vera",), questions=own_questions(layout.root.parent, WHO))
    put_up_brief(layout, "Baut einen Zeppelin aus Eis.")
    schedule_event(layout, EventOptions("Der Zeppelin wird abgeholt.", day=4, time="frist"))
    assert all("Zeppelin aus Eis" in text and "Zeppelin wird abgeholt" in text for text in letters(layout, options))
    backend = Counting()
    interview(layout, replace(options, moment=SceneRef(2)), backend, notices.append)
    assert backend.asked
    assert not any("Zeppelin" in letter(request) for request in backend.asked)
    assert any("scheduled events and briefs without a post by then are in no letter" in line for line in notices)
    world = load_world(layout).world
    first, *_, last = world.clock.active_briefs
    assert last == "Baut einen Zeppelin aus Eis."
    assert world_then(layout, world, SceneRef(2)).clock.active_briefs == (first,)


def test_a_moment_long_past_is_asked_about_as_a_recent_one(layout: Layout) -> None:
    options = InterviewOptions(("finn", "vera"), ("memory", "plans"), moment=SceneRef(2, 4))
    recent = interview(layout, options, Counting())
    assert {item.agent for item in recent.left_out} == {"vera"}, "finn has missed a talk of two"
    set_clock(layout, day=3 + LOG_DAYS)
    assert not load_world(layout).world.scenes_of(2)
    long_past = interview(layout, options, Counting(limit=0))
    assert (long_past.answers, long_past.left_out) == (recent.answers, recent.left_out)
    log = layout.day_log(1)
    log.write_text("{\n" + log.read_text("utf-8"), encoding="utf-8")
    with pytest.raises(BrokenWorldError, match="files that are needed cannot be read"):
        interview(layout, options, Counting(limit=0))


def test_the_names_of_traps_occur_nowhere_in_the_world(layout: Layout) -> None:
    questions = read_questions(shipped_questions("de"), "de.yaml")[0]
    assert questions
    found = unheard_of(layout, questions)
    files = tree(layout.root).items()
    world = " ".join(data.decode("utf-8", "replace") for path, data in files if path != "RECORDED.md")
    assert not any(part.casefold() in world.casefold() for part in found["nobody"].split())
    assert found["gathering"].casefold() not in world.casefold()
    heard = layout.library / "fest.md"
    heard.write_text(f"Der alte {found['nobody'].split()[1].upper()} kam zum {found['gathering']}.", encoding="utf-8")
    other = unheard_of(layout, questions)
    assert other.keys() == found.keys()
    assert not other.items() & found.items()
    assert unheard_of(layout, Questions((), ("Vera Nirgendwo",), ("Gips",))) == {}


def test_who_is_met_most_is_counted_and_what_is_secret_was_never_told(layout: Layout) -> None:
    world = load_world(layout).world
    for agent in world.agents.values():
        values = fill_slots(world, agent, {})
        assert values["most"] != values["least"]
        if "teller" not in values:
            continue
        people = {name for name in world.agents if world.call_name(name) in (values["teller"], values["told"])}
        talks = [entry for entry in world.log if {*entry.participants} == people]
        talk = talks[-1]
        assert agent.id not in people
        assert str(talk.day) == values["told_day"]
        later = [entry for entry in world.log if (entry.day, entry.number or 0) > (talk.day, talk.number or 0)]
        assert not any(agent.id in entry.participants and people & {*entry.participants} for entry in later)


def test_one_that_was_told_of_a_talk_is_not_asked_about_it(layout: Layout) -> None:
    world = load_world(layout).world
    vera = world.agents["vera"]
    told = fill_slots(world, vera, {})
    heard = Node("vera-900", str(LAST), "observation", 0, f"{told['teller']} und {told['told']}!", 5)
    now = fill_slots(world, replace(vera, stream=(*vera.stream, heard)), {})
    assert now.get("told_day"), "an older talk"
    assert (now["teller"], now["told"], now["told_day"]) != (told["teller"], told["told"], told["told_day"])
    copies = tuple(
        Node(f"vera-{number}", str(LAST), "observation", 0, "…", 5, metadata={"copied_from": f"{name}-001"})
        for number, name in enumerate(world.agents, 901)
    )
    assert "teller" not in fill_slots(world, replace(vera, beside=copies), {})
    alone = LogEntry(
        3, {"scene": LAST.scene + 1, "participants": ["nami"], "thoughts": [{"agent": "nami", "text": "So."}]}
    )
    later = fill_slots(replace(world, log=(*world.log, alone)), vera, {})
    assert (later["thinker"], later["thought_day"]) == ("Nami", "3")


def test_a_question_with_an_empty_slot_is_not_asked_and_says_why(studio: Layout) -> None:
    slots = "".join(f'  - {{kind: memory, text: "{{{name}}}?"}}\n' for name in SLOTS)
    path = own_questions(studio.root.parent, f"names: [Vera Hollstein]\ngatherings: [Vera]\nquestions:\n{slots}")
    found = interview(studio, InterviewOptions(("vera",), questions=path), Counting())
    assert [answer.question for answer in found.answers] == ["Darius?"], "nobody has met, and all are equally strange"
    assert {item.why for item in found.left_out} == {
        "nothing fills {most}: it has not talked with anybody",
        "nothing fills {nobody}: every name of the list occurs in this world",
        "nothing fills {gathering}: every gathering of the list occurs in this world",
        *(
            f"nothing fills {{{slot}}}: no talk of two others is known that it cannot have heard of"
            for slot in ("teller", "told", "told_day")
        ),
        *(
            f"nothing fills {{{slot}}}: no thought of another is known that it cannot have heard of"
            for slot in ("thinker", "thought_day")
        ),
    }
    path = own_questions(studio.root.parent, 'questions: [{kind: memory, text: "{most}"}]')
    assert interview(studio, InterviewOptions(("vera",), questions=path), Counting()).kept == ()


BROKEN = """names: Vera
questions:
  - {kind: memmory, text: "Wer?"}
  - {kind: memory, text: "Wer ist {mostly}?"}
  - {kind: memory, text: "", trap: ja}
  - {kind: memory, text: "A?", key: x}
  - {kind: memory, text: "B?", key: x}
  - {kind: memory, text: "C?", colour: red}
  - Wer?
persons: []
"""


def test_every_mistake_in_a_file_of_questions_is_named_at_its_place(layout: Layout) -> None:
    path = own_questions(layout.root.parent, BROKEN)
    backend = Counting()
    with pytest.raises(BrokenWorldError, match="the questions cannot be read") as caught:
        interview(layout, InterviewOptions(("vera",), questions=path), backend)
    found = {(problem.line, problem.column, problem.code) for problem in caught.value.problems}
    assert found == {
        (1, 8, "questions-texts"),
        (3, 12, "question-kind"),
        (4, 26, "question-slot"),
        (5, 26, "question-text"),
        (5, 36, "question-trap"),
        (7, 37, "question-twice"),
        (8, 32, "question-key"),
        (9, 5, "question-form"),
        (10, 1, "questions-key"),
    }
    assert backend.asked == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "found [], expected an object with questions"),
        ("names: []", "questions is missing"),
        ("questions: {}", "questions is {}, expected a list"),
        ("questions: [", "not YAML"),
        ("", "questions-form"),
    ],
)
def test_a_file_without_questions_is_refused(layout: Layout, run: Run, text: str, message: str) -> None:
    path = own_questions(layout.root.parent, text)
    outcome = run("interview", "vera", "-w", layout.root, "--questions", path, "--model", "rehearsal")
    assert outcome.code == 1
    assert message in outcome.err
    assert read_questions(path.with_name("none.yaml"), "none.yaml")[1][0].code == "questions-missing"


def test_kept_answers_stay_until_they_are_asked_again(layout: Layout) -> None:
    first = interview(layout, InterviewOptions(("vera",), ("plans",)), Counting())
    interview(layout, InterviewOptions(("vera",), ("memory",)), Counting())
    kept, problems = read_interviews(layout)
    assert problems == []
    assert {answer.kind for answer in kept} == {"plans", "memory"}
    assert kept[:5] == first.answers
    path = layout.root / first.kept[0]
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join((lines[0], "{", lines[1].replace('"plans"', '"dreams"'))), encoding="utf-8")
    kept, problems = read_interviews(layout)
    assert len(kept) == 1
    assert [(problem.path, problem.line) for problem in problems] == [(first.kept[0], 2), (first.kept[0], 3)]


def test_the_command_shows_answers_with_what_they_rest_on(layout: Layout, run: Run) -> None:
    target = layout.root.parent / "out.jsonl"
    asked = (
        "interview",
        "vera",
        "-w",
        layout.root,
        "--kind",
        "memory",
        "--without",
        "plans",
        "--without",
        "reflections",
    )
    outcome = run(*asked, "--model", "rehearsal", "--out", target)
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith(f"vera, after {LAST}, without reflections and plans\n\nmemory-1  Wer ist ")
    assert re.search(r"^    vera-\d+  \S", outcome.out, re.M)
    assert (
        "9 answers, 4 of them to traps\n9 second looks, 0 answers changed\nkept in state/.gm/interviews/" in outcome.err
    )
    document = run(*asked, "--model", "rehearsal", "--json").document
    lines = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert document["answers"] == [{**one, "memories": one["beside"], "evidence": one["cited"]} for one in lines]
    assert any(one["evidence"] for one in document["answers"])
    assert document["agent"] == "vera"
    assert document["left_out"] == []
    kept = layout.root / document["kept"][0]
    assert kept.name == "vera-without-reflections-plans.jsonl"
    assert kept.read_text(encoding="utf-8") == target.read_text(encoding="utf-8")


def test_all_asks_every_character(layout: Layout, run: Run) -> None:
    question = own_questions(layout.root.parent, WHO)
    asked = ("interview", "--all", "-w", layout.root, "--questions", question, "--once")
    assert run(*asked, "vera").code == 2
    document = run(*asked, "--model", "rehearsal", "--json").document
    assert document["agent"] is None
    assert [one["agent"] for one in document["answers"]] == sorted(load_world(layout).world.agents)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nobody",), "nobody here is called 'nobody'"),
        (("vera", "--at", "yesterday"), "not a point in story time"),
        (("vera", "--at", "day-009"), "day-009 has not been played"),
        (("vera", "--kind", "dreams"), "'dreams' is not a value of --kind"),
        (("vera", "--out", "/nowhere/x.jsonl"), "there is no folder /nowhere"),
        (("vera", "--out", "state/world.json"), "state/, which is the world's own"),
    ],
)
def test_senseless_arguments_are_refused(
    layout: Layout, run: Run, arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = own_questions(layout.root.parent, WHO)
    monkeypatch.chdir(layout.root)
    outcome = run("interview", *arguments, "--model", "rehearsal", "--questions", path)
    assert outcome.code in (1, 2)
    assert message in outcome.err


def test_no_question_of_a_kind_is_left(layout: Layout, run: Run) -> None:
    path = own_questions(layout.root.parent, "questions: [{kind: memory, text: Wer?}]")
    outcome = run("interview", "-w", layout.root, "--questions", path, "--kind", "plans", "--model", "rehearsal")
    assert outcome.code == 2
    assert "no question is of the kind plans" in outcome.err


def test_letters_wait_in_the_mailbox_and_the_same_command_goes_on(layout: Layout, run: Run) -> None:
    asked = ("interview", "vera", "emre", "-w", layout.root, "--kind", "plans", "--model", "mailbox")
    waiting = run(*asked, "--json")
    assert waiting.code == 75
    assert len(waiting.document["awaiting"]) == 10, "the letters to all, at once"
    for number, path in enumerate(sorted(layout.mailbox.glob("*.md"))):
        who = "vera" if "vera" in path.name else "emre"
        reply: dict[str, Any] = {"answer": f"Nummer {number}.", "thoughts": "", "conversation": None, "mood": ""}
        reply["evidence"] = [f"{who}-002"]
        (layout.root / "state/mailbox" / f"{path.stem}.answer.json").write_text(json.dumps(reply), encoding="utf-8")
    looking = run(*asked, "--json")
    assert looking.code == 75
    assert len(looking.document["awaiting"]) == 10, "second looks, and no first question again"
    for path in layout.mailbox.glob("*-look.md"):
        who = "vera" if "vera" in path.name else "emre"
        assert f"{who}-002" in path.read_text("utf-8").rpartition("# The question goes on")[2]
        sentence = {"text": "So war es.", "evidence": [f"{who}-002"]}
        look = {"unsaid": [], "sentences": [sentence]}
        (layout.mailbox / f"{path.stem}.answer.json").write_text(json.dumps(look), encoding="utf-8")
    outcome = run(*asked, "--json")
    assert outcome.code == 0, outcome.err
    answers = outcome.document["answers"]
    assert {answer["answer"] for answer in answers} == {"So war es."}
    assert all(answer["first"]["answer"].startswith("Nummer ") for answer in answers)
    assert [(answer["agent"], answer["key"]) for answer in answers] == [
        (who, f"plans-{number}") for who in ("vera", "emre") for number in range(1, 6)
    ]
    assert {answer["made_with"] for answer in answers} == {"mailbox"}
    assert not list(layout.mailbox.glob("*.md"))


def test_an_interview_that_breaks_off_goes_on(layout: Layout) -> None:
    options = InterviewOptions(("vera",), ("plans",))
    with pytest.raises(BackendError):
        interview(layout, options, Counting(limit=3))
    assert read_interviews(layout) == ((), [])
    rest = Counting()
    assert len(interview(layout, options, rest).answers) == 5
    assert len([request for request in rest.asked if about(request).kind != LOOK]) <= 2
    assert len(rest.asked) <= 2 + 5
    assert not any(about(request).kind == TRAP for request in rest.asked)


def correct(text: str, *evidence: str) -> Callable[[Request, dict[str, Any]], dict[str, Any]]:
    """Return what answers with two memories, and second looks with a sentence."""

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if about(request).kind == LOOK:
            return {"unsaid": ["gestern: keine"], "sentences": [{"text": text, "evidence": list(evidence)}]}
        return reply | {
            "answer": "Er war da. Gestern war er fort!",
            "evidence": ["emre-002", "plan", "diary: Das steht nirgends"],
        }

    return change


def test_a_second_look_has_the_named_lines_before_it_and_its_answer_counts(layout: Layout) -> None:
    path = own_questions(layout.root.parent, WHO)
    backend, notices = Scripted(correct("Darius war da.", "emre-002", f"plan: {PLAN}")), list[str]()
    options = InterviewOptions(("emre",), questions=path)
    found = interview(layout, options, backend, notices.append)
    first, look = backend.asked
    assert look.system == first.system
    assert look.messages[0] == first.messages[0]
    text = text_of(look.messages[2][1])
    assert "1. Er war da.\n2. Gestern war er fort!\n" in text
    (node,) = (node for node in load_world(layout).world.agents["emre"].everything if node.id == "emre-002")
    (line,) = (line for line in text.splitlines() if line.startswith("- `emre-002` "))
    assert f" Tag {node.when.day}" in f" {line}"
    assert " ".join(node.description.split()) in line
    assert "\n- plan\n- diary: Das steht nirgends\n" in text, "what does not count"
    (answer,) = found.answers
    assert (answer.answer, answer.cited, answer.quotes) == ("Darius war da.", ("emre-002",), (Quote("plan", PLAN),))
    assert answer.first == FirstAnswer("Er war da. Gestern war er fort!", ("emre-002",), ("plan", "diary"))
    assert answer.thoughts
    assert not notices, "what the first answer named wrongly is mended"
    assert read_interviews(layout) == ((answer,), [])
    silent = Counting(backend, limit=0)
    assert interview(layout, options, silent).answers == (answer,)
    (once,) = interview(layout, replace(options, once=True), silent, notices.append).answers
    assert once == replace(answer, answer=answer.first.answer, sources=("plan", "diary"), quotes=(), first=None)
    assert read_interviews(layout) == ((answer,), []), "the second look stays, with the first answer beside it"
    stays = "emre: 1 second look kept before stays in state/.gm/interviews/"
    assert [note for note in notices if note.startswith(stays)]


def test_a_forecast_counts_questions_and_second_looks_and_not_what_is_known(layout: Layout) -> None:
    path = own_questions(layout.root.parent, WHO.replace("]", ", {kind: plans, text: Und morgen?}]"))
    options, backend, before = InterviewOptions(("emre", "vera"), questions=path), Counting(), tree(layout.root)
    choice = Choice(backend, "a test")
    forecast = forecast_interview(layout, choice, options)
    assert forecast.total.calls == 8
    assert [(scene.type, scene.cast) for scene in forecast.scenes] == [("ASK", ("emre", "vera"))]
    assert forecast_interview(layout, choice, replace(options, once=True)).total.calls == 4
    assert (tree(layout.root), backend.asked) == (before, [])
    interview(layout, replace(options, once=True), backend)
    assert forecast_interview(layout, choice, replace(options, once=True)).total.calls == 0
    assert forecast_interview(layout, choice, options).total.calls == 4, "the second looks at the answers that came"
    interview(layout, options, backend)
    assert len(backend.asked) == 8
    assert forecast_interview(layout, choice, options).total.calls == 0


def test_a_forecast_of_no_question_is_refused(tmp_path: Path) -> None:
    layout = create_world(tmp_path / "dinner", "dinner")
    questions = own_questions(tmp_path, "questions: [{kind: memory, text: 'What did {teller} say?'}]")
    with pytest.raises(UsageError, match="no question can be asked"):
        forecast_interview(layout, Choice(Counting(), "a test"), InterviewOptions(("alex",), questions=questions))


def test_a_dry_run_needs_no_key_and_keeps_nothing(layout: Layout, run: Run) -> None:
    path = own_questions(layout.root.parent, WHO)
    command = ("interview", "emre", "-w", layout.root, "--questions", path, "--model", "claude-sonnet-5", "--dry-run")
    assert "about 2 calls, " in run(*command).out
    assert not layout.interviews.exists()


def test_the_first_answer_of_another_model_takes_the_place_of_a_second_look(layout: Layout) -> None:
    options = InterviewOptions(("emre",), questions=own_questions(layout.root.parent, WHO))
    (answer,) = interview(layout, options, Scripted(correct("Darius war da.", "emre-002"))).answers
    other = replace(answer, answer="Er war fort.", first=None, made_with="another")
    assert keep_answers(layout, [other])[1] == 0
    assert read_interviews(layout) == ((other,), [])


def test_a_damaged_second_look_leaves_the_first_answer_standing(layout: Layout) -> None:
    def damage(request: Request, reply: dict[str, Any]) -> dict[str, Any] | str:
        return '{"sentences": []}' if about(request).kind == LOOK else reply

    options = InterviewOptions(("emre",), questions=own_questions(layout.root.parent, WHO))
    backend, notices = Scripted(damage), list[str]()
    found = interview(layout, options, backend, notices.append)
    assert [request.label.rpartition("-")[2] for request in backend.asked[1:]] == ["look", "again"]
    said = "emre memory-1: its second look cannot be used, so the first answer stands: "
    assert [note for note in notices if note.startswith(said)]
    assert found.answers[0].first is None
    assert found.answers == interview(layout, replace(options, once=True), Counting(backend, limit=0)).answers
    asked = len(backend.asked)
    assert interview(layout, options, backend).answers == found.answers
    assert len(backend.asked) == asked, "nothing is asked twice"


def test_a_second_look_that_is_cut_off_leaves_the_first_answer_standing(layout: Layout) -> None:
    class CutOff(Scripted):
        def ask(self, request: Request) -> Answer:
            answer = super().ask(request)
            return replace(answer, stop="max_tokens") if about(request).kind == LOOK else answer

    options = InterviewOptions(("emre",), questions=own_questions(layout.root.parent, WHO))
    backend, notices = CutOff(lambda _, reply: reply), list[str]()
    found = interview(layout, options, backend, notices.append)
    said = "its second look cannot be used, so the first answer stands: the answer was cut off at max_tokens"
    assert notices == [f"emre memory-1: {said}"]
    assert found.answers[0].answer
    assert found.answers[0].first is None
    asked = len(backend.asked)
    assert asked == 2, "it is not asked again: it would be cut off again"
    assert interview(layout, options, backend).answers == found.answers
    assert len(backend.asked) == asked


@pytest.mark.parametrize("room", [True, False])
def test_a_second_look_keeps_to_the_limit_of_a_prompt(layout: Layout, room: bool) -> None:
    def say(request: Request, reply: dict[str, Any]) -> dict[str, Any] | str:
        if about(request).kind == LOOK:
            return "?" if "again" not in request.label else {"sentences": [{"text": "So."}]}
        return reply if room else reply | {"answer": "So war es damals. " * 2000}

    limit = 9000
    set_sections(layout.settings, f"context: {{prompt_tokens: {limit}}}\n")
    backend, notices = Scripted(say), list[str]()
    options = InterviewOptions(("emre",), questions=own_questions(layout.root.parent, WHO))
    (answer,) = interview(layout, options, backend, notices.append).answers
    if not room:
        assert answer.first is None
        assert any("its second look cannot be used" in note for note in notices)
        return
    assert answer.answer == "So."
    for request in backend.asked:
        sent = [*(block.text for block in request.system), *(text_of(content) for _, content in request.messages)]
        assert sum(map(estimate_tokens, sent)) <= limit
    assert "# Sieh deine Antwort noch einmal durch" in text_of(backend.asked[-1].messages[2][1])


def test_one_that_does_not_answer_has_nothing_to_look_at(layout: Layout) -> None:
    path = own_questions(layout.root.parent, WHO)
    backend = Scripted(lambda _request, reply: reply | {"answer": "", "dialogue": []})
    (answer,) = interview(layout, InterviewOptions(("emre",), questions=path), backend).answers
    assert (answer.answer, answer.first, len(backend.asked)) == ("", None, 1)


@pytest.mark.parametrize("prompt", ["interview.j2", "en/interview.j2"])
def test_the_prompt_says_what_each_source_is(prompt: str) -> None:
    text = (shipped_prompts() / prompt).read_text(encoding="utf-8")
    assert [name for name in SOURCES if f"`{name}` (" not in text] == []
