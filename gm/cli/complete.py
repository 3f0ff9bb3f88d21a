"""What the Tab key offers for values that only the world knows: names, memories, days, works, models.

Each function is given to ``shell_complete=`` of an argument or option. They read little and import less; what goes
wrong offers nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gm.base.errors import GmError
from gm.cli.world import named_world
from gm.files.layout import Layout, find_world

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Offer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]
Source = Callable[[Layout | None, str], Iterable[str]]

MOST_IDS = 40


def _offering(source: Source, *, listed: bool = False) -> Offer:
    """Make a completion out of a source of values.

    Args:
        source: Gives values for a world (None = there is none) and what has been typed.
        listed: Several values with commas between them: the last one is completed.
    """

    def offer(context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        before, comma, last = typed.rpartition(",") if listed else ("", "", typed)
        with suppress(GmError, OSError, ValueError):
            values = source(_world(context), last)
            return [CompletionItem(f"{before}{comma}{value}") for value in values if value.startswith(last)]
        return []

    return offer


def _world(context: click.Context) -> Layout | None:
    found = context.params.get("layout")
    if isinstance(found, Layout):
        return found
    named = named_world(context)
    with suppress(GmError):
        return find_world(Path(named or "."), named=named is not None)
    return None


def _agents(layout: Layout | None, _typed: str) -> Iterable[str]:
    return layout.agent_names() if layout else ()


def _nodes(layout: Layout | None, typed: str) -> Iterable[str]:
    from gm.files.glance import newest_ids

    return newest_ids(layout, typed, MOST_IDS) if layout else ()


def _works(layout: Layout | None, _typed: str) -> Iterable[str]:
    from gm.files.glance import gallery_files

    return gallery_files(layout) if layout else ()


def _nodes_and_works(layout: Layout | None, typed: str) -> Iterable[str]:
    yield from _nodes(layout, typed)
    if "gallery/".startswith(typed[:8]):
        yield from _works(layout, typed)


def _agents_and_nodes(layout: Layout | None, typed: str) -> Iterable[str]:
    yield from _agents(layout, typed)
    yield from _nodes(layout, typed)


def _threads(layout: Layout | None, _typed: str) -> Iterable[str]:
    from gm.files.glance import thread_ids

    return thread_ids(layout, MOST_IDS) if layout else ()


def _numbers(layout: Layout | None, _typed: str) -> Iterable[str]:
    return map(str, reversed(layout.logged_days())) if layout else ()


def _days(layout: Layout | None, _typed: str) -> Iterable[str]:
    from gm.model.calendar import render_day

    return [render_day(day) for day in reversed(layout.logged_days())] if layout else ()


def _scene_types(layout: Layout | None, _typed: str) -> Iterable[str]:
    from gm.files.glance import scene_type_names

    return scene_type_names(layout)


def _places(layout: Layout | None, _typed: str) -> Iterable[str]:
    from gm.files.now import load_settings

    return load_settings(layout)[0].places if layout else ()


def _models(layout: Layout | None, _typed: str) -> Iterable[str]:
    from gm.files.now import load_settings
    from gm.llm.prices import FREE_BACKENDS, published

    found = ["auto", *FREE_BACKENDS]
    if layout:
        settings = load_settings(layout)[0]
        found += [settings.llm.model, *settings.models.by_purpose().values(), *settings.prices]
    return dict.fromkeys([*found, *published()["models"]])


def _setting_names(_layout: Layout | None, _typed: str) -> Iterable[str]:
    from gm.base.config.manual import all_settings

    return [entry.name for entry in all_settings()]


def _templates(_layout: Layout | None, _typed: str) -> Iterable[str]:
    from gm.files.shipped import shipped_worlds

    return shipped_worlds()


def _strategies(_layout: Layout | None, _typed: str) -> Iterable[str]:
    from gm.base.config import STRATEGIES

    return STRATEGIES


agents = _offering(_agents)
agent_lists = _offering(_agents, listed=True)
nodes = _offering(_nodes)
node_lists = _offering(_nodes, listed=True)
nodes_and_works = _offering(_nodes_and_works)
agents_and_nodes = _offering(_agents_and_nodes)
works = _offering(_works)
threads = _offering(_threads)
day_numbers = _offering(_numbers)
days = _offering(_days)
scene_types = _offering(_scene_types)
places = _offering(_places)
models = _offering(_models)
setting_names = _offering(_setting_names)
templates = _offering(_templates)
strategies = _offering(_strategies)
