"""Tokens of a first scene with ``prompts: short``, against the default prompts, in both worlds."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from bench.table import Row
from gm.api.playing.context import ContextOptions, describe_context
from gm.api.worlds.create import create_world
from gm.files.load import load_world

AIM = 0.75


def run() -> tuple[Row, ...]:
    """Assemble the first prompt of the first character with either set of prompts."""
    return tuple(map(_row, ("dinner", "studio")))


def _row(template: str) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        layout = create_world(Path(folder) / template, template)
        world = load_world(layout).world
        full, short = (
            describe_context(
                layout,
                replace(world, settings=replace(world.settings, prompts=chosen)),
                min(world.agents),
                ContextOptions(),
            )
            for chosen in ("full", "short")
        )
    for before, after in zip(full.sections, short.sections, strict=True):
        print(f"{template} {before.name:10} {before.tokens:>6,} {after.tokens:>6,}")
    what = f"short prompts, first scene of the {template}"
    return Row(what, f"{short.tokens:,} tokens", f"{full.tokens:,} tokens", short.tokens / full.tokens, AIM)


if __name__ == "__main__":
    run()
