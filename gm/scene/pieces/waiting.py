"""Posts, artifacts and questions not taken up, and undelivered posts.

The Creative Director's posts reach all with the next scene. The logbook lists them under ``delivered`` by their words
too, since the user may delete posts above them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gm.base.casefold import casefold
from gm.base.texts import shorten_at_word
from gm.model.clock import Post
from gm.model.derived import derived
from gm.model.node import BY_GAME_MASTER
from gm.model.scene import LogEntry
from gm.model.world import Agent, Sentences, World
from gm.scene.grounding.mentions import content_words
from gm.scene.ledger import Ledger, make_observation
from gm.scene.pieces.known_pieces import find_piece, is_for, replaced_lately
from gm.scene.pieces.names import slug

BRIEF, FEEDBACK = "brief", "feedback"
BRIEF_IMPORTANCE = 9
OWN_IMPORTANCE, OTHERS_IMPORTANCE = 8, 6
"""Importance of feedback on an artifact for its maker, and for the others."""
OWN_WORDS, OWN_SHARED = ("observation", "reflection"), 5
"""Memories by which a character keeps a brief in its own words, and content words that they share with it."""
HEARD_CHARACTERS = 1_400
"""Characters of a post that a memory of it keeps."""
BEGINNING_CHARACTERS = 80
"""Characters of a post by which a memory names it."""


def waiting_posts(world: World, since: int) -> Iterator[Post]:
    """Yield posts from outside the cast, since a day, not taken up."""
    taken = find_answered(world)
    for post in world.posts:
        is_new = post.waits and post.day >= since and post.key not in taken
        if is_new and not world.find_agent(post.author) and not was_put_up_in_scene(world, post):
            yield post


def waiting_artifacts(world: World, entries: Sequence[LogEntry]) -> Iterator[tuple[LogEntry, str]]:
    """Yield the artifacts not taken up, each with its own scene; of versions the last one."""
    taken = find_answered(world) | replaced_lately(world)
    for entry in entries:
        for path in entry.artifacts:
            if path not in taken:
                yield entry, path


def find_open_question(entry: LogEntry) -> tuple[str, str] | None:
    """Return who asked, and what, when a scene ends with a question."""
    last = entry.dialogue[-1:]
    return last[0] if last and last[0][1].rstrip(' "»«“”').endswith("?") else None


def was_put_up_in_scene(world: World, post: Post) -> bool:
    """Return whether a post names a played scene, whose participants heard it."""
    return bool(post.scene) and (post.day, post.scene) in _list_played(world)


@derived
def _list_played(world: World) -> frozenset[tuple[int, int | None]]:
    return frozenset((entry.day, entry.number) for entry in world.log if not entry.is_summary)


@derived
def find_answered(world: World) -> frozenset[str]:
    """Return the keys of all that recent scenes took up."""
    return frozenset(key for entry in world.log for key in entry.answers)


def deliver(ledger: Ledger, words: Sentences) -> dict[str, object]:
    """Add memories of new posts; return their logbook part."""
    posts = list(undelivered(ledger.world))
    for post in posts:
        _add(ledger, post, words)
    feedback = [" ".join(post.content.split()) for post in posts if _is_feedback(ledger.world, post)]
    return {
        **({"cd_feedback": " / ".join(feedback)} if feedback else {}),
        **({"delivered": [{"post": post.key, "text": identify_post(post)} for post in posts]} if posts else {}),
    }


@derived
def undelivered(world: World) -> tuple[Post, ...]:
    """Return undelivered briefs and feedback since the last played day."""
    return tuple(_undelivered(world))


def _undelivered(world: World) -> Iterator[Post]:
    today = world.clock.day
    day_before = min(today - 1, max((entry.day for entry in world.log if entry.day < today), default=today - 1))
    for post in world.posts:
        if (
            not day_before <= post.day <= today
            or casefold(post.type) not in (BRIEF, FEEDBACK)
            or not post.content.strip()
        ):
            continue
        if world.find_agent(post.author) or was_put_up_in_scene(world, post):
            continue
        if not _is_delivered(world, post):
            yield post


def _is_delivered(world: World, post: Post) -> bool:
    hanging = _list_hanging(world)
    text = hanging[post.key]
    return any(
        said == text and (key == post.key or hanging.get(key) != text) for key, said in _list_logged(world, post)
    )


@derived
def _list_hanging(world: World) -> Mapping[str, str]:
    return {post.key: identify_post(post) for post in world.posts}


@derived
def posts_in_play(world: World) -> tuple[Post, ...]:
    """Return posts that wait, or that a scene delivered or took up."""
    keys = {post.key for post in undelivered(world)} | find_answered(world)
    said = {text for entry in world.log for _, text in entry.delivered}
    return tuple(post for post in world.posts if post.key in keys or _list_hanging(world)[post.key] in said)


def _list_logged(world: World, post: Post) -> Iterator[tuple[str, str]]:
    return (item for entry in world.log if entry.day >= post.day for item in entry.delivered)


def identify_post(post: Post) -> str:
    """Return the words that identify a post in the logbook."""
    return shorten_at_word(post.content, BEGINNING_CHARACTERS)


def _is_feedback(world: World, post: Post) -> bool:
    return casefold(post.type) == FEEDBACK or bool(post.artifact and find_piece(world, post.artifact))


def _add(ledger: Ledger, post: Post, words: Sentences) -> None:
    world = ledger.world
    piece = find_piece(world, post.artifact) if post.artifact else None
    kind = FEEDBACK if _is_feedback(world, post) else BRIEF
    author_tag = slug(post.author, kind)
    # another post had this key before: a memory of it is not a memory of this post
    reused = any(key == post.key and said != identify_post(post) for key, said in _list_logged(world, post))
    for agent in world.agents.values():
        if piece and not is_for(piece.audience, agent.id):
            continue
        importance, tags = BRIEF_IMPORTANCE, [author_tag, kind]
        values: dict[str, object] = {"author": post.author, "text": shorten_at_word(post.content, HEARD_CHARACTERS)}
        if piece:
            importance = OWN_IMPORTANCE if piece.maker == agent.id else OTHERS_IMPORTANCE
            maker = world.agents[piece.maker].call_name if piece.maker else ""
            values |= {"title": piece.title, "maker": maker, "own": piece.maker == agent.id}
            tags.append(piece.maker)
        description = words("feedback_heard" if piece else "brief_heard", **values)
        if kind == BRIEF and _put_in_own_words(ledger, agent.id, post):
            continue  # on the board it stands whole before who does not remember it word for word
        if not _is_known_to(agent, post, description, reused=reused):
            ledger.add(agent.id, make_observation(description, importance, tags, kind=kind, post=post.key))


def _put_in_own_words(ledger: Ledger, agent: str, post: Post) -> bool:
    own = (node for node in ledger.nodes.get(agent, ()) if node.importance_by != BY_GAME_MASTER)
    said = content_words(post.content)
    return any(node.type in OWN_WORDS and len(said & content_words(node.description)) >= OWN_SHARED for node in own)


def _is_known_to(agent: Agent, post: Post, description: str, *, reused: bool) -> bool:
    wanted = " ".join(description.split())
    for node in reversed(agent.stream):
        if node.when.day < post.day:
            return False
        if node.post and (node.description == wanted or (node.post == post.key and not reused)):
            return True
    return False
