"""What it takes to be told who one is, and what to find it out: tokens of the same day, both ways (document 000).

The bundled studio plays a day with the rehearsal, then the next one in each mode; with its own personas, and with
personas made longer by pages that tell of earlier years. Tokens are estimated, rounds of tools included, and nothing is
cached: a provider's cache gives most of a long prefix back, and of the rounds of a look as well.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from gm.api.editing.gift import give_memories
from gm.api.playing.mind.minds import SceneMinds
from gm.api.worlds.create import create_world
from gm.base.tokens import estimate_tokens
from gm.files.layout import Layout
from gm.llm.base import Answer, Request
from gm.llm.choose import Choice
from gm.llm.content import ToolResult, length_of_tools, parts_of, text_of
from gm.llm.rehearsal.backend import Rehearsal
from gm.play.master import game_master
from gm.play.report import Report

MODES = ("inject", "discover", "discover, tools: core", "discover, tools: core, max_tool_rounds: 1")
LONGER = (0, 3_000, 8_000)
"""Estimated tokens by which each persona is made longer."""
PAGE = "In the {number}. year I learned what nobody had told me: that a thing of {number} parts fails at one of them."


class Watched(Rehearsal):
    """Remembers what was asked."""

    def __init__(self) -> None:
        self.asked: list[Request] = []

    def ask(self, request: Request) -> Answer:
        """Remember a question, and answer it."""
        self.asked.append(request)
        return super().ask(request)


def run() -> None:
    """Play and print the figures."""
    print(f"{'mode':48} {'system':>7} {'tools':>6} {'question':>9} {'looked up':>10} {'calls':>6} {'all tokens':>11}")
    for longer in LONGER:
        print(f"personas longer by {longer:,} tokens")
        with tempfile.TemporaryDirectory() as folder:
            compare(Path(folder), longer)


def compare(folder: Path, longer: int) -> None:
    """Play the same day in each mode and print the figures of each."""
    layout = create_world(folder / "studio", "studio")
    for name in layout.agent_names():
        pages = [PAGE.format(number=number) for number in range(1, 1 + longer // estimate_tokens(PAGE))]
        with layout.persona(name).open("a", encoding="utf-8") as file:
            file.write("\n" + "\n\n".join(pages))
    give_memories(layout)
    play(layout)
    usual = 0
    for number, mode in enumerate(MODES):
        copy = Layout(folder / f"mode-{number}")
        shutil.copytree(layout.root, copy.root)
        with copy.settings.open("a", encoding="utf-8") as file:
            file.write(f"persona: {{mode: {mode}}}\n")
        shown, whole = figures(play(copy))
        usual = usual or whole
        print(f"{mode:48} {shown} {whole / usual - 1:>+6.0%}")


def play(layout: Layout) -> list[Request]:
    """Play a day; gives what was asked."""
    backend = Watched()
    with game_master(layout, Choice(backend, "bench"), Report(), command="bench", minds=SceneMinds) as master:
        master.play_day()
    return backend.asked


def figures(asked: Sequence[Request]) -> tuple[str, int]:
    """Count tokens of an answer on average, and of the whole day, which is given as a number too."""
    answers = sum(len(request.messages) == 1 for request in asked)
    system = sum(_system(request) for request in asked if len(request.messages) == 1)
    tools = sum(_tools(request) for request in asked if len(request.messages) == 1)
    question = sum(estimate_tokens(text_of(request.messages[0][1])) for request in asked if len(request.messages) == 1)
    found = sum(
        estimate_tokens(part.text)
        for request in asked
        for part in parts_of(request.messages[-1][1])
        if isinstance(part, ToolResult)
    )
    whole = sum(
        _system(request) + _tools(request) + sum(estimate_tokens(text_of(turn)) for _, turn in request.messages)
        for request in asked
    )
    each = (system / answers, tools / answers, question / answers, found / answers)
    shown = " ".join(f"{value:>{width}.0f}" for value, width in zip(each, (7, 6, 9, 10), strict=True))
    return f"{shown} {len(asked):>6} {whole:>11,}", whole


def _system(request: Request) -> int:
    return sum(estimate_tokens(block.text) for block in request.system)


def _tools(request: Request) -> int:
    return estimate_tokens("x" * length_of_tools(request.tools))
