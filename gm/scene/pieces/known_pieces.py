"""The pieces that characters remember and the board shows, and who may see each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from gm.base.casefold import casefold
from gm.base.languages import in_any_language
from gm.model import stream
from gm.model.derived import derived
from gm.model.node import Node
from gm.model.piece import GALLERY
from gm.model.world import Agent, World
from gm.scene.dialogue.turns import Turn
from gm.scene.pieces.names import piece_name

if TYPE_CHECKING:
    from gm.model.scene_reply import NewArtifact

BOARD = "board"
PIECE_CHARACTERS = 4_000
"""Most characters shown of a piece."""
KNOWN_DAYS = 10
"""Days in which a piece counts as known after it was made, seen or hung up."""
MOST_ON_BOARD = 4
"""Most pieces by others that are shown on the board."""


def audience_of(world: World, turn: Turn) -> tuple[str, ...]:
    """Return the ids of those who may know an artifact, the maker first; empty = all.

    Unknown names leave the maker alone.
    """
    artifact = turn.reply.artifact
    named = artifact.audience if artifact else ()
    everyone = in_any_language(lambda one: one.everyone) | {BOARD}
    if not named or any(casefold(name) in everyone for name in named):
        return ()
    found = (world.find_agent(name) for name in named)
    return tuple(dict.fromkeys((turn.agent, *filter(None, found))))


def is_hung_up(artifact: NewArtifact) -> bool:
    """Return whether an artifact is for the board."""
    return any(casefold(item) == BOARD for item in artifact.audience)


def is_for(audience: Sequence[str], agent: str) -> bool:
    """Return whether an audience includes a character; empty = all."""
    return not audience or agent in audience


@dataclass(frozen=True, slots=True)
class AtHand:
    """A piece that a character can look at.

    Attributes:
        maker: Id; empty when no character remembers making it.
        body: The text, if made in the running scene.
        readers: As ``audience_of``.
        about: What is said of it; a long piece shows the parts about it.
        most_characters: Characters of its text that are shown at most.
        is_on_board: Whether it has been found on the board.
        hung_day: Day on which it was hung up, if it was found on the board; 0 = unknown.
    """

    title: str
    maker: str
    path: str = ""
    body: str = ""
    readers: tuple[str, ...] = ()
    about: str = ""
    most_characters: int = PIECE_CHARACTERS
    is_on_board: bool = False
    hung_day: int = 0


def readers_so_far(world: World, piece: AtHand) -> tuple[str, ...]:
    """Return who may know a piece, the maker first, including those who saw it later; empty = all."""
    if piece.readers != (piece.maker,):
        return piece.readers
    return (piece.maker, *find_piece(world, piece.path, world.clock.day - KNOWN_DAYS).seen_by)


def known_pieces(world: World, agent: Agent, days: int) -> Iterator[AtHand]:
    """Yield the pieces made or seen within some days, the newest first."""
    for node, piece in remembered_pieces(world, agent):
        if node.when.day < world.clock.day - days:
            return
        yield piece


def paths_known(world: World, agent: Agent) -> frozenset[str]:
    """Return the paths of the pieces that a character made or saw within ``KNOWN_DAYS`` days, replaced ones too."""
    return _paths_since(agent, world.clock.day - KNOWN_DAYS)


@derived
def _paths_since(agent: Agent, day: int) -> frozenset[str]:
    return frozenset(node.piece for node in stream.since(agent.stream, day) if node.piece)


def remembered_pieces(world: World, agent: Agent) -> Iterator[tuple[Node, AtHand]]:
    """Yield each piece that a character remembers, the newest first, with its memory; of versions the last it knows."""
    replaced = set[str]()
    for node in reversed(agent.stream):
        path = node.piece
        replaced.add(node.replaces)
        if path and path not in replaced:
            yield node, AtHand(title_of(node, path), _maker(world, agent, node), path, readers=audience_in(node))


def pieces_hung_up(world: World) -> Iterator[AtHand]:
    """Yield the pieces hung up on the board within ``KNOWN_DAYS`` days, the newest first, without replaced ones."""
    for post in reversed(world.posts):
        path, maker = post.artifact, world.find_agent(post.author)
        if path in replaced_on_board(world) or post.day < world.clock.day - KNOWN_DAYS:
            continue
        if maker and path.startswith(f"{GALLERY}/"):
            piece = find_piece(world, path, post.day)
            yield AtHand(piece.title, maker, path, readers=piece.audience, hung_day=post.day)


@derived
def replaced_on_board(world: World) -> frozenset[str]:
    """Return the paths of pieces recently replaced on the board."""
    lately = takewhile(lambda post: post.day >= world.clock.day - KNOWN_DAYS, reversed(world.posts))
    return frozenset(find_piece(world, post.artifact, post.day).replaces for post in lately if post.artifact) - {""}


@derived
def replaced_lately(world: World) -> frozenset[str]:
    """Return the paths of pieces whose makers have made a new version within ``KNOWN_DAYS`` days."""
    since = world.clock.day - KNOWN_DAYS
    made = (node for agent in world.agents.values() for node in _pieces_since(agent, since).values())
    return frozenset(node.replaces for node in made if node.type == "artifact") - {""}


def pieces_on_board(world: World, agent: Agent) -> list[AtHand]:
    """Return what others have hung up lately and a character may see, at most ``MOST_ON_BOARD`` pieces."""
    found = (piece for piece in pieces_hung_up(world) if piece.maker != agent.id and is_for(piece.readers, agent.id))
    return list(islice(found, MOST_ON_BOARD))


def new_on_board(world: World, agent: Agent) -> Iterator[AtHand]:
    """Yield what others remember to have hung up lately and a character has not read yet, the newest first."""
    since = world.clock.day - KNOWN_DAYS
    for piece in pieces_on_board(world, agent):
        if find_piece(world, piece.path, since).maker and not has_read(world, agent, piece.path):
            yield replace(piece, is_on_board=True)


def has_read(world: World, agent: Agent, path: str) -> bool:
    """Return whether a character lately had the text of another's piece before it.

    Who was there when it was finished remembers what it is. It has read it if it had a turn after that.
    """
    node = _pieces_since(agent, world.clock.day - KNOWN_DAYS).get(path)
    if node is None or any(path in entry.read_by(agent.id) for entry in world.log):
        return node is not None
    made = (entry for entry in world.log if (entry.day, entry.number) == (node.when.day, node.when.scene))
    turns = next((entry.turns for entry in made if path in entry.artifacts), ())
    rounds = [turn.round for turn in turns if turn.artifact == path]
    return not rounds or any(turn.round > rounds[0] for turn in turns if turn.agent == agent.id)


def title_of(node: Node, path: str) -> str:
    """Return a remembered artifact's title, else a name from its file."""
    return node.title or piece_name(path)


def audience_in(node: Node) -> tuple[str, ...]:
    """Return who may know of a remembered artifact; empty = all."""
    copied = node.metadata.get("details")
    value = (copied if isinstance(copied, dict) else node.metadata).get("audience")
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _maker(world: World, agent: Agent, node: Node) -> str:
    if node.type == "artifact":
        return agent.id
    return next((name for tag in node.tags if (name := world.find_agent(tag))), "")


@dataclass(frozen=True, slots=True)
class KnownPiece:
    """An artifact as the memories of the cast know it.

    Attributes:
        title: By memory, else by file name.
        maker: Id; empty when no character remembers making it.
        seen_by: Ids, the latest first.
        audience: As ``audience_of``.
        replaces: Path of the earlier version, or "".
    """

    title: str
    maker: str
    seen_by: tuple[str, ...] = ()
    audience: tuple[str, ...] = ()
    replaces: str = ""


@derived
def find_piece(world: World, path: str, since: int = 0) -> KnownPiece:
    """Return what the cast remembers of an artifact since a day."""
    title, maker, replaces = piece_name(path), "", ""
    audience: tuple[str, ...] = ()
    seen = []
    for agent in world.agents.values():
        node = _pieces_since(agent, since).get(path)
        if node is None:
            continue
        title, audience = title_of(node, path), audience_in(node)
        if node.type == "artifact":
            maker, replaces = agent.id, node.replaces
        else:
            seen.append((node.when, agent.id))
    newest = sorted(seen, key=lambda item: item[0], reverse=True)
    return KnownPiece(title, maker, tuple(name for _, name in newest), audience, replaces)


@derived
def _pieces_since(agent: Agent, since: int) -> Mapping[str, Node]:
    # the newest memory of each piece, by its path
    found: dict[str, Node] = {}
    for node in takewhile(lambda node: node.when.day >= since, reversed(agent.stream)):
        if node.piece:
            found.setdefault(node.piece, node)
    return found
