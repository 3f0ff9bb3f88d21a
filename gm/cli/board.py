"""``gm brief``, ``gm post`` and ``gm feedback``: what hangs on the board."""

from __future__ import annotations

from typing import Any

import click

from gm.cli import complete
from gm.cli.options import author_option, examples, json_option, read_world, text_of, world_option
from gm.cli.terminal import clip, out, out_json, safe, say
from gm.errors import UsageError
from gm.store.layout import Layout

SHOWN = 100


@click.command(epilog=examples('gm brief "A day without new towers."', "gm brief --done 1"))
@click.argument("text", nargs=-1)
@world_option
@author_option
@click.option("--done", metavar="N|BEGINNING", help="Take a brief out of those that hold; its post stays.")
@click.option("--list", "listed", is_flag=True, help="Show the briefs that hold.")
@json_option
def brief(
    layout: Layout, text: tuple[str, ...], author: str | None, done: str | None, listed: bool, as_json: bool
) -> None:
    """Put up a brief.

    It hangs on the board and holds until it is done. Everybody has read it by the next scene, and remembers it. TEXT -
    is read from standard input.
    """
    from gm.tools.board import describe_briefs, end_brief, put_up_brief

    _require_one(text, done, listed, "gm brief TEXT")
    if listed:
        document = describe_briefs(read_world(layout))
        _show(document, as_json, lines=_brief_lines(document))
    elif done is not None:
        document, notes = end_brief(layout, done)
        _show(document, as_json, notes, [f"done: {clip(document['done'], SHOWN)}"])
    else:
        document, notes = put_up_brief(layout, text_of(text), author)
        _show(document, as_json, notes, [_put_up(document), "Everybody will have read it by the next scene."])


@click.command()
@click.argument("text", nargs=-1)
@world_option
@author_option
@click.option("--type", "kind", default="note", show_default=True, help="What it is; a note need not be taken up.")
@click.option("--list", "listed", is_flag=True, help="Show the board.")
@json_option
def post(layout: Layout, text: tuple[str, ...], author: str | None, kind: str, listed: bool, as_json: bool) -> None:
    """Put something on the board.

    Everybody can read it there; nobody remembers it as an event of its own. TEXT - is read from standard input.
    """
    from gm.tools.board import describe_board, put_up_post

    _require_one(text, None, listed, "gm post TEXT")
    if listed:
        document = describe_board(read_world(layout))
        _show(document, as_json, lines=_board_lines(document))
    else:
        document, notes = put_up_post(layout, text_of(text), author, kind)
        _show(document, as_json, notes, [_put_up(document)])


@click.command()
@click.argument("piece", metavar="gallery/…", shell_complete=complete.works)
@click.argument("text", nargs=-1, required=True)
@world_option
@author_option
@json_option
def feedback(layout: Layout, piece: str, text: tuple[str, ...], author: str | None, as_json: bool) -> None:
    """Say something about a piece of work in the gallery.

    It hangs on the board; everybody remembers it by the next scene, whoever made the piece most of all. It stays open
    until a scene takes it up. TEXT - is read from standard input.
    """
    from gm.tools.board import put_up_feedback

    document, notes = put_up_feedback(layout, piece, text_of(text), author)
    _show(document, as_json, notes, [_put_up(document), "Everybody will have read it by the next scene."])


def _require_one(text: tuple[str, ...], done: str | None, listed: bool, usage: str) -> None:
    if bool(text) + (done is not None) + listed != 1:
        what = "there is no text" if not (text or done or listed) else "one thing at a time"
        raise UsageError(what, f"write: {usage}, or see --help")


def _show(
    document: dict[str, Any], as_json: bool, notes: list[str] | None = None, lines: list[str] | None = None
) -> None:
    for note in notes or ():
        say(safe(note))
    if as_json:
        out_json(document)
        return
    for line in lines or ():
        out(safe(line))


def _put_up(document: dict[str, Any]) -> str:
    about = f" on {document['artifact']}" if document.get("artifact") else ""
    return f"{document['post']}, {document['type']}{about} from {document['from']}: {clip(document['content'], SHOWN)}"


def _brief_lines(document: dict[str, Any]) -> list[str]:
    briefs = document["active_briefs"]
    return [f"{item['number']}. {' '.join(item['text'].split())}" for item in briefs] or ["No brief holds."]


def _board_lines(document: dict[str, Any]) -> list[str]:
    lines = []
    for item in document["posts"]:
        about = f" on {item['artifact']}" if item.get("artifact") else ""
        state = ", ".join(word for word, holds in (("holds", item["active"]), ("taken up", item["taken_up"])) if holds)
        head = f"{item['post']}  day {item['day']}, {item['type'] or 'post'}{about} from {item['from'] or 'nobody'}"
        lines.append(head + (f" ({state})" if state else ""))
        lines += [f"  {line}".rstrip() for line in item["content"].splitlines()]
    lines += [f"decided: {' '.join(decision.split())}" for decision in document["team_decisions"]]
    return lines or ["The board is empty."]
