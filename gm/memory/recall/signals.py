"""Signals beside the words: a memory's speaker, neighbours and time.

The constants are not settings: on five long conversations of a public benchmark they lie on a plateau (``README.md``).
Scores are by place, only for memories that have one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import chain, repeat

from gm.memory.recall.columns import NO_PLACES, Columns, Places
from gm.memory.recall.dates import NamedDays
from gm.memory.recall.question import ParsedQuestion

Scores = dict[int, float]
NAMED = 1.2
"""Factor on the final score of a memory whose speaker the question names."""
QUESTION = 0.75
"""Factor for memories that are questions: they lack the answer."""
BEFORE, TWO_BEFORE, AFTER = 0.2, 0.2, 0.2
"""Shares of the memory before, two before and after, in the same conversation."""
BEFORE_ASKS = 1.2
"""Share of the memory before where that is a question."""
OTHERS = 0.4
"""Factor for the share of the memory before where another one than the person named answers."""
SESSION, SESSION_BEST = 0.8, 3
"""Share of the mean of the best few memories of the same conversation, and how many those are."""
DATE = 0.8
"""Gain for nearness to a day in the question, as a share of the best."""
DATE_TAU_DAYS, STORY_TAU_DAYS = 7.0, 1.0
"""Days after which nearness falls to 1/e: real (people date by the week), story (`yesterday`)."""
ANSWERS = 1.3
"""Factor for memories that name a time or a number where the question asks for one (`when`)."""
MOST_SHARING = 600
"""Best-matching memories that give a share to their neighbours and their conversation."""
_SAMPLED = 16  # one in this many is looked at to guess the least of the best
_ROUNDED_UP = 1 + 1e-9  # more than what the order of a few multiplications may change


@dataclass(frozen=True, slots=True)
class Weighed:
    """The scores of one stream, and their parts.

    Attributes:
        base: Scores by words, or by vectors.
        beside: From the memories before and after.
        session: From the best of the same conversation, by its number.
        date: From nearness to a day in the question; may be empty.
        spoken_by_named: Places of memories whose speaker the question names; None = it names nobody.
        speaker: Factor for these.
        answering: Places of memories that name a time or a number, where the question asks for one.
    """

    columns: Columns
    base: Mapping[int, float]
    beside: Mapping[int, float]
    session: Mapping[int, float]
    date: Sequence[float]
    spoken_by_named: Places | None
    speaker: float
    answering: Places

    def best_sum(self) -> float:
        """Return the highest of own, beside and session together; 1 without any."""
        session, sessions = self.session, self.columns.sessions
        own = self._own(chain(self.base, self.beside))
        return max(
            (value + self.beside.get(place, 0.0) + session.get(sessions[place], 0.0) for place, value in own.items()),
            default=1.0,
        )

    def parts(self, place: int) -> dict[str, float]:
        """Return the parts of a score, before the factors for length, people named and answer asked for."""
        found = {
            "own": self._own((place,))[place],
            "beside": self.beside.get(place, 0.0),
            "session": self.session.get(self.columns.sessions[place], 0.0),
        }
        return found | ({"date": self.date[place]} if self.date else {})

    def scores(self, places: Iterable[int]) -> Scores:
        """Return the scores of some memories."""
        base, beside, session, date, speaker = self.base, self.beside, self.session, self.date, self.speaker
        spoken, answering = self.spoken_by_named or NO_PLACES, self.answering
        sessions, lengths, asks = self.columns.sessions, self.columns.lengths, self.columns.questions
        factors = self.columns.length_factors
        found = {}
        for place in places:
            score = base.get(place, 0.0)
            if asks[place]:
                score *= QUESTION
            if place in spoken:
                score *= speaker
            score += beside.get(place, 0.0)
            score += session.get(sessions[place], 0.0)
            if date:
                score += date[place]
            score *= factors[lengths[place]]
            if place in spoken:
                score *= NAMED
            found[place] = score * ANSWERS if place in answering else score
        return found

    def likely(self, most: int) -> tuple[Scores, float]:
        """Return scores of memories with a signal of their own or of a neighbour, and what bounds all others.

        The ``most`` best are among them. Left out are some for which no more than their own words speak: these have an
        exact bound without being weighed. With a date all are there, and any other may score as much.
        """
        base, session, sessions = self.base, self.session, self.columns.sessions
        aside = [place for place in self.beside if place not in base]
        if self.date:
            return self.scores(chain(base, aside)), math.inf
        bound = max(session.values(), default=0.0) * self.columns.longest * NAMED * ANSWERS * _ROUNDED_UP
        near = self.scores(chain((place for place in base if sessions[place] in session), aside))
        if len(near) < most:
            return self.scores(chain(base, aside)), bound
        least = sorted(near.values())[-most]
        near |= self.scores(self._above(least / _ROUNDED_UP))
        # in the order of the words, by which equals are taken
        return {place: near[place] for place in filter(near.__contains__, chain(base, aside))}, max(bound, least)

    def touched(self) -> Iterable[int]:
        """Return the places of all memories with any signal."""
        base, session, sessions = self.base, self.session, self.columns.sessions
        if self.date:
            return range(len(sessions))
        return (place for place, number in enumerate(sessions) if number in session or place in base)

    def _above(self, least: float) -> Iterator[int]:
        """Yield the places apart from the best conversations that may score so much."""
        session, sessions, lengths = self.session, self.columns.sessions, self.columns.lengths
        factors = self.columns.length_factors
        spoken = self.spoken_by_named or NO_PLACES
        common = ANSWERS if self.answering else 1.0  # ``QUESTION`` only lowers
        named = common * self.speaker * NAMED
        most = max(common, named) if spoken else common
        lowest = least / (self.columns.longest * most)  # passed by few, which then are looked at closely
        return (
            place
            for place, value in self.base.items()
            if value >= lowest
            and value * factors[lengths[place]] * (named if place in spoken else common) >= least
            and sessions[place] not in session
        )

    def _own(self, places: Iterable[int]) -> Scores:
        base = self.base
        asked = weigh_questions({place: base.get(place, 0.0) for place in places}, self.columns)
        return weigh_speakers(asked, self.spoken_by_named, self.speaker)


def weigh_memories(
    base: Mapping[int, float], asked: ParsedQuestion, columns: Columns, first_date: int, speaker: float
) -> Weighed:
    """Weigh the memories of a stream.

    score = (own + beside + session + date) · length · named · answers

    Args:
        base: Scores by words, or by vectors.
        speaker: Factor for memories of the people that the question names.
    """
    spoken = columns.spoken_by(asked.named)
    sharing = _best_of(base, MOST_SHARING)
    beside = weigh_neighbours(sharing, spoken, columns)
    session = weigh_sessions(weigh_speakers(weigh_questions(sharing, columns), spoken, speaker), columns.sessions)
    answering = columns.telling[asked.wants] if asked.wants else NO_PLACES
    undated = Weighed(columns, base, beside, session, (), spoken, speaker, answering)
    if not asked.spans:
        return undated
    return replace(undated, date=weigh_dates(asked.spans, columns, first_date, undated.best_sum()))


def _best_of(scores: Mapping[int, float], most: int) -> Mapping[int, float]:
    if len(scores) <= most:
        return scores
    least = _highest(list(scores.values()), most)
    return {place: score for place, score in scores.items() if score >= least}


def _highest(values: Sequence[float], number: int) -> float:
    """Return the value of a rank from the highest, without sorting what a sample shows to be too low."""
    sample = sorted(values[::_SAMPLED])
    pivot = sample[-min(len(sample), 2 * number // _SAMPLED)]
    high = [value for value in values if value >= pivot]
    return sorted(high if len(high) >= number else values)[-number]


def weigh_speakers(scores: Mapping[int, float], spoken: Places | None, factor: float) -> Scores:
    """Raise the memories whose speaker the question names; a filter would fail where it confuses people."""
    if spoken is None:
        return dict(scores)
    return {place: score * factor if place in spoken else score for place, score in scores.items()}


def weigh_questions(scores: Mapping[int, float], columns: Columns) -> Scores:
    """Lower questions."""
    asks = columns.questions
    return {place: score * QUESTION if asks[place] else score for place, score in scores.items()}


def weigh_neighbours(scores: Mapping[int, float], spoken: Places | None, columns: Columns) -> Scores:
    """Return what memories get from those before and after them in the same conversation.

    Most for an answer to the question before it; less when another one than the character named answers. ``scores`` are
    by words alone.
    """
    session = columns.sessions
    asks = columns.questions
    shared: Scores = {}
    last = len(session) - 1
    for place, score in scores.items():
        here = session[place]
        if place < last and session[place + 1] == here:
            share = score * (BEFORE_ASKS if asks[place] else BEFORE)
            if spoken is not None and place + 1 not in spoken:
                share *= OTHERS
            shared[place + 1] = shared.get(place + 1, 0.0) + share
        if place + 1 < last and session[place + 2] == here:
            shared[place + 2] = shared.get(place + 2, 0.0) + score * TWO_BEFORE
        if place and session[place - 1] == here:
            shared[place - 1] = shared.get(place - 1, 0.0) + score * AFTER
    return shared


def weigh_sessions(scores: Mapping[int, float], sessions: Sequence[int]) -> dict[int, float]:
    """Return a share of the mean of each conversation's best few memories."""
    members: dict[int, list[float]] = {}
    for place, score in scores.items():
        members.setdefault(sessions[place], []).append(score)
    share, best = SESSION / SESSION_BEST, SESSION_BEST
    return {
        session: share * sum(values if len(values) <= best else nlargest(best, values))
        for session, values in members.items()
    }


def weigh_dates(spans: Sequence[NamedDays], columns: Columns, first_date: int, best: float) -> list[float]:
    """Return each memory's gain for nearness to days of the question: ``best · DATE · exp(-gap / tau)`` a day.

    Args:
        first_date: Ordinal of the real date of day 1; 0 = only memories with a date of their own have one.
        best: The highest score without dates.
    """
    added = [0.0] * columns.size
    for span in spans:
        tau = DATE_TAU_DAYS if span.real else STORY_TAU_DAYS
        known: dict[int, float] = {}  # many memories are of one day
        dates = columns.lexicon.numbers("date") if span.real else repeat(0)
        for place, (date, story_day) in enumerate(zip(dates, columns.days, strict=False)):
            day = _real_day(date, story_day, first_date) if span.real else story_day
            if day:
                if day not in known:
                    known[day] = DATE * best * math.exp(-span.gap(day) / tau)
                added[place] += known[day]
    return added


def _real_day(date: int, story_day: int, first_date: int) -> int:
    if date:
        return date
    return first_date + story_day - 1 if first_date and story_day else 0
