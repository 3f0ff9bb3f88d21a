"""The open letters of the mailbox, and their answers by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from pydantic import BaseModel

from gm.ask.reply.extract import AS_YAML, extract_object
from gm.ask.reply.fields import Field, read_fields
from gm.ask.reply.parse import MOST_PROBLEMS
from gm.ask.reply.schema import character_forms
from gm.base.config import Settings
from gm.base.errors import GmError, PromptError, UsageError, say
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.questions.mailbox import PostedLetter, PostFolder
from gm.files.story.now import load_cast, load_settings
from gm.llm.base import LAST_WORD, MAILBOX
from gm.llm.choose import Choice
from gm.model.calendar import SceneRef, parse_ref
from gm.model.reply_texts import NO_TEXTS, ReplyTexts
from gm.model.scene_reply import PlanningReply, SceneReply
from gm.model.solo_replies import AnsweringReply, AskReply, DiaryReply, QuestionsReply, ReflectionReply
from gm.play.prompts import open_prompts
from gm.play.question import choose_model
from gm.play.slips import Known, answer_fields, find_faults, find_syntax_problem, make_reader
from gm.scene.evening.off_scene import DIARY_PURPOSE

RULE = "─" * 20
"""What the line begins with under which the text of a letter stands."""
USUAL = frozenset(("action", "dialogue", "thoughts", "mood", "memories", "done", "tags"))
"""Keys of a reply that are filled in as a rule; so are those without which it cannot be used."""
SILENT = frozenset(("action", "dialogue", "artifact", "move_to", "done"))
"""Keys without effect in a last word."""
CALLS = ("tool", "calls")
"""Keys of an answer that asks for tools first; only the run knows them."""


@dataclass(frozen=True, slots=True)
class LetterSection:
    """A part of a letter under its heading, as Markdown."""

    title: str
    text: str


PLAYED = {
    form.__name__: purpose
    for purpose, *forms in (
        ("scene", SceneReply, PlanningReply),
        ("reflection", ReflectionReply, QuestionsReply, AnsweringReply),
        (DIARY_PURPOSE, DiaryReply),
    )
    for form in forms
}
"""Purposes of the questions that the user answers for a character with ``--as``, by the form of the reply."""


@dataclass(frozen=True)
class Letter:
    """A letter of the mailbox.

    Attributes:
        who: Id of the character; empty for a question to no character.
        reply: Name of the form of the reply; empty = a text is wanted.
        since_ns: When it was written, wall time.
        is_answered: Whether an answer lies there that was not refused.
        is_superseded: Whether the same question was asked anew in another letter, so that no command takes the answer.
        problem: Why the present answer cannot be used; may be empty.
        known: What the character knows, by headings.
        question: The last part, as Markdown.
    """

    name: str
    who: str
    scene: str
    reply: str
    others: tuple[str, ...]
    since_ns: int
    is_answered: bool
    is_superseded: bool
    problem: str
    identity: str
    keys: tuple[str, ...]
    known: tuple[LetterSection, ...]
    question: str
    text: str
    answer: str
    settings: Settings
    texts: ReplyTexts

    @property
    def brief(self) -> dict[str, object]:
        """The letter without its text, as JSON data."""
        since = datetime.fromtimestamp(self.since_ns / 1e9, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return {
            "letter": self.name,
            "who": self.who,
            "scene": self.scene,
            "since": since,
            "answered": self.is_answered,
            "problem": bool(self.problem),
            "superseded": self.is_superseded,
        }

    @property
    def is_open(self) -> bool:
        """Whether an answer is awaited."""
        return not self.is_answered and not self.is_superseded

    @property
    def ref(self) -> SceneRef | None:
        """The scene or day it belongs to; None outside of days."""
        return parse_ref(self.scene)

    @property
    def usual(self) -> tuple[Field, ...]:
        """Fields that are required or usually filled in."""
        return tuple(field for field in self._open_fields if field.required or field.key in USUAL)

    @property
    def further(self) -> tuple[Field, ...]:
        """The other fields."""
        return tuple(field for field in self._open_fields if field not in self.usual)

    @property
    def _open_fields(self) -> tuple[Field, ...]:
        silent = SILENT if self.who and f"-{self.who}{LAST_WORD}" in self.name else ()
        return tuple(field for field in self.fields if field.key not in silent)

    @cached_property
    def form(self) -> type[BaseModel] | None:
        """The form of the reply; None if it is no character's."""
        return character_forms().get(self.reply)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The fields of a form for the answer; empty where a text is wanted."""
        return answer_fields(self.form, self.keys, self.settings, self.texts) if self.form else ()


def open_letters(layout: Layout) -> tuple[Letter, ...]:
    """Return all letters that lie in the mailbox: those that wait for an answer first, then the oldest."""
    settings = load_settings(layout)[0]
    texts = NO_TEXTS
    with suppress(PromptError):  # the form is shown without help where a world's prompts cannot be read
        texts = open_prompts(layout, settings).reply_texts
    posted = PostFolder(layout).posted()
    superseded = _find_superseded(posted)
    letters = (_letter(one, settings, texts, is_superseded=one.name in superseded) for one in posted)
    return tuple(sorted(letters, key=lambda letter: (not letter.is_open, letter.since_ns, letter.name)))


def _find_superseded(posted: Iterable[PostedLetter]) -> set[str]:
    """Return the names of letters whose question `gm ask` has asked anew after a later scene, in another letter."""
    newest: dict[str, PostedLetter] = {}
    for one in sorted(posted, key=lambda one: one.since_ns):
        if one.asked_as and one.front.get("reply") == AskReply.__name__:
            newest[one.asked_as] = one
    return {
        one.name
        for one in posted
        if not one.answer and one.asked_as in newest and newest[one.asked_as].front["scene"] != one.front["scene"]
    }


def unused_answers(layout: Layout, choice: Choice) -> list[str]:
    """Return a sentence for each answer in the mailbox that is unreadable, or that a run takes from a model."""
    posted = PostFolder(layout).posted()
    said = [letter.problem for letter in posted if not letter.is_readable]
    letters = [letter for letter in posted if letter.answer and not letter.problem]
    agents = load_world(layout, whole_streams=False).world.agents if letters else {}
    for letter in letters:
        agent, purpose = agents.get(letter.who), PLAYED.get(letter.front.get("reply", ""))
        if agent and purpose and (model := choose_model(choice, purpose, agent)) != MAILBOX:
            people = ",".join(sorted({*choice.people, agent.id}))
            said.append(
                f"the answer to {letter.name} in {layout.shown(layout.mailbox)} is not used, as {model} answers for"
                f" {agent.id}; to use it, interrupt the run and continue with --as {people}"
            )
    return said


def find_letter(layout: Layout, name: str, *, may_be_short: bool = False) -> Letter:
    """Return a letter by its name.

    Args:
        may_be_short: Whether a part that only one name has will do, in whole parts between hyphens: an end (``vera``)
            or a beginning before its character (``day-003``), else any other (``scene-04``); of letters without an
            answer first. What begins with a whole name goes on with a later question, and is another letter.

    Raises:
        UsageError: There is none, or several have that part.
    """
    letters = {letter.name: letter for letter in open_letters(layout)}
    if name in letters:
        return letters[name]
    kinds = (_is_outer_part, _is_inner_part) if may_be_short else ()
    found = (
        [letter for letter in letters.values() if letter.is_answered == is_answered and is_part(name, letter)]
        for is_answered in (False, True)
        for is_part in kinds
    )
    meant = next(filter(None, found), [])
    if len(meant) == 1:
        return meant[0]
    if meant:
        names = ", ".join(letter.name for letter in meant)
        raise UsageError(f"{len(meant)} letters have {name!r} in their names", f"write one of: {names}")
    raise UsageError(f"there is no letter {name!r}", f"in the mailbox: {', '.join(letters) or 'none'}")


def _is_outer_part(name: str, letter: Letter) -> bool:
    goes_on = bool(letter.who) and letter.who in name
    return letter.name.endswith(f"-{name}") or (letter.name.startswith(f"{name}-") and not goes_on)


def _is_inner_part(name: str, letter: Letter) -> bool:
    return bool(name) and f"-{name}-" in letter.name


def answer_letter(layout: Layout, letter: Letter, answer: Mapping[str, str] | str) -> str:
    """Write the answer to a letter beside it, and return its path.

    Args:
        letter: As it was shown.
        answer: What was filled into its ``fields``, or an answer whole, in JSON or YAML.

    Raises:
        UsageError: The answer could not be used, or something in it would be left out; the hint says what, and nothing
            was written.
        GmError: Another question lies there by now.
    """
    text = (
        _yaml_to_json(letter, answer) if isinstance(answer, str) else _render_json(read_fields(letter.fields, answer))
    )
    if problems := _problems(layout, letter, text):
        raise UsageError("the answer cannot be used yet", "; ".join(problems[:MOST_PROBLEMS]))
    box = PostFolder(layout)
    if not box.put_answer(letter.name, letter.identity, text.rstrip() + "\n"):
        raise GmError(say("the question of {name} has changed", letter.name), "read it again; nothing was written")
    return box.paths(letter.name)[1]


def _yaml_to_json(letter: Letter, answer: str) -> str:
    """YAML becomes JSON: the run could not tell whether all of it was there."""
    found = extract_object(answer, (*letter.form.model_fields, *CALLS)) if letter.form else None
    return _render_json(found.data) if found is not None and AS_YAML in found.repairs else answer


def _render_json(data: Mapping[str, object]) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2, default=str)


def _problems(layout: Layout, letter: Letter, text: str) -> tuple[str, ...]:
    """What the run would say of an answer, as far as it can be known without it, and what it would leave out."""
    if not text.strip():
        return ("it is empty",)
    form = letter.form
    if form is None:
        return ()
    found = extract_object(text, (*form.model_fields, *CALLS))
    if found is not None and any(key in found.data for key in CALLS) and not find_syntax_problem(text, found):
        return ()
    known = Known(load_cast(layout)[0], letter.settings)
    hidden = form.model_fields.keys() - letter.keys if letter.keys else ()
    return find_faults(text, form, letter.keys, known, make_reader(form, letter.settings, hidden))


def _letter(posted: PostedLetter, settings: Settings, texts: ReplyTexts, *, is_superseded: bool) -> Letter:
    front = posted.front
    prompt = posted.text.partition(RULE)[2].lstrip("─\n")
    known, question = _split_at_line(prompt, front.get("question", ""))
    return Letter(
        name=posted.name,
        who=posted.who,
        scene=front.get("scene", ""),
        reply=front.get("reply", ""),
        others=_split(front.get("with", "")),
        since_ns=posted.since_ns,
        is_answered=bool(posted.answer) and not posted.problem,
        is_superseded=is_superseded,
        problem=posted.problem,
        identity=front.get("identity", ""),
        keys=_split(front.get("keys", "")),
        known=_split_sections(known),
        question=question,
        text=posted.text,
        answer=posted.answer,
        settings=settings,
        texts=texts,
    )


def _split(text: str) -> tuple[str, ...]:
    return tuple(item for item in map(str.strip, text.split(",")) if item)


def _split_at_line(prompt: str, first_line: str) -> tuple[str, str]:
    lines = prompt.splitlines()
    places = [at for at, line in enumerate(lines) if first_line and line == first_line]
    if not places:
        return "", prompt
    return "\n".join(lines[: places[-1]]), "\n".join(lines[places[-1] :])


def _split_sections(text: str) -> tuple[LetterSection, ...]:
    found: list[tuple[str, list[str]]] = [("", [])]
    is_fenced = False
    for line in text.splitlines():
        is_fenced ^= line.startswith("```")
        if line.startswith("# ") and not is_fenced:
            found.append((line[2:].strip(), []))
        else:
            found[-1][1].append(line)
    parts = (LetterSection(title, "\n".join(lines).strip()) for title, lines in found)
    return tuple(item for item in parts if item.text or item.title)
