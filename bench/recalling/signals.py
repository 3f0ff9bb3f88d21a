"""What each signal of ``hybrid`` brings: all but one, and the words with one alone.

Weights are replaced in this process alone; no user can. A signal that the code no longer has is said, not measured.
"""

from __future__ import annotations

import importlib
from collections.abc import Collection, Mapping, Sequence

from bench.recalling.asking import PACKAGE, Changes, Question, ask_all, is_there
from bench.recalling.figures import Figure, Outcome, difference, mean_of, recall_at, render_columns
from bench.recalling.locomo import ADVERSARIAL, ANSWERED, MULTI_HOP, only

MOST = 10


def _nothing(*_arguments: object) -> dict[str, float]:
    return {}


SIGNALS: Mapping[str, Changes] = {
    "speaker": {"hybrid.SPEAKER": 1.0, "signals.NAMED": 1.0, "signals.OTHERS": 1.0},
    "questions": {"signals.QUESTION": 1.0},
    "neighbours": {
        "signals.BEFORE": 0.0,
        "signals.BEFORE_ASKS": 0.0,
        "signals.TWO_BEFORE": 0.0,
        "signals.AFTER": 0.0,
    },
    "conversation": {"signals.SESSION": 0.0},
    "date": {"signals.DATE": 0.0},
    "time or number": {"signals.ANSWERS": 1.0},
    "length": {"columns.LENGTH": 0.0},
    "covered around": {"hybrid.AROUND": 0.0},
    "pairs": {"matching.PAIRS": 0.0},
    "coverage": {"matching.COVERAGE": 0.0},
    "same beginning": {"matching.beginnings_of": _nothing},
    "compounds": {"matching.compounds_of": _nothing},
}
"""What takes a signal away: a weight of nothing, a factor of one, a function that finds nothing."""
OF_VECTORS = frozenset(("hybrid.SPEAKER_BY_MEANING", "hybrid.ABOVE"))
NO_WEIGHTS = frozenset(
    (
        "hybrid.CLOSER",
        "hybrid.NEAR",
        "signals.MOST_SHARING",
        "signals.SESSION_BEST",
        "signals.DATE_TAU_DAYS",
        "signals.STORY_TAU_DAYS",
        "matching.COMPOUND",
        "matching.BEGINNING",
        "matching.UNPROVEN",
        "matching.SHORTEST_PART",
        "matching.SHORTEST_END",
        "matching.SAME_BEGINNING",
    )
)
"""Numbers that say how a signal works; taking it away needs none of them."""
MODULES = ("hybrid", "signals", "matching")


def print_signals(english: Sequence[Question], german: Sequence[Question]) -> None:
    """Print both tables; ``german`` questions are those of reflections, for signals that English cannot show."""
    known = {name: changes for name, changes in SIGNALS.items() if all(map(is_there, changes))}
    for name in SIGNALS.keys() - known.keys():
        print(f"signal {name}: left out, the code has no {' or '.join(SIGNALS[name])} any more")
    for path in unnamed():
        print(f"weight {path}: left out, this bench names no signal for it")
    print(
        f"recall@{MOST}, without a signal less with all, and words with a signal less words alone; {len(german)} German"
    )
    print("questions are texts of played reflections, asked as questions about what was")
    every = {path: value for changes in known.values() for path, value in changes.items()}
    _print("all", {}, known, "without", english, german)
    alone = {name: _without(every, changes) for name, changes in known.items()}
    _print("words alone", every, alone, "words and", english, german)


def unnamed() -> list[str]:
    """Return the numbers of the code that could be weights, and that no signal here names."""
    named = {path for changes in SIGNALS.values() for path in changes} | OF_VECTORS | NO_WEIGHTS
    found = [
        f"{module}.{name}"
        for module in MODULES
        for name, value in vars(importlib.import_module(f"{PACKAGE}.{module}")).items()
        if name.isupper() and isinstance(value, int | float) and not name.startswith("_")
    ]
    imported = ("SATURATION", "NUMBER", "TIME", "LONGEST")
    return sorted(path for path in found if path not in named and not path.endswith(imported))


def _without(changes: Changes, some: Collection[str]) -> Changes:
    return {path: value for path, value in changes.items() if path not in some}


def _print(
    base: str,
    base_changes: Changes,
    variants: Mapping[str, Changes],
    label: str,
    english: Sequence[Question],
    german: Sequence[Question],
) -> None:
    before = [ask_all(questions, changes=base_changes, most=MOST).outcomes for questions in (english, german)]
    lines: list[tuple[str, ...]] = [(base, "1-4", "multi-hop", "adversarial", "German")]
    lines.append(("", *(f"{mean_of(one, recall_at(MOST)).mean:.3f}" for one in _groups(*before))))
    for name, changes in variants.items():
        after = [ask_all(questions, changes=changes, most=MOST).outcomes for questions in (english, german)]
        gains = (
            difference(one, two, recall_at(MOST)) for one, two in zip(_groups(*after), _groups(*before), strict=True)
        )
        lines.append((f"  {label} {name}", *map(_shown, gains)))
    print(render_columns(lines), flush=True)


def _groups(english: Sequence[Outcome], german: Sequence[Outcome]) -> tuple[Sequence[Outcome], ...]:
    return (*(only(english, category) for category in (ANSWERED, MULTI_HOP, ADVERSARIAL)), german)


def _shown(figure: Figure) -> str:
    return "no change" if not (figure.mean or figure.low or figure.high) else figure.as_difference
