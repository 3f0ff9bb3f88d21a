"""Which pieces, and which parts of them, a character has before it: in a scene, and for a question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from gm.base.casefold import casefold
from gm.base.texts import LEFT_OUT, cut_at_sentence, sentences_in, shorten_at_sentence, shorten_at_word
from gm.model.piece import GALLERY
from gm.model.scene import Scene
from gm.model.world import Agent, World
from gm.scene.dialogue.turns import Turn
from gm.scene.grounding.mentions import (
    content_words,
    find_mentioned_place,
    has_name,
    mentioned,
    mentioned_in,
    names_piece,
    says_little,
    topic_words,
)
from gm.scene.pieces.known_pieces import (
    KNOWN_DAYS,
    PIECE_CHARACTERS,
    AtHand,
    audience_of,
    find_piece,
    is_for,
    known_pieces,
    pieces_hung_up,
    remembered_pieces,
)

_GAP = f"\n\n{LEFT_OUT}\n\n"
_MARKS = re.compile(r"[*_`#]+|^[\s>|+-]+|[\s|]+$")
_CELLS = re.compile(r"\s*\|\s*")
_RULE = re.compile(r"[\s|:-]*-[\s|:-]*")
"""The row below the headings of a table."""
MOST_NAMING_LINES, NAMING_CHARACTERS = 2, 240
"""Limits for quoting lines that name the reader: lines of a piece, characters of a line."""


def shorten_piece(text: str, most: int = PIECE_CHARACTERS, about: str = "") -> str:
    """Return a piece cut to ``most`` characters: at paragraphs; where half would be lost, at sentences, else at lines.

    Its beginning stays; with ``about``, the first paragraph and those that share most content words with it.
    """
    if len(text) <= most:
        return text
    parts, matter = text.split("\n\n"), content_words(about)
    shared = [len(matter & content_words(part)) for part in parts]
    if any(shared[1:]):
        return _essential(parts, shared, most)
    return _cut(text, most) + _GAP.rstrip()


def _cut(text: str, most: int) -> str:
    cut = text[:most]
    by_paragraphs, by_lines = (cut.rpartition(end)[0].rstrip() for end in ("\n\n", "\n"))
    ways = (by_paragraphs, cut_at_sentence(text, most), by_lines)
    enough = (kept for kept in ways if 2 * len(kept) >= most)
    return next(enough, max(ways, key=len)) or shorten_at_word(text, most)


def keep_new_parts(text: str, before: str) -> str:
    """Return a later version of a piece without the paragraphs of the earlier one, except for the first paragraph."""
    parts, known = text.split("\n\n"), {" ".join(part.split()) for part in before.split("\n\n")}
    kept = [place for place, part in enumerate(parts) if not place or " ".join(part.split()) not in known]
    return _tell_parts(parts, kept)


def _essential(parts: Sequence[str], shared: Sequence[int], most: int) -> str:
    if len(parts[0]) > most:
        return _cut(parts[0], most) + _GAP.rstrip()
    room, kept = most, set[int]()
    for place in sorted(range(len(parts)), key=lambda place: (place > 0, -shared[place], place)):
        if len(parts[place]) <= room:
            kept.add(place)
            room -= len(parts[place]) + len(_GAP)
    return _tell_parts(parts, sorted(kept))


def _tell_parts(parts: Sequence[str], kept: Sequence[int]) -> str:
    last = 0
    shown = []
    for place in kept:
        shown += [LEFT_OUT] if place > last + 1 else []
        shown.append(parts[place])
        last = place
    return "\n\n".join(shown if last == len(parts) - 1 else [*shown, LEFT_OUT])


def lines_naming(agent: Agent, text: str) -> tuple[str, ...]:
    """Return a piece's lines that name a character, without Markdown, those that begin with the name first.

    Table headings are left out.
    """
    written = text.splitlines()
    below = (*written[1:], "")[: len(written)]
    rows = (row for row, rule in zip(written, below, strict=True) if not ("|" in row and _RULE.fullmatch(rule)))
    lines = [_CELLS.sub(" · ", " ".join(_MARKS.sub("", row).split())) for row in rows if mentioned(row, (agent,))]
    lines.sort(key=lambda line: casefold(line).find(casefold(agent.call_name)))
    return tuple(_excerpt(agent, line) for line in lines[:MOST_NAMING_LINES])


def _excerpt(agent: Agent, line: str) -> str:
    # its beginning, else from the sentence that names the character
    short, parts = shorten_at_sentence(line, NAMING_CHARACTERS), sentences_in(line)
    naming = next((place for place, part in enumerate(parts) if mentioned(part, (agent,))), 0)
    if not naming or mentioned(short, (agent,)):
        return short
    return f"{LEFT_OUT} {shorten_at_sentence(' '.join(parts[naming:]), NAMING_CHARACTERS)}"


MOST_PIECES, MOST_FINISHED = 2, 3
"""How many pieces are at hand; and how many once one was finished in the scene."""
GLANCE_CHARACTERS = 900
"""Most characters shown of a piece that only happens to be there."""
FRESH_DAYS = 1
"""Days in which a piece that was made or seen counts as fresh."""
A_TALK = 2
"""Most people of a scene that is not a round."""
_HEAD = re.compile(r"\w{8,}")
"""A first word of a title that names the piece by itself, if nothing else has it."""
NAMING_WORDS, BY_TITLE = 2, 100
"""Content words by which a question names a piece, and how many of them its title counts for."""


def pieces_at_hand(
    world: World,
    scene: Scene,
    agent: Agent,
    turns: Sequence[Turn] = (),
    shown: Iterable[AtHand] = (),
    unread: Collection[str] = (),
) -> list[AtHand]:
    """Return at most three pieces that a character can look at and may know of, except the paths ``unread``.

    First what was finished in the scene, the newest first, then ``shown`` ones, and what the scene is about; then what
    the character's matter or the talk so far names, if made or seen within ten days, or on the board. In a talk without
    any, the participants' newest piece since yesterday, of another the beginning.
    """

    def may_read(piece: AtHand) -> bool:
        return piece.path not in unread and is_for(piece.readers, agent.id)

    finished = [piece for turn in reversed(turns) if (piece := _find_finished(world, turn, agent))]
    present = [*finished, *filter(may_read, shown)]
    called = (*_subjects(world, scene, agent), *_find_named(world, scene, agent), *_spoken_of(world, agent, turns))
    found = _newest_versions(world, [*present, *filter(may_read, called)], turns)
    if not found and scene.type.is_turn_by_turn:
        fresh = filter(may_read, known_pieces(world, agent, FRESH_DAYS))
        by_those_here = (
            piece if piece.maker == agent.id else replace(piece, most_characters=GLANCE_CHARACTERS)
            for piece in fresh
            if piece.maker in scene.cast
        )
        found = list(islice(by_those_here, 1))
    return found[: MOST_FINISHED if present else MOST_PIECES]


def _find_finished(world: World, turn: Turn, agent: Agent) -> AtHand | None:
    artifact, readers = turn.reply.artifact, audience_of(world, turn)
    if artifact is None or not is_for(readers, agent.id):
        return None
    return AtHand(artifact.title, turn.agent, body=artifact.body, readers=readers)


def _subjects(world: World, scene: Scene, agent: Agent) -> Iterator[AtHand]:
    for path in scene.answers:
        if path.startswith(f"{GALLERY}/"):
            piece = find_piece(world, path)
            title = piece.title if piece.maker or piece.seen_by else scene.topic or piece.title
            if is_for(piece.audience, agent.id):
                yield AtHand(title, piece.maker, path, readers=piece.audience)


def is_round(scene: Scene) -> bool:
    """Return whether more than two talk in turn."""
    return scene.type.is_turn_by_turn and len(scene.cast) > A_TALK


def _find_named(world: World, scene: Scene, agent: Agent) -> Iterator[AtHand]:
    # In a round each plan names a character who is present, and at work it names everything: there it calls up own
    # pieces alone.
    known, hung = list(known_pieces(world, agent, KNOWN_DAYS)), list(pieces_hung_up(world))
    if scene.type.is_turn_by_turn:
        hung = [piece for piece in hung if piece.maker in scene.cast]
    names = _names_one_of(world, (*known, *pieces_hung_up(world)))
    is_talk = scene.type.is_turn_by_turn and not is_round(scene)
    for text in list_matters(world, scene, agent):
        only_own = not is_talk and text != scene.intent and text in agent.state.today_plan
        for piece in (*known, *hung):
            if names(text, piece) and (piece.maker == agent.id or not only_own):
                yield piece


def _spoken_of(world: World, agent: Agent, turns: Sequence[Turn]) -> Iterator[AtHand]:
    said = [" ".join(line.text for line in turn.reply.dialogue) for turn in reversed(turns)]
    pieces = (*known_pieces(world, agent, FRESH_DAYS), *pieces_hung_up(world)) if said else ()
    names = _names_one_of(world, pieces)
    return (replace(piece, about=said[0]) for piece in pieces if any(names(text, piece) for text in said))


def _names_one_of(world: World, pieces: Iterable[AtHand]) -> Callable[[str, AtHand], bool]:
    """Return whether a text names a piece: by its title, or by a long first word that no other one has in its title."""
    heads = Counter(word for title in {casefold(piece.title) for piece in pieces} for word in _words(title))

    def names(text: str, piece: AtHand) -> bool:
        head = _HEAD.match(casefold(piece.title))
        is_alone = head is not None and heads[head[0]] == 1 and not _is_common(world, head[0])
        return names_piece(text, piece.title) or (is_alone and head is not None and head[0] in _words(text))

    return names


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", casefold(text)))


def _is_common(world: World, word: str) -> bool:
    said = casefold(f"{world.settings.world.title} {world.settings.world.premise}")
    return says_little(word) or bool(find_mentioned_place(world, word)) or has_name(said, word)


def list_matters(world: World, scene: Scene, agent: Agent) -> Iterator[str]:
    """Yield what a scene is about for a character."""
    if scene.cast[0] == agent.id:
        yield scene.intent
    yield from (scene.premises.get(agent.id, ""), scene.topic, scene.premise)
    for thread in world.threads:
        if thread.id in scene.answers and thread.concerns(agent.id):
            yield thread.text
    if not scene.type.is_turn_by_turn:
        yield agent.state.current_task
    others = {*scene.cast} - {agent.id}
    for item in agent.state.today_plan:
        if not scene.type.is_turn_by_turn or others.intersection(mentioned_in(world, item)):
            yield item


def _newest_versions(world: World, pieces: Iterable[AtHand], turns: Sequence[Turn]) -> list[AtHand]:
    found: dict[tuple[str, str], AtHand] = {}
    for piece in pieces:
        if not is_replaced_in(turns, piece):
            found.setdefault((piece.maker, casefold(piece.title)), piece)
    replaced = {find_piece(world, piece.path).replaces for piece in found.values() if piece.path}
    return [piece for piece in found.values() if not piece.path or piece.path not in replaced]


def is_replaced_in(turns: Iterable[Turn], piece: AtHand) -> bool:
    """Return whether its maker has finished another version of a piece in some turns."""
    made = (turn.reply.artifact for turn in turns if turn.agent == piece.maker)
    return any(new is not None and casefold(new.replaces) == casefold(piece.title) for new in made)


def pieces_asked_about(
    world: World, agent: Agent, question: str, people: Collection[str] = (), called: Iterable[str] = ()
) -> list[AtHand]:
    """Return at most two pieces that a question names and the character made or saw, those named best first.

    It names one by title, or by two content words of the character's memory of it. Where it speaks of work (one of
    ``called``), the newest piece of the character and of each of ``people`` come last.
    """
    words, folded = topic_words(world, question), casefold(question)
    makers = {agent.id, *people} if any(has_name(folded, name) for name in called) else set()
    found: dict[str, tuple[int, AtHand]] = {}
    for node, piece in remembered_pieces(world, agent):
        shared = len(words & content_words(f"{piece.title} {node.description}"))
        if has_name(folded, piece.title):
            shared += BY_TITLE
        if shared >= NAMING_WORDS or piece.maker in makers:
            found.setdefault(piece.path, (-shared, piece))
            makers.discard(piece.maker)
    return [piece for _, piece in sorted(found.values(), key=lambda item: item[0])][:MOST_PIECES]
