"""What commands share: their declaration, their answers, reading a world, asking the user."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gm.base.errors import EXIT_DONE, BrokenWorldError, Problem, UsageError, WaitingError, errors_in
from gm.cli.boundary import asks_models
from gm.cli.terminal import err, out_json, say_notes, show
from gm.cli.world import HELP, OPTIONS, WorldGroup, folders, named_world
from gm.files.layout import Layout, find_world, is_world

if TYPE_CHECKING:
    from gm.llm.choose import Choice
    from gm.model.world import World

Value = TypeVar("Value")


def examples(*lines: str) -> str:
    """Return examples for the end of a help page."""
    return "\b\nFor example:\n" + "\n".join(f"  {line}" for line in lines)


def some_agent(layout: Layout) -> str:
    """Return a character for examples, else ``AGENT``."""
    return next(iter(layout.agent_names()), "AGENT")


class Output:
    """The result of a command.

    Args:
        words: Writes the value as text.
        value: The JSON document.
        notes: For standard error; of problems, only errors.
        code: Exit code.
    """

    def __init__(
        self, words: Callable[[Value], object], value: Value, notes: Iterable[str | Problem] = (), code: int = EXIT_DONE
    ) -> None:
        self._words: Callable[[Any], object] = words
        self._value: Any = value
        self._notes = tuple(notes)
        self._code = code

    def show(self, as_json: bool) -> int:
        """Write the answer; return the exit code."""
        show_broken(note for note in self._notes if isinstance(note, Problem))
        show(self._value, as_json, self._words, (note for note in self._notes if isinstance(note, str)))
        return self._code


def untold(_value: object) -> None:
    """Write nothing: it was shown while it happened."""


class WorldCommand(click.Command):
    """A command about a world; its function takes a ``layout`` and may return an ``Output``.

    ``-w/--world`` is its first option and ``--json`` its last, unless the function places them itself. ``as_json`` is
    passed to a function that takes it.
    """

    def __init__(self, *arguments: Any, **values: Any) -> None:
        super().__init__(*arguments, **values)
        placed = [param.name for param in self.params]
        if "layout" not in placed:
            world_option(self)
            first = (at for at, param in enumerate(self.params) if isinstance(param, click.Option))
            self.params.insert(next(first), self.params.pop())
        if "as_json" not in placed:
            json_option(self)

    def get_short_help_str(self, limit: int = 0) -> str:
        """Return the whole first sentence: a list of commands wraps it."""
        return super().get_short_help_str(1000)

    def invoke(self, ctx: click.Context) -> Any:
        as_json = ctx.params["as_json"]
        if self.callback and "as_json" not in signature(self.callback).parameters:
            del ctx.params["as_json"]
        try:
            found = super().invoke(ctx)
        except BrokenWorldError as error:
            if any(problem.code == "merge-conflict" for problem in error.problems):
                from gm.api.history.lost import name_merge

                first, *rest = name_merge(ctx.params["layout"], error.problems)
                if first.code == "merge-driver" and first.severity == "warning":
                    raise BrokenWorldError(first.message, first.hint, rest) from None
            raise
        return found.show(as_json) if isinstance(found, Output) else found


class CommandGroup(WorldGroup):
    """A group of commands about a world."""

    command_class = WorldCommand


class ListGroup(CommandGroup):
    """A group that lists by default: ``gm threads --all`` is ``gm threads list --all``."""

    usual = "list"


def world_command(name: str | None = None, **values: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function a ``WorldCommand``; arguments as for ``click.command``."""
    return click.command(name, cls=WorldCommand, **values)


world_option = click.option(
    *OPTIONS,
    "layout",
    metavar="DIR",
    callback=lambda context, _option, value: chosen_world(context, value),
    shell_complete=folders,
    help=HELP,
)
json_option = click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")


def chosen_world(context: click.Context, value: str | None) -> Layout:
    """Return the world named after the command, else before it, else the nearest around this folder.

    Raises:
        NoWorldError: There is none.
        NewerWorldError: A newer version of gm wrote it.
    """
    named = named_world(context, value)
    return world_in(Path(named or "."), named=named is not None)


def world_in(folder: Path, *, named: bool = True) -> Layout:
    """Return the world in a folder; as ``chosen_world``."""
    from gm.files.story.now import load_settings

    layout = find_world(folder, named=named)
    load_settings(layout)  # refuses a newer world, also for commands that need no settings
    return layout


@contextmanager
def telling_what_is_awaited(choice: Choice, as_json: bool) -> Iterator[None]:
    """Write awaited questions as the command's JSON document if it has to wait."""
    asks_models()
    try:
        yield
    except WaitingError as error:
        if as_json:
            out_json({"backend": choice.backend.name, "awaiting": error.awaited})
        raise


def agreed(question: str, unanswered: str) -> bool:
    """Ask the user; without an answer, write ``unanswered`` and return False."""
    try:
        return click.confirm(question, default=False, err=True)
    except click.Abort:
        err(unanswered)
        return False


def refuse_strangers(layout: Layout, names: Sequence[str]) -> None:
    """Check the names of characters, before a model is chosen.

    Raises:
        UsageError: No character has such a name.
    """
    from gm.files.story.now import load_cast
    from gm.model.world import known_agents

    known_agents(load_cast(layout)[0], names)


def played_by_hand(layout: Layout, people: Sequence[str], days: int = 1, cast: Sequence[str] = ()) -> list[str]:
    """Return the ids of the characters that the user plays.

    Args:
        days: How many days are played.
        cast: The participants, if only a scene is played; none = all who are there.

    Raises:
        UsageError: No character has such a name, or it takes part in nothing that is played.
    """
    from gm.model.world import known_agents
    from gm.scene.grounding.attendance import is_away_throughout

    if not people:
        return []
    world = read_world(layout, whole_streams=False)
    names = known_agents(world.agents, people)
    present = known_agents(world.agents, cast)
    for name in names:
        if name not in present:
            raise UsageError(f"{name} takes no part in this scene", f"name it with --with; now: {', '.join(present)}")
        if not cast and is_away_throughout(world, name, days):
            hint = "leave it out of --as; calendar.away in gm.yaml and visits in a persona say who is away"
            raise UsageError(f"{name} is away, and would be asked nothing", hint)
    return names


def read_world(layout: Layout, *, whole_streams: bool = True) -> World:
    """Read a world for a command that only reads, and write its problems."""
    from gm.files.load import load_world

    loaded = load_world(layout, whole_streams=whole_streams)
    show_broken(loaded.problems)
    return loaded.world


def option_of(layout: Layout) -> str:
    """Return what a suggested command says of the world, with a blank before it; nothing where it finds the world."""
    here = Path.cwd()
    nearest = next((folder for folder in (here, *here.parents) if is_world(folder)), None)
    root = layout.root.resolve()
    shortest = min(os.path.relpath(root, here), str(root), key=len)
    return "" if nearest == root else f" {OPTIONS[0]} {shlex.quote(shortest)}"


def show_broken(problems: Iterable[Problem]) -> None:
    """Write errors to standard error."""
    errors = errors_in(problems)
    say_notes(map(str, errors))
    if errors:
        err("These places were left out. See: gm check")


def read_private(layout: Layout) -> tuple[str, ...]:
    """Return what the world keeps private, and write its settings' warnings.

    Raises:
        BrokenWorldError: The settings have an error.
    """
    from gm.files.story.now import load_settings
    from gm.layers import privacy

    settings, problems = load_settings(layout)
    if errors_in(problems):
        raise BrokenWorldError(
            f"what is private cannot be read from {layout.shown(layout.settings)}",
            "correct these places, or give --all to keep nothing back",
            errors_in(problems),
        )
    say_notes(map(str, problems))
    return privacy.kept_back(settings)


def find_private_words(layout: Layout, texts: Iterable[str], words: Sequence[str]) -> list[str]:
    """Return the words, and the ids of the characters, that lists with commas name.

    Raises:
        UsageError: A name is neither.
    """
    from gm.files.story.now import find_character

    named = [part.strip() for text in texts for part in text.split(",") if part.strip()]
    found = {name: name if name in words else find_character(layout, name) for name in named}
    if unknown := [name for name, one in found.items() if one is None]:
        hint = f"there are: {', '.join(words)}; and characters: {', '.join(layout.agent_names())}"
        raise UsageError(f"nothing private is called {unknown[0]!r}", hint)
    return [one for one in found.values() if one is not None]


def join_words(words: tuple[str, ...]) -> str:
    """Join words; ``-`` alone means standard input.

    Raises:
        UsageError: Standard input is not UTF-8.
    """
    if words != ("-",):
        return " ".join(words)
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError("standard input is not UTF-8", "convert it first") from error


def split_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of ``--with a,b --with c``."""
    return tuple(part.strip() for name in names for part in name.split(",") if part.strip())
