"""Artifacts: the maker's memory, the observations of the others, the file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gm.base.casefold import casefold
from gm.memory.importance import as_seen_by_others
from gm.model.character import Agent, find_agent
from gm.model.node import Node
from gm.model.replies import NewArtifact
from gm.model.scene import Scene
from gm.model.world import World
from gm.scene.ledger import Ledger, NewNode, Words, clean_tags, facets_of, noticed
from gm.scene.mentions import as_word, content_words, topic_words, touches
from gm.scene.names import GALLERY, artifact_path, piece_name
from gm.scene.turns import Turn


def tasks_meanwhile(world: World, scene: Scene, turns: Sequence[Turn]) -> dict[str, str]:
    """Return each character's task while others finish something; empty for talks.

    Its own artifact, else the task of its first turn, else its earlier task.
    """
    if scene.type.play == "sequential":
        return {}
    tasks = {turn.agent: turn.reply.artifact.title for turn in turns if turn.reply.artifact}
    for turn in turns:
        tasks.setdefault(turn.agent, turn.reply.current_task or world.agents[turn.agent].state.current_task)
    return tasks


def add_artifact(
    ledger: Ledger,
    scene: Scene,
    turn: Turn,
    words: Words,
    taken: Callable[[str], bool],
    tasks: Mapping[str, str],
) -> tuple[str, str]:
    """Add the nodes of a turn's artifact for all present; return its path and text."""
    world, maker, artifact = ledger.world, turn.agent, turn.reply.artifact
    assert artifact is not None
    path = artifact_path(scene.ref.day, artifact.kind, artifact.title, taken)
    tags = tuple(tag for tag in clean_tags(artifact.tags, maker) if tag != "own-work")
    node = ledger.add(
        maker,
        NewNode(
            f"{artifact.title}: {artifact.description}",
            artifact.importance,
            "artifact",
            tags=(*tags, "own-work"),
            metadata={
                "artifact_path": path,
                "title": artifact.title,
                "style_tags": list(artifact.style_tags),
                **facets_of(artifact),
            },
        ),
    )
    for other in scene.cast:
        if other == maker:
            continue
        observer = world.agents[other]
        shares = touches(f"{artifact.title} {artifact.description}", observer.state.today_plan)
        text = words(
            "artifact_seen",
            maker=world.agents[maker].call_name,
            title=artifact.title,
            what=artifact.description,
            task=tasks.get(other, ""),
        )
        importance = as_seen_by_others(node.importance, shares)
        ledger.add(other, noticed(text, importance, (maker, *tags), artifact_path=path, title=artifact.title))
    return path, render_artifact(artifact, node, maker, turn.made_with)


def render_artifact(artifact: NewArtifact, node: Node, maker: str, made_with: str) -> str:
    """Return an artifact as Markdown with YAML front matter."""
    import yaml

    front = {
        "title": artifact.title,
        "agent": maker,
        "created": node.created,
        "node": node.id,
        "kind": artifact.kind,
        "description": artifact.description,
        "tags": list(node.tags),
        "style_tags": list(artifact.style_tags),
        "made_with": made_with,
    }
    head = yaml.safe_dump(front, allow_unicode=True, sort_keys=False, width=10_000)
    return f"---\n{head}---\n\n{artifact.body.strip()}\n"


MOST_PIECES = 2
PIECE_CHARACTERS = 4_000
FRESH_DAYS = 1
LEAST_SHARED, BY_TITLE = 2, 100
"""Content words by which a question names a piece, and how many of them its title counts for."""


def pieces_at_hand(world: World, scene: Scene, agent: Agent) -> list[tuple[str, str, str]]:
    """Return path, title and maker of each piece that a character can look at, at most two.

    First those the scene is about, then the newest of today and yesterday that the character made or saw, if their
    maker is in the scene.
    """
    if scene.type.play != "sequential":
        return []
    found: dict[str, tuple[str, str, str]] = {}
    about = [key for key in scene.answers if key.startswith(f"{GALLERY}/")]
    for path in about:
        known = (piece for name in scene.cast for piece in _known(world, world.agents[name]) if piece[0] == path)
        found[path] = next(known, (path, scene.topic or path.rpartition("/")[2], ""))
    for piece in _known(world, agent):
        if piece[2] in scene.cast:
            found.setdefault(piece[0], piece)
    return list(found.values())[:MOST_PIECES]


def pieces_asked_about(
    world: World, agent: Agent, question: str, people: Collection[str] = (), called: Iterable[str] = ()
) -> list[tuple[str, str, str]]:
    """Return path, title and maker of each piece that a question names, at most two, those named best first.

    Only pieces that the character made or saw, however long ago. A question names one by its title, or by two content
    words of what the character remembers of it. Where it speaks of work, the newest piece of the character and of each
    one it names count as named last.

    Args:
        people: Ids of those whom the question names.
        called: What pieces of work are called: ``text``, ``drawing`` …
    """
    words, folded = topic_words(world, question), casefold(question)
    makers = {agent.id, *people} if any(as_word(name).search(folded) for name in called) else set()
    found: dict[str, tuple[int, tuple[str, str, str]]] = {}
    for node, piece in _pieces_of(world, agent):
        shared = len(words & content_words(f"{piece[1]} {node.description}"))
        if as_word(piece[1]).search(folded):
            shared += BY_TITLE
        if shared >= LEAST_SHARED or piece[2] in makers:
            found.setdefault(piece[0], (-shared, piece))
            makers.discard(piece[2])
    return [piece for _, piece in sorted(found.values(), key=lambda item: item[0])][:MOST_PIECES]


def shorten_piece(text: str, most: int = PIECE_CHARACTERS) -> str:
    """Return a piece cut at a paragraph to at most ``most`` characters."""
    if len(text) <= most:
        return text
    cut = text[:most]
    return (cut.rpartition("\n\n")[0] or cut).rstrip() + "\n\n[…]"


def _known(world: World, agent: Agent) -> Iterator[tuple[str, str, str]]:
    for node, piece in _pieces_of(world, agent):
        if node.when.day < world.clock.day - FRESH_DAYS:
            return
        yield piece


def _pieces_of(world: World, agent: Agent) -> Iterator[tuple[Node, tuple[str, str, str]]]:
    """Newest first."""
    for node in reversed(agent.stream):
        path = node.metadata.get("artifact_path")
        if isinstance(path, str):
            title = str(node.metadata.get("title") or path.rpartition("/")[2])
            yield node, (path, title, _maker(world, agent, node))


def _maker(world: World, agent: Agent, node: Node) -> str:
    if node.type == "artifact":
        return agent.id
    return next((name for tag in node.tags if (name := find_agent(world.agents, tag))), "")


@dataclass(frozen=True, slots=True)
class KnownPiece:
    """An artifact as the memories of the cast know it.

    Attributes:
        title: By memory, else by file name.
        maker: Id; empty when no character remembers making it.
        seen_by: Ids, the latest first.
    """

    title: str
    maker: str
    seen_by: tuple[str, ...] = ()


def find_piece(world: World, path: str) -> KnownPiece:
    """Return what the cast knows about an artifact."""
    title, maker = piece_name(path), ""
    seen = []
    for agent in world.agents.values():
        for node in reversed(agent.stream):
            if node.metadata.get("artifact_path") == path:
                title = str(node.metadata.get("title") or title)
                if node.type == "artifact":
                    maker = agent.id
                else:
                    seen.append((node.when, agent.id))
                break
    newest = sorted(seen, key=lambda item: item[0], reverse=True)
    return KnownPiece(title, maker, tuple(name for _, name in newest))
