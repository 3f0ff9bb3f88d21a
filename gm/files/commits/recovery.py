"""Decide from file contents alone how to finish interrupted commits.

``DECISIONS`` is the whole of it: how a file is found × what is known about the order of the steps → what happens.
A file that neither is as before a commit nor as after it was edited by the user and stays.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import Enum

from gm.files import inside
from gm.files.commits.changes import clock_of
from gm.files.commits.effects import Effect, effects_of
from gm.files.commits.findings import Order, State, find, orders_of
from gm.files.commits.journal import CommitRecord
from gm.files.commits.recoveryplan import Journal, RecoveryPlan, See, Seen, UnfitError
from gm.files.commits.steps import BrokenFileError, Overruled
from gm.files.commits.unrecorded import plan_unrecorded
from gm.files.forms import disk


class Action(Enum):
    """What happens to a file of an interrupted commit."""

    LEAVE = "leave"
    FINISH = "finish"
    MEND = "mend"
    MERGE = "merge"
    STAY = "stay"
    ASIDE = "aside"


LEAVE, FINISH, MEND, MERGE, STAY, ASIDE = Action
DECISIONS: Mapping[State, Mapping[Order, Action]] = {
    state: dict(zip(Order, actions, strict=True))
    for state, *actions in (
        # reached, unreached, unknown, finished
        (State.AFTER, LEAVE, LEAVE, LEAVE, LEAVE),
        (State.BEFORE, FINISH, FINISH, FINISH, FINISH),
        (State.CUT, LEAVE, FINISH, FINISH, FINISH),
        (State.SHORT, LEAVE, FINISH, ASIDE, ASIDE),
        (State.BROKEN, LEAVE, MEND, MEND, MEND),
        (State.LINES, LEAVE, MERGE, ASIDE, ASIDE),
        (State.UNSET, LEAVE, MERGE, MERGE, STAY),
        (State.SET, LEAVE, MERGE, STAY, STAY),
        (State.SOURCE, LEAVE, MERGE, MERGE, STAY),
        (State.WHOLE, LEAVE, MERGE, ASIDE, STAY),
        (State.ODD_LINES, LEAVE, ASIDE, ASIDE, ASIDE),
        (State.ODD, LEAVE, ASIDE, ASIDE, STAY),
    )
}


def to_decide(records: Sequence[CommitRecord], boot: str, look: disk.Look) -> Journal:
    """Select the records to decide about.

    After a power failure, files of finished commits may have lost their unsynced end.
    """
    return Journal([record for record in records if not record.done or record.boot != boot], boot, look)


def decide(journal: Journal, see: See) -> list[RecoveryPlan]:
    """Decide about each record, in order. Writes nothing.

    Raises:
        UnfitError: The journal belongs to another state of the world, or its writes were reverted.
        BrokenFileError: A file with values to change is broken.
    """
    seen: dict[str, Seen] = {}

    def known(path: str) -> Seen:
        if path not in seen:
            seen[path] = see(path)
        return seen[path]

    _check_clock(journal, known)
    effects = [effects_of(record) for record in journal.records]
    plans = []
    for place, record in enumerate(journal.records):
        recorded = record.sides is not None
        plan = _plan(journal, record, effects[place:], known) if recorded else plan_unrecorded(record, known)
        seen |= {path: Seen(data, known(path).look) for path, data in plan.contents.items()}
        plans.append(plan)
    return plans


def _check_clock(journal: Journal, see: See) -> None:
    """Raise UnfitError if another state of the world was restored."""
    clocks = [record.clock for record in journal.records if record.clock is not None]
    if not clocks:
        return
    file = see(inside.CLOCK)
    if (file.data or b"").strip():
        try:
            json.loads((file.data or b"").decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise BrokenFileError(f"{inside.CLOCK} cannot be read: {error}") from error
    now = clock_of(file.data)
    fits = now in clocks[-1]
    if not fits and not journal.in_order(journal.records[-1]) and file.look[1] <= journal.look[1]:
        fits = any(now in clock for clock in clocks)  # the power failed, and the file lost its last content
    if not fits:
        then = clocks[-1][1]
        raise UnfitError(
            f"the world is at day {now[0]} with {now[2]} scenes in all, and the interrupted write belongs to day "
            f"{then[0]} with {then[2]} scenes"
        )


def _plan(journal: Journal, record: CommitRecord, effects: Sequence[Mapping[str, Effect]], see: See) -> RecoveryPlan:
    """Decide about a record.

    Args:
        effects: Those of the record and of each later one.
    """
    mine = {path: effect for path, effect in effects[0].items() if path not in record.stays}
    found = {path: find(journal, record, [one[path] for one in effects if path in one], see(path)) for path in mine}
    orders = orders_of(journal, record, mine, found)
    taken_back = [
        path
        for path, one in found.items()
        if one.has_old_content and one.state is not State.BEFORE and orders[path] is Order.UNKNOWN
    ]
    if len(taken_back) > 1 and not any(one.shows_commit for one in found.values()):
        raise UnfitError("its writes were reverted")
    contents: dict[str, bytes | None] = {}
    aside: dict[str, bytes] = {}
    stays: list[str] = []
    overruled: list[Overruled] = []

    def planned(path: str) -> bytes | None:
        return contents[path] if path in contents else see(path).data

    for path, effect in mine.items():
        data = see(path).data
        left: tuple[Overruled, ...] = ()
        action = DECISIONS[found[path].state][orders[path]]
        match action:
            case Action.FINISH:
                contents[path] = effect.finish(data)
            case Action.MEND:
                contents[path] = effect.mend(data)
            case Action.MERGE:
                merged, left = effect.merge(data, planned)
                if merged != data:
                    contents[path] = merged
                overruled += left
            case Action.STAY | Action.ASIDE:
                stays.append(path)
        if (action is ASIDE or left) and (unwritten := effect.unwritten(data)) is not None:
            aside[path] = unwritten
    return RecoveryPlan(record, contents, aside, tuple(stays), tuple(overruled))
