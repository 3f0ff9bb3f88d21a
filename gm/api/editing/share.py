"""Sharing memories by hand: requested, granted, refused, or copied by the user. Edits also return notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from gm.api.answers.document import part
from gm.api.editing.desk import Desk, editing
from gm.base.casefold import casefold
from gm.base.errors import GmError, UsageError
from gm.files.layers import note_asked_at, read_asked_at
from gm.files.layout import Layout
from gm.files.load import with_archived_sources
from gm.memory.search import carries
from gm.memory.share import bank_of, copy_nodes, select_about
from gm.model.link import LINK_REQUEST, LinkRequest
from gm.model.node import Node
from gm.model.world import Change, World, known_agent
from gm.play.archived import archives_of
from gm.play.prompts import open_prompts
from gm.scene.folding.exchange import fold_link_answer

WallClock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class ShareFilter:
    """Memories to copy: all conditions must hold; empty = all but private ones."""

    tags: tuple[str, ...] = ()
    query: str = ""
    ids: tuple[str, ...] = ()


def _desk(layout: Layout, command: str) -> AbstractContextManager[Desk]:
    return editing(layout, command, layout.settings, layout.links, message="requests for memories cannot be read")


@dataclass(frozen=True, slots=True)
class Requests:
    """Open requests for memories; each can be accepted by hand for ``window_seconds``."""

    enabled: bool
    window_seconds: float | None
    requests: tuple[LinkRequest, ...] = part(by=LINK_REQUEST.write)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """A request that was just made."""

    request: LinkRequest = part(inline=True, by=LINK_REQUEST.write)
    window_seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedMemories:
    """Memories copied for another character.

    Attributes:
        shared: Whether it was granted; None = no request.
        chosen: Number including earlier copies; None = a request.
    """

    giver: str = part("from")
    receiver: str = part("to")
    copied: int
    first: str | None
    last: str | None
    about: tuple[str, ...] | None = part(omit=None)
    shared: bool | None = part(omit=None)
    chosen: int | None = part(omit=None)


def describe_links(world: World) -> Requests:
    """Return the open requests for memories."""
    share = world.settings.share
    return Requests(share.enabled, share.window_seconds, tuple(world.links))


def request_memories(
    layout: Layout, asker: str, giver: str, about: Sequence[str], now: WallClock
) -> tuple[Requested, list[str]]:
    """Let a character ask another for memories.

    Args:
        about: Tags or words; empty = everything.
        now: Wall clock, in seconds.

    Raises:
        UsageError: Sharing is off, or these are not two characters.
    """
    with _desk(layout, "gm share request") as desk:
        world = desk.world
        _refuse_off(world)
        asker, giver = _find_two_agents(world, asker, giver)
        at = desk.last_moment()
        link = LinkRequest(asker, giver, tuple(about), at)
        others = tuple(item for item in world.links if (item.asker, item.giver) != (asker, giver))
        desk.land(Change(world.clock.day, links=(*others, link)))
        note_asked_at(layout, asker, giver, now())
    return Requested(request=link, window_seconds=world.settings.share.window_seconds), desk.notes


def answer_request(
    layout: Layout, giver: str, asker: str, now: WallClock, *, share: bool
) -> tuple[SharedMemories, list[str]]:
    """Grant (``share``) or refuse a request for memories.

    Raises:
        UsageError: There is no such request.
        GmError: The request is older than ``share.window_seconds``; it is removed.
    """
    with _desk(layout, f"gm share {'accept' if share else 'refuse'}") as desk:
        world = desk.world
        if share:
            _refuse_off(world)
        giver, asker = _find_two_agents(world, giver, asker)
        link = next((item for item in world.links if (item.asker, item.giver) == (asker, giver)), None)
        if link is None:
            raise UsageError(f"{asker} has not asked {giver} for memories", "see: gm share list")
        window, asked = world.settings.share.window_seconds, read_asked_at(layout, asker, giver)
        note_asked_at(layout, asker, giver, None)
        if share and window is not None and asked is not None and now() - asked > window:
            desk.land(Change(world.clock.day, links=tuple(item for item in world.links if item != link)))
            raise GmError(
                f"the request of {asker} is older than {window} seconds and is over",
                f"ask again: gm share request {asker} {giver}; share.window_seconds says how long it holds",
            )
        for name in (giver, asker):
            desk.need_agent(name)
        at = desk.last_moment()
        words = open_prompts(layout, world.settings).words
        reached = replace(world, archives=archives_of(layout, (giver, asker))) if share else world
        change = fold_link_answer(reached, link, at, words, share=share)
        desk.land(change)
    passed = _describe_copies(giver, asker, change.nodes.get(asker, ()))
    return replace(passed, about=tuple(link.about), shared=share), desk.notes


def copy_memories(layout: Layout, giver: str, receiver: str, choice: ShareFilter) -> tuple[SharedMemories, list[str]]:
    """Copy memories of one character for another, which neither remembers.

    Raises:
        UsageError: Not two characters, or an id is none of the giver's.
        BrokenWorldError: A file of one of them cannot be read.
    """
    with _desk(layout, "gm share") as desk:
        world = desk.world
        giver, receiver = _find_two_agents(world, giver, receiver)
        for name in (giver, receiver):
            desk.need_agent(name)
        archives = archives_of(layout, (giver, receiver))
        bank, own = (bank_of(world.agents[name], archives.get(name, ())) for name in (giver, receiver))
        given = _choose_memories(bank, choice, giver)
        at = desk.last_moment()
        to = with_archived_sources(layout, world.agents[receiver])
        copies = copy_nodes(receiver, own, to.archived_sources, given, at, to.next_number)
        desk.land(Change(world.clock.day, nodes={receiver: copies} if copies else {}))
    return replace(_describe_copies(giver, receiver, copies), chosen=len(given)), desk.notes


def _choose_memories(bank: Sequence[Node], choice: ShareFilter, giver: str) -> tuple[Node, ...]:
    known = {casefold(node.id) for node in bank}
    unknown = next((item for item in choice.ids if casefold(item) not in known), None)
    if unknown is not None:
        raise UsageError(f"{unknown!r} is not a memory of {giver}", f"see: gm memory show {giver}")
    nodes = select_about(bank, (choice.query,) if choice.query else (), choice.ids)
    return tuple(node for node in nodes if carries(node, choice.tags)) if choice.tags else nodes


def _describe_copies(giver: str, receiver: str, nodes: Sequence[Node]) -> SharedMemories:
    copies = [node.id for node in nodes if node.copied_from]
    first, last = (copies[0], copies[-1]) if copies else (None, None)
    return SharedMemories(giver=giver, receiver=receiver, copied=len(copies), first=first, last=last)


def _find_two_agents(world: World, one: str, two: str) -> tuple[str, str]:
    first, second = known_agent(world.agents, one), known_agent(world.agents, two)
    if first == second:
        raise UsageError(f"{first} and {second} are the same character", "name two characters")
    return first, second


def _refuse_off(world: World) -> None:
    if not world.settings.share.enabled:
        raise UsageError(
            "memories are not shared in this world",
            "write share: {enabled: true} into gm.yaml; or copy by hand: gm share FROM TO",
        )
