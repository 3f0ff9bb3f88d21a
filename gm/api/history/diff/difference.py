"""The difference between two states of a world."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gm.api.answers.document import part
from gm.api.history.diff.parts import (
    HAND,
    BoardChanges,
    BriefScene,
    MemoryChange,
    Sides,
    Since,
    ThreadChanges,
    Values,
    added_records,
    changed_values,
    compare_board,
    compare_log,
    compare_memories,
    compare_threads,
    diff_lines,
    find_souls,
)
from gm.api.history.git import repository_around
from gm.api.history.pastfiles import PastFiles, UnreadablePlace
from gm.api.history.states import NamedState, State, commit_state, find_states
from gm.base.casefold import casefold
from gm.files import relative_paths
from gm.files.layout import GALLERY, Layout
from gm.layers import LAYERS
from gm.layers.declare import LINES, AnyLayer
from gm.layers.soul import SOUL
from gm.model.scene import SUMMARY

LISTS = ("new", "edited", "deleted", "moved", "archived", "restored")
_FOLDERS = ("memories", "archive", "summaries", "gifted", "agents", "personas")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDifference:
    """What differs about a character.

    Attributes:
        persona_lines: Of the persona, those that only the ``old`` or the ``new`` one has.
        is_new: There was no persona before.
        by_hand: Of persona and soul, what changed without a scene that changes it.
    """

    memories: Mapping[str, Sequence[MemoryChange]] = part(inline=True)
    state: Values
    layers: Mapping[str, Values | Sequence[Mapping[str, Any]]] = part(inline=True)
    summaries: Sequence[Mapping[str, Any]]
    persona_changed: bool
    persona_lines: Mapping[str, Sequence[str]]
    is_new: bool
    by_hand: tuple[str, ...]
    gifted_changed: bool

    @property
    def is_changed(self) -> bool:
        """Whether anything of the character differs."""
        parts = (*self.memories.values(), self.state, *self.layers.values(), self.summaries)
        return any(parts) or self.persona_changed or self.gifted_changed


@dataclass(frozen=True, slots=True)
class WorkChanges:
    """Paths in the gallery."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The difference between two states of a world.

    Attributes:
        log_lines_changed: Or removed.
        other: Paths of other files that differ.
        partial: Only dated files were compared.
    """

    before: NamedState = part("from")
    after: NamedState = part("to")
    agents: Mapping[str, AgentDifference]
    scenes: tuple[BriefScene, ...]
    log_lines_changed: int
    threads: ThreadChanges
    board: BoardChanges
    artifacts: WorkChanges
    clock: Values
    other: tuple[str, ...]
    unreadable: tuple[UnreadablePlace, ...]
    partial: bool
    counts: Mapping[str, int]


def describe_difference(layout: Layout, first: str | None = None, second: str | None = None) -> Difference:
    """Compare two states of a world.

    Args:
        first: A commit, a day, or ``A..B``; None = HEAD.
        second: A commit or a day; None = the current files.

    Raises:
        UsageError: There is no such commit or day.
        GitError: A commit is named, but there is no repository.
    """
    old, new = find_states(layout, first, second)
    return compare_states(old, new, _find_common(layout, old, new))


def _find_common(layout: Layout, old: State, new: State) -> Since | None:
    """Return the state from which both come if it is not the old one."""
    repository = repository_around(layout.root)
    other = new.commit or (repository.commit("HEAD") if repository else None)
    if repository is None or not old.commit or not other:
        return None
    base = repository.merge_base(old.commit, other)
    return None if base in (None, old.commit) else Since(commit_state(repository, base, "").day, is_parted=True)


def compare_states(old: State, new: State, common: Since | None = None) -> Difference:
    """Compare two states of a world; ``common`` is where they part, by default the old one."""
    paths = _changed_paths(old, new)
    near = {*paths, *_companion_paths(paths)}
    unreadable: list[UnreadablePlace] = []
    sides = PastFiles(old.read(near), "from", unreadable), PastFiles(new.read(near), "to", unreadable)
    threads = compare_threads(sides, relative_paths.THREADS)
    board = compare_board(sides, relative_paths.BULLETIN)
    logs = [compare_log(sides, path) for path in paths if relative_paths.is_logbook(path)]
    scenes = tuple(scene for found, _, _, _ in logs for scene in found)
    played = frozenset(ref for _, refs, _, _ in logs for ref in refs)
    gone = frozenset(ref for *_, refs in logs for ref in refs)
    since = (common or Since(old.day))._replace(scenes=played, is_merged=len(played) > len(scenes), gone=gone)
    changed = frozenset(name for path in paths if relative_paths.is_logbook(path) for name in find_souls(sides, path))
    agents = _compare_agents(sides, paths, since, changed)
    artifacts = _compare_artifacts(old, new, paths)
    return Difference(
        before=old.named,
        after=new.named,
        agents=agents,
        scenes=scenes,
        log_lines_changed=sum(count for _, _, count, _ in logs),
        threads=threads,
        board=board,
        artifacts=artifacts,
        clock=changed_values(sides, relative_paths.CLOCK) if relative_paths.CLOCK in paths else {},
        other=tuple(path for path in paths if _is_other(path)),
        unreadable=tuple(unreadable),
        partial=old.partial or new.partial,
        counts=_counts(agents.values(), scenes, artifacts, threads),
    )


def _changed_paths(old: State, new: State) -> list[str]:
    paths = sorted({*old.prints, *new.prints})
    found = [path for path in paths if old.prints.get(path) != new.prints.get(path)]
    if old.partial or new.partial:
        found = [path for path in found if path.endswith(".jsonl") and not relative_paths.is_gifted(path)]
    return found


def _companion_paths(paths: Iterable[str]) -> list[str]:
    found = [relative_paths.CLOCK]
    for path in paths:
        if name := relative_paths.owner_of_memories(path):
            found += [relative_paths.stream(name), relative_paths.archive(name)]
    return found


def _compare_agents(
    sides: Sides, paths: Iterable[str], since: Since, souls: Collection[str]
) -> dict[str, AgentDifference]:
    names: dict[str, str] = {}
    for path in paths:
        head, folder, file = (*path.split("/", 2), "", "")[:3]
        if head == "state" and folder in _agent_folders() and "/" not in file:
            stem = file.partition(".")[0]
            names.setdefault(casefold(stem), stem)
    agents = {name: _compare_agent(sides, name, set(paths), since, souls) for name in sorted(names.values())}
    return {name: item for name, item in agents.items() if item.is_changed}


def _compare_agent(sides: Sides, name: str, paths: set[str], since: Since, souls: Collection[str]) -> AgentDifference:
    persona, soul = relative_paths.persona(name), relative_paths.layer(SOUL, name)
    by_hand = {"persona": persona in paths, SOUL.name: soul in paths and name not in souls}
    is_others = since.is_parted or since.gone  # a merge, or a rewind
    stream, archive = relative_paths.stream(name), relative_paths.archive(name)
    differ = stream in paths or archive in paths
    return AgentDifference(
        memories=compare_memories(sides, stream, archive, since) if differ else dict.fromkeys(LISTS, ()),
        state=changed_values(sides, relative_paths.agent(name)),
        layers={layer.name: _compare_layer(sides, layer, relative_paths.layer(layer, name)) for layer in LAYERS},
        summaries=added_records(sides, relative_paths.summaries(name)),
        persona_changed=persona in paths,
        persona_lines=diff_lines(sides, persona),
        is_new=persona in paths and sides[0].contents.get(persona) is None,
        by_hand=() if is_others else tuple(part for part, is_so in by_hand.items() if is_so),
        gifted_changed=relative_paths.gifted(name) in paths,
    )


def _compare_layer(sides: Sides, layer: AnyLayer, path: str) -> Values | Sequence[Mapping[str, Any]]:
    return added_records(sides, path) if layer.file.ending == LINES else changed_values(sides, path)


def _compare_artifacts(old: State, new: State, paths: Iterable[str]) -> WorkChanges:
    works = [path for path in paths if path.startswith(f"{GALLERY}/")]
    return WorkChanges(
        tuple(path for path in works if path not in old.prints),
        tuple(path for path in works if path in old.prints and path in new.prints),
        tuple(path for path in works if path not in new.prints),
    )


def _is_other(path: str) -> bool:
    part, folder = (*path.split("/"), "")[:2]
    known = path in (relative_paths.THREADS, relative_paths.BULLETIN, relative_paths.CLOCK)
    return (
        not known
        and part not in (GALLERY, "logbook")
        and not (part == "state" and folder in (*_agent_folders(), "logbook"))
    )


def _agent_folders() -> tuple[str, ...]:
    return (*_FOLDERS, *(layer.file.folder for layer in LAYERS))


def _counts(
    agents: Collection[AgentDifference], scenes: Sequence[BriefScene], artifacts: WorkChanges, threads: ThreadChanges
) -> dict[str, int]:
    counts = {kind: sum(len(agent.memories[kind]) for agent in agents) for kind in LISTS}
    new = [item for agent in agents for item in agent.memories["new"]]
    deleted = (item for agent in agents for item in agent.memories["deleted"])
    by_hand = sum(item.by == HAND for item in (*new, *deleted))
    return {
        **counts,
        "reflections": sum(item.node.type == "reflection" or item.node.depth > 0 for item in new),
        "by_hand": by_hand + counts["edited"] + counts["moved"],
        "scenes": sum(scene.type != SUMMARY and not scene.changes for scene in scenes),
        "artifacts": len(artifacts.added),
        "opened": len(threads.opened),
        "closed": len(threads.closed),
    }
