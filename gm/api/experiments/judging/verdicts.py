"""What the verdicts of a folder come to (``gm judge DIR``)."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gm.api.experiments.evaluate.measure import LEAST_GROUPS, POWER, Z, tail_share
from gm.api.experiments.judging.pairs import conditions_of
from gm.base.casefold import casefold
from gm.base.errors import GmError
from gm.base.installed import pip_install
from gm.files.experiments.judging import read_comparison, read_pairs, read_verdicts
from gm.llm.providers import find_provider
from gm.model.verdict import FIRST, SECOND, TIE, Better, Pair, PairComparison

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Counts = npt.NDArray[np.float64]
    """For each item and each two conditions: how often the one won, the other won, and neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedCondition:
    """One condition among those compared.

    Attributes:
        won: Share of verdicts (0–1) in which its text was better; a tie counts half.
        strength: Of Bradley and Terry, as a logit; mean of all conditions 0. One tie is added for each two conditions
            that were compared, so that one that always won has a finite strength. None = not all conditions were
            compared with each other, not even by way of others.
        low, high: 95 % interval of the strength, by an expanded percentile bootstrap in which items are drawn as a
            whole, or runs where a condition has several worlds. None = there are fewer than five of them, or all say
            the same, which leaves a bootstrap nothing to vary.
        verdicts: Of all judges, both orders of one judge taken for one; where they disagree, it is a tie.
    """

    condition: str
    won: float
    strength: float | None
    low: float | None
    high: float | None
    verdicts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingResult:
    """The result of all verdicts on the pairs of a folder.

    Attributes:
        verdicts: Lines, each of one judge on one pair in one order.
        ranking: Strongest first; without conditions on which there is no verdict.
        agreement: Krippendorff's alpha between judges (nominal, at most 1; 0 = as by chance); None = no two judged the
            same pair, or all verdicts are the same.
        both_orders: Share of pairs on which a judge said the same in both orders; None = none was asked twice.
        longer_won: Share of the verdicts for one text, of pairs of which one is longer by more than a tenth, in which
            the longer one won; None = there are none. Far from one half, length may have decided.
        pairs_needed: Pairs with the first condition that a preference as strong as that for it would need to be told
            from chance: from so many on, the Wilson interval (95 %) of its share lies above one half. With so many, it
            is found in half of such comparisons; a note says how many find it in four of five. None = no preference
            was found.
        notes: What cannot be concluded, one sentence each.
    """

    pairs: int
    verdicts: int
    judges: tuple[str, ...]
    ranking: tuple[RankedCondition, ...]
    agreement: float | None
    both_orders: float | None
    longer_won: float | None
    pairs_needed: int | None
    notes: tuple[str, ...]


Strength = tuple[float | None, float | None, float | None]
DRAWS = 1000
LIMIT = 10_000
RUNS = "runs"
ALIKE = 2 / 3
"""Krippendorff: below it, judges agree too little for even tentative conclusions."""
CHANCE = 0.5
LONGER = 1.1
"""Ratio of lengths from which one text counts as longer."""


@dataclass(frozen=True, slots=True)
class _Opinion:
    # what one judge said about one pair, in one order or in both
    pair: Pair
    judge: str
    choice: Better


def describe_judged(folder: str | PathLike[str]) -> JudgingResult:
    """Return win rates, strengths and agreement, and what cannot be concluded.

    Raises:
        GmError: There are no pairs, or the libraries of ``gm-worlds[data]`` are missing.
        BrokenWorldError: ``comparison.json`` cannot be read.
    """
    folder = Path(folder)
    comparison = read_comparison(folder)
    pairs, problems = read_pairs(folder)
    verdicts, more = read_verdicts(folder)
    by_key = {pair.key: pair for pair in pairs}
    said: dict[tuple[str, str], list[Better]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.pair in by_key:
            said[verdict.judge, verdict.pair].append(verdict.choice)
    opinions = [
        _Opinion(by_key[key], judge, choices[0] if len({*choices}) == 1 else TIE)
        for (judge, key), choices in said.items()
    ]
    agreed = {place: len({*choices}) == 1 for place, choices in said.items() if len(choices) > 1}
    ranking = _rank_conditions(comparison, opinions)
    top = ranking[0].won if ranking else CHANCE
    judged = JudgingResult(
        pairs=len(pairs),
        verdicts=sum(map(len, said.values())),
        judges=tuple(sorted({one.judge for one in opinions})),
        ranking=ranking,
        agreement=_agreement(opinions),
        both_orders=sum(agreed.values()) / len(agreed) if agreed else None,
        longer_won=_longer_won(opinions),
        pairs_needed=pairs_needed(top) if top > CHANCE else None,
        notes=(),
    )
    notes = [f"{item.path}:{item.line}:{item.column} counts as nothing: {item.message}" for item in [*problems, *more]]
    strange = len(verdicts) - judged.verdicts
    notes += [f"{strange} verdicts are on pairs that are not in this folder: they count as nothing."] if strange else []
    notes += _note_limits(comparison, judged, opinions, agreed)
    return replace(judged, notes=tuple(notes))


def _longer_won(opinions: Sequence[_Opinion]) -> float | None:
    won = []
    for one in opinions:
        first, second = (len(text.split()) for text in (one.pair.first_text, one.pair.second_text))
        if one.choice != TIE and max(first, second) > LONGER * min(first, second):
            won.append((first > second) == (one.choice == FIRST))
    return sum(won) / len(won) if won else None


def pairs_needed(share: float, power: float = 0.0) -> int:
    """Return from how many pairs on the Wilson interval (95 %) of a share lies above one half.

    Args:
        share: Above 0.5.
        power: Normal quantile of how often it does if the share is the true one; 0 = in half of such comparisons.

    >>> [pairs_needed(share) for share in (0.6, 0.7, 0.8)]
    [97, 25, 11]
    """
    return math.ceil(((Z / 2 + power * math.sqrt(share * (1 - share))) / (share - CHANCE)) ** 2)


def _rank_conditions(comparison: PairComparison, opinions: Sequence[_Opinion]) -> tuple[RankedCondition, ...]:
    points: dict[str, list[float]] = defaultdict(list)
    for one in opinions:
        points[one.pair.first].append({FIRST: 1.0, SECOND: 0.0, TIE: 0.5}[one.choice])
        points[one.pair.second].append(1 - points[one.pair.first][-1])
    names = [name for name in dict.fromkeys((*conditions_of(comparison), *sorted(points))) if name in points]
    strengths = _strengths(names, opinions, comparison.seed, _drawn_whole(comparison)) if names else {}
    nothing: Strength = (None, None, None)
    found = [
        RankedCondition(
            condition=name,
            won=sum(points[name]) / len(points[name]),
            strength=strength,
            low=low,
            high=high,
            verdicts=len(points[name]),
        )
        for name in names
        for strength, low, high in (strengths.get(name, nothing),)
    ]
    return tuple(sorted(found, key=lambda one: (-(one.strength or 0.0), -one.won)))


def _drawn_whole(comparison: PairComparison) -> str:
    # texts of one run are not independent
    return RUNS if len(comparison.worlds) > len(conditions_of(comparison)) else "items"


def _strengths(names: Sequence[str], opinions: Sequence[_Opinion], seed: int, whole: str) -> dict[str, Strength]:
    """Return strength and interval by name; none where some were not even compared by way of others."""
    _import_evalica()
    import numpy as np

    sides = {pair: place for place, pair in enumerate(combinations(names, 2))}
    drawn_from = [one.pair.item.partition("/")[0] if whole == RUNS else one.pair.item for one in opinions]
    items = {item: place for place, item in enumerate(dict.fromkeys(drawn_from))}
    counts = np.zeros((len(items), len(sides), 3))
    for one, item in zip(opinions, drawn_from, strict=True):
        pair, better = (one.pair.first, one.pair.second), {FIRST: 0, SECOND: 1, TIE: 2}[one.choice]
        if pair not in sides:
            pair, better = pair[::-1], {0: 1, 1: 0, 2: 2}[better]
        counts[items[item], sides[pair], better] += 1
    met = counts.sum(axis=(0, 2)) > 0
    if not _is_joined(names, [pair for pair, place in sides.items() if met[place]]):
        return {}
    even = np.zeros((len(sides), 3))
    even[met, 2] = 1
    found = _fit(names, sides, counts.sum(axis=0) + even)
    alone: dict[str, Strength] = {name: (float(value), None, None) for name, value in zip(names, found, strict=True)}
    if len(items) < LEAST_GROUPS:
        return alone
    dice, tail = np.random.default_rng(seed), tail_share(len(items), len(items) - 1)
    known: dict[bytes, Any] = {}  # of few conditions, many draws are alike
    draws = []
    for _ in range(DRAWS):
        drawn = counts[dice.integers(0, len(items), len(items))].sum(axis=0) + even
        key = drawn.tobytes()
        if key not in known:
            known[key] = _fit(names, sides, drawn)
        draws.append(known[key])
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    if np.allclose(low, high):  # a bootstrap does not know how uncertain it is what all items say
        return alone
    return {name: (float(found[at]), float(low[at]), float(high[at])) for at, name in enumerate(names)}


def _fit(names: Sequence[str], sides: Mapping[tuple[str, str], int], counts: Counts) -> Any:
    """Return the logits of Bradley and Terry, in the order of the names."""
    import numpy as np

    evalica, pandas = _import_evalica()
    xs = [one for one, _ in sides for _ in range(3)]
    ys = [other for _, other in sides for _ in range(3)]
    winners = [evalica.Winner.X, evalica.Winner.Y, evalica.Winner.Draw] * len(sides)
    fitted = evalica.bradley_terry(
        xs, ys, winners, index=pandas.Index(names), weights=counts.ravel().tolist(), limit=LIMIT
    )
    logits = np.log(fitted.scores.reindex(names).to_numpy())
    return logits - logits.mean()


def _is_joined(names: Sequence[str], met: Sequence[tuple[str, str]]) -> bool:
    reached = {names[0]}
    for _ in names:
        reached |= {name for pair in met if reached & {*pair} for name in pair}
    return len(reached) == len(names)


def _agreement(opinions: Sequence[_Opinion]) -> float | None:
    ratings: dict[str, dict[str, int]] = defaultdict(dict)
    for one in opinions:
        ratings[one.judge][one.pair.key] = (FIRST, SECOND, TIE).index(one.choice)
    judges = Counter(key for rated in ratings.values() for key in rated)
    shared = {key for key, count in judges.items() if count > 1}
    if len({rated[key] for rated in ratings.values() for key in rated if key in shared}) < 2:
        return None
    evalica, pandas = _import_evalica()
    return float(evalica.alpha(pandas.DataFrame.from_dict(ratings, orient="index")).alpha)


def _import_evalica() -> tuple[Any, Any]:
    try:
        import evalica
        import pandas
    except ImportError as error:
        raise GmError("the evalica package is not installed", pip_install("data")) from error
    return evalica, pandas


def _model(name: str) -> str:
    found = find_provider(name, {})
    return casefold(found[1] if found else name)


def _note_limits(
    comparison: PairComparison,
    judged: JudgingResult,
    opinions: Sequence[_Opinion],
    agreed: Mapping[tuple[str, str], bool],
) -> Iterator[str]:
    if not opinions:
        yield "Nothing has been judged yet."
        return
    seen = {one.pair.key: one.pair for one in opinions}
    if len(seen) < judged.pairs:
        yield f"{len(seen)} of {judged.pairs} pairs have been judged."
    left = {*conditions_of(comparison)} - {one.condition for one in judged.ranking}
    if left:
        yield f"No evidence on {', '.join(sorted(left))}."
    if len(judged.judges) == 1:
        yield f"One judge only ({judged.judges[0]}): how far others would agree is not known."
    elif judged.agreement is None:
        yield "No two judges can be compared: they judged no pair both, or said the same of all."
    elif judged.agreement < ALIKE:
        yield f"The judges agree little (alpha {judged.agreement:.2f}, below {ALIKE:.2f}): do not rely on one of them."
    models = {*map(_model, comparison.made_with)}
    for judge in judged.judges:
        if _model(judge) in models:
            yield f"{judge} also wrote texts that it judged: models prefer their own."
        steady = [same for (name, _), same in agreed.items() if name == judge]
        if steady and sum(steady) <= CHANCE * len(steady):
            yield (
                f"{judge} said the same in both orders of only {sum(steady)} of {len(steady)} pairs: "
                "where a text stands decides, not what it says."
            )
    if not comparison.made_with:
        yield "Which models wrote the texts is not known (no traces), so neither is whether one of them judged."
    once = len(opinions) - len(agreed)
    if once:
        yield f"{once} of {len(opinions)} verdicts are from one order only."
    top = judged.ranking[0]
    held = sum(top.condition in (pair.first, pair.second) for pair in seen.values())
    if judged.pairs_needed is None:
        yield "No preference was found."
    elif held < judged.pairs_needed:
        yield (
            f"{held} pairs with {top.condition} are too few: a preference of {top.won:.0%} needs about "
            f"{judged.pairs_needed} to be told from chance in half of such comparisons, and "
            f"{pairs_needed(top.won, POWER)} in four of five."
        )
    whole = _drawn_whole(comparison)
    for one in judged.ranking:
        if one.strength is None:
            yield f"{one.condition}: no strength, as not all conditions were compared, not even by way of others."
        elif one.low is None or one.high is None:
            few = f"fewer than {LEAST_GROUPS} {whole} were judged"
            yield f"{one.condition}: no interval, as {few}, or all say the same."
        elif one.low <= 0 <= one.high:
            yield f"{one.condition}: the interval of its strength holds 0, so it cannot be told from the others' mean."
