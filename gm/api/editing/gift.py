"""Create the seed memories of a world (``gm gift``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gm.api.editing.desk import editing
from gm.base.config import Settings
from gm.base.errors import BrokenWorldError, Problem, PromptError, refuse_errors
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.story.now import load_cast, load_settings
from gm.files.streams.gifted import read_gifted, renewal_steps
from gm.files.streams.nodefile import NodeFile
from gm.memory.seed_memories import Gift, Renewal, gifts_for, gifts_of_world, renew
from gm.model.ids import WORLD
from gm.model.node import Node
from gm.model.world import Agent, known_agent
from gm.play.prompts import open_prompts


@dataclass(frozen=True, slots=True)
class Stale:
    """Outdated seed memories; ``agent`` empty = common knowledge."""

    agent: str
    path: str
    line: int
    changes: str


@dataclass(frozen=True, slots=True)
class GivenFile:
    """Ids by change in a file of seed memories (``agent`` empty = common knowledge); hand-edited ones are kept."""

    agent: str
    path: str
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    edited_by_hand: tuple[str, ...]
    memories: int


@dataclass(frozen=True, slots=True)
class Given:
    """What ``give_memories`` has changed, or would change."""

    written: bool
    files: tuple[GivenFile, ...]


def give_memories(layout: Layout, names: Sequence[str] = (), *, write: bool = True) -> tuple[Given, list[str]]:
    """Update seed memories from personas and settings; also returns notes.

    Args:
        names: Empty = all characters; common knowledge is always updated.
        write: If False, only return what would change.

    Raises:
        UsageError: No such character.
        BrokenWorldError: A persona, the settings or seed memories cannot be read.
    """
    if not write:
        with snapshot(layout):
            planned = _plan_gifts(layout, names)
        return _report_given(layout, planned, written=False), []
    with editing(layout, "gm gift") as desk:
        planned = _plan_gifts(layout, names)
        steps = [step for file, renewal in planned for step in renewal_steps(layout, file, renewal)]
        desk.commit(steps)
    return _report_given(layout, planned, written=True), desk.notes


def preview_gifts(layout: Layout, settings: Settings, cast: Mapping[str, Agent], owner: str) -> tuple[Node, ...]:
    """Return the seed memories of a character or ``WORLD``."""
    made = _make_gifts(layout, settings, cast, () if owner == WORLD else (owner,))[owner]
    return renew(owner, (), made).added


def stale_gifts(layout: Layout) -> list[Stale]:
    """Return one item per file that ``gm gift`` would change, except files that cannot be compared."""
    if not any(layout.gifted(name).is_file() for name in (WORLD, *layout.agent_names())):
        return []
    with snapshot(layout):
        try:
            planned = _plan_gifts(layout, ())
        except (BrokenWorldError, PromptError):  # reported elsewhere
            return []
        return [
            _describe_stale_file(layout, file, renewal)
            for file, renewal in planned
            if file.text is not None and renewal.is_needed
        ]


def _describe_stale_file(layout: Layout, file: NodeFile, renewal: Renewal) -> Stale:
    counts = {"change": len(renewal.changed), "be added": len(renewal.added), "go": len(renewal.dropped)}
    changes = ", ".join(f"{count} would {what}" for what, count in counts.items() if count)
    owner = "" if file.owner == WORLD else file.owner
    return Stale(
        owner, layout.shown(layout.gifted(file.owner)), min((*renewal.changed, *renewal.dropped), default=1), changes
    )


def check_gifts(layout: Layout) -> list[Problem]:
    """Report seed memories that differ from personas and settings."""
    hint = "run: gm gift; lines that you have edited stay as they are"
    return [
        Problem(item.path, item.line, 1, "info", "gifted-stale", f"seed memories are out of date: {item.changes}", hint)
        for item in stale_gifts(layout)
    ]


def _plan_gifts(layout: Layout, names: Sequence[str]) -> list[tuple[NodeFile, Renewal]]:
    settings, problems = load_settings(layout)
    cast, found = load_cast(layout)
    # an agent file that cannot be read does not affect seed memories
    _refuse([*problems, *(item for item in found if not item.path.startswith(layout.shown(layout.agents)))])
    chosen = list(dict.fromkeys(known_agent(cast, name) for name in names)) or list(cast)
    made = _make_gifts(layout, settings, cast, chosen)
    files = [read_gifted(layout, owner) for owner in made]
    _refuse([problem for file in files for problem in file.problems])
    return [(file, renew(file.owner, file.lines, made[file.owner])) for file in files]


def _make_gifts(
    layout: Layout, settings: Settings, cast: Mapping[str, Agent], chosen: Sequence[str]
) -> dict[str, list[Gift]]:
    words = open_prompts(layout, settings).words
    made = {name: gifts_for(cast[name], cast, settings, words) for name in chosen}
    return {WORLD: gifts_of_world(settings, words), **made}


def _refuse(problems: Sequence[Problem]) -> None:
    message, hint = "files that this needs cannot be read as they are", "correct these places; nothing was changed"
    refuse_errors(problems, message, hint)


def _report_given(layout: Layout, planned: Sequence[tuple[NodeFile, Renewal]], *, written: bool) -> Given:
    return Given(
        written,
        tuple(
            GivenFile(
                agent="" if file.owner == WORLD else file.owner,
                path=layout.shown(layout.gifted(file.owner)),
                added=tuple(node.id for node in renewal.added),
                changed=tuple(node.id for node in renewal.changed.values()),
                removed=tuple(node.id for number, node in file.lines if number in renewal.dropped),
                edited_by_hand=tuple(renewal.edited),
                memories=renewal.kept + len(renewal.changed) + len(renewal.added),
            )
            for file, renewal in planned
        ),
    )
