"""Artifacts: the maker's memory, others' observations, the file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile

from gm.base.casefold import casefold, shorten
from gm.base.languages import in_any_language
from gm.memory.importance import as_seen_by_others
from gm.model.character import Agent
from gm.model.node import Node
from gm.model.piece import PIECE, PieceFront
from gm.model.scene import Scene
from gm.model.scene_reply import NewArtifact
from gm.model.world import NOTE, Post, World, derived
from gm.scene.ledger import Ledger, NewNode, Sentences, clean_tags, facets_of, noticed
from gm.scene.mentions import as_word, content_words, mentioned, mentioned_in, names_piece, topic_words, touches
from gm.scene.names import GALLERY, artifact_path, piece_name
from gm.scene.turns import Turn


def tasks_meanwhile(world: World, scene: Scene, turns: Sequence[Turn]) -> dict[str, str]:
    """Return each one's task while others finish something; empty for talks."""
    if scene.type.play == "sequential":
        return {}
    tasks = {turn.agent: turn.reply.artifact.title for turn in turns if turn.reply.artifact}
    for turn in turns:
        tasks.setdefault(turn.agent, turn.reply.current_task or world.agents[turn.agent].state.current_task)
    return tasks


BOARD = "board"


def audience_of(world: World, turn: Turn) -> tuple[str, ...]:
    """Return the ids of those who may know an artifact, the maker first; empty = all.

    Unknown names leave the maker alone.
    """
    artifact = turn.reply.artifact
    named = artifact.audience if artifact else ()
    everyone = in_any_language(lambda one: one.everyone) | {BOARD}
    if not named or any(casefold(name) in everyone for name in named):
        return ()
    found = (world.find_agent(name) for name in named)
    return tuple(dict.fromkeys((turn.agent, *filter(None, found))))


def is_for(audience: Sequence[str], agent: str) -> bool:
    """Return whether an audience includes a character; empty = all."""
    return not audience or agent in audience


def add_artifact(
    ledger: Ledger,
    scene: Scene,
    turn: Turn,
    words: Sentences,
    taken: Callable[[str], bool],
    tasks: Mapping[str, str],
) -> tuple[str, str]:
    """Add the nodes of an artifact; return its path and text."""
    world, maker, artifact = ledger.world, turn.agent, turn.reply.artifact
    assert artifact is not None
    path = artifact_path(scene.ref.day, artifact.kind, artifact.title, taken)
    tags = tuple(tag for tag in clean_tags(artifact.tags, maker) if tag != "own-work")
    audience = audience_of(world, turn)
    for item in artifact.audience if audience else ():
        if world.find_agent(item) is None:
            ledger.warnings.append(f"{maker}: {item!r} is no character, left out of the audience of {artifact.title!r}")
    more: dict[str, object] = {"audience": list(audience)} if audience else {}
    if artifact.replaces.strip():
        older = _own_piece(world, maker, artifact.replaces)
        if older:
            more["replaces"] = older
        else:
            ledger.warnings.append(f"{maker}: {artifact.title!r} replaces {artifact.replaces!r}, no piece of theirs")
    node = ledger.add(
        maker,
        NewNode(
            f"{artifact.title}: {artifact.description}",
            artifact.importance,
            "artifact",
            tags=(*tags, "own-work"),
            metadata={
                "artifact_path": path,
                "title": artifact.title,
                "style_tags": list(artifact.style_tags),
                **more,
                **facets_of(artifact),
            },
        ),
    )
    for other in scene.cast:
        if other == maker or not is_for(audience, other):
            continue
        observer = world.agents[other]
        shares = touches(f"{artifact.title} {artifact.description}", observer.state.today_plan)
        text = words(
            "artifact_seen",
            maker=world.agents[maker].call_name,
            of="",
            title=artifact.title,
            what=artifact.description,
            task=tasks.get(other, ""),
        )
        importance = as_seen_by_others(node.importance, shares)
        told = noticed(text, importance, (maker, *tags), artifact_path=path, title=artifact.title, **more)
        ledger.add(other, told)
    return path, render_artifact(artifact, node, maker, turn.made_with)


def _own_piece(world: World, maker: str, title: str) -> str:
    wanted = casefold(title.strip(" »«“”\"'"))
    own = (piece for node, piece in _pieces_of(world, world.agents[maker]) if node.type == "artifact")
    return next((piece.path for piece in own if casefold(piece.title) == wanted), "")


def posts_of(scene: Scene, turns: Iterable[Turn], paths: Iterable[str]) -> tuple[Post, ...]:
    """Return a post for each artifact hung up."""
    made = zip((turn for turn in turns if turn.reply.artifact), paths, strict=True)
    found: list[Post] = []
    for turn, path in made:
        artifact = turn.reply.artifact
        if artifact and any(casefold(item) == BOARD for item in artifact.audience):
            content = f"{artifact.title}: {artifact.description}"
            found.append(Post(0, turn.agent, NOTE, content, scene.ref.day, scene.ref.scene, path))
    return tuple(found)


def render_artifact(artifact: NewArtifact, node: Node, maker: str, made_with: str) -> str:
    """Return Markdown with YAML front matter."""
    import yaml

    front = PieceFront(
        title=artifact.title,
        agent=maker,
        created=node.created,
        node=node.id,
        kind=artifact.kind,
        description=artifact.description,
        tags=node.tags,
        style_tags=tuple(artifact.style_tags),
        made_with=made_with,
        audience=node.metadata.get("audience", ()),
        replaces=str(node.metadata.get("replaces", "")),
    )
    head = yaml.safe_dump(PIECE.write(front), allow_unicode=True, sort_keys=False, width=10_000)
    return f"---\n{head}---\n\n{artifact.body.strip()}\n"


MOST_PIECES, MOST_FINISHED = 2, 3
"""How many pieces are at hand; and how many once one was finished in the scene."""
PIECE_CHARACTERS = 4_000
GLANCE_CHARACTERS = 900
"""Of a piece that only happens to be there."""
_LEFT_OUT = "\n\n[…]\n\n"
_MARKS = re.compile(r"[*_`#]+|^[\s>|+-]+|[\s|]+$")
_CELLS = re.compile(r"\s*\|\s*")
_RULE = re.compile(r"[\s|:-]*-[\s|:-]*")
"""The row below the headings of a table."""
MOST_NAMING = 4
"""Limit for quoting pieces of the board that name the reader."""
MOST_NAMING_LINES, NAMING_CHARACTERS = 2, 240
"""Limits for quoting lines that name the reader: lines of a piece, characters of a line."""
FRESH_DAYS = 1
KNOWN_DAYS = 10
A_TALK = 2
"""Most people of a scene that is no round."""
_HEAD = re.compile(r"\w{8,}")
"""A first word of a title that names the piece by itself, if nothing else has it."""
NAMING_WORDS, BY_TITLE = 2, 100
"""Content words by which a question names a piece, and how many of them its title counts for."""


@dataclass(frozen=True, slots=True)
class AtHand:
    """A piece that a character can look at.

    Attributes:
        maker: Id; empty when no character remembers making it.
        body: The text, if made in the running scene.
        readers: As ``audience_of``.
        about: What is said of it; a long piece shows the parts about it.
    """

    title: str
    maker: str
    path: str = ""
    body: str = ""
    readers: tuple[str, ...] = ()
    about: str = ""
    most: int = PIECE_CHARACTERS


def pieces_at_hand(
    world: World,
    scene: Scene,
    agent: Agent,
    turns: Sequence[Turn] = (),
    shown: Iterable[AtHand] = (),
    unread: Collection[str] = (),
) -> list[AtHand]:
    """Return at most three pieces that a character can look at and may know of, except the paths ``unread``.

    First what was finished in the scene, the newest first, then ``shown`` ones, and what the scene is about; else what
    the character's matter or the talk so far names, if made or seen within ten days, or on the board. In a talk without
    any, the participants' newest piece since yesterday.
    """

    def may_read(piece: AtHand) -> bool:
        return piece.path not in unread

    finished = [piece for turn in reversed(turns) if (piece := _finished(world, turn, agent))]
    present = [*finished, *filter(may_read, shown)]
    found = _newest_versions([*present, *filter(may_read, _subjects(world, scene, agent))])
    if present:
        return found[:MOST_FINISHED]
    called = (*_named(world, scene, agent), *_spoken_of(world, agent, turns))
    found = _newest_versions([*found, *filter(may_read, called)])
    if not found and scene.type.play == "sequential":
        fresh = filter(may_read, known_pieces(world, agent, FRESH_DAYS))
        by_those_here = (replace(piece, most=GLANCE_CHARACTERS) for piece in fresh if piece.maker in scene.cast)
        found = list(islice(by_those_here, 1))
    return found[:MOST_PIECES]


def _finished(world: World, turn: Turn, agent: Agent) -> AtHand | None:
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


def _named(world: World, scene: Scene, agent: Agent) -> Iterator[AtHand]:
    # In a round each plan names somebody present: there it calls up the character's own pieces alone.
    known, hung = list(known_pieces(world, agent, KNOWN_DAYS)), list(_hung_up(world))
    if scene.type.play == "sequential":
        hung = [piece for piece in hung if piece.maker in scene.cast]
    is_round = scene.type.play == "sequential" and len(scene.cast) > A_TALK
    for text in matters_of(world, scene, agent):
        only_own = is_round and text in agent.state.today_plan
        for piece in (*known, *hung):
            if names_piece(text, piece.title) and (piece.maker == agent.id or not only_own):
                yield piece


def _spoken_of(world: World, agent: Agent, turns: Sequence[Turn]) -> Iterator[AtHand]:
    said = [" ".join(line.text for line in turn.reply.dialogue) for turn in reversed(turns)]
    hung = list(_hung_up(world)) if said else []
    heads = Counter(word for piece in hung for word in _words(piece.title))
    for piece in (*known_pieces(world, agent, FRESH_DAYS), *hung) if said else ():
        head = _HEAD.match(casefold(piece.title))
        is_one = head is not None and heads[head[0]] == 1 and not as_word(head[0]).search(_of_world(world))
        if any(names_piece(text, piece.title) or (is_one and head and head[0] in _words(text)) for text in said):
            yield replace(piece, about=said[0])


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", casefold(text)))


def _of_world(world: World) -> str:
    return casefold(f"{world.settings.world.title} {world.settings.world.premise}")


def matters_of(world: World, scene: Scene, agent: Agent) -> Iterator[str]:
    """Yield what a scene is about for a character."""
    if scene.cast[0] == agent.id:
        yield scene.intent
    yield from (scene.premises.get(agent.id, ""), scene.topic, scene.premise)
    for thread in world.threads:
        if thread.id in scene.answers and thread.concerns(agent.id):
            yield thread.text
    if scene.type.play != "sequential":
        yield agent.state.current_task
    others = {*scene.cast} - {agent.id}
    for item in agent.state.today_plan:
        if scene.type.play != "sequential" or others.intersection(mentioned_in(world, item)):
            yield item


def _newest_versions(pieces: Iterable[AtHand]) -> list[AtHand]:
    found: dict[tuple[str, str], AtHand] = {}
    for piece in pieces:
        found.setdefault((piece.maker, casefold(piece.title)), piece)
    return list(found.values())


def pieces_asked_about(
    world: World, agent: Agent, question: str, people: Collection[str] = (), called: Iterable[str] = ()
) -> list[AtHand]:
    """Return at most two pieces that a question names and the character made or saw, those named best first.

    It names one by title, or by two content words of the character's memory of it. Where it speaks of work (one of
    ``called``), the newest piece of the character and of each of ``people`` come last.
    """
    words, folded = topic_words(world, question), casefold(question)
    makers = {agent.id, *people} if any(as_word(name).search(folded) for name in called) else set()
    found: dict[str, tuple[int, AtHand]] = {}
    for node, piece in _pieces_of(world, agent):
        shared = len(words & content_words(f"{piece.title} {node.description}"))
        if as_word(piece.title).search(folded):
            shared += BY_TITLE
        if shared >= NAMING_WORDS or piece.maker in makers:
            found.setdefault(piece.path, (-shared, piece))
            makers.discard(piece.maker)
    return [piece for _, piece in sorted(found.values(), key=lambda item: item[0])][:MOST_PIECES]


def shorten_piece(text: str, most: int = PIECE_CHARACTERS, about: str = "") -> str:
    """Return a piece cut at paragraphs to ``most`` characters.

    Its beginning stays; with ``about``, the first paragraph and those that share most content words with it.
    """
    if len(text) <= most:
        return text
    parts, matter = text.split("\n\n"), content_words(about)
    shared = [len(matter & content_words(part)) for part in parts]
    if any(shared[1:]):
        return _essential(parts, shared, most)
    cut = text[:most]
    return (cut.rpartition("\n\n")[0] or cut).rstrip() + "\n\n[…]"


def _essential(parts: Sequence[str], shared: Sequence[int], most: int) -> str:
    room, kept = most, set[int]()
    for place in sorted(range(len(parts)), key=lambda place: (place > 0, -shared[place], place)):
        part = parts[place][: max(0, room)] if not kept else parts[place]
        if len(part) <= room:
            kept.add(place)
            room -= len(part) + len(_LEFT_OUT)
    last = 0
    told = []
    for place in sorted(kept):
        told += [_LEFT_OUT.strip()] if place > last + 1 else []
        told.append(parts[place][:most])
        last = place
    return "\n\n".join(told if last == len(parts) - 1 else [*told, _LEFT_OUT.strip()])


def known_pieces(world: World, agent: Agent, days: int) -> Iterator[AtHand]:
    """Yield the pieces made or seen within some days, the newest first."""
    for node, piece in _pieces_of(world, agent):
        if node.when.day < world.clock.day - days:
            return
        yield piece


def _pieces_of(world: World, agent: Agent) -> Iterator[tuple[Node, AtHand]]:
    # of a piece that has newer versions the last one that the character knows
    replaced: set[object] = set()
    for node in reversed(agent.stream):
        path = node.metadata.get("artifact_path")
        replaced.add(node.metadata.get("replaces"))
        if isinstance(path, str) and path not in replaced:
            yield node, AtHand(title_of(node, path), _maker(world, agent, node), path, readers=audience_in(node))


def _hung_up(world: World) -> Iterator[AtHand]:
    for post in reversed(world.posts):
        path, maker = post.artifact, world.find_agent(post.author)
        if path in replaced_on_board(world) or post.day < world.clock.day - KNOWN_DAYS:
            continue
        if maker and path.startswith(f"{GALLERY}/"):
            yield AtHand(find_piece(world, path, post.day).title, maker, path)


@derived
def replaced_on_board(world: World) -> frozenset[str]:
    """Return the paths of pieces recently replaced on the board."""
    lately = takewhile(lambda post: post.day >= world.clock.day - KNOWN_DAYS, reversed(world.posts))
    return frozenset(find_piece(world, post.artifact, post.day).replaces for post in lately if post.artifact) - {""}


def pieces_on_board(world: World, agent: Agent) -> list[AtHand]:
    """Return what others have hung up lately."""
    return [piece for piece in _hung_up(world) if piece.maker != agent.id][:MOST_NAMING]


def lines_naming(agent: Agent, text: str) -> tuple[str, ...]:
    """Return a piece's lines that name a character, without Markdown, those that begin with the name first.

    Table headings are left out.
    """
    written = text.splitlines()
    below = (*written[1:], "")
    rows = (row for row, rule in zip(written, below, strict=True) if not ("|" in row and _RULE.fullmatch(rule)))
    lines = [_CELLS.sub(" · ", " ".join(_MARKS.sub("", row).split())) for row in rows if mentioned(row, (agent,))]
    lines.sort(key=lambda line: casefold(line).find(casefold(agent.call_name)))
    return tuple(shorten(line, NAMING_CHARACTERS) for line in lines[:MOST_NAMING_LINES])


def title_of(node: Node, path: str) -> str:
    """Return a remembered artifact's title, else a name from its file."""
    return str(node.metadata.get("title") or piece_name(path))


def audience_in(node: Node) -> tuple[str, ...]:
    """Return who may know of a remembered artifact; empty = all."""
    copied = node.metadata.get("details")
    value = (copied if isinstance(copied, dict) else node.metadata).get("audience")
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _maker(world: World, agent: Agent, node: Node) -> str:
    if node.type == "artifact":
        return agent.id
    return next((name for tag in node.tags if (name := world.find_agent(tag))), "")


@dataclass(frozen=True, slots=True)
class KnownPiece:
    """An artifact as the memories of the cast know it.

    Attributes:
        title: By memory, else by file name.
        maker: Id; empty when no character remembers making it.
        seen_by: Ids, the latest first.
        audience: As ``audience_of``.
        replaces: Path of the earlier version, or "".
    """

    title: str
    maker: str
    seen_by: tuple[str, ...] = ()
    audience: tuple[str, ...] = ()
    replaces: str = ""


@derived
def find_piece(world: World, path: str, since: int = 0) -> KnownPiece:
    """Return what the cast remembers of an artifact since a day."""
    title, maker, replaces = piece_name(path), "", ""
    audience: tuple[str, ...] = ()
    seen = []
    for agent in world.agents.values():
        for node in reversed(agent.stream):
            if node.when.day < since:
                break
            if node.metadata.get("artifact_path") == path:
                title, audience = title_of(node, path), audience_in(node)
                if node.type == "artifact":
                    maker, replaces = agent.id, str(node.metadata.get("replaces", ""))
                else:
                    seen.append((node.when, agent.id))
                break
    newest = sorted(seen, key=lambda item: item[0], reverse=True)
    return KnownPiece(title, maker, tuple(name for _, name in newest), audience, replaces)
