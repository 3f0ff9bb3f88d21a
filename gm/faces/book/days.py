"""Days as chapters, and the closing chapter."""

from __future__ import annotations

from collections.abc import Iterator

from gm.api.views import scenes as views
from gm.api.views.day import Day
from gm.api.views.graphs.base import make_cast
from gm.api.views.persona import read_diary
from gm.api.views.recap import view_recap
from gm.api.views.relationships import RegardShift, history_of
from gm.base.casefold import casefold
from gm.base.markup.blocks import BlockQuote, Paragraph, Rule, TextRun
from gm.base.markup.clean import neutral_line
from gm.faces.book.minds import nodes_of
from gm.faces.book.scenes import list_pieces_made, tell_scenes, weight_of
from gm.faces.book.sources import Sources
from gm.faces.book.texts import join_with_commas, paragraphs, plain_blocks, to_line
from gm.faces.book.values import BookScene, BookSection, Chapter, Item, Points
from gm.files.story.logbook import read_days
from gm.layers.diary import DIARY
from gm.layers.privacy import CHAPTERS, NOTES, NUMBERS, REFLECTIONS
from gm.layers.relationships import TRUST
from gm.llm.base import REHEARSAL
from gm.memory.share import MEMORIES, quotes
from gm.model.scene import REFLECTION
from gm.model.thread import Thread
from gm.scene.pieces.waiting import BRIEF

SAID = {"question": ("asked", "asked_all"), "appointment": ("agreed", "agreed_all")}
MUCH = 0.3
"""Change of trust, at least, that is called a great one."""
MOST_DIARIES = 2
"""Maximum number of diaries in an evening without notes, of characters without a reflection."""
TRUSTS = {
    (False, True): "trust_more",
    (True, True): "trust_much_more",
    (False, False): "trust_less",
    (True, False): "trust_much_less",
}


def day_chapter(sources: Sources, day: int) -> Chapter:
    """Return the chapter of a day: its scenes, highlights and numbers."""
    view = sources.views[day]
    chapter = _tell(sources, view)
    items: list[Item] = [] if chapter is None else [chapter]
    if chapter is None or sources.options.shows(NOTES):
        before = [*_previously(sources, day), *_letters(sources, day)]
        items = [*before, *items, *tell_scenes(sources, view.scenes), *_evening(sources, view)]
    open_ones = (text for text in view.highlights if not quotes(text, sources.secrets))  # secrets of other days too
    highlights = tuple(filter(None, map(neutral_line, open_ones)))
    if highlights and all(map(sources.options.shows, (MEMORIES, REFLECTIONS, NOTES))):
        items.append(Points(sources.say("remains"), highlights))
    if view.missed and sources.options.shows(NOTES):
        items.append(Points(sources.say("missed"), tuple(_tell_missed(sources, mark) for mark in view.missed)))
    numbers = paragraphs(neutral_line(view.summary))
    if numbers and sources.options.shows(NUMBERS):
        items.append(Points(sources.say("numbers"), numbers))
    label, weekday = sources.say("day", day=day), sources.weekday(day)
    lead = [sources.date(day), sources.say("not_closed") if view.is_open else ""]
    title = weekday or label
    return Chapter("day", label if weekday else "", title, " · ".join(filter(None, lead)), tuple(items))


def _tell(sources: Sources, view: Day) -> BookSection | None:
    """Return the narrator's chapter, if there is one and it can be shown."""
    is_kept_back = any(quotes(part, sources.secrets) for part in view.chapter)
    if not view.chapter or is_kept_back or not sources.options.shows(CHAPTERS):
        return None
    blocks = tuple(Paragraph((TextRun(line),)) if (line := neutral_line(part)) else Rule() for part in view.chapter)
    return BookSection(sources.say("chapter") if sources.options.shows(NOTES) else "", blocks)


def _evening(sources: Sources, view: Day) -> Iterator[Item]:
    if sources.options.shows(DIARY.name):
        yield from _diaries(sources, view)
    title, actions = sources.say("leaving"), [turn.action for turn in view.leaving if turn.action]
    pieces = tuple(list_pieces_made(sources, view.finished)) if sources.options.shows(NOTES) else ()
    if pieces:
        summary = tuple(map(neutral_line, actions))
        yield BookScene(0, title, "", "", "", (), summary=summary, pieces=pieces)
    elif actions:
        yield BookSection(title, plain_blocks("\n\n".join(actions)))


def _diaries(sources: Sources, view: Day) -> Iterator[BookSection]:
    """Yield what was written in the evening."""
    found = [(name, text) for name in _writers(sources, view) if (text := _diary_of(sources, name, view.day))]
    for name, text in found if sources.options.shows(NOTES) else found[:MOST_DIARIES]:
        yield BookSection(f"{sources.say('diary')}: {sources.called(name)}", (BlockQuote(plain_blocks(text)),))


def _writers(sources: Sources, view: Day) -> list[str]:
    """Return the cast; without notes, only those who have not looked back, whose day weighed most first."""
    agents = sources.world.agents
    if sources.options.shows(NOTES):
        return list(agents)
    looked_back = {name for scene in view.scenes if REFLECTION in scene.type for name in scene.cast}
    lived = {
        name: [node for node in agents[name].stream if node.when.day == view.day]
        for name in agents.keys() - looked_back
    }
    heaviest = {name: max(map(weight_of, nodes)) for name, nodes in lived.items() if nodes}
    return sorted(heaviest, key=lambda name: (heaviest[name], name), reverse=True)


def _diary_of(sources: Sources, name: str, day: int) -> str:
    diary = read_diary(sources.layout, name, sources.options.hidden)
    return next((entry.text for entry in reversed(diary.entries) if entry.day == day), "") if diary.is_on else ""


def _previously(sources: Sources, day: int) -> Iterator[BookSection]:
    """Yield what happened before, if the day before is not in the book."""
    if sources.views[day].previous not in sources.views:
        recap = view_recap(sources.layout, day, sources.options.hidden)
        yield from (BookSection(sources.say("previously"), plain_blocks(recap)),) if recap else ()


def _letters(sources: Sources, day: int) -> Iterator[BookSection]:
    world = sources.world
    taken = {key for entry in read_days(sources.layout, range(day, day + 1)) for key in entry.answers}
    for post in world.posts:
        if casefold(post.type) == BRIEF and post.key in taken:
            author = neutral_line(post.author or world.settings.world.outside)
            yield BookSection(sources.say("letter", author=author), (BlockQuote(plain_blocks(post.content)),))


def closing_chapter(sources: Sources) -> Chapter:
    """Return the last chapter: open threads, changes, and how the book was made."""
    changes = [*_trust(sources), *_weightiest_insights(sources)]
    items: list[Item] = [
        Points(sources.say(title), tuple(points))
        for title, points in (("open_threads", list(_open_threads(sources))), ("changed", changes))
        if points
    ]
    items.append(
        BookSection(sources.say("colophon"), tuple(Paragraph((TextRun(text),)) for text in _colophon(sources)))
    )
    return Chapter("closing", "", sources.say("closing"), sources.say("closing_lead"), tuple(items))


def _open_threads(sources: Sources) -> Iterator[str]:
    last = sources.days[-1] if sources.days else sources.world.clock.day
    for thread in sources.world.threads:
        if thread.kind != "silence" and thread.since.day <= last and (thread.is_open or thread.touched_at.day > last):
            yield _tell_thread(sources, thread)


def _tell_thread(sources: Sources, thread: Thread) -> str:
    text = _describe_thread(sources, thread)
    if thread.kind == "appointment":
        when = sources.say("on_day", day=thread.due) if thread.due else ""
        where = join_with_commas(when, _describe_where(sources, thread))
        return f"{text} ({where})" if where else text
    return f"{text} {sources.say('due', day=thread.due)}" if thread.due else text


def _tell_missed(sources: Sources, mark: views.ThreadMark) -> str:
    text, where = _describe_thread(sources, mark), _describe_where(sources, mark)
    return f"{text} ({where})" if where else text


def _describe_thread(sources: Sources, thread: Thread | views.ThreadMark) -> str:
    to_one, to_all = SAID.get(thread.kind, ("promised", "promised_all"))
    to = ", ".join(map(sources.called, thread.to))
    return sources.say(to_one if to else to_all, by=sources.called(thread.by), to=to, text=neutral_line(thread.text))


def _describe_where(sources: Sources, thread: Thread | views.ThreadMark) -> str:
    return join_with_commas(sources.time(thread.time), sources.place(thread.place))


def _trust(sources: Sources) -> Iterator[str]:
    cast = make_cast(sources.words.language, sources.world.agents.values())
    for name in cast.names if sources.options.shows("relationships") else ():
        moved: dict[str, list[RegardShift]] = {}
        for turn in history_of(sources.layout, cast, name)[0]:
            if turn.at.day in sources.days and TRUST in turn.changed:
                moved.setdefault(turn.to, []).append(turn)
        for other, steps in moved.items():
            old, new, why = steps[0].before.trust_level, steps[-1].after.trust_level, neutral_line(steps[-1].why)
            if old != new:
                names = {"who": sources.called(name), "other": sources.called(other)}
                sentence = sources.say(TRUSTS[abs(new - old) >= MUCH, new > old], **names)
                yield f"{sentence} {why}" if why else sentence


def _weightiest_insights(sources: Sources) -> Iterator[str]:
    if not sources.options.shows(REFLECTIONS):
        return
    for name, agent in sources.world.agents.items():
        insights = [node for node in nodes_of(sources, agent) if node.depth > 0]
        if insights:
            best = max(insights, key=weight_of)
            text = neutral_line(best.description)
            yield sources.say("insight_of", who=sources.called(name), day=best.when.day, text=text)


def _colophon(sources: Sources) -> Iterator[str]:
    memories = sum(len(nodes_of(sources, agent)) for agent in sources.world.agents.values())
    cast = len(sources.world.agents)
    yield sources.say("colophon_text", days=len(sources.days), scenes=len(sources.scenes), memories=memories, cast=cast)
    if any(view.chapter for view in sources.views.values()):
        yield sources.say("told")
    models = {to_line(piece.front.get("made_with")) for path in sources.plates if (piece := sources.piece(path))} - {""}
    if REHEARSAL in models:
        yield sources.say("rehearsed")
    if models - {REHEARSAL}:
        yield sources.say("made_with", models=", ".join(sorted(models - {REHEARSAL})))
