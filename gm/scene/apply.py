"""Fold a played scene into everything that it changes in the world.

``fold_scene`` takes the world, the scene and the replies and returns one ``Change``. The Game Master assigns what a
reply must not: ids, ``created``, depth, checked evidence. It adds what follows from the rules: the observation of
an artifact for everybody else who was present (S4-34), a conversation node for those who spoke and a content-free
observation for bystanders (BP-07), and what the Creative Director has written since, for everybody (BP-04). It
invents nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gm.memory.importance import NO_RATINGS, Ratings, as_seen_by_others
from gm.memory.lens import original_text
from gm.model.character import Agent, find_agent
from gm.model.node import Node
from gm.model.replies import NewArtifact, NewMemory, Plan, SceneReply
from gm.model.scene import Scene
from gm.model.world import Change, World
from gm.scene.consult import add_read, resolve
from gm.scene.consulted import add_formed, recalled_in, reinforced_in
from gm.scene.conversation import add_conversations
from gm.scene.delivery import deliver
from gm.scene.exchange import fold_exchange
from gm.scene.keeping import choose_kept
from gm.scene.ledger import Ledger, Words, clean_tags, facets_of, memory_list
from gm.scene.mentions import touches
from gm.scene.minds import fold_minds, mind_record
from gm.scene.names import artifact_path
from gm.scene.plans import strike_done
from gm.scene.threads import brief_event, fold_threads
from gm.scene.turns import Spoken, Turn, dialogue_of, weave
from gm.scene.utterances import add_utterances


def fold_scene(
    world: World,
    scene: Scene,
    turns: Sequence[Turn],
    words: Words,
    *,
    taken: Callable[[str], bool],
    ratings: Ratings = NO_RATINGS,
) -> Change:
    """Fold the replies of a scene into one change.

    Args:
        world: The world before the scene.
        scene: What was played.
        turns: The replies in the order they count; sequential scenes may have several of one agent.
        words: Renders the Game Master's own sentences.
        taken: Tells whether a path inside the world is in use.
        ratings: What memories were rated whose reply left their importance out; the others are rated by rule.
    """
    ledger = Ledger(world, str(scene.ref), ratings=ratings, tag=scene.type.tag)
    kept = choose_kept(world, scene.ref, turns)
    turns = kept.turns
    cited = add_read(ledger, scene, words)
    files: dict[str, str] = {}
    plans: dict[str, tuple[str, ...]] = {}
    tasks = _tasks(world, scene, turns)
    for turn in turns:
        if turn.reply.plan:
            plans[turn.agent] = _add_plan(ledger, scene, turn.agent, turn.reply.plan, words)
        for memory in turn.reply.memories:
            _add_memory(ledger, turn.agent, memory, cited.get(turn.agent, {}))
        add_formed(ledger, turn.agent, turn.consulted)
        if turn.reply.artifact:
            # two may finish something of the same name in one scene
            path, text = _add_artifact(
                ledger,
                scene,
                turn.agent,
                turn.reply.artifact,
                words,
                lambda name: name in files or taken(name),
                turn.made_with,
                tasks,
            )
            files[path] = text
    spoken = dialogue_of(turns) if scene.type.play == "sequential" else weave(turns)
    add_conversations(ledger, scene, turns, spoken, words)
    threads = fold_threads(world, scene, turns, words)
    minds = fold_minds(world, scene, turns, ledger, words)
    add_utterances(ledger, scene, spoken, words)
    exchange = fold_exchange(world, scene, turns, ledger, words)
    delivered = deliver(ledger, words)
    consulted = [item for turn in turns for item in turn.consulted]
    return Change(
        day=scene.ref.day,
        nodes={agent: tuple(nodes) for agent, nodes in ledger.nodes.items()},
        agents=_agent_changes(world, scene, turns, plans, ledger, words),
        minds=minds,
        links=exchange.links,
        clock={
            "time_of_day": scene.time_of_day,
            "scenes_today": world.clock.scenes_today + 1,
            "scenes_total": world.clock.scenes_total + 1,
            "artifacts_today": [*world.clock.artifacts_today, *files],
        },
        files=files,
        threads=tuple(threads.events),
        log={
            **_log_record(world, scene, turns, spoken, files, ledger, words),
            **({"threads": [brief_event(event) for event in threads.events]} if threads.events else {}),
            **mind_record(minds),
            **exchange.log,
            **delivered,
            **kept.log,
        },
        warnings=(*kept.warnings, *ledger.warnings, *threads.warnings, *exchange.warnings),
        reinforced=reinforced_in(consulted),
        recalled=recalled_in(world, ledger, consulted),
    )


def _tasks(world: World, scene: Scene, turns: Sequence[Turn]) -> dict[str, str]:
    """Tell what each one is at while others finish something: their own piece, else what they say, else as before.

    What somebody takes up in a second turn came after it, and who talks is at nothing else.
    """
    if scene.type.play == "sequential":
        return {}
    tasks = {turn.agent: turn.reply.artifact.title for turn in turns if turn.reply.artifact}
    for turn in turns:
        tasks.setdefault(turn.agent, turn.reply.current_task or world.agents[turn.agent].state.current_task)
    return tasks


def _add_plan(ledger: Ledger, scene: Scene, agent: str, plan: Plan, words: Words) -> tuple[str, ...]:
    """Turn a plan into today's list and one plan node (S4-29, S4-30)."""
    items = plan_items(ledger.world, plan, words)
    tags = [person for talk in plan.talk_to if (person := find_agent(ledger.world.agents, talk.to))]
    if plan.library:
        tags.append("library")
    changed = not scene.type.plan
    ledger.add(
        agent,
        "plan",
        words("plan_changed" if changed else "plan_made", items=items, day=scene.ref.day),
        plan.importance,
        tags=("plan", *tags),
        metadata={**({"kind": "replan"} if changed else {}), **facets_of(plan)},
    )
    return items


def plan_items(world: World, plan: Plan, words: Words) -> tuple[str, ...]:
    """Write a plan as the list that stands in the agent's file: what to work on, whom to talk to, what to look up."""
    prefix = words("plan_work", text="")
    # a plan that is carried over may come back with the words that were put in front of it
    items = [words("plan_work", text=text.removeprefix(prefix).strip()) for text in plan.work]
    for talk in plan.talk_to:
        person = world.agents.get(find_agent(world.agents, talk.to) or "")
        items.append(words("plan_talk", name=person.call_name if person else talk.to, about=talk.about))
    if plan.library:
        items.append(words("plan_library", about=plan.library))
    return tuple(items)


def _add_memory(ledger: Ledger, agent: str, memory: NewMemory, cited: Mapping[str, str]) -> None:
    description = " ".join(memory.description.split())
    if any(original_text(node) == description for node in ledger.nodes.get(agent, ())):
        ledger.warnings.append(f"{agent}: the same memory twice in one scene, kept once: {description[:60]!r}")
        return
    ledger.add(
        agent,
        memory.type,
        memory.description,
        memory.importance,
        tags=memory.tags,
        evidence=[resolve(item, cited) for item in memory.evidence],
        metadata={
            **facets_of(memory),
            **({"kind": memory.kind} if memory.kind and "kinds" in ledger.world.layers else {}),
        },
    )


def _add_artifact(
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


def _agent_changes(
    world: World,
    scene: Scene,
    turns: Sequence[Turn],
    plans: Mapping[str, tuple[str, ...]],
    ledger: Ledger,
    words: Words,
) -> dict[str, dict[str, Any]]:
    changes: dict[str, dict[str, Any]] = {}
    for name in dict.fromkeys((*scene.cast, *ledger.nodes)):
        agent = world.agents[name]
        values: dict[str, Any] = {}
        if name in scene.cast:
            replies = [turn.reply for turn in turns if turn.agent == name]
            values = _own_changes(world, scene, agent, replies)
        kept = agent.state.today_plan
        # who has just made a plan knows what is done
        plan = plans[name] if name in plans else strike_done(world, scene, agent, turns, words)
        if name in plans or plan != kept:
            values["today_plan"] = list(plan)
        values["importance_accumulator"] = agent.state.importance_accumulator + ledger.gained(name)
        changes[name] = values
    return changes


def _own_changes(world: World, scene: Scene, agent: Agent, replies: Sequence[SceneReply]) -> dict[str, Any]:
    """Position, task and mood after a scene; a place that does not exist is not gone to."""
    place = agent.home if scene.type.disperse else scene.place
    values: dict[str, Any] = {"position": place or agent.state.position}
    known = {*world.settings.places, *(other.state.position for other in world.agents.values())}
    for reply in replies:
        if reply.go_to and reply.go_to in known:
            values["position"] = reply.go_to
        if reply.current_task:
            values["current_task"] = reply.current_task
        values["mood"] = reply.mood
    return values


def _log_record(
    world: World,
    scene: Scene,
    turns: Sequence[Turn],
    spoken: Sequence[Spoken],
    files: Mapping[str, str],
    ledger: Ledger,
    words: Words,
) -> dict[str, Any]:
    actions = [{"agent": turn.agent, "text": turn.reply.action} for turn in turns if turn.reply.action.strip()]
    names = [world.agents[name].call_name for name in scene.cast]
    return {
        "scene": scene.ref.scene,
        "type": scene.type.name,
        "time_of_day": scene.time_of_day,
        "location": scene.place,
        "participants": list(scene.cast),
        "why": scene.why,
        "premise": scene.premise,
        "summary": words(
            "scene_summary",
            type=scene.type.name,
            names=names,
            place=scene.place,
            actions=[item["text"] for item in actions],
            said=len(spoken),
            artifacts=list(files),
        ),
        "dialogue": [{"agent": line.agent, "text": line.text} for line in spoken],
        "thoughts": [
            {"agent": turn.agent, "text": turn.reply.thoughts} for turn in turns if turn.reply.thoughts.strip()
        ],
        "artifacts": list(files),
        "memories": memory_list(ledger.nodes),
        "cd_feedback": "",
        "actions": actions,
        "answers": list(scene.answers),
        "director": scene.director,
        **({"director_note": scene.director_note} if scene.director_note else {}),
        **({"premises": dict(scene.premises)} if scene.premises else {}),
        **({"note": scene.note} if scene.note else {}),
        **({"score": dict(scene.score)} if scene.score else {}),
    }
