"""What characters say and remember that they said on earlier days already."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from gm.api.experiments.evaluate.material import Material
from gm.api.experiments.evaluate.measure import ALL, BY_DAY, Case, Figure, Found, Measure, bootstrap_ratio
from gm.base.texts import clip
from gm.memory.recall.words import split_words
from gm.model.calendar import render_day
from gm.model.node import BY_GAME_MASTER
from gm.scene.planning.plans import is_plan

SEQUENCE = 4
ALARM = 0.15
LEAST = 50
"""Sequences of a day, to raise an alarm."""
SHOWN_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class _DayCounts:
    """Of one character and day: sequences said before, all of them, and the longest run of words said before."""

    agent: str
    day: int
    repeated: int
    sequences: int
    run: tuple[str, ...] = ()

    @property
    def alarms(self) -> bool:
        return self.sequences >= LEAST and self.repeated > ALARM * self.sequences


def _measure_repetition(material: Material) -> Found:
    days = [day for name in material.world.agents for day in _days_of(material, name)]
    days = [day for day in days if day.day >= material.first and day.sequences]
    if not days:
        return (), (), "nobody has said anything on a second day"
    figures = list(_repetition_figures(ALL, days))
    for name in dict.fromkeys(day.agent for day in days):
        figures += _repetition_figures(name, [day for day in days if day.agent == name])
    for number in sorted({day.day for day in days}):
        figures.append(_measure_group(render_day(number), [day for day in days if day.day == number], "agent"))
    worst = sorted((day for day in days if day.alarms), key=lambda day: -day.repeated / day.sequences)
    return figures, [_case(day) for day in worst], ""


def _days_of(material: Material, name: str) -> Iterator[_DayCounts]:
    """Yield the days after the first one on which a character said or remembered something."""
    earlier: set[tuple[str, ...]] = set()
    for day, texts in sorted(_texts_by_day(material, name).items()):
        words = [split_words(text) for text in texts]
        today = {sequence for said in words for sequence in _sequences(said)}
        if earlier:
            run = max((_longest(said, earlier) for said in words), key=len, default=())
            yield _DayCounts(name, day, len(today & earlier), len(today), run)
        earlier |= today


def _texts_by_day(material: Material, name: str) -> dict[int, list[str]]:
    found: defaultdict[int, list[str]] = defaultdict(list)
    for log in (*material.earlier, *material.days):
        for entry in log.scenes:
            found[log.day] += [text for speaker, text in entry.spoken() if speaker == name]
    for node in material.memories[name]:
        if node.when.day > 0 and not is_plan(node) and node.importance_by != BY_GAME_MASTER:
            found[node.when.day].append(node.description)
    return found


def _sequences(words: list[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[place:] for place in range(SEQUENCE)), strict=False)


def _longest(words: list[str], earlier: set[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the longest run of words in which each sequence occurred earlier."""
    best = begin = end = 0
    length = 0
    for place, sequence in enumerate(_sequences(words)):
        length = length + 1 if sequence in earlier else 0
        if length > best:
            best, begin, end = length, place - length + 1, place + SEQUENCE
    return tuple(words[begin:end])


def _repetition_figures(of: str, days: list[_DayCounts]) -> Iterator[Figure]:
    yield _measure_group(of, days, "day")
    longest = max(len(day.run) for day in days)
    yield Figure(of=of, name="longest run", value=longest, count=len(days), unit="words")


def _measure_group(of: str, days: list[_DayCounts], by: str) -> Figure:
    groups: defaultdict[object, list[_DayCounts]] = defaultdict(list)
    for day in days:
        groups[getattr(day, by)].append(day)
    sums = [(sum(day.repeated for day in group), sum(day.sequences for day in group)) for group in groups.values()]
    of_all = sum(sequences for _, sequences in sums)
    low, high = bootstrap_ratio(sums)
    value = sum(repeated for repeated, _ in sums) / of_all
    return Figure(of=of, name="said before", value=value, low=low, high=high, count=of_all)


def _case(day: _DayCounts) -> Case:
    share, run = day.repeated / day.sequences, clip(" ".join(day.run), SHOWN_CHARACTERS)
    text = f"{share:.0%} said on earlier days, at most {len(day.run)} words on end: {run}"
    return Case(agent=day.agent, at=render_day(day.day), text=text)


REPETITION = Measure(
    name="repetition",
    definition=f"Of the different sequences of {SEQUENCE} words that a character said in scenes and remembered on a"
    " day, the share that it had said or remembered on an earlier day. Plans and what the Game Master words are"
    f" left out. Longest run: the most words on end of which each {SEQUENCE} in a row had occurred earlier. A day"
    f" above {ALARM:.0%} with at least {LEAST} sequences is a case.",
    source="long-n-gram self-repetition of Shaib et al. 2024 (arXiv 2403.00553); 0 to 9 % in six days of seven"
    f" characters played by language models, from which the alarm at {ALARM:.0%} is taken",
    compute=_measure_repetition,
    interval=f"{BY_DAY} (of a single day: of characters)",
)
