"""What can be wrong, as values (``Problem``) and as the exceptions that stop a command (``GmError``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]

EXIT_DONE = 0
EXIT_FIXABLE = 1
EXIT_USAGE = 2
EXIT_BUG = 3
EXIT_WAITING = 75
EXIT_INTERRUPTED = 130


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong in a file that a person may edit.

    Attributes:
        path: Path inside the world, with forward slashes.
        line: From 1; 0 when the problem is the file as a whole.
        column: From 1, in characters; 0 when the whole line is meant.
        severity: ``error`` cannot be read unambiguously, ``warning`` is off the schema, ``info`` is
            legitimate variety.
        code: Stable, kebab-case, for tools and for searching the manual.
        message: What was found and what was expected.
        hint: What to do about it; may be empty.
    """

    path: str
    line: int
    column: int
    severity: Severity
    code: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        place = self.path
        if self.line:
            place += f":{self.line}"
            if self.column:
                place += f":{self.column}"
        text = f"{place}: {self.severity}: {self.message}  [{self.code}]"
        return f"{text}\n    {self.hint}" if self.hint else text


def errors_in(problems: Iterable[Problem]) -> list[Problem]:
    """Keep the problems that stop a command which needs the file."""
    return [problem for problem in problems if problem.severity == "error"]


class GmError(Exception):
    """Something the user can put right. Shown without a traceback, exit code 1.

    Args:
        message: What happened, and where.
        hint: What to do now.
        problems: The places in files that caused it.
    """

    exit_code = EXIT_FIXABLE

    def __init__(self, message: str, hint: str = "", problems: Iterable[Problem] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.problems = tuple(problems)


class NoWorldError(GmError):
    """No world in this folder or above it."""


class BrokenWorldError(GmError):
    """Files that the command needs cannot be read unambiguously."""


class LockedError(GmError):
    """Another process is writing to the world."""


class PromptError(GmError):
    """A prompt template is missing, malformed, or uses a variable that does not exist."""


class ReplyError(GmError):
    """A model's reply stayed unusable after it was shown its problems."""


class BackendError(GmError):
    """The model could not be asked, or did not answer."""


class BudgetError(GmError):
    """A call was not begun because it could exceed the budget."""


@dataclass(frozen=True, slots=True, order=True)
class Awaited:
    """One answer that is still owed from outside.

    Attributes:
        who: Who is asked: the id of an agent, or the name of a batch.
        question: Where the question is, inside the world.
        answer: Where the answer is expected, inside the world; empty when it comes by itself.
        problem: Where it says why the answer that is there cannot be used; empty when there is none.
    """

    who: str
    question: str
    answer: str = ""
    problem: str = ""


class WaitingError(GmError):
    """Answers are awaited from outside. Not a failure: the same command goes on when they are there.

    Args:
        awaited: What is awaited.
        hint: What to do now.
    """

    exit_code = EXIT_WAITING

    def __init__(self, awaited: Iterable[Awaited], hint: str = "") -> None:
        self.awaited = tuple(sorted(awaited))
        several = "answers are" if len(self.awaited) > 1 else "answer is"
        super().__init__(f"{len(self.awaited)} {several} awaited", hint)


class UsageError(GmError):
    """The command was called with something that makes no sense here."""

    exit_code = EXIT_USAGE
