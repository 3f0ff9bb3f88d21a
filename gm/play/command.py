"""The commands of an interactive day, their keys and arguments."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gm.base.errors import UsageError
from gm.base.texts import is_digits
from gm.model.calendar import is_time_of_day

_NAMES = re.compile(r"\s*[^\s,]+(?:\s*,\s*[^\s,]+)*")


@dataclass(frozen=True, slots=True)
class CommandChoice:
    """A command that the user can choose.

    Attributes:
        key: In a terminal; a letter of the label, unless it is a sign.
        wants: Its argument; empty = none.
    """

    name: str
    key: str
    label: str
    wants: str
    sentence: str

    @property
    def marked(self) -> tuple[str, str, str]:
        """Return the label in three parts, the middle one the key in brackets: ``pos (t)``."""
        before, key, after = self.label.partition(self.key)
        return (before, f"({key})", after) if key else ("", self.key, f" {self.label}")


CHOICES = tuple(
    CommandChoice(*row)
    for row in (
        ("continue", "c", "continue", "", "The scene stands; on to the next one."),
        ("brief", "b", "brief", "TEXT", "Put up a brief that everyone reads and that holds until it is withdrawn."),
        ("post", "t", "post", "TEXT", "Put up a post on the board."),
        ("event", "v", "event", "TIME TEXT", "Put something into today's calendar: morning, noon, afternoon, evening."),
        ("call", "o", "call over", "A,B TOPIC", "Have an extra scene played now by those you name."),
        ("candidates", "d", "candidates", "", "All scenes that could come next, with their scores and reasons."),
        ("pick", "i", "pick", "N", "Have candidate N of that list played next."),
        ("ask", "a", "ask", "A QUESTION", "Ask a character something out of scene; it will not remember."),
        ("replay", "r", "replay", "NOTE", "Have the scene played once more, with a note for those in it."),
        ("take", "k", "take", "N", "Let take N of the scene land, not the last one."),
        ("skip", "s", "skip ahead", "", "Play the rest of the day without asking."),
        ("end", "e", "end the day", "", "No more scenes; due reflections and the close still happen."),
        ("quit", "q", "quit", "", "Leave now; the day stays open, and the same command goes on."),
        ("why", "w", "why", "", "Why the Game Master chose this scene."),
        ("plan", "p", "plan", "", "What would come next."),
        ("help", "?", "help", "", "This list."),
    )
)
BY_NAME = {choice.name: choice for choice in CHOICES}
BY_KEY = {choice.key: choice for choice in CHOICES}
WRITING = ("brief", "post", "event")
NUMBER = "N"
_LEAST_TAKES = {"replay": 1, "take": 2}


def possible(takes: int) -> tuple[CommandChoice, ...]:
    """Return the choices about a scene with a number of takes; 0 = it has landed."""
    return tuple(choice for choice in CHOICES if takes >= _LEAST_TAKES.get(choice.name, 0))


@dataclass(frozen=True, slots=True)
class Command:
    """A chosen command with its argument."""

    name: str
    text: str = ""


def parse_command(line: str) -> Command:
    """Parse one line of a script: a command's name, or its key, and a text.

    Raises:
        UsageError: No such command, or as ``check_command``.
    """
    name, text = (*line.split(maxsplit=1), "", "")[:2]
    choice = BY_NAME.get(name) or BY_KEY.get(name)
    if choice is None:
        raise UsageError(f"there is no command {name!r}", "known: " + ", ".join(BY_NAME))
    return check_command(Command(choice.name, text.strip()))


def check_command(command: Command) -> Command:
    """Return a valid command.

    Raises:
        UsageError: Its argument is missing, superfluous or not UTF-8.
    """
    choice = BY_NAME[command.name]
    try:
        command.text.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(f"the text of {choice.name} is not UTF-8", "write it in UTF-8") from None
    if choice.wants and not command.text:
        if choice.name == "replay":
            raise UsageError(
                "a replay needs a note: without one everybody is asked the same, and gives the same answers",
                "say what shall be different: replay NOTE",
            )
        raise UsageError(f"{choice.name} lacks its text", f"write: {choice.name} {choice.wants}")
    if command.text and not choice.wants:
        raise UsageError(f"{choice.name} takes no text, {command.text!r} found", f"write: {choice.name}")
    if choice.wants == NUMBER and not is_digits(command.text):
        raise UsageError(f"{choice.name} takes a number, {command.text!r} found", f"write: {choice.name} {NUMBER}")
    return command


def split_addressees(text: str) -> tuple[tuple[str, ...], str]:
    """Split ``vera, tobi What about the door?`` into names and the rest.

    Raises:
        UsageError: It does not begin with a name.
    """
    found = _NAMES.match(text)
    if found is None:
        raise UsageError(f"no name in {text!r}", "write the names first, with commas between them: vera,tobi")
    names = tuple(part.strip().rstrip(":") for part in found[0].split(","))
    return names, text[found.end() :].strip()


def split_time(text: str) -> tuple[str, str]:
    """Split ``afternoon The boiler man comes`` into time of day and text.

    Raises:
        UsageError: It does not begin with a time of day, or no text follows.
    """
    time, what = (*text.split(maxsplit=1), "", "")[:2]
    if not is_time_of_day(time) or not what.strip():
        raise UsageError(
            f"an event has a time and a text, {text!r} found",
            "write: event TIME TEXT, with one of morning, noon, afternoon, evening",
        )
    return time, what.strip()
