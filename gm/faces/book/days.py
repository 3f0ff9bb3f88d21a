"""Days as chapters, scenes as transcripts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

from gm.api.views import scenes as views
from gm.api.views.day import Day
from gm.api.views.graphs.base import make_cast
from gm.api.views.persona import read_diary
from gm.api.views.recap import view_recap
from gm.api.views.relationships import RegardShift, history_of
from gm.base.casefold import casefold
from gm.base.markup.blocks import BlockQuote, Paragraph, Rule, TextRun
from gm.base.markup.clean import neutral_line
from gm.base.texts import is_digits
from gm.faces.book.minds import nodes_of
from gm.faces.book.sources import Sources
from gm.faces.book.texts import is_shown, marked_blocks, paragraphs, piece_title, plain_blocks, to_line, without_title
from gm.faces.book.values import BookPiece, BookScene, BookSection, BookTurn, Chapter, Item, Points, SpokenLine
from gm.files.media.pieces import LoadedPiece
from gm.files.story.logbook import read_days
from gm.layers.diary import DIARY
from gm.layers.privacy import ASIDES, CHAPTERS, NOTES, NUMBERS, PLATES, REFLECTIONS
from gm.layers.relationships import TRUST
from gm.llm.base import REHEARSAL
from gm.memory.share import MEMORIES, quotes
from gm.model.calendar import SceneRef, parse_ref, render_day
from gm.model.logged import scene_name
from gm.model.node import Node
from gm.model.scene import REFLECTION
from gm.model.thread import Thread
from gm.model.turns import PlayedTurn, marked, with_last_thoughts
from gm.scene.pieces.at_hand import keep_new_parts, shorten_piece
from gm.scene.pieces.waiting import BRIEF

SAID = {"question": ("asked", "asked_all"), "appointment": ("agreed", "agreed_all")}
MUCH = 0.3
"""Change of trust, at least, that is called a great one."""
PAPER_CHARACTERS = 2_400
"""Characters of a text finished in a scene, at most, in a book without plates and notes; the rest is cut."""
MOST_DIARIES = 2
"""Maximum number of diaries in an evening without notes, of characters without a reflection."""
LOOK_BACKS = 3
"""Maximum number of reflections in an evening without notes."""
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
        items = [*before, *items, *_make_scenes(sources, view.scenes), *_evening(sources, view)]
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
    pieces = tuple(_list_pieces(sources, view.finished)) if sources.options.shows(NOTES) else ()
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
    heaviest = {name: max(map(_weight, nodes)) for name, nodes in lived.items() if nodes}
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


def _make_scenes(sources: Sources, scenes: Iterable[views.SceneView]) -> Iterator[BookScene | BookSection]:
    """Yield the scenes of a day; several solitary look backs in a row become one, and empty ones are left out.

    Without notes, the texts that were finished in a scene stand below it: readers could not follow talks about a paper
    that they had not seen.
    """
    notes = sources.options.shows(NOTES)
    for alone, played in _evenings_apart(scenes):
        shown = played if notes or not alone else _weightiest_looks(sources, played)
        found = [_make_scene(sources, scene) for scene in shown]
        if alone:
            found = [one for one in found if one.turns or one.insights or one.pieces]
        if len(found) > 1:
            found = [_merge_evening(found)]
        # numbered as the first of them, so that no scene seems to be missing
        found = [replace(one, number=_number(played[0])) for one in found]
        if notes:
            yield from found
        else:
            yield from map(_without_notes, found)
            yield from _papers(sources, (path for scene in played for path in scene.artifacts))


def _evenings_apart(scenes: Iterable[views.SceneView]) -> Iterator[tuple[bool, list[views.SceneView]]]:
    """Yield each scene, but solitary look backs in a row together; with whether they are such."""
    for alone, run in groupby(scenes, key=lambda scene: REFLECTION in scene.type and len(scene.cast) == 1):
        played = list(run)
        yield from [(alone, played)] if alone else [(alone, [scene]) for scene in played]


def _weightiest_looks(sources: Sources, scenes: Sequence[views.SceneView]) -> list[views.SceneView]:
    """Return, of those that tell something, the look backs whose insights weigh most; of equal ones the first."""
    worded = [scene for scene in scenes if any(_worded(sources, scene))]
    insights = [_insights(sources, scene) for scene in worded]
    weights = [max(((node.importance, node.depth) for node in nodes), default=(0, 0)) for nodes in insights]
    kept = sorted(range(len(worded)), key=weights.__getitem__, reverse=True)[:LOOK_BACKS]
    return [worded[place] for place in sorted(kept)]


def _without_notes(scene: BookScene) -> BookScene:
    """Return a scene under its place and time with what was done, said and thought."""
    turns = scene.turns
    if len({turn.agent for turn in turns}) == len(turns):
        turns = tuple(replace(turn, mark="") for turn in turns)
    title = _join_with_commas(scene.place or scene.type, scene.time)
    return BookScene(scene.number, title, "", "", "", (), summary=scene.summary, turns=turns, reason=scene.reason)


def _merge_evening(scenes: Sequence[BookScene]) -> BookScene:
    return replace(
        scenes[0],
        title=scenes[0].type,
        place="",
        cast=tuple(name for scene in scenes for name in scene.cast),
        premise="",
        turns=tuple(turn for scene in scenes for turn in scene.turns),
        insights=tuple(f"{scene.cast[0]}: {text}" for scene in scenes if not scene.turns for text in scene.insights),
        pieces=tuple(piece for scene in scenes for piece in scene.pieces),
        reason=" ".join(dict.fromkeys(scene.reason for scene in scenes if scene.reason)),
    )


def _number(scene: views.SceneView) -> int:
    return int(scene.number) if is_digits(scene.number) else 0


def _make_scene(sources: Sources, scene: views.SceneView) -> BookScene:
    kind = _type(sources, scene.type)
    place = " → ".join(filter(None, map(sources.place, (scene.place, *scene.moved_to))))
    clock = neutral_line(scene.clock) if sources.options.shows(NOTES) else ""
    is_told = not any(turn.action for turn in scene.turns) and REFLECTION not in scene.type
    return BookScene(
        number=_number(scene),
        title=neutral_line(scene.title) or place or kind,
        type=kind,
        place=place,
        time=_join_with_commas(sources.time(scene.time_of_day), clock),
        cast=tuple(map(sources.called, scene.cast)),
        premise=neutral_line(scene.premise),
        summary=paragraphs(neutral_line(scene.summary)) if is_told else (),
        turns=tuple(_turns(sources, scene)),
        insights=tuple(neutral_line(node.description) for node in _insights(sources, scene))
        if sources.options.shows(REFLECTIONS)
        else (),
        pieces=tuple(_list_pieces(sources, scene.artifacts)),
        reason=neutral_line(scene.why),
    )


def _type(sources: Sources, name: str) -> str:
    known = sources.words.known
    parts = (known("scene_type", part.strip(), neutral_line(part).capitalize()) for part in name.split("+"))
    return " · ".join(filter(None, parts))


def _insights(sources: Sources, scene: views.SceneView) -> list[Node]:
    here = parse_ref(f"{render_day(scene.day)}/{scene_name(scene.number)}") if scene.number else None
    agents = (sources.world.agents.get(name) for name in scene.cast if here)
    nodes = [node for agent in agents if agent for node in agent.stream if node.depth > 0 and node.when == here]
    if nodes and REFLECTION in scene.type:
        nodes = [max(nodes, key=_weight)]
    return nodes


def _weight(node: Node) -> tuple[int, int, SceneRef]:
    return node.importance, node.depth, node.when


def _papers(sources: Sources, paths: Iterable[str]) -> Iterator[BookSection]:
    """Yield the texts of a scene, each under its maker and title, unless this book has plates of them."""
    for _, piece in () if sources.options.shows(PLATES) else _newest(sources, paths):
        if piece is not None and piece.text is not None and is_shown(piece):
            title, maker = piece_title(piece), to_line(piece.front.get("agent"))
            text = shorten_piece(_without_printed(sources, piece, piece.text), PAPER_CHARACTERS)
            blocks = without_title(marked_blocks(text), title)
            yield BookSection(sources.say("paper", name=sources.called(maker), title=title), (BlockQuote(blocks),))


def _without_printed(sources: Sources, piece: LoadedPiece, text: str) -> str:
    """Return what is new in a piece if this book has an earlier version of it, else its text."""
    before = sources.piece(to_line(piece.front.get("replaces")))
    if before is None or before.text is None or not is_shown(before):
        return text
    earlier, here = (parse_ref(to_line(one.front.get("created"))) for one in (before, piece))
    is_printed = earlier is not None and earlier.day in sources.days and earlier != here
    return keep_new_parts(text, before.text) if is_printed else text


def _newest(sources: Sources, paths: Iterable[str]) -> Iterator[tuple[str, LoadedPiece | None]]:
    """Yield pieces with their paths, without those that have a later version among them."""
    found = [(path, sources.piece(path)) for path in paths]
    replaced = {str(piece.front.get("replaces")) for _, piece in found if piece}
    return ((path, piece) for path, piece in found if path not in replaced)


def _list_pieces(sources: Sources, paths: Sequence[str]) -> Iterator[BookPiece]:
    for path, piece in _newest(sources, paths):
        if piece is not None:
            yield BookPiece(piece_title(piece), sources.plates.get(piece.path, 0))
        else:
            yield BookPiece(neutral_line(path.rstrip("/").rpartition("/")[2]), 0)


def _worded(sources: Sources, scene: views.SceneView) -> Iterator[PlayedTurn]:
    turns = scene.turns if sources.options.shows(ASIDES) else with_last_thoughts(scene.turns)
    return (turn for turn in turns if turn.action or turn.lines or turn.thought)  # pieces stand below


def _turns(sources: Sources, scene: views.SceneView) -> Iterator[BookTurn]:
    said = {mark: sources.say(mark) for mark in ("at_once", "meanwhile", "afterwards")} | {"": ""}
    turns = [*marked(_worded(sources, scene))]
    is_woven = len(scene.cast) > 2 and any(mark for mark, _ in turns)
    for mark, turn in turns:
        who = sources.called(turn.agent) if turn.agent else ""
        lines = tuple(_spoken_lines(sources, turn, with_addressee=is_woven))
        yield BookTurn(who, neutral_line(turn.action), lines, neutral_line(turn.thought), said[mark])


def _spoken_lines(sources: Sources, turn: PlayedTurn, *, with_addressee: bool) -> Iterator[SpokenLine]:
    said = (
        SpokenLine(text, sources.say("to", name=sources.called(line.to)) if line.to and with_addressee else "")
        for line in turn.lines
        if (text := neutral_line(line.text))
    )
    for to, lines in groupby(said, key=attrgetter("to")):
        yield SpokenLine(" ".join(line.text for line in lines), to)


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
        where = _join_with_commas(when, _describe_where(sources, thread))
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
    return _join_with_commas(sources.time(thread.time), sources.place(thread.place))


def _join_with_commas(*texts: str) -> str:
    return ", ".join(filter(None, texts))


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
            best = max(insights, key=_weight)
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
