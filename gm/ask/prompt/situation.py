"""What is open for a character in a prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gm.ask.prompt.render import View
from gm.base.casefold import says
from gm.base.config import TIMES_OF_DAY
from gm.base.texts import shorten_at_word
from gm.model.calendar import moment_of, render_day, weekday
from gm.model.clock import Post, ScheduledEvent
from gm.model.ids import place_words
from gm.model.mind import SHARE
from gm.model.scene import ARRIVAL, Scene
from gm.model.scene_reply import SceneReply
from gm.model.thread import GAME_MASTER, Thread
from gm.model.world import Agent, Sentences, World
from gm.scene.folding.exchange import wanted_of
from gm.scene.pieces.known_pieces import find_piece, is_for, replaced_on_board
from gm.scene.pieces.names import piece_name
from gm.scene.pieces.waiting import BRIEF, find_answered
from gm.scene.planning.events import events_on, is_played
from gm.scene.threads.awareness import open_threads_of, unaware_of, was_absent

MOST_POSTS, MOST_HUNG_UP = 6, 4
"""Most posts shown from outside the cast, and from the cast."""
MOST_DECISIONS = 12
MOST_CLOSED = 20
DAYS_AHEAD = 3
DEADLINE_DAYS = 7
OLD_POST_CHARACTERS = 240


@dataclass(frozen=True, slots=True)
class BoardPost:
    """A post on the board; ``whole`` for those who do not remember it, else ``short``.

    ``content`` is its text, of a piece by the cast the description alone. ``audience`` are the ids of those who may
    know of the piece at path ``piece``; empty = all.
    """

    key: str
    content: str
    whole: View
    short: View
    audience: tuple[str, ...] = ()
    piece: str = ""


def list_hanging(world: World) -> list[Post]:
    """Return the last posts from outside and of the cast, in board order, without replaced pieces and ended briefs."""
    left = {True: MOST_HUNG_UP, False: MOST_POSTS}
    shown = []
    for post in reversed(world.posts):
        is_own = world.find_agent(post.author) is not None
        if left[is_own] and (is_own or not _is_ended(world, post)) and post.artifact not in replaced_on_board(world):
            left[is_own] -= 1
            shown.append(post)
    return shown[::-1]


def _is_ended(world: World, post: Post) -> bool:
    """Return whether a post is a brief that is no longer active, and that was taken up or has hung for two days."""
    is_old = post.key in find_answered(world) or post.day < world.clock.day - 1
    return post.type == BRIEF and is_old and post.content not in world.clock.active_briefs


Heard = Mapping[str, tuple[str, str]]
"""Memories of posts that a question shows: by id the key of the post or the path of its piece, and the text shown."""


def find_heard(heard: Heard, content: str) -> str:
    """Return the id of a memory that says a text whole, or ""."""
    return next((name for name, (_, text) in heard.items() if content.strip() and says(text, content)), "")


def view_board(world: World, scene: Scene) -> list[BoardPost]:
    """Return the last posts not answered here, old ones shortened."""
    taken = find_answered(world)
    shown = []
    for key, post in ((post.key, post) for post in list_hanging(world)):
        if key in scene.answers:
            continue
        own = world.find_agent(post.author)
        fresh = key not in taken or post.day >= world.clock.day - 1 or post.content in world.clock.active_briefs
        about = piece_name(post.artifact) if post.artifact and not own else ""
        piece = find_piece(world, post.artifact) if post.artifact else None
        short = shorten_at_word(post.content, OLD_POST_CHARACTERS)
        whole, brief = (
            View(
                author=world.agents[own].call_name if own else post.author,
                day=post.day,
                about=about,
                title=piece.title if piece and own else "",
                content=content,
                known_as="",
            )
            for content in (post.content if fresh else short, short)
        )
        content = post.content.removeprefix(f"{piece.title}: ") if piece and own else post.content
        shown.append(BoardPost(key, content, whole, brief, piece.audience if piece else (), post.artifact))
    return shown


def view_posts(
    posts: Sequence[BoardPost], agent: Agent, heard: Heard, named_in: Mapping[str, Sequence[str]]
) -> list[View]:
    """Return the posts; ``known_as`` is the id of a memory that says one, or what the piece ``title`` is.

    ``named_in`` holds lines that name the character, by the path of their piece.
    """
    return [_view_post(post, heard, named_in) for post in posts if is_for(post.audience, agent.id)]


def _view_post(post: BoardPost, heard: Heard, named_in: Mapping[str, Sequence[str]]) -> View:
    own = {name: item for name, item in heard.items() if item[0] in {post.key, post.piece}}
    shown = post.short if post.key in {key for key, _ in own.values()} else post.whole
    known_as = find_heard(own, post.content)
    return View(**{**vars(shown), "known_as": known_as, "lines": named_in.get(post.piece, ())})


def topic_in(world: World, scene: Scene, heard: Heard) -> list[str]:
    """Return the ids of memories that say a topic's posts whole."""
    posts = [post.content for post in world.posts if post.key in scene.answers]
    ids = [find_heard(heard, content) for content in posts]
    return ids if posts and all(ids) and scene.topic == "\n\n".join(posts) else []


def active_briefs(world: World) -> list[str]:
    """Return the active briefs that are not on the board."""
    on_board = {post.content for post in list_hanging(world)}
    return [brief for brief in world.clock.active_briefs if brief not in on_board][-MOST_DECISIONS:]


def view_deadlines(words: Sentences, world: World) -> list[str]:
    """Return the next days' events, and the next week's deadlines."""
    today = world.clock.day
    return [
        words(
            "deadline",
            left=str(max(0, event.day - today)),
            day=event.day,
            weekday=weekday(event.day, world.settings.calendar.weekdays),
            event=event.event,
            where=_where(words, world, event),
        )
        for day in range(today, today + DEADLINE_DAYS)
        for _, event in events_on(world, day)
        if day < today + DAYS_AHEAD or not is_played(event)
    ]


def _where(words: Sentences, world: World, event: ScheduledEvent) -> str:
    place = place_words(event.place, world.settings.place_names)
    return ", ".join(filter(None, (say_time(words, event.time), place))) if is_played(event) else ""


NO_THREADS = View(shown=[], more=0, yours=False)


def view_own_threads(
    world: World, scene: Scene, agent: Agent, own: Sequence[SceneReply], names: Mapping[str, str]
) -> View:
    """Return a character's open threads: the most urgent, the number left out, whether one is its own to settle.

    Threads with those present come first; those settled in ``own``, the replies so far, are left out. ``here``: the
    scene states it. ``settled_by``: a character who is present has closed it without the character's knowledge;
    ``settled`` says how, only to the opener or of a matter between two, since its words may hold what others are not to
    know.
    """
    found = [
        thread for thread in _list_unsettled(world, scene, agent, own) if thread.kind not in ("appointment", "silence")
    ]
    shown = found[: world.settings.threads.shown]
    # others' promises are theirs to keep
    yours = any(thread.by == agent.id if thread.kind == "promise" else thread.by != agent.id for thread in shown)
    more = len(found) - len(shown)
    stated = threads_stated(world, scene, agent, own)
    views = [_thread(world, scene, agent, thread, names, here=_is_told(scene, thread, stated)) for thread in shown]
    return View(shown=views, more=more, yours=yours)


def threads_stated(world: World, scene: Scene, agent: Agent, own: Sequence[SceneReply]) -> list[str]:
    """Return the ids of unsettled threads that a scene states to a participant."""
    settled = {closed.id for reply in own for closed in reply.closes}
    premise = scene.premises.get(agent.id, "")
    return [
        thread.id
        for thread in world.threads
        if thread.id in scene.answers and thread.id not in settled and says(premise, thread.text)
    ]


def _thread(
    world: World, scene: Scene, agent: Agent, thread: Thread, names: Mapping[str, str], *, here: bool = False
) -> View:
    # closed without the character's knowledge: it hears of it from the one who closed it
    over = not thread.is_open and thread.closed_by in scene.cast and scene.type.name != ARRIVAL
    today = world.clock.day
    state = ""
    if thread.due is not None:
        state = "overdue" if thread.due < today else "today" if thread.due == today else "later"
    return View(
        id=thread.id,
        kind=thread.kind,
        mine=thread.by == agent.id,
        by=names.get(thread.by, thread.by),
        to=[names.get(name, name) for name in thread.to],
        text=" ".join(thread.text.split()),
        since=thread.since.day,
        due=thread.due,
        due_weekday="" if thread.due is None else weekday(thread.due, world.settings.calendar.weekdays),
        state=state,
        here=here,
        fetched=was_absent(world, thread, agent.id),
        settled_by=names.get(thread.closed_by, thread.closed_by) if over else "",
        settled=" ".join(thread.reason.split()) if over and (thread.by == agent.id or len(thread.people) == 2) else "",
    )


def _list_unsettled(world: World, scene: Scene, agent: Agent, own: Sequence[SceneReply]) -> list[Thread]:
    settled = {closed.id for reply in own for closed in reply.closes}
    return [thread for thread in open_threads_of(world, agent.id, scene.cast) if thread.id not in settled]


def view_kept(
    words: Sentences, world: World, scene: Scene, agent: Agent, own: Sequence[SceneReply], names: Mapping[str, str]
) -> dict[str, Sequence[View | str]]:
    """Return a character's appointments, the next first, and what it or others keep to themselves.

    As ``view_own_threads``; of either at most as many. ``settled``, for a plan: what the Game Master let go in
    the evening before.
    """
    found = _list_unsettled(world, scene, agent, own)
    most = world.settings.threads.shown
    agreed = sorted(
        (thread for thread in found if thread.kind == "appointment"),
        key=lambda thread: (thread.due or 0, [*TIMES_OF_DAY, ""].index(thread.time_of_day), thread.time),
    )
    stated = threads_stated(world, scene, agent, own)
    silent = [thread for thread in found if thread.kind == "silence"]
    return {
        "agreed": [
            _appointment(
                words,
                thread,
                _thread(world, scene, agent, thread, names, here=_is_told(scene, thread, stated)),
                [names.get(name, name) for name in thread.people if name != agent.id],
            )
            for thread in agreed[:most]
        ],
        "silent": [_thread(world, scene, agent, thread, names) for thread in silent[:most]],
        "settled": _let_go(world, agent) if scene.type.plan else [],
        "closed": _view_closed(words, world, agent) if scene.is_asked else _closed_unseen(words, world, scene, agent),
    }


def _view_closed(words: Sentences, world: World, agent: Agent) -> list[View]:
    unaware = {thread.id for thread in unaware_of(world, agent.id)}
    found = [
        thread
        for thread in world.threads
        if thread.concerns(agent.id)
        and thread.kind != "silence"
        and thread.outcome not in ("", "replaced")
        and thread.id not in unaware
    ]
    found.sort(key=lambda thread: moment_of(thread.touched))
    return [_view_end(words, thread, agent) for thread in found[-MOST_CLOSED:]]


def _closed_unseen(words: Sentences, world: World, scene: Scene, agent: Agent) -> list[View]:
    before = max((entry.day for entry in world.log if entry.day < world.clock.day), default=0)
    if not scene.type.plan:
        return []
    unaware = {thread.id for thread in unaware_of(world, agent.id)}
    there = {entry.number for entry in world.scenes_of(before) if agent.id in entry.participants}
    return [
        _view_end(words, thread, agent)
        for thread in world.threads
        if thread.concerns(agent.id)
        and thread.closed_by in world.agents
        and thread.closed_by != agent.id
        and thread.outcome != "replaced"
        and thread.id not in unaware
        and (at := moment_of(thread.touched)).day == before
        and at.scene not in there
    ][-MOST_CLOSED:]


def _view_end(words: Sentences, thread: Thread, agent: Agent) -> View:
    # its words may hold what others are not to know
    why = (
        " ".join(thread.reason.split()) if agent.id in (thread.by, thread.closed_by) or len(thread.people) == 2 else ""
    )
    return View(text=thread.text, how=words("thread_closed", outcome=thread.outcome), why=why)


def _let_go(world: World, agent: Agent) -> list[str]:
    before = max((entry.day for entry in world.log if entry.day < world.clock.day), default=0)
    return [
        " ".join(thread.text.split())
        for thread in world.threads
        if thread.concerns(agent.id)
        and (thread.closed_by, thread.outcome) == (GAME_MASTER, "dropped")
        and thread.touched == render_day(before)
    ]


def _is_told(scene: Scene, thread: Thread, stated: Sequence[str]) -> bool:
    return thread.id in stated or (thread.id in scene.answers and says(scene.premise, thread.text))


def _appointment(words: Sentences, thread: Thread, view: View, others: Sequence[str]) -> View:
    return View(**vars(view), others=others, time=say_time(words, thread.time), place=thread.place)


def say_time(words: Sentences, time: str) -> str:
    """Return the time of a thread as a sentence says it."""
    return words(f"time_{time}") if time in TIMES_OF_DAY else time


NO_SHARING = View(wanted=[], asked=[])


def view_sharing(world: World, agent: Agent, own: Sequence[SceneReply]) -> View:
    """Return who has asked a character for memories, and who was asked by it; empty while the layer is off.

    Requests answered in ``own``, the replies so far, are left out.
    """
    if SHARE not in world.layers:
        return NO_SHARING
    cast = world.agents
    wanted = [item for item in wanted_of(world, agent.id, own) if item.asker in cast]
    asked = [item for item in world.links if item.asker == agent.id and item.giver in cast]
    return View(
        wanted=[View(id=item.asker, name=cast[item.asker].call_name, about=item.about) for item in wanted],
        asked=[View(name=cast[item.giver].call_name, about=item.about) for item in asked],
    )
