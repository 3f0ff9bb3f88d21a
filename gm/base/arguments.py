"""Arguments of public functions, and fields of public options, checked by the types that they are declared with."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, wraps
from inspect import Parameter, signature
from math import isfinite
from numbers import Real
from reprlib import repr as short
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Literal, TypeVar, Union, Unpack, get_args, get_origin, get_type_hints
from warnings import warn

from gm.base.errors import UsageError, say_unexpected
from gm.base.texts import suggest, suggest_close

Function = TypeVar("Function", bound=Callable[..., Any])
RENAMED: Mapping[str, tuple[str, str]] = {"most_usd": ("max_usd", "0.3.0")}
"""Old names of arguments: the new one, and the version that no longer takes the old one."""
_UNFIT = object()
_WORDS: Mapping[object, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    NoneType: "None",
    "Callable": "a function",
    "Mapping": "a mapping",
    "PathLike": "a path",
}
_PLAIN = (str, bytes, int, float, NoneType, tuple, list, Mapping)
_WAYS = {
    "Layout": "gm.open_world(FOLDER).layout is one",
    "World": "gm.open_world(FOLDER).world is one",
    "OpenWorld": "gm.open_world(FOLDER) is one",
    "SceneRef": 'gm.parse_moment("day-003/scene-04") is one',
}
"""How to come by what cannot be written down."""


class _WrongArgumentError(UsageError):
    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


class WrongTypeError(_WrongArgumentError, TypeError):
    """An argument has another type than declared, or is unknown."""


class WrongValueError(_WrongArgumentError, ValueError):
    """An argument has a value that it cannot have."""


def checked(function: Function) -> Function:
    """Check the arguments of a function, ``**options`` of a ``TypedDict`` too, whenever it is called.

    What ``operator.index`` takes arrives as an ``int``, other collections as a tuple where one is declared. Of a
    mapping and of what is called only the kind is checked, of a class that it is an instance.

    Raises:
        WrongTypeError: When called: another type than declared, or an unknown option.
        WrongValueError: When called: none of the words that are declared.
    """

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        declared = _declared(function)
        for name in [name for name in named if name not in declared]:
            new, gone_in = RENAMED.get(name, ("", ""))
            if new not in declared:
                raise WrongTypeError(f"{function.__name__} takes no {name!r}", suggest(name, declared))
            warn(f"{name} is now {new}; the old name goes with version {gone_in}", DeprecationWarning, stacklevel=2)
            named[new] = named.pop(name)
        bound = signature(function).bind(*given, **named)
        for name, value in bound.arguments.items():
            if name in declared:
                bound.arguments[name] = fit(name, value, declared[name])
            else:
                value.update({key: fit(key, item, declared[key]) for key, item in value.items()})
        return function(*bound.args, **bound.kwargs)

    call.__module__ = "gm"  # where it is found, so that it can be pickled
    return call  # type: ignore[return-value]


def check_fields(value: Any, **least: int) -> None:
    """Check the fields of a frozen dataclass as ``checked`` checks arguments; for its ``__post_init__``.

    Args:
        least: The least number that a field may have.

    Raises:
        WrongTypeError: Another type than declared.
        WrongValueError: None of the words that are declared, or too small a number.
    """
    for name, hint in _fields(value.__class__).items():
        held = getattr(value, name)
        fitting = fit(name, held, hint)
        if fitting is not held:
            object.__setattr__(value, name, fitting)
        if name in least and fitting is not None and fitting < least[name]:
            raise WrongValueError(say_unexpected(name, str(fitting), f"a number from {least[name]}"))


def fit(name: str, value: object, hint: object) -> Any:
    """Return a value as its type has it; errors as for ``check_fields``."""
    found = _fit(value, hint)
    if found is _UNFIT:
        raise _explain(name, value, hint)
    return found


@cache
def _declared(function: Callable[..., Any]) -> dict[str, Any]:
    # what a function returns may be known to type checkers alone
    given = SimpleNamespace(__annotations__={k: v for k, v in function.__annotations__.items() if k != "return"})
    hints: dict[str, Any] = get_type_hints(given, vars(sys.modules[function.__module__]))
    for parameter in signature(function).parameters.values():
        if parameter.kind is Parameter.VAR_KEYWORD and get_origin(hints[parameter.name]) is Unpack:
            hints |= get_type_hints(get_args(hints.pop(parameter.name))[0])
    return hints


@cache
def _fields(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _fit(value: Any, hint: Any) -> Any:
    """Return ``_UNFIT`` for a value of another type."""
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if (item := _item_of(hint)) is not None and not (kind is Iterable and isinstance(value, Iterator)):
        return _fit_items(value, [item] * len(value)) if _is_many(value) else _UNFIT
    if kind in (Union, UnionType):
        return next((found for one in parts if (found := _fit(value, one)) is not _UNFIT), _UNFIT)
    if kind is tuple:
        return _fit_items(value, parts) if _is_many(value) and len(value) == len(parts) else _UNFIT
    is_bool, is_real = isinstance(value, bool), isinstance(value, Real)
    if kind is int and not is_bool and hasattr(value, "__index__"):
        return operator.index(value)
    if kind is float and not is_bool and is_real and isfinite(value):
        return value if isinstance(value, int | float) else float(value)
    return value if _is_of(value, kind, parts) else _UNFIT


def _fit_items(values: Collection[Any], hints: Iterable[Any]) -> Any:
    items = tuple(map(_fit, values, hints))
    return _UNFIT if any(one is _UNFIT for one in items) else items


def _is_many(value: object) -> bool:
    return isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping)


def _is_of(value: object, kind: Any, parts: tuple[Any, ...]) -> bool:
    if kind is Literal:
        return isinstance(value, str) and value in parts
    if getattr(kind, "_is_protocol", False) and not parts:
        return all(hasattr(value, name) for name in dir(kind) if not name.startswith("_"))
    if kind in (int, float):  # True is an int to Python, nan a float
        return False
    return kind in (Any, object) or not isinstance(kind, type) or isinstance(value, kind)


def _item_of(hint: object) -> Any:
    """Return the type of the items of a tuple or collection of any length; None for any other type."""
    kind, parts = get_origin(hint), get_args(hint)
    if kind is tuple:
        return parts[0] if parts[-1] is Ellipsis else None
    is_many = isinstance(kind, type) and issubclass(kind, Iterable) and not issubclass(kind, Mapping)
    return parts[0] if is_many and len(parts) == 1 else None


def _explain(name: str, value: Any, hint: Any) -> UsageError:
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    items = [item for kind in kinds if (item := _item_of(kind)) is not None]
    if items and _is_many(value):
        wrong = next(one for one in value if _fit(one, items[0]) is _UNFIT)
        return _explain(f"an item of {name}", wrong, items[0])
    found = short(value) if isinstance(value, _PLAIN) else f"of the type {type(value).__name__}"
    said = say_unexpected(name, found, _say_kind(hint))
    known = [word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)]
    if known and isinstance(value, str):
        return WrongValueError(said, suggest_close(value, known))
    way = next((_WAYS[name] for kind in kinds if (name := getattr(kind, "__name__", "")) in _WAYS), "")
    return WrongTypeError(said, f"write ({value!r},)" if items and isinstance(value, str) else way)


def _say_kind(hint: Any) -> str:
    if hint in _WORDS:
        return _WORDS[hint]
    kind, parts = get_origin(hint), get_args(hint)
    if kind is Literal:
        return " or ".join(map(repr, parts))
    if (item := _item_of(hint)) is not None:
        return f"a tuple with {_say_kind(item)} each"
    if kind is tuple:
        return f"({', '.join(map(_say_kind, parts))})"
    if kind in (Union, UnionType):
        return " or ".join(map(_say_kind, parts))
    named: str = getattr(kind or hint, "__name__", str(hint))
    return _WORDS.get(named) or ("gm." if getattr(hint, "__module__", "").startswith("gm.") else "") + named
