"""The formats of other tools that can be read."""

from __future__ import annotations

from gm.api.imports import ai_town, chats, genagents, generative_agents, tinytroupe
from gm.api.imports.arrival import Format, Source
from gm.api.imports.cards import CARDS
from gm.api.imports.lore import LOREBOOKS
from gm.base.errors import UsageError

FORMATS: tuple[Format, ...] = (
    CARDS,
    LOREBOOKS,
    tinytroupe.FORMAT,
    generative_agents.FORMAT,
    genagents.FORMAT,
    ai_town.FORMAT,
    chats.FORMAT,
)
"""The first that fits is taken: narrow ones come before wide ones."""


def choose_format(source: Source) -> Format:
    """Return the format of a source.

    Raises:
        UsageError: It has none that is known.
    """
    found = next((one for one in FORMATS if one.fits(source)), None)
    if found is None:
        raise UsageError(
            f"{source.name} has no format that is known here", "known: " + ", ".join(one.name for one in FORMATS)
        )
    return found
