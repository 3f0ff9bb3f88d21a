"""The world clock with its scheduled events, and the bulletin board."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, TypedDict

from gm.base.config import kinds
from gm.base.untyped import as_texts
from gm.model.record import Key, Merge, Record, readable, text_key

NOTE = "note"


@dataclass(frozen=True, slots=True)
class ScheduledEvent:
    """A dated event of ``state/world.json``; ``SCHEDULED_EVENT`` describes the attributes."""

    day: int
    event: str
    time: str = ""
    type: str = ""
    place: str = ""
    cast: tuple[str, ...] = ()
    lead: str = ""


@dataclass(frozen=True, slots=True)
class Clock:
    """The world clock, ``state/world.json``. The defaults describe a new world: day 0, closed."""

    day: int = 0
    day_of_week: str = ""
    time_of_day: str = ""
    scenes_today: int = 0
    scenes_total: int = 0
    scheduled_events: tuple[ScheduledEvent, ...] = ()
    active_briefs: tuple[str, ...] = ()
    artifacts_today: tuple[str, ...] = ()
    studio_status: str = ""
    day_open: bool = False

    @property
    def coming(self) -> int:
        """The open day, else the next one."""
        return self.day if self.day_open else self.day + 1


class ClockChange(TypedDict, total=False):
    """New values of ``Clock``, as its file holds them."""

    day: int
    day_of_week: str
    time_of_day: str
    scenes_today: int
    scenes_total: int
    artifacts_today: list[str]
    studio_status: str
    day_open: bool


@dataclass(frozen=True, slots=True)
class Post:
    """A post on the bulletin board; ``index`` is its position there, from 0, the rest is described by ``POST``."""

    index: int
    author: str
    type: str
    content: str
    day: int = 0
    scene: int = 0
    artifact: str = ""

    @property
    def key(self) -> str:
        """What answers name it by, ``bulletin/3``."""
        return f"bulletin/{self.index}"

    @property
    def waits(self) -> bool:
        """Whether scenes should take it up; a note is only to be read."""
        return self.type != NOTE


class BulletinBoard(NamedTuple):
    """The bulletin board: its posts, and the decisions of the team."""

    posts: tuple[Post, ...] = ()
    decisions: tuple[str, ...] = ()


class WeeklyEvent(NamedTuple):
    """An item of ``calendar.weekly``; its ``event`` is of day 0."""

    weekday: str
    event: ScheduledEvent


def _label(name: str, sentence: str, field: str = "", *, default: str = "", brief: bool = False) -> Key:
    return Key(name, kinds.loose_text, sentence, default=default, field=field, brief=brief)


def _count(name: str, sentence: str, merge: Merge) -> Key:
    return Key(name, kinds.loose_whole(0), sentence, default=0, merge=merge)


_WHOLE = kinds.Kind("a whole number", lambda value: type(value) is int, {"type": "integer"})
_ANY_WHOLE = replace(_WHOLE, fits=lambda _: True, keep=lambda value: value if type(value) is int else 0)
SCHEDULED_EVENT = Record(
    ScheduledEvent,
    "scheduled event",
    Key("day", _WHOLE, "the story day"),
    Key("event", kinds.text, "what happens"),
    _label("time", "the time of day; any word, such as all-day"),
    _label("type", "the type of the scene", brief=True),
    _label("place", "where it happens", brief=True),
    Key(
        "with",
        replace(kinds.texts, fits=lambda _: True, keep=as_texts),
        "ids of those who take part; [] = all",
        default=(),
        field="cast",
        brief=True,
    ),
    _label("lead", "the id of the character who opens it", brief=True),
)
"""An item of ``scheduled_events`` in ``state/world.json``."""
WEEKLY_EVENT = Record(
    lambda weekday, **values: WeeklyEvent(weekday, ScheduledEvent(0, **values)),
    "weekly event",
    _label("weekday", "its weekday"),
    _label("event", "what happens"),
    _label("time", "the time of day; any other word makes it a deadline", default="evening"),
    *SCHEDULED_EVENT.keys[3:],
)
"""An item of ``calendar.weekly`` in ``gm.yaml``; any mapping can be read."""
CLOCK = Record(
    Clock,
    "clock",
    _count("day", "the story day", Merge.LATER),
    text_key("day_of_week", "its weekday", merge=Merge.LATER),
    text_key("time_of_day", "morning, noon, afternoon or evening", merge=Merge.LATER),
    _count("scenes_today", "scenes played on that day", Merge.LATER),
    _count("scenes_total", "scenes played on all days", Merge.SUM),
    Key("scheduled_events", readable(SCHEDULED_EVENT), "what is in the calendar", default=(), null=True),
    Key("active_briefs", kinds.loose_texts, "briefs that hold", default=(), null=True),
    Key("artifacts_today", kinds.loose_texts, "paths of what was made on that day", (), null=True, merge=Merge.UNION),
    text_key("studio_status", "the state of things, in a sentence", merge=Merge.LATER),
    Key("day_open", kinds.flag, "whether the day goes on", default=False, merge=Merge.BOTH),
    code="value-type",
)
"""The file ``state/world.json``."""
POST = Record(
    lambda **values: Post(0, **values),
    "post",
    _label("from", "who put it up", field="author"),
    Key("day", _ANY_WHOLE, "the story day on which it was put up", default=0),
    Key("scene", _ANY_WHOLE, "the scene in which it was put up; 0 = between days", default=0),
    _label("type", "brief, message, feedback, note …"),
    Key("content", kinds.text, "its words"),
    Key(
        "artifact",
        replace(kinds.text, fits=lambda _: True, keep=lambda value: value if isinstance(value, str) else ""),
        "the path of the piece of work that it is about",
        default="",
    ),
)
"""An item of ``posts`` in ``state/bulletin.json``."""


def _posts(value: list[object]) -> tuple[Post, ...]:
    return tuple(replace(POST.read(item), index=index) for index, item in enumerate(value) if POST.fits(item))


_DECISION = Record(lambda decision: decision, "decision", Key("decision", kinds.text, "what was decided"))
BOARD = Record(
    BulletinBoard,
    "bulletin board",
    Key("posts", replace(readable(POST), keep=_posts), "what hangs there, the oldest first", default=(), null=True),
    Key("team_decisions", readable(_DECISION), "what the team has decided", default=(), field="decisions", null=True),
    code="value-type",
)
"""The file ``state/bulletin.json``."""
