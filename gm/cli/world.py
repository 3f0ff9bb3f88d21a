"""Which world a command is about: ``-w/--world``, before the command or after it.

Nothing heavy is imported here: ``gm --help`` needs this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMAND_PAGES = "gm.command_pages"
"""What makes the pages about commands, in the context's ``meta``."""
OPTIONS = ("-w", "--world")
HELP = "The world's folder; default: this folder or the nearest parent that is a world."
_KEY = "gm.world"
NEAREST = 3
OTHER_WORDS = {
    "advance-day": ("run", "play", "next", "day", "start", "go", "step", "simulate"),
    "new": ("create", "make"),
    "character": ("persona", "cast", "people"),
    "status": ("show", "info", "list", "ls", "agents", "who"),
    "log": ("history", "story", "timeline"),
    "recall": ("search", "find", "query", "remember"),
    "settings": ("config", "set", "options", "configure"),
    "schema": ("format", "keys", "fields"),
    "rewind": ("undo", "reset", "back", "revert"),
    "git-setup": ("merge", "pull", "conflict"),
    "memory": ("memories", "node", "edit", "add"),
    "check": ("lint", "validate", "verify", "doctor", "fix"),
    "context": ("prompt", "window"),
    "why": ("explain", "trace"),
    "ask": ("chat", "talk"),
    "mind": ("layers", "values", "beliefs", "trust", "friends"),
    "cost": ("price", "usage", "tokens", "budget"),
}
"""What other programs, or people, call the same."""


def folders(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Let the shell offer folders."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(typed, type="dir")]


def named_world(context: click.Context, value: str | None = None) -> str | None:
    """Return the folder named at the command, else at a group before it; else None."""
    named = context.meta.get(_KEY) if value is None else value
    return None if named is None else str(named)


def world_before() -> click.Option:
    """Make the ``-w/--world`` of a group."""

    def remember(context: click.Context, _option: click.Parameter, value: str | None) -> None:
        if value is not None:
            context.meta[_KEY] = value

    return click.Option(
        OPTIONS, metavar="DIR", callback=remember, expose_value=False, shell_complete=folders, help=HELP
    )


class WorldGroup(click.Group):
    """A group that also takes ``-w/--world`` before its commands.

    Attributes:
        usual: Command meant when the first word is none, as ``list`` in ``gm threads --all``; may be empty.
        alone: Whether it is also meant without any word.
    """

    usual: ClassVar[str] = ""
    alone: ClassVar[bool] = True

    def __init__(self, *arguments: object, **values: object) -> None:
        super().__init__(*arguments, **values)  # type: ignore[arg-type]  # click checks its own parameters
        self.params.append(world_before())

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert the usual command, unless a command or the help is asked for."""
        world, rest = _split(args)
        if self.usual and (self.alone if not rest else rest[0] not in (*self.commands, *ctx.help_option_names)):
            rest = [self.usual, *rest]
        return super().parse_args(ctx, [*world, *rest])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command.

        Raises:
            UsageError: The command is unknown, with suggestions; or it takes no world, and one was named.
        """
        if ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        if args[0][:1] != "-" and self.get_command(ctx, args[0]) is None:
            near = commands_meant(args[0], self.list_commands(ctx))
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            raise click.UsageError(f"No such command {args[0]!r}.{hint}", ctx)
        name, command, rest = super().resolve_command(ctx, args)
        if command and named_world(ctx) is not None and not any(OPTIONS[1] in one.opts for one in command.params):
            raise click.UsageError(f"{ctx.command_path} {name} takes no {'/'.join(OPTIONS)}.", ctx)
        return name, command, rest


def _split(args: Sequence[str]) -> tuple[list[str], list[str]]:
    place = 0
    while place < len(args) and args[place].startswith(OPTIONS):
        # its value is the next word, or stands behind = or right behind the letter
        place += 2 if args[place] in OPTIONS else 1
    return list(args[:place]), list(args[place:])


def commands_meant(word: str, names: Iterable[str]) -> list[str]:
    """Suggest commands for a word by beginning, meaning and spelling."""
    from difflib import get_close_matches

    names, small = list(names), word.lower()
    found = [name for name in names if len(small) > 1 and (name.startswith(small) or small in name.split("-"))]
    found += [name for name in names if small in OTHER_WORDS.get(name, ())]
    found += get_close_matches(small, names, NEAREST, 0.6)
    # a slip in the first of two words: advence, gitt
    found += [name for name in names if "-" in name and get_close_matches(small, [name.split("-")[0]], 1, 0.75)]
    return list(dict.fromkeys(found))[:NEAREST]
