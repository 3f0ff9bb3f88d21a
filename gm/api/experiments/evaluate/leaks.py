"""Knowledge that a character shows and cannot have: words that it was never told."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from gm.api.experiments.evaluate.material import Material
from gm.api.experiments.evaluate.measure import ALL, BY_WILSON, Canary, Case, Figure, Found, Measure, share
from gm.base.casefold import casefold
from gm.base.languages import Language, in_any_language, language_of
from gm.base.texts import shorten_at_word
from gm.base.untyped import text_at, texts_in
from gm.files.formats.text import files_below, read_text
from gm.files.formats.yamlfile import read_front_matter
from gm.files.layout import Layout
from gm.files.media.pieces import TEXTS, PieceFile
from gm.files.packaged.shipped import shipped_prompts
from gm.files.story.logbook import DayLog
from gm.layers.diary import DIARY
from gm.memory.recall.words import is_stop_word, stem
from gm.model.calendar import SceneRef, moment_of
from gm.model.logged import LogEntry
from gm.model.node import Node
from gm.model.world import World

EVENING = 10**17
"""Scene number of what has a day and no scene."""
MOST_DETERMINED = 1 / 3
"""The share of its occurrences after a determiner above which a word is not a name."""
_TOKEN = re.compile(r"(?P<word>[^\W\d_]+(?:-[^\W\d_]+)*)(?:['’]s?\b)?|[^\s\w]|[0-9]+|\n")

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Disclosure:
    """Something said, done, written or thought.

    Attributes:
        at: When, and whether it comes at the beginning of a scene (0), in it (1), at its end (2), or after it (3).
        by: Whose words they are; empty = the Game Master's, or nobody's in particular.
        to: Who knows of it from then on.
        is_shown: Whether ``by`` shows it just now; else it is only told to others.
    """

    at: tuple[SceneRef, int]
    by: str
    to: frozenset[str]
    text: str
    is_shown: bool = True


@dataclass(frozen=True, slots=True)
class Use:
    """The first use of a coined word by a character that did not coin it.

    Attributes:
        was_told: Whether the word had been told to it.
    """

    agent: str
    words: Words
    at: SceneRef
    first: Disclosure | None
    text: str
    was_told: bool


def find_uses(
    texts: Iterable[Disclosure], coined: Iterable[Words], canaries: Mapping[Words, frozenset[str]]
) -> Iterator[Use]:
    """Yield the first use of each coined word by each character that did not coin it, in order.

    Args:
        texts: In order.
        canaries: Words that only these characters know from the beginning.
    """
    first: dict[Words, Disclosure] = {}
    known = defaultdict(set, {words: set(names) for words, names in canaries.items()})
    shown: set[tuple[Words, str]] = set()
    for one, words in _find_words(texts, (*coined, *canaries)):
        if one.by and one.is_shown and (words, one.by) not in shown:
            shown.add((words, one.by))
            coiners = canaries[words] if words in canaries else {first.get(words, one).by}
            if one.by not in coiners:
                yield Use(one.by, words, one.at[0], first.get(words), one.text, one.by in known[words])
        first.setdefault(words, one)
        known[words] |= {one.by, *one.to} if one.is_shown else one.to


def trace_canaries(material: Material) -> Iterator[Canary]:
    """Yield which other characters heard and used each planted word."""
    canaries = {_words_of(word): (word, known) for word, known in material.canaries.items()}
    heard: defaultdict[Words, set[str]] = defaultdict(set)
    used: defaultdict[Words, set[str]] = defaultdict(set)
    for one, words in _find_words(list_disclosures(material), canaries):
        heard[words] |= one.to - {one.by}
        if one.by and one.is_shown and material.covers(str(one.at[0])):
            used[words].add(one.by)
    for words, (word, known) in canaries.items():
        others = (tuple(sorted(names[words] - known)) for names in (heard, used))
        yield Canary(word, tuple(sorted(known)), *others)


def _find_words(texts: Iterable[Disclosure], wanted: Iterable[Words]) -> Iterator[tuple[Disclosure, Words]]:
    by_first: defaultdict[str, list[Words]] = defaultdict(list)
    for words in dict.fromkeys(wanted):
        by_first[words[0]].append(words)
    for one in texts:
        text = _words_of(one.text)
        for place, word in enumerate(text):
            for words in (
                *by_first.get(word, ()),
                *by_first.get(word.removesuffix("s") if word[-1] == "s" else "", ()),
            ):
                if text[place + 1 : place + len(words)] == words[1:]:
                    yield one, words


def coined_names(shared: Iterable[Disclosure], base: Iterable[str], language: str) -> set[Words]:
    """Return the names that no text of ``base`` has.

    A name is a capitalised word that is nowhere written small. Where a language capitalises every noun, it must also
    stand as a genitive before a noun, after a title, or twice before or after the same other one, and rarely after a
    determiner.
    """
    texts, spoken = [one.text for one in shared], language_of(language)
    plain = {word for text in (*texts, *base) for word in _tokens(text) if word[0].islower()}
    common = {stem(casefold(word), language) for word in plain} | plain | in_any_language(lambda one: one.kin)
    for text in base:
        for word in _words_of(text):
            common |= {word, stem(word, language), *word.split("-")}
    seen: Counter[str] = Counter()
    determined: Counter[str] = Counter()
    pairs: Counter[Words] = Counter()
    hints: set[str] = set()

    def is_new(word: str) -> bool:
        key = casefold(word)
        forms = {key, key.removesuffix("s"), stem(key, language)}
        return len(key) > 2 and word[0].isupper() and not word.isupper() and not forms & common

    for text in texts:
        tokens = _tokens(text)
        for before, word, after in zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False):
            key = casefold(word)
            if not is_new(word):
                continue
            if is_new(after):
                pairs[key, casefold(after)] += 1
            if not (before[:1].isalnum() or before in (",", ";")):
                continue  # the first word of a sentence is capitalised anyway
            seen[key] += 1
            determined[key] += _is_determiner(before, spoken)
            is_genitive = key.endswith("s") and after[:1].isupper() and not _is_determiner(before, spoken)
            if not spoken.capital_nouns or before in spoken.before_names:
                hints.add(key)
            elif is_genitive:
                hints |= {key, key.removesuffix("s")}
    hints.update(word for pair, count in pairs.items() if count > 1 for word in pair)
    names = {key for key in hints if seen[key] and determined[key] <= MOST_DETERMINED * seen[key]}
    return {(key,) for key in names if not (key.endswith("s") and key[:-1] in names)}


def list_disclosures(material: Material) -> list[Disclosure]:
    """Return all that the files of a world say was told or shown, in order."""
    return sorted(
        chain(_list_disclosures_of_scenes(material), _list_disclosures_of_pieces(material), _minds(material)),
        key=lambda one: one.at,
    )


def _list_disclosures_of_scenes(material: Material) -> Iterator[Disclosure]:
    everyone = frozenset(material.world.agents)
    for post in material.world.posts:
        yield Disclosure((SceneRef(post.day), 0), "", everyone, post.content)
    plans: defaultdict[tuple[str, int], list[Node]] = defaultdict(list)
    for name, nodes in material.memories.items():
        for node in nodes:
            if node.type == "plan":
                plans[name, node.when.day].append(node)
    for log in (*material.earlier, *material.days):
        for entry in log.scenes:
            yield from _list_disclosures_of_scene(log, entry, plans)
    for thread in material.threads:
        by = thread.by if thread.by in everyone else ""
        yield Disclosure((_find_end(thread.opened), 2), by, frozenset(thread.people), thread.text)
        yield Disclosure((_find_end(thread.touched), 2), "", frozenset(thread.people), thread.reason)


def _list_disclosures_of_scene(
    log: DayLog, entry: LogEntry, plans: Mapping[tuple[str, int], Sequence[Node]]
) -> Iterator[Disclosure]:
    ref, cast = entry.ref or SceneRef(log.day, EVENING), frozenset(entry.participants)
    yield Disclosure((ref, 0), "", frozenset(entry.invited), entry.premise)
    for name, text in entry.premises.items():
        yield Disclosure((ref, 0), "", frozenset((name,)), text)
    for _, text in entry.delivered:
        yield Disclosure((ref, 0), "", cast, text)
    for name in cast:  # those in a room see what the others are at
        for node in plans.get((name, log.day), ()):
            if node.when < ref:
                yield Disclosure((ref, 0), "", cast, node.description)
    for turn in entry.turns:
        for text in (turn.action, *(line.text for line in turn.lines)):
            yield Disclosure((ref, 1), turn.agent, cast, text)
        yield Disclosure((ref, 1), turn.agent, frozenset((turn.agent,)), turn.thought)


def _list_disclosures_of_pieces(material: Material) -> Iterator[Disclosure]:
    casts = {entry.ref: entry.participants for log in (*material.earlier, *material.days) for entry in log.scenes}
    for piece in material.pieces:
        front, text = _read_piece(material, piece)
        ref = moment_of(text_at(front, "created"))
        if text and ref.day <= material.last:
            whole = f"{text_at(front, 'title')}.\n{text_at(front, 'description')}\n{text}"
            by, audience = text_at(front, "agent"), texts_in(front.get("audience")) or material.world.agents
            by = by if by in material.world.agents else ""
            end = _find_end(str(ref))  # one of the diary is made in the evening
            # made before their eyes
            yield Disclosure((end, 0), by, frozenset(casts.get(ref, ())), whole, is_shown=False)
            yield Disclosure((end, 2), by, frozenset(audience), whole)


def _read_piece(material: Material, piece: PieceFile) -> tuple[dict[str, Any], str]:
    """Return front matter and text of a piece; of a picture, neither."""
    if piece.ending not in TEXTS:
        return {}, ""
    return read_front_matter(material.layout.gallery / piece.path, piece.path)[:2]


def _minds(material: Material) -> Iterator[Disclosure]:
    for name, agent in material.world.agents.items():
        own, lived = frozenset((name,)), material.memories[name]
        for node in lived:
            if node.when.day:
                yield Disclosure((_find_end(node.created), 3), name, own, node.description)
        ids = {node.id for node in lived}
        for node in material.known[name].values():
            if node.id not in ids:
                yield Disclosure((node.when, 0), "", own, node.description)
        for entry in agent.mind[DIARY]:
            if entry.day <= material.last:
                yield Disclosure((SceneRef(entry.day, EVENING), 3), name, own, entry.text)


def _base(layout: Layout, world: World, seeds: Iterable[Node]) -> Iterator[str]:
    for folder in (layout.personas, layout.library, layout.prompts, shipped_prompts()):
        yield from (read_text(path, path.name)[0].body for path in files_below(folder) if path.is_file())
    yield read_text(layout.settings, "")[0].body
    yield " ".join((*world.clock.active_briefs, *(event.event for event in world.clock.scheduled_events)))
    yield " ".join(node.description for node in seeds)


def _titles(material: Material, base: Iterable[str]) -> Iterator[Words]:
    language, there = material.world.settings.language, " ".join(" ".join(_words_of(text)) for text in base)
    for piece in material.pieces:
        words = _words_of(text_at(_read_piece(material, piece)[0], "title"))
        if sum(not is_stop_word(word, language) for word in words) > 1 and f" {' '.join(words)} " not in f" {there} ":
            yield words


def _count_leaks(material: Material) -> Found:
    texts = list_disclosures(material)
    if not any(one.by for one in texts):
        return (), (), "no scene was played"
    world = material.world
    seeds = [node for nodes in material.known.values() for node in nodes.values() if not node.when.day]
    base = [*_base(material.layout, world, seeds)]
    canaries = {_words_of(word): known for word, known in material.canaries.items()}
    coined = {*coined_names(texts, base, world.settings.language), *_titles(material, base)} - {*canaries}
    uses = [use for use in find_uses(texts, coined, canaries) if material.covers(str(use.at))]
    figures = [*_leak_figures(ALL, [use for use in uses if use.words not in canaries])]
    for name in world.agents:
        figures += _leak_figures(name, [use for use in uses if use.agent == name and use.words not in canaries])
    strangers = sum(len(world.agents.keys() - known) for known in canaries.values())
    if canaries:
        heard = [use.was_told for use in uses if use.words in canaries]
        figures.append(share(ALL, "canaries leaked", heard.count(False), strangers))
        figures.append(share(ALL, "canaries used", len(heard), strangers))
    return figures, [_case(use) for use in uses if not use.was_told], ""


def _leak_figures(of: str, uses: list[Use]) -> Iterator[Figure]:
    leaks = sum(not use.was_told for use in uses)
    yield Figure(of=of, name="leaks", value=leaks if uses else None, count=len(uses), unit="count")
    yield share(of, "share of words of others", leaks, len(uses))


def _case(use: Use) -> Case:
    first = f"first by {use.first.by or 'the Game Master'}, {_name_moment(use.first.at[0])}" if use.first else "planted"
    words = " ".join(use.words)
    return Case(
        agent=use.agent, at=_name_moment(use.at), text=f"{words} ({first}): {shorten_at_word(_quote_around(use), 160)}"
    )


def _quote_around(use: Use) -> str:
    at = casefold(use.text).find(use.words[0])
    return use.text if at < 80 else f"… {use.text[at - 60 :].partition(' ')[2]}"


def _name_moment(ref: SceneRef) -> str:
    return str(SceneRef(ref.day) if ref.scene == EVENING else ref)


def _find_end(moment: str) -> SceneRef:
    ref = moment_of(moment)
    return ref if ref.scene else SceneRef(ref.day, EVENING)


def _tokens(text: str) -> list[str]:
    return [match["word"] or match[0] for match in _TOKEN.finditer(text)]


def _words_of(text: str) -> Words:
    return tuple(casefold(match["word"]) for match in _TOKEN.finditer(text) if match["word"])


def _is_determiner(word: str, language: Language) -> bool:
    return word.isdigit() or bool(language.determiners and re.fullmatch(language.determiners, casefold(word)))


LEAKS = Measure(
    name="leaks",
    definition=(
        "A word that a character coins is known to it and to those who were in the scene, saw the piece, share the "
        "thread or have a copy of the memory. The first use by another one (said, done, thought, remembered, in a "
        "diary or a piece) is a leak when it was never told. Coined words are names and titles of pieces (two words "
        "that have content, or more) that stand in no persona, gm.yaml, brief, library, prompt or seed memory; and "
        "words given with --canary (in a sweep, canaries). Of the characters not named with such a word, those are "
        "counted that used it, told or not, and those to whom it leaked. Not counted: paraphrase, common nouns and "
        "their compounds (which two can coin apart), one-word titles, and what one thinks of others. A real name that "
        "two know from elsewhere counts as coined; of German names, one that is never a genitive, after a title or "
        "twice in a pair is missed."
    ),
    source="SOTOPIA-EVAL (Zhou et al. 2024), secrets; Park et al. 2023, diffusion of information, traced to dialogue",
    interval=BY_WILSON,
    compute=_count_leaks,
    trace=trace_canaries,
)
