"""What ``gm check`` says about the file of a layer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from gm.base.errors import Severity
from gm.model.calendar import parse_ref
from gm.model.record import Place, Record

if TYPE_CHECKING:
    from gm.base.config import Settings

T = TypeVar("T")
LINE_CHARACTERS = 300
"""Most characters of a line of a page of a mind."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What ``gm check`` says about a file.

    Attributes:
        keys: Place of the value; in a file of lines, the line number first. Empty = the whole file.
        counted: Findings with the same value are reported once, with their number; None = each by itself.
    """

    keys: Place
    code: str
    message: str
    hint: str = ""
    severity: Severity = "warning"
    counted: object = None
    beside: str = ""


def by_form(form: Record[T], data: object) -> Iterator[Finding]:
    """Report what is wrong with the form of a whole file."""
    for error in form.problems(data):
        yield Finding(error.place, error.code, error.message, error.hint)


@dataclass(frozen=True, slots=True)
class LayerFiles:
    """The files of a layer of one character as ``File.check`` sees them.

    Attributes:
        data: The content of a YAML or JSON file, or the readable records of all lines by number; None = no such file.
        today: Day of the clock, if it can be read.
        beside: All records by line number, of each further file that exists.
    """

    agent: str
    data: Any
    names: Collection[str] = ()
    today: int | None = None
    settings: Settings | None = None
    beside: Mapping[str, Mapping[int, Mapping[str, object]]] = field(default_factory=dict)

    def check_day(self, keys: Place, code: str, day: int) -> Iterator[Finding]:
        """Report a day after that of the clock."""
        if self.today is not None and day > self.today:
            message = f"day {day} lies after day {self.today}, which the clock shows"
            yield Finding(keys, code, message, "see state/world.json")

    def check_moment(self, keys: Place, code: str, at: object) -> Iterator[Finding]:
        """Report a moment after the day of the clock."""
        ref = parse_ref(at) if isinstance(at, str) else None
        if ref is not None and self.today is not None and ref.day > self.today:
            message = f"{keys[-1]} is {at}, which lies after day {self.today}, which the clock shows"
            yield Finding(keys, code, message, "see state/world.json")


@dataclass(frozen=True, slots=True)
class EventRule:
    """How the events of an item follow each other: opened, carried on any number of times, and ended once.

    Attributes:
        code: Beginning of the codes of its problems.
        going: Events that do not end an item.
        unopened: Message for an event before ``open``. Fields: ``id``, ``event``.
        closed: Message for an event after the end. Fields: ``id``, ``event``, and ``line`` of the end.
        describe: Says an event in a message.
    """

    code: str
    going: Collection[str]
    unopened: str
    hint: str
    closed: str
    describe: Callable[[str], str] = str


def check_events(
    rows: Mapping[int, Mapping[str, object]], rule: EventRule, lost: Collection[str] = ()
) -> Iterator[Finding]:
    """Report events that break a rule.

    Args:
        rows: Events by line number.
        lost: Ids in unreadable lines, which may have opened an item.
    """
    opened: set[str] = set()
    ended: dict[str, int] = {}
    for number, row in rows.items():
        name, event = str(row["id"]), str(row["event"])
        if event == "open":
            opened.add(name)
        elif name not in opened:
            if name not in lost:
                message = rule.unopened.format(id=name, event=rule.describe(event))
                yield Finding((number, "id"), f"{rule.code}-unopened", message, rule.hint)
        elif name in ended:
            message = rule.closed.format(id=name, event=rule.describe(event), line=ended[name])
            yield Finding((number, "event"), f"{rule.code}-closed", message, "delete one of the two lines")
        elif event not in rule.going:
            ended[name] = number
