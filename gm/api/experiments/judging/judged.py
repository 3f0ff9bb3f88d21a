"""What blind comparisons come to.

Source:
    Bradley and Terry 1952; Newman 2023 (the algorithm); Krippendorff 2018; Wilson 1927. Both orders, and a tie where
    they disagree: Zheng et al. 2023 (MT-Bench).
"""

from __future__ import annotations

from dataclasses import dataclass


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
