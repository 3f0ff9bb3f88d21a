"""What fills the slots of questions, by rule, from the world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gm.base.casefold import casefold
from gm.base.untyped import texts_in
from gm.files.experiments.interviews import SLOT, Questions
from gm.files.formats.text import files_below, read_data
from gm.files.layout import Layout
from gm.model.ids import agent_of
from gm.model.logged import LogEntry
from gm.model.world import Agent, World
from gm.scene.evening.asked import spoken_in
from gm.scene.grounding.mentions import mentioned

WHY = {
    "most": "it has not talked with anybody",
    "least": "there is nobody else",
    "nobody": "every name of the list occurs in this world",
    "gathering": "every gathering of the list occurs in this world",
    "told": "no talk of two others is known that it cannot have heard of",
    "thought": "no thought of another is known that it cannot have heard of",
}
"""Why a slot stays empty, by the slot or the beginning of its name."""


def unheard_of(layout: Layout, questions: Questions) -> dict[str, str]:
    """Return the first name and the first gathering of the lists that occur nowhere in the files of a world.

    Of a name, neither the whole nor any of its words may occur, in any case of letters and inside of no other word.
    """
    candidates = {"nobody": questions.names, "gathering": questions.gatherings}
    words = {name: casefold(name).split() for names in candidates.values() for name in names}
    seen = set[str]()
    for text in _world_texts(layout):
        seen |= {word for parts in words.values() for word in parts if word in text}
    found = {
        # the words of a gathering are ordinary ones, which may well occur by themselves
        "nobody": next((name for name in questions.names if not seen & {*words[name]}), ""),
        "gathering": next((name for name in questions.gatherings if not seen >= {*words[name]}), ""),
    }
    return {slot: name for slot, name in found.items() if name}


def _world_texts(layout: Layout) -> Iterator[str]:
    left_out = {layout.traces, layout.mailbox, layout.derived}
    yield casefold(read_data(layout.settings).decode("utf-8", "replace")) if layout.settings.is_file() else ""
    folders = (layout.state, layout.gallery, layout.library, layout.scripts, layout.logbook)
    for path in (path for folder in folders for path in files_below(folder, left_out)):
        if path.suffix in (".md", ".txt", ".json", ".jsonl", ".yaml"):
            yield casefold(read_data(path).decode("utf-8", "replace"))


def fill_slots(world: World, agent: Agent, unheard: Mapping[str, str]) -> dict[str, str]:
    """Return the values of all slots that can be filled for a character.

    ``most`` and ``least`` are counted over the conversations of its stream, equal ones by id. ``teller`` and ``told``
    are two others in their latest talk by themselves, ``thinker`` has an unspoken thought in a scene of others: the
    character has met none of them since, remembers nothing since that names them all, and has copies of none of
    their memories.
    """
    values = dict(unheard)
    met = _count_partners(world, agent)
    if met:
        values["most"] = min(met, key=lambda name: (-met[name], name))
    others = [name for name in world.agents if name not in (agent.id, values.get("most"))]
    if others:
        values["least"] = min(others, key=lambda name: (met[name], name))
    entries = [entry for entry in reversed(world.log) if not entry.is_summary and agent.id not in entry.participants]
    if (talk := _unknown(world, agent, (entry for entry in entries if _is_talk(world, entry)))) is not None:
        values |= {"teller": talk.participants[0], "told": talk.participants[1], "told_day": str(talk.day)}
    if (scene := _unknown(world, agent, (entry for entry in entries if _thinker(world, entry)))) is not None:
        values |= {"thinker": _thinker(world, scene), "thought_day": str(scene.day)}
    return {slot: world.call_name(value) for slot, value in values.items()}


def _count_partners(world: World, agent: Agent) -> Counter[str]:
    met = Counter[str]()
    for node in agent.stream:
        if node.type == "conversation":
            partners = {*texts_in(node.metadata.get("with")), *(speaker for speaker, _ in spoken_in(node))}
            met.update(name for name in partners if name in world.agents and name != agent.id)
    return met


def _is_talk(world: World, entry: LogEntry) -> bool:
    return len({*entry.participants}) == 2 and world.agents.keys() >= {*entry.participants} and bool(entry.dialogue)


def _thinker(world: World, entry: LogEntry) -> str:
    cast = {*entry.participants}
    thinking = (agent for agent, _ in entry.thoughts)
    return next((name for name in thinking if name in cast), "") if world.agents.keys() >= cast else ""


def _unknown(world: World, agent: Agent, entries: Iterable[LogEntry]) -> LogEntry | None:
    sources = {agent_of(node.copied_from) for node in agent.beside}
    return next((entry for entry in entries if not _has_heard(world, agent, entry, sources)), None)


def _has_heard(world: World, agent: Agent, entry: LogEntry, sources: set[str]) -> bool:
    people = {*entry.participants}
    since = (entry.day, entry.number or 0)
    met = any(
        agent.id in later.participants and people & {*later.participants}
        for later in world.log
        if not later.is_summary and (later.day, later.number or 0) >= since
    )
    cast = [world.agents[name] for name in people]
    since_then = (node for node in agent.stream if (node.when.day, node.when.scene) >= since)
    return met or bool(people & sources) or any({*mentioned(node.description, cast)} == people for node in since_then)


def fill_question(text: str, values: Mapping[str, str]) -> tuple[str, Sequence[str]]:
    """Return a question with its slots filled, and the slots that stay empty."""
    missing = [name for name in SLOT.findall(text) if name not in values]
    return SLOT.sub(lambda match: values.get(match[1], match[0]), text), tuple(dict.fromkeys(missing))


def explain_empty_slot(slot: str) -> str:
    """Return why a slot stays empty."""
    key = {"teller": "told", "thinker": "thought"}.get(slot, slot.partition("_")[0])
    return WHY[key]
