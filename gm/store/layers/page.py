"""Read and write ``state/working/<name>.yaml``: the page of the running day."""

from __future__ import annotations

from gm.errors import Problem
from gm.model.page import Page, PageChange
from gm.store.commits.steps import Step
from gm.store.layers.mindfile import mapping_step, read_mind_file
from gm.store.layout import Layout


def load_page(layout: Layout, name: str) -> tuple[Page, list[Problem]]:
    """Read a page with all its keys, whatever they hold."""
    data, present, problems = read_mind_file(layout, layout.working(name))
    return Page(data, present), problems


def page_steps(layout: Layout, name: str, change: PageChange) -> list[Step]:
    """List the steps that change keys of a page; everything else stays to the byte.

    Raises:
        GmError: The file is not such that single values can be changed in it.
    """
    path = layout.working(name)
    data, _, _ = read_mind_file(layout, path)
    old = {key: data[key] for key in (*change.new, *change.gone) if key in data}
    return [mapping_step(layout, path, old, change.new)] if old or change.new else []
