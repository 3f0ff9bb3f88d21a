"""Assemble what one character is asked: stable parts first, so that their beginning can be cached (DESIGN 3).

``Assembler`` renders the system parts (world and reply format; persona; the memories that the day began with; then the
day's own, one part for each scene, so that every earlier call is a beginning of every later one) and the question
itself (own state, threads, bulletin, scene, task). It holds no state but what it has rendered already.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, groupby, zip_longest
from typing import Any

from gm.memory.care import Batch, shorten_to
from gm.memory.retrieve import Selection, count_fresh, fit_growing
from gm.memory.spans import began, ended
from gm.model.calendar import weekday
from gm.model.character import Agent
from gm.model.consulted import Consulted
from gm.model.node import Node
from gm.model.passage import Passage
from gm.model.replies import SceneReply
from gm.model.scene import Reason, Scene
from gm.model.stream import named
from gm.model.world import World
from gm.prompt.bonds import NO_BONDS, bonds_view
from gm.prompt.discovery import render_discovery, reply_rules
from gm.prompt.eyes import PLAIN_EYES, Eyes, eyes_of
from gm.prompt.minds import view_page, view_soul
from gm.prompt.open_threads import NO_THREADS, call_name, view_threads
from gm.prompt.render import Prompts, inner_quotes, view
from gm.prompt.sharing import NO_SHARING, view_goals, view_sharing
from gm.scene.attendance import REMOTE, absences_on
from gm.scene.conversation import bystanders
from gm.scene.keeping import left_today
from gm.scene.names import piece_name, shorten
from gm.scene.schedule import events_on, is_played
from gm.scene.turns import Spoken
from gm.tokens import estimate_tokens

MOST_POSTS = 6
MOST_DECISIONS = 12
DAYS_AHEAD = 3
DEADLINE_DAYS = 7
OLD_POST_CHARACTERS = 240
WORLD_PART, SETTLED_PART = 0, 2  # places of the system parts that others begin with too
PERSON_CHARACTERS = 300
NODE_OVERHEAD = " · ".join(("- `vera-042` Tag 3, Szene 4", "Eigene Arbeit", "7: \n"))


@dataclass(frozen=True, slots=True)
class Piece:
    """A finished piece of work that lies on the table: who made it, and its text, or what there is room for of it."""

    title: str
    maker: str
    text: str
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was looked up for a scene from one of ``context.sources``.

    Attributes:
        source: Its name.
        nodes: Own memories.
        known: What somebody knows from the start, a sentence or two each.
    """

    source: str
    nodes: tuple[Node, ...] = ()
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that somebody has asked itself, and what its memory says to it."""

    text: str
    nodes: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """What is particular to one turn of a scene.

    Attributes:
        dialogue: What has been said and done in the scene so far.
        own: What the character itself has replied in it so far.
        plan: The plan that it made in this scene, if it made one.
        pieces: Finished work that is at hand in the scene.
        turn: The character's turn in this scene, from 1.
        last_turn: Whether it is certainly its last one.
        closing: Whether it is the closing word of the one who has the chair.
        replan: What has happened that may change its plan.
        material: Reflection scenes: the nodes to reflect on.
        remembered: Ids of the memories that the prompt shows anyway.
        recalled: Further memories, of earlier scenes of the same kind.
        in_mind: Further memories that the scene calls up.
        consulted: What a character that discovers itself has looked up in the scene before this turn.
        gathered: What else was looked up for the scene.
        asked: Reflection by questions: what somebody has asked itself.
        lines_left_out: How many of the first lines of the dialogue there is no room for.
        mind_left_out: How many memories that the scene calls up there is no room for.
        taken_over: Memories of others that the character was given, as far as the scene calls them up.
    """

    dialogue: tuple[Spoken, ...] = ()
    own: tuple[SceneReply, ...] = ()
    plan: tuple[str, ...] = ()
    pieces: tuple[Piece, ...] = ()
    turn: int = 1
    last_turn: bool = True
    closing: bool = False
    replan: tuple[Reason, ...] = ()
    material: tuple[Node, ...] = ()
    remembered: frozenset[str] = frozenset()
    recalled: tuple[Node, ...] = ()
    in_mind: tuple[Node, ...] = ()
    consulted: tuple[Consulted, ...] = ()
    gathered: tuple[Gathered, ...] = ()
    asked: tuple[Asked, ...] = ()
    lines_left_out: int = 0
    mind_left_out: int = 0
    taken_over: tuple[Node, ...] = ()


_BEGINNING = Moment()


class Assembler:
    """Renders the parts of a question.

    Args:
        prompts: The templates of the world.
    """

    def __init__(self, prompts: Prompts) -> None:
        self._prompts = prompts
        self._parts: dict[tuple[str, str], tuple[dict[str, Any], str]] = {}
        self._lines: dict[str, tuple[Node, str]] = {}
        self._places: dict[str, str] = {}
        self._kinds: dict[str, str] = {}
        self._eyes: dict[str, Eyes] = {}

    def system(self, world: World, agent: Agent, selection: Selection) -> tuple[str, ...]:
        """Render the parts that stay: world and reply format, persona, settled memories, those of today by scene."""
        self._eyes[agent.id] = eyes_of(world, agent)
        cast = [_person(other) for other in world.agents.values()]
        persona = self._persona(world, agent)
        settled = len(selection.window) - count_fresh(selection.window, world.open_day)
        memories = self._part(
            "memories.j2",
            agent.id,
            summaries=self._eras(agent.summaries),
            background=self._lines_of(selection.background),
            window=self._lines_of(selection.window[:settled]),
            dropped=selection.dropped,
        )
        today = [
            self._part("today.j2", f"{agent.id} {number}", nodes=self._lines_of(tuple(nodes)), first=number == 0)
            for number, (_, nodes) in enumerate(groupby(selection.window[settled:], key=lambda node: node.created))
        ]
        return self._world(world, cast), persona, memories, *today

    def discovery(self, world: World, tools: Sequence[str], earlier: Sequence[Consulted]) -> tuple[str, ...]:
        """Render the parts that stay for a character that asks for who it is: how to ask, and what it found so far."""
        return render_discovery(self._prompts, world, tools, earlier)

    def question(self, world: World, agent: Agent, scene: Scene, moment: Moment, *, injected: bool = True) -> str:
        """Render the question that a scene puts to one of its participants; ``injected``: with board and layers."""
        self._eyes[agent.id] = eyes_of(world, agent)
        return self._prompts.render(
            scene.type.template,
            now=self._now(world, scene),
            me=view({**vars(_me(world, agent, moment)), "part": part_of(agent, scene)}),
            scene=self._scene(world, scene, agent),
            absent=self._absent(world, agent),
            others=[_participant(world, scene, name) for name in scene.cast if name != agent.id],
            around=[_person(other) for other in bystanders(world, scene)],
            threads=view_threads(world, scene, agent, moment.own) if injected else NO_THREADS,
            posts=_board(world, scene, agent, moment) if injected else [],
            briefs=_briefs(world) if injected else [],
            decisions=world.decisions[-MOST_DECISIONS:] if injected else (),
            deadlines=self._deadlines(world) if injected else [],
            replan=[self._prompts.words(reason.phrase, **reason.values) for reason in moment.replan],
            dialogue=_dialogue(world, agent, moment),
            so_far=[
                view(
                    {
                        "thoughts": reply.thoughts,
                        "memories": [memory.description for memory in reply.memories],
                        "opens": [" ".join(opened.text.split()) for opened in reply.opens],
                    }
                )
                for reply in moment.own
            ],
            pieces=[_piece(world, piece) for piece in moment.pieces],
            passages=[_passage(passage) for passage in scene.passages],
            recalled=self._lines_of(moment.recalled),
            in_mind=self._lines_of(moment.in_mind),
            layers=sorted(world.layers),
            page=view_page(world, agent, moment.own) if injected else None,
            sources=[
                view({"source": part.source, "lines": self._lines_of(part.nodes), "known": part.known})
                for part in moment.gathered
            ],
            lines_left_out=moment.lines_left_out,
            mind_left_out=moment.mind_left_out,
            taken_over=self._lines_of(moment.taken_over),
            sharing=view_sharing(world, agent, moment.own) if injected else NO_SHARING,
            goals=view_goals(world, agent) if injected else [],
            turn=moment.turn,
            last_turn=moment.last_turn,
            closing=moment.closing,
            material=self._listed(moment.material, moment.remembered),
            insights=world.settings.reflection.insights,
            **(bonds_view(world, agent, scene) if injected else NO_BONDS),
            asked=self._asked(moment),
            questions=world.settings.reflection.questions.questions,
            importance_from=world.settings.importance.from_,
            memories_left=left_today(world, agent, moment.own, moment.consulted),
        )

    def cue(self, world: World, agent: Agent, scene: Scene, template: str) -> str:
        """Say what somebody is reminded by in a scene: what memories are looked for with.

        Args:
            world: The world before the scene.
            agent: Who remembers.
            scene: What is being played.
            template: Jinja over ``scene``, ``me`` and ``others``; empty = topic, premise, people, task and plan.
        """
        shown, me = _scene(world, scene, agent), _me(world, agent)
        others = [_person(world.agents[name]) for name in scene.cast if name != agent.id]
        if template:
            return self._prompts.render_text("rag.query_template", template, scene=shown, me=me, others=others)
        names = [other.call_name for other in others]
        return " ".join(filter(None, (shown.topic, shown.premise, shown.intent, me.current_task, *me.plan, *names)))

    def care(self, world: World, agent: Agent, batch: Batch, budget: int) -> tuple[str, str]:
        """Render what a character is asked whose old memories are put together: who it is, and the question.

        Args:
            world: The world.
            agent: The character.
            batch: The memories.
            budget: Most estimated tokens of them; the longest are shortened, and it is said how many.
        """
        self._eyes[agent.id] = eyes_of(world, agent)  # a command that is run again has asked nothing else before
        texts, shortened = shorten_to([node.description for node in batch.nodes], budget)
        nodes = [replace(node, description=text, evidence=()) for node, text in zip(batch.nodes, texts, strict=True)]
        question = self._prompts.render(
            "care.j2",
            me=_me(world, agent),
            cause=batch.cause,
            material=self._eras(nodes) if batch.cause == "summaries" else self._lines_of(nodes),
            shortened=shortened,
            first=began(batch.nodes[0]).day,
            last=max(ended(node).day for node in batch.nodes),
        )
        return self._persona(world, agent), question

    def forget(self, gone: Iterable[str]) -> None:
        """Let go of memories that are in no prompt any more."""
        for identifier in gone:
            self._lines.pop(identifier, None)

    def rater(self) -> str:
        """Render what everybody is told who is asked how important memories are."""
        return self._prompts.render("rater.j2")

    def rating(
        self, world: World, scene: Scene, memories: Mapping[str, Sequence[tuple[str, str]]], *, many: bool
    ) -> str:
        """Render the question how important memories are, for somebody who knows nothing but this and ``rater``.

        Args:
            world: The world before the scene.
            scene: Where the memories come from.
            memories: What each character keeps of it: type and description of each memory.
            many: Whether the answer is a list of numbers, or one number.
        """
        numbers = count(1)
        people = [
            view(
                {
                    **vars(_person(world.agents[name])),
                    "line": _first_line(world.agents[name]),
                    "memories": [
                        view({"number": next(numbers), "kind": self._kind(kind), "text": text}) for kind, text in kept
                    ],
                }
            )
            for name, kept in memories.items()
        ]
        return self._prompts.render(
            "rating.j2",
            now=self._now(world, scene),
            scene=_scene(world, scene, world.agents[scene.cast[0]]),
            present=[_person(world.agents[name]) for name in scene.cast],
            people=people,
            many=many,
            count=sum(len(kept) for kept in memories.values()),
        )

    def repair(self, problems: Sequence[str], purpose: str) -> str:
        """Render the one further question after a reply that did not fit."""
        return self._prompts.render("repair.j2", problems=problems, purpose=purpose)

    @property
    def words(self) -> Callable[..., str]:
        """The Game Master's own sentences."""
        return self._prompts.words

    def fit(self, selection: Selection, budget: int | None, open_day: int | None = None) -> Selection:
        """Drop memories until they fit into a budget of estimated tokens; None = no budget."""
        if budget is None:
            return selection
        cost = [estimate_tokens(NODE_OVERHEAD + node.description) for node in selection.nodes]
        return fit_growing(selection, budget, cost, count_fresh(selection.nodes, open_day))

    def fit_lines(self, selection: Selection, budget: int, open_day: int | None = None) -> Selection:
        """Drop memories until their lines fit into a budget of characters."""
        cost = [len(line) + 1 for line in self._lines_of(selection.nodes)]
        return fit_growing(selection, budget, cost, count_fresh(selection.nodes, open_day))

    def _world(self, world: World, cast: Sequence[Any]) -> str:
        return self._part(
            "world.j2",
            "",
            world=world.settings.world,
            places=world.settings.places,
            cast=cast,
            **reply_rules(world),
        )

    def _persona(self, world: World, agent: Agent) -> str:
        """Render who a character is: its persona, and its soul whole behind it."""
        persona = self._part("persona.j2", agent.id, me=_me(world, agent))
        soul = view_soul(world, agent)
        return f"{persona}\n{self._part('soul.j2', agent.id, soul=soul)}" if soul else persona

    def _part(self, template: str, whose: str, /, **variables: Any) -> str:
        """Render a part that is the same from call to call as a rule, and again only when something in it changed."""
        known = self._parts.get((template, whose))
        if known is None or known[0] != variables:
            known = (variables, self._prompts.render(template, **variables))
            self._parts[template, whose] = known
        return known[1]

    def _lines_of(self, nodes: Sequence[Node]) -> list[str]:
        """Render memories, a line each; a memory is shown in many prompts, and rendered once."""
        fresh = [node for node in nodes if self._lines.get(node.id, _NO_LINE)[0] is not node]
        lines = self._prompts.render_each("memory.j2", "node", map(self._node, fresh))
        self._lines |= {node.id: (node, line.strip()) for node, line in zip(fresh, lines, strict=True)}
        return [self._lines[node.id][1] for node in nodes]

    def _eras(self, summaries: Sequence[Node]) -> list[str]:
        """Render summaries, oldest first, a line each."""
        shown = [
            view(
                {
                    "id": node.id,
                    "title": inner_quotes(str(node.metadata.get("title") or "")),
                    "first": began(node).day,
                    "last": ended(node).day,
                    "importance": node.importance,
                    "description": self._eyes_for(node).read(node),
                }
            )
            for node in sorted(summaries, key=lambda node: (began(node), ended(node)))
        ]
        # a world's own language may not have the template before there is anything to show
        lines = self._prompts.render_each("summary.j2", "summary", shown) if shown else ()
        return [line.strip() for line in lines]

    def _asked(self, moment: Moment) -> list[Any]:
        """Questions to oneself with what memory says to each; a memory's line is shown once."""
        shown = set(moment.remembered)
        asked = []
        for item in moment.asked:
            asked.append(view({"text": " ".join(item.text.split()), "nodes": self._listed(item.nodes, shown)}))
            shown |= {node.id for node in item.nodes}
        return asked

    def _listed(self, nodes: Sequence[Node], remembered: Collection[str]) -> list[Any]:
        """Name memories: id and line of each, and whether the line stands in the prompt anyway."""
        lines = self._lines_of(nodes)
        return [
            view({"id": node.id, "line": line, "shown": node.id in remembered})
            for node, line in zip(nodes, lines, strict=True)
        ]

    def _node(self, node: Node) -> Any:
        eyes = self._eyes_for(node)
        return view(
            {
                "id": node.id,
                "place": self._place(node),
                "kind": eyes.kind(node, self._kind(node.type), self._prompts.words),
                "importance": node.importance,
                "description": eyes.read(node),
                "evidence": node.evidence if node.depth else (),
                "tags": node.tags,
            }
        )

    def _eyes_for(self, node: Node) -> Eyes:
        return self._eyes.get(node.id.rpartition("-")[0], PLAIN_EYES)

    def _place(self, node: Node) -> str:
        """Say when a memory was made; most scenes have left several."""
        if node.created not in self._places:
            when = node.when
            scene = f"{when.scene}{when.suffix}" if when.scene else ""
            self._places[node.created] = self._prompts.words("node_place", day=when.day, scene=scene)
        return self._places[node.created]

    def _kind(self, kind: str) -> str:
        if kind not in self._kinds:
            key = f"kind_{kind}"
            self._kinds[kind] = self._prompts.words(key) if key in KNOWN_KINDS else kind
        return self._kinds[kind]

    def _now(self, world: World, scene: Scene) -> Any:
        day = scene.ref.day
        return view(
            {
                "day": day,
                "weekday": weekday(day, world.settings.calendar.weekdays),
                "time": self._prompts.words(f"time_{scene.time_of_day}"),
            }
        )

    def _deadlines(self, world: World) -> list[str]:
        """Say what the calendar holds: events of the next days, and deadlines of the next week."""
        today = world.clock.day
        return [
            self._prompts.words(
                "deadline",
                left=str(max(0, event.day - today)),
                day=event.day,
                weekday=weekday(event.day, world.settings.calendar.weekdays),
                event=event.event,
            )
            for day in range(today, today + DEADLINE_DAYS)
            for _, event in events_on(world, day)
            if day < today + DAYS_AHEAD or not is_played(event)
        ]

    def _absent(self, world: World, agent: Agent) -> list[str]:
        """Say who else is not in the house today."""
        return [
            self._prompts.words(f"away_{how}", name=world.agents[name].call_name)
            for name, how in absences_on(world, world.clock.day).items()
            if name != agent.id
        ]

    def _scene(self, world: World, scene: Scene, agent: Agent) -> Any:
        """How a scene looks to one of its participants; who is not in the house is where they are."""
        seen = _scene(world, scene, agent)
        if absences_on(world, scene.ref.day).get(agent.id) == REMOTE:
            seen.place = self._prompts.words("place_remote" if len(scene.cast) > 1 else "place_remote_alone")
            seen.place_text = ""
            seen.remote = True
        return seen


_NO_LINE: tuple[Node | None, str] = (None, "")
KNOWN_KINDS = frozenset(f"kind_{name}" for name in ("observation", "reflection", "plan", "artifact", "conversation"))


def _person(agent: Agent) -> Any:
    """What everybody knows about somebody: the outside view."""
    front: Mapping[str, Any] = agent.persona.front if agent.persona else {}
    return view(
        {
            "id": agent.id,
            "name": agent.name,
            "call_name": agent.call_name,
            "role": front.get("role", ""),
            "archetype": front.get("archetype", ""),
            "pronouns": front.get("pronouns", ""),
        }
    )


def _participant(world: World, scene: Scene, name: str) -> Any:
    agent = world.agents[name]
    return view({**vars(_person(agent)), "part": part_of(agent, scene)})


def part_of(agent: Agent, scene: Scene) -> str:
    """Tell whom somebody plays in scenes of this type: ``roles`` of the persona, by the type's name in lower case."""
    roles = agent.persona.front.get("roles") if agent.persona else None
    part = roles.get(scene.type.name.lower()) if isinstance(roles, Mapping) else None
    return " ".join(part.split()) if isinstance(part, str) else ""


def _passage(passage: Passage) -> Any:
    return view(
        {
            "title": " ".join(passage.title.split()),
            "author": " ".join(passage.author.split()),
            "place": passage.place,
            "lines": passage.text.strip().splitlines(),
        }
    )


def _piece(world: World, piece: Piece) -> Any:
    maker = world.agents[piece.maker].call_name if piece.maker in world.agents else piece.maker
    # quoted line by line: what somebody wrote must not look like a part of the question
    return view(
        {"title": piece.title, "maker": maker, "lines": piece.text.strip().splitlines(), "is_cut": piece.is_cut}
    )


def _first_line(agent: Agent) -> str:
    """Say in one line who somebody is: the archetype, else what the prose about them begins with."""
    persona = agent.persona
    archetype = str(persona.front.get("archetype") or "") if persona else ""
    prose = (line.strip() for line in persona.prose.splitlines()) if persona else iter(())
    said = archetype or next((line for line in prose if line and not line.startswith("#")), "")
    return shorten(said, PERSON_CHARACTERS)


def _me(world: World, agent: Agent, moment: Moment = _BEGINNING) -> Any:
    """How somebody is: as in the files, and as they have changed in the scene since."""
    front: Mapping[str, Any] = agent.persona.front if agent.persona else {}
    inside = {key: front.get(key) for key in PERSONA_KEYS}
    tasks = (reply.current_task for reply in reversed(moment.own) if reply.current_task)
    return view(
        {
            **inside,
            "id": agent.id,
            "name": agent.name,
            "call_name": agent.call_name,
            "prose": agent.persona.prose if agent.persona else "",
            "mood": moment.own[-1].mood if moment.own else agent.state.mood,
            "position": agent.state.position,
            "current_task": next(tasks, agent.state.current_task),
            "plan": moment.plan or agent.state.today_plan,
            "home": agent.home,
            "home_text": world.settings.places.get(agent.home, ""),
        }
    )


PERSONA_KEYS = (
    "role",
    "age",
    "pronouns",
    "archetype",
    "traits",
    "skills",
    "values",
    "decision_style",
    "communication",
    "friends",
    "quarrels",
    "wish",
)


def _scene(world: World, scene: Scene, agent: Agent) -> Any:
    own = scene.premises.get(agent.id, "")
    intent = scene.intent if scene.cast[0] == agent.id else ""
    return view(
        {
            "type": scene.type.name,
            "place": scene.place,
            "place_text": world.settings.places.get(scene.place, ""),
            "premise": scene.premise,
            "topic": scene.topic,
            "own": own,
            "intent": "" if inner_quotes(intent) in own else intent,  # what is said already is not said twice
            "starter": scene.cast[0],
            "leads": scene.type.chair and scene.cast[0] == agent.id,
            "leader": world.agents[scene.cast[0]].call_name if scene.type.chair else "",
            "tag": scene.type.tag,
            "asks_plan": scene.type.plan,
            "note": scene.note,
            "wished": scene.director in ("asked", "script"),  # a person has said what it is about
            "remote": False,
        }
    )


def _board(world: World, scene: Scene, agent: Agent, moment: Moment) -> list[Any]:
    """What hangs on the board: the last posts, without the one that the scene is about.

    Old ones, and those whose words stand among the character's memories, are shown in a few words.
    """
    taken = {key for entry in world.log for key in entry.answers}
    known = {node.metadata.get("post") for node in named(agent.stream, moment.remembered)} if world.posts else set()
    shown = []
    for post in world.posts[-MOST_POSTS:]:
        if post.key in scene.answers:
            continue
        fresh = post.key not in taken or post.day >= world.clock.day - 1 or post.content in world.clock.active_briefs
        whole = fresh and post.key not in known
        content = post.content if whole else shorten(post.content, OLD_POST_CHARACTERS)
        about = piece_name(post.artifact) if post.artifact else ""
        shown.append(view({"author": post.author, "day": post.day, "about": about, "content": content}))
    return shown


def _briefs(world: World) -> list[str]:
    """The active briefs that do not hang on the board anyway."""
    on_board = {post.content for post in world.posts[-MOST_POSTS:]}
    return [brief for brief in world.clock.active_briefs if brief not in on_board][-MOST_DECISIONS:]


def _dialogue(world: World, agent: Agent, moment: Moment) -> list[Any]:
    """What was said and done in the scene, and behind each of the character's own turns what it thought in it."""
    own = iter([reply for reply in moment.own if reply.action.strip() or reply.dialogue])
    shown = []
    for line, after in zip_longest(moment.dialogue, moment.dialogue[1:]):
        ends_own = line.agent == agent.id and (after is None or after.agent != agent.id)
        reply = next(own, None) if ends_own else None
        shown.append(_line(world, line, reply.thoughts if reply else ""))
    return shown[moment.lines_left_out :]


def _line(world: World, line: Spoken, thoughts: str) -> Any:
    # one line: what somebody says must not look like a line of somebody else, or like a heading
    return view(
        {
            "name": call_name(world, line.agent),
            "to": call_name(world, line.to or ""),
            "text": " ".join(line.text.split()),
            "aloud": line.aloud,
            "thoughts": " ".join(thoughts.split()),
        }
    )
