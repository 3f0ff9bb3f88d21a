"""Problems found in files (``Problem``) and exceptions that stop a command (``GmError``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeVar

Severity = Literal["error", "warning", "info"]
ErrorKind = Literal[
    "other",
    "broken",
    "locked",
    "model",
    "reply",
    "budget",
    "usage",
    "changed",
    "text",
    "form",
    "token",
    "bug",
    "missing",
    "newer",
]
"""What went wrong, as each class of error declares it; pages and events name it, in any language."""

DISTRIBUTION = "gm-worlds"
"""Name of gm on the package index, where ``gm`` belongs to another project."""

CORRECT_HINT = "correct this by hand; nothing was changed"
"""What to do about problems that keep gm from changing a world."""

EXIT_DONE = 0
EXIT_FIXABLE = 1
EXIT_USAGE = 2
EXIT_BUG = 3
EXIT_WAITING = 75
EXIT_INTERRUPTED = 130

Word = TypeVar("Word", bound=str)
VALUE = re.compile(r"\{(\w+)\}")


class Sentence(str):
    """A finished English sentence that keeps its template and values, so that pages can translate it."""

    sentence: str
    values: Mapping[str, str]


def say(sentence: str, *values: object) -> str:
    """Return a sentence with its values in order; a value may be such a sentence itself."""
    texts = (value if isinstance(value, str) else str(value) for value in values)
    named = dict(zip(VALUE.findall(sentence), texts, strict=True))
    said = Sentence(fill(sentence, named))
    said.sentence, said.values = sentence, named
    return said


def say_unexpected(key: object, found: str, expected: str) -> str:
    """Return the sentence about a key with another value than expected; ``found`` is that value, quoted."""
    return say("{key} is {value}, expected {part}", key, found, expected)


def fill(sentence: str, values: Mapping[str, str]) -> str:
    """Return a sentence with its values; other braces, and those in values, stand for themselves."""
    return VALUE.sub(lambda name: values[name[1]], sentence)


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A problem in a file that a person may edit.

    Attributes:
        path: Inside the world, with forward slashes.
        line: From 1; 0 = the whole file.
        column: From 1, in characters; 0 = the whole line.
        severity: ``error`` is ambiguous, ``warning`` off the schema, ``info`` legitimate variety.
    """

    path: str
    line: int
    column: int
    severity: Severity
    code: str
    message: str
    hint: str = ""

    @property
    def place(self) -> str:
        """The path, with line and column where they are known."""
        numbers = [self.line, self.column] if self.column else [self.line]
        return ":".join(map(str, [self.path, *numbers] if self.line else [self.path]))

    def __str__(self) -> str:
        text = f"{self.place}: {self.severity}: {self.message}  [{self.code}]"
        return f"{text}\n    {self.hint}" if self.hint else text


def errors_in(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems with severity ``error``."""
    return [problem for problem in problems if problem.severity == "error"]


class GmError(Exception):
    """An error that the user can fix: no traceback, exit code 1.

    Args:
        problems: Its causes in files.
    """

    exit_code = EXIT_FIXABLE
    kind: ClassVar[ErrorKind] = "other"

    def __init__(self, message: str, hint: str = "", problems: Iterable[Problem] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.problems = tuple(problems)


class NoWorldError(GmError):
    """No world in this folder or above it."""

    kind = "missing"


class BrokenWorldError(GmError):
    """Needed files cannot be read unambiguously."""

    kind = "broken"

    def __str__(self) -> str:
        if not self.problems:
            return self.message
        first, *others = self.problems
        return f"{self.message}: {first.place}: {first.message}{f', and {len(others)} more' if others else ''}"


class NewerWorldError(GmError):
    """The files of a world have a newer format than this version reads."""

    kind = "newer"


def refuse_errors(problems: Iterable[Problem], message: str, hint: str) -> None:
    """Raise a ``BrokenWorldError`` if any problem is an error."""
    if errors := errors_in(problems):
        raise BrokenWorldError(message, hint, errors)


class LockedError(GmError):
    """Another process is writing to the world."""

    kind = "locked"


class PromptError(GmError):
    """A prompt template is missing or malformed, or uses an unknown variable."""

    kind = "broken"


class ReplyError(GmError):
    """A model's reply stayed unusable after its problems were reported."""

    kind = "reply"


class BackendError(GmError):
    """The model could not be reached or did not answer."""

    kind = "model"


class BudgetError(GmError):
    """A call was not made: it could exceed the budget."""

    kind = "budget"


@dataclass(frozen=True, slots=True, order=True)
class Awaited:
    """An answer expected from outside. Paths are inside the world.

    Attributes:
        answer: Empty when it arrives by itself.
        problem: Note on why the present answer is unusable; may be empty.
    """

    who: str
    question: str
    answer: str = ""
    problem: str = ""


class WaitingError(GmError):
    """Answers are awaited from outside; the same command continues with them."""

    exit_code = EXIT_WAITING

    def __init__(self, awaited: Iterable[Awaited], hint: str = "") -> None:
        self.awaited = tuple(sorted(awaited))
        several = "answers are" if len(self.awaited) > 1 else "answer is"
        super().__init__(f"{len(self.awaited)} {several} awaited", hint)


class UsageError(GmError):
    """A command or function was called with invalid arguments."""

    exit_code = EXIT_USAGE
    kind: ClassVar[ErrorKind] = "usage"


def require_choice(word: str, choices: Sequence[Word], what: str) -> Word:
    """Return a word as one of a closed set.

    Args:
        what: What each of them is, with its article: ``a kind of thread``.

    Raises:
        UsageError: It is none of them.
    """
    for choice in choices:
        if choice == word:
            return choice
    raise UsageError(f"{word!r} is not {what}", "known: " + ", ".join(choices))
