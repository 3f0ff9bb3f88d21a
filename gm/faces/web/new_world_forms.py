"""The ways to make a world on a page: of one that gm brings along, or of a person's own words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gm.api.views.worlds import Make
from gm.api.worlds.create import create_world, describe_templates
from gm.api.worlds.new import Sketch, new_world, read_named
from gm.base.errors import UsageError
from gm.faces.web.fields import Fields


@dataclass(frozen=True, slots=True)
class Way:
    """A way to make a world: a form with its fields; ``read`` returns the maker and a name for the folder."""

    name: str
    fields: Fields
    read: Callable[[Fields], tuple[Make, str]]


def _read_template(fields: Fields) -> tuple[Make, str]:
    known = {each.key: each for each in describe_templates()}
    chosen = known.get(fields["template"])
    if chosen is None:
        raise UsageError("choose one of the worlds")
    return (lambda folder: create_world(folder, chosen.template, days=chosen.days)), chosen.template


def _read_own(fields: Fields) -> tuple[Make, str]:
    title, premise, brief = (fields[name].strip() for name in ("title", "premise", "brief"))
    places, people = (
        tuple(read_named(line, what) for line in fields[name].splitlines() if line.strip())
        for name, what in (("places", "place"), ("people", "character"))
    )
    sketch = Sketch(fields["language"], title, premise, brief, places, people)
    return (lambda folder: new_world(folder, sketch)), title


WAYS = (
    Way("template", {"template": "", "folder": ""}, _read_template),
    Way(
        "own",
        {"title": "", "premise": "", "people": "", "places": "", "brief": "", "language": "", "folder": ""},
        _read_own,
    ),
)
