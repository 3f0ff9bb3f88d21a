"""``gm scene`` and ``gm reflect``: one scene now."""

from __future__ import annotations

import click

from gm.cli import complete
from gm.cli.options import examples, json_option, model_options, split_names, world_option
from gm.cli.terminal import out_json
from gm.store.layout import Layout


@click.command(
    epilog=examples('gm scene encounter --with A,B --topic "the tower"', "gm scene work --with A --tags tower")
)
@click.argument("kind", metavar="TYPE", shell_complete=complete.scene_types)
@world_option
@click.option(
    "--with",
    "cast",
    metavar="A,B",
    multiple=True,
    help="Who takes part; the first one starts. Default: all.",
    shell_complete=complete.agent_lists,
)
@click.option("--topic", default="", help="What it is about.")
@click.option("--location", "place", default="", help="Where it happens.", shell_complete=complete.places)
@click.option(
    "--tags",
    metavar="A,B",
    multiple=True,
    help="Focus: memories that carry one of these tags stand in place of the recent ones.",
)
@model_options
@json_option
def scene(
    layout: Layout,
    kind: str,
    cast: tuple[str, ...],
    topic: str,
    place: str,
    tags: tuple[str, ...],
    model: str | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Play one scene of TYPE now (encounter, work, meeting, event, …).

    It becomes part of the open day; when no day is open, the next one is opened for it and stays open.
    """
    from gm.cli.show import DayView
    from gm.day.run import game_master
    from gm.scene.requested_scene import SceneWish
    from gm.tools.mind.minds import SceneMinds
    from gm.tools.models import choose_for

    view = DayView(quiet=as_json)
    choice = choose_for(layout, model, view.notice)
    view.chosen(choice)
    with view, game_master(layout, choice, view, command="gm scene", seed=seed, minds=SceneMinds) as master:
        change = master.play_wish(SceneWish(kind, split_names(cast), topic, place, split_names(tags)))
    if as_json:
        out_json(change.log)


@click.command()
@click.argument("agent", shell_complete=complete.agents)
@world_option
@model_options
@json_option
def reflect(layout: Layout, agent: str, model: str | None, seed: int | None, as_json: bool) -> None:
    """Let AGENT reflect now, whether or not it is due.

    It becomes part of the open day; when no day is open, the next one is opened for it and stays open.
    """
    from gm.cli.show import DayView
    from gm.day.run import game_master
    from gm.scene.requested_scene import SceneWish
    from gm.tools.mind.minds import SceneMinds
    from gm.tools.models import choose_for

    view = DayView(quiet=as_json)
    choice = choose_for(layout, model, view.notice)
    view.chosen(choice)
    with view, game_master(layout, choice, view, command="gm reflect", seed=seed, minds=SceneMinds) as master:
        change = master.play_wish(SceneWish("reflection", (agent,)))
    if as_json:
        out_json(change.log)
