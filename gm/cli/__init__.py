"""The command line: the only place that prints.

``COMMANDS`` lists all commands, ``MIND`` those of ``gm mind``. A command's module is imported when it runs, so that
``gm --help`` and ``gm status`` start fast.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from gm import __version__
from gm.base.collector import set_aside
from gm.cli.boundary import guarded
from gm.cli.world import COMMAND_PAGES, WorldGroup

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Listed = Mapping[str, tuple[str, str]]
"""Where a command is (``.module:function``, from here) and the first sentence of its help, by its name."""

MIND: Listed = {
    "soul": (".editing.minds:soul", "Show and change souls: beliefs, values, fears and convictions."),
    "working": (".editing.minds:working", "Show and change the pages of working memory."),
    "relationships": (".editing.social:relationships", "Show what characters think of each other."),
    "diary": (".inspecting.log:diary", "Show and search what characters wrote in the evening."),
    "goals": (".editing.social:goals", "Show and change goals and their progress."),
}
"""The commands of ``gm mind``. They work without ``mind`` too, as in earlier versions."""

COMMANDS: Listed = {
    "new": (".worlds.new:new", "Make a world of your own, from a few sentences or from notes."),
    "init": (".worlds.setup:init", "Make a copy of a world that comes with gm, characters included."),
    "advance-day": (".playing.advance:advance_day", "Play the next day, or continue an interrupted one."),
    "scene": (".playing.scene:scene", "Play one scene now."),
    "plan": (".playing.plan:plan", "Show which scenes could come next, and which would be chosen and why."),
    "reflect": (".playing.scene:reflect", "Let a character reflect now, even if no reflection is due."),
    "brief": (
        ".editing.board:brief",
        "Put up a brief that every character will have read, or list active briefs with --list.",
    ),
    "post": (".editing.board:post", "Put a post on the board, or show it with --list."),
    "feedback": (".editing.board:feedback", "Give feedback on a piece of work in the gallery."),
    "event": (".editing.board:event", "Add an event to the calendar, or list events."),
    "mailbox": (".playing.mailbox:mailbox", "List and answer questions that wait for a person who plays a character."),
    "meeting": (".editing.board:meeting", "Call a meeting, for later or for now."),
    "character": (".worlds.new:character", "Add a character to the world."),
    "import": (".worlds.imports:import_", "Import characters, lorebooks and chats from other tools."),
    "ask": (".playing.scene:ask", "Ask a character a question out of scene."),
    "interview": (".experiments.interview:interview", "Ask characters the same questions out of scene."),
    "status": (".inspecting.status:status", "Show the day and the state of each character."),
    "log": (".inspecting.log:log", "Show what happened, newest day first."),
    "due": (".inspecting.status:due", "List who is due for a reflection."),
    "threads": (".editing.social:threads", "Show open promises, questions and appointments, or settle them by hand."),
    "stats": (".inspecting.status:stats", "Show statistics of memories: types, depths, importance, tags."),
    "cost": (".inspecting.cost:cost", "Show the cost of days, scenes and characters, and what caching saved."),
    "models": (".inspecting.models:models", "List model providers, or the models of one."),
    "view": (".inspecting.faces:view", "Show the world as pages in a browser, updated while days are played."),
    "publish": (".inspecting.faces:publish", "Write the world's pages as a static site."),
    "export": (".inspecting.export:export", "Make a book of days, of a character, or of the whole world."),
    "context": (".inspecting.recall:context", "Show the memories that a scene would put into a character's prompt."),
    "recall": (".inspecting.recall:recall", "Find the memories of a character that answer a question best."),
    "mind": (".:mind", f"Show and change the layers of a mind: {', '.join(MIND)}."),
    "memory": (".editing.memory:memory", "Show, find, write and correct single memories."),
    "gift": (".editing.sharing:gift", "Write the memories that characters begin with, from personas and gm.yaml."),
    "share": (".editing.sharing:share", "Copy memories from one character to another, or let characters ask for them."),
    "care": (".editing.care:care", "Summarise the oldest memories of a character if there are too many."),
    "prune": (".editing.care:prune", "Archive a character's least important memories."),
    "accumulators": (".inspecting.status:accumulators", "Show the importance accumulated since the last reflections."),
    "index": (".worlds.index:index", "Build, inspect or remove the optional embedding index."),
    "mcp": (".inspecting.faces:mcp", "Offer characters' memories as tools to an MCP client."),
    "why": (".inspecting.why:why", "Show the origin of a memory or a piece of work."),
    "diff": (".history.diff:diff", "Show changes in the minds of a world between commits or days."),
    "compare": (".history.compare:compare", "Compare two runs: where they diverge and how they end."),
    "evaluate": (".experiments.evaluate:evaluate", "Measure the characters without a model."),
    "judge": (".experiments.judge:judge", "Compare worlds blind: models or people judge pairs of texts."),
    "sweep": (".experiments.sweep:sweep", "Run variations of a world and write one table."),
    "provenance": (
        ".experiments.provenance:provenance",
        "Write one file from which others can repeat the played days.",
    ),
    "replay": (
        ".experiments.provenance:replay",
        "Repeat the days of a file made by gm provenance and check that they are the same.",
    ),
    "rewind": (".history.rewind:rewind", "Return the world to its state after a day or a scene."),
    "branch": (".history.rewind:branch", "Make a second world that starts from a day or a scene of this one."),
    "git-setup": (".worlds.setup:git_setup", "Set up a git repository to show and merge worlds readably."),
    "check": (".worlds.check:check", "Check every file of the world and report every problem with its place."),
    "settings": (".worlds.check:settings", "Show all settings, their values here, and the lines that set them."),
    "schema": (".reference:schema", "Print the JSON Schema of a kind of file."),
    "completion": (
        ".worlds.check:completion",
        "Print the script that completes commands, names and days in your shell.",
    ),
    "migrate": (".worlds.setup:migrate", "Convert a world's files to the current format, after showing the diff."),
    "adopt": (".worlds.setup:adopt", "Make another tool's world a gm world, without changing its state."),
}

EVERYDAY = (
    *("new", "init", "advance-day", "brief", "ask"),
    *("status", "log", "view", "export"),
    *("why", "diff", "check"),
)
"""What ``gm --help`` shows; ``gm help --all`` shows the rest."""

SECTIONS = {
    "new": "Begin and play",
    "brief": "Direct",
    "status": "Inspect",
    "context": "Minds",
    "why": "What happened, and what if",
    "check": "Files and settings",
}
"""Headings of the overview, by the command that comes first below each."""

ALL = "gm.all"
"""Whether the overview shows all commands, in the context's ``meta``."""

HIDDEN = {
    "git-textconv": ".history.gitdrivers:git_textconv",
    "git-merge": ".history.gitdrivers:git_merge",
    "git-settle": ".history.gitdrivers:git_settle",
}
"""What git calls by itself, once it is set up."""


def _load(place: str) -> Any:
    from importlib import import_module

    module, name = place.split(":")
    return getattr(import_module(module, __name__), name)


class LazyGroup(WorldGroup):
    """A group that imports a command only to run it.

    Args:
        listed: In the order of the overview.
        unlisted: Modules of further commands, by name.
    """

    def __init__(self, *arguments: object, listed: Listed, unlisted: Mapping[str, str], **values: object) -> None:
        super().__init__(*arguments, **values)
        self.listed = listed
        self._places = {**{name: place for name, (place, _) in listed.items()}, **unlisted}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.listed)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._places:
            return None
        command = _load(self._places[cmd_name])
        assert isinstance(command, click.Command)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer commands without importing them."""
        from click.shell_completion import CompletionItem

        found = [
            CompletionItem(name, help=text) for name, (_, text) in self.listed.items() if name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def shown(self, ctx: click.Context) -> Mapping[str, Sequence[str]]:
        return {"Commands": tuple(self.listed)}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List commands below their headings without importing them."""
        sections = self.shown(ctx)
        widest = max(len(name) for names in sections.values() for name in names)  # one width for all sections
        for title, names in sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), self.listed[name][1]) for name in names])


class Overview(LazyGroup):
    """The command ``gm`` itself: lists everyday commands, or all with ``gm help --all``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take ``gm help status`` for ``gm status --help``."""
        if args[:1] == ["help"]:
            ctx.meta[ALL] = args[1:] == ["--all"]
            args = ["--help"] if ctx.meta[ALL] else [*args[1:], "--help"]
        return super().parse_args(ctx, args)

    def shown(self, ctx: click.Context) -> Mapping[str, Sequence[str]]:
        if not ctx.meta.get(ALL):
            return {"Every day": EVERYDAY}
        found: dict[str, list[str]] = {}
        for name in self.listed:
            found.setdefault(SECTIONS.get(name) or list(found)[-1], []).append(name)
        return found


@click.group(
    cls=Overview,
    listed=COMMANDS,
    unlisted={**{name: place for name, (place, _) in MIND.items()}, **HIDDEN},
    invoke_without_command=True,
    no_args_is_help=False,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Begin:  gm init my-world && cd my-world && gm advance-day
Then:   gm status, gm log, gm why ID (of a memory), and your editor
More:   gm COMMAND --help, and all commands: gm help --all""",
)
@click.version_option(__version__, prog_name="gm")
@click.pass_context
def gm(context: click.Context) -> None:
    """A world is a folder. A day is a command. A memory is a line.

    gm plays a small cast of language-model characters through simulated days. Everything they are and remember is
    kept in plain files that you can read, correct and follow in git.
    """
    context.meta[COMMAND_PAGES] = partial(_load, ".reference:PAGES_OF_COMMANDS")
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@click.group(cls=LazyGroup, listed=MIND, unlisted={})
def mind() -> None:
    """Show and change the layers of a mind: soul, working, relationships, diary, goals.

    Layers complement persona and memories. A layer begins with its file or with a setting; gm context AGENT shows all
    of them as the character reads them.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    from gm.cli.streams import guard_streams, tolerate

    guard_streams()
    tolerate(sys.stdout, sys.stderr)
    code = guarded(gm, sys.argv[1:] if arguments is None else list(arguments))
    set_aside()  # at the end, Python would search everything
    sys.exit(code)
