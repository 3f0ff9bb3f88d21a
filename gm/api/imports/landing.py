"""Write what came from other tools into a world: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from gm.api.create import render_first_state
from gm.api.editing import editing, left_alone
from gm.api.gift import would_be_given
from gm.api.imports.arrival import Arrival, Lore, Memory, Person, Source
from gm.api.imports.files import lore_text, memory_nodes, persona_front, persona_text, renumbered
from gm.api.imports.texts import clean_line, clean_text
from gm.base.config import Settings
from gm.base.errors import UsageError, refuse_errors
from gm.files.commits.lines import replace_step
from gm.files.commits.snapshot import snapshot
from gm.files.commits.steps import Create, Step, paths_of, restore_step
from gm.files.commits.writer import append_step
from gm.files.forms.text import read_text
from gm.files.forms.yamledit import set_yaml
from gm.files.layers.minds import mind_steps
from gm.files.layout import Layout
from gm.files.load import load_cast
from gm.files.now import load_clock, load_settings
from gm.files.streams.gifted import read_gifted
from gm.layers.relationships import RELATIONSHIPS, RelationshipChange
from gm.layers.soul import SOUL, SoulChange, SoulEntry
from gm.model.calendar import render_day
from gm.model.character import Agent, AgentState, find_agent, known_agent
from gm.model.mind import MindChange
from gm.model.node import render_node
from gm.model.persona import Persona
from gm.scene.names import slug

BY_HAND = "correct them by hand; nothing was written"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a source: where it went, or why it was left aside."""

    part: str
    said: str


@dataclass(frozen=True, slots=True)
class Landed:
    """What one source has brought, or would bring.

    Attributes:
        people: Ids of new characters, and of those who were given something.
        files: Paths inside the world.
        scenario: A premise that the source suggests; it is written nowhere.
    """

    source: str
    format: str
    people: tuple[str, ...]
    files: tuple[str, ...]
    scenario: str
    mapped: tuple[Part, ...]
    left: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import has written, or would write.

    Attributes:
        others: Files of seed memories in which others come to know those who are new.
    """

    written: bool
    sources: tuple[Landed, ...]
    others: tuple[str, ...] = ()


def land(layout: Layout, arrivals: Sequence[tuple[Source, Arrival]], *, write: bool) -> tuple[Imported, list[str]]:
    """Write arrivals into a world in one commit; return what was written, and notes.

    Args:
        write: If False, only return what would be written.

    Raises:
        UsageError: A character of the same name exists, or one who is to be given something does not.
        BrokenWorldError: Files that are needed cannot be read.
    """
    if not write:
        with snapshot(layout):
            return _planned(layout, arrivals)[0], []
    with editing(layout, "gm import") as desk:
        imported, steps = _planned(layout, arrivals)
        # as a persona that was written by hand, what was imported is no part of the story that can be taken back
        desk.commit(steps, left_alone, recorded=False)
    return replace(imported, written=True), desk.notes


def _planned(layout: Layout, arrivals: Sequence[tuple[Source, Arrival]]) -> tuple[Imported, list[Step]]:
    settings, problems = load_settings(layout)
    cast, found = load_cast(layout)
    refuse_errors([*problems, *found], "files that this needs cannot be read as they are", BY_HAND)
    plan = _Plan(layout, settings, cast)
    for source, arrival in arrivals:  # first, so that all of them can be named by each other
        plan.welcome(source, arrival)
    landed = tuple(plan.add(source, arrival) for source, arrival in arrivals)
    shared = plan.finish()
    told = {path for one in landed for path in one.files}
    others = tuple(sorted({path for step in shared for path in paths_of(step)} - told))
    return Imported(False, landed, others), [*shared, *plan.steps]


@dataclass
class _Plan:
    """The steps of an import; ``cast`` grows by those who come."""

    layout: Layout
    settings: Settings
    cast: dict[str, Agent]
    steps: list[Step] = field(default_factory=list)
    memories: dict[str, list[Memory]] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    _ids: dict[int, str] = field(default_factory=dict)
    _new: set[str] = field(default_factory=set)
    _written: set[int] = field(default_factory=set)
    _paths: set[str] = field(default_factory=set)

    def welcome(self, source: Source, arrival: Arrival) -> None:
        """Find an id for everyone who comes."""
        for person in arrival.people:
            name = clean_line(person.name)
            if not person.prose.strip() or (person.only_new and find_agent(self.cast, name) is not None):
                self._ids[id(person)] = known_agent(self.cast, name)
                continue
            new = slug(name, f"character-{len(self.cast) + 1}")
            if find_agent(self.cast, new) is not None or find_agent(self.cast, name) is not None:
                raise UsageError(
                    f"{source.name}: there is a character {new} already", "give this one another name: --as NAME"
                )
            self._ids[id(person)] = new
            self._new.add(new)
            self._written.add(id(person))
            self.cast[new] = Agent(new, AgentState(name=name), Persona({**person.front, "name": name}, person.prose))

    def add(self, source: Source, arrival: Arrival) -> Landed:
        """Add what one source brings."""
        left = [*arrival.left, *(("", problem) for problem in source.problems)]
        before = set(self._paths)
        ids = tuple(dict.fromkeys(self._ids[id(person)] for person in arrival.people))
        self._places(arrival.places)
        for person in arrival.people:
            left += self._person(person, self._ids[id(person)])
        for lore in arrival.lore:
            left += self._lore(lore)
        self._keep(source, arrival, ids)
        return Landed(
            source.name,
            arrival.format,
            ids,
            tuple(sorted(self._paths - before)),
            clean_text(arrival.scenario),
            tuple(Part(*pair) for pair in arrival.mapped),
            tuple(Part(*pair) for pair in left),
        )

    @property
    def _all_places(self) -> dict[str, str]:
        return {**self.settings.places, **self.places}

    def _person(self, person: Person, agent: str) -> list[tuple[str, str]]:
        left: list[tuple[str, str]] = []
        if id(person) in self._written:
            front, left = persona_front(person, self._all_places, lambda name: find_agent(self.cast, name))
            self.cast[agent] = replace(self.cast[agent], persona=Persona(front, clean_text(person.prose)))
            persona = self.layout.persona(agent)
            self._put(persona, Create(self.layout.shown(persona), persona_text(front, person.prose)))
            state, stream = self.layout.agent(agent), self.layout.stream(agent)
            self._put(state, Create(self.layout.shown(state), render_first_state(self.cast[agent])))
            self._put(stream, Create(self.layout.shown(stream), ""))
        elif person.prose.strip():
            left.append(("persona", f"{agent} is in the world already and stays as it is"))
        self._remember(agent, person.memories)
        left += self._mind(person, agent)
        if person.portrait:
            left += self._portrait(agent, person.portrait)
        return left

    def _remember(self, agent: str, memories: Sequence[Memory]) -> None:
        """Add memories; their evidence are places among the memories of one source."""
        if memories:
            mine = self.memories.setdefault(agent, [])
            before = len(mine)
            mine += [replace(one, evidence=tuple(before + place for place in one.evidence)) for one in memories]
            self._paths.add(self.layout.shown(self.layout.gifted(agent)))

    def _mind(self, person: Person, agent: str) -> list[tuple[str, str]]:
        left: list[tuple[str, str]] = []
        day = render_day(load_clock(self.layout)[0].day)
        thoughts: list[RelationshipChange] = []
        for name, text in person.relationships.items():
            other = find_agent(self.cast, clean_line(name))
            said = clean_line(text)
            if said and (other is None or other == agent):
                self._remember(agent, [Memory(f"{clean_line(name)}: {said}", about=(name,))])
                left.append((f"relationship to {name}", "no character of the world has this name; it became a memory"))
            elif said and other:
                thoughts.append(RelationshipChange(other, day, {"relationship_notes": said}))
        entries = tuple(
            SoulEntry(kind, said) for kind, texts in person.soul.items() for text in texts if (said := clean_line(text))
        )
        change = MindChange().with_change(RELATIONSHIPS, tuple(thoughts) or None)
        change = change.with_change(SOUL, SoulChange(entries) if entries else None)
        for step in mind_steps(self.layout, agent, change):
            self.steps.append(step)
            self._paths.add(step.path)
        return left

    def _portrait(self, agent: str, picture: bytes) -> list[tuple[str, str]]:
        path = self.layout.portrait(agent)
        if path.exists():
            return [("portrait", f"{self.layout.shown(path)} is there already")]
        self._put(path, restore_step(self.layout.shown(path), None, picture))
        return []

    def _lore(self, lore: Lore) -> list[tuple[str, str]]:
        text = lore_text(lore)
        stem = slug(lore.title, "text")
        for number in range(1, 1000):
            path = self.layout.library / f"{stem}{f'-{number}' if number > 1 else ''}.md"
            shown = self.layout.shown(path)
            if shown in self._paths:
                continue
            if not path.exists():
                self._put(path, Create(shown, text))
                return []
            if read_text(path, shown)[0].body == text:
                return [(lore.title, f"{shown} says it already")]
        return [(lore.title, "too many texts of this name")]

    def _places(self, places: Mapping[str, str]) -> None:
        for name, text in places.items():
            place = slug(name, "")
            if place and place not in self.settings.places:
                self.places.setdefault(place, clean_text(text))
                self._paths.add(self.layout.shown(self.layout.settings))

    def _keep(self, source: Source, arrival: Arrival, ids: Sequence[str]) -> None:
        """Keep copies: of a new character under its id, of all else under a name that is free."""
        new = len(ids) == 1 and id(arrival.people[0]) in self._written
        stem = ids[0] if len(ids) == 1 else slug(PurePath(source.name).stem, "import")
        for number in range(1, 1000):
            paths = [self.layout.kept(stem if number == 1 else f"{stem}-{number}", ending) for ending in arrival.kept]
            taken = [path for path in paths if path.exists() or self.layout.shown(path) in self._paths]
            if not taken:
                break
            if new:
                raise UsageError(
                    f"{self.layout.shown(taken[0])} is there, from another character {stem}",
                    "move it away, or --as NAME",
                )
        for path, data in zip(paths, arrival.kept.values(), strict=True):
            self._put(path, restore_step(self.layout.shown(path), None, data))

    def _put(self, path: Path, step: Step) -> None:
        self.steps.append(step)
        self._paths.add(self.layout.shown(path))

    def finish(self) -> list[Step]:
        """Return the steps of files that several sources share: places, and seed memories."""
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
        """Add imported memories, and before them what gm gift would add, so that nothing is left for it to do."""
        file = read_gifted(self.layout, agent)
        refuse_errors(file.problems, "seed memories cannot be read as they are", BY_HAND)
        settings = replace(self.settings, places=self._all_places)
        given = would_be_given(self.layout, settings, self.cast, agent)
        if file.text is not None:
            given = tuple(node for node in given if node.metadata.get("about") in self._new)
        ids = [*(node.id for node in file.nodes), *file.lost]
        given = renumbered(agent, given, ids)
        ids += [node.id for node in given]
        memories = self.memories.get(agent, ())
        there = (*file.nodes, *given)
        added = memory_nodes(agent, memories, there, ids, settings.language, lambda name: find_agent(self.cast, name))
        path = self.layout.gifted(agent)
        lines = [render_node(node) for node in (*given, *added)]
        if not lines:
            return []
        if file.text is None:
            return [Create(self.layout.shown(path), "".join(f"{line}\n" for line in lines))]
        return [append_step(self.layout, path, lines)]
