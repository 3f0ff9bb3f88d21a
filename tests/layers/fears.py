"""A layer that a test declares: what a character is afraid of, one sentence a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, cast

from pydantic import Field

from gm.base.config import kinds
from gm.layers import LAYERS
from gm.layers.declare import (
    LINES,
    AnyLayer,
    AppendedLines,
    CardEntry,
    File,
    Folded,
    Layer,
    LayerReply,
    PlayedScene,
    PromptView,
)
from gm.model.mind import OfLayer
from gm.model.record import Key, Record

Fears = tuple[str, ...]


def as_text(fear: str) -> str:
    return fear


FEAR = Record(as_text, "a fear", Key("fear", kinds.text, "what the character is afraid of"), code="fear-{key}")


def fold(played: PlayedScene, known: Fears) -> Folded[Fears]:
    return Folded(tuple(text for part in played.said for text in part if text not in known) or None)


FEARS: Layer[Fears, Fears] = Layer(
    name="fears",
    empty=(),
    file=File(
        "fears",
        LINES,
        tuple,
        lambda _data, new: [AppendedLines([json.dumps({"fear": text}) for text in new])],
        record=FEAR,
    ),
    advance=lambda known, new: (*known, *new),
    reply=LayerReply(
        "afraid_of",
        fold,
        asked=(
            Annotated[list[str], OfLayer("fears")],
            Field(default_factory=list, description="what you are afraid of from now on"),
        ),
    ),
    view=PromptView("fears", lambda _shown, fears: list(fears), [], template="fears.j2"),
    words=lambda fears: {"fears": fears},
    about="What a character is afraid of.",
    example='{"fear": "the ice"}',
    sample=("Text.",),
    card=lambda fears, _: [CardEntry(f"fears: {' '.join(fears)}")],
    describe=lambda record: str(record["fear"]),
)
TEMPLATE = """{#
purpose: what the character is afraid of
variables: fears
reply: -
#}
# What you fear
{% for fear in fears %}
- {{ fear }}
{% endfor %}
"""


@contextmanager
def declared() -> Iterator[None]:
    """Declare the layer within a block."""
    layers = cast("list[AnyLayer]", LAYERS)
    layers.append(FEARS)
    try:
        yield
    finally:
        layers.remove(FEARS)
