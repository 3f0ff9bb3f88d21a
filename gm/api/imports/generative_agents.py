"""Read personas of generative agents (Park et al. 2023): one or several ``bootstrap_memory`` folders.

A table of backstories may lie beside them, such as ``agent_history_init_n3.csv``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from gm.api.answers.speech import Words
from gm.api.imports import genagents
from gm.api.imports.arrival import Account, Arrival, Format, FormatOptions, ImportedPerson, ImportSource, Memory
from gm.api.imports.fields import age_of, clean_name, clean_scalar, line_of, lines_of, need_object, object_of, read_json
from gm.api.imports.generative_memory import TABLE, Backstory, read_backstories, read_concept_nodes, speakers_in
from gm.api.imports.keeping import gather_memories, keep_copies
from gm.api.imports.prose import front_matter, import_words, prose_of, under_heading
from gm.base.errors import UsageError
from gm.scene.pieces.names import slug

SCRATCH, SPATIAL, NODES = PARTS = tuple(
    map(PurePosixPath, ("scratch.json", "spatial_memory.json", "associative_memory/nodes.json"))
)
"""Files of one persona, from its folder."""
TOLD = ("innate", "learned", "currently", "lifestyle")
"""Keys of a scratch file that no other tool has."""
STATUS = "Status:"
"""What the simulation puts before a plan that it has revised."""
SECTIONS: Mapping[str, tuple[str, ...]] = {
    "learned": ("learned",),
    "lifestyle": ("lifestyle", "daily_plan_req"),
    "currently": ("currently",),
}
"""Headings of the prose, and the keys that go under them."""
LEFT: tuple[tuple[tuple[str, ...], str], ...] = (
    (("curr_tile", "planned_path", "act_path_set"), "a place has no tiles here"),
    (("daily_req", "f_daily_schedule", "f_daily_schedule_hourly_org"), "days are planned anew here"),
    (
        ("recency_decay", "importance_trigger_max", "vision_r", "retention"),
        "settings of another engine: see gm settings",
    ),
)
"""Keys that are left aside, and why; the first of a group speaks for all."""
MOST_PLACES = 60


@dataclass(frozen=True, slots=True)
class _Home:
    place: str
    scratch: Mapping[str, object]
    tree: object = None
    nodes: object = None

    @property
    def name(self) -> str:
        return clean_name(self.scratch.get("name"))


def fits(source: ImportSource) -> bool:
    """Return whether a source holds a persona: its folder (not one of genagents), or its scratch file."""
    if source.files:
        return any(_homes_in(source))
    return all(key in object_of(source.data) for key in TOLD)


def read(source: ImportSource, options: FormatOptions) -> Arrival:
    """Read personas with their memories and places.

    Raises:
        UsageError: A file is not JSON, or names no persona.
    """
    account = Account()
    homes = list(_homes(source))
    stories = read_backstories(source, account)
    names = {home.name for home in homes} | {name for home in homes for name in speakers_in(home.nodes)}
    places = read_places((home.tree for home in homes), account)
    for name in sorted(set(stories) - {home.name for home in homes}):
        account.leave(f"the backstory of {name}", "this persona is not in the folder")
    people = []
    for home in homes:
        called = (options.name if len(homes) == 1 else "") or home.name
        if not called:
            raise UsageError(f"{home.place}: name: found no name, expected a text", "give one: --as NAME")
        story = stories.get(home.name, Backstory())
        people.append(_make_person(called, home, story, names - {home.name}, places, options, account))
    return Arrival(
        FORMAT.name, tuple(people), places=places, kept=_keep_files(source), mapped=account.mapped, left=account.left
    )


FORMAT = Format("persona of generative agents", fits, read)


def read_places(trees: Iterable[object], account: Account) -> dict[str, str]:
    """Return places by id: a sector's name, its arenas, and the objects in them."""
    places: dict[str, str] = {}
    for tree in trees:
        for sectors in map(object_of, object_of(tree).values()):
            for sector, arenas in sectors.items():
                place, text = slug(sector, ""), _describe_sector(sector, arenas)
                if place and len(text) > len(places.get(place, "")):
                    places[place] = text
    if len(places) > MOST_PLACES:
        account.leave("places", f"only the first {MOST_PLACES} of {len(places)}")
    if places:
        account.took("spatial_memory", "places")
    return dict([*places.items()][:MOST_PLACES])


def place_of(address: object) -> str:
    """Return the place id of an address (``the Ville:Hobbs Cafe:cafe``); empty without one."""
    parts = line_of(address).split(":")
    return slug(parts[1], "") if len(parts) > 1 else ""


def _homes_in(source: ImportSource) -> Iterator[PurePosixPath]:
    for path in sorted(source.files):
        if path.name == SCRATCH.name and path.parent / genagents.NODES not in source.files:
            yield path


def _homes(source: ImportSource) -> Iterator[_Home]:
    if not source.files:
        yield _Home(source.name, need_object(source.data, source.name))
        return
    for path in _homes_in(source):
        own, tree, nodes = (_read_file(source, path.parent / part) for part in PARTS)
        place = f"{source.name}/{path}"
        yield _Home(place, need_object(own, place), tree, nodes)


def _read_file(source: ImportSource, path: PurePosixPath) -> object:
    raw = source.files.get(path)
    return None if raw is None else read_json(raw, f"{source.name}/{path}")


def _keep_files(source: ImportSource) -> dict[str, bytes]:
    """Return files without embeddings, told apart by folder names."""
    if not source.files:
        return {f".{SCRATCH}": source.raw}
    return keep_copies(_copies(source))


def _copies(source: ImportSource) -> Iterator[tuple[str, str, bytes]]:
    paths = list(_homes_in(source))
    for path in paths:
        before = "".join(path.parts[-3:-2]) if len(paths) > 1 else ""
        for part in PARTS:
            if (raw := source.files.get(path.parent / part)) is not None:
                yield before, f".{part.name}", raw
    for path, raw in source.files.items():
        if path.suffix.lower() == TABLE:
            yield path.stem, TABLE, raw


def _make_person(
    name: str,
    home: _Home,
    story: Backstory,
    others: set[str],
    places: Mapping[str, str],
    options: FormatOptions,
    account: Account,
) -> ImportedPerson:
    words = import_words(options.language)
    front = front_matter(name, _read_front(home.scratch, places), account)
    prose = prose_of(name, _read_sections(home.scratch, words, account), words, account)
    for keys, why in LEFT:
        if any(key in home.scratch for key in keys):
            account.leave(f"{keys[0]} and the like", why)
    if story.relationships:
        account.took("“You and … have known each other”", "what the character thinks of others")
    if story.facts:
        account.took("the backstory", "memories from before the story")
    lived = read_concept_nodes(home.nodes, home.name, others, words, account)
    shifted = (replace(one, evidence=tuple(place + len(story.facts) for place in one.evidence)) for one in lived)
    memories = gather_memories([*_fact_memories(story, others), *shifted], account)
    return ImportedPerson(name, front, prose, memories, story.relationships)


def _read_front(scratch: Mapping[str, object], places: Mapping[str, str]) -> Iterator[tuple[str, str, object]]:
    if age := age_of(scratch.get("age")):
        yield "age", "age", age
    innate = scratch.get("innate")
    traits = lines_of(innate) if isinstance(innate, list) else line_of(innate).split(",")
    if traits := tuple(trait.strip() for trait in traits if trait.strip()):
        yield "traits", "innate", list(traits)
    if (place := place_of(scratch.get("living_area"))) in places:
        yield "home", "living_area", place
    if now := _current(scratch):
        yield "until_now", "currently", [now]


def _current(scratch: Mapping[str, object]) -> str:
    return " ".join(clean_scalar(scratch.get("currently")).removeprefix(STATUS).split())


def _read_sections(scratch: Mapping[str, object], words: Words, account: Account) -> Iterator[tuple[str, str]]:
    for heading, keys in SECTIONS.items():
        texts = {key: _current(scratch) if key == "currently" else clean_scalar(scratch.get(key)) for key in keys}
        for key in filter(texts.get, keys):
            account.took(key, under_heading(heading, words))
        yield words(f"heading.{heading}"), "\n\n".join(filter(None, texts.values()))


def _fact_memories(story: Backstory, others: set[str]) -> Iterator[Memory]:
    for fact in story.facts:
        yield Memory(fact, about=tuple(sorted(name for name in others if name and name in fact)))


def _describe_sector(sector: str, arenas: object) -> str:
    rooms = []
    for arena, things in object_of(arenas).items():
        there = ", ".join(lines_of(things))
        rooms.append(f"{clean_name(arena)} ({there})" if there else clean_name(arena))
    inside = "; ".join(rooms)
    return line_of(f"{clean_name(sector)}: {inside}." if inside else f"{clean_name(sector)}.")
