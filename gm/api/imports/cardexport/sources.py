"""What a card is made of, read from a world without what it keeps private."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from gm.api.imports.fields import decode_text, parse_exact, parse_json
from gm.api.imports.notes import ENDING, ImportNote, parse_import_note
from gm.base.config.pages import LEAST_IMPORTANCE
from gm.base.errors import CORRECT_HINT, GmError, UsageError, refuse_errors
from gm.base.markup.parse import without_parts
from gm.base.regular import DOCUMENT_BYTES, LINES_BYTES, read_regular
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.story.logbook import read_days
from gm.files.streams.gifted import read_gifted
from gm.files.streams.memories import Memories
from gm.layers.privacy import card_words, kept_back, minds_in
from gm.memory.share import MEMORIES, open_nodes, quotes, withheld_nodes
from gm.model.node import IMPORTED, Node
from gm.model.world import Agent, World, known_agent

MOST_SAMPLES = 12
"""How many of the newest scenes give samples of speech."""


@dataclass(frozen=True, slots=True)
class Character:
    """A character as a card may show it.

    Attributes:
        prose: Of the persona, without what is held back.
        gifted: Seed memories in file order, without private ones, and without chats where memories are held back.
        lived: Reflections and other weighty memories, without private ones; none where memories are held back.
        samples: The character's lines, by scene.
        held_back: Words of ``card_words``.
        kept: The card it came with, read by ``parse_exact``; None without one.
        archive: The bytes of its CHARX, or empty.
        portrait: A PNG, or empty.
    """

    agent: Agent
    world: World
    prose: str
    whole_prose: str
    gifted: tuple[Node, ...]
    lived: tuple[Node, ...]
    samples: tuple[tuple[str, ...], ...]
    held_back: frozenset[str]
    kept: object = None
    note: ImportNote | None = None
    archive: bytes = b""
    portrait: bytes = b""

    @property
    def name(self) -> str:
        """The full name."""
        return self.agent.name

    @property
    def names(self) -> dict[str, str]:
        """The names of all characters, by id."""
        return {name: agent.name for name, agent in self.world.agents.items()}


def read_character(
    layout: Layout, name: str, shown: Collection[str] = (), *, importance: int = LEAST_IMPORTANCE
) -> Character:
    """Read a character for a card.

    Args:
        shown: Words of ``card_words`` to include all the same.
        importance: Minimum importance of lived memories that are no reflections.

    Raises:
        UsageError: No such character or word.
        BrokenWorldError: The settings, the persona or seed memories are unreadable.
    """
    if unknown := sorted(set(shown) - set(card_words())):
        raise UsageError(f"no card holds {unknown[0]!r}", "there are: " + ", ".join(card_words()))
    with snapshot(layout):
        loaded = load_world(layout)
        world = loaded.world
        agent = world.agents[known_agent(world.agents, name)]
        needed = {layout.shown(path) for path in (layout.settings, layout.persona(agent.id))}
        broken = [problem for problem in loaded.problems if problem.path in needed]
        gifted = read_gifted(layout, agent.id)
        refuse_errors([*broken, *gifted.problems], f"the files of {agent.id} cannot be read as they are", CORRECT_HINT)
        lived = [node for node in agent.stream if node.type == "reflection" or node.importance >= importance]
        kept = kept_back(world.settings)
        held_back = frozenset(card_words() if agent.id in kept else set(kept) & set(card_words())) - set(shown)
        others = minds_in(kept) - {agent.id}
        hidden = held_back | (Memories(layout).find_private(others) if "private" in held_back else frozenset())
        secrets = withheld_nodes((*agent.everything, *gifted.nodes), hidden - {MEMORIES})
        prose = agent.persona.prose if agent.persona else ""
        note = _read_kept(layout, agent.id, ENDING)
        card = _read_kept(layout, agent.id, ".json")
        return Character(
            agent,
            world,
            without_parts(prose, world.settings.publish.headings) if "private" in held_back else prose,
            prose,
            tuple(one for one in open_nodes(gifted.nodes, hidden) if not _was_lived(one, held_back)),
            () if MEMORIES in held_back else open_nodes(lived, hidden),
            _samples(layout, agent.id, secrets),
            held_back,
            parse_exact(decode_text(card, "the card"), "the card") if card else None,
            parse_import_note(parse_json(decode_text(note, "the note"), "the note")) if note else None,
            _read_kept(layout, agent.id, ".charx"),
            _read_bytes(layout, layout.portrait(agent.id)),
        )


def _was_lived(node: Node, held_back: Collection[str]) -> bool:
    """Return whether an imported memory is held back, as of a chat; those of the card's own book are not."""
    lived = node.kind == IMPORTED and node.type != "observation" and "entry" not in node.metadata
    return lived and MEMORIES in held_back


def _samples(layout: Layout, agent: str, secrets: Collection[Node]) -> tuple[tuple[str, ...], ...]:
    days = layout.logged_days()
    found: list[tuple[str, ...]] = []
    for day in reversed(days):
        for entry in reversed(read_days(layout, range(day, day + 1))):
            said = (" ".join(text.split()) for speaker, text in entry.dialogue if speaker == agent)
            lines = tuple(line for line in said if line and not quotes(line, secrets))
            if lines:
                found.append(lines)
            if len(found) == MOST_SAMPLES:
                return tuple(reversed(found))
    return tuple(reversed(found))


def _read_kept(layout: Layout, agent: str, ending: str) -> bytes:
    return _read_bytes(layout, layout.kept(agent, ending))


def _read_bytes(layout: Layout, path: Path) -> bytes:
    try:
        return read_regular(path, LINES_BYTES if path.suffix != ".json" else 2 * DOCUMENT_BYTES)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise GmError(
            f"{layout.shown(path)} cannot be read: {error.strerror}", "correct it, or move it away"
        ) from error
