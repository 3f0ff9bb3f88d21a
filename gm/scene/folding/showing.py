"""Pieces shown or read aloud in a scene: all present have them before them, and remember them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from gm.base.languages import language_of
from gm.memory.importance import as_seen_by_others
from gm.model.node import Node
from gm.model.scene import ARRIVAL, Scene
from gm.model.world import Agent, Sentences, World
from gm.scene.dialogue.turns import Turn
from gm.scene.grounding.attendance import in_house
from gm.scene.grounding.mentions import names_piece, touches
from gm.scene.ledger import Ledger, make_observation
from gm.scene.pieces.at_hand import MOST_PIECES, is_replaced_in, is_round, list_matters, pieces_at_hand
from gm.scene.pieces.known_pieces import (
    KNOWN_DAYS,
    PIECE_CHARACTERS,
    AtHand,
    has_read,
    is_for,
    known_pieces,
    new_on_board,
    paths_known,
    pieces_on_board,
)
from gm.scene.planning.marks import is_struck
from gm.scene.threads.awareness import open_threads_of


@dataclass(frozen=True, slots=True)
class ShownPiece:
    """A piece shown, and the words with which."""

    by: str
    piece: AtHand
    said: str


def pieces_shown(world: World, scene: Scene, turns: Sequence[Turn]) -> tuple[ShownPiece, ...]:
    """Return the finished pieces shown or read aloud in some turns, the newest first.

    A character shows a piece that it made or saw by naming it together with a word for showing, or by speaking in a
    scene that is played to show it. Nothing is shown in ARRIVAL scenes. A piece that its maker kept private becomes
    visible to those present.
    """
    shows = language_of(world.settings.language).shows
    if scene.type.name == ARRIVAL:
        return ()
    found: dict[str, ShownPiece] = {}
    for turn in reversed(turns):
        speaker = world.agents[turn.agent]
        if not paths_known(world, speaker):
            continue
        turn_text = " ".join((turn.reply.action, *(line.text for line in turn.reply.dialogue)))
        texts = [text for text in (turn_text, *list_matters(world, scene, speaker)) if _is_in(shows, text)]
        for piece in known_pieces(world, speaker, KNOWN_DAYS) if texts and turn_text.strip() else ():
            if any(names_piece(text, piece.title) for text in texts):
                kept = piece.readers == (turn.agent,)
                seen = replace(piece, readers=tuple(dict.fromkeys((turn.agent, *scene.cast)))) if kept else piece
                found.setdefault(piece.path, ShownPiece(turn.agent, seen, turn_text))
    return tuple(found.values())


@lru_cache(maxsize=4096)
def _is_in(pattern: re.Pattern[str], text: str) -> bool:
    # all who are asked look at the same turns and plans
    return pattern.search(text) is not None


def shown_to(shown: Sequence[ShownPiece], agent: str) -> Iterator[AtHand]:
    """Yield shown pieces that a character may see, with what their showing was about."""
    for one in shown:
        if is_for(one.piece.readers, agent):
            yield replace(one.piece, about=one.said)


def pieces_before(world: World, scene: Scene, agent: Agent, turns: Sequence[Turn]) -> list[AtHand]:
    """Return the pieces before a character after some turns.

    In the morning those that are new on the board. Later, in a first turn, one of them last: at work, before its maker,
    or hung up today.
    """
    unread = unread_by(world, agent)
    new = (
        piece for piece in new_on_board(world, agent) if piece.path not in unread and not is_replaced_in(turns, piece)
    )
    if scene.type.name == ARRIVAL:
        return list(islice(new, MOST_PIECES)) if agent.id in in_house(world) else []
    shown = shown_to(pieces_shown(world, scene, turns), agent.id)
    found = pieces_at_hand(world, scene, agent, turns, shown, unread)
    is_busy = len(found) >= MOST_PIECES or is_round(scene) or any(turn.agent == agent.id for turn in turns)
    if is_busy or scene.type.is_reflection:
        return found
    known, is_work, today = {piece.path for piece in found}, not scene.type.is_turn_by_turn, world.clock.day
    near = (piece for piece in new if is_work or piece.maker in scene.cast or piece.hung_day == today)
    return [*found, *islice((piece for piece in near if piece.path not in known), 1)]


def unread_by(world: World, agent: Agent) -> frozenset[str]:
    """Return the paths of pieces that a character's plan or threads say not to read."""
    pattern = language_of(world.settings.language).not_read
    matters = (*(thread.text for thread in open_threads_of(world, agent.id)), *agent.state.today_plan)
    texts = [text for text in matters if pattern.search(text) and not is_struck(text)]
    pieces = (*known_pieces(world, agent, KNOWN_DAYS), *pieces_on_board(world, agent)) if texts else ()
    others = (piece for piece in pieces if piece.maker != agent.id)
    return frozenset(piece.path for piece in others if any(names_piece(text, piece.title) for text in texts))


def add_read_pieces(ledger: Ledger, scene: Scene, turns: Sequence[Turn], words: Sentences) -> dict[str, list[str]]:
    """Add observations of unknown pieces of the board read in the scene; return, by reader, the others read first."""
    world = ledger.world
    read: dict[str, dict[str, None]] = {}
    hung = {post.artifact for post in world.posts}
    for name in scene.cast:
        own = [place for place, turn in enumerate(turns) if turn.agent == name]
        if not own:
            continue
        moments = dict.fromkeys((0,) if scene.type.is_at_once else (own[0], own[-1]))
        before = (
            piece
            for at in moments
            for piece in pieces_before(world, scene.seen_by(name), world.agents[name], turns[:at])
        )
        for piece in before:
            is_others = piece.path in hung and piece.maker not in ("", name)
            made = _memory_of(world, piece.maker, piece.path) if is_others else None
            if made and _memory_of(world, name, piece.path):
                if piece.most_characters == PIECE_CHARACTERS and not has_read(world, world.agents[name], piece.path):
                    read.setdefault(name, {})[piece.path] = None
            elif made and not _has_added(ledger, name, piece.path):
                _add_observation(
                    ledger, name, piece, made, words("artifact_read", **_name_piece(world, piece, piece.maker, made))
                )
    return {name: list(paths) for name, paths in read.items()}


def _has_added(ledger: Ledger, name: str, path: str) -> bool:
    return any(node.piece == path for node in ledger.nodes.get(name, ()))


def add_shown(ledger: Ledger, scene: Scene, turns: Sequence[Turn], words: Sentences) -> None:
    """Add observations of shown pieces for those who may see them and did not know them."""
    world = ledger.world
    for one in pieces_shown(world, scene, turns):
        made = _memory_of(world, one.piece.maker, one.piece.path) if one.piece.maker else None
        known = made or _memory_of(world, one.by, one.piece.path)
        for name in scene.cast:
            if known and is_for(one.piece.readers, name) and not _memory_of(world, name, one.piece.path):
                text = words("artifact_seen", **_name_piece(world, one.piece, one.by, known), task="")
                _add_observation(ledger, name, one.piece, known, text, one.by)


def _name_piece(world: World, piece: AtHand, by: str, known: Node) -> dict[str, object]:
    what = known.description.removeprefix(f"{piece.title}: ")
    others = world.call_name(piece.maker) if piece.maker not in ("", by) else ""
    return {"maker": world.call_name(by), "of": others, "title": piece.title, "what": what}


def _add_observation(ledger: Ledger, name: str, piece: AtHand, known: Node, text: str, by: str = "") -> None:
    weight = as_seen_by_others(known.importance, touches(text, ledger.world.agents[name].state.today_plan))
    more: dict[str, object] = {"audience": list(piece.readers)} if piece.readers else {}
    more |= {"replaces": known.replaces} if known.replaces else {}
    tags = (piece.maker or by, *(tag for tag in known.tags if tag != "own-work"))
    ledger.add(name, make_observation(text, weight, tags, artifact_path=piece.path, title=piece.title, **more))


def _memory_of(world: World, name: str, path: str) -> Node | None:
    return next((node for node in world.agents[name].stream if node.piece == path), None)
