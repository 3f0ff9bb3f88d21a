"""Figures that differ because of what a condition switches off, not because of the characters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gm.api.experiments.evaluate.citations import KINDS
from gm.base.config import Settings
from gm.base.config.manual import value_at

CITED = tuple(f"citations: {kind}: " for kind in KINDS)
LESS_WORK = ("table: scenes", "table: memories", "table: calls", "table: tokens", "table: usd")


@dataclass(frozen=True, slots=True)
class Switch:
    """A setting that takes something away when it is off.

    Attributes:
        key: Its dotted name.
        takes: What is not there without it.
        figures: Names of figures (``measure: name``) that count it, or the beginnings of such names.
    """

    key: str
    takes: str
    figures: tuple[str, ...]


SWITCHES = (
    Switch(
        "reflection.enabled",
        "reflections, which make most citations, weigh more than other memories and take scenes",
        (*CITED, "drift: mean importance", "drift: slope", *LESS_WORK),
    ),
    Switch(
        "plans.enabled",
        "plans, which are memories, cause scenes and stand in questions",
        ("plans: ", "citations: plan: ", "drift: mean importance", "drift: slope", *LESS_WORK),
    ),
    Switch("retrieval.enabled", "memories in questions, so nothing to cite", (*CITED, "table: tokens", "table: usd")),
)


def list_switched_off(settings: Settings) -> tuple[str, ...]:
    """Return the keys of ``SWITCHES`` that a world has switched off."""
    return tuple(one.key for one in SWITCHES if not value_at(settings, one.key))


def explain_by_design(measure: str, name: str, differing: Iterable[str]) -> tuple[str, ...]:
    """Return the keys, of those that two conditions differ in, from which a difference in a figure follows."""
    figure = f"{measure}: {name}"
    known = set(differing)
    return tuple(one.key for one in SWITCHES if one.key in known and figure.startswith(one.figures))


def note_by_design(condition: str, first: str, figures: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield a sentence for a condition.

    Args:
        figures: Names of figures, each with the keys that its difference follows from.
    """
    keys = {key for found in figures.values() for key in found}
    takes = "; ".join(f"{one.key}: {one.takes}" for one in SWITCHES if one.key in keys)
    if takes:
        yield (
            f"No finding, but brought about by the condition itself: {condition} and {first} differ in what is switched"
            f" off ({takes}). So these figures differ whatever the characters do, and are not counted as differences:"
            f" {'; '.join(figures)}."
        )
