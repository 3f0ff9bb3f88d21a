"""How a character sees its own memories: what it has taken over from others, finer kinds, and lenses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gm.memory.lens import Lens, read_through
from gm.memory.lens_form import lenses_of
from gm.memory.share import owner_of_copy
from gm.model.calendar import parse_ref
from gm.model.character import Agent
from gm.model.node import Node
from gm.model.replies import FINER_KINDS
from gm.model.world import World


@dataclass(frozen=True, slots=True)
class Eyes:
    """What decides how the memories of one character are shown to it.

    Attributes:
        names: What others are called, by id.
        lenses: How it bends what it reads.
        kinds: Whether finer kinds are shown.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    lenses: Sequence[Lens] = ()
    kinds: bool = False

    def read(self, node: Node) -> str:
        """Give the text of a memory as the character reads it."""
        return read_through(node, self.lenses)[0] if self.lenses else node.description

    def kind(self, node: Node, usual: str, words: Callable[..., str]) -> str:
        """Say what kind of memory it is.

        Args:
            node: The memory.
            usual: What its type is called.
            words: The Game Master's own sentences.
        """
        owner = owner_of_copy(node)
        if owner:
            lived = parse_ref(str(node.metadata.get("lived", "")))
            return words("kind_copied", name=self.names.get(owner, owner), kind=usual, day=lived.day if lived else 0)
        finer = node.metadata.get("kind")
        if self.kinds and finer in FINER_KINDS:
            return words("kind_finer", kind=usual, finer=words(f"kind_{finer}"))
        return usual


PLAIN_EYES = Eyes()


def eyes_of(world: World, agent: Agent) -> Eyes:
    """Tell how a character sees its memories."""
    lenses = lenses_of(world.settings, agent)
    if not agent.beside and not lenses and "kinds" not in world.layers:
        return PLAIN_EYES
    names = {other.id: other.call_name for other in world.agents.values()}
    return Eyes(names, lenses, "kinds" in world.layers)
