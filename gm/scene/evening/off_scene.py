"""The evening of a day: who writes a diary about which scenes, and how the day closes with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from gm.base.casefold import says
from gm.base.texts import LEFT_OUT, last_sentences, shorten_at_sentence
from gm.layers.diary import DIARY, DiaryEntry
from gm.layers.now import NOW
from gm.layers.working import WORKING, join_changes
from gm.model.calendar import SceneRef, is_time_of_day, render_day
from gm.model.clock import Post
from gm.model.logged import LogEntry
from gm.model.mind import MindChange
from gm.model.scene import DIARY_TYPE, Scene, SceneType
from gm.model.scene_reply import SceneReply
from gm.model.solo_replies import DiaryReply
from gm.model.state import AgentStateChange
from gm.model.turns import PlayedTurn
from gm.model.world import Agent, Change, Sentences, World, merged
from gm.scene.dialogue.turns import Turn, played_turns
from gm.scene.evening.nightfall import close_day, join_state_changes
from gm.scene.folding.advance import advance
from gm.scene.folding.minds import fold_replies
from gm.scene.ledger import Ledger, clean_tags, memory_list
from gm.scene.pieces.artifacts import add_artifact, posts_of
from gm.scene.planning.plan_items import Happened, strike_done
from gm.scene.threads.changes import FoldedThreads, fold_closes


@dataclass(frozen=True, slots=True)
class Finished:
    """What an evening's turns leave behind.

    Attributes:
        turns: As the logbook tells them.
        files: As ``Change.files``.
        plans: As ``Change.agents``: plans with an item that a finished piece strikes off.
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


EVENING = SceneType(DIARY_TYPE, "diary.j2", play="solo", cast=(1, 1))
"""No scene of the day: without number, logbook line and template."""
DIARY_PURPOSE = "diary"
MOST_LINES, MOST_CHARACTERS, MOST_OF_DAY = 14, 1_800, 6_000
"""Lines and characters of a scene that is recalled, and characters of all scenes of a day; one line may be longer."""
ENDING_LINES = 3
"""Lines with which a scene ended; they are recalled before all others."""
DID_CHARACTERS = 300
"""Characters of what a character did in a scene of the day, as its diary's question tells it."""
FEW_WORDS = 6
"""A line with fewer may stand in a memory by chance."""
NOT_SAID: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class RecalledLine:
    """A line of a scene; ``after_gap``: lines before it are left out. ``to`` is an id, empty = all."""

    agent: str
    text: str
    to: str = ""
    after_gap: bool = False


@dataclass(frozen=True, slots=True)
class RecalledScene:
    """A scene as one participant recalls it.

    Attributes:
        goes_on: Whether lines follow the last one.
    """

    time: str
    place: str
    others: tuple[str, ...]
    lines: tuple[RecalledLine, ...]
    goes_on: bool = False
    did: str = ""


def writers(world: World) -> tuple[str, ...]:
    """Return those with a scene and no entry today."""
    if DIARY.name not in world.layers:
        return ()
    day = world.clock.day
    there = {name for entry in world.scenes_of(day) for name in entry.participants}
    return tuple(
        name
        for name, agent in world.agents.items()
        if name in there and not any(entry.day == day for entry in agent.mind[DIARY])
    )


def layers_asked(world: World, agent: Agent) -> frozenset[str]:
    """Return the layers that a diary entry asks for, without the page if today's reflection wrote it."""
    return world.layers - ({NOW.name} if agent.mind[NOW].day == world.clock.day else set())


def evening_scene(world: World, name: str) -> Scene:
    """Return the scene in which a character writes."""
    place = world.agents[name].state.position
    return Scene(SceneRef(world.clock.day), EVENING, "evening", place, (name,), why="", premise="")


def parts_of_day(world: World, name: str, known: Sequence[str] = ()) -> tuple[RecalledScene, ...]:
    """Return the scenes of the day that a character took part in, without arrivals and reflections.

    Lines that stand word for word in ``known`` are left out. Of a long scene, the end stays, then what was said to the
    character, then by it; of these, what was said last.
    """
    entries = [
        entry
        for entry in world.scenes_of(world.clock.day)
        if name in entry.participants and not _is_private(world, entry)
    ]
    room = min(MOST_CHARACTERS, MOST_OF_DAY // max(1, len(entries)))
    return tuple(_part(entry, name, known, room) for entry in entries)


def _is_private(world: World, entry: LogEntry) -> bool:
    kind = world.scene_types.get(entry.type)
    return kind is not None and (kind.plan or kind.is_reflection)


def _part(entry: LogEntry, name: str, known: Sequence[str], room: int) -> RecalledScene:
    said = [(turn.agent, line) for turn in entry.turns for line in turn.lines if turn.agent]
    lines = [RecalledLine(agent, " ".join(line.text.split()), line.to) for agent, line in said]
    kept = _choose_recalled(lines, name, known, room)
    shown = [replace(lines[place], after_gap=place - 1 not in kept and place > 0) for place in sorted(kept)]
    others = tuple(other for other in entry.participants if other != name)
    time = entry.time_of_day if is_time_of_day(entry.time_of_day) else ""
    goes_on = bool(shown) and len(lines) - 1 not in kept
    return RecalledScene(time, entry.place, others, tuple(shown), goes_on, _describe_deeds(entry, name))


def _describe_deeds(entry: LogEntry, name: str) -> str:
    own = [" ".join(turn.action.split()) for turn in entry.turns if turn.agent == name and turn.action.strip()]
    if not own or len(did := " ".join(own)) <= DID_CHARACTERS:
        return " ".join(own)
    endings = (" ".join(own[first:]) for first in range(1, len(own)))
    ending = next((text for text in endings if len(text) <= DID_CHARACTERS), last_sentences(own[-1], DID_CHARACTERS))
    return f"{LEFT_OUT} {ending}" if ending else shorten_at_sentence(did, DID_CHARACTERS)


def _choose_recalled(lines: Sequence[RecalledLine], name: str, known: Sequence[str], room: int) -> set[int]:
    new = [
        place
        for place, line in enumerate(lines)
        if len(line.text.split()) < FEW_WORDS or not any(says(text, line.text) for text in known)
    ]
    end = new[-ENDING_LINES:]

    def rank(place: int) -> tuple[int, int]:
        line = lines[place]
        return (0 if place in end else 1 if line.to == name else 2 if line.agent == name else 3), -place

    kept: set[int] = set()
    for place in sorted(new, key=rank):
        room -= len(lines[place].text)
        if len(kept) == MOST_LINES or (kept and room < 0):
            break
        kept.add(place)
    return kept


def close_evening(
    world: World,
    replies: Mapping[str, DiaryReply],
    date: str,
    words: Sentences,
    *,
    made_with: Mapping[str, str] = NOT_SAID,
    taken: Callable[[str], bool] = lambda _path: False,
) -> Change:
    """Return the change that closes the day, with the evening's texts and what was finished alone.

    An entry that the user wrote meanwhile stays.

    Args:
        world: As it is in the files now.
        made_with: Backend and model of the replies, by agent.
        taken: Whether a path of the world is in use.
    """
    replies = {name: reply for name, reply in replies.items() if name in world.agents}
    if not replies:
        return close_day(world, words)
    waiting, scene = writers(world), evening_scene(world, next(iter(replies)))
    ledger = Ledger(world, render_day(world.clock.day))
    written: dict[str, MindChange] = {}
    for name, reply in replies.items():
        folded = fold_replies(world, evening_scene(world, name), {name: [(reply, ())]}, ledger, words)
        change = folded.get(name, MindChange())
        written[name] = change.with_change(DIARY, _entry(world, name, reply, date)) if name in waiting else change
    turns = [_turn(name, reply, made_with.get(name, "")) for name, reply in replies.items()]
    finished = fold_finished(ledger, scene, turns, words, taken)
    closes = {name: reply.closes for name, reply in replies.items() if reply.closes}
    settled = fold_closes(world, scene, closes, words) if closes else FoldedThreads()
    evening = Change(
        world.clock.day,
        nodes=ledger.added(),
        agents=join_state_changes(ledger.accumulators(), finished.plans),
        clock={"artifacts_today": [*world.clock.artifacts_today, *finished.files]} if finished.files else {},
        minds=written,
        files=finished.files,
        posts=finished.posts,
        threads=tuple(settled.events),
    )
    reports = {name: reply.plan_status for name, reply in replies.items()}
    closing = close_day(advance(world, evening), words, reports, tuple(finished.files))
    both = merged((evening, closing))
    values = {
        "artifacts": list(finished.files),
        "memories": [*memory_list(evening.nodes), *(memory._asdict() for memory in closing.line.memories)],
        "turns": [turn.record() for turn in finished.turns if turn.action or turn.artifact],
    }
    return replace(
        both,
        minds={name: _join_mind_changes(written, closing.minds, name) for name in {**written, **closing.minds}},
        agents=join_state_changes(both.agents, {name: _mood(reply) for name, reply in replies.items()}),
        log=closing.line.with_values(values),
        warnings=(*ledger.warnings, *settled.warnings, *closing.warnings),
    )


def _turn(name: str, reply: DiaryReply, made_with: str) -> Turn:
    action = " ".join(reply.action.split())
    return Turn(name, SceneReply.model_construct(mood=reply.mood, action=action, artifact=reply.artifact), made_with)


def _mood(reply: DiaryReply | None) -> AgentStateChange:
    mood = " ".join(reply.mood.split()) if reply else ""
    return {"mood": mood} if mood else {}


def _entry(world: World, name: str, reply: DiaryReply, date: str) -> DiaryEntry:
    return DiaryEntry(
        day=world.clock.day,
        text=reply.text,
        mood=" ".join(reply.mood.split()),
        location=world.agents[name].state.position,
        date=date,
        tags=clean_tags(reply.tags, name),
    )


def _join_mind_changes(first: Mapping[str, MindChange], second: Mapping[str, MindChange], name: str) -> MindChange:
    # Working memory alone is changed by both: rewritten, then rid of its lessons.
    one, other = first.get(name, MindChange()), second.get(name, MindChange())
    page = join_changes(one[WORKING], other[WORKING])
    return MindChange({**one.values, **other.values}).with_change(WORKING, page)
