"""Whether answers in interviews rest on what they cite and quote, and traps are answered with not knowing."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gm.api.experiments.evaluate.material import Material
from gm.api.experiments.evaluate.measure import ALL, BY_WILSON, SEED, Case, Figure, Found, Measure, count_figure, share
from gm.base.casefold import says
from gm.base.languages import language_of, languages
from gm.base.texts import clip
from gm.memory.recall.words import is_stop_word, split_words, stem
from gm.model.calendar import moment_of
from gm.model.interview import SOURCES, InterviewAnswer
from gm.model.node import Node

NOT_KNOWING = {code: language_of(code).not_knowing for code in languages()}
"""Phrases that say "I don't know", by language."""
SHOWN_CHARACTERS = 160
COMMON = 10
"""A word identifies a memory if at most one memory in this many contains it."""
DRAWS = 200
_Judged = tuple[InterviewAnswer, str]


@dataclass(frozen=True, slots=True)
class _Own:
    """The memories of a character, the stems of each that tell it from most others, and the stems of too many."""

    nodes: Mapping[str, Node]
    telling: Mapping[str, frozenset[str]]
    common: frozenset[str]


NOTHING = _Own({}, {}, frozenset())


def _index_words(nodes: Mapping[str, Node], language: str) -> _Own:
    stems = {name: _stems(node.description, language) for name, node in nodes.items()}
    among = Counter(stem for found in stems.values() for stem in found)
    most = max(1, len(nodes) // COMMON)
    common = frozenset(stem for stem, count in among.items() if count > most)
    return _Own(nodes, {name: frozenset(found - common) for name, found in stems.items()}, common)


def _measure_support(material: Material) -> Found:
    if not material.interviews:
        return (), (), "no interview is kept: gm interview"
    language = material.world.settings.language
    own = {name: _index_words(nodes, language) for name, nodes in material.known.items()}
    said = [one for one in material.interviews if one.answer.strip()]
    answers = [one for one in said if not one.without]
    sincere, traps = _judge_answers(answers, own, language)
    by_memory = [(one, _fault_of_cited(one, own.get(one.agent, NOTHING), language)) for one, _ in sincere]
    figures = [
        _share(ALL, "supported", sincere),
        _share(ALL, "supported by a memory", by_memory),
        Figure(of=ALL, name="supported by chance", value=_chance(sincere, own, language), count=DRAWS),
        *_figures_of_lines([one for one, _ in sincere], own, language),
        share(ALL, "names another source", sum(map(_is_unchecked, sincere)), len(sincere)),
        _share(ALL, "traps: not known", traps),
        count_figure(ALL, "without an answer", len(material.interviews) - len(said)),
    ]
    for kind in dict.fromkeys(one.kind for one, _ in sincere):
        figures.append(_share(ALL, f"supported: {kind}", [found for found in sincere if found[0].kind == kind]))
    for name in dict.fromkeys(one.agent for one in answers):
        for what, found in (("supported", sincere), ("traps: not known", traps)):
            figures.append(_share(name, what, [one for one in found if one[0].agent == name]))
    for without in dict.fromkeys(one.without for one in said if one.without):
        kept_from = _judge_answers([one for one in said if one.without == without], own, language)
        for what, judged in zip(("supported", "traps: not known"), kept_from, strict=True):
            figures.append(_share(ALL, f"{what}, without {' and '.join(without)}", judged))
    cases = [
        Case(agent=one.agent, at=one.at, text=f"{one.key}, {why}: {clip(one.answer, SHOWN_CHARACTERS)}")
        for one, why in (*traps, *sincere)
        if why and (one.cited or one.quotes or not one.sources)
    ]
    return figures, cases, ""


def _judge_answers(
    answers: Iterable[InterviewAnswer], own: Mapping[str, _Own], language: str
) -> tuple[list[_Judged], list[_Judged]]:
    """Return answers and answers to traps, each with its fault; empty = none."""
    sincere: list[_Judged] = []
    traps: list[_Judged] = []
    for one in answers:
        if one.trap:
            traps.append((one, "" if says_not_knowing(one.answer) else "a trap, answered"))
        else:
            sincere.append((one, _fault(one, own.get(one.agent, NOTHING), language)))
    return sincere, traps


def _chance(sincere: Sequence[_Judged], own: Mapping[str, _Own], language: str) -> float | None:
    """Return the share that would be supported if each answer cited and quoted as many memories at random."""
    dice, hits = random.Random(SEED), 0
    for one, _ in sincere:
        mine, said = own.get(one.agent, NOTHING), _stems(one.answer, language)
        unasked, cites = said - _stems(one.question, language), len(one.cited)
        telling = sorted(mine.telling)
        for _ in range(DRAWS):
            drawn = dice.sample(telling, min(cites + len(one.quotes), len(telling)))
            hits += any((said if place < cites else unasked) & mine.telling[name] for place, name in enumerate(drawn))
    return hits / (DRAWS * len(sincere)) if sincere else None


def _figures_of_lines(
    answers: Sequence[InterviewAnswer], own: Mapping[str, _Own], language: str
) -> tuple[Figure, Figure]:
    """Return the share of all cited and quoted lines that support, and what is expected of memories at random."""
    good, lines, expected = 0, 0, 0.0
    for one in answers:
        mine, said = own.get(one.agent, NOTHING), _stems(one.answer, language)
        good += sum(bool(said & mine.telling[node.id]) for node in _find_cited_memories(one, mine))
        good += sum(_do_quotes_support(one, mine, language))
        lines += len(one.cited) + len(one.quotes)
        unasked = said - _stems(one.question, language)
        for count, words in ((len(one.cited), said), (len(one.quotes), unasked)):
            alike = sum(bool(words & telling) for telling in mine.telling.values())
            expected += count * alike / max(1, len(mine.telling))
    chance = Figure(of=ALL, name="such lines by chance", value=expected / lines if lines else None, count=lines)
    return share(ALL, "named lines that support", good, lines), chance


def _share(of: str, name: str, found: Iterable[_Judged]) -> Figure:
    faults = [why for _, why in found]
    return share(of, name, faults.count(""), len(faults))


def _is_unchecked(judged: _Judged) -> bool:
    one, why = judged
    return bool(why and one.sources and not one.quotes)


def _fault(one: InterviewAnswer, own: _Own, language: str) -> str:
    """Return why nothing that an answer cites or quotes supports it; empty when something does."""
    cited = _fault_of_cited(one, own, language)
    if not cited or not one.quotes:
        return cited
    if any(_do_quotes_support(one, own, language)):
        return ""
    quoted = f"shares no telling word with what it quotes ({', '.join(dict.fromkeys(q.source for q in one.quotes))})"
    return f"{cited}, and {quoted}" if one.cited else quoted


def _fault_of_cited(one: InterviewAnswer, own: _Own, language: str) -> str:
    """Return why no memory that an answer cites supports it; empty when one does."""
    if not one.cited:
        return "cites nothing"
    if not own.nodes.keys() & {*one.cited}:
        return f"cites no memory of its own ({', '.join(one.cited)})"
    known = _find_cited_memories(one, own)
    if not known:
        return f"cites only what came later ({', '.join(one.cited)})"
    said = _stems(one.answer, language)
    if not any(said & own.telling[node.id] for node in known):
        return f"shares no telling word with what it cites ({', '.join(one.cited)})"
    return ""


def _do_quotes_support(one: InterviewAnswer, own: _Own, language: str) -> list[bool]:
    said = _stems(one.answer, language) - _stems(one.question, language) - own.common
    return [bool(said & _stems(quote.words, language)) for quote in one.quotes]


def _find_cited_memories(one: InterviewAnswer, own: _Own) -> list[Node]:
    """Return the own memories that an answer cites, without what came later."""
    asked = moment_of(one.at)
    found = [own.nodes[cited] for cited in one.cited if cited in own.nodes]
    # after a whole day: all of that day's memories are known
    return [node for node in found if (node.when <= asked if asked.scene else node.when.day <= asked.day)]


def _stems(text: str, language: str) -> set[str]:
    return {stem(word, language) for word in split_words(text) if not is_stop_word(word, language)}


def says_not_knowing(answer: str) -> bool:
    """Return whether an answer holds a phrase of ``NOT_KNOWING``, of any language."""
    return any(says(answer, phrase) for phrases in NOT_KNOWING.values() for phrase in phrases)


SUPPORT = Measure(
    name="support",
    definition="Of the kept answers of interviews to questions that are not traps, the share that is supported by a"
    " memory or by a quote. A memory supports an answer that cites it if it exists, is the character's own, is not"
    " younger than the moment, and shares with the answer a content word (by its stem) that stands in at most one of"
    f" {COMMON} of its memories. A quote of what has no id (" + ", ".join(SOURCES) + "), which gm found before"
    " the question in the letter, supports it if it shares such a word that is not one of the question's own."
    " Beside it the share that a memory supports, the share that would be supported by chance (as many memories drawn"
    f" as are cited and quoted, mean of {DRAWS} draws, seed {SEED}; near 1 where answers name many lines), the share of"
    " all these lines that support their answer, with what is expected of memories at random, and the share of answers"
    " that are not supported, name such a source and quote nothing, which cannot be checked. Of those to traps, the"
    " share that holds a phrase of not knowing: "
    + "; ".join(f"{language}: {', '.join(phrases)}" for language, phrases in NOT_KNOWING.items())
    + ". Questions that got no answer count apart, and so do answers from which something was"
    " kept (--without).",
    source="state/.gm/interviews; the kinds of questions: Park et al. 2023, appendix B. The rule of support is gm's"
    " own: it finds false citations, and knows no paraphrase; it does not check whether a quote is of the"
    " source that it names",
    compute=_measure_support,
    interval=BY_WILSON,
)
