"""What is known of a run, folded from the events that it writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from gm.base.errors import EXIT_BUG, EXIT_DONE, EXIT_INTERRUPTED, EXIT_USAGE, EXIT_WAITING, ErrorKind, Problem, say
from gm.files.commits.lock import Holder

Kind = Literal["idle", "playing", "deciding", "waiting", "stopped", "finished", "failed"]
Event = Mapping[str, Any]
OVER: tuple[Kind, ...] = ("stopped", "finished", "failed")
MOST_NOTICES = 20
BETWEEN_STEPS = ("answered", "writing")
"""Events that a page shows by itself, without being rendered anew."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What is asked for a run; empty = as the world says.

    Attributes:
        scenes: How many scenes to play; None = whole days.
        decides: Whether a person decides between the scenes.
        plays: Whose part a person plays.
    """

    days: int = 1
    scenes: int | None = None
    model: str = ""
    decides: bool = False
    plays: str = ""


@dataclass(frozen=True, slots=True)
class AnswerInProgress:
    """A character who is writing; ``words`` are empty where the backend does not stream them."""

    who: str
    characters: int
    words: str


@dataclass(frozen=True, slots=True)
class Take:
    """A scene that was played and has not landed: its logbook record, new memories by character, events of threads."""

    number: int
    note: str
    log: Mapping[str, Any]
    memories: Mapping[str, Any]
    threads: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class RunTrouble:
    """What a run says of an error, as a ``GmError`` has it."""

    message: str = ""
    hint: str = ""
    kind: ErrorKind = "other"
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class RunState:
    """A run as it stands.

    Attributes:
        is_running: Whether the process lives.
        is_stopping: Whether it was asked to stop.
        version: Grows with each step, but not while answers are written and come in.
        forecast: A ``ForecastReport`` as JSON, where a paid model is asked.
        turn: Number of the decision that is asked for; a command names the one it answers.
        choices: Commands that are awaited.
        sent: The last command.
        answer: Its answer.
        refused: Why, if it made no sense.
        landed: Scenes of this run that are in the files.
        left: Whether the day was left open on purpose.
        trouble: Why the run has ended.
    """

    kind: Kind = "idle"
    request: RunRequest = RunRequest()
    is_running: bool = False
    is_stopping: bool = False
    version: int = 0
    turn: int = 0
    model: str = ""
    rehearsal: bool = False
    forecast: Event = field(default_factory=dict)
    day: int | None = None
    scene: Event = field(default_factory=dict)
    answered: tuple[int, int] = (0, 0)
    writing: tuple[AnswerInProgress, ...] = ()
    takes: tuple[Take, ...] = ()
    choices: tuple[str, ...] = ()
    undecided: bool = False
    plan: Mapping[str, Any] = field(default_factory=dict)
    sent: str = ""
    answer: tuple[str, ...] = ()
    refused: RunTrouble | None = None
    notices: tuple[str, ...] = ()
    awaited: tuple[Mapping[str, str], ...] = ()
    landed: tuple[str, ...] = ()
    left: bool = False
    trouble: RunTrouble = RunTrouble()

    @property
    def standing(self) -> str:
        """The key of the sentence that says how the run stands while its process lives."""
        return "stopping" if self.is_stopping else "ending" if self.kind in OVER else self.kind


@dataclass(frozen=True, slots=True)
class StageView:
    """What is being played, and who plays it.

    Attributes:
        holder: Another process that writes to the world.
    """

    state: RunState = RunState()
    holder: Holder | None = None

    @property
    def is_busy(self) -> bool:
        return self.state.is_running or self.holder is not None


def begin(before: RunState, request: RunRequest) -> RunState:
    """Return the state of a run that has just been started."""
    return RunState("playing", request, is_running=True, version=before.version + 1, turn=before.turn + 1)


def send(state: RunState, command: str) -> RunState:
    """Return the state after a command was given; nothing else is awaited until the run answers."""
    asked = replace(state, choices=(), answer=(), refused=None, plan={})
    return replace(asked, kind="playing", sent=command, version=state.version + 1)


def stop(state: RunState) -> RunState:
    """Return the state after the run was asked to stop."""
    return replace(state, is_stopping=True, version=state.version + 1)


def end(state: RunState, code: int, said: str, hint: str) -> RunState:
    """Return the state after the process has ended.

    Args:
        code: Its exit code; below 0, the signal that ended it.
        said, hint: The error that it wrote on standard error, if any.
    """
    done = replace(state, is_running=False, choices=(), writing=(), version=state.version + 1)
    if state.kind in OVER or (state.kind == "waiting" and code == EXIT_WAITING):
        return done
    if code == EXIT_DONE:
        return replace(done, kind="finished")
    if code == EXIT_INTERRUPTED or state.is_stopping:
        return replace(done, kind="stopped")
    kinds: Mapping[int, ErrorKind] = {EXIT_USAGE: "usage", EXIT_BUG: "bug"}
    trouble = RunTrouble(said or f"gm advance-day: {code}", hint, kinds.get(code, "other"))
    return replace(done, kind="failed", trouble=trouble)


def fold(state: RunState, event: Event) -> RunState:
    """Return the state after an event; an unknown one changes nothing."""
    fold_one = _FOLDS.get(str(event.get("event")))
    if fold_one is None:
        return state
    changed = fold_one(state, event)
    is_step = changed.kind != state.kind or (changed is not state and event["event"] not in BETWEEN_STEPS)
    return replace(changed, version=state.version + 1) if is_step else changed


def _play_on(state: RunState) -> RunState:
    return replace(state, kind="playing", choices=(), awaited=()) if state.kind in ("deciding", "waiting") else state


def _fold_answered(state: RunState, event: Event) -> RunState:
    if state.kind == "waiting" and event["done"] <= state.answered[0]:
        return state  # the run looks for the same answers again, and counts them from the beginning
    return replace(_play_on(state), answered=(event["done"], event["of"]))


def _fold_writing(state: RunState, event: Event) -> RunState:
    who, characters = event["who"], event["characters"]
    others = tuple(one for one in state.writing if one.who != who)
    if characters is None:
        return replace(state, writing=others)
    writer = AnswerInProgress(who, characters, str(event.get("words") or ""))
    known = [one.who for one in state.writing]
    at = known.index(who) if who in known else len(known)
    return replace(state, writing=(*state.writing[:at], writer, *state.writing[at + 1 :]))


def _fold_draft(state: RunState, event: Event) -> RunState:
    take = Take(event["take"], event["note"], event["log"], event["memories"], event["threads"])
    earlier = tuple(one for one in state.takes if one.number < take.number)
    return replace(_play_on(state), takes=(*earlier, take), writing=())


def _fold_choices(state: RunState, event: Event) -> RunState:
    names = tuple(str(one["name"]) for one in event["choices"])
    is_undecided = bool(event["undecided"])
    takes = state.takes if is_undecided else ()
    return replace(state, kind="deciding", turn=state.turn + 1, choices=names, undecided=is_undecided, takes=takes)


def _read_trouble(event: Event) -> RunTrouble:
    known: dict[str, str] = {}
    for sentence, *values in event.get("said", ()):
        said = say(sentence, *(known.get(value, value) for value in values))
        known[said] = said
    message, hint = (known.get(text, text) for text in (str(event["message"]), str(event["hint"])))
    places = ({key: known.get(value, value) for key, value in one.items()} for one in event.get("problems", ()))
    kind: Any = event.get("kind")
    is_known = kind in get_args(ErrorKind) and kind != "token"  # what a run cannot say of itself
    return RunTrouble(message, hint, kind if is_known else "other", tuple(Problem(**one) for one in places))


def _fold_stopped(state: RunState, event: Event) -> RunState:
    code = event["exit"]
    kinds: Mapping[int, Kind] = {EXIT_INTERRUPTED: "stopped", EXIT_WAITING: "waiting"}
    over = replace(state, trouble=_read_trouble(event))
    return replace(over, kind=kinds.get(code, "failed"), choices=(), writing=())


_FOLDS: Mapping[str, Callable[[RunState, Event], RunState]] = {
    "model": lambda state, event: replace(state, model=str(event["shown"]), rehearsal=bool(event["rehearsal"])),
    "forecast": lambda state, event: replace(state, forecast=event["report"]),
    "day_opened": lambda state, event: replace(_play_on(state), day=event["day"]),
    "scene_begins": lambda state, event: replace(
        _play_on(state), scene=event, takes=(), answered=(0, 0), writing=(), sent="", answer=()
    ),
    "answered": _fold_answered,
    "writing": _fold_writing,
    "draft": _fold_draft,
    "choices": _fold_choices,
    "candidates": lambda state, event: replace(state, plan=event["plan"]),
    "tell": lambda state, event: replace(state, answer=(*state.answer, *map(str, event["lines"]))),
    "refused": lambda state, event: replace(state, refused=_read_trouble(event)),
    "scene_played": lambda state, event: replace(
        _play_on(state), landed=(*state.landed, event["scene"]), scene={}, takes=(), writing=()
    ),
    "day_closed": lambda state, _event: replace(_play_on(state), scene={}),
    "day_left": lambda state, _event: replace(state, left=True),
    "notice": lambda state, event: replace(state, notices=(*state.notices, str(event["text"]))[-MOST_NOTICES:]),
    "waiting": lambda state, event: replace(state, kind="waiting", awaited=tuple(event["awaited"]), writing=()),
    "finished": lambda state, _event: replace(state, kind="finished", scene={}, takes=(), choices=()),
    "stopped": _fold_stopped,
}
