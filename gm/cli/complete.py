"""Completion of values that only the world knows: names, memories, days, works, models.

Each is the ``type=`` of an argument or option. They read little, import less, and offer nothing on errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gm.base.errors import GmError
from gm.base.plugins import plugin_names
from gm.cli.world import named_world
from gm.files.layout import Layout, find_world

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Source = Callable[[Layout | None, str], Iterable[str]]

MOST_IDS = 40


class CompletedText(click.types.StringParamType):
    """A text completed from the world.

    Args:
        source: Gives values for a world (None = none found) and what has been typed.
        name: Name in the help.
        listed: Several values, separated by commas; the last is completed.
    """

    def __init__(self, source: Source, name: str = "text", *, listed: bool = False) -> None:
        self._source, self.name, self._listed = source, name, listed

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        before, comma, last = incomplete.rpartition(",") if self._listed else ("", "", incomplete)
        with suppress(GmError, OSError, ValueError):
            values = self._source(_world(ctx), last)
            return [CompletionItem(f"{before}{comma}{value}") for value in values if value.startswith(last)]
        return []


class OneOfOrAdded(click.Choice[str]):
    """One of some words, or the name of an installed plugin."""

    def __init__(self, choices: Sequence[str], group: str) -> None:
        super().__init__(choices)
        self._group = group

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        known = value in self.choices or value not in plugin_names(self._group)
        return super().convert(value, param, ctx) if known else value


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
    from gm.files.completion_names import newest_ids

    return newest_ids(layout, typed, MOST_IDS) if layout else ()


def _works(layout: Layout | None, _typed: str) -> Iterable[str]:
    from gm.files.completion_names import gallery_files

    return gallery_files(layout) if layout else ()


def _nodes_and_works(layout: Layout | None, typed: str) -> Iterable[str]:
    yield from _nodes(layout, typed)
    if "gallery/".startswith(typed[:8]):
        yield from _works(layout, typed)


def _agents_and_nodes(layout: Layout | None, typed: str) -> Iterable[str]:
    yield from _agents(layout, typed)
    yield from _nodes(layout, typed)


def _thread_names(layout: Layout | None, _typed: str) -> Iterable[str]:
    from gm.files.completion_names import thread_ids

    return thread_ids(layout, MOST_IDS) if layout else ()


def _numbers(layout: Layout | None, _typed: str) -> Iterable[str]:
    return map(str, reversed(layout.logged_days())) if layout else ()


def _day_names(layout: Layout | None, _typed: str) -> Iterable[str]:
    from gm.model.calendar import render_day

    return [render_day(day) for day in reversed(layout.logged_days())] if layout else ()


def _scene_types(layout: Layout | None, _typed: str) -> Iterable[str]:
    from gm.files.completion_names import scene_type_names

    return scene_type_names(layout)


def _place_names(layout: Layout | None, _typed: str) -> Iterable[str]:
    from gm.files.story.now import load_settings

    return load_settings(layout)[0].places if layout else ()


def _models(layout: Layout | None, _typed: str) -> Iterable[str]:
    from gm.files.story.now import load_settings
    from gm.llm.prices import FREE_BACKENDS, read_published

    found = ["auto", *FREE_BACKENDS]
    if layout:
        settings = load_settings(layout)[0]
        found += [settings.llm.model, *settings.models.by_purpose().values(), *settings.prices]
    chat = (f"{name}:{model}" for name, models in read_published()["chat"]["models"].items() for model in models)
    return dict.fromkeys([*found, *read_published()["models"], *chat])


def _setting_names(_layout: Layout | None, _typed: str) -> Iterable[str]:
    from gm.base.config.manual import all_settings

    return [entry.name for entry in all_settings()]


def _templates(_layout: Layout | None, _typed: str) -> Iterable[str]:
    from gm.files.packaged.shipped import shipped_worlds

    return shipped_worlds()


def _strategies(_layout: Layout | None, _typed: str) -> Iterable[str]:
    from gm.base import plugins
    from gm.base.config.recall import STRATEGIES

    return (*STRATEGIES, *plugin_names(plugins.STRATEGIES))


ANY = CompletedText(lambda _layout, _typed: (), "a,b")
AGENT = CompletedText(_agents, "name")
AGENTS = CompletedText(_agents, "a,b", listed=True)
NODE = CompletedText(_nodes)
NODES = CompletedText(_nodes, "id,id", listed=True)
NODE_OR_WORK = CompletedText(_nodes_and_works)
AGENT_OR_NODE = CompletedText(_agents_and_nodes)
WORK = CompletedText(_works)
THREAD = CompletedText(_thread_names)
DAY = CompletedText(_day_names)
DAY_NUMBER = CompletedText(_numbers, "n")
SCENE_TYPE = CompletedText(_scene_types)
PLACE = CompletedText(_place_names)
MODEL = CompletedText(_models, "name")
SETTING = CompletedText(_setting_names)
TEMPLATE = CompletedText(_templates, "name")
STRATEGY = CompletedText(_strategies, "name")
