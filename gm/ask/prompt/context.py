"""The question to one character: stable parts first, so that a prefix can be cached.

The system parts are world and reply format; persona; the memories that the day began with; then the day's, one part for
each scene.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice

from gm.ask.prompt import situation
from gm.ask.prompt.day import view_day_so_far
from gm.ask.prompt.memory_lines import MemoryLines, perspective_of, view_span
from gm.ask.prompt.minds import layer_parts, layer_views, reply_rules
from gm.ask.prompt.own import view_here, view_matter, view_me, view_turn, without_places
from gm.ask.prompt.people import (
    part_of,
    view_absent,
    view_dialogue,
    view_earlier,
    view_neighbour,
    view_now,
    view_passage,
    view_person,
    view_scene,
    view_self,
    view_world,
)
from gm.ask.prompt.render import Prompts, View
from gm.ask.prompt.turn_context import TurnContext
from gm.base.languages import language_of
from gm.base.tokens import estimate_tokens
from gm.memory.retrieve import Selection, count_fresh, fit_growing
from gm.model.derived import derived
from gm.model.reply_faults import Fault
from gm.model.scene import Scene
from gm.model.stream import named
from gm.model.world import Agent, World
from gm.scene.evening.dusk import said_by_plan
from gm.scene.grounding.attendance import REMOTE, absences_on, is_expected, present_with
from gm.scene.grounding.circle import SMALL_CAST, circle_of, known_well

MOST_PEOPLE = 2 * SMALL_CAST
"""Most characters that a prompt shows in full: of the world, around a character, or away."""
WORLD_PART, SETTLED_PART = 0, 2  # places of the system parts that others begin with too
NOT_INJECTED: Mapping[str, object] = {
    "agreed": [],
    "silent": [],
    "settled": [],
    "posts": [],
    "briefs": [],
    "briefs_known": [],
    "decisions": (),
    "deadlines": [],
    "sharing": situation.NO_SHARING,
}
NODE_HEAD = "- `vera-042` {} · 7: \n"


@dataclass(frozen=True, slots=True)
class _Shared:
    world: World
    scene: Scene
    variables: dict[str, object]
    board: dict[str, object]
    people: dict[str, View]
    names: dict[str, str]
    absent: dict[str, str]
    remote: frozenset[str]
    posts: Sequence[situation.BoardPost]
    neighbours: dict[str, View] = field(default_factory=dict)


@derived
def expected(world: World) -> tuple[str, ...]:
    """Return those who belong to the day, guests included."""
    return tuple(name for name, agent in world.agents.items() if is_expected(agent, world.clock.day))


@derived
def view_everyone(world: World) -> Mapping[str, View]:
    """Return the outside views of all characters, by id."""
    return {name: view_person(agent) for name, agent in world.agents.items()}


def is_large(world: World) -> bool:
    """Return whether prompts describe only those that each knows well."""
    return len(expected(world)) > MOST_PEOPLE


class Assembler:
    """Renders the parts of a question.

    Its state are two caches: rendered parts, which stay the same from question to question, and what all questions of
    one scene share.
    """

    def __init__(self, prompts: Prompts) -> None:
        self.prompts = prompts
        self.lines = MemoryLines(prompts)
        self._parts: dict[tuple[str, str], tuple[dict[str, object], str]] = {}
        self._scene: _Shared | None = None

    def system(self, world: World, agent: Agent, selection: Selection, *, form: bool = True) -> tuple[str, ...]:
        """Render the stable parts, for a cache; ``form``: with the reply form of scenes."""
        persona = self.persona(world, agent)
        settled = len(selection.window) - count_fresh(selection.window, world.open_day)
        lines = self.lines.lines_of(world, agent, selection.window)
        # the question shows the list of today's plan
        listed = said_by_plan(world, agent, selection.window)
        shown = [place for place, node in enumerate(selection.window) if node.id not in listed]
        memories = self._part(
            "memories.j2",
            agent.id,
            summaries=self.lines.eras(world, agent, agent.summaries),
            background=self.lines.lines_of(world, agent, selection.background),
            window=[lines[place] for place in shown if place < settled],
            dropped=selection.dropped,
            focused=selection.strategy == "tags",
        )
        fresh = groupby(
            (place for place in shown if place >= settled), key=lambda place: selection.window[place].created
        )
        today = [
            self._part("today.j2", f"{agent.id} {number}", nodes=[lines[place] for place in places], first=number == 0)
            for number, (_, places) in enumerate(fresh)
        ]
        return self._world_part(world, form), persona, memories, *today

    def question(self, world: World, agent: Agent, scene: Scene, context: TurnContext, *, injected: bool = True) -> str:
        """Render a scene's question; ``injected``: with board and layers."""
        shared = self._shared(world, scene)
        called_up = self.lines.called_up(world, agent, context)
        heard = _find_posts_and_pieces(world, agent, context)
        threads = (
            situation.view_own_threads(world, scene, agent, context.own, shared.names)
            if injected
            else situation.NO_THREADS
        )
        board = shared.board | self._injected(shared, agent, context, heard) if injected else NOT_INJECTED
        words = self.prompts.words
        me = view_me(words, world, agent, scene, context)
        here = view_here(words if agent.id in shared.remote else None, world, scene, agent, context)
        here = here.but(**view_matter(here, me, threads.shown), topic_in=situation.topic_in(world, scene, heard))
        variables = {
            **shared.variables,
            "me": without_places(me, world, agent),
            "scene": without_places(here, world, agent),
            **self._present(shared, agent, context),
            **view_turn(words, world, agent, scene, context, heard),
            "dialogue": view_dialogue(shared.names, agent, context),
            "earlier": view_earlier(shared.names, scene, context),
            **called_up,
            **self._looking_back(world, agent, scene, context),
            "threads": threads,
            **board,
            **layer_views(world, agent, scene, context.own, injected=injected),
        }
        return self.prompts.render(scene.type.template, **variables)

    def _looking_back(self, world: World, agent: Agent, scene: Scene, context: TurnContext) -> dict[str, object]:
        looks_back = scene.type.is_reflection
        return {
            "scenes": view_day_so_far(self.prompts.words, world, agent, context.remembered) if looks_back else [],
            "since": view_span(context.material) if context.material else None,
        }

    def _shared(self, world: World, scene: Scene) -> _Shared:
        if self._scene is None or self._scene.world is not world or self._scene.scene is not scene:
            settings = world.settings
            shared = {
                "now": view_now(self.prompts.words, world, scene),
                "passages": [view_passage(passage) for passage in scene.passages],
                "layers": sorted(world.layers),
                "insights": settings.reflection.insights,
                "questions": settings.reflection.questions.questions,
                "importance_from": settings.importance.from_,
                "library": world.has_library,
                "plans": settings.plans.enabled,
            }
            cast = view_everyone(world)
            self._scene = _Shared(
                world,
                scene,
                shared,
                {
                    "decisions": world.decisions[-situation.MOST_DECISIONS :],
                    "deadlines": situation.view_deadlines(self.prompts.words, world),
                },
                people={name: View(**vars(cast[name]), part=part_of(world.agents[name], scene)) for name in scene.cast},
                names={name: other.call_name for name, other in cast.items()},
                absent=view_absent(self.prompts.words, world),
                remote=frozenset(name for name, how in absences_on(world, scene.ref.day).items() if how == REMOTE),
                posts=situation.view_board(world, scene),
            )
        return self._scene

    def _present(self, shared: _Shared, agent: Agent, context: TurnContext) -> dict[str, object]:
        """Return who is here, who takes part, and who is away."""
        absent = [name for name in shared.absent if name != agent.id]
        if len(absent) > MOST_PEOPLE:
            absent = [name for name in known_well(shared.world, agent.id) if name in shared.absent]
        others = [name for name in shared.scene.cast if name != agent.id]
        near = present_with(shared.world, shared.scene, agent.id)
        room = self._fewer(shared, agent, context, near, self._neighbour)
        return {
            "room": room,
            "around": [other for other in room if not other.takes_part],
            "others": self._fewer(shared, agent, context, others, lambda shared, name: shared.people[name]),
            "absent": [shared.absent[name] for name in absent],
        }

    def _fewer(
        self,
        shared: _Shared,
        agent: Agent,
        context: TurnContext,
        names: Sequence[str],
        view: Callable[[_Shared, str], View],
    ) -> list[View]:
        # Of more than ``MOST_PEOPLE`` those who matter most just now, and the number of the others.
        if len(names) <= MOST_PEOPLE:
            return [view(shared, name) for name in names]
        spoke = (line.agent for line in reversed(context.dialogue))
        near = (shared.scene.cast[0], *spoke, *known_well(shared.world, agent.id), *circle_of(shared.world, agent.id))
        present = {*names}
        first = islice(dict.fromkeys(name for name in near if name in present), MOST_PEOPLE)
        chosen = {*islice(dict.fromkeys((*first, *names)), MOST_PEOPLE)}
        count = len(names) - len(chosen)
        more = self.prompts.words("others_more", count=count)
        rest = View(id="", name=more, call_name=more, text=more, part="", task="", takes_part=True)
        return [*(view(shared, name) for name in names if name in chosen), rest]

    def _neighbour(self, shared: _Shared, name: str) -> View:
        if name not in shared.neighbours:
            shared.neighbours[name] = view_neighbour(self.prompts.words, shared.world, shared.scene, name)
        return shared.neighbours[name]

    def _injected(
        self, shared: _Shared, agent: Agent, context: TurnContext, heard: situation.Heard
    ) -> dict[str, object]:
        world, scene, names, words = shared.world, shared.scene, shared.names, self.prompts.words
        briefs = {brief: situation.find_heard(heard, brief) for brief in situation.active_briefs(world)}
        return {
            **situation.view_kept(words, world, scene, agent, context.own, names),
            "posts": situation.view_posts(shared.posts, agent, heard, context.named_in),
            "briefs": [brief for brief, known_as in briefs.items() if not known_as],
            "briefs_known": list(filter(None, briefs.values())),
            "sharing": situation.view_sharing(shared.world, agent, context.own),
        }

    def cue(self, world: World, agent: Agent, scene: Scene, template: str, said: Sequence[str] = ()) -> str:
        """Return the query for memories in a scene.

        Args:
            template: Jinja over ``scene``, ``me``, ``others`` and ``said``; empty = topic, premise, intent, task, plan,
                names and ``said``.
            said: The last lines of the scene.

        Raises:
            PromptError: The template cannot be rendered.
        """
        shown, me = view_scene(world, scene, agent), view_self(world, agent)
        others = [view_everyone(world)[name] for name in scene.cast if name != agent.id]
        if template:
            given = {"scene": shown, "me": me, "others": others, "said": list(said)}
            return self.prompts.render_text("rag.query_template", template, **given)
        names = [other.call_name for other in others]
        parts = (shown.topic, shown.premise, shown.intent, me.current_task, *me.plan, *names, *said)
        return " ".join(filter(None, parts))

    def repair(self, problems: Sequence[str], purpose: str) -> str:
        return self.prompts.render("repair.j2", problems=list(map(self._translate_fault, problems)), purpose=purpose)

    def _translate_fault(self, problem: str) -> str:
        if isinstance(problem, Fault) and self.prompts.says(key := f"fault_{problem.key}"):
            return self.prompts.words(key, **problem.parts)
        return problem  # the form of a plug-in only says a sentence

    def fit(self, selection: Selection, budget_tokens: int | None, open_day: int | None = None) -> Selection:
        """Drop memories beyond a budget of estimated tokens, if any."""
        if budget_tokens is None:
            return selection
        head = NODE_HEAD.format(language_of(self.prompts.language).memory_head)
        cost = [estimate_tokens(head + node.description) for node in selection.nodes]
        return fit_growing(selection, budget_tokens, cost, count_fresh(selection.nodes, open_day))

    def _world_part(self, world: World, form: bool) -> str:
        return self._part(
            "world.j2",
            "form" if form else "",
            world=view_world(world.settings.world),
            places=world.settings.places,
            cast=[] if is_large(world) else [view_everyone(world)[name] for name in expected(world)],
            form=form,
            **reply_rules(world),
        )

    def persona(self, world: World, agent: Agent) -> str:
        known = known_well(world, agent.id) if is_large(world) else ()
        cast = [view_everyone(world)[name] for name in known]
        persona = self._part("persona.j2", agent.id, me=view_self(world, agent), cast=cast)
        parts = layer_parts(world, agent)
        return "\n".join((persona, *(self._part(name, agent.id, **shown) for name, shown in parts.items())))

    def _part(self, template: str, whose: str, /, **variables: object) -> str:
        # Rendered again only when a variable has changed.
        known = self._parts.get((template, whose))
        if known is None or known[0] != variables:
            known = (variables, self.prompts.render(template, **variables))
            self._parts[template, whose] = known
        return known[1]


def _find_posts_and_pieces(world: World, agent: Agent, context: TurnContext) -> situation.Heard:
    shown = named(agent.stream, context.remembered) if context.remembered else ()
    seen = perspective_of(world, agent)
    return {node.id: (key, seen.read(node)) for node in (*shown, *context.in_mind) if (key := node.post or node.piece)}
