"""Build a book."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from uuid import NAMESPACE_URL, uuid5

from gm.api.answers.speech import load_words
from gm.api.views.day import view_day
from gm.base.errors import Problem
from gm.base.languages import ENGLISH
from gm.base.markup.clean import neutral_line
from gm.faces.book.days import closing_chapter, day_chapter
from gm.faces.book.minds import cast_chapter, mind_chapters
from gm.faces.book.sources import ExportOptions, Sources, choose_subjects, without_private
from gm.faces.book.texts import Pictures, paragraphs, plate_numbers, plates_chapter
from gm.faces.book.values import BookSection, Chapter, Manuscript
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.minds import without_minds
from gm.layers.privacy import CAST, CLOSING, PLATES, PROMPTS, REFLECTIONS
from gm.memory.share import MEMORIES, PRIVATE, withheld_nodes
from gm.model.node import Node

_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*\Z")


def build_book(layout: Layout, options: ExportOptions) -> tuple[Manuscript, tuple[Problem, ...]]:
    """Return the book of a world, of some of its days, or of a mind.

    Raises:
        UsageError: No such day or character.
        BrokenWorldError: A heading of a persona in the book only looks private.
        GmError: markdown-it-py is not installed.
    """
    with without_minds(layout, options.hidden) as whole:
        loaded = load_world(layout)
        world = loaded.world
        secrets: tuple[Node, ...] = ()
        if not options.shows(PRIVATE):
            options = replace(options, hidden=whole)
            nodes = [node for agent in world.agents.values() for node in (*agent.everything, *agent.summaries)]
            world, secrets = without_private(world, options.hidden), withheld_nodes(nodes, options.hidden - {MEMORIES})
        # a book without a list of memories still has insights in its scenes: pages know no such difference
        hidden = options.hidden if not options.shows(REFLECTIONS) else options.hidden - {MEMORIES}
        days, minds = choose_subjects(world, layout.logged_days(), options.what)
        views = {day: found for day in days if (found := view_day(layout, day, hidden | {PROMPTS}))}
        sources = Sources(
            layout, world, options, load_words(world.settings.language, "gm.faces.book"), days, views, secrets
        )
        if options.shows(PLATES):
            sources = replace(sources, plates=plate_numbers(sources, minds, rest=not options.what))
        pictures = Pictures(sources.piece)
        chapters = tuple(_chapters(sources, minds, pictures))
    title, subtitle = _titles(sources, minds)
    language = world.settings.language.strip()
    premise = paragraphs(world.settings.world.premise) if days or not minds else ()
    book = Manuscript(
        title=title,
        subtitle=subtitle,
        author=neutral_line(options.author or world.settings.world.author),
        language=language if _LANGUAGE.match(language) else ENGLISH,
        identifier=f"urn:uuid:{uuid5(NAMESPACE_URL, _identify_book(sources, title, minds))}",
        epigraph=premise,
        chapters=chapters,
        words=sources.words,
        images=tuple(pictures.images),
        one_day=len(days) == 1,
    )
    return book, loaded.problems


def _chapters(sources: Sources, minds: tuple[str, ...], pictures: Pictures) -> Iterator[Chapter]:
    days = sources.days
    if days and sources.options.shows(CAST):
        cast = cast_chapter(sources)
        yield from (cast,) if cast else ()
    for day in days:
        yield day_chapter(sources, day)
    for name in minds:
        yield from mind_chapters(sources, name, several=bool(days) or len(minds) > 1)
    plates = plates_chapter(sources, pictures) if sources.plates else None
    yield from (plates,) if plates else ()
    if days and sources.options.shows(CLOSING):
        yield closing_chapter(sources)
    if not days and not minds:
        yield Chapter("closing", "", sources.say("no_days"), "", (BookSection("", ()),))


def _titles(sources: Sources, minds: tuple[str, ...]) -> tuple[str, str]:
    options, days = sources.options, sources.days
    world = neutral_line(sources.world.settings.world.title) or sources.place(sources.layout.root.name) or "gm"
    if minds and not days:
        return neutral_line(options.title) or ", ".join(
            map(sources.named, minds)
        ), f"{sources.say('mind_of')} · {world}"
    if not days:
        about = sources.say("no_days")
    elif len(days) == 1:
        about = ", ".join(
            filter(None, (sources.say("day", day=days[0]), sources.weekday(days[0]), sources.date(days[0])))
        )
    elif not options.what and days == tuple(range(1, len(days) + 1)):
        about = sources.say("whole", count=len(days))
    else:
        about = sources.say("days", first=days[0], last=days[-1])
    return neutral_line(options.title) or world, about


def _identify_book(sources: Sources, title: str, minds: tuple[str, ...]) -> str:
    days = ",".join(map(str, sources.days))
    return f"gm:book:{sources.world.settings.seed}:{title}:{days}:{','.join(minds)}"
