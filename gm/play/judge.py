"""Have a model compare texts. Questions and answers are kept: none is asked twice."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from gm.ask.prompt.context import Assembler
from gm.ask.prompt.off_scene import render_judging
from gm.ask.prompt.render import Prompts
from gm.ask.reply.parse import Parsed, parse_reply
from gm.ask.reply.schema import schema_of
from gm.base.config import Settings
from gm.base.errors import Awaited, UsageError, WaitingError
from gm.files.formats.disk import make_private
from gm.files.layout import Layout
from gm.files.questions.mailbox import sweep_mailbox
from gm.files.questions.traces import BatchFolder, TraceFolder
from gm.llm.base import REHEARSAL, Request
from gm.llm.choose import Choice
from gm.llm.waiting import make_asker
from gm.model.calendar import SceneRef
from gm.model.judgement import Judgement
from gm.model.scene import Scene, SceneType
from gm.model.verdict import Pair
from gm.play.interview import Interviewer, Unusable
from gm.play.prompts import open_prompts
from gm.play.question import SentQuestion
from gm.play.spending import make_limits
from gm.scene.pieces.names import slug

PURPOSE = "judging"
JUDGING = Scene(SceneRef(0, 1), SceneType("JUDGE", "judge.j2", play="solo", cast=(1, 1)), "evening", "", (), "", "")
MOST_ANSWER_TOKENS = 1500
"""Most tokens of an answer: a reason of two sentences, and what some models think before it."""
MOST_OF_KEY = 40
"""Characters of a pair's key in the label of its question."""

Asked = tuple[Pair, bool]
"""A pair, and whether its second text is shown first."""


def judge_pairs(
    layout: Layout,
    settings: Settings,
    choice: Choice,
    question: str,
    asked: Sequence[Asked],
    hear: Callable[[Asked, Judgement], None],
    notice: Callable[[str], None],
) -> None:
    """Ask about pairs, several at a time; ``hear`` is called with each answer, in the order of the pairs.

    Args:
        layout: Where questions and answers are kept.
        notice: Called with notes on repairs, and for each pair on which a reply stays unusable: it has no verdict.

    Raises:
        UsageError: The rehearsal would have to judge.
        BackendError: The model could not be asked.
        BudgetError: The budget does not allow it.
        WaitingError: Answers are awaited from outside; those that came have been heard.
    """
    if choice.backend.name == REHEARSAL:
        raise UsageError("the rehearsal cannot judge", "name who can: --judge NAME, or --judge mailbox")
    make_private(layout.derived)
    prompts = open_prompts(layout, settings)
    budget = make_limits(layout, settings, choice, [choice.backend.model])
    many = settings.llm.concurrency
    asker = make_asker(choice.backend, many, BatchFolder(layout), notice, budget)
    interviewer = Interviewer(asker, Assembler(prompts), notice)
    awaited: list[Awaited] = []
    hint = ""
    try:
        for begin in range(0, len(asked), many):
            some = asked[begin : begin + many]
            sent = [_question(layout, settings, prompts, question, one) for one in some]
            with suppress(WaitingError):  # together; each is read below, from what was kept
                asker.ask_all([item.request for item in sent], [item.traces for item in sent])
            for one, item in zip(some, sent, strict=True):
                try:
                    (found,) = interviewer.attempt([item])
                except WaitingError as waiting:
                    awaited += waiting.awaited
                    hint = waiting.hint
                    continue
                if isinstance(found, Unusable):
                    notice(f"{one[0].key}: the reply stays unusable, so there is no verdict: {found.problems[0]}")
                else:
                    assert isinstance(found.reply, Judgement)
                    hear(one, found.reply)
    finally:
        asker.close()
    sweep_mailbox(layout)
    if awaited:
        raise WaitingError(awaited, hint)


def _question(layout: Layout, settings: Settings, prompts: Prompts, question: str, asked: Asked) -> SentQuestion:
    def read(answer: str) -> Parsed[Any]:
        return parse_reply(answer, Judgement, limits=settings.reply)

    pair, swapped = asked
    texts = (pair.second_text, pair.first_text) if swapped else (pair.first_text, pair.second_text)
    # the name of a letter is seen by who judges, and a key may hold anything
    digest = hashlib.sha256(f"{pair.key}\n{swapped}".encode("utf-8", "surrogatepass")).hexdigest()
    label = f"judge-{slug(pair.key, 'pair')[:MOST_OF_KEY]}-{digest[:8]}"
    request = Request(
        label=label,
        purpose=PURPOSE,
        system=(),
        messages=(("user", render_judging(prompts, question, *texts)),),
        schema=schema_of(Judgement, prompts.reply_texts),
        max_tokens=MOST_ANSWER_TOKENS,
        place=str(JUDGING.ref),
        check=lambda answer: read(answer).problems,
    )
    return SentQuestion(label, JUDGING, request, TraceFolder(layout.asks, str(JUDGING.ref)), read)
