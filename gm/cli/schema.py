"""``gm schema``: which keys the files of a world have, as JSON Schema."""

from __future__ import annotations

import click

from gm.api.schema import PLACES, describe_schema
from gm.cli.options import examples
from gm.cli.terminal import out, out_json


@click.command(epilog=examples("gm schema", "gm schema memory"))
@click.argument("record", required=False, type=click.Choice(list(PLACES)), metavar="[RECORD]")
def schema(record: str | None) -> None:
    """Print the JSON Schema of a RECORD, for editors and other programs; without one, list the records."""
    if record is not None:
        out_json(describe_schema(record))
        return
    for name, place in PLACES.items():
        out(f"{name:<14}{place}")
