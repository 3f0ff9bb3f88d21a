"""Pieces that are shown or read aloud in a scene: all present have them before them, and remember them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gm.memory.importance import as_seen_by_others
from gm.model.node import Node
from gm.model.scene import Scene
from gm.model.world import World
from gm.scene.artifacts import KNOWN_DAYS, AtHand, is_for, known_pieces, matters_of
from gm.scene.ledger import Ledger, Words, noticed
from gm.scene.mentions import names_piece, touches
from gm.scene.turns import Turn

_SHOWS: Mapping[str, re.Pattern[str]] = {
    "de": re.compile(
        r"\b(?:(?:vor)?l(?:ies|es|äs)t?\w*|las(?:en)?|(?:vor|hin|aus)?(?:zu)?leg(?:e|t|en)|zeig\w*|reich(?:e|t|en)|h(?:a|ä)lt(?:e|en)?"
        r"|roll\w*|breite\w*|schieb\w*|schläg\w*|gib(?:t|st)?|hier (?:ist|steht)|hört? zu)\b",
        re.IGNORECASE,
    ),
    "en": re.compile(
        r"\b(?:reads?|reading|shows?|showing|lay(?:s|ing)?|puts?|hand(?:s|ing)?|holds?|unrolls?|spreads?|pass(?:es)?"
        r"|slides?|here (?:is|it says)|listen)\b",
        re.IGNORECASE,
    ),
}
"""Words by which a turn, or what a scene is about, says that something is shown or read aloud."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A piece that somebody has shown, with the words in which it was done."""

    by: str
    piece: AtHand
    said: str


def pieces_shown(world: World, scene: Scene, turns: Sequence[Turn]) -> tuple[Shown, ...]:
    """Return the finished pieces that were shown or read aloud in some turns of a scene, the newest first.

    One who made or saw a piece shows it with words that name it and say so, or by speaking in a scene that is played so
    that it is shown.
    """
    shows = _SHOWS.get(world.settings.language)
    if shows is None:
        return ()
    found: dict[str, Shown] = {}
    for turn in reversed(turns):
        speaker = world.agents[turn.agent]
        told = " ".join((turn.reply.action, *(line.text for line in turn.reply.dialogue)))
        texts = [text for text in (told, *matters_of(world, scene, speaker)) if shows.search(text)]
        for piece in known_pieces(world, speaker, KNOWN_DAYS) if texts and told.strip() else ():
            if any(names_piece(text, piece.title) for text in texts):
                found.setdefault(piece.path, Shown(turn.agent, piece, told))
    return tuple(found.values())


def at_hand(shown: Sequence[Shown], agent: str) -> Iterator[AtHand]:
    """Yield the shown pieces that a character may see, each with what its showing was about."""
    for one in shown:
        if is_for(one.piece.readers, agent):
            yield replace(one.piece, about=one.said)


def add_shown(ledger: Ledger, scene: Scene, turns: Sequence[Turn], words: Words) -> None:
    """Add an observation of each shown piece for those present who may see it and did not know it."""
    world = ledger.world
    for one in pieces_shown(world, scene, turns):
        made = _memory_of(world, one.piece.maker, one.piece.path) if one.piece.maker else None
        known = made or _memory_of(world, one.by, one.piece.path)
        for name in scene.cast:
            if known and is_for(one.piece.readers, name) and not _memory_of(world, name, one.piece.path):
                _notice(ledger, name, one, known, words)


def _notice(ledger: Ledger, name: str, one: Shown, known: Node, words: Words) -> None:
    world, piece = ledger.world, one.piece
    what = known.description.removeprefix(f"{piece.title}: ")
    text = words("artifact_seen", maker=world.call_name(one.by), title=piece.title, what=what, task="")
    weight = as_seen_by_others(known.importance, touches(text, world.agents[name].state.today_plan))
    limited = {"audience": list(piece.readers)} if piece.readers else {}
    tags = (piece.maker or one.by, *(tag for tag in known.tags if tag != "own-work"))
    ledger.add(name, noticed(text, weight, tags, artifact_path=piece.path, title=piece.title, **limited))


def _memory_of(world: World, name: str, path: str) -> Node | None:
    return next((node for node in world.agents[name].stream if node.metadata.get("artifact_path") == path), None)
