"""A toy backend: what it takes to add one. This file, and a line in ``gm.llm.choose.BACKENDS``."""

from __future__ import annotations

import json
from dataclasses import dataclass

from gm.base.errors import BackendError
from gm.llm.base import Answer, Request, Surroundings, Usage
from gm.llm.content import text_of
from tests.llm.reader import compose


def make(_model: str, _around: Surroundings) -> Toy:
    """Make the backend."""
    return Toy()


@dataclass(frozen=True)
class Toy:
    """Answers from the prompt alone; falls silent when it is asked for more than it has."""

    name: str = "toy"
    model: str = "toy"
    reads_facts: bool = False
    most_tokens: int = 21_000

    def ask(self, request: Request) -> Answer:
        if request.max_tokens > self.most_tokens:
            raise BackendError("the toy knows few words", "lower llm.max_tokens")
        prompt = "\n\n".join(
            [*(block.text for block in request.system), *(text_of(content) for _, content in request.messages)]
        )
        text = json.dumps(compose(prompt), ensure_ascii=False)
        return Answer(text, self.model, usage=Usage(len(prompt.split()), len(text.split())))
