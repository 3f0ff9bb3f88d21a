"""Bring characters, lore and memories of other tools into a world (``gm import``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from gm.api.editing.desk import editing
from gm.api.imports import ai_town, chats, genagents, generative_agents, tinytroupe
from gm.api.imports.arrival import Arrival, Format, FormatOptions, ImportSource
from gm.api.imports.cards import CARDS
from gm.api.imports.fields import clean_line, clean_text
from gm.api.imports.lore import LIBRARY, LOREBOOKS
from gm.api.imports.macros import macros_in
from gm.api.imports.opening import files_of_folder, open_source
from gm.api.imports.plan import ImportPlan
from gm.api.imports.tinytroupe import join_fragments
from gm.base.errors import CORRECT_HINT, UsageError, refuse_errors
from gm.base.texts import clip
from gm.base.tokens import estimate_tokens
from gm.files.commits.snapshot import snapshot
from gm.files.commits.steps import Step, paths_of
from gm.files.layout import Layout
from gm.files.story.now import load_cast, load_settings, need_settings
from gm.model.world import known_agent

MOST_PARTS = 100
"""Parts that are named; of more, the number is said."""
LONGEST_PART = 300
"""Characters of each half of a line in the report."""
FORMATS: tuple[Format, ...] = (
    CARDS,
    LOREBOOKS,
    tinytroupe.FORMAT,
    generative_agents.FORMAT,
    genagents.FORMAT,
    ai_town.FORMAT,
    chats.FORMAT,
)
"""The first that fits is taken: narrow ones come before wide ones."""


TEXTS = (
    "texts and tables cannot be imported: add characters by gm character add 'NAME: what it is like', "
    "or have a model make a world of a text by gm new DIR --from FILE"
)
LONG_TOKENS = 5_000
"""Tokens of a persona from which on a note says so."""
Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the user says about an import, as it was said.

    With the settings and the cast of the world, ``arrival.FormatOptions`` follows from it, which the format is given.

    Attributes:
        name: New name of the only character; empty = as in the source.
        user: Name for what the source calls its user; empty = the person outside of the world.
        lore: ``library`` or ``gifted``; empty = as usual for the format.
        holder: Id or name of the character who is to remember lore; empty = none.
    """

    name: str = ""
    user: str = ""
    lore: str = ""
    holder: str = ""


@dataclass(frozen=True, slots=True)
class SourcePart:
    """A part of a source, and where it went or why it was left aside."""

    part: str
    said: str


@dataclass(frozen=True, slots=True)
class Landed:
    """What one source has brought, or would bring.

    Attributes:
        people: Ids of characters, new or given something.
        scenario: A suggested premise; written nowhere.
    """

    source: str
    format: str
    people: tuple[str, ...]
    files: tuple[str, ...]
    scenario: str
    mapped: tuple[SourcePart, ...]
    left: tuple[SourcePart, ...]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import has written, or would write.

    Attributes:
        others: Seed memory files in which others come to know newcomers.
    """

    written: bool
    sources: tuple[Landed, ...]
    others: tuple[str, ...] = ()


def import_files(
    layout: Layout, paths: Sequence[Path], wanted: ImportOptions, *, write: bool = True
) -> tuple[Imported, list[str]]:
    """Bring files into a world, all or none.

    Args:
        write: False = only return what would be written.

    Raises:
        UsageError: A file is unreadable, of no known format, or brings a character who exists.
        BrokenWorldError: The world has unreadable files.
    """
    options = _resolve_options(layout, wanted)
    failed: list[UsageError] = []
    files, notes = _spread_folders(paths)
    sources = join_fragments(_try_each(files, open_source, failed))
    arrivals = _try_each(sources, lambda source: (source, choose_format(source).read(source, options)), failed)
    if len(failed) > 1:
        reasons = "\n  ".join(error.message for error in failed)
        raise UsageError(f"{len(failed)} of {len(files)} files cannot be imported; nothing was written", reasons)
    if failed:
        raise failed[0]
    if wanted.name and sum(len(arrival.people) for _, arrival in arrivals) != 1:
        raise UsageError("--as names one character, and these files do not bring exactly one", "import them one by one")
    if wanted.holder and not any(person.name == options.holder for _, arrival in arrivals for person in arrival.people):
        raise UsageError("--for needs a lorebook, and these files are none", "leave it out")
    imported, said = land(layout, arrivals, write=write)
    return imported, [*notes, *_note_long(arrivals), *said]


def choose_format(source: ImportSource) -> Format:
    """Return the format of a source.

    Raises:
        UsageError: It is unknown.
    """
    found = next((one for one in FORMATS if one.fits(source)), None)
    if found is None:
        known = "known: " + ", ".join(one.name for one in FORMATS)
        raise UsageError(f"{source.name} has no known format", TEXTS if isinstance(source.data, str) else known)
    return found


def land(
    layout: Layout, arrivals: Sequence[tuple[ImportSource, Arrival]], *, write: bool
) -> tuple[Imported, list[str]]:
    """Write arrivals in one commit; return what was written, and notes.

    Raises:
        UsageError: A new character exists already, or one who is to be given something does not.
        BrokenWorldError: The world has unreadable files.
    """
    if not write:
        with snapshot(layout):
            return _plan_import(layout, arrivals)[0], []
    with editing(layout, "gm import") as desk:
        imported, steps = _plan_import(layout, arrivals)
        # as a persona that was written by hand, what was imported is not a part of the story that can be taken back
        desk.commit(steps, recorded=False)
    return replace(imported, written=True), desk.notes


def _try_each(items: Iterable[Item], function: Callable[[Item], Result], failed: list[UsageError]) -> list[Result]:
    """Return the results for all items; errors are added to ``failed``."""
    found = []
    for item in items:
        try:
            found.append(function(item))
        except UsageError as error:
            failed.append(error)
    return found


def _spread_folders(paths: Sequence[Path]) -> tuple[list[Path], list[str]]:
    """Replace folders that are no agents by the cards, lorebooks and chats in them; return notes on other files."""
    files: list[Path] = []
    notes: list[str] = []
    for path in paths:
        if path.is_symlink() or not path.is_dir():
            files.append(path)
            continue
        try:
            files.append(_recognised(path))
        except UsageError:
            others: list[UsageError] = []
            fitting = _try_each(files_of_folder(path), _recognised, others)
            if not fitting:
                raise
            files += fitting
            notes += [f"left out: {other.message}" for other in others]
    return files, notes


def _recognised(path: Path) -> Path:
    choose_format(open_source(path))
    return path


def _note_long(arrivals: Sequence[tuple[ImportSource, Arrival]]) -> Iterator[str]:
    for person in (person for _, arrival in arrivals for person in arrival.people):
        if (tokens := estimate_tokens(person.prose)) > LONG_TOKENS:
            yield f"{clean_line(person.name)}: about {tokens:,} tokens of persona are in each question; shorten it"


def _resolve_options(layout: Layout, wanted: ImportOptions) -> FormatOptions:
    settings = need_settings(layout)
    if wanted.name and not clean_line(wanted.name):
        raise UsageError("--as has no letters", "name the character")
    cast, _ = load_cast(layout) if wanted.user or wanted.holder else ({}, ())
    user, holder = clean_line(wanted.user), ""
    user = cast[user].name if user in cast else user
    if wanted.holder:
        if wanted.lore == LIBRARY:
            raise UsageError("--for and --lore library exclude each other", "characters look up the library themselves")
        holder = cast[known_agent(cast, wanted.holder)].name
    return FormatOptions(
        language=settings.language,
        user=user or settings.outside,
        user_named=bool(user),
        name=clean_line(wanted.name),
        holder=holder,
        lore=wanted.lore,
        seed=settings.seed,
    )


def _plan_import(layout: Layout, arrivals: Sequence[tuple[ImportSource, Arrival]]) -> tuple[Imported, list[Step]]:
    settings, problems = load_settings(layout)
    cast, found = load_cast(layout)
    refuse_errors([*problems, *found], "files that this needs cannot be read as they are", CORRECT_HINT)
    plan = ImportPlan(layout, settings, cast)
    # first, so that all of them can be named by each other; cards before chats, which may have the same characters
    for source, arrival in sorted(arrivals, key=lambda one: any(person.only_new for person in one[1].people)):
        plan.welcome(source, arrival)
    landed = tuple(_land_source(plan, source, arrival) for source, arrival in arrivals)
    shared = plan.finish()
    own = {path for one in landed for path in one.files}
    others = tuple(sorted({path for step in shared for path in paths_of(step)} - own))
    return Imported(False, landed, others), [*shared, *plan.steps]


def _land_source(plan: ImportPlan, source: ImportSource, arrival: Arrival) -> Landed:
    people, files, left = plan.add(source, arrival)
    return Landed(
        source.name,
        arrival.format,
        people,
        files,
        clean_text(arrival.scenario),
        _clip_parts(arrival.mapped),
        _clip_parts((*arrival.left, *_unresolved(arrival), *(("", problem) for problem in source.problems), *left)),
    )


def _unresolved(arrival: Arrival) -> list[tuple[str, str]]:
    texts = [text for person in arrival.people for text in (person.prose, *(one.text for one in person.memories))]
    found = macros_in("\n".join([*texts, *(lore.text for lore in arrival.lore)]))
    return [(", ".join(found), "stays in the texts as it is; correct it there")] if found else []


def _clip_parts(pairs: Sequence[tuple[str, str]]) -> tuple[SourcePart, ...]:
    others = len(pairs) - MOST_PARTS
    said = (*pairs[:MOST_PARTS], ("", f"and {others:,} more")) if others > 0 else pairs
    return tuple(
        SourcePart(clip(clean_line(part), LONGEST_PART), clip(clean_line(why), LONGEST_PART)) for part, why in said
    )
