"""Read personas of generative agents (Park et al. 2023): the folder ``bootstrap_memory`` of one, or of several.

Beside them may lie a table of backstories, such as ``agent_history_init_n3.csv``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from gm.api.imports import genagents
from gm.api.imports.account import Account
from gm.api.imports.arrival import Arrival, Format, Memory, Person, Source, Wish
from gm.api.imports.fields import line_of, lines_of, name_of, need_object, object_of, text_of
from gm.api.imports.generative_facts import TABLE, Backstory, read_backstories
from gm.api.imports.generative_memory import read_nodes, speakers_in
from gm.api.imports.generative_places import place_of, read_places
from gm.api.imports.human import age_of
from gm.api.imports.jsontext import read_json
from gm.api.imports.keeping import gather_memories, keep_copy
from gm.api.imports.prose import import_words, prose_of
from gm.api.words.speech import Words
from gm.base.errors import UsageError

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


@dataclass(frozen=True, slots=True)
class _Home:
    """What belongs to one persona."""

    place: str
    scratch: Mapping[str, object]
    tree: object = None
    nodes: object = None

    @property
    def name(self) -> str:
        return name_of(self.scratch.get("name"))


def fits(source: Source) -> bool:
    """Return whether a source holds a persona: its folder, unless it is one of genagents, or its scratch file."""
    if source.files:
        return any(_homes_in(source))
    return all(key in object_of(source.data) for key in TOLD)


def read(source: Source, wish: Wish) -> Arrival:
    """Read personas with their memories and places.

    Raises:
        UsageError: A file of a persona is no JSON, or has no name.
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
        called = (wish.name if len(homes) == 1 else "") or home.name
        if not called:
            raise UsageError(f"{home.place}: name: found no name, expected a text", "say it with --as NAME")
        story = stories.get(home.name, Backstory())
        people.append(_person(called, home, story, names - {home.name}, places, wish, account))
    return Arrival(
        FORMAT.name, tuple(people), places=places, kept=_kept(source), mapped=account.mapped, left=account.left
    )


FORMAT = Format("persona of generative agents", fits, read)


def _homes_in(source: Source) -> Iterator[PurePosixPath]:
    for path in sorted(source.files):
        if path.name == SCRATCH.name and path.parent / genagents.NODES not in source.files:
            yield path


def _homes(source: Source) -> Iterator[_Home]:
    if not source.files:
        yield _Home(source.name, need_object(source.data, source.name))
        return
    for path in _homes_in(source):
        own, tree, nodes = (_document(source, path.parent / part) for part in PARTS)
        place = f"{source.name}/{path}"
        yield _Home(place, need_object(own, place), tree, nodes)


def _document(source: Source, path: PurePosixPath) -> object:
    raw = source.files.get(path)
    return None if raw is None else read_json(raw, f"{source.name}/{path}")


def _kept(source: Source) -> dict[str, bytes]:
    """Return the files without embeddings; those of several personas are told apart by the names of their folders."""
    if not source.files:
        return {f".{SCRATCH}": source.raw}
    paths = list(_homes_in(source))
    kept: dict[str, bytes] = {}
    for path in paths:
        before = "".join(path.parts[-3:-2]) if len(paths) > 1 else ""
        for part in PARTS:
            if (raw := source.files.get(path.parent / part)) is not None:
                keep_copy(kept, before, f".{part.name}", raw)
    for path, raw in source.files.items():
        if path.suffix.lower() == TABLE:
            keep_copy(kept, path.stem, TABLE, raw)
    return kept


def _person(
    name: str,
    home: _Home,
    story: Backstory,
    others: set[str],
    places: Mapping[str, str],
    wish: Wish,
    account: Account,
) -> Person:
    words = import_words(wish.language)
    front: dict[str, object] = {"name": name}
    for key, where, value in _front(home.scratch, places):
        front[key] = value
        account.took(where, f"{key} of the persona")
    prose = prose_of(name, _sections(home.scratch, words, account), words, account)
    for keys, why in LEFT:
        if any(key in home.scratch for key in keys):
            account.leave(f"{keys[0]} and the like", why)
    if story.relationships:
        account.took("“You and … have known each other”", "what the character thinks of others")
    if story.facts:
        account.took("the backstory", "memories from before the story")
    lived = read_nodes(home.nodes, home.name, others, words, account)
    shifted = (replace(one, evidence=tuple(place + len(story.facts) for place in one.evidence)) for one in lived)
    memories = gather_memories([*_facts(story, others), *shifted], account)
    return Person(name, front, prose, memories, story.relationships)


def _front(scratch: Mapping[str, object], places: Mapping[str, str]) -> Iterator[tuple[str, str, object]]:
    """Yield keys of front matter, where they were found, and their values."""
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
    return " ".join(text_of(scratch.get("currently")).removeprefix(STATUS).split())


def _sections(scratch: Mapping[str, object], words: Words, account: Account) -> Iterator[tuple[str, str]]:
    for heading, keys in SECTIONS.items():
        told = {key: _current(scratch) if key == "currently" else text_of(scratch.get(key)) for key in keys}
        for key in filter(told.get, keys):
            account.took(key, f"the prose, under “{words(f'heading.{heading}')}”")
        yield words(f"heading.{heading}"), "\n\n".join(filter(None, told.values()))


def _facts(story: Backstory, others: set[str]) -> Iterator[Memory]:
    for fact in story.facts:
        yield Memory(fact, about=tuple(sorted(name for name in others if name and name in fact)))
