"""Draft a world from a user's notes: the world first, then all personas in parallel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from gm.ask.prompt.context import Assembler
from gm.ask.prompt.off_scene import render_draft
from gm.ask.prompt.render import Prompts
from gm.ask.reply.parse import Parsed, parse_reply
from gm.ask.reply.schema import schema_of
from gm.base.config import Settings
from gm.base.errors import UsageError
from gm.files.formats.disk import make_private
from gm.files.layout import Layout
from gm.files.questions.mailbox import sweep_mailbox
from gm.files.questions.traces import BatchFolder, TraceFolder
from gm.llm.base import REHEARSAL, Request, window_of
from gm.llm.choose import Choice
from gm.llm.waiting import make_asker
from gm.model.calendar import SceneRef
from gm.model.draft import PersonaDraft, WorldDraft
from gm.model.reply_faults import Fault
from gm.model.reply_form import Form
from gm.model.scene import Scene, SceneType
from gm.play.interview import Interviewer
from gm.play.prompts import open_prompts
from gm.play.question import SentQuestion
from gm.scene.pieces.names import slug

PURPOSE = "draft"
DRAFT = Scene(SceneRef(0, 1), SceneType("DRAFT", "draft.j2", play="solo", cast=(1, 1)), "evening", "", (), "", "")
MOST_ANSWER_TOKENS, WINDOW_PART = 8000, 2
"""Most tokens of an answer, which holds a whole world; of a known window it may take half."""


def draft(
    layout: Layout, choice: Choice, notes: str, language: str, notice: Callable[[str], None]
) -> tuple[WorldDraft, tuple[PersonaDraft, ...]]:
    """Return a world, and its characters' personas in order.

    Raises:
        UsageError: The rehearsal would have to write it.
        BackendError: The model could not be asked, or its answer stayed unusable.
        WaitingError: Answers are awaited from outside.
    """
    if choice.backend.name == REHEARSAL:
        raise UsageError("the rehearsal cannot read notes", "name who can: --model NAME, or --model mailbox")
    make_private(layout.derived)
    settings = Settings(language=language)
    prompts = open_prompts(layout, settings)
    asker = make_asker(choice.backend, settings.llm.concurrency, BatchFolder(layout), notice)
    interviewer = Interviewer(asker, Assembler(prompts), notice)
    make = partial(_question, layout, choice, prompts)
    try:
        (found,) = interviewer.ask([make("world", WorldDraft, render_draft(prompts, notes))])
        assert isinstance(found.reply, WorldDraft)
        world = found.reply
        sweep_mailbox(layout)
        personas = interviewer.ask(
            [
                make(f"persona-{number}", PersonaDraft, render_draft(prompts, notes, world, character))
                for number, character in enumerate(world.characters, 1)
            ]
        )
        sweep_mailbox(layout)
    finally:
        asker.close()
    return world, tuple(one.reply for one in personas if isinstance(one.reply, PersonaDraft))


def _question(
    layout: Layout, choice: Choice, prompts: Prompts, label: str, form: type[Form], text: str
) -> SentQuestion:
    def read(answer: str) -> Parsed[Any]:
        parsed = parse_reply(answer, form)
        twice = _find_names_twice(parsed.reply) if isinstance(parsed.reply, WorldDraft) else ()
        return Parsed(None, twice) if twice else parsed

    model = choice.model_for(PURPOSE) or choice.backend.model
    window = window_of(choice.backend, model)
    request = Request(
        label=label,
        purpose=PURPOSE,
        system=(),
        messages=(("user", text),),
        schema=schema_of(form, prompts.reply_texts),
        max_tokens=MOST_ANSWER_TOKENS if window is None else min(MOST_ANSWER_TOKENS, window // WINDOW_PART),
        model=model,
        place=str(DRAFT.ref),
        check=lambda answer: read(answer).problems,
    )
    return SentQuestion(label, DRAFT, request, TraceFolder(layout.asks, str(DRAFT.ref)), read)


def _find_names_twice(world: WorldDraft) -> tuple[Fault, ...]:
    problems = []
    for key, named in (("places", world.places), ("characters", world.characters)):
        count = Counter(slug(one.name, one.name) for one in named)
        twice = ((name, number) for name, number in count.items() if number > 1)
        problems += [Fault("same_name", place=key, found=number, shown=repr(name)) for name, number in twice]
    return tuple(problems)
