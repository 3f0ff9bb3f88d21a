"""The question to the narrator: what was done and said aloud on a day, and what is open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter

from gm.ask.prompt.off_scene import view_played
from gm.ask.prompt.people import shown_name, view_person, view_world
from gm.ask.prompt.render import Prompts, View
from gm.base.casefold import casefold
from gm.base.texts import shorten_at_word
from gm.model.calendar import weekday
from gm.model.clock import Post
from gm.model.ids import place_name
from gm.model.logged import LogEntry
from gm.model.scene import ARRIVAL, REFLECTION
from gm.model.world import World
from gm.scene.evening.left_open import describe_open
from gm.scene.pieces.at_hand import shorten_piece
from gm.scene.pieces.known_pieces import find_piece
from gm.scene.pieces.waiting import BRIEF

MOST_THREADS = 12
ReadPiece = Callable[[str], str | None]
"""Reads a piece by its path; None when there is none."""
PAPER_PART = 80
"""A sheet in the question for a chapter has at most the 80th part of the day's characters."""
MOST_WEIGHTY = 3
"""Scenes of a day that the question for a chapter names as its weightiest."""
POST_CHARACTERS = 1_500
"""Characters of a post on the board."""


def render_narrator(prompts: Prompts, world: World, template: str = "narrator.j2") -> str:
    """Render what stays the same from day to day, for a retelling or with ``chapter.j2``."""
    cast = [view_person(agent) for agent in world.agents.values()]
    return prompts.render(template, world=view_world(world.settings.world), cast=cast)


def render_retelling(prompts: Prompts, world: World, most: int, read_piece: ReadPiece | None = None) -> str:
    """Render the question for the world's day.

    Args:
        world: As it is once the day is closed.
        most: Characters of what was done and said; of a longer scene, its end is told.
        read_piece: Given for a chapter, which has more of the day: reads the texts that characters showed each other.
    """
    is_chapter = read_piece is not None
    day = world.clock.day
    played = told_scenes(world)
    left = sorted(
        (thread for thread in world.threads if thread.is_pending and thread.to),
        key=lambda thread: (thread.due is None, thread.due or 0, thread.number),
    )
    return prompts.render(
        "retelling.j2",
        now=View(day=day, weekday=weekday(day, world.settings.calendar.weekdays)),
        before=_last_closing(world, day).retold,
        is_chapter=is_chapter,
        posts=[
            View(author=shown_name(world, post.author), text=shorten_at_word(post.content, POST_CHARACTERS))
            for post in _posts(world, day)
        ],
        chapter=_last_closing(world, day).chapter if is_chapter else "",
        scenes=[
            view_played(prompts.words, world, entry).but(
                place=place_name(entry.place, world.settings.place_names),
                lines=_list_lines(world, entry, most // len(played)),
                papers=[
                    View(title=title, maker=shown_name(world, maker), text=shorten_piece(text, most // PAPER_PART))
                    for title, maker, text in (_papers(world, entry, read_piece) if read_piece else ())
                ],
            )
            for entry in played
        ],
        weighty=_list_weighty(world, played) if is_chapter else [],
        threads=[describe_open(world, thread, prompts.words) for thread in left[:MOST_THREADS]],
    )


def told_scenes(world: World) -> Sequence[LogEntry]:
    """Return the day's scenes in which anything was done or said, without reflections."""
    entries = world.scenes_of(world.clock.day)
    return [
        entry for entry in entries if entry.type != REFLECTION and any(one.action or one.lines for one in entry.turns)
    ]


def _list_weighty(world: World, played: Sequence[LogEntry]) -> list[View]:
    """Return the day's scenes that mattered most, the first most of all; arrivals and those without memories aside.

    weight = mean over the cast of the greatest importance kept + (agreements made or settled, at most 4) / 4
    + agreements broken
    """
    found = []
    for number, entry in enumerate(played, 1):
        kept: dict[str, int] = {}
        for memory in entry.memories:
            if memory.importance and memory.agent in entry.participants:
                kept[memory.agent] = max(memory.importance, kept.get(memory.agent, 0))
        if entry.type == ARRIVAL or not kept:
            continue
        agreed = [event for event in entry.threads if event.kind != "silence"]
        broken = sum(event.outcome == "broken" for event in agreed)
        view = View(
            number=number,
            names=[shown_name(world, name) for name in entry.participants],
            importance=max(kept.values()),
            agreed=len(agreed),
            broken=broken,
        )
        found.append((sum(kept.values()) / len(entry.participants) + min(len(agreed), 4) / 4 + broken, view))
    return [view for _, view in sorted(found, key=itemgetter(0), reverse=True)[:MOST_WEIGHTY]]


def told_texts(world: World, read_piece: ReadPiece) -> list[str]:
    """Return everything that a chapter of the world's day can quote."""
    entries = told_scenes(world)
    turns = [turn for entry in entries for turn in entry.turns]
    texts = [text for turn in turns for text in (turn.action, *(line.text for line in turn.lines))]
    texts += [text for entry in entries for _, _, text in _papers(world, entry, read_piece)]
    return [*texts, *(post.content for post in world.posts), _last_closing(world, world.clock.day).chapter]


def _papers(world: World, entry: LogEntry, read_piece: ReadPiece) -> Iterator[tuple[str, str, str]]:
    """Yield title, maker and text of what was made and shown in a scene, without what was replaced in it."""
    made = {path: find_piece(world, path) for path in entry.artifacts if len(entry.participants) > 1}
    replaced = {piece.replaces for piece in made.values()}
    for path, piece in made.items():
        if path not in replaced and piece.audience != (piece.maker,) and (text := read_piece(path)):
            yield piece.title, piece.maker, text


def _posts(world: World, day: int) -> Iterator[Post]:
    """Yield the newest brief and what was put up on the day."""
    brief = next((post for post in reversed(world.posts) if casefold(post.type) == BRIEF), None)
    return (post for post in world.posts if post is brief or post.day == day)


def _last_closing(world: World, day: int) -> LogEntry:
    closings = (entry for entry in reversed(world.log) if entry.is_summary and entry.day < day)
    return next(closings, LogEntry(day, {}))


def _list_lines(world: World, entry: LogEntry, most: int) -> list[View]:
    shown: list[View] = []
    for turn in reversed(entry.turns):
        name = shown_name(world, turn.agent)
        own = [View(name="", to="", text=turn.action)] if turn.action else []
        own += [View(name=name, to=shown_name(world, line.to), text=line.text) for line in turn.lines]
        most -= sum(len(line.text) for line in own)
        if shown and most < 0:
            break
        shown[:0] = own
    return shown
