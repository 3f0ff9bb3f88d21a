"""The reference of commands (``docs/reference/commands.md``), and ``gm schema``.

``python -m gm.cli.reference`` writes it, the other generated pages of ``docs/reference/``, and ``gm/__init__.pyi``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import click

import gm
from gm.api.editing.schema import KINDS, PLACES, EditorFiles, add_editor_files, describe_schema
from gm.api.reference.filepages import render_files, render_personas, render_schemas
from gm.api.reference.manual import render_manual
from gm.api.reference.public import render_api, render_stub
from gm.cli import COMMANDS
from gm.cli import gm as commands
from gm.cli.commands import chosen_world, examples
from gm.cli.terminal import err, out, out_json
from gm.cli.world import HELP, OPTIONS, folders, named_world
from gm.files.uncommitted.beside import SCHEMAS

PACKAGE = Path(gm.__file__).resolve().parent
SHARED = {"--world", "--json", "--help"}
"""Options that are explained once, at the top."""

HEAD = """\
# The commands

Made from the commands themselves by `make docs`; change those, not this file.

Most commands know

- `-w, --world DIR`, before the command or after it: the world's folder; default: this folder or the nearest parent
  that is a world.
- `--json`: one JSON document on standard output; progress and notices are on standard error.
- `-h, --help`: what this page says, in the terminal.

Exit codes: **0** done · **1** you can fix it, and the message says how · **2** wrong usage · **3** a bug in gm ·
**75** waiting for answers; the same command goes on · **130** interrupted; the same command goes on.
"""


def render_reference() -> str:
    """Write the reference as Markdown, the same on any terminal."""
    top = click.Context(commands, info_name="gm", **commands.context_settings)
    parts = [HEAD, " · ".join(f"[{name}](#gm-{name})" for name in COMMANDS) + "\n"]
    for context, command in _walk_commands(commands, top):
        parts += _command(command, context)
    return "\n".join(parts)


def _answers() -> str:
    from gm.cli.answers import render_answers_page  # imports the types of all answers

    return render_answers_page(path for path, _ in all_commands())


PAGES_OF_COMMANDS: Mapping[str, Callable[[], str]] = {"commands": render_reference, "json": _answers}
"""What is made of commands, by the name of its page."""
PAGES: Mapping[str, Callable[[], str]] = {
    "docs/reference/settings.md": render_manual,
    "docs/reference/personas.md": render_personas,
    "docs/reference/api.md": render_api,
    "docs/reference/files.md": render_files,
    "docs/reference/schemas.md": render_schemas,
    **{f"docs/reference/{name}.md": render for name, render in PAGES_OF_COMMANDS.items()},
    "gm/__init__.pyi": render_stub,
}
"""What is made, by path inside the repository."""


def write_pages(folder: Path = PACKAGE.parent) -> None:
    """Write the files of ``PAGES``."""
    for name, render in PAGES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(render(), encoding="utf-8", newline="\n")


def all_commands() -> Iterator[tuple[str, click.Command]]:
    """Yield visible commands by path (``gm memory tag``), groups before what they hold."""
    for context, command in _walk_commands(
        commands, click.Context(commands, info_name="gm", **commands.context_settings)
    ):
        yield context.command_path, command


def _walk_commands(group: click.Group, top: click.Context) -> Iterator[tuple[click.Context, click.Command]]:
    for name in group.list_commands(top):
        command = group.get_command(top, name)
        if command is not None and not command.hidden:
            context = click.Context(command, top, name)
            yield context, command
            if isinstance(command, click.Group):
                yield from _walk_commands(command, context)


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"{'#' * len(context.command_path.split())} {context.command_path}\n"
    yield f"    {usage}\n"
    yield _paragraphs(command.help or "")
    options = [line for option in command.params if (line := _option(option, context))]
    if options:
        yield "\n".join(options) + "\n"
    if command.epilog:
        yield _paragraphs(command.epilog)


def _option(option: click.Parameter, context: click.Context) -> str:
    if not isinstance(option, click.Option) or SHARED & set(option.opts):
        return ""
    record = option.get_help_record(context)
    return f"- `{record[0]}`: {_escape_markdown(record[1])}" if record else ""


def _paragraphs(text: str) -> str:
    """Turn a help text into Markdown; what must keep its lines becomes a block of code."""
    found = []
    for part in re.split(r"\n\s*\n", text.strip()):
        if part.lstrip().startswith("\b"):
            lines = [line.strip() for line in part.splitlines() if line.strip() != "\b"]
            if lines[0].endswith(":"):
                found.append(lines.pop(0))
            found.append("\n".join(f"    {line}" for line in lines))
        else:
            found.append(_escape_markdown(part))
    return "\n\n".join(found) + "\n"


def _escape_markdown(text: str) -> str:
    """Put a text on one line, escaping Markdown."""
    return re.sub(r"([<>*_])", r"\\\1", " ".join(text.split()))


@click.command(epilog=examples("gm schema", "gm schema memory", "gm schema --write"))
@click.argument("kind", required=False, type=click.Choice(list(KINDS)), metavar="[KIND]")
@click.option("--write", is_flag=True, help=f"Write schemas to {SCHEMAS}/ of a world, and editor settings.")
@click.option(*OPTIONS, "named", metavar="DIR", shell_complete=folders, help=HELP)
@click.pass_context
def schema(context: click.Context, kind: str | None, write: bool, named: str | None) -> None:
    """Print the JSON Schema of a kind of file.

    Schemas are for editors and other programs. Without KIND, list the kinds.

    With --write the schemas lie in the world, and VS Code completes and checks gm.yaml, scripts, and the YAML and JSON
    files in state/. It does not look into front matter and lines of streams: gm check does.
    """
    if write:
        _show_written(add_editor_files(chosen_world(context, named), [kind] if kind else KINDS))
    elif named_world(context, named) is not None:
        raise click.UsageError("A world is named with --write only: schemas are the same for all worlds.", context)
    elif kind is not None:
        out_json(describe_schema(kind))
    else:
        for name, place in PLACES.items():
            out(f"{name:<14}{place}")


def _show_written(files: EditorFiles) -> None:
    for path in files.written:
        out(f"wrote {path}")
    if files.why:
        err(f"{files.why}, so it was left alone; add to it by hand:")
        out_json(files.to_add)
    elif not files.written:
        out("Nothing was changed.")


if __name__ == "__main__":
    write_pages()
