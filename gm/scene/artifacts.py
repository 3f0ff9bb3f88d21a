"""Finished work: the maker's memory of it, what everybody else who was there has seen of it, and its file (S4-34)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gm.memory.importance import as_seen_by_others
from gm.model.node import Node
from gm.model.replies import NewArtifact
from gm.model.scene import Scene
from gm.model.world import World
from gm.scene.ledger import Ledger, Words, clean_tags, facets_of
from gm.scene.mentions import touches
from gm.scene.names import artifact_path
from gm.scene.turns import Turn


def tasks_meanwhile(world: World, scene: Scene, turns: Sequence[Turn]) -> dict[str, str]:
    """Tell what each one is at while others finish something: their own piece, else what they say, else as before.

    What somebody takes up in a second turn came after it, and who talks is at nothing else.
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
    maker: str,
    artifact: NewArtifact,
    words: Words,
    taken: Callable[[str], bool],
    made_with: str,
    tasks: Mapping[str, str],
) -> tuple[str, str]:
    """Add the maker's node, the observation of everybody else present, and the file."""
    world = ledger.world
    path = artifact_path(scene.ref.day, artifact.kind, artifact.title, taken)
    tags = tuple(tag for tag in clean_tags(artifact.tags, maker) if tag != "own-work")
    node = ledger.add(
        maker,
        "artifact",
        f"{artifact.title}: {artifact.description}",
        artifact.importance,
        tags=(*tags, "own-work"),
        metadata={
            "artifact_path": path,
            "title": artifact.title,
            "style_tags": list(artifact.style_tags),
            **facets_of(artifact),
        },
    )
    for other in scene.cast:
        if other == maker:
            continue
        observer = world.agents[other]
        shares = touches(f"{artifact.title} {artifact.description}", observer.state.today_plan)
        ledger.add(
            other,
            "observation",
            words(
                "artifact_seen",
                maker=world.agents[maker].call_name,
                title=artifact.title,
                what=artifact.description,
                task=tasks.get(other, ""),
            ),
            as_seen_by_others(node.importance, shares),
            tags=(maker, *tags),
            metadata={"artifact_path": path, "title": artifact.title, "importance_by": "gm"},
        )
    return path, render_artifact(artifact, node, maker, made_with)


def render_artifact(artifact: NewArtifact, node: Node, maker: str, made_with: str) -> str:
    """Write an artifact as Markdown with YAML front matter."""
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
