"""What an import writes, as the steps of one commit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path, PurePath

from gm.api.editing.gift import preview_gifts
from gm.api.imports.arrival import Arrival, ImportedPerson, ImportSource, Lore, Memory
from gm.api.imports.fields import MOST_ITEMS, clean_line, clean_text
from gm.api.imports.files import lore_text, memory_nodes, persona_front, renumber_memories, text_with_front
from gm.api.imports.png import without_texts
from gm.api.worlds.create import render_first_state
from gm.base.config import Settings
from gm.base.errors import CORRECT_HINT, UsageError, refuse_errors
from gm.base.regular import read_regular
from gm.base.texts import clip, counted
from gm.files.commits.steps import Create, Step, append_step, replace_step, restore_step
from gm.files.formats.text import read_text
from gm.files.formats.yamledit import set_yaml
from gm.files.layers import mind_steps
from gm.files.layout import Layout
from gm.files.media.portraits import MOST_PORTRAIT_BYTES
from gm.files.story.now import load_clock
from gm.files.streams.gifted import read_gifted
from gm.layers import LAYERS
from gm.layers.relationships import RELATIONSHIPS, RelationshipChange
from gm.layers.soul import SOUL, SoulChange, SoulEntry
from gm.model.calendar import render_day
from gm.model.mind import MindChange
from gm.model.node import Node, render_node
from gm.model.persona import Persona
from gm.model.state import AgentState
from gm.model.world import Agent, find_agent, known_agent
from gm.scene.pieces.names import slug

MOST_PERSONA = 500_000
"""Characters of a persona; all of them are in every prompt."""
MOST_KEPT = 5_000
"""Of one source for one character."""
Left = list[tuple[str, str]]
"""Parts that were left aside, and why."""
LONGEST_SENTENCE = 2_000
"""Characters of a sentence in a soul."""
MOST_OF_A_NAME = 199
"""Texts of the library that have one name and a number."""


@dataclass
class ImportPlan:
    """The steps of an import; ``cast`` grows by the newcomers."""

    layout: Layout
    settings: Settings
    cast: dict[str, Agent]
    steps: list[Step] = field(default_factory=list)
    memories: dict[str, list[Sequence[Memory]]] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    _ids: dict[int, str] = field(default_factory=dict)
    _new: set[str] = field(default_factory=set)
    _written: set[int] = field(default_factory=set)
    _paths: set[str] = field(default_factory=set)
    _texts: dict[str, str] = field(default_factory=dict)

    def welcome(self, source: ImportSource, arrival: Arrival) -> None:
        """Give the people who arrive their ids, and add new ones to the cast.

        Raises:
            UsageError: One has the name or the files of another.
        """
        for person in arrival.people:
            name = clean_line(person.name)
            if not person.prose.strip() or (person.only_new and self._find_in_cast(name) is not None):
                self._ids[id(person)] = known_agent(self.cast, name)
                continue
            new = slug(name, f"character-{len(self.cast) + 1}")
            if (known := find_agent(self.cast, new) or find_agent(self.cast, name)) is not None:
                meant = "" if name in (known, self.cast[known].name) else f", whom {name!r} means"
                raise UsageError(
                    f"{source.name}: there is a character {known} already{meant}",
                    "give this one another name: --as NAME",
                )
            self._refuse_leftovers(source, new)
            self._ids[id(person)] = new
            self._new.add(new)
            self._written.add(id(person))
            self.cast[new] = Agent(new, AgentState(name=name), Persona({**person.front, "name": name}, person.prose))

    def _refuse_leftovers(self, source: ImportSource, new: str) -> None:
        """A newcomer must not inherit the mind of an earlier character."""
        minds = (self.layout.layer(layer, new) for layer in LAYERS)
        streams = (self.layout.gifted(new), self.layout.archived(new), self.layout.summarised(new))
        for path in (*minds, *streams):
            if path.exists():
                shown = self.layout.shown(path)
                raise UsageError(
                    f"{source.name}: {shown} already exists, from another {new}", "move it away, or --as NAME"
                )

    def add(self, source: ImportSource, arrival: Arrival) -> tuple[tuple[str, ...], tuple[str, ...], Left]:
        """Add a source; return ids, file paths, and what was left aside."""
        left: Left = []
        before = set(self._paths)
        ids = tuple(dict.fromkeys(self._ids[id(person)] for person in arrival.people))
        self._add_places(arrival.places)
        for person in arrival.people:
            left += self._add_person(person, self._ids[id(person)])
        for lore in arrival.lore:
            left += self._lore(lore)
        self._keep_copies(source, arrival, ids)
        return ids, tuple(sorted(self._paths - before)), left

    def _add_person(self, person: ImportedPerson, agent: str) -> Left:
        left: Left = []
        if id(person) in self._written:
            front, left = persona_front(person, self._settings_with_places.places, self._find_in_cast)
            self.cast[agent] = replace(self.cast[agent], persona=Persona(front, clean_text(person.prose)))
            persona = self.layout.persona(agent)
            text = text_with_front(front, person.prose)
            if len(text) > MOST_PERSONA:
                message = f"{len(text):,} characters about {agent}, at most {MOST_PERSONA:,}"
                raise UsageError(message, "shorten it; all of them would be in every prompt")
            self._add_step(persona, Create(self.layout.shown(persona), text))
            state, stream = self.layout.agent(agent), self.layout.stream(agent)
            self._add_step(state, Create(self.layout.shown(state), render_first_state(self.cast[agent])))
            self._add_step(stream, Create(self.layout.shown(stream), ""))
        elif person.prose.strip():
            left.append(("persona", f"{agent} is in the world already and stays as it is"))
        left += self._remember(agent, person.memories)
        left += self._mind(person, agent)
        if person.portrait:
            left += self._portrait(agent, person.portrait)
        return left

    def _remember(self, agent: str, memories: Sequence[Memory]) -> Left:
        taken = memories[:MOST_KEPT]
        there = {(node.type, node.description) for node in read_gifted(self.layout, agent).nodes}
        known = sum(1 for one in taken if one.entry is None and (one.type, clean_line(one.text)) in there)
        if len(taken) > known:
            self.memories.setdefault(agent, []).append(taken)
            self._paths.add(self.layout.shown(self.layout.gifted(agent)))
        others = len(memories) - MOST_KEPT
        left = [(counted(known, "memory"), f"{agent} has the same already")] if known else []
        return [*left, *([(f"{others:,} memories", f"more than {MOST_KEPT:,}")] if others > 0 else [])]

    def _mind(self, person: ImportedPerson, agent: str) -> Left:
        left: Left = []
        clock, problems = load_clock(self.layout)
        refuse_errors(problems, "the day of the world cannot be read", CORRECT_HINT)
        day = render_day(clock.day)
        thoughts: list[RelationshipChange] = []
        strangers: list[Memory] = []
        counts = {
            "relationships": len(person.relationships),
            **{kind: len(texts) for kind, texts in person.soul.items()},
        }
        left += [(key, f"only the first {MOST_ITEMS} of {n:,}") for key, n in counts.items() if n > MOST_ITEMS]
        for name, text in islice(person.relationships.items(), MOST_ITEMS):
            other, said = self._find_in_cast(clean_line(name)), clean_line(text)
            if said and (other is None or other == agent):
                strangers.append(Memory(f"{clean_line(name)}: {said}", about=(name,)))
                left.append((f"relationship to {name}", "no character of the world has this name; it became a memory"))
            elif said and other:
                thoughts.append(RelationshipChange(other, day, {"relationship_notes": said}))
        left += self._remember(agent, strangers)
        entries = tuple(
            SoulEntry(kind, said)
            for kind, texts in person.soul.items()
            for said in dict.fromkeys(clip(clean_line(text), LONGEST_SENTENCE) for text in texts[:MOST_ITEMS])
            if said
        )
        change = MindChange().with_change(RELATIONSHIPS, tuple(thoughts) or None)
        change = change.with_change(SOUL, SoulChange(entries) if entries else None)
        for step in mind_steps(self.layout, agent, change):
            self.steps.append(step)
            self._paths.add(step.path)
        return left

    def _portrait(self, agent: str, picture: bytes) -> Left:
        try:
            picture = without_texts(picture)  # a card that is hidden in it must not be published with it
        except ValueError as error:
            return [("portrait", str(error))]
        path = self.layout.portrait(agent)
        if path.exists():
            return [("portrait", f"{self.layout.shown(path)} already exists")]
        self._add_step(path, restore_step(self.layout.shown(path), None, picture))
        size, most = len(picture), MOST_PORTRAIT_BYTES
        return (
            [("portrait", f"no page shows it: found {size:,} bytes, expected at most {most:,}")] if size > most else []
        )

    def _lore(self, lore: Lore) -> Left:
        text = lore_text(lore)
        for name in islice(_numbered(slug(lore.title, "text")), MOST_OF_A_NAME):
            if name not in self._texts:
                path = self.layout.library / f"{name}.md"
                shown = self.layout.shown(path)
                if not path.exists():
                    self._texts[name] = text
                    self._add_step(path, Create(shown, text))
                    return []
                self._texts[name] = read_text(path, shown)[0].body
            if self._texts[name] == text:
                return [(lore.title, f"library/{name}.md says it already")]
        return [(lore.title, f"more than {MOST_OF_A_NAME} texts of this name")]

    def _add_places(self, places: Mapping[str, str]) -> None:
        for name, text in places.items():
            place = slug(name, "")
            if place and place not in self.settings.places:
                self.places.setdefault(place, clean_text(text))
                self._paths.add(self.layout.shown(self.layout.settings))

    def _keep_copies(self, source: ImportSource, arrival: Arrival, ids: Sequence[str]) -> None:
        """Keep copies, a new character's under its id, others under a free name."""
        new = len(ids) == 1 and id(arrival.people[0]) in self._written
        stem = ids[0] if len(ids) == 1 else slug(PurePath(source.name).stem, "import")
        for name in _numbered(stem):
            paths = [self.layout.kept(name, ending) for ending in arrival.kept]
            taken = [path for path in paths if self.layout.shown(path) in self._paths or path.exists()]
            if not taken:
                break
            copies = zip(paths, arrival.kept.values(), strict=True)
            if not new and all(_holds(path, data) for path, data in copies):
                return
            if new:
                raise UsageError(
                    f"{self.layout.shown(taken[0])} already exists, from another character {stem}",
                    "move it away, or --as NAME",
                )
        for path, data in zip(paths, arrival.kept.values(), strict=True):
            self._add_step(path, restore_step(self.layout.shown(path), None, data))

    @property
    def _settings_with_places(self) -> Settings:
        return replace(self.settings, places={**self.settings.places, **self.places})

    def _find_in_cast(self, name: str) -> str | None:
        return find_agent(self.cast, name)

    def _add_step(self, path: Path, step: Step) -> None:
        self.steps.append(step)
        self._paths.add(self.layout.shown(path))

    def finish(self) -> list[Step]:
        """Return the steps of files that sources share: places and seed memories."""
        known = [agent for agent in self.cast if self.layout.gifted(agent).is_file()]
        owners = dict.fromkeys((*self.memories, *known))
        return [*self._settings_step(), *(step for agent in owners for step in self._gifted_steps(agent))]

    def _settings_step(self) -> list[Step]:
        if not self.places:
            return []
        path = self.layout.settings
        old = read_text(path, self.layout.shown(path))[0]
        text = old.content
        known = bool(self.settings.places)
        try:
            for place, said in self.places.items():
                keys, value = (("places", place), said) if known else (("places",), {place: said})
                text, known = set_yaml(text, keys, value), True
        except ValueError as error:
            raise UsageError(
                f"gm.yaml: {error}", "write the places into it by hand first, or import without"
            ) from error
        return [replace_step(self.layout, path, old.content, text) if old.exists else Create(path.name, text)]

    def _gifted_steps(self, agent: str) -> list[Step]:
        """Put what gm gift would add before imported memories, so that nothing is left for it to do."""
        file = read_gifted(self.layout, agent)
        refuse_errors(file.problems, "seed memories cannot be read as they are", CORRECT_HINT)
        given = preview_gifts(self.layout, self._settings_with_places, self.cast, agent)
        if file.text is not None:
            given = tuple(node for node in given if node.about in self._new)
        ids = [*(node.id for node in file.nodes), *file.lost]
        given = renumber_memories(agent, given, ids)
        ids += [node.id for node in given]
        added: list[Node] = []
        for memories in self.memories.get(agent, ()):
            there = (*file.nodes, *given, *added)
            known = [*ids, *(node.id for node in added)]
            added += memory_nodes(agent, memories, there, known, self.settings.language, self._find_in_cast)
        path = self.layout.gifted(agent)
        lines = [render_node(node) for node in (*given, *added)]
        if not lines:
            return []
        if file.text is None:
            return [Create(self.layout.shown(path), "".join(f"{line}\n" for line in lines))]
        return [append_step(self.layout, path, lines)]


def _numbered(stem: str) -> Iterator[str]:
    yield stem
    yield from (f"{stem}-{number}" for number in count(2))


def _holds(path: Path, data: bytes) -> bool:
    try:
        return read_regular(path, len(data)) == data
    except (OSError, ValueError):
        return False
