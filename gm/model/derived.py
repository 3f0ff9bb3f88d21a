"""What is computed once from a frozen value, and kept with it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
DerivedValues = dict[Hashable, object]
"""What ``derived`` functions have found in one value."""


class Keeper(Protocol):
    """A frozen value that keeps what is derived from it: a world, or a character, which outlives many worlds."""

    @property
    def known(self) -> DerivedValues: ...


K = TypeVar("K", bound=Keeper)


def derived(function: Callable[Concatenate[K, P], T]) -> Callable[Concatenate[K, P], T]:
    """Keep what a function finds in a value with that value, so that it is computed once.

    The function takes the value and hashable arguments; what it returns must not be changed.
    """

    @wraps(function)
    def find(value: K, /, *args: P.args, **kwargs: P.kwargs) -> T:
        key = (find, *args, *kwargs.items()) if args or kwargs else find
        known = value.known
        found = known.get(key, known)  # never a value of its own
        if found is known:
            found = known[key] = function(value, *args, **kwargs)
        return found  # type: ignore[return-value]  # what the function has returned

    return find
