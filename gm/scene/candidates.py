"""Which scenes could come next, each with its reasons.

One small function per source of scenes. Each looks at the world and proposes candidates with the reasons that only
it can know; ``gm.scene.select`` adds what holds for all of them (pacing, dice) and picks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations

from gm.model.calendar import time_rank
from gm.model.character import Agent, find_agent
from gm.model.scene import Candidate, LogEntry, Reason
from gm.model.world import Post, World
from gm.scene.mentions import content_words, mentioned
from gm.scene.schedule import cast_of, events_on, is_played

FRESH_DAYS = 2
BRIEF_POINTS = 60.0
WORK_CAST = 3
LONG_WITHOUT_ROUND = 3

Source = Callable[[World, str], Iterator[Candidate]]


def list_candidates(world: World, time: str) -> list[Candidate]:
    """List everything that could be played now.

    Args:
        world: The world with its day open.
        time: Time of day of the coming scene.
    """
    found = [item for source in SOURCES for item in source(world, time)]
    return [item for item in found if item.reasons[0].part == "event" or _fits(world, item, time)]


def _fits(world: World, item: Candidate, time: str) -> bool:
    """Tell whether a scene type exists, is played at this time, and has enough people."""
    kind = world.scene_types.get(item.type)
    return kind is not None and time in kind.times and len(item.cast) >= kind.cast[0]


def from_events(world: World, time: str) -> Iterator[Candidate]:
    """Propose what the calendar says is due by now and has not happened yet."""
    taken = _answered(world)
    for key, event in events_on(world, world.clock.day):
        if not is_played(event) or key in taken or time_rank(event.time) > time_rank(time):
            continue
        kind = event.type if event.type in world.scene_types else "EVENT"
        yield Candidate(
            type=kind,
            cast=cast_of(event, _everyone(world)),
            place=event.place or _gathering_place(world),
            reasons=(Reason("event", 100.0, "why_event", {"event": event.event}),),
            premise=("premise_event", {"event": event.event}),
            topic=event.event,
            answers=(key,),
        )


def from_posts(world: World, time: str) -> Iterator[Candidate]:  # noqa: ARG001
    """Propose a meeting about a fresh post on the board that nobody has taken up."""
    taken = _answered(world)
    for post in world.posts:
        if find_agent(world.agents, post.author) or post.day < world.clock.day - FRESH_DAYS:
            continue
        if post.key in taken or was_put_up_in_scene(world, post):
            continue
        yield Candidate(
            type=_type_for_all(world),
            cast=_everyone(world),
            place=_gathering_place(world),
            reasons=(Reason("brief", BRIEF_POINTS, "why_brief", {"author": post.author, "text": _clip(post.content)}),),
            premise=("premise_brief", {"author": post.author}),
            topic=post.content,
            answers=(post.key,),
        )


def from_plans(world: World, time: str) -> Iterator[Candidate]:  # noqa: ARG001
    """Propose what people mean to do today: talk to somebody they name, or work on what they put first."""
    met = {frozenset(entry.participants) for entry in world.scenes_of(world.clock.day)}
    worked = _starters(world, "WORK")
    for agent in world.agents.values():
        at_work = agent.id in worked
        for item in agent.state.today_plan:
            if item.startswith("DONE"):
                continue
            named = [other for other in mentioned(item, world.agents.values()) if other != agent.id]
            if named and frozenset((agent.id, named[0])) not in met:
                yield _talk(agent, world.agents[named[0]], item)
            elif not named and not at_work:
                at_work = True
                yield _work(world, agent, item)


def from_artifacts(world: World, time: str) -> Iterator[Candidate]:  # noqa: ARG001
    """Propose that somebody reacts to a fresh piece of work."""
    taken = _answered(world)
    for entry in world.log:
        if entry.day < world.clock.day - 1 or entry.is_summary:
            continue
        for path in entry.artifacts:
            made = _find_made(world, entry, path)
            if path in taken or made is None:
                continue
            for other in world.agents.values():
                if other.id != made[0].id:
                    yield _reaction(*made, other, path, seen=other.id in entry.participants)


def from_distance(world: World, time: str) -> Iterator[Candidate]:  # noqa: ARG001
    """Propose that two meet who have not been alone together for long."""
    last: dict[frozenset[str], int] = {}
    for entry in world.log:
        if len(entry.participants) == 2:
            last[frozenset(entry.participants)] = entry.day
    first_known = min((entry.day for entry in world.log), default=world.clock.day)
    for one, two in combinations(world.agents.values(), 2):
        apart = world.clock.day - last.get(frozenset((one.id, two.id)), first_known - 1)
        if apart <= 0:
            continue
        values = {"one": one.call_name, "two": two.call_name, "days": str(apart)}
        yield Candidate(
            type="ENCOUNTER",
            cast=(one.id, two.id),
            place=_encounter_place(one, two),
            reasons=(Reason("unmet", min(5.0, 0.6 * apart), "why_unmet", values),),
            premise=("premise_chance", values),
        )


def from_rhythm(world: World, time: str) -> Iterator[Candidate]:  # noqa: ARG001
    """Propose the regular round in which everybody says where they stand."""
    days = [entry.day for entry in world.log if entry.type == "MEETING"]
    since = world.clock.day - max(days) if days else LONG_WITHOUT_ROUND
    why = "why_rhythm" if days else "why_rhythm_first"
    yield Candidate(
        type="MEETING",
        cast=_everyone(world),
        place=_gathering_place(world),
        reasons=(Reason("rhythm", min(6.0, 2.0 * since), why, {"days": str(since)}),),
        premise=("premise_round", {}),
    )


SOURCES: tuple[Source, ...] = (
    from_events,
    from_posts,
    from_plans,
    from_artifacts,
    from_distance,
    from_rhythm,
)


def was_put_up_in_scene(world: World, post: Post) -> bool:
    """Tell whether a post names a scene that was played: then those who were there have heard it there."""
    return any(
        entry.day == post.day and entry.record.get("scene") == post.scene and not entry.is_summary
        for entry in world.log
        if post.scene
    )


def _talk(agent: Agent, other: Agent, item: str) -> Candidate:
    values = {"one": agent.call_name, "two": other.call_name}
    return Candidate(
        type="ENCOUNTER",
        cast=(agent.id, other.id),
        place=other.state.position or agent.state.position,
        reasons=(Reason("plan", 6.0, "why_plan", {"who": agent.call_name, "plan": item}),),
        premise=("premise_visit", values),
        intent=item,
    )


def _type_for_all(world: World) -> str:
    """A meeting; in a cast that is too small for one, an encounter; alone, work."""
    for name in ("MEETING", "ENCOUNTER"):
        kind = world.scene_types.get(name)
        if kind and len(world.agents) >= kind.cast[0]:
            return name
    return "WORK"


def _work(world: World, agent: Agent, item: str) -> Candidate:
    company = _company(world, agent, item)
    return Candidate(
        type="WORK",
        cast=(agent.id, *company),
        place=agent.home,
        reasons=(Reason("work", 4.5, "why_work", {"who": agent.call_name, "plan": item}),),
        premise=("premise_work", {"one": agent.call_name}),
        intent=item,
    )


def _company(world: World, agent: Agent, item: str) -> tuple[str, ...]:
    """Who sits in the same room: those already there, then those whose plans share words, then the least busy."""
    busy = Counter(name for entry in world.scenes_of(world.clock.day) for name in entry.participants)
    words = content_words(item)

    def nearness(other: Agent) -> tuple[bool, int, int, str]:
        shared = len(words & content_words(" ".join(other.state.today_plan)))
        return (other.state.position != agent.home, -shared, busy[other.id], other.id)

    others = sorted((other for other in world.agents.values() if other.id != agent.id), key=nearness)
    return tuple(other.id for other in others[: WORK_CAST - 1])


def _reaction(maker: Agent, title: str, other: Agent, path: str, *, seen: bool) -> Candidate:
    values = {"one": other.call_name, "two": maker.call_name, "title": title}
    return Candidate(
        type="ENCOUNTER",
        cast=(other.id, maker.id),
        place=maker.home,
        reasons=(Reason("artifact", 4.0 if seen else 4.8, "why_artifact", values),),
        premise=("premise_artifact", values),
        topic=title,
        answers=(path,),
    )


def _answered(world: World) -> frozenset[str]:
    return frozenset(key for entry in world.log for key in entry.answers)


def _starters(world: World, kind: str) -> frozenset[str]:
    entries = world.scenes_of(world.clock.day)
    return frozenset(entry.participants[0] for entry in entries if entry.type == kind and entry.participants)


def _find_made(world: World, entry: LogEntry, path: str) -> tuple[Agent, str] | None:
    """Find who made an artifact, and its title: the agent whose artifact node of that day names the path."""
    for name in entry.participants:
        agent = world.agents.get(name)
        for node in reversed(agent.stream if agent else ()):
            if node.when.day < entry.day:
                break
            if agent and node.metadata.get("artifact_path") == path and node.type == "artifact":
                return agent, str(node.metadata.get("title") or path.rsplit("/", 1)[-1])
    return None


def _everyone(world: World) -> tuple[str, ...]:
    """The whole cast; who has waited longest to open a round comes first."""
    opened = {entry.participants[0]: entry.day for entry in world.log if len(entry.participants) > 2}
    return tuple(sorted(world.agents, key=lambda name: (opened.get(name, 0), name)))


def _gathering_place(world: World) -> str:
    """Where all meet: the place of the last meeting, else the first place that is nobody's home."""
    for entry in reversed(world.log):
        if entry.type == "MEETING" and entry.place:
            return entry.place
    homes = {agent.home for agent in world.agents.values()}
    for place in world.settings.places:
        if place not in homes:
            return place
    positions = Counter(agent.state.position for agent in world.agents.values() if agent.state.position)
    return positions.most_common(1)[0][0] if positions else ""


def _encounter_place(one: Agent, two: Agent) -> str:
    return two.state.position or one.state.position


def _clip(text: str, most: int = 90) -> str:
    first = " ".join(text.split())
    return first if len(first) <= most else first[: most - 1].rsplit(" ", 1)[0] + " …"
