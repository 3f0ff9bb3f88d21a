"""Scenes as transcripts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

from gm.api.views import scenes as views
from gm.base.markup.blocks import BlockQuote
from gm.base.markup.clean import neutral_line
from gm.base.texts import is_digits
from gm.faces.book import texts
from gm.faces.book.sources import Sources
from gm.faces.book.values import BookPiece, BookScene, BookSection, BookTurn, SpokenLine
from gm.files.media.pieces import LoadedPiece
from gm.layers.privacy import ASIDES, NOTES, PLATES, REFLECTIONS
from gm.model.calendar import SceneRef, parse_ref, render_day
from gm.model.logged import scene_name
from gm.model.node import Node
from gm.model.scene import REFLECTION
from gm.model.turns import PlayedTurn, marked, with_last_thoughts
from gm.scene.pieces.at_hand import keep_new_parts, shorten_piece

PAPER_CHARACTERS = 2_400
"""Characters of a text finished in a scene, at most, in a book without plates and notes; the rest is cut."""
LOOK_BACKS = 3
"""Maximum number of reflections in an evening without notes."""


def tell_scenes(sources: Sources, scenes: Iterable[views.SceneView]) -> Iterator[BookScene | BookSection]:
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
    title = texts.join_with_commas(scene.place or scene.type, scene.time)
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
        time=texts.join_with_commas(sources.time(scene.time_of_day), clock),
        cast=tuple(map(sources.called, scene.cast)),
        premise=neutral_line(scene.premise),
        summary=texts.paragraphs(neutral_line(scene.summary)) if is_told else (),
        turns=tuple(_turns(sources, scene)),
        insights=tuple(neutral_line(node.description) for node in _insights(sources, scene))
        if sources.options.shows(REFLECTIONS)
        else (),
        pieces=tuple(list_pieces_made(sources, scene.artifacts)),
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
        nodes = [max(nodes, key=weight_of)]
    return nodes


def weight_of(node: Node) -> tuple[int, int, SceneRef]:
    """Return by what memories are ranked: importance, then depth, then time."""
    return node.importance, node.depth, node.when


def _papers(sources: Sources, paths: Iterable[str]) -> Iterator[BookSection]:
    """Yield the texts of a scene, each under its maker and title, unless this book has plates of them."""
    for _, piece in () if sources.options.shows(PLATES) else _newest(sources, paths):
        if piece is not None and piece.text is not None and texts.is_shown(piece):
            title, maker = texts.piece_title(piece), texts.to_line(piece.front.get("agent"))
            text = shorten_piece(_without_printed(sources, piece, piece.text), PAPER_CHARACTERS)
            blocks = texts.without_title(texts.marked_blocks(text), title)
            yield BookSection(sources.say("paper", name=sources.called(maker), title=title), (BlockQuote(blocks),))


def _without_printed(sources: Sources, piece: LoadedPiece, text: str) -> str:
    """Return what is new in a piece if this book has an earlier version of it, else its text."""
    before = sources.piece(texts.to_line(piece.front.get("replaces")))
    if before is None or before.text is None or not texts.is_shown(before):
        return text
    earlier, here = (parse_ref(texts.to_line(one.front.get("created"))) for one in (before, piece))
    is_printed = earlier is not None and earlier.day in sources.days and earlier != here
    return keep_new_parts(text, before.text) if is_printed else text


def _newest(sources: Sources, paths: Iterable[str]) -> Iterator[tuple[str, LoadedPiece | None]]:
    """Yield pieces with their paths, without those that have a later version among them."""
    found = [(path, sources.piece(path)) for path in paths]
    replaced = {str(piece.front.get("replaces")) for _, piece in found if piece}
    return ((path, piece) for path, piece in found if path not in replaced)


def list_pieces_made(sources: Sources, paths: Sequence[str]) -> Iterator[BookPiece]:
    """Yield the pieces of work at some paths, without those that have a later version among them."""
    for path, piece in _newest(sources, paths):
        if piece is not None:
            yield BookPiece(texts.piece_title(piece), sources.plates.get(piece.path, 0))
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
