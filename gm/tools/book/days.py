"""Days as chapters, scenes as transcripts."""

from __future__ import annotations

from collections.abc import Iterator

from gm.markup.clean import one_line
from gm.memory.private import quotes
from gm.model.scene import LogEntry
from gm.store.logbook import ref_of
from gm.tools.book.plates import piece_title
from gm.tools.book.sources import Sources
from gm.tools.book.texts import paragraphs, said
from gm.tools.book.values import Chapter, Item, Piece, Points, Scene
from gm.tools.turns import Turn, turns_of, without_thoughts

REFLECTION = "REFLECTION"


def day_chapter(sources: Sources, day: int) -> Chapter:
    """Tell one day: its scenes, and what remained of it."""
    log = sources.log[day]
    closing = log.closing
    items: list[Item] = [tell_scene(sources, entry) for entry in log.scenes]
    highlights = tuple(text for text in _texts(closing.get("highlights")) if not quotes(text, sources.secrets))
    if highlights and sources.wish.shows("memories") and sources.wish.shows("reflections"):
        items.append(Points(sources.say("remains"), highlights))
    numbers = paragraphs(said(closing.get("summary")))
    if numbers and sources.wish.shows("numbers"):
        items.append(Points(sources.say("numbers"), numbers))
    label, weekday = sources.say("day", day=day), sources.weekday(day)
    lead = [sources.date(day), sources.say("not_closed") if sources.world.open_day == day else ""]
    title = weekday or label
    return Chapter("day", label if weekday else "", title, " · ".join(filter(None, lead)), tuple(items))


def tell_scene(sources: Sources, entry: LogEntry) -> Scene:
    """Tell one scene: who and where, what was done, said and thought turn by turn, what came of it."""
    record, shows = entry.record, sources.wish.shows
    insights = _insights(sources, entry)
    turns = turns_of(record) if shows("thoughts") else without_thoughts(turns_of(record))
    is_told = not any(turn.action for turn in turns) and REFLECTION not in entry.type
    number = record.get("scene")
    return Scene(
        number=number if isinstance(number, int) and not isinstance(number, bool) and number > 0 else 0,
        type=_type(sources, entry.type),
        place=sources.place(entry.place),
        time=sources.time(entry.time_of_day),
        cast=tuple(sources.called(name) for name in entry.participants),
        premise=one_line(said(record.get("premise"))),
        told=paragraphs(said(record.get("summary"))) if is_told else (),
        turns=tuple(_turn(sources, turn) for turn in turns),
        insights=insights,
        pieces=tuple(_pieces(sources, entry)),
        reason=one_line(said(record.get("why"))) if shows("reasons") else "",
    )


def _type(sources: Sources, name: str) -> str:
    """Put a kind of scene into words; of a compound one every part."""
    known = sources.words.known
    parts = (known("scene_type", part.strip(), one_line(part).capitalize()) for part in name.split("+"))
    return " · ".join(filter(None, parts))


def _insights(sources: Sources, entry: LogEntry) -> tuple[str, ...]:
    if not sources.wish.shows("reflections"):
        return ()
    here = ref_of(entry)
    found = []
    for name in entry.participants:
        agent = sources.world.agents.get(name)
        found += [node.description for node in (agent.stream if agent else ()) if node.depth > 0 and node.when == here]
    return tuple(map(one_line, found)) if here else ()


def _pieces(sources: Sources, entry: LogEntry) -> Iterator[Piece]:
    for path in entry.artifacts:
        piece = sources.piece(path)
        if piece is not None:
            yield Piece(piece_title(piece), sources.plates.get(piece.path, 0))
        else:
            yield Piece(one_line(path.rstrip("/").rpartition("/")[2]), 0)


def _turn(sources: Sources, turn: Turn) -> Turn:
    who = sources.called(turn.agent) if turn.agent else ""
    lines = tuple(filter(None, map(one_line, turn.lines)))
    return Turn(who, one_line(turn.action), lines, one_line(turn.thought))


def _texts(value: object) -> tuple[str, ...]:
    return tuple(filter(None, map(said, value))) if isinstance(value, list) else ()
