"""Find what a prompt says that the character could not know: from the files of a world alone, its traces included.

Private is what only some have: memories, thoughts, plans, the prose of personas, what was said in a scene that one was
not in, premises for one of the cast, threads between others, what one thinks of others, diaries. A text counts as shown
when its words stand in a prompt in their order, whatever lies between them in white space.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from gm.ask.prompt.render import inner_quotes
from gm.base.casefold import says
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.questions.traces import TraceReader
from gm.files.streams.archive import read_archive
from gm.layers.diary import DIARY
from gm.layers.goals import GOALS
from gm.layers.now import NOW
from gm.layers.relationships import HISTORY, RELATIONSHIPS
from gm.layers.soul import SOUL
from gm.layers.working import WORKING, page_lines
from gm.memory.lens import lenses_of, read_through
from gm.model.calendar import SceneRef
from gm.model.node import SUMMARY_KIND, Node, is_beside
from gm.model.world import Agent, World
from gm.scene.pieces.names import piece_name
from tests.stories.playing import records

WORDS = 6  # fewer words are nobody's secret
MEMORY = re.compile(
    r"^- `(?!thread-)(?P<id>[\w-]+-[0-9]{3,})` [^:]*: (?P<text>.*?)(?:  \(ruht auf .*\))?$", re.MULTILINE
)
POST = re.compile(r"^## Am Schwarzen Brett\n\n(?P<posts>(?:- .*\n?)+)", re.MULTILINE)
REMEMBERED = re.compile(r"(?:»(?P<title>.*)«; was es ist, )?steht in deinen Erinnerungen \(`(?P<id>[\w-]+)`\)")
THREAD = re.compile(r"^- `(thread-[0-9]{3,})`", re.MULTILINE)
TASK = re.compile(r'"current_task": *("(?:[^"\\]|\\.)*")')
CHARACTERS = ("scene", "reflection", "ask", "diary")
EVENING = 10**6  # the close of a day has no number; it comes after its scenes


@dataclass(frozen=True, slots=True)
class Shown:
    """One prompt: its reader, its scene and its text."""

    who: str
    place: SceneRef
    blocks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Leak:
    """Something that a prompt says and should not."""

    who: str
    place: SceneRef
    what: str
    text: str


@dataclass(slots=True)
class Secret:
    """A text, and who may have it."""

    what: str
    text: str
    known: set[str] = field(default_factory=set)


def prompts_of(layout: Layout, days: Iterable[int]) -> Iterator[Shown]:
    """Read every prompt that was put to a character."""
    reader = TraceReader(layout.traces)
    for day in days:
        for kept in reader.of_day(day):
            record = kept.record
            if record["purpose"] in CHARACTERS:
                blocks = (*record["request"]["system"], *(item["content"] for item in record["request"]["messages"]))
                place = kept.place if kept.place.scene else SceneRef(kept.place.day, EVENING)
                yield Shown(str(record["who"]), place, tuple(map(str, blocks)))


def find_leaks(layout: Layout, prompts: Iterable[Shown]) -> list[Leak]:
    """Compare prompts with what each character had when they were put to it."""
    world = load_world(layout).world
    shown = list(prompts)
    secrets = secrets_of(layout, world)
    return [
        *_strange_memories(layout, world, shown),
        *_strange_posts(layout, world, shown),
        *_strange_threads(world, shown),
        *_told_secrets(world, shown, secrets),
    ]


def _had(layout: Layout, agent: Agent) -> tuple[Node, ...]:
    """All that a character has ever remembered, with the archive and its summaries."""
    return (*agent.everything, *agent.summaries, *read_archive(layout, agent.id))


def _strange_memories(layout: Layout, world: World, prompts: Iterable[Shown]) -> Iterator[Leak]:
    """Memories in a prompt that are not the character's own, read otherwise, or were made later."""
    streams = {name: {node.id: node for node in _had(layout, agent)} for name, agent in world.agents.items()}
    for prompt in prompts:
        for block in prompt.blocks:
            for match in MEMORY.finditer(block):
                node = streams[prompt.who].get(match["id"])
                text = node and read_through(node, lenses_of(world.settings, world.agents[prompt.who]))[0]
                shown = match["text"]
                if node and node.metadata.get("kind") == SUMMARY_KIND and text and shown.endswith(text):
                    shown = text  # its title stands in front of it
                if node is None or text != shown or node.when >= prompt.place:
                    yield Leak(prompt.who, prompt.place, "memory", match[0])


def _strange_posts(layout: Layout, world: World, prompts: Iterable[Shown]) -> Iterator[Leak]:
    """Entries of the board that did not hang there, or not yet."""
    had = {name: {node.id: node.description for node in _had(layout, agent)} for name, agent in world.agents.items()}
    titles_of = {post.artifact: _title_of(layout.root / post.artifact) for post in world.posts if post.artifact}
    for prompt in prompts:
        posts = [post for post in world.posts if post.day <= prompt.place.day]
        authors = [
            world.agents[post.author].call_name if post.author in world.agents else post.author for post in posts
        ]
        there = [f"{author} {post.content}" for author, post in zip(authors, posts, strict=True)]
        titles = [titles_of[post.artifact] if post.artifact else "" for post in posts]
        pieces = [
            (author, title, post.content.removeprefix(f"{title}: "))
            for author, title, post in zip(authors, titles, posts, strict=True)
            if title
        ]
        for line in (line for found in POST.finditer(prompt.blocks[-1]) for line in found["posts"].splitlines()):
            author, _, text = line.removeprefix("- ").partition(": ")
            author = re.sub(r"(?: \(Tag [0-9]+\))?(?: zu ».*«)?$", "", author)
            begin = f"{author} {text.removesuffix(' …')}"
            if pointer := REMEMBERED.fullmatch(text):
                told = had[prompt.who].get(pointer["id"], "")
                hung = any(entry.startswith(f"{author} ") and says(told, entry[len(author) :]) for entry in there)
                hung = hung or any(says(told, title) and says(told, what) for by, title, what in pieces if by == author)
                named = {inner_quotes(title) for by, title, _ in pieces if by == author}
                # without a memory of its making, a piece is called by its file
                named |= {piece_name(post.artifact) for post in posts if post.artifact}
                hung = hung and pointer["title"] in (None, *named)
            else:
                hung = any(entry.replace("\n", " ").startswith(begin) for entry in there)
            if not hung:
                yield Leak(prompt.who, prompt.place, "post", line)


def _title_of(piece: Path) -> str:
    head = piece.read_text(encoding="utf-8").split("---\n")[1]
    return str(yaml.safe_load(head)["title"])


def _strange_threads(world: World, prompts: Iterable[Shown]) -> Iterator[Leak]:
    """Threads that do not concern the character."""
    threads = {thread.id: thread for thread in world.threads}
    for prompt in prompts:
        for identifier in {name for block in prompt.blocks for name in THREAD.findall(block)}:
            thread = threads.get(identifier)
            if thread is None or not thread.concerns(prompt.who) or thread.since >= prompt.place:
                yield Leak(prompt.who, prompt.place, "thread", identifier)


def _told_secrets(world: World, prompts: list[Shown], secrets: Mapping[str, Secret]) -> Iterator[Leak]:
    for who in world.agents:
        blocks: dict[str, SceneRef] = {}
        for prompt in prompts:
            if prompt.who == who:
                for block in prompt.blocks:
                    blocks.setdefault(_plain(block), prompt.place)
        begins = {begin for block in blocks for begin in _begins(block)}
        for secret in secrets.values():
            words = secret.text.split()
            if who in secret.known or tuple(words[:WORDS]) not in begins:
                continue
            place = next((place for block, place in blocks.items() if secret.text in block), None)
            if place is not None:
                yield Leak(who, place, secret.what, secret.text)


def secrets_of(layout: Layout, world: World) -> dict[str, Secret]:
    """Collect what not everybody knows, by its text; who has the same text from elsewhere knows it too."""
    found: dict[str, Secret] = {}

    def add(what: str, text: str, known: Iterable[str]) -> None:
        plain = _plain(text)
        if len(plain.split()) >= WORDS:
            found.setdefault(plain, Secret(what, plain)).known.update(known)

    for name, agent in world.agents.items():
        for node in _had(layout, agent):
            add("memory", node.description, [name])
        for line in (agent.persona.prose if agent.persona else "").splitlines():
            for sentence in re.split(r"(?<=[.!?]) ", line):
                add("persona", sentence, [name])
        for item in agent.state.today_plan:
            add("plan", item, [name])
        for conviction in agent.mind[SOUL].entries:
            add("soul", conviction.text, [name])
        for goal in agent.mind[GOALS]:
            add("goal", goal.text, [name])
        for noted in page_lines(agent.mind[WORKING]):
            add("page", noted.text, [name])
        for line in (*agent.mind[NOW].occupies, *agent.mind[NOW].thinks):
            add("now", line, [name])
        for what, text in _inner_texts(layout, name):
            add(what, text, [name])
    for day in layout.logged_days():
        for entry in records(layout.day_log(day)):
            cast = entry.get("participants", [])
            for item in entry.get("dialogue", []):
                add("dialogue", item["text"], cast)
            for item in entry.get("actions", []):
                add("action", item["text"], cast)
            for item in entry.get("thoughts", []):
                add("thought", item["text"], [item["agent"]])
            for name, text in entry.get("premises", {}).items():
                add("premise", text, [name])
    for path, known in _seen_by(layout, world).items():
        for line in (layout.root / path).read_text(encoding="utf-8").partition("\n---\n")[2].splitlines():
            add("artifact", line, known)
    _forgive_quotations(found, layout, world)
    return found


def _inner_texts(layout: Layout, name: str) -> Iterator[tuple[str, str]]:
    """What a character thinks of others, now and at any time before, and what it wrote in the evening."""
    known = layout.layer(RELATIONSHIPS, name)
    for regard in json.loads(known.read_text(encoding="utf-8")).values() if known.exists() else ():
        yield from (("relationship", regard[key]) for key in ("rationale", "relationship_notes"))
    history = layout.layer(RELATIONSHIPS, name, HISTORY)
    for line in records(history) if history.exists() else ():
        yield from (("relationship", text) for text in (line["why"], *map(str, line["new"].values())))
    diary = layout.layer(DIARY, name)
    for entry in records(diary) if diary.exists() else ():
        yield "diary", entry["text"]
        yield from (("diary", sentence) for sentence in re.split(r"(?<=[.!?]) ", entry["text"]))


def _seen_by(layout: Layout, world: World) -> dict[str, set[str]]:
    """Return who knows each artifact: who made it, saw it made, or met over it; all, if it was hung up."""
    paths = (path.relative_to(layout.root).as_posix() for path in layout.gallery.rglob("*.md"))
    seen: dict[str, set[str]] = {path: set() for path in sorted(paths)}
    for name, agent in world.agents.items():
        for node in _had(layout, agent):
            if not is_beside(node.metadata) and node.metadata.get("artifact_path") in seen:
                seen[str(node.metadata["artifact_path"])].add(name)
    for post in world.posts:
        if post.artifact in seen:
            seen[post.artifact].update(world.agents)
    for day in layout.logged_days():
        for entry in records(layout.day_log(day)):
            for key in entry.get("answers", []):
                if key in seen:
                    seen[key].update(entry["participants"])
    return seen


def _forgive_quotations(found: dict[str, Secret], layout: Layout, world: World) -> None:
    """Count as known what a character has among other words: in an own memory, a talk, a paper, a task."""
    own: defaultdict[str, list[str]] = defaultdict(list)
    for name, agent in world.agents.items():
        had = _had(layout, agent)
        own[name] += [_plain(node.description) for node in had]
        own[name] += [json.dumps(node.metadata.get("exchange", []), ensure_ascii=False) for node in had]
        own[name].append(_plain(agent.persona.prose) if agent.persona else "")
        own[name].append(_plain(json.dumps(_lists(agent.persona.front if agent.persona else {}), ensure_ascii=False)))
    for day in layout.logged_days():
        for entry in records(layout.day_log(day)):
            texts = [_plain(item["text"]) for key in ("dialogue", "actions") for item in entry.get(key, [])]
            texts.append(_plain(entry.get("premise", "")))
            for name in entry.get("participants", []):
                own[name] += [*texts, _plain(entry.get("premises", {}).get(name, ""))]
    for path, known in _seen_by(layout, world).items():
        for name in known:
            own[name].append(_plain((layout.root / path).read_text(encoding="utf-8")))
    visible = [*_tasks(layout), *(_plain(post.content) for post in world.posts)]
    for name in own:
        own[name] += visible
    words = {name: " | ".join(texts) for name, texts in own.items()}
    begins = {name: set(_begins(text)) for name, text in words.items()}
    for text, secret in found.items():
        begin = tuple(text.split()[:WORDS])
        secret.known |= {name for name in words if begin in begins[name] and text in words[name]}


def _tasks(layout: Layout) -> Iterator[str]:
    """Read what characters said they were at: the others in the room see it."""
    reader = TraceReader(layout.traces)
    for day in layout.logged_days():
        for kept in reader.of_day(day):
            if found := TASK.search(str(kept.record["answer"].get("text", ""))):
                yield _plain(json.loads(found[1]))


def _lists(front: Mapping[str, Any]) -> list[Any]:
    return [value for value in front.values() if isinstance(value, list)]


def _begins(text: str) -> Iterator[tuple[str, ...]]:
    words = text.split()
    return (tuple(words[at : at + WORDS]) for at in range(len(words) - WORDS + 1))


def _plain(text: str) -> str:
    """Take away how a text is laid out and which quotation marks it stands in: prompts turn inner ones."""
    lines = (line.removeprefix("> ") for line in text.splitlines())
    return " ".join(re.sub(r"[»«›‹„“”‚‘’\"]", "", " ".join(lines)).split())
