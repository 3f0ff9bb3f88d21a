"""``gm judge``: blind comparisons of worlds."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gm.base.errors import EXIT_DONE, EXIT_INTERRUPTED, UsageError, WaitingError
from gm.base.texts import counted
from gm.cli import complete, options
from gm.cli.boundary import asks_models
from gm.cli.commands import examples, json_option
from gm.cli.inspecting.faces import PORT, web_installed
from gm.cli.terminal import err, heading, out, out_json, paint, paragraph, safe, say_note, show, wrapped

if TYPE_CHECKING:
    from gm.api.experiments.judging.judges import JudgedByHand
    from gm.api.experiments.judging.pairs import PairsMade
    from gm.api.experiments.judging.verdicts import JudgingResult
    from gm.llm.choose import Choice
    from gm.model.verdict import Better, Compared

HOW = (
    "Answer 1, 2 or t with Return; a reason is optional. Ctrl-C stops: judged pairs are kept, the same command goes on."
)
ANSWERS: Mapping[str, Better] = {"1": "first", "2": "second", "t": "tie"}


@click.command(
    epilog=examples(
        "gm judge compared a1=../studio b1=../studio-without",
        "gm judge compared a1=A1 b1=B1 a1=A2 b1=B2",
        "gm judge compared --judge openai:gpt-5 --judge mailbox",
        "gm judge compared --as anna",
        "gm judge compared --page",
        "gm judge compared",
    )
)
@click.argument("folder", metavar="DIR", type=options.FOLDER)
@click.argument("more", metavar="[NAME=WORLD]…", nargs=-1)
@click.option(
    "--worlds",
    metavar="NAME=WORLD",
    multiple=True,
    help="Make pairs of these worlds. A name must be no word of their texts: a1, b1. It may have several worlds; "
    "interviews also take NAME=WORLD#WITHOUT.",
)
@click.option(
    "--what",
    type=click.Choice(["day", "scene", "interview"]),
    default="day",
    show_default=True,
    help="What to compare.",
)
@click.option(
    "--pairs",
    "most",
    metavar="N",
    type=click.IntRange(min=0),
    default=0,
    help="Maximum number of pairs, drawn at random; default: all.",
)
@click.option(
    "--seed",
    metavar="N",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed for drawing pairs and the order of texts.",
)
@click.option(
    "--judge",
    "judges",
    metavar="MODEL",
    multiple=True,
    type=complete.MODEL,
    help="A model that judges, as for --model; repeatable.",
)
@click.option("--as", "person", metavar="NAME", help="Judge by hand under this name, pair by pair.")
@click.option("--page", is_flag=True, help="Let people judge in a browser on this machine, each under a name.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="Port of --page; 0 = any free port."
)
@click.option("--question", default="", metavar="TEXT", help="Question to judges; default: who is more believable.")
@json_option
def judge(
    folder: Path,
    more: tuple[str, ...],
    worlds: tuple[str, ...],
    what: Compared,
    most: int,
    seed: int,
    judges: tuple[str, ...],
    person: str | None,
    page: bool,
    port: int,
    question: str,
    as_json: bool,
) -> int:
    """Compare worlds blind: models or people judge pairs of texts.

    First make pairs in DIR from two or more worlds; then have models judge, each pair in both orders, or judge
    yourself, in the terminal or on a page. Without options, show what the verdicts in DIR come to. Names of conditions,
    ids and form are taken off the texts (names of characters stay), and long ones are cut to one length. Everything can
    be stopped: the same command goes on.
    """
    from gm.api.experiments.judging.verdicts import describe_judged

    worlds = (*worlds, *more)
    if bool(worlds) + bool(judges) + bool(person is not None) + page > 1:
        raise UsageError(
            "worlds, --judge, --as and --page exclude each other", "give them one after the other: pairs first"
        )
    if question and not worlds and not judges:
        raise UsageError("--question is asked with worlds or --judge", "")
    if worlds:
        from gm.api.experiments.judging.pairs import make_pairs

        show(make_pairs(folder, worlds, what, most, seed, question), as_json, show_made)
        return EXIT_DONE
    if page:
        return _judge_on_page(folder, port)
    if judges:
        _ask_judges(folder, judges, question, as_json)
    if person is not None:
        show(_judge_in_terminal(folder, person), as_json, _show_done)  # who sees how it stands is not blind any more
        return EXIT_DONE
    show(describe_judged(folder), as_json, _show_judged)
    return EXIT_DONE


def _ask_judges(folder: Path, judges: tuple[str, ...], question: str, as_json: bool) -> None:
    from gm.api.experiments.judging.judges import judge_remaining_pairs

    def chosen(choice: Choice) -> None:
        err(safe(f"judge: {choice.shown} ({choice.why})"))

    asks_models()
    try:
        judge_remaining_pairs(folder, judges, question, say_note, chosen)
    except WaitingError as error:
        if as_json:
            out_json({"awaiting": error.awaited})
        raise


def _judge_on_page(folder: Path, port: int) -> int:
    with web_installed():
        from gm.faces.web.serve import serve_judging

    try:
        serve_judging(folder, port, tell=lambda address: err(safe(f"Judge at {address}   (Ctrl-C ends it)")))
    except KeyboardInterrupt:
        err(safe(f"\nThe page is closed. Every verdict is kept; see them: gm judge {folder}"))
        return EXIT_INTERRUPTED
    return EXIT_DONE


def _judge_in_terminal(folder: Path, person: str) -> JudgedByHand:
    from gm.api.experiments.judging.judges import JudgedByHand, judge_by_hand, list_unjudged
    from gm.files.experiments.judging import read_comparison

    if not person.strip() or not person.isprintable():
        raise UsageError(f"{person!r} cannot be a name", "write one with visible characters")
    asked, question = list_unjudged(folder, person), read_comparison(folder).question
    done = 0
    if asked:
        err(HOW)
    with suppress(click.Abort):  # what has been judged is written
        for number, one in enumerate(asked, 1):
            pair, swapped = one
            texts = (pair.second_text, pair.first_text) if swapped else (pair.first_text, pair.second_text)
            for name, text in zip(("FIRST TEXT", "SECOND TEXT"), texts, strict=True):
                err(paint(f"\n{name}  (pair {number} of {len(asked)})", bold=True))
                _say_text(text)
            err(paint(f"\n{safe(question)}", bold=True))
            choices = click.Choice([*ANSWERS])
            better = click.prompt(
                "1 = the first, 2 = the second, t = a tie", type=choices, err=True, show_choices=False
            )
            reason = click.prompt("Why (optional; Return leaves it out)", default="", show_default=False, err=True)
            judge_by_hand(folder, person, one, ANSWERS[better], reason)
            done += 1
    return JudgedByHand(person, done, len(asked) - done)


def _show_done(done: JudgedByHand) -> None:
    more = ": the same command goes on" if done.left else ""
    out()
    out(safe(f"{done.judge}: {counted(done.judged, 'pair')} judged, {done.left} left{more}"))


def _say_text(text: str) -> None:
    for line in wrapped(text, 2):
        err(line)


def show_made(made: PairsMade) -> None:
    """Print what pairs were made, and how to have them judged."""
    verb = "made" if made.new else "made already"
    out(safe(f"{made.folder}: {counted(made.pairs, 'pair')} {verb}, of {made.items} × {made.what}"))
    if made.identical:
        out(safe(f"{counted(made.identical, 'pair')} left out: both texts are the same"))
    out(safe(f"conditions: {', '.join(made.conditions)}; judges do not see these names"))
    out("key.json says which is which: do not open it before judging.")
    out(safe(f"Have them judged:  gm judge {made.folder} --judge MODEL   or by hand:  --as NAME, --page"), whole=True)


def _show_judged(judged: JudgingResult) -> None:
    judges = ", ".join(judged.judges) or "nobody yet"
    out(safe(f"{counted(judged.pairs, 'pair')}, {counted(judged.verdicts, 'verdict')}; judges: {judges}"))
    if judged.ranking:
        wide = max(len("condition"), *(len(safe(one.condition)) for one in judged.ranking))
        out()
        out(f"{'condition':<{wide}}    won  strength         95 %        verdicts", whole=True)
        for one in judged.ranking:
            span = "no evidence" if one.low is None or one.high is None else f"{one.low:+.2f} … {one.high:+.2f}"
            strength = "–" if one.strength is None else f"{one.strength:+.2f}"
            row = f"{safe(one.condition):<{wide}}  {one.won:>5.0%}  {strength:>8}  {span:^17}  {one.verdicts:>8}"
            out(row, whole=True)
        out()
        out(f"agreement between judges (Krippendorff's alpha): {_figure(judged.agreement, '.2f')}")
        out(f"same verdict in both orders: {_figure(judged.both_orders, '.0%')}")
        out(f"the longer text won: {_figure(judged.longer_won, '.0%')}")
        out(f"pairs needed for a preference as strong: {_figure(judged.pairs_needed, 'd')}")
        out(
            "won: a tie counts half. strength: Bradley–Terry, logits, mean 0, one tie added for each two conditions; "
            "95 %: bootstrap over items, or runs if there are several, 1000 draws, from 5 on."
        )
    if judged.notes:
        heading("What cannot be concluded", "cyan")
        for note in judged.notes:
            paragraph(note, 4, "  - ")


def _figure(value: float | None, form: str) -> str:
    return "no evidence" if value is None else format(value, form)
