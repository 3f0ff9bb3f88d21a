"""Interviews: files of questions, and the answers kept in ``state/.gm/interviews``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gm.base.config import kinds
from gm.base.errors import Problem
from gm.base.texts import clip, suggest
from gm.files.formats import disk
from gm.files.formats.jsonl import scan_file
from gm.files.formats.text import files_below, read_text
from gm.files.layout import Layout
from gm.files.reading import PlacedReader, read_records
from gm.model.interview import INTERVIEW_ANSWER, KINDS, InterviewAnswer, QuestionKind
from gm.model.record import Key, Record, checked_records

SLOTS = (*("most", "least", "nobody", "gathering"), *("teller", "told", "told_day", "thinker", "thought_day"))
"""What the text of a question may leave to be filled in."""
SLOT = re.compile(r"\{([a-z_]+)\}")
EXAMPLE = 'questions: [{kind: memory, text: "Who is {most}?"}]'


@dataclass(frozen=True, slots=True)
class Posed:
    """One question of a file; ``POSED`` describes the attributes."""

    kind: QuestionKind
    text: str
    trap: bool = False
    key: str = ""


POSED = Record(
    Posed,
    "question of an interview",
    Key("kind", kinds.one_of(*KINDS), f"one of {', '.join(KINDS)}"),
    Key("text", kinds.words, f"the question; slots are {', '.join(f'{{{name}}}' for name in SLOTS)}"),
    Key("trap", kinds.flag, "true where the character cannot know the answer", default=False),
    Key("key", kinds.words, "its name; by default the kind, or trap, and a number", default=""),
    code="question-{key}",
    closed=True,
)


@dataclass(frozen=True, slots=True)
class Questions:
    """A file of questions.

    Attributes:
        names: Names of people; one that occurs nowhere in a world is chosen.
        gatherings: Gatherings; one that never took place is chosen.
    """

    posed: tuple[Posed, ...]
    names: tuple[str, ...] = ()
    gatherings: tuple[str, ...] = ()


_TEXTS = kinds.list_of(kinds.words, "a list of texts")
QUESTIONS = Record(
    dict[str, Any],
    "a file of questions",
    Key(
        "questions",
        replace(
            checked_records(POSED, "a list of questions"),
            fits=lambda value: isinstance(value, list) and value,
            keep=None,
        ),
        EXAMPLE,
        code="questions-list",
    ),
    Key("names", _TEXTS, "people; one is chosen that occurs nowhere in a world", default=(), code="questions-texts"),
    Key("gatherings", _TEXTS, "one is chosen that never was", default=(), code="questions-texts"),
    code="questions-{key}",
    missing="questions-list",
    closed=True,
    unknown="questions-key",
)


def read_questions(path: Path, shown: str) -> tuple[Questions | None, list[Problem]]:
    """Read a file of questions; every mistake is reported at its place."""
    text, problems = read_text(path, shown)
    if not text.exists and not problems:
        problems = [Problem(shown, 0, 0, "error", "questions-missing", "there is no such file")]
    if problems:
        return None, problems
    reader = _QuestionsReader(text.body, shown)
    return reader.parse(reader.questions)


class _QuestionsReader(PlacedReader):
    def questions(self, data: object) -> Questions:
        self.say_twice()
        values = self.read_fitting(QUESTIONS, data)
        posed = self._check_questions(values.get("questions", []))
        return Questions(posed, values.get("names", ()), values.get("gatherings", ()))

    def _check_questions(self, listed: list[Any]) -> tuple[Posed, ...]:
        posed: dict[str, Posed] = {}
        for at, item in enumerate(listed):
            if not POSED.fits(item):
                continue
            one = POSED.read(item)
            for name in SLOT.findall(one.text):
                if name not in SLOTS:
                    message = f"nothing fills {{{clip(name)}}}"
                    self.say(("questions", at, "text"), "question-slot", message, suggest(name, SLOTS))
            stem = "trap" if one.trap else one.kind
            number = 1 + sum(key.rpartition("-")[0] == stem for key in posed)
            key = one.key or f"{stem}-{number}"
            if key in posed:
                self.say(("questions", at, "key"), "question-twice", f"{clip(key)!r} is the key of two questions")
            posed[key] = Posed(one.kind, one.text, one.trap, key)
        return tuple(posed.values())


def render_answers(answers: Iterable[InterviewAnswer]) -> str:
    """Return the lines of answers."""
    return "".join(f"{INTERVIEW_ANSWER.render(answer)}\n" for answer in answers)


def is_interview(data: bytes) -> bool:
    """Return whether the bytes begin as lines of answers."""
    return data.startswith(b'{"agent": ')


def keep_answers(layout: Layout, answers: Sequence[InterviewAnswer]) -> tuple[Path, int]:
    """Keep the answers that one character gave at one moment, whole or not at all.

    What was asked there before stays, unless it was asked again; a kept second look at the same first answer stays too.

    Returns:
        The file, and how many second looks stay that ``answers`` lack.

    Raises:
        GmError: The disk refused.
    """
    first = answers[0]
    name = "-without-".join(filter(None, (first.agent, "-".join(first.without))))
    path = layout.interviews / first.at.replace("/", "_") / f"{name}.jsonl"
    before = {answer.question: answer for answer in _read_answers(layout, path)[0]}
    new = {one.question: one for one in answers if not _has_second_look(before.get(one.question), one)}
    disk.write_private(layout.derived, path, render_answers((before | new).values()).encode())
    return path, len({one.question for one in answers} - new.keys())


def _has_second_look(kept: InterviewAnswer | None, answer: InterviewAnswer) -> bool:
    return kept is not None and kept.first is not None and not answer.first and kept.first == answer.as_first


def read_interviews(layout: Layout) -> tuple[tuple[InterviewAnswer, ...], list[Problem]]:
    """Read all kept answers, in the order of moments, characters and questions; unreadable lines are reported."""
    found: list[InterviewAnswer] = []
    problems: list[Problem] = []
    for path in files_below(layout.interviews):
        if path.suffix == ".jsonl":
            answers, wrong = _read_answers(layout, path)
            found += answers
            problems += wrong
    return tuple(found), problems


def _read_answers(layout: Layout, path: Path) -> tuple[list[InterviewAnswer], list[Problem]]:
    where = layout.shown(path)
    scan = scan_file(path, where)[1]
    read, wrong = read_records(scan, where, INTERVIEW_ANSWER)
    return [answer for _, answer in read], [*scan.problems, *wrong]
