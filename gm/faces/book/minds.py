"""The cast; and one mind as chapters: persona, relationships, diary, reflections, memories."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from gm.api.views.persona import read_diary, view_persona
from gm.base.markup.clean import neutral_line
from gm.faces.book.sources import Sources, find_nodes
from gm.faces.book.texts import marked_blocks, paragraphs, plain_blocks, to_line
from gm.faces.book.values import BookEntry, BookSection, CastFact, CastMember, Chapter, Item, Points
from gm.files.check.personas import refuse_near_headings
from gm.files.streams.archive import read_archive
from gm.layers import LAYERS
from gm.layers.privacy import NUMBERS
from gm.layers.relationships import RELATIONSHIPS
from gm.memory.share import MEMORIES, PRIVATE, open_nodes
from gm.model.node import Node
from gm.model.world import Agent

_SPOKEN = re.compile(r"^(\w[^:\n]{0,60}: .*\S)$(?=\n\w[^:\n]{0,60}: )", re.M)
"""A line of a talk before another speaker's."""


def cast_chapter(sources: Sources) -> Chapter | None:
    """Return the chapter of the cast in the days of the book, if any."""
    seen = {name for scene in sources.scenes for name in scene.cast}
    persons = tuple(view_cast_member(sources, agent) for name, agent in sources.world.agents.items() if name in seen)
    return Chapter("cast", "", sources.say("cast"), "", persons) if persons else None


def view_cast_member(sources: Sources, agent: Agent) -> CastMember:
    """Return a character, with its current state if the book ends with the current day."""
    persona = view_persona(sources.layout, agent.id, sources.options.hidden)[0]
    nodes = nodes_of(sources, agent)
    age = next((", ".join(fact.texts) for fact in persona.facts if fact.key == "age"), "")
    facts = [("age", neutral_line(age)), ("home", sources.place(agent.home))]
    if sources.options.shows(NUMBERS) and (not sources.days or sources.days[-1] >= sources.world.clock.day):
        facts += [("mood", to_line(agent.state.mood)), ("task", to_line(agent.state.current_task))]
    if sources.options.shows(NUMBERS):
        insights = sum(1 for node in nodes if node.depth > 0)
        facts += [("memories_count", str(len(nodes))), ("insights_count", str(insights) if insights else "")]
    return CastMember(
        name=sources.named(agent.id),
        role=neutral_line(persona.role),
        portrait=neutral_line(persona.archetype),
        colour=agent.front_values.color,
        facts=tuple(CastFact(sources.say(key), value) for key, value in facts if value),
    )


def nodes_of(sources: Sources, agent: Agent) -> list[Node]:
    """Return the memories in a character's stream from the days of the book."""
    return select_from_days(sources, agent.stream)


def select_from_days(sources: Sources, nodes: Iterable[Node]) -> list[Node]:
    """Return the memories from the days of the book; all if it has no days."""
    wanted = set(sources.days)
    return [node for node in nodes if not wanted or node.when.day in wanted]


def mind_chapters(sources: Sources, name: str, *, several: bool) -> Iterator[Chapter]:
    """Yield the chapters of one mind, without hidden and empty ones."""
    agent = sources.world.agents[name]
    called = sources.called(name)
    label = called if several else ""
    who = _list_persona_items(sources, agent)
    yield Chapter("mind", "", sources.say("mind", name=called), "", who)
    nodes = select_from_days(
        sources, _tellable(sources, (*read_archive(sources.layout, name), *agent.summaries, *agent.stream))
    )
    parts: tuple[tuple[str, str, Callable[[], Iterable[Item]]], ...] = (
        ("relationships", "", lambda: _relationships(sources, agent)),
        ("diary", "", lambda: _diary(sources, agent)),
        ("reflections", "", lambda: _reflections(sources, nodes)),
        (
            "memories",
            sources.say("memories_lead", least=sources.options.least_importance),
            lambda: _memory_items(sources, nodes),
        ),
    )
    for part, lead, tell in parts:
        items = tuple(_drop_repeated_heads(tell())) if sources.options.shows(part) else ()
        if items:
            yield Chapter("mind", label, sources.say(part), lead, items)


def _tellable(sources: Sources, nodes: Iterable[Node]) -> tuple[Node, ...]:
    return open_nodes(nodes, sources.options.hidden)


def _drop_repeated_heads(items: Iterable[Item]) -> Iterator[Item]:
    before = ""
    for item in items:
        yield replace(item, head="") if isinstance(item, BookEntry) and item.head == before else item
        before = item.head if isinstance(item, BookEntry) else ""


def _list_persona_items(sources: Sources, agent: Agent) -> tuple[Item, ...]:
    items: list[Item] = [view_cast_member(sources, agent)]
    # layers that follow the persona in prompts; its prose is kept back with them
    following = [layer for layer in LAYERS if layer.view.template and sources.options.shows(layer.name)]
    prose = view_persona(sources.layout, agent.id, sources.options.hidden)[0].prose if following else ""
    if prose and not (sources.options.shows(PRIVATE) or sources.options.despite_headings):
        refuse_near_headings(sources.layout, [agent.id], sources.world.settings.publish.headings)
    blocks = marked_blocks(_SPOKEN.sub("\\1  ", prose)) if prose else ()
    items += [BookSection(sources.say("persona"), blocks)] if blocks else []
    for layer in following:
        for kind, texts in layer.words(agent.mind[layer]).items():
            head = sources.words.known(f"{layer.name}_kind", kind, neutral_line(kind))
            items.append(Points(head, tuple(map(neutral_line, texts))))
    return tuple(items)


def _relationships(sources: Sources, agent: Agent) -> Iterator[Item]:
    for other, known in agent.mind[RELATIONSHIPS].items():
        if known.is_stated:
            meta = (known.relationship_type, sources.say("trust_level", trust=known.trust_level), known.emotional_tone)
            text = "\n\n".join(filter(None, (known.rationale, known.relationship_notes)))
            yield BookEntry(sources.named(other), _join_with_dots(*meta), plain_blocks(text))


def _diary(sources: Sources, agent: Agent) -> Iterator[Item]:
    diary = read_diary(sources.layout, agent.id, sources.options.hidden)
    for entry in sorted(diary.entries if diary.is_on else (), key=lambda entry: entry.day):
        if not sources.days or entry.day in sources.days:
            meta = _join_with_dots(entry.mood, sources.place(entry.location))
            yield BookEntry(_name_day(sources, entry.day), meta, plain_blocks(entry.text))


def _reflections(sources: Sources, nodes: Iterable[Node]) -> Iterator[Item]:
    insights = [node for node in nodes if node.depth > 0]
    cited = find_nodes(sources.layout, sources.world, tuple(item for node in insights for item in node.evidence))
    for node in sorted(insights, key=lambda node: node.when):
        meta = _join_with_dots(
            sources.say("weight", importance=node.importance),
            sources.say("depth", depth=node.depth) if node.depth > 1 else "",
        )
        grounds: tuple[str, ...] = ()
        if sources.options.shows(MEMORIES):
            grounds = tuple(
                neutral_line(found.description)
                for found in _tellable(sources, (cited[item] for item in node.evidence if item in cited))
            )
        yield BookEntry(_name_day(sources, node.when.day), meta, plain_blocks(node.description), grounds)


def _memory_items(sources: Sources, nodes: Iterable[Node]) -> Iterator[Item]:
    for node in sorted(nodes, key=lambda node: node.when):
        if node.depth == 0 and node.importance >= sources.options.least_importance:
            kind = sources.words.known("memory_type", node.type, neutral_line(node.type))
            meta = _join_with_dots(kind, sources.say("weight", importance=node.importance))
            yield BookEntry(_name_day(sources, node.when.day), meta, plain_blocks(node.description))


def _name_day(sources: Sources, day: int) -> str:
    return ", ".join(filter(None, (sources.say("day", day=day), sources.weekday(day), sources.date(day))))


def _join_with_dots(*texts: str) -> str:
    return " · ".join(filter(None, (" ".join(paragraphs(to_line(text))) for text in texts)))
