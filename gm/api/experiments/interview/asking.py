"""Ask the questions of an interview, and keep the answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path

from gm.api.answers.document import part
from gm.api.editing.board import chosen_author
from gm.api.experiments.interview.ablation import ablate, keeps, world_then
from gm.api.experiments.interview.slots import explain_empty_slot, fill_question, fill_slots, unheard_of
from gm.api.history.past import log_until
from gm.api.playing.days import resolve_choice
from gm.api.playing.forecast.make import Forecast, forecast_questions
from gm.api.playing.mind.minds import SceneMinds
from gm.ask.prompt.minds import is_discovering
from gm.base.arguments import check_fields
from gm.base.config.layers import INJECT
from gm.base.errors import Awaited, UsageError, WaitingError, refuse_errors
from gm.base.texts import clip, counted
from gm.files.experiments.interviews import Posed, Questions, keep_answers, read_questions
from gm.files.layout import Layout
from gm.files.packaged.shipped import shipped_questions
from gm.files.questions.mailbox import sweep_mailbox
from gm.llm.base import Backend
from gm.llm.choose import Choice
from gm.llm.rehearsal.facts import INTERVIEW, TRAP
from gm.model.calendar import SceneRef
from gm.model.interview import MOST_QUOTED, SHOWN_ANSWER, InterviewAnswer, QuestionKind, Withheld
from gm.model.world import Agent, World, known_agents
from gm.play.ask import Heard, interview, open_world_to_ask
from gm.play.care import last_ref
from gm.play.interview import Interviewer, Unusable
from gm.play.second_look import look_again, sort_evidence
from gm.play.stage import Stage
from gm.scene.evening.asked import OffSceneQuestion


@dataclass(frozen=True, slots=True)
class InterviewOptions:
    """Whom to ask, what, and as of when.

    Attributes:
        agents: Ids or names; none = all.
        kinds: Of questions; none = all.
        questions: A file of questions; None = those that come with gm, in the world's language.
        moment: After this scene that was played, or this day that is over; None = now.
        without: What is kept from the characters.
        once: Whether first answers stand, without a second look.
    """

    agents: tuple[str, ...] = ()
    kinds: tuple[QuestionKind, ...] = ()
    questions: str | PathLike[str] | None = None
    moment: SceneRef | None = None
    without: tuple[Withheld, ...] = ()
    once: bool = False

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A question that could not be asked, and why."""

    agent: str
    key: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InterviewResult:
    """The answers of an interview, by character and question.

    Attributes:
        agent: The only character that was asked; None = several were.
        memories: Texts of the cited memories, by id.
        kept: Where the answers are kept, inside the world.
    """

    agent: str | None = None
    answers: tuple[InterviewAnswer, ...] = part(by=SHOWN_ANSWER.write)
    left_out: tuple[LeftOut, ...] = ()
    memories: Mapping[str, str] = field(default_factory=dict)
    kept: tuple[str, ...] = ()


def interview_characters(
    layout: Layout,
    choice: Choice | Backend | str | None,
    options: InterviewOptions,
    notice: Callable[[str], None] = lambda _text: None,
) -> InterviewResult:
    """Ask characters the questions of an interview; what is asked again is answered from the traces.

    Args:
        choice: As for ``play_days``.
        notice: Called with notes on repairs and on what a reply cites without having seen it.

    Raises:
        UsageError: No such character, the moment was not played, its day is not over, or no question is left.
        BrokenWorldError: The file of questions has mistakes, or files of the world cannot be read.
        WaitingError: Answers are awaited from outside; what is whole is kept.
    """
    choice = resolve_choice(layout, choice, notice)
    kept_in_mind = keeps(options.without, options.moment)
    with open_world_to_ask(layout, choice, options.agents, notice, SceneMinds, kept_in_mind) as (
        now,
        stage,
        interviewer,
    ):
        names = known_agents(now.agents, options.agents)
        questions = _choose_questions(options, now.settings.language)
        then = _rewind_world(layout, now, options, notice)
        moment = options.moment or last_ref(now)
        if options.without or then is not now:
            then = _switch_off_memory_tools(then, names, notice)
        unheard = unheard_of(layout, questions)
        sitting = _Sitting(
            layout, stage, interviewer, then, moment, questions, unheard, options.without, options.once, notice
        )
        done, awaited, hint = list[InterviewResult](), list[Awaited](), ""
        for name in names:
            try:
                done.append(sitting.interview(name))
            except WaitingError as waiting:
                awaited += waiting.awaited
                hint = waiting.hint
    if awaited:
        raise WaitingError(dict.fromkeys(awaited), hint)
    if layout.mailbox.is_dir():
        sweep_mailbox(layout)
    return InterviewResult(
        agent=names[0] if len(names) == 1 else None,
        answers=tuple(answer for one in done for answer in one.answers),
        left_out=tuple(item for one in done for item in one.left_out),
        memories={key: text for one in done for key, text in one.memories.items()},
        kept=tuple(path for one in done for path in one.kept),
    )


def _choose_questions(options: InterviewOptions, language: str) -> Questions:
    shipped = shipped_questions(language)
    usual, problems = read_questions(shipped, shipped.name)
    questions = usual
    if options.questions is not None:
        questions, problems = read_questions(Path(options.questions), str(options.questions))
    refuse_errors(problems, "the questions cannot be read", "correct this by hand; no question was asked")
    assert questions is not None
    assert usual is not None
    posed = tuple(one for one in questions.posed if not options.kinds or one.kind in options.kinds)
    if not posed:
        raise UsageError(f"no question is of the kind {' or '.join(options.kinds)}", "leave out --kind")
    return Questions(posed, questions.names or usual.names, questions.gatherings or usual.gatherings)


def _rewind_world(layout: Layout, world: World, options: InterviewOptions, notice: Callable[[str], None]) -> World:
    moment = options.moment
    if moment is None:
        return world
    log = log_until(layout, world, moment)
    if moment == last_ref(world) or moment == SceneRef(world.clock.day):
        return world
    undated = (
        "moods, tasks, lists of plans, decisions, pages of minds, scheduled events and briefs without a post by then"
    )
    notice(f"{moment} is past: {undated} are in no letter, as no file says how they were")
    return world_then(layout, replace(world, log=log), moment)


def _switch_off_memory_tools(world: World, names: Sequence[str], notice: Callable[[str], None]) -> World:
    """Return a world in which no character asks its memory, which answers as of now and whole."""
    asking = [name for name in names if is_discovering(world, world.agents[name])]
    if not asking:
        return world
    notice(f"{', '.join(asking)}: tools answer as of now and whole; the questions hold persona and memories instead")
    settings = replace(world.settings, persona=replace(world.settings.persona, mode=INJECT))
    return replace(
        world, settings=settings, agents={name: _with_memories_given(agent) for name, agent in world.agents.items()}
    )


def _with_memories_given(agent: Agent) -> Agent:
    if agent.persona is None:
        return agent
    return replace(agent, persona=replace(agent.persona, front={**agent.persona.front, "mode": INJECT}))


@dataclass(frozen=True, slots=True)
class _Sitting:
    """What the interviews of all characters share; ``then`` is the world as of ``moment``."""

    layout: Layout
    stage: Stage
    interviewer: Interviewer
    then: World
    moment: SceneRef
    questions: Questions
    unheard: Mapping[str, str]
    without: tuple[str, ...]
    once: bool
    notice: Callable[[str], None]

    def interview(self, name: str) -> InterviewResult:
        values = fill_slots(self.then, self.then.agents[name], self.unheard)
        asked: list[tuple[Posed, OffSceneQuestion]] = []
        left_out = []
        author = chosen_author(self.then, None)
        for posed in self.questions.posed:
            text, missing = fill_question(posed.text, values)
            if missing:
                left_out.append(
                    LeftOut(name, posed.key, f"nothing fills {{{missing[0]}}}: {explain_empty_slot(missing[0])}")
                )
            else:
                asked.append((posed, OffSceneQuestion(name, text, author, self.moment)))
        if not asked:
            return InterviewResult(answers=(), left_out=tuple(left_out))
        pairs = [(question, TRAP if posed.trap else INTERVIEW) for posed, question in asked]
        world = ablate(self.then, self.without)
        heard = interview(self.layout, self.stage, self.interviewer, world, pairs, " ".join(self.without))
        answers = self._look_again(world, [(*one, said) for one, said in zip(asked, heard, strict=True)])
        known = {
            node.id: node.description
            for node in (*self.then.agents[name].everything, *self.then.agents[name].summaries)
        }
        cited = {key: known.get(key, "") for answer in answers for key in answer.cited}
        file, looks = keep_answers(self.layout, answers)
        path = self.layout.shown(file)
        if looks:
            self.notice(
                f"{name}: {counted(looks, 'second look')} kept before {'stays' if looks == 1 else 'stay'} in {path},"
                " with the first answer; to keep first answers alone, move the file away and repeat this:"
                " nothing is asked twice"
            )
        return InterviewResult(answers=answers, left_out=tuple(left_out), memories=cited, kept=(path,))

    def _look_again(
        self, world: World, heard: Sequence[tuple[Posed, OffSceneQuestion, Heard]]
    ) -> tuple[InterviewAnswer, ...]:
        answers = [_make_answer(*one, self.without) for one in heard]
        answered = list(zip((said for *_, said in heard), answers, strict=True))
        looks = [None] * len(heard) if self.once else look_again(self.stage, self.interviewer, world, answered)
        final = []
        for (posed, question, said), answer, look in zip(heard, answers, looks, strict=True):
            who = f"{question.agent} {posed.key}"
            if isinstance(look, Unusable):
                self.notice(f"{who}: its second look cannot be used, so the first answer stands: {look.problems[0]}")
            if isinstance(look, Heard):
                final.append(replace(_make_answer(posed, question, look, self.without), first=answer.as_first))
            else:
                final.append(answer)
            _tell_left_out(who, look if isinstance(look, Heard) else said, self.notice)
        return tuple(final)


def _make_answer(posed: Posed, question: OffSceneQuestion, heard: Heard, without: tuple[str, ...]) -> InterviewAnswer:
    evidence = sort_evidence(heard)
    return InterviewAnswer(
        agent=question.agent,
        at=str(question.where),
        key=posed.key,
        kind=posed.kind,
        question=question.text,
        trap=posed.trap,
        answer="\n".join(heard.reply.said),
        thoughts=heard.reply.thoughts,
        cited=evidence.cited,
        sources=evidence.sources,
        quotes=evidence.quotes,
        beside=heard.beside,
        without=without,
        made_with=heard.made_with,
    )


def _tell_left_out(who: str, heard: Heard, notice: Callable[[str], None]) -> None:
    evidence = sort_evidence(heard)
    if evidence.unseen:
        notice(f"{who}: cites {', '.join(map(clip, evidence.unseen))}, which its question does not show: left out")
    if evidence.untrue:
        untrue = "; ".join(f"{quote.source}: {clip(quote.words)}" for quote in evidence.untrue)
        limit = f"which does not stand so before its question, or has more than {MOST_QUOTED} words"
        notice(f"{who}: quotes {untrue}, {limit}: left out")


def forecast_interview(layout: Layout, choice: Choice, options: InterviewOptions) -> Forecast:
    """Rehearse ``gm interview`` in a temporary copy, without asking a model; second looks are counted.

    Answers that are kept cost nothing.

    Raises:
        GmError: The questions cannot be asked.
    """

    def ask_in_copy(copy: Layout, stand_in: Choice) -> tuple[str, tuple[str, ...]]:
        answers = interview_characters(copy, stand_in, options, lambda _note: None).answers
        if not answers:
            raise UsageError("no question can be asked", "without --dry-run, gm interview says what is missing")
        return answers[0].at, tuple(dict.fromkeys(answer.agent for answer in answers))

    return forecast_questions(layout, choice, ask_in_copy)
