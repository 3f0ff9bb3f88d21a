"""Arguments of public functions and fields of options, checked by their types."""

import pickle
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Protocol, TypedDict, Unpack

import numpy
import pytest

import gm
from gm.base.arguments import WrongTypeError, WrongValueError, check_fields, checked, fit
from gm.base.errors import UsageError

Kind = Literal["plans", "memory"]


class Speaker(Protocol):
    @property
    def voice(self) -> str: ...


@dataclass(frozen=True)
class Loud:
    voice: str = "loud"


class Extras(TypedDict, total=False):
    seed: int | None
    max_usd: float | None


@dataclass(frozen=True, slots=True)
class Wanted:
    kinds: tuple[Kind, ...] = ()
    most: int = 0

    def __post_init__(self) -> None:
        check_fields(self)


@checked
def play(days: int, names: Sequence[str] = (), **extras: Unpack[Extras]) -> tuple[int, Sequence[str], Extras]:
    return days, names, extras


@pytest.mark.parametrize(
    ("hint", "value", "fitting"),
    [
        (int, numpy.int64(5), 5),
        (int | None, None, None),
        (float, 1, 1),
        (float, numpy.float32(0.5), 0.5),
        (bool, True, True),
        (Kind, "plans", "plans"),
        (tuple[str, ...], ["a", "b"], ("a", "b")),
        (tuple[int, int] | None, [1, 2], (1, 2)),
        (Sequence[str], {"a": 1}.keys(), ("a",)),
        (Collection[Kind], ("plans",), ("plans",)),
        (str | PathLike[str], Path("a"), Path("a")),
        (Mapping[str, int], {"a": 1}, {"a": 1}),
        (Callable[[str], None] | None, print, print),
        (Speaker | str, Loud(), Loud()),
        (Any, 3, 3),
        (object, "x", "x"),
    ],
)
def test_a_value_arrives_as_its_type_has_it(hint: object, value: object, fitting: object) -> None:
    found = fit("it", value, hint)
    assert (found, type(found)) == (fitting, type(fitting))


def test_what_can_be_read_once_is_not_read() -> None:
    once = iter(["a"])
    assert fit("people", once, Iterable[str]) is once


@pytest.mark.parametrize(
    ("hint", "value", "said"),
    [
        (int, True, "it is True, expected a whole number"),
        (int, 1.5, "it is 1.5, expected a whole number"),
        (int | None, "1", "it is '1', expected a whole number or None"),
        (float, "1", "it is '1', expected a number"),
        (float, float("nan"), "it is nan, expected a number"),
        (bool, "no", "it is 'no', expected True or False"),
        (tuple[str, ...], "abc", "it is 'abc', expected a tuple with a text each; write ('abc',)"),
        (tuple[str, ...], (1,), "an item of it is 1, expected a text"),
        (tuple[int, int], (1,), "it is (1,), expected (a whole number, a whole number)"),
        (tuple[int, int], (1, "2"), "it is (1, '2'), expected (a whole number, a whole number)"),
        (str | PathLike[str], 3, "it is 3, expected a text or a path"),
        (Callable[[], None], 3, "it is 3, expected a function"),
        (Mapping[str, int] | tuple[int | str, ...], 3, "it is 3, expected a mapping or a tuple with a whole number or"),
        (Speaker | None, 3, "it is 3, expected Speaker or None"),
        (gm.Layout, "w", "it is 'w', expected gm.Layout; gm.open_world(FOLDER).layout is one"),
        (gm.World, Loud(), "it is of the type Loud, expected gm.World; gm.open_world(FOLDER).world is one"),
    ],
)
def test_another_type_is_refused(hint: object, value: object, said: str) -> None:
    with pytest.raises(WrongTypeError) as refused:
        fit("it", value, hint)
    assert str(refused.value).startswith(said)
    assert isinstance(refused.value, UsageError)
    assert isinstance(refused.value, TypeError)


def test_an_unknown_word_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(WrongValueError) as refused:
        Wanted(kinds=("plan",))  # type: ignore[arg-type]
    assert str(refused.value) == "an item of kinds is 'plan', expected 'plans' or 'memory'; did you mean plans?"
    assert isinstance(refused.value, ValueError)


def test_fields_are_checked_whenever_a_value_is_made() -> None:
    wanted = Wanted(["plans"], numpy.int64(3))  # type: ignore[arg-type]
    assert wanted == Wanted(("plans",), 3)
    with pytest.raises(WrongTypeError, match="most is '3', expected a whole number"):
        replace(wanted, most="3")  # type: ignore[arg-type]


def test_a_call_is_checked_with_its_options() -> None:
    assert play(2, ["a"], seed=numpy.int64(3)) == (2, ("a",), {"seed": 3})  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="play takes no 'sede'; did you mean seed"):
        play(2, sede=3)  # type: ignore[call-arg]
    with pytest.raises(WrongTypeError, match="seed is '3', expected a whole number or None"):
        play(2, seed="3")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="missing a required argument: 'days'"):
        play()  # type: ignore[call-arg]


def test_an_old_name_of_an_option_works_and_warns() -> None:
    with pytest.warns(DeprecationWarning, match=r"most_usd is now max_usd; the old name goes with version") as warned:
        assert play(1, most_usd=2.0) == (1, (), {"max_usd": 2.0})  # type: ignore[call-arg]
    assert warned[0].filename == __file__


def test_a_public_function_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(gm.play_days)) is gm.play_days
