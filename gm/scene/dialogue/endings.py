"""When a round has nothing left to settle, and who is asked once more after a scene."""

from __future__ import annotations

from collections.abc import Sequence

from gm.model.scene import Scene, SceneType
from gm.model.thread import THREAD_ID
from gm.scene.dialogue.speakers import is_end
from gm.scene.dialogue.turns import Turn, after_last_round, after_last_turn
from gm.scene.grounding.mentions import content_words

FAREWELL_WORDS = 10
"""New content words in a scene, above which a last line to a character is more than a farewell."""
QUIET_TURNS = 2
"""Turns in a row that bring nothing new, after which a round is brought to its end."""


def last_words(cast: Sequence[str], turns: Sequence[Turn], kind: SceneType) -> tuple[str, ...]:
    """Return whom a finished scene asks once more for what they remember (``SceneType.last_word``).

    Not those who closed it for themselves, with what they keep of it, and after whom nothing new came. Where only those
    addressed late are asked, all have been told to record what they keep with ``done``.
    """
    if kind.last_word == "none" or not turns:
        return ()
    after = after_last_round if kind.is_at_once else after_last_turn
    left = {name: after(name, turns) for name in cast}
    open_ = [name for name in cast if not _has_closed(name, turns, kind) or _has_news(name, turns, left[name])]
    if kind.last_word == "heard":
        return tuple(
            name for name in open_ if any(line.to == name for turn in left[name] for line in turn.reply.dialogue)
        )
    *before, last = turns
    knew = last.agent if kind.is_turn_by_turn and is_end(last.agent, cast, before, kind) else ""
    return tuple(name for name in open_ if name != knew)


def _has_closed(agent: str, turns: Sequence[Turn], kind: SceneType) -> bool:
    last = next((turn.reply for turn in reversed(turns) if turn.agent == agent), None)
    return last is not None and last.done and bool(kind.last_word == "heard" or last.memories or last.conversation)


def _has_news(agent: str, turns: Sequence[Turn], after: Sequence[Turn]) -> bool:
    # A promise asks for nothing, and what is said to it is kept anyway; it is asked so that it can agree, or make
    # something of it.
    heard = [line.text for turn in after for line in turn.reply.dialogue if line.to in (None, agent)]
    opened = {one.kind for turn in after for one in turn.reply.opens}
    if any("?" in text for text in heard) or opened - {"promise"} or any(turn.reply.artifact for turn in after):
        return True
    said = " ".join(line.text for turn in turns[: len(turns) - len(after)] for line in turn.reply.dialogue)
    return len(content_words(" ".join(heard)) - content_words(said)) > FAREWELL_WORDS


def is_settled(scene: Scene, turns: Sequence[Turn]) -> bool:
    """Return whether a round with a chair has nothing left to settle, and all in it have spoken.

    All threads that it takes up are closed and nothing was asked last, or its last turns brought nothing new: no
    question, no promise or question to note, no closing, decision or piece.
    """
    if not scene.type.chair or not {turn.agent for turn in turns} >= {*scene.cast}:
        return False
    taken_up = {key for key in scene.answers if THREAD_ID.number(key)}
    closed = {one.id.strip("`") for turn in turns for one in turn.reply.closes}
    if taken_up and taken_up <= closed and not _has_question(turns[-1]):
        return True
    return not any(map(_has_progress, turns[-QUIET_TURNS:]))


def _has_question(turn: Turn) -> bool:
    return any("?" in line.text for line in turn.reply.dialogue)


def _has_progress(turn: Turn) -> bool:
    reply = turn.reply
    return bool(_has_question(turn) or reply.opens or reply.closes or reply.decisions or reply.artifact)
