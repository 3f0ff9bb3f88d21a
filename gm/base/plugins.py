"""Parts that other packages add to gm by entry points.

No package replaces a built-in part. A world holds names, never modules or paths: it runs only what its user installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from gm.base.errors import GmError
from gm.base.texts import one_line

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

BACKENDS = "gm.backends"
STRATEGIES = "gm.strategies"
EMBEDDERS = "gm.embedders"
SOURCES = "gm.sources"
DIRECTORS = "gm.directors"
"""These are groups of entry points; docs/reference/plugins.md says what each must be."""


class PluginError(GmError):
    """A plugin cannot be used."""


def plugin_names(group: str) -> tuple[str, ...]:
    """Return the names that installed packages add to a group, sorted."""
    return tuple(sorted({*_entries(group), *(name for in_group, name in _added if in_group == group)}))


def load_plugin(group: str, name: str) -> Callable[..., Any] | None:
    """Return a part by name; None without one.

    Raises:
        PluginError: It cannot be imported or called, or two packages add it.
    """
    if (group, name) in _added:
        return _added[group, name]
    found = _entries(group).get(name, ())
    if not found:
        return None
    packages = ", ".join(sorted({entry.dist.name if entry.dist else entry.module for entry in found}))
    if len(found) > 1:
        raise PluginError(f"{packages} all add {name!r} to {group}", "remove all but one: pip uninstall NAME")
    try:
        part = found[0].load()
    except Exception as error:  # the code of another package may raise anything
        raise PluginError(
            f"{name!r}, which {packages} adds to {group}, cannot be loaded: {one_line(str(error))}",
            f"update the package, or remove it: pip uninstall {packages}",
        ) from error
    if not callable(part):
        raise PluginError(
            f"{name!r}, which {packages} adds to {group}, cannot be called",
            "docs/reference/plugins.md says how it is made",
        )
    made: Callable[..., Any] = part
    return made


@contextmanager
def added(group: str, name: str, part: Callable[..., Any]) -> Iterator[None]:
    """Add a part within a block, for tests and notebooks."""
    _added[group, name] = part
    try:
        yield
    finally:
        del _added[group, name]


_added: dict[tuple[str, str], Callable[..., Any]] = {}


@cache
def _entries(group: str) -> dict[str, tuple[EntryPoint, ...]]:
    from importlib.metadata import entry_points  # slow to import, and built-in names never need it

    found: dict[str, tuple[EntryPoint, ...]] = {}
    for entry in entry_points(group=group):
        found[entry.name] = (*found.get(entry.name, ()), entry)
    return found
