"""Parts that other packages add to gm by entry points.

No package replaces a built-in part. A world holds names, never modules or paths: it runs only what its user installed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from gm.base.errors import GmError
from gm.base.texts import clip, one_line

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# Groups of entry points; docs/how-to/plug-in.md says what each must be.
BACKENDS = "gm.backends"
STRATEGIES = "gm.strategies"
EMBEDDERS = "gm.embedders"
SOURCES = "gm.sources"
DIRECTORS = "gm.directors"
_ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    BACKENDS: ("name", "model", "reads_facts", "ask"),
    EMBEDDERS: ("batch", "where", "embed"),
    SOURCES: ("type", "cast", "place", "reasons"),
    STRATEGIES: ("columns", "scores"),
    "ask": ("text", "usage", "kept"),
}
"""Attributes that a part of each group must have, and those of what ``ask`` returns."""
Made = TypeVar("Made")


class PluginError(GmError):
    """A plugin cannot be used."""


def plugin_names(group: str) -> tuple[str, ...]:
    """Return the names that installed packages add to a group, sorted."""
    return tuple(sorted({*_entries(group), *(name for in_group, name in _added if in_group == group)}))


def load_plugin(group: str, name: str) -> Callable[..., Any] | None:
    """Return a part by name; None without one.

    Raises:
        PluginError: It cannot be imported, or two packages add it. The part raises one where it fails.
    """
    if (group, name) in _added:
        return _added[group, name]
    found = _entries(group).get(name, ())
    if not found:
        return None
    packages = ", ".join(sorted({entry.dist.name if entry.dist else entry.module for entry in found}))
    if len(found) > 1:
        raise PluginError(f"{packages} all add {name!r} to {group}", "remove all but one: pip uninstall NAME")
    run = partial(_run, f"{name!r}, which {packages} adds to {group},", packages)
    return partial(run, "failed", partial(_call_part, run, group, run("cannot be loaded", found[0].load)))


def call(method: Callable[..., Made], *given: object) -> Made:
    """Call a method of a backend or an embedder.

    Raises:
        PluginError: That of another package fails.
    """
    run = next((run for part, run in _made.copy() if part is getattr(method, "__self__", None)), None)
    if run is None:
        return method(*given)
    return cast("Made", run("failed", lambda: _require(method.__name__, method(*given))))


def _run(what: str, packages: str, fails: str, function: Callable[..., Any], *given: object) -> Any:
    try:
        return function(*given)
    except GmError:
        raise
    except (Exception, SystemExit) as error:  # the code of another package may raise anything
        raise PluginError(
            f"{what} {fails}: {type(error).__name__}: {clip(one_line(str(error)), 300)}",
            f"update the package, or remove it: pip uninstall {packages}; docs/how-to/plug-in.md says how it is made",
        ) from error


def _call_part(run: Callable[..., Any], group: str, part: Callable[..., Any], *given: object) -> Any:
    made = part(*given)
    if group in (BACKENDS, EMBEDDERS):
        _made.append((_require(group, made), run))
    elif group == SOURCES:
        made = [_require(group, item) for item in made]
    elif group == STRATEGIES and made is not None:
        ranked, notices = made
        made = [_require(group, item) for item in ranked], tuple(notices)
    return made


def _require(what: str, made: Made) -> Made:
    for name in _ATTRIBUTES.get(what, ()):
        getattr(made, name)
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
_made: deque[tuple[object, Callable[..., Any]]] = deque(maxlen=100)
"""Backends and embedders of other packages that were made last, and what names their package where one fails."""


@cache
def _entries(group: str) -> dict[str, tuple[EntryPoint, ...]]:
    from importlib.metadata import entry_points  # slow to import, and built-in names never need it

    found: dict[str, tuple[EntryPoint, ...]] = {}
    for entry in entry_points(group=group):
        found[entry.name] = (*found.get(entry.name, ()), entry)
    return found
