"""Whether a scene's window holds the memories that its characters use, by how it is chosen.

On days that language models played (the recorded days of the studio, and ``played-studio.zip`` in ``BENCH_DATA``) and
on rehearsed months. A memory of an earlier day counts as used when an answer of the scene cites it as evidence, says it
again (``bench.used``), or closes a thread that it tells of. Characters only use what they were shown, and shown were
the newest: so ``recent`` has an advantage here that it would not have for memories beyond its window.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from statistics import mean

from bench import used
from bench.letters import Letter, played, recorded, rehearsed
from bench.table import Row
from gm.base.config import RecallSettings
from gm.files.packaged.kinds import load_kinds
from gm.memory.recall.columns import Columns
from gm.memory.recall.lexicon import MemoryLexicon
from gm.memory.recall.query import Filters, Purpose, Query
from gm.memory.recall.scored import RecallInputs
from gm.memory.recall.strategies import rank_memories
from gm.memory.recall.window import ON_MIND
from gm.model.node import Node

MONTH = 30
TEMPLATES = ("studio", "orbit")
"""German and English."""
SIZES = (10, 20, 30, 50)
DRAWS = 2000
LOOKED_AT = 300
"""Letters, at least, that the rule is tried on with the memories of others."""
USUAL = ("place", "topic", "premise", "intent", "task", "plan", "names")
"""What a scene's question is made of."""
MORE = ("own", "threads", "known", "pieces")
THREAD = "thread"
KINDS: Mapping[str, Callable[[Letter], frozenset[str]]] = {
    "cited": used.cited,
    "said again": used.said_again,
    THREAD: used.told_of_closed,
}
REHEARSED = ("cited", THREAD)
"""A rehearsal says the same sentences again and again, also those of memories that it was not shown."""


@dataclass(frozen=True)
class Choice:
    """A way to choose a window.

    Attributes:
        parts: Of the scene's question.
        recency: Weight of recency in ``hybrid``; None = as configured for the purpose.
        newest: Share of the window that is the newest memories; 0 = ``ON_MIND`` of them.
        without: A part of ``scored`` that does not count.
    """

    strategy: str
    parts: tuple[str, ...] = USUAL
    recency: float | None = None
    newest: float = 0.0
    without: str = ""
    purpose: Purpose = "window"

    def count_newest(self, last: int) -> int:
        return max(min(last, ON_MIND), int(last * self.newest))


RECENT = Choice("recent")
HYBRID = Choice("hybrid")
CHOICES: Mapping[str, Choice] = {
    "recent": RECENT,
    "tags": Choice("tags"),
    "scored": Choice("scored"),
    **{f"scored, no {part}": Choice("scored", without=part) for part in ("relevance", "recency", "importance")},
    "hybrid": HYBRID,
    "hybrid, purpose now": Choice("hybrid", purpose="now"),
    "hybrid, no recency": Choice("hybrid", recency=0.0),
    "hybrid, recency 1": Choice("hybrid", recency=1.0),
    "half newest, half hybrid": Choice("hybrid", newest=0.5),
    "half newest, half hybrid, no recency": Choice("hybrid", recency=0.0, newest=0.5),
    **{f"hybrid + {part}": Choice("hybrid", (*USUAL, part)) for part in MORE},
    "hybrid, no recency + own": Choice("hybrid", (*USUAL, "own"), 0.0),
    "hybrid, no recency + threads": Choice("hybrid", (*USUAL, "threads"), 0.0),
    "hybrid, no task, no plan": Choice("hybrid", tuple(part for part in USUAL if part not in ("task", "plan"))),
}
QUESTIONS = (USUAL, (*USUAL, "own", "threads"), ("topic", "own", "threads", "names"))
GRID = [Choice("hybrid", *item) for item in product(QUESTIONS, (0.0, 1.0, None), (0.0, 0.5))]
GRID_SIZES = (10, 20)
REMINDED = 7
REMINDERS: Mapping[str, Choice] = {
    "newest": RECENT,
    "hybrid without the last lines": Choice("hybrid", purpose="now"),
    "hybrid with the last lines": Choice("hybrid", (*USUAL, "said"), purpose="now"),
    "hybrid with the last lines, no recency": Choice("hybrid", (*USUAL, "said"), 0.0, purpose="now"),
}
"""What the question of ``rag`` can be; with the last lines is as it is."""


@dataclass(frozen=True)
class Case:
    """One character in one scene: the letter at its beginning, and what it used of earlier days, by kind."""

    letter: Letter
    used: Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Look:
    """Which memories are chosen from, and which uses count."""

    what: str
    lived: bool
    kinds: tuple[str, ...]


def looks_at(kinds: tuple[str, ...]) -> tuple[Look, ...]:
    """Return the looks for some kinds of use."""
    others = tuple(kind for kind in kinds if kind != THREAD)
    return (
        Look("lived ones, as all reflections are in every window", True, kinds),
        Look("as if reflections had to be chosen too", False, kinds),
        Look("the same, without threads, for their texts are part of some questions", False, others),
    )


def run() -> tuple[Row, ...]:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as folder:
        describe("played by language models", [*recorded(Path(folder)), *played()])
        for template in TEMPLATES:
            letters = rehearsed(Path(folder), template, MONTH)
            describe(f"{template}, {MONTH} days rehearsed", letters, REHEARSED)
    return ()


def describe(title: str, letters: Sequence[Letter], kinds: tuple[str, ...] = tuple(KINDS)) -> None:
    """Print what was used, where it stood, and which windows would have held it."""
    print(f"\n-- {title}")
    scenes = [letter for letter in letters if letter.kind == "scene"]
    _print_rule(scenes)
    _print_places(letters, kinds)
    cases = cases_of(scenes, kinds)
    looks = looks_at(kinds)
    for look in looks:
        print(f"used memories of earlier days: {look.what}")
        _print_ranks(cases, look)
        _print_windows(cases, look)
        _print_left_out(cases, look)
    _print_reminders([Case(letter, _uses([letter], kinds)) for letter in scenes], looks[1])


def cases_of(letters: Iterable[Letter], kinds: Iterable[str]) -> list[Case]:
    """Return the cases of scenes: the question at the beginning, and all that was used in any turn."""
    turns: dict[tuple[str, str, str], list[Letter]] = defaultdict(list)
    for letter in letters:
        turns[letter.source, letter.place, letter.who].append(letter)
    found = []
    for own in turns.values():
        found.append(Case(own[0], _uses(own, kinds)))
    return found


def _uses(letters: Sequence[Letter], kinds: Iterable[str]) -> Mapping[str, frozenset[str]]:
    return {kind: frozenset().union(*map(KINDS[kind], letters)) for kind in kinds}


def targets(case: Case, look: Look) -> frozenset[str]:
    """Return what a window should hold."""
    wanted = frozenset().union(*(case.used[kind] for kind in look.kinds))
    return frozenset(node.id for node in pool(case, look) if node.id in wanted)


def pool(case: Case, look: Look) -> tuple[Node, ...]:
    """Return the memories that a window is chosen from."""
    return tuple(node for node in case.letter.settled if not (look.lived and node.depth))


_COLUMNS: dict[tuple[object, ...], Columns] = {}
_ORDERS: dict[tuple[object, ...], tuple[str, ...]] = {}


def order(case: Case, nodes: tuple[Node, ...], choice: Choice) -> tuple[str, ...]:
    """Return the ids of memories in the order in which a choice takes them."""
    letter = case.letter
    stream = (letter.source, letter.who, tuple(node.id for node in nodes))
    text = " ".join(filter(None, (letter.parts[part] for part in choice.parts)))
    key = (*stream, letter.place, choice.strategy, text, choice.recency, choice.without, choice.purpose)
    if key not in _ORDERS:
        if stream not in _COLUMNS:
            _COLUMNS[stream] = Columns(MemoryLexicon(letter.who, nodes, letter.language))
        settings = RecallSettings()
        if choice.recency is not None:
            settings = replace(settings, now_recency=choice.recency, window_recency=choice.recency)
        if choice.without:
            settings = replace(settings, weights={choice.without: 0.0})
        query = Query(
            text,
            letter.who,
            letter.day,
            letter.scene,
            choice.purpose,
            letter.people,
            letter.weekdays,
            tags=tuple(letter.parts["names"].split()),
        )
        means = RecallInputs(settings, things=load_kinds)
        found = rank_memories(choice.strategy, query, [_COLUMNS[stream]], Filters(), 10**6, means)
        best = [hit.entry.id for hit in found.hits]
        known = set(best)
        _ORDERS[key] = (*best, *(node.id for node in reversed(nodes) if node.id not in known))
    return _ORDERS[key]


def window(case: Case, choice: Choice, last: int, look: Look) -> frozenset[str]:
    """Return the ids in a window of ``last`` memories."""
    nodes = pool(case, look)
    newest = choice.count_newest(last)
    older = nodes[:-newest]
    chosen = order(case, older, choice)[: last - newest] if older else ()
    return frozenset((*(node.id for node in nodes[-newest:]), *chosen))


def _print_rule(letters: Sequence[Letter]) -> None:
    letters = letters[:: max(1, len(letters) // LOOKED_AT)]
    size = sum(len(letter.before) for letter in letters)
    own = sum(len(used.said_again(letter)) for letter in letters)
    print(
        f"{len(letters)} letters of scenes looked at; said again: {own} of {size:,} pairs of letter and memory",
        end="",
    )
    for unread in (False, True):
        found = [used.found_by_chance(letter, unread=unread) for letter in letters]
        by_chance = sum(one for one, _ in found) / max(1, sum(of for _, of in found))
        label = ", in words that no own memory holds" if unread else "; with memories of others"
        print(f"{label} {by_chance * size:.1f} ({100 * by_chance * size / max(1, own):.0f} %)", end="")
    print()


def _print_places(letters: Sequence[Letter], kinds: Iterable[str]) -> None:
    counts: Counter[tuple[str, str, str]] = Counter()
    for letter in letters:
        nodes = {node.id: node for node in letter.before}
        for kind in kinds:
            for name in KINDS[kind](letter):
                counts[letter.kind, kind, _place_of(nodes[name], letter)] += 1
    for (letter_kind, kind, place), count in sorted(counts.items()):
        print(f"  {letter_kind}, {kind}: {count} {place}")


def _place_of(node: Node, letter: Letter) -> str:
    age = "of an earlier day" if node.when.day < letter.day else "of the same day"
    depth = "reflections" if node.depth else "lived"
    shown = (
        "in the window"
        if node.description in letter.system
        else "beside it"
        if node.description in letter.text
        else "unseen"
    )
    return f"{depth} {age}, {shown}"


def _print_ranks(cases: Sequence[Case], look: Look) -> None:
    for name in ("recent", "scored", "hybrid", "hybrid, no recency"):
        places = [
            order(case, pool(case, look), CHOICES[name]).index(wanted) / (len(pool(case, look)) - 1)
            for case in cases
            if len(pool(case, look)) > 1
            for wanted in targets(case, look)
        ]
        if places:
            print(
                f"  rank by {name}: {mean(places):.2f} of the stream on average (0 = first, chance 0.50), "
                f"{len(places)} used"
            )


def _print_windows(cases: Sequence[Case], look: Look) -> None:
    for last in SIZES:
        open_cases = [case for case in cases if len(pool(case, look)) > last and targets(case, look)]
        if not open_cases:
            continue
        wanted = sum(len(targets(case, look)) for case in open_cases)
        print(f"  window of {last}, where a stream is longer: {wanted} used, {len(_scenes(open_cases))} scenes")
        base = _hits(open_cases, RECENT, last, look)
        for name, choice in CHOICES.items():
            hits = _hits(open_cases, choice, last, look)
            share, low, high = interval(open_cases, hits)
            more, least, most = interval(
                open_cases, [(one - two, of) for (one, of), (two, _) in zip(hits, base, strict=True)]
            )
            print(
                f"    {name:38} {share:.2f} [{low:.2f}, {high:.2f}]   to recent {more:+.2f} [{least:+.2f}, {most:+.2f}]"
            )


def _hits(cases: Sequence[Case], choice: Choice, last: int, look: Look) -> list[tuple[int, int]]:
    found = []
    for case in cases:
        wanted = targets(case, look)
        found.append((len(wanted & window(case, choice, last, look)), len(wanted)))
    return found


def _scenes(cases: Sequence[Case]) -> dict[tuple[str, str], list[int]]:
    scenes: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, case in enumerate(cases):
        scenes[case.letter.source, case.letter.place].append(number)
    return scenes


def interval(cases: Sequence[Case], hits: Sequence[tuple[int, int]]) -> tuple[float, float, float]:
    """Return a share with its 95 % interval, by drawing scenes."""
    sums = [
        (sum(hits[number][0] for number in numbers), sum(hits[number][1] for number in numbers))
        for numbers in _scenes(cases).values()
    ]
    dice = random.Random(1)
    drawn = sorted(_share(dice.choices(sums, k=len(sums))) for _ in range(DRAWS))
    return _share(sums), drawn[int(0.025 * DRAWS)], drawn[int(0.975 * DRAWS)]


def _share(sums: Sequence[tuple[int, int]]) -> float:
    return sum(one for one, _ in sums) / max(1, sum(of for _, of in sums))


def _print_left_out(cases: Sequence[Case], look: Look) -> None:
    """Choose on all days but one, measure on that one."""
    for last in GRID_SIZES:
        held = [case for case in cases if len(pool(case, look)) > last and targets(case, look)]
        days = sorted({(case.letter.source, case.letter.day) for case in held})
        if len(days) < 2:
            continue
        hits = {choice: _hits(held, choice, last, look) for choice in (*GRID, RECENT, HYBRID)}
        chosen: Counter[Choice] = Counter()
        out: list[tuple[int, int]] = [(0, 0)] * len(held)
        for day in days:
            inside = [number for number, case in enumerate(held) if (case.letter.source, case.letter.day) == day]
            outside = [number for number in range(len(held)) if number not in set(inside)]
            best = max(GRID, key=lambda choice: _share([hits[choice][number] for number in outside]))
            chosen[best] += 1
            for number in inside:
                out[number] = hits[best][number]
        told = "; ".join(f"{count} times {_tell(choice)}" for choice, count in chosen.most_common(4))
        print(f"  chosen on all days but one, of {len(GRID)} ways, window of {last}: {told}")
        for name, base in (("recent", RECENT), ("hybrid as it is", HYBRID)):
            paired = [(one - two, of) for (one, of), (two, _) in zip(out, hits[base], strict=True)]
            more, least, most = interval(held, paired)
            print(f"    {_share(out):.2f} on the days left out; to {name} {more:+.2f} [{least:+.2f}, {most:+.2f}]")


def _print_reminders(cases: Sequence[Case], look: Look) -> None:
    """Print what memories that come to mind turn by turn would add to a window of the newest."""
    for last in GRID_SIZES:
        found: dict[str, list[tuple[int, int]]] = {name: [] for name in REMINDERS}
        held = []
        for case in cases:
            missing = targets(case, look) - window(case, RECENT, last, look)
            if not missing:
                continue
            held.append(case)
            older = pool(case, look)[:-last]
            for name, choice in REMINDERS.items():
                found[name].append((len(missing & {*order(case, older, choice)[:REMINDED]}), len(missing)))
        for name, hits in found.items():
            share, low, high = interval(held, hits) if hits else (0.0, 0.0, 0.0)
            of = sum(count for _, count in hits)
            print(
                f"  {REMINDED} that come to mind beside the newest {last}, {name}: "
                f"{share:.2f} [{low:.2f}, {high:.2f}] of {of}"
            )


def _tell(choice: Choice) -> str:
    recency = "recency as it is" if choice.recency is None else f"recency {choice.recency:g}"
    newest = f", {choice.newest:g} newest" if choice.newest else ""
    return f"[{' '.join(choice.parts)}; {recency}{newest}]"
