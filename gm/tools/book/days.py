"""Days as chapters, scenes as transcripts."""

from __future__ import annotations

from collections.abc import Iterator

from gm.layers.relationships import HISTORY, RELATIONSHIPS, TRUST
from gm.markup.blocks import Paragraph, Words
from gm.markup.clean import one_line
from gm.memory.private import quotes
from gm.model.calendar import parse_ref
from gm.model.scene import LogEntry
from gm.model.thread import Thread
from gm.store.layers.minds import load_history
from gm.store.logbook import ref_of
from gm.tools.book.minds import nodes_of
from gm.tools.book.plates import piece_title
from gm.tools.book.sources import Sources
from gm.tools.book.texts import paragraphs, said
from gm.tools.book.values import Chapter, Item, Piece, Points, Scene, Section
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


REHEARSAL = "rehearsal"


def closing_chapter(sources: Sources) -> Chapter:
    """Close the book, as things stood on its last day."""
    changes = [*_trust(sources), *_weightiest_insights(sources)]
    items: list[Item] = [
        Points(sources.say(title), tuple(points))
        for title, points in (("open_threads", list(_open_threads(sources))), ("changed", changes))
        if points
    ]
    items.append(Section(sources.say("colophon"), tuple(Paragraph((Words(text),)) for text in _colophon(sources))))
    return Chapter("closing", "", sources.say("closing"), sources.say("closing_lead"), tuple(items))


def _open_threads(sources: Sources) -> Iterator[str]:
    last = sources.days[-1] if sources.days else sources.world.clock.day
    for thread in sources.world.threads:
        touched = parse_ref(thread.touched)
        if thread.since.day <= last and (thread.is_open or (touched is not None and touched.day > last)):
            yield _tell_thread(sources, thread)


def _tell_thread(sources: Sources, thread: Thread) -> str:
    to_one, to_all = ("asked", "asked_all") if thread.kind == "question" else ("promised", "promised_all")
    to = ", ".join(map(sources.called, thread.to))
    text = sources.say(to_one if to else to_all, by=sources.called(thread.by), to=to, text=one_line(thread.text))
    return f"{text} {sources.say('due', day=thread.due)}" if thread.due else text


def _trust(sources: Sources) -> Iterator[str]:
    """Tell whose trust in whom has moved in these days: from where, to where, and why last."""
    for name in sources.world.agents if sources.wish.shows("relationships") else ():
        moved: dict[str, list[tuple[float, float, str]]] = {}
        for line in load_history(sources.layout, RELATIONSHIPS, name, HISTORY)[0]:
            ref, other = parse_ref(said(line.record.get("at"))), line.record.get("with")
            old, new = (_number(line.record.get(side)) for side in ("old", "new"))
            if ref and ref.day in sources.days and isinstance(other, str) and new is not None:
                moved.setdefault(other, []).append((old or 0.0, new, said(line.record.get("why"))))
        for other, steps in moved.items():
            old, new, why = steps[0][0], steps[-1][1], steps[-1][2]
            if old != new:
                key = "trust_why" if why else "trust"
                names = {"who": sources.called(name), "other": sources.called(other)}
                yield sources.say(key, **names, old=f"{old:+.2g}", new=f"{new:+.2g}", why=why)


def _number(value: object) -> float | None:
    found = value.get(TRUST) if isinstance(value, dict) else None
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None


def _weightiest_insights(sources: Sources) -> Iterator[str]:
    """Tell of everybody the insight that weighs most; the deepest, then the newest of several."""
    if not sources.wish.shows("reflections"):
        return
    for name, agent in sources.world.agents.items():
        insights = [node for node in nodes_of(sources, agent) if node.depth > 0]
        if insights:
            best = max(insights, key=lambda node: (node.importance, node.depth, node.when))
            text = one_line(best.description)
            yield sources.say("insight_of", who=sources.called(name), day=best.when.day, text=text)


def _colophon(sources: Sources) -> Iterator[str]:
    scenes = [entry for log in sources.log.values() for entry in log.scenes]
    memories = sum(len(nodes_of(sources, agent)) for agent in sources.world.agents.values())
    cast = len(sources.world.agents)
    yield sources.say("colophon_text", days=len(sources.days), scenes=len(scenes), memories=memories, cast=cast)
    models = {said(piece.front.get("made_with")) for path in sources.plates if (piece := sources.piece(path))} - {""}
    if REHEARSAL in models:
        yield sources.say("rehearsed")
    if models - {REHEARSAL}:
        yield sources.say("made_with", models=", ".join(sorted(models - {REHEARSAL})))
