"""Have models and people judge pairs. A verdict is written as soon as it is there."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from gm.api.experiments.judging.pairs import world_of
from gm.api.reports.models import choose_for
from gm.base.errors import UsageError, WaitingError, refuse_errors
from gm.files.experiments import judging
from gm.files.layout import Layout, is_world
from gm.files.story.now import load_settings
from gm.llm.choose import Choice
from gm.model.calendar import by_end
from gm.model.judgement import Judgement
from gm.model.verdict import TURNED, Better, Pair, PairComparison, Verdict
from gm.play.judge import Asked, judge_pairs


@dataclass(frozen=True, slots=True)
class JudgedByHand:
    """How far a person is (``--as``)."""

    judge: str
    judged: int
    left: int


def judge_remaining_pairs(
    folder: Path,
    judges: Sequence[str],
    question: str = "",
    notice: Callable[[str], None] = lambda _text: None,
    chosen: Callable[[Choice], None] = lambda _choice: None,
) -> None:
    """Put each pair to each judge in both orders; what was judged already is not asked again.

    Args:
        judges: Models, as ``--model`` names them; settings and budget are those of the first world.
        question: What is asked; "" = as when the pairs were made.
        notice: Called with notes on repairs, and on pairs that a judge gave no usable verdict on.
        chosen: Called with each judge before it is asked.

    Raises:
        UsageError: Verdicts answer another question, the first world is gone, or the rehearsal would have to judge.
        BackendError: A model cannot be asked.
        WaitingError: Answers are awaited from outside; the same command goes on with them.
        LockedError: Another process asks.
    """
    comparison, pairs = _read_pairs_to_judge(folder)
    with judging.asking(folder) as layout:
        home = _require_home(folder, comparison)
        comparison = _with_question(folder, comparison, question)
        settings = replace(load_settings(home)[0], language=comparison.language)
        waiting: list[WaitingError] = []
        for name in judges:
            choice = choose_for(home, name, notice, kept=layout)
            chosen(choice)
            both = ((pair, swapped) for pair in pairs for swapped in (False, True))
            try:
                judge_pairs(
                    layout,
                    settings,
                    choice,
                    comparison.question,
                    _select_unjudged(folder, choice.shown, both),
                    partial(_hear, folder, choice.shown),
                    notice,
                )
            except WaitingError as error:
                waiting.append(error)
    if waiting:
        raise WaitingError((item for error in waiting for item in error.awaited), waiting[0].hint)


def list_unjudged(folder: Path, person: str) -> tuple[Asked, ...]:
    """Return the pairs that a person has not judged, by their items, days and scenes as they come.

    Which text of a pair is first is drawn by the seed and the name.

    Raises:
        BrokenWorldError: The pairs cannot be read.
    """
    comparison, pairs = _read_pairs_to_judge(folder)
    dice = random.Random(f"{comparison.seed} {person}")
    drawn = [(pair, dice.random() < 0.5) for pair in pairs]
    known = {verdict.pair for verdict in judging.read_verdicts(folder)[0] if verdict.judge == person}
    left = (asked for asked in drawn if asked[0].key not in known)
    return tuple(sorted(left, key=lambda asked: by_end(asked[0].item)))


def judge_by_hand(folder: Path, person: str, asked: Asked, better: Better, reason: str) -> None:
    """Write a verdict; ``better`` is as the texts were shown."""
    pair, swapped = asked
    choice, reason = TURNED[better] if swapped else better, " ".join(reason.split())
    judging.append_verdict(folder, Verdict(pair=pair.key, judge=person, swapped=swapped, choice=choice, reason=reason))


def _read_pairs_to_judge(folder: Path) -> tuple[PairComparison, tuple[Pair, ...]]:
    comparison = judging.read_comparison(folder)
    pairs, problems = judging.read_pairs(folder)
    refuse_errors(problems, "the pairs cannot be read", "correct these lines, or make the pairs in another folder")
    return comparison, pairs


def _require_home(folder: Path, comparison: PairComparison) -> Layout:
    home = world_of(folder, comparison)
    if not is_world(home.root):
        raise UsageError(
            f"{home.root} is not a world: the budget and the settings of judges are those of the first world",
            f"put it back there, or correct its path in {judging.comparison_file(folder)}",
        )
    return home


def _with_question(folder: Path, comparison: PairComparison, question: str) -> PairComparison:
    question = question.strip()
    if not question or question == comparison.question:
        return comparison
    if judging.read_verdicts(folder)[0]:
        raise UsageError(
            f"there are verdicts on another question: {comparison.question}",
            "one folder holds verdicts on one question: make the pairs again in another folder",
        )
    comparison = replace(comparison, question=question)
    judging.write_comparison(folder, comparison)
    return comparison


def _select_unjudged(folder: Path, judge: str, asked: Iterable[Asked]) -> list[Asked]:
    known = {(verdict.pair, verdict.swapped) for verdict in judging.read_verdicts(folder)[0] if verdict.judge == judge}
    return [(pair, swapped) for pair, swapped in asked if (pair.key, swapped) not in known]


def _hear(folder: Path, judge: str, asked: Asked, said: Judgement) -> None:
    judge_by_hand(folder, judge, asked, said.better, said.reason)
