"""Assemble what one character is asked: stable parts first, so that their beginning can be cached (DESIGN 3).

``Assembler`` renders the system parts (world and reply format; persona; the memories that the day began with; then the
day's own, one part for each scene, so that every earlier call is a beginning of every later one) and the question
itself (own state, threads, bulletin, scene, task). It holds no state but what it has rendered already. What the parts
show is said beside it: ``people``, ``memory_lines``, ``scenes``, ``board``, ``open_threads``, ``minds``,
``sharing``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from gm.memory.retrieve import Selection, count_fresh, fit_growing
from gm.model.character import Agent
from gm.model.consulted import Consulted
from gm.model.scene import Scene
from gm.model.world import World
from gm.prompt.board import MOST_DECISIONS, active_briefs, view_deadlines, view_posts
from gm.prompt.discovery import render_discovery, reply_rules
from gm.prompt.memory_lines import MemoryLines
from gm.prompt.minds import layer_parts, layer_views
from gm.prompt.moment import Moment
from gm.prompt.open_threads import NO_THREADS, view_threads
from gm.prompt.people import part_of, view_participant, view_person, view_self, view_world
from gm.prompt.render import Prompts, view
from gm.prompt.scenes import (
    view_absent,
    view_dialogue,
    view_now,
    view_passage,
    view_piece,
    view_scene,
    view_scene_from,
)
from gm.prompt.sharing import NO_SHARING, view_sharing
from gm.scene.conversation import bystanders
from gm.scene.keeping import left_today
from gm.tokens import estimate_tokens

WORLD_PART, SETTLED_PART = 0, 2  # places of the system parts that others begin with too
NODE_OVERHEAD = " · ".join(("- `vera-042` Tag 3, Szene 4", "Eigene Arbeit", "7: \n"))


class Assembler:
    """Renders the parts of a question.

    Args:
        prompts: The templates of the world.

    Attributes:
        prompts: The same.
        lines: Renders memories.
    """

    def __init__(self, prompts: Prompts) -> None:
        self.prompts = prompts
        self.lines = MemoryLines(prompts)
        self._parts: dict[tuple[str, str], tuple[dict[str, Any], str]] = {}

    def system(self, world: World, agent: Agent, selection: Selection) -> tuple[str, ...]:
        """Render the parts that stay: world and reply format, persona, settled memories, those of today by scene."""
        self.lines.see_as(world, agent)
        cast = [view_person(other) for other in world.agents.values()]
        persona = self.persona(world, agent)
        settled = len(selection.window) - count_fresh(selection.window, world.open_day)
        memories = self._part(
            "memories.j2",
            agent.id,
            summaries=self.lines.eras(agent.summaries),
            background=self.lines.lines_of(selection.background),
            window=self.lines.lines_of(selection.window[:settled]),
            dropped=selection.dropped,
            focused=selection.strategy == "tags",
        )
        today = [
            self._part("today.j2", f"{agent.id} {number}", nodes=self.lines.lines_of(tuple(nodes)), first=number == 0)
            for number, (_, nodes) in enumerate(groupby(selection.window[settled:], key=lambda node: node.created))
        ]
        return self._world(world, cast), persona, memories, *today

    def discovery(self, world: World, tools: Sequence[str], earlier: Sequence[Consulted]) -> tuple[str, ...]:
        """Render the parts that stay for a character that asks for who it is: how to ask, and what it found so far."""
        return render_discovery(self.prompts, world, tools, earlier)

    def question(self, world: World, agent: Agent, scene: Scene, moment: Moment, *, injected: bool = True) -> str:
        """Render the question that a scene puts to one of its participants; ``injected``: with board and layers."""
        self.lines.see_as(world, agent)
        words = self.prompts.words
        return self.prompts.render(
            scene.type.template,
            now=view_now(words, world, scene),
            me=view({**vars(view_self(world, agent, moment)), "part": part_of(agent, scene)}),
            scene=view_scene_from(words, world, scene, agent),
            absent=view_absent(words, world, agent),
            others=[view_participant(world, scene, name) for name in scene.cast if name != agent.id],
            around=[view_person(other) for other in bystanders(world, scene)],
            threads=view_threads(world, scene, agent, moment.own) if injected else NO_THREADS,
            posts=view_posts(world, scene, agent, moment) if injected else [],
            briefs=active_briefs(world) if injected else [],
            decisions=world.decisions[-MOST_DECISIONS:] if injected else (),
            deadlines=view_deadlines(words, world) if injected else [],
            replan=[words(reason.phrase, **reason.values) for reason in moment.replan],
            dialogue=view_dialogue(world, agent, moment),
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
            pieces=[view_piece(world, piece) for piece in moment.pieces],
            passages=[view_passage(passage) for passage in scene.passages],
            recalled=self.lines.lines_of(moment.recalled),
            in_mind=self.lines.lines_of(moment.in_mind),
            layers=sorted(world.layers),
            sources=[
                view({"source": part.source, "lines": self.lines.lines_of(part.nodes), "known": part.known})
                for part in moment.gathered
            ],
            lines_left_out=moment.lines_left_out,
            mind_left_out=moment.mind_left_out,
            taken_over=self.lines.lines_of(moment.taken_over),
            sharing=view_sharing(world, agent, moment.own) if injected else NO_SHARING,
            turn=moment.turn,
            last_turn=moment.last_turn,
            closing=moment.closing,
            material=self.lines.listed(moment.material, moment.remembered),
            insights=world.settings.reflection.insights,
            **layer_views(world, agent, scene, moment.own, injected=injected),
            asked=self.lines.asked(moment),
            questions=world.settings.reflection.questions.questions,
            importance_from=world.settings.importance.from_,
            memories_left=left_today(world, agent, moment.own, moment.consulted),
        )

    def cue(self, world: World, agent: Agent, scene: Scene, template: str, said: Sequence[str] = ()) -> str:
        """Say what somebody is reminded by in a scene: what memories are looked for with.

        Args:
            world: The world before the scene.
            agent: Who remembers.
            scene: What is being played.
            template: Jinja over ``scene``, ``me``, ``others`` and ``said``; empty = topic, premise, people, task, plan
                and what was said.
            said: The last lines of the scene.

        Raises:
            PromptError: The template cannot be rendered.
        """
        shown, me = view_scene(world, scene, agent), view_self(world, agent)
        others = [view_person(world.agents[name]) for name in scene.cast if name != agent.id]
        if template:
            given = {"scene": shown, "me": me, "others": others, "said": list(said)}
            return self.prompts.render_text("rag.query_template", template, **given)
        names = [other.call_name for other in others]
        parts = (shown.topic, shown.premise, shown.intent, me.current_task, *me.plan, *names, *said)
        return " ".join(filter(None, parts))

    def repair(self, problems: Sequence[str], purpose: str) -> str:
        """Render the one further question after a reply that did not fit."""
        return self.prompts.render("repair.j2", problems=problems, purpose=purpose)

    @property
    def words(self) -> Callable[..., str]:
        """The Game Master's own sentences."""
        return self.prompts.words

    def fit(self, selection: Selection, budget: int | None, open_day: int | None = None) -> Selection:
        """Drop memories until they fit into a budget of estimated tokens; None = no budget."""
        if budget is None:
            return selection
        cost = [estimate_tokens(NODE_OVERHEAD + node.description) for node in selection.nodes]
        return fit_growing(selection, budget, cost, count_fresh(selection.nodes, open_day))

    def _world(self, world: World, cast: Sequence[Any]) -> str:
        return self._part(
            "world.j2",
            "",
            world=view_world(world.settings.world),
            places=world.settings.places,
            cast=cast,
            **reply_rules(world),
        )

    def persona(self, world: World, agent: Agent) -> str:
        """Render who a character is: its persona, and behind it the layers that stand with it, such as its soul."""
        persona = self._part("persona.j2", agent.id, me=view_self(world, agent))
        parts = layer_parts(world, agent)
        return "\n".join((persona, *(self._part(name, agent.id, **shown) for name, shown in parts.items())))

    def _part(self, template: str, whose: str, /, **variables: Any) -> str:
        """Render a part that is the same from call to call as a rule, and again only when something in it changed."""
        known = self._parts.get((template, whose))
        if known is None or known[0] != variables:
            known = (variables, self.prompts.render(template, **variables))
            self._parts[template, whose] = known
        return known[1]
