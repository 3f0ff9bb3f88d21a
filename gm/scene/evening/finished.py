"""Pieces that characters finished alone, laid down with their diaries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from gm.model.scene import Scene
from gm.model.state import AgentStateChange
from gm.model.turns import PlayedTurn
from gm.model.world import Post, Sentences
from gm.scene.dialogue.turns import Turn
from gm.scene.dialogue.weaving import played_turns
from gm.scene.ledger import Ledger
from gm.scene.pieces.artifacts import add_artifact, posts_of
from gm.scene.planning.plan_items import Happened, strike_done


@dataclass(frozen=True, slots=True)
class Finished:
    """What an evening's turns leave behind.

    Attributes:
        turns: As the logbook tells them.
        files: As ``Change.files``.
        plans: As ``Change.agents``: plans of which a piece strikes off an item.
    """

    turns: tuple[PlayedTurn, ...]
    files: Mapping[str, str]
    posts: tuple[Post, ...]
    plans: Mapping[str, AgentStateChange]


def fold_finished(
    ledger: Ledger, scene: Scene, turns: Sequence[Turn], words: Sentences, taken: Callable[[str], bool]
) -> Finished:
    """Add the memories of what each one finished by itself.

    Args:
        scene: The evening, of any of them.
        turns: One of each character.
        taken: Whether a path of the world is in use.
    """
    files: dict[str, str] = {}
    plans: dict[str, AgentStateChange] = {}
    for turn in turns:
        if turn.reply.artifact is None:
            continue
        alone = replace(scene, cast=(turn.agent,))
        path, text = add_artifact(ledger, alone, turn, words, lambda name: name in files or taken(name), {})
        files[path] = text
        agent = ledger.world.agents[turn.agent]
        plan = strike_done(ledger.world, agent, agent.state.today_plan, Happened(alone, [turn]), words)
        if plan != agent.state.today_plan:
            plans[turn.agent] = {"today_plan": list(plan)}
    return Finished(played_turns(turns, at_once=True, paths=files), files, posts_of(scene, turns, files), plans)
