"""A person who plays a character at the terminal: what it sees of a day, and a form for each question.

The form is on standard error: standard output may belong to a document.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

import click

from gm.api.playing.mailbox import Letter, answer_letter, find_letter
from gm.ask.reply.fields import Field
from gm.base.errors import Awaited, UsageError, WaitingError
from gm.base.languages import in_any_language
from gm.base.texts import is_digits
from gm.cli.playing.show import DayView
from gm.cli.terminal import err, read_line, safe
from gm.files.layout import Layout
from gm.model.scene import Scene
from gm.model.turns import PlayedTurn
from gm.model.world import Change, World
from gm.scene.grounding.attendance import present_with

HELP = "?"
WHOLE = "answer"
NOTHING: Mapping[str, str] = {}
KEYS = f"{HELP} shows what else you know ({HELP}2: the second part of it), Ctrl-D leaves; the same command continues"
ASIDE = frozenset(("tags", "evidence", "type", "importance", "kind"))
"""Keys of the items of a list that keep what stands in them at first."""
REQUIRED = " (required)"
EMPTY = {"to": " (empty: everyone)"}
"""What an empty field means, by its key."""


class OwnView(DayView):
    """Shows a day to those who play some of its characters: nothing that these do not know."""

    def __init__(self, names: Collection[str]) -> None:
        super().__init__()
        self._names = frozenset(names)

    def scene_begins(self, world: World, scene: Scene) -> None:
        if self._is_there(scene):
            super().scene_begins(world, scene)

    def scene_played(self, world: World, scene: Scene, change: Change) -> None:
        if self._is_there(scene):
            super().scene_begins(world, scene)  # one who joined has not been told yet
            super().scene_played(world, scene, change)

    def cared(self, world: World, name: str, change: Change) -> None:
        if name in self._names:
            super().cared(world, name, change)

    def day_closed(self, world: World, change: Change) -> None:
        self._stop_waiting()
        err(f"day {world.clock.day} is over")

    def warned(self, where: str, warnings: Sequence[str]) -> None:
        own = tuple(f"{name}: " for name in self._names)
        super().warned(where, [warning for warning in warnings if warning.startswith(own)])

    def _is_there(self, scene: Scene) -> bool:
        return not self._names.isdisjoint(scene.cast)

    def _reason(self, scene: Scene) -> None:
        """No character knows the Game Master's reasons."""

    def _turns_seen(self, world: World, scene: Scene, turns: Sequence[PlayedTurn]) -> Sequence[PlayedTurn]:
        own = self._names.intersection(scene.cast)
        around = own.union(*(present_with(world, scene, name) for name in own if name in world.agents))
        return [
            turn if turn.agent in own else replace(turn, thought="", artifact="")
            for turn in turns
            if turn.agent in around
        ]

    def _print_memories(self, change: Change) -> None:
        for name in self._names & change.nodes.keys():
            for node in change.nodes[name]:
                err(safe(f"+ {node.id} ({node.importance}) {node.description}"))


def answer_here(layout: Layout, close: Callable[[], None], awaited: Awaited) -> None:
    """Ask for an awaited answer on the terminal, once what shows the day has been closed.

    Raises:
        WaitingError: The person leaves.
    """
    close()
    if ask_until_it_fits(layout, find_letter(layout, PurePath(awaited.question).stem)) is None:
        raise WaitingError([awaited], "the day is left open: the same command goes on from here")


def ask_until_it_fits(layout: Layout, letter: Letter) -> str | None:
    """Ask until an answer can be used, and return its path; None when the person leaves."""
    show_question(letter)
    if letter.problem:
        err(safe(letter.problem))
    filled: dict[str, str] = {}
    while True:
        try:
            filled |= ask_for_all(letter, filled)
            return answer_letter(layout, letter, filled if letter.fields else filled[WHOLE])
        except UsageError as error:
            err(safe(f"{error.message}: {error.hint}"))
        except EOFError:
            err("")
            return None


def show_question(letter: Letter) -> None:
    """Show what is asked, without what is known besides."""
    err("")
    err(click.style(safe(f"{letter.who or 'a question'} · {letter.scene}"), bold=True))
    err("")
    err(safe(letter.question or letter.text))
    err(KEYS)


def show_known(letter: Letter, number: str) -> None:
    """Show what a character knows besides: one part of it, or what parts there are."""
    if is_digits(number) and 0 < int(number) <= len(letter.known):
        section = letter.known[int(number) - 1]
        err(safe(f"{section.title}\n\n{section.text}\n".lstrip()))
        return
    for at, section in enumerate(letter.known, 1):
        err(safe(f"{HELP}{at}  {section.title or section.text[:60]}"))


def ask_for_all(letter: Letter, before: Mapping[str, str] = NOTHING) -> dict[str, str]:
    """Ask for the fields of a letter, or for the whole answer where it has none.

    Args:
        before: What was filled in before; an empty line keeps it.

    Raises:
        EOFError: The person leaves.
    """
    ask = Asking(letter, before)
    if not letter.fields:
        return {WHOLE: ask.line(WHOLE)}
    filled = dict(pair for field in letter.usual for pair in ask.field(field))
    if letter.further and ask.agreed(f"more ({', '.join(field.key for field in letter.further)})"):
        filled |= dict(pair for field in letter.further for pair in ask.field(field))
    return filled


class Asking:
    """Asks for fields one after another; ``?`` shows what is known."""

    def __init__(self, letter: Letter, before: Mapping[str, str], read: Callable[[str], str] | None = None) -> None:
        self._letter = letter
        self._before = before
        self._read = read or read_line

    def field(self, field: Field) -> Iterator[tuple[str, str]]:
        required = REQUIRED if field.required else EMPTY.get(field.key, "")
        if field.kind != "rows":
            yield field.name, self._value(field, field.key.replace("_", " ") + required)
            return
        for row in field.rows:
            # who says nothing of the first text of an item has no more items
            first = next((inner for inner in row if inner.kind in ("long", "lines")), row[0])
            label = (
                f"{field.key} ({first.key}; empty: none)" if field.is_list else f"{field.key}: {first.key}{required}"
            )
            text = self._value(first, label)
            if not text:
                return
            yield first.name, text
            for inner in row:
                if inner is first:
                    continue
                if inner.key in ASIDE and inner.first:
                    yield inner.name, self._value(inner, f"  {inner.key}")
                elif inner.key not in ASIDE:
                    yield from self.field(inner)

    def line(self, label: str) -> str:
        while (text := self._read(f"{label}: ").strip()).startswith(HELP):
            show_known(self._letter, text.removeprefix(HELP).strip())
        return text

    def agreed(self, label: str) -> bool:
        return self.line(f"{label}? [y/N]").lower() in in_any_language(lambda one: one.agreeing)

    def _value(self, field: Field, label: str) -> str:
        if field.kind == "tick":
            return "on" if self.agreed(label) else ""
        if field.kind == "choice":
            label = f"{label} ({', '.join(field.options)})"
        before = self._before.get(field.name, field.first)
        asked = f"{label} [{before.replace(chr(10), '; ')}]" if before else label
        while not (text := self.line(asked) or before) and label.endswith(REQUIRED):
            more = "; several with a semicolon between them" if field.kind == "lines" else ""
            err(safe(f"  {(field.help or 'this cannot be empty').rstrip('.')}{more}"))
        # a line of a terminal holds several: the fields of a page have a line for each
        return text.replace(";", "\n") if field.kind == "lines" else text
