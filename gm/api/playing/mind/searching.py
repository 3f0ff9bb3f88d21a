"""The tools that search memories, own and given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain

from gm.api.playing.mind.answers import MemoriesRecalled, RecalledItem, RegardItem
from gm.api.playing.mind.changing import strengthen
from gm.api.playing.mind.mind import OpenMind, match_seeds, seed_items
from gm.api.reports.gifted import rank_gifted
from gm.api.reports.recall import RecalledMemory, RecallOptions, open_recall
from gm.base.casefold import casefold
from gm.base.errors import UsageError
from gm.base.languages import all_languages, either
from gm.files.commits.snapshot import snapshot
from gm.files.layers import has_layer, load_history, load_layer
from gm.files.load import load_stream
from gm.files.story.now import load_clock
from gm.layers import LAYERS
from gm.layers.relationships import HISTORY, KEYS, RELATIONSHIPS
from gm.memory.recall.query import EPISODIC, SEMANTIC, Filters
from gm.memory.recall.strategies import LONGEST_QUESTION
from gm.memory.seed_memories import CHARACTER, KNOWLEDGE, SCENE, SCENE_CATEGORIES, canonical_queries
from gm.model.calendar import SceneRef, moment_of, weekday
from gm.model.ids import parse_node_id
from gm.model.mind import OFF, is_on
from gm.model.node import GIFTED, LESSON, Node
from gm.model.world import find_agent

TOP = 5
EPISODES = 10
WIDER = 3
"""Factor of additional results, so that reinforcement can raise one."""


def query_memory(mind: OpenMind, query: str, category: str | None = None) -> MemoriesRecalled:
    """Search episodic memories."""
    found = _recall(
        mind, query, RecallOptions(most=TOP, filters=Filters(types=(EPISODIC,), categories=_make_categories(category)))
    )
    items = (RecalledItem(content=item.content, relevance=item.relevance, turn=item.turn) for item in found)
    return MemoriesRecalled(query=query, memories=tuple(items))


def recall_episodes(
    mind: OpenMind,
    query: str,
    time_range: str | None = None,
    importance_threshold: int | None = None,
    category: str | None = None,
) -> MemoriesRecalled:
    """Return episodic memories in story order.

    Args:
        time_range: Story days (``3-7``, ``5``).
        importance_threshold: Least importance, 1–10.
        category: ``dialogue``, or another ``metadata.category``.
    """
    if importance_threshold is not None and not 1 <= importance_threshold <= 10:
        raise UsageError(f"importance_threshold {importance_threshold} is outside 1–10", "10 is pivotal, 1 is routine")
    days = _parse_days(time_range) if time_range else None
    filters = Filters(
        (), (EPISODIC,), (), _make_categories(category), min_importance=importance_threshold or 0, days=days
    )
    found = _recall(mind, query, RecallOptions(most=EPISODES, filters=filters))
    return MemoriesRecalled(query=query, memories=_describe_in_order(found))


def recall_facts(mind: OpenMind, topic: str, category: str | None = None) -> MemoriesRecalled:
    """Return semantic memories on a topic, with confidences.

    Confidence is 1 for seed memories, 1 - 1 / (2 + n) for a reflection on n memories, else importance / 10.

    Args:
        category: ``identity``, ``background``, ``relationship``, ``location`` …
    """
    _check_query(topic)
    known = [*mind.gifted(), *mind.shared_gifts()]
    if category is not None:
        known = match_seeds(known, category=(casefold(category),))
    given = [
        _gifted_item(node, relevance, confidence=1.0)
        for node, relevance in rank_gifted(known, topic, mind.settings.language, mind.meaning(topic))
        if relevance
    ]
    by_id = {node.id: node for node in _streams(mind)}
    learned: list[RecalledItem] = []
    filters = Filters(types=(SEMANTIC,), categories=_make_categories(category))
    for item in _recall(mind, topic, RecallOptions(most=2 * TOP, filters=filters)):
        if item.kept_in != GIFTED:
            learned.append(_describe_found(item, _confidence(item, by_id.get(item.id))))
    return MemoriesRecalled(query=topic, memories=_select_best(learned, given[:TOP]))


def recall_interactions(mind: OpenMind, character: str) -> MemoriesRecalled:
    """Return memories about another character in story order, and the relationship if the layer is on."""
    other = mind.other(character)
    names = tuple(dict.fromkeys((other.id, other.name, other.call_name)))
    options = RecallOptions("recent", EPISODES, filters=Filters(about=names))
    found = _describe_in_order(_recall(mind, other.name, options, wider=1))
    return MemoriesRecalled(character=other.name, memories=found, regard=_regard(mind, other.id))


def check_similar_situations(mind: OpenMind, context: str) -> MemoriesRecalled:
    """Return memories and lessons similar to a situation."""
    _check_query(context)
    lessons = match_seeds(mind.shared_gifts(), type=(LESSON,))
    given = [
        _gifted_item(node, relevance)
        for node, relevance in rank_gifted(lessons, context, mind.settings.language, mind.meaning(context))
        if relevance
    ]
    lived = [_describe_found(item) for item in _recall(mind, context, RecallOptions("hybrid", TOP))]
    return MemoriesRecalled(query=context, memories=_select_best(lived, given))


def _select_best(*found: Sequence[RecalledItem]) -> tuple[RecalledItem, ...]:
    return tuple(sorted(chain(*found), key=lambda item: -item.relevance)[:TOP])


def _recall(mind: OpenMind, query: str, options: RecallOptions, wider: int = WIDER) -> list[RecalledMemory]:
    _check_query(query)
    asked = replace(options, most=options.most * wider, everybody=mind.searches_all, as_read=True)
    with open_recall(mind.layout, mind.settings, mind.vectors) as memories:
        recalled, notices = memories.find(mind.agent.id, query, asked)
    for notice in notices:
        mind.notice(notice)
    found = strengthen(mind.layout, recalled.memories, mind.settings.tools.reinforced)[: options.most]
    mind.recalled.extend(item.id for item in found)
    return found


def _check_query(query: str) -> None:
    if not query.strip():
        raise UsageError("there is no question", "say what to look for, in a few words")
    if len(query) > LONGEST_QUESTION:
        raise UsageError(f"the question has {len(query):,} characters, {LONGEST_QUESTION:,} at most", "say it in short")


def _make_categories(category: str | None) -> tuple[str, ...]:
    return (category,) if category and category.strip() else ()


def _regard(mind: OpenMind, other: str) -> RegardItem | None:
    with snapshot(mind.layout):
        present = has_layer(mind.layout, RELATIONSHIPS, mind.agent.id)
        known, _ = load_layer(mind.layout, RELATIONSHIPS, mind.agent.id)
        lines, _ = load_history(mind.layout, RELATIONSHIPS, mind.agent.id, HISTORY)
    if not is_on(mind.settings.relationships, present):
        return None
    regard = next((item for key, item in known.items() if find_agent(mind.cast, key) == other), None)
    history = [line.record for line in lines if find_agent(mind.cast, str(line.record.get("with", ""))) == other]
    relationship = {key: getattr(regard, key) for key in KEYS} if regard else None
    return RegardItem(relationship, tuple(history[-EPISODES:]))


def _describe_in_order(found: Sequence[RecalledMemory]) -> tuple[RecalledItem, ...]:
    return tuple(_describe_found(item) for item in sorted(found, key=_moment_key))


def _moment_key(item: RecalledMemory) -> tuple[SceneRef, str, int]:
    owner, number = parse_node_id(item.id) or ("", 0)
    return moment_of(item.created), owner, number


def _describe_found(item: RecalledMemory, confidence: float | None = None) -> RecalledItem:
    return RecalledItem(
        id=item.id,
        content=item.content,
        relevance=item.relevance,
        turn=item.turn,
        created=item.created,
        importance=item.importance,
        kept_in=item.kept_in,
        confidence=confidence,
    )


def _gifted_item(node: Node, relevance: float, confidence: float | None = None) -> RecalledItem:
    return RecalledItem(
        id=f"{GIFTED}/{node.id}", content=node.description, relevance=relevance, kept_in=GIFTED, confidence=confidence
    )


def _streams(mind: OpenMind) -> list[Node]:
    names = mind.cast if mind.searches_all else (mind.agent.id,)
    with snapshot(mind.layout):
        return [node for name in names for node in load_stream(mind.layout, name)[0]]


def _confidence(item: RecalledMemory, node: Node | None) -> float:
    if node is not None and node.type == "reflection":
        return round(1 - 1 / (2 + len(node.evidence)), 4)
    return item.importance / 10


@cache
def _span() -> re.Pattern[str]:
    day, to = either(one.story_day for one in all_languages()), either(one.to for one in all_languages())
    number = rf"(?:(?:{day})[- ]?)?(?P<{{}}>\d{{{{1,9}}}})"
    return re.compile(rf"{number.format('first')}(?:\s*(?:-|–|\.\.|{to})\s*{number.format('last')})?", re.I)


def _parse_days(text: str) -> tuple[int, int]:
    match = _span().fullmatch(text.strip())
    if match is None or int(match["last"] or match["first"]) < int(match["first"]):
        raise UsageError(f"time_range {text!r} is not a span of story days", "write 3-7, or 5 for a single day")
    return int(match["first"]), int(match["last"] or match["first"])


def query_self(mind: OpenMind) -> MemoriesRecalled:
    """Return the identity: the soul, what occupies the character now, and seed memories."""
    paragraphs = (RecalledItem(content=text, relevance=1.0) for text in _after_persona(mind))
    return MemoriesRecalled(memories=(*paragraphs, *_find_own_gifts(mind, "identity", 5).memories))


def query_background(mind: OpenMind) -> MemoriesRecalled:
    """Return the personal history."""
    return _find_own_gifts(mind, "background", 5)


def query_communication_style(mind: OpenMind) -> MemoriesRecalled:
    """Return how the character communicates."""
    return _find_own_gifts(mind, "communication", 3)


def query_scene(mind: OpenMind) -> MemoriesRecalled:
    """Return place and atmosphere: the present state, then one memory per category, preferring those of the place."""
    nodes = match_seeds(mind.shared_gifts(), type=(SCENE,))
    place = casefold(mind.here.place if mind.here else mind.agent.state.position)
    chosen: list[tuple[Node, float]] = []
    for category in SCENE_CATEGORIES:
        here = [node for node in match_seeds(nodes, category=(category,)) if casefold(node.about) in ("", place)]
        queries = canonical_queries(category, mind.words)
        ranked = rank_gifted(here, queries[0] if queries else "", mind.settings.language)
        chosen += sorted(ranked, key=lambda item: (-item[1], casefold(item[0].about) != place))[:1]
    now = RecalledItem(content=_render_now(mind), relevance=1.0)
    return MemoriesRecalled(memories=(now, *seed_items(chosen, 4)))


def query_character(mind: OpenMind, name: str) -> MemoriesRecalled:
    """Return seed memories about another character."""
    other = mind.other(name)
    if other.id == mind.agent.id:
        raise UsageError(f"{other.name} is you", "use query_self to learn about yourself")
    nodes = match_seeds(mind.own_gifts(), type=(KNOWLEDGE,), about=(other.id,))
    queries = canonical_queries("other", mind.words, other.call_name)
    ranked = rank_gifted(nodes, queries[0] if queries else other.name, mind.settings.language)
    return MemoriesRecalled(character=other.name, memories=seed_items(ranked, 3))


def _after_persona(mind: OpenMind) -> Iterator[str]:
    # The layers that follow the persona in prompts.
    for layer in LAYERS:
        if layer.view.template and mind.settings.switches.get(layer.name) != OFF:
            with snapshot(mind.layout):
                value, _ = load_layer(mind.layout, layer, mind.agent.id)
            yield from chain.from_iterable(layer.words(value).values())


def _find_own_gifts(mind: OpenMind, category: str, most: int) -> MemoriesRecalled:
    nodes = match_seeds(mind.own_gifts(), type=(CHARACTER,), category=(category,))
    queries = canonical_queries(category, mind.words)
    ranked = rank_gifted(nodes, queries[0] if queries else category, mind.settings.language)
    return MemoriesRecalled(memories=seed_items(ranked, most))


def _render_now(mind: OpenMind) -> str:
    if mind.here is not None:
        return _render_scene_now(mind, mind.here.day, mind.here.time_of_day, mind.here.place, mind.here.others)
    with snapshot(mind.layout):
        clock, _ = load_clock(mind.layout)
    place = mind.agent.state.position
    others = [
        other.call_name
        for other in mind.cast.values()
        if place and other.id != mind.agent.id and casefold(other.state.position) == casefold(place)
    ]
    return _render_scene_now(mind, clock.day, clock.time_of_day, place, others, is_open=clock.day_open)


def _render_scene_now(
    mind: OpenMind, day: int, time: str, place: str, others: Sequence[str], *, is_open: bool = True
) -> str:
    return mind.words(
        "scene_now",
        day=day,
        weekday=weekday(day, mind.settings.calendar.weekdays),
        time=time if is_open else "",
        open=is_open,
        place=place,
        others=list(others),
    )
