"""What the embedding index says, in the form that recall wants: over one stream or several, and never failing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gm.config import Settings
from gm.errors import GmError
from gm.memory.recall.query import Similarity
from gm.store.layout import Layout
from gm.store.load import load_stream


@dataclass(slots=True)
class Meaning:
    """The similarity of vectors in one world. Opens an index when it is first asked for.

    Attributes:
        notices: What was done without, and why; those of the last question only.
    """

    layout: Layout
    settings: Settings
    notices: list[str] = field(default_factory=list)
    _opened: dict[str, Similarity | None] = field(default_factory=dict)

    def of(self, names: Sequence[str]) -> Similarity | None:
        """Give the similarity over the streams of some agents; None when no index is wanted."""
        self.notices.clear()
        if not self.settings.index.enabled:
            return None

        def similarity(text: str) -> Mapping[str, float] | None:
            found = [self._one(name, text) for name in names]
            if all(one is None for one in found):
                return None
            return {key: value for one in found if one for key, value in one.items()}

        return similarity

    def _one(self, name: str, text: str) -> Mapping[str, float] | None:
        if name not in self._opened:
            self._opened[name] = self._open(name)
        similar = self._opened[name]
        try:
            return similar(text) if similar else None
        except GmError as error:
            from gm.tools.similar import lexical

            self.notices.append(lexical(error.message))
            return None

    def _open(self, name: str) -> Similarity | None:
        from gm.tools.similar import find_similar

        nodes, _ = load_stream(self.layout, name)
        similar, notice = find_similar(self.layout, self.settings, name, nodes)
        if notice:
            self.notices.append(notice)
        return similar
