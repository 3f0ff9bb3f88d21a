"""A character's second look at its answers in an interview: what no named line says is struck out, or named.

Source:
    Dhuliawala et al. 2023, Chain-of-Verification: a draft, questions that check it, and an answer that rests on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from gm.ask.prompt.off_scene import render_look
from gm.ask.reply.schema import schema_of
from gm.llm.rehearsal.facts import LOOK, Cue
from gm.model import interview
from gm.model.solo_replies import LookReply
from gm.model.world import World
from gm.play.ask import Heard
from gm.play.fitting import NoRoomError
from gm.play.interview import Interviewer, Replied, Unusable, follow_up
from gm.play.question import SentQuestion
from gm.play.slips import Known, find_faults, make_reader
from gm.play.stage import Stage


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a reply says it rests on.

    Attributes:
        quotes: Those that stand in the question.
        unseen: Names of what the question does not show.
        untrue: Quotes that do not stand in the question, or are too long.
    """

    cited: tuple[str, ...]
    sources: tuple[str, ...]
    quotes: tuple[interview.Quote, ...]
    unseen: tuple[str, ...]
    untrue: tuple[interview.Quote, ...]


def sort_evidence(heard: Heard) -> Evidence:
    """Return the evidence of a reply, checked against its question."""
    entries = list(map(interview.split_evidence, heard.reply.evidence))
    named = dict.fromkeys(name for name, _ in entries)
    quotes = dict.fromkeys(
        interview.Quote(name, words) for name, words in entries if words and name in interview.SOURCES
    )
    true = tuple(quote for quote in quotes if _is_true(quote, heard.prompt))
    return Evidence(
        cited=tuple(name for name in named if name in heard.beside),
        sources=tuple(name for name in named if name in interview.SOURCES),
        quotes=true,
        unseen=tuple(name for name in named if name not in heard.beside and name not in interview.SOURCES),
        untrue=tuple(quote for quote in quotes if quote not in true),
    )


def _is_true(quote: interview.Quote, prompt: str) -> bool:
    return len(quote.words.split()) <= interview.MOST_QUOTED and interview.is_quoted_from(prompt, quote.words)


def look_again(
    stage: Stage, interviewer: Interviewer, world: World, answered: Sequence[tuple[Heard, interview.InterviewAnswer]]
) -> list[Heard | Unusable | None]:
    """Have a character look at its answers again, at once; None where it did not answer.

    Raises:
        BackendError: As ``Interviewer.ask``.
        WaitingError: As ``Interviewer.ask``.
    """
    found: list[Heard | Unusable | None] = [None] * len(answered)
    asked: dict[int, SentQuestion] = {}
    for place, (heard, answer) in enumerate(answered):
        if answer.answer:
            try:
                asked[place] = _look(stage, world, heard, answer)
            except NoRoomError as error:
                found[place] = Unusable((str(error),))
    for place, replied in zip(asked, interviewer.attempt(list(asked.values())), strict=True):
        found[place] = _correct(answered[place][0], replied) if isinstance(replied, Replied) else replied
    return found


def _correct(heard: Heard, replied: Replied) -> Heard:
    assert isinstance(replied.reply, LookReply)
    sentences = replied.reply.sentences
    answer = " ".join(" ".join(one.text.split()) for one in sentences)
    evidence = list(dict.fromkeys(entry for one in sentences for entry in one.evidence))
    return replace(heard, reply=heard.reply.model_copy(update={"answer": answer, "dialogue": [], "evidence": evidence}))


def _look(
    stage: Stage, world: World, heard: Heard, answer: interview.InterviewAnswer, reserved: int = 0
) -> SentQuestion:
    evidence = sort_evidence(heard)
    quotes = [f"{quote.source}: {quote.words}" for quote in answer.quotes]
    untrue = {quote.source for quote in evidence.untrue}
    bare = (source for source in answer.bare_sources if source not in untrue)
    unseen = [*bare, *evidence.unseen, *(f"{quote.source}: {quote.words}" for quote in evidence.untrue)]
    text = render_look(stage.assembler, world, world.agents[answer.agent], answer, unseen)
    schema, known = schema_of(LookReply, stage.texts), Known(world.agents, world.settings)
    asked = follow_up(heard.question, heard.text, text, "look", reserved)
    read = make_reader(LookReply, world.settings, ())
    assert isinstance(asked.request.facts, Cue)
    first = (answer.answer, (*answer.cited, *quotes, *answer.bare_sources))
    request = replace(
        asked.request,
        schema=schema,
        exact=None,
        facts=replace(asked.request.facts, kind=LOOK, first=first),
        check=lambda said: find_faults(said, LookReply, schema["properties"], known, read),
        reply=LookReply.__name__,
    )
    shorter = partial(_look, stage, world, heard, answer) if asked.shorter else None
    return replace(asked, request=request, read=read, shorter=shorter)
