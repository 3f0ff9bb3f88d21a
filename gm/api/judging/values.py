"""What blind comparisons come to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """One condition among those compared.

    Attributes:
        won: Share of verdicts in which its text was better; a tie counts half.
        strength: Of Bradley and Terry, as a logit; mean of all conditions 0.
        low, high: 95 % interval of the strength, of a bootstrap over items.
    """

    condition: str
    won: float
    strength: float | None
    low: float | None
    high: float | None
    verdicts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The result of all verdicts on the pairs of a folder.

    Attributes:
        agreement: Krippendorff's alpha between judges (nominal); None = fewer than two judged the same pair.
        both_orders: Share of pairs on which a judge said the same in both orders; None = none was asked twice.
        pairs_needed: Pairs that a preference as strong as the one found would need to be told from chance.
        notes: What cannot be concluded, one sentence each.
    """

    pairs: int
    verdicts: int
    judges: tuple[str, ...]
    ranking: tuple[Ranked, ...]
    agreement: float | None
    both_orders: float | None
    pairs_needed: int | None
    notes: tuple[str, ...]
