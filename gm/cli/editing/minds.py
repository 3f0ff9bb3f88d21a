"""``gm mind soul`` and ``gm mind working``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from gm.base.errors import UsageError
from gm.base.untyped import as_list
from gm.cli import options
from gm.cli.commands import CommandGroup, Output, read_world, some_agent
from gm.cli.terminal import err, out, safe
from gm.files.layout import Layout
from gm.layers.soul import SOUL_KINDS

if TYPE_CHECKING:
    from gm.api.editing.layers import AgentPage, Pages, PageWritten, Souls, SoulWritten


@click.group(cls=CommandGroup)
def soul() -> None:
    """Show and change souls: beliefs, values, fears and convictions.

    A soul is a file, state/souls/<name>.yaml: beliefs, values, fears, convictions, a list of sentences each. It stands
    right behind the persona in every prompt, whole, and nothing ever summarises or archives it. Characters change it
    themselves, rarely. Switch it with soul: auto|on|off in gm.yaml; auto means on as soon as a character has a soul.
    """


@soul.command("show")
@options.agents
def show_souls(layout: Layout, agents: tuple[str, ...]) -> Output:
    """Show AGENT's soul, or all souls, with numbered sentences."""
    from gm.api.editing.layers import describe_souls

    return Output(partial(_show_souls, layout, bool(agents)), describe_souls(layout, read_world(layout), agents))


def _show_souls(layout: Layout, named: bool, found: Souls) -> None:
    for item in found.souls:
        if item.entries or named:
            out(click.style(safe(item.agent), bold=True) + ("" if item.entries else ": nothing is written down"))
        for entry in item.entries:
            out(safe(f"  {entry.number:>2} {entry.kind}: {entry.text}"))
    if not named and not any(item.entries for item in found.souls):
        out(safe(f'No character has a soul yet: gm mind soul add {some_agent(layout)} "…" --kind belief'))
    elif not found.on:
        err("Souls are switched off (soul: in gm.yaml): no prompt shows them.")


@soul.command("add")
@options.agent
@click.argument("texts", nargs=-1, required=True, metavar="TEXT")
@click.option(
    "--kind", type=click.Choice(tuple(SOUL_KINDS)), default="belief", show_default=True, help="Kind of sentence."
)
def add_sentence(layout: Layout, agent: str, texts: tuple[str, ...], kind: str) -> Output:
    """Add a sentence to AGENT's soul."""
    from gm.api.editing.layers import add_soul_entry

    if len(texts) > 1:
        meant = next((name for name, key in SOUL_KINDS.items() if texts[0] in (name, key)), kind)
        raise UsageError(
            f"found {len(texts)} texts, expected one sentence",
            f'put it in quotes, and say its kind by an option: gm mind soul add {agent} "…" --kind {meant}',
        )
    return Output(_show_sentences, *add_soul_entry(layout, agent, kind, texts[0]))


@soul.command("remove")
@options.agent
@click.argument("which", metavar="NUMBER|TEXT")
def remove_sentence(layout: Layout, agent: str, which: str) -> Output:
    """Remove a sentence from AGENT's soul, by its number in gm mind soul show or by its words."""
    from gm.api.editing.layers import remove_soul_entry

    return Output(_show_sentences, *remove_soul_entry(layout, agent, which))


def _show_sentences(written: SoulWritten) -> None:
    for sign, entries in (("+", written.added), ("-", written.removed)):
        for entry in entries:
            out(safe(f"{written.agent} {sign} {entry.kind}: {entry.text}"))


@click.group(cls=CommandGroup)
def working() -> None:
    """Show and change the pages of working memory.

    A page is a file, state/working/<name>.yaml: current_subgoal, known, recent_insights, and what else is put there.
    Its owner sees it in every scene and may write it anew. In the evening lines that begin with LESSON: or STRATEGY:
    become memories; the rest stays. Switch it with working: {enabled: auto|on|off} in gm.yaml.
    """


@working.command("show")
@options.agents
def show_pages(layout: Layout, agents: tuple[str, ...]) -> Output:
    """Show AGENT's page, or all pages."""
    from gm.api.editing.layers import describe_pages

    return Output(partial(_show_pages, layout, bool(agents)), describe_pages(layout, read_world(layout), agents))


def _show_pages(layout: Layout, named: bool, found: Pages) -> None:
    for item in found.pages:
        if item.page or named:
            _show_page(item)
    if not named and not any(item.page for item in found.pages):
        out(safe(f'No character has a page yet: gm mind working set {some_agent(layout)} current_subgoal "…"'))
    elif not found.on:
        err("Working memory is switched off (working.enabled in gm.yaml): no prompt shows it.")


@working.command("set")
@options.agent
@click.argument("key")
@click.argument("texts", nargs=-1, required=True, metavar="TEXT…")
@click.option("--add", is_flag=True, help="Append to the key instead of replacing it.")
def set_key(layout: Layout, agent: str, key: str, texts: tuple[str, ...], add: bool) -> Output:
    """Write one or more TEXTs under KEY on AGENT's page: current_subgoal, known, recent_insights, or any other."""
    from gm.api.editing.layers import set_on_page

    return Output(_show_page, *set_on_page(layout, agent, key, texts, add=add))


@working.command("clear")
@options.agent
@click.argument("key", required=False)
def clear_key(layout: Layout, agent: str, key: str | None) -> Output:
    """Remove KEY from AGENT's page, or clear the page."""
    from gm.api.editing.layers import clear_of_page

    return Output(_show_page, *clear_of_page(layout, agent, key))


def _show_page(item: AgentPage | PageWritten) -> None:
    out(click.style(safe(item.agent), bold=True) + ("" if item.page else ": an empty page"))
    for key, value in item.page.items():
        for text in as_list(value):
            out(safe(f"  {key}: {text}"))
