"""How close memories are to a question, for whoever recalls: by the index where there is one, else nothing and why."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from gm.config import Settings
from gm.errors import GmError, LockedError
from gm.index.base import Embedder
from gm.index.embed import embed_with
from gm.index.files import ShelfWriter
from gm.index.opened import Opened, open_index
from gm.index.similarities import Similarities, join
from gm.index.texts import Recipe, recipe_of
from gm.model.node import Node
from gm.store.commits.lock import locked
from gm.store.layout import Layout
from gm.tools.index.embedder import index_folder, open_embedder, remember


@dataclass(slots=True)
class Similar:
    """Call it with a question: it embeds the question and compares. Made by ``find_similar``.

    Memories that are new since the index was built are embedded in the same call as the first question, if they are
    few, and kept for the next time.

    Attributes:
        notices: What a person should know; grows with the first call.
    """

    layout: Layout
    settings: Settings
    agent: str
    nodes: Sequence[Node]
    opened: Opened
    embedder: Embedder
    notices: list[str] = field(default_factory=list)
    _ready: Similarities | None = None

    def __call__(
        self, query: str, count: int | None = None, allowed: Collection[str] | None = None
    ) -> Mapping[str, float]:
        """Tell how close memories are to a question.

        Args:
            query: The question.
            count: Only so many, the closest first; None = all, in stream order.
            allowed: Only these memories.

        Returns:
            The cosine in [-1, 1] by id. A memory without a vector is not in it.

        Raises:
            EmbeddingError: The question cannot be embedded.
        """
        recipe = recipe_of(self.settings.index)
        late = self._late(recipe) if self._ready is None else ()
        vector, *made = embed_with(self.embedder, recipe, query, (text for _, _, text, _ in late))
        if self._ready is None:
            new = [(name, row) for (name, _, _, _), row in zip(late, made, strict=True)]
            self._keep(recipe, {key: row for (_, key, _, _), row in zip(late, made, strict=True)})
            details = {place for place, (_, _, _, is_detail) in enumerate(late) if is_detail}
            self._ready = join(self.opened, self.nodes, new, self.settings.index.ann_above, details)
        return self._ready.to(vector, count, allowed)

    def _late(self, recipe: Recipe) -> list[tuple[str, bytes, str, bool]]:
        """Give the texts of memories without vectors, if these are few: id, key of the row, text, is it a sentence."""
        missing = self.opened.missing
        few = missing if len(missing) <= self.settings.index.catch_up else ()
        return [
            (node.id, key, text, is_detail)
            for node in few
            for is_detail, rows in zip((False, True), recipe.rows_in_two(node), strict=True)
            for key, text in rows.items()
        ]

    def _keep(self, recipe: Recipe, made: Mapping[bytes, array[float]]) -> None:
        """Keep what was embedded on the way. Whoever may not write, or comes while another writes, does without."""
        try:
            if made:
                with locked(self.layout.vectors_lock, "gm recall"):
                    # what another process has added since is not added again
                    writer = ShelfWriter(index_folder(self.layout, self.agent), recipe)
                    there = set(writer.shelf.keys)
                    writer.append({key: row for key, row in made.items() if key not in there})
            remember(self.layout, self.settings.index, self.embedder)
        except LockedError:
            pass
        except (GmError, OSError) as error:
            self.notices.append(f"new vectors could not be kept: {error}")


def find_similar(
    layout: Layout, settings: Settings, agent: str, nodes: Sequence[Node], embedder: Embedder | None = None
) -> tuple[Similar | None, str]:
    """Open what tells how close an agent's memories are to a question. Asks nobody yet.

    Args:
        layout: The world's paths.
        settings: The world's settings.
        agent: Whose memories.
        nodes: The stream, in its order.
        embedder: Who embeds; None = whom the settings name.

    Returns:
        The callable, or None; and one notice, empty when there is nothing to say. A world whose index is switched off
        has chosen so, which needs no notice: ``settings.index.enabled`` tells it.
    """
    if not settings.index.enabled:
        return None, ""
    opened = open_index(index_folder(layout, agent), nodes, recipe_of(settings.index))
    if opened.shelf is None:
        return None, lexical(f"{opened.reason}; gm index build makes one")
    try:
        embedder = embedder or open_embedder(layout, settings.index)
    except GmError as error:
        return None, lexical(error.message)
    late = len(opened.missing)
    notice = ""
    if late > settings.index.catch_up:
        notice = f"{late} of {len(nodes)} memories are not in the index and are found by their words: gm index build"
    return Similar(layout, settings, agent, nodes, opened, embedder), notice


def similarities_of(
    layout: Layout,
    settings: Settings,
    agent: str,
    nodes: Sequence[Node],
    query: str,
    count: int | None = None,
    allowed: Collection[str] | None = None,
    embedder: Embedder | None = None,
) -> tuple[Mapping[str, float] | None, tuple[str, ...]]:
    """Tell how close memories are to one question, or None and why. Never fails: recall goes on with words.

    Args:
        layout: The world's paths.
        settings: The world's settings.
        agent: Whose memories.
        nodes: The stream, in its order.
        query: The question.
        count: Only so many, the closest first; None = all, in stream order.
        allowed: Only these memories.
        embedder: Who embeds; None = whom the settings name.

    Returns:
        The cosine in [-1, 1] by id, or None; and notices.
    """
    similar, notice = find_similar(layout, settings, agent, nodes, embedder)
    notices = (notice,) if notice else ()
    if similar is None:
        return None, notices
    try:
        found = similar(query, count, allowed)
    except GmError as error:
        return None, (lexical(f"{error.message}; {error.hint}" if error.hint else error.message),)
    return found, (*notices, *similar.notices)


def lexical(reason: str) -> str:
    """Say that words alone decide, and why."""
    return f"no index, words only: {reason}"
