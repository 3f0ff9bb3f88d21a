"""Whether speakers can be told apart by style alone."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import accumulate
from statistics import fmean, pstdev
from typing import Any, NamedTuple

from gm.api.experiments.evaluate.material import Material
from gm.api.experiments.evaluate.measure import ALL, SEED, Case, Figure, Found, Measure, share
from gm.base.installed import pip_install
from gm.base.languages import language_of
from gm.memory.recall.words import split_sentences, split_words, stop_words

CHUNK = 200
"""Words of a chunk, as a rule."""
LEAST_WORDS = 400
LEAST_DAYS = 2
PERMUTATIONS = 1000
ROUNDING = 1e-9
"""Spread beside the mean that comes of rounding."""
MARKS = re.compile(r"[.,!?:;…–—»«„“”\"'’()-]")

Spoken = Mapping[tuple[str, int], Sequence[str]]
"""Spoken lines by speaker and day."""


def _measure_voices(material: Material) -> Found:
    if find_spec("numpy") is None:
        return (), (), f"numpy is not installed: {pip_install('data')}"
    lines: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for log in material.days:
        for entry in log.scenes:
            for agent, text in entry.spoken():
                if agent in material.world.agents:
                    lines[agent, log.day].append(text)
    return separate(lines, language_of(material.world.settings.language).stop_words or stop_words())


def separate(spoken: Spoken, function_words: frozenset[str]) -> Found:
    """Return how often the speaker of a chunk is found from the other days alone.

    Source:
        Burrows 2002, "Delta"; Argamon 2008, "Interpreting Burrows's Delta", for squared differences of z-scores.
    """
    counts = {key: sum(len(split_words(text)) for text in texts) for key, texts in spoken.items()}
    words: Counter[str] = Counter()
    for (agent, _), count in counts.items():
        words[agent] += count
    days = Counter(agent for (agent, _), count in counts.items() if count)
    speakers = sorted(name for name in words if words[name] >= LEAST_WORDS and days[name] >= LEAST_DAYS)
    if len(speakers) < 2:
        said = ", ".join(f"{name} {words[name]} on {days[name]} days" for name in sorted(words)) or "nobody a word"
        return (), (), f"two must have said {LEAST_WORDS} words on {LEAST_DAYS} days; spoken so far: {said}"
    rows, labels, groups = [], [], []
    for (agent, day), texts in sorted(spoken.items()):
        if agent in speakers and counts[agent, day]:
            for chunk in _chunks(texts, counts[agent, day]):
                rows.append(_features(chunk, function_words))
                labels.append(speakers.index(agent))
                groups.append(day)
    return _judge(rows, labels, groups, speakers)


def _judge(rows: list[list[float]], labels: list[int], groups: list[int], speakers: list[str]) -> Found:
    import numpy as np

    x, truth, day = np.array(rows), np.array(labels), np.array(groups)
    folds = [_make_fold(x, day == one) for one in np.unique(day)]
    guessed = _guess(x, folds, truth, len(speakers))
    right = guessed == truth
    dice = np.random.default_rng(SEED)
    null = []
    for _ in range(PERMUTATIONS):
        mixed = truth.copy()
        for one in np.unique(day):
            mixed[day == one] = dice.permutation(mixed[day == one])
        null.append(float(np.mean(_guess(x, folds, mixed, len(speakers)) == mixed)))
    found, edge = float(right.mean()), float(np.quantile(null, 0.95))
    p = (1 + sum(value >= found for value in null)) / (1 + PERMUTATIONS)
    figures = [
        Figure(of=ALL, name="accuracy", value=found, count=len(rows)),
        Figure(of=ALL, name="chance", value=fmean(null), count=PERMUTATIONS),
        Figure(of=ALL, name="95 % of chance", value=edge, count=PERMUTATIONS),
        Figure(of=ALL, name="p", value=p, count=PERMUTATIONS),
        *(
            share(name, "accuracy", int(right[truth == at].sum()), int((truth == at).sum()))
            for at, name in enumerate(speakers)
        ),
    ]
    pairs = Counter(tuple(sorted((speakers[a], speakers[b]))) for a, b in zip(truth, guessed, strict=True) if a != b)
    cases = [
        Case(agent=one, at=other, text=f"{count} chunks of {one} and {other} taken for the other's")
        for (one, other), count in pairs.most_common(1)
    ]
    return figures, cases, ""


class _Fold(NamedTuple):
    """The chunks of a day, as z-scores of all others, and what their means become z-scores by.

    Attributes:
        held: Which rows they are.
        z: Their features.
        mean, spread: Of each feature, in all other rows.
    """

    held: Any
    z: Any
    mean: Any
    spread: Any


def _make_fold(x: Any, held: Any) -> _Fold:
    rest = x[~held]
    mean, spread = rest.mean(axis=0), rest.std(axis=0)
    spread[spread <= ROUNDING * abs(mean)] = 1  # the same in all rows
    return _Fold(held, (x[held] - mean) / spread, mean, spread)


def _guess(x: Any, folds: Sequence[_Fold], labels: Any, size: int) -> Any:
    """Return the speaker with the nearest mean for each row, from the rows of other days."""
    import numpy as np

    mine = np.eye(size)[labels]
    sums, counts = mine.T @ x, mine.sum(axis=0)
    guessed = np.empty_like(labels)
    for held, z, mean, spread in folds:
        others = counts - mine[held].sum(axis=0)
        centres = ((sums - mine[held].T @ x[held]) / others[:, None] - mean) / spread
        guessed[held] = ((centres**2).sum(axis=1) - 2 * z @ centres.T).argmin(axis=1)
    return guessed


def _chunks(texts: Sequence[str], words: int) -> list[list[str]]:
    """Return lines in runs of about ``CHUNK`` words; none is shorter than half of that, if the text is long enough."""
    number = max(1, round(words / CHUNK))
    chunks: list[list[str]] = [[] for _ in range(number)]
    ends = accumulate(len(split_words(text)) for text in texts)
    for text, end in zip(texts, ends, strict=True):
        chunks[max(0, end - 1) * number // words].append(text)
    return [chunk for chunk in chunks if any(split_words(text) for text in chunk)]


def _features(texts: Sequence[str], function_words: frozenset[str]) -> list[float]:
    words = [word for text in texts for word in split_words(text)]
    counts = Counter(word for word in words if word in function_words)
    counts.update(mark for text in texts for mark in MARKS.findall(text))
    lengths = [len(split_words(sentence)) for text in texts for sentence in split_sentences(" ".join(text.split()))]
    marks = sorted(MARKS.pattern[1:-1].replace("\\", ""))
    shares = (counts[name] / len(words) for name in (*sorted(function_words), *marks))
    return [*shares, fmean(lengths), pstdev(lengths)]


VOICE = Measure(
    name="voice",
    definition=(
        f"Chunks of about {CHUNK} spoken words of one speaker and day. Of each only the shares of function words and "
        "punctuation marks and the mean and spread of sentence length are kept: names and content words are masked. "
        "The speaker is the one whose mean chunk on all other days is nearest (z-scores, squared differences). "
        "accuracy: share of chunks whose speaker is found. chance: the mean of the same with speakers permuted within "
        "each day; 95 % of chance: what one in twenty of these exceeds; p: how many reach the accuracy. The case is "
        f"the pair most often confused. Speakers need {LEAST_WORDS} words on {LEAST_DAYS} days; others are left out."
    ),
    source=(
        'Burrows 2002, "Delta: a measure of stylistic difference"; Argamon 2008; Ojala and Garriga 2010, "Permutation '
        'tests for studying classifier performance", labels permuted within groups as in scikit-learn'
    ),
    interval=(
        f"accuracy of all: against {PERMUTATIONS} permutations within days, seed {SEED}; of one speaker: Wilson's "
        "score interval, 95 %, which takes chunks for independent"
    ),
    compute=_measure_voices,
)
