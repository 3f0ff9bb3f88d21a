"""Artifacts finished in a scene: the maker's memory, others' observations, the file, the post."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from gm.base.casefold import casefold
from gm.memory.importance import as_seen_by_others
from gm.model.clock import NOTE, Post
from gm.model.node import Node
from gm.model.piece import PIECE, PieceFront
from gm.model.scene import Scene
from gm.model.scene_reply import NewArtifact
from gm.model.world import Sentences, World
from gm.scene.dialogue.turns import Turn
from gm.scene.grounding.mentions import touches
from gm.scene.ledger import Ledger, NewNode, clean_tags, facets_of, make_observation
from gm.scene.pieces.known_pieces import KNOWN_DAYS, audience_in, audience_of, is_for, is_hung_up, title_of
from gm.scene.pieces.names import artifact_path

QUOTES = " »«“”\"'"
"""What may stand around the title of a replaced piece."""


def tasks_meanwhile(world: World, scene: Scene, turns: Sequence[Turn]) -> dict[str, str]:
    """Return each one's task while others finish something; empty for talks."""
    if scene.type.is_turn_by_turn:
        return {}
    tasks = {turn.agent: turn.reply.artifact.title for turn in turns if turn.reply.artifact}
    for turn in turns:
        tasks.setdefault(turn.agent, turn.reply.current_task or world.agents[turn.agent].state.current_task)
    return tasks


def add_artifact(
    ledger: Ledger, scene: Scene, turn: Turn, words: Sentences, taken: Callable[[str], bool], tasks: Mapping[str, str]
) -> tuple[str, str]:
    """Add the nodes of an artifact; return its path and text."""
    world, maker, artifact = ledger.world, turn.agent, turn.reply.artifact
    assert artifact is not None
    path = artifact_path(scene.ref.day, artifact.kind, artifact.title, taken)
    tags = tuple(tag for tag in clean_tags(artifact.tags, maker) if tag != "own-work")
    audience = audience_of(world, turn)
    links = _links_to_others(ledger, turn, artifact, audience)
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
                **links,
                **facets_of(artifact),
            },
        ),
    )
    values = {"maker": world.agents[maker].call_name, "of": "", "title": artifact.title, "what": artifact.description}
    for other in scene.cast:
        if other == maker or not is_for(audience, other):
            continue
        shares = touches(f"{artifact.title} {artifact.description}", world.agents[other].state.today_plan)
        importance = as_seen_by_others(node.importance, shares)
        text = words("artifact_seen", **values, task=tasks.get(other, ""))
        tagged = (maker, *tags)
        ledger.add(other, make_observation(text, importance, tagged, artifact_path=path, title=artifact.title, **links))
    return path, render_artifact(artifact, node, maker, turn.made_with)


def _links_to_others(ledger: Ledger, turn: Turn, artifact: NewArtifact, audience: tuple[str, ...]) -> dict[str, object]:
    world, maker = ledger.world, turn.agent
    for item in artifact.audience if audience else ():
        if world.find_agent(item) is None:
            ledger.warnings.append(
                f"{maker}: {item!r} is not a character, left out of the audience of {artifact.title!r}"
            )
    named = artifact.replaces.strip(QUOTES)
    older = _own_piece(ledger, maker, named) if named else _own_version(ledger, maker, artifact.title, audience)
    if named and not older:
        ledger.warnings.append(f"{maker}: {artifact.title!r} replaces {artifact.replaces!r}, no piece of theirs")
    return {**({"audience": list(audience)} if audience else {}), **({"replaces": older} if older else {})}


def _own_piece(ledger: Ledger, maker: str, title: str) -> str:
    return next((path for _, path in _own_pieces(ledger, maker, title)), "")


def _own_version(ledger: Ledger, maker: str, title: str, audience: tuple[str, ...]) -> str:
    # one of the same title, lately and for the same readers, is a new version, also where it does not say so
    lately = _own_pieces(ledger, maker, title, ledger.world.clock.day - KNOWN_DAYS)
    return next((path for node, path in lately if audience_in(node) == audience), "")


def _own_pieces(ledger: Ledger, maker: str, title: str, since: int = 0) -> Iterator[tuple[Node, str]]:
    for node in chain(reversed(ledger.nodes.get(maker, ())), reversed(ledger.world.agents[maker].stream)):
        if node.when.day < since:
            return
        path = node.piece
        if node.type == "artifact" and path and casefold(title_of(node, path)) == casefold(title):
            yield node, path


def posts_of(scene: Scene, turns: Iterable[Turn], paths: Iterable[str]) -> tuple[Post, ...]:
    """Return a post for each artifact hung up."""
    made = zip((turn for turn in turns if turn.reply.artifact), paths, strict=True)
    return tuple(
        Post(0, turn.agent, NOTE, f"{artifact.title}: {artifact.description}", scene.ref.day, scene.ref.scene, path)
        for turn, path in made
        if (artifact := turn.reply.artifact) and is_hung_up(artifact)
    )


def render_artifact(artifact: NewArtifact, node: Node, maker: str, made_with: str) -> str:
    """Return Markdown with YAML front matter."""
    import yaml

    front = PieceFront(
        title=artifact.title,
        agent=maker,
        created=node.created,
        node=node.id,
        kind=artifact.kind,
        description=artifact.description,
        tags=node.tags,
        style_tags=tuple(artifact.style_tags),
        made_with=made_with,
        audience=audience_in(node),
        replaces=node.replaces,
    )
    head = yaml.safe_dump(PIECE.write(front), allow_unicode=True, sort_keys=False, width=10_000)
    return f"---\n{head}---\n\n{artifact.body.strip()}\n"
