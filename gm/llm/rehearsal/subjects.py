"""What a world and a persona give to speak of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from gm.base.languages import either, language_of
from gm.llm.rehearsal.facts import Cue
from gm.llm.rehearsal.quoting import quotables, quote_sentences
from gm.model.derived import derived
from gm.model.world import World

Pack = Mapping[str, tuple[str, ...]]

MOST_SUBJECTS = 80
LONG = 8
"""Characters from which on a capitalised noun of the world is a subject although it occurs but once."""
NEAR = 60
"""Characters around a word that are looked at."""
LEAST, MOST = 16, 105
"""Characters of a sentence that is quoted."""

_SPOKEN = re.compile(r":\s*[»„“\"]([^»«„“”\"]{12,160}?[.!?])[«“”\"]")
_QUOTED = re.compile(r"[»„“\"][^»«„“”\"]*[«“”\"]")
_HEADING = re.compile(r"^#+ .*$", re.MULTILINE)
_UNENDED = re.compile(
    r"(?<=\w)[ \t]*\n(?=[ \t]*(?:\n|\Z))"  # a paragraph without a full stop
    r"|^[ \t]*(?:[-*+] +)?\w+(?: [^\W\d_a-z]\w*){0,3}(?::(?=\s+[^»„“\"\s])|(?=\())"  # Likes: fog, Likes("fog")
    r"|^\* \* \*$|\*(?=[ \t]+[A-Z])|[¡¿]",  # breaks, gestures
    re.MULTILINE,
)
"""Where a sentence ends or begins without a full stop, as in the texts of cards."""
_WORD = re.compile(r"[^\W\d_][\w'-]*")
_TOKEN = re.compile(r"[\w'-]+|[^\w\s]")
_INSIDE = re.compile(r'(?:[\w,;)] |\w [“‘"])\Z')
"""Before a capital that is not one of a sentence, as after a colon or a quotation mark."""
PATTERNS = ("genitive", "dative", "declined", "phrase", "no_phrase", "proper")
"""Slots of a pack that hold patterns."""


@dataclass(frozen=True, slots=True)
class Matters:
    """What can be spoken of; all may be empty.

    Attributes:
        subjects: The persona's listed topics, else noun phrases of its prose; skills; noun phrases of premise,
            rules and brief; places if no topics are listed.
        workable: Those that one can work on.
        sayings: Sentences of premise and rules.
        here: Sentences about the place.
    """

    subjects: tuple[str, ...]
    workable: tuple[str, ...]
    unspoken: tuple[str, ...]
    asked: tuple[str, ...]
    sayings: tuple[str, ...]
    here: tuple[str, ...]
    values: tuple[str, ...]
    lines: tuple[str, ...]
    questions: tuple[str, ...]


def collect_matters(cue: Cue, pack: Pack) -> Matters:
    """Collect what a character can speak of, its persona's secrets aside."""
    settings, persona = cue.world.settings, cue.agent.persona
    words = SubjectWords(
        cue.language,
        hidden=_fold_texts(pack["hidden"]),
        meta=_fold_texts(pack["meta"]),
        no_subject=_fold_texts(pack["no_subject"]),
        bounds=_fold_texts(pack["bounds"]),
        names=_names_in(cue.world) | _fold_texts(_WORD.findall(cue.persona.role)),
        **{key: re.compile(either(pack[key])) for key in PATTERNS},
    )
    own, spoken = _persona_matters(words, persona.prose) if persona else ((), ())
    listed = tuple(cue.topics.values())
    skills = tuple(text for text in _texts(cue.persona.skills) if 4 <= len(text) <= 40)
    premise, rules, places = settings.world.premise, tuple(settings.world.rules), tuple(settings.places)
    written = _world_subjects(words, premise, rules, (), cue.brief)
    shared = _world_subjects(words, premise, rules, places, cue.brief)
    subjects = (*listed, *skills, *written) if listed else (*own, *skills, *shared)
    return Matters(
        _first(subjects),
        shared,
        _first((*listed, *own, *skills, *written)),
        _world_subjects(words, "", (), (), cue.brief),
        _sayings(words, premise, rules),
        tuple(_quotables(settings.places.get(cue.scene.place, ""))),
        _texts(cue.persona.values),
        tuple(line for line in spoken if not line.endswith("?")),
        tuple(line for line in spoken if line.endswith("?")),
    )


@derived
def _names_in(world: World) -> frozenset[str]:
    settings = world.settings
    named = (*(agent.name for agent in world.agents.values()), settings.outside, *settings.calendar.weekdays)
    return _fold_texts(word for name in named for word in _WORD.findall(name))


def _fold_texts(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(text.casefold() for text in texts)


def _first(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))[:MOST_SUBJECTS]


@dataclass(frozen=True, slots=True)
class SubjectWords:
    """A language's words by which subjects are found.

    Attributes:
        meta: Parts of a rule that speaks of the story and not of its world.
        names: Parts of the names of the cast and of days, casefolded.
        genitive: What stands before a noun in the genitive; ``dative``, before one with an ending of the dative.
        declined: A noun that is not in the nominative.
        phrase: What stands before a noun phrase, with a group where the phrase needs more than one word.
        no_phrase: What makes words no noun phrase.
        proper: A name, with a group for its article and one for itself.
    """

    language: str
    hidden: frozenset[str]
    meta: frozenset[str]
    no_subject: frozenset[str]
    bounds: frozenset[str]
    names: frozenset[str]
    genitive: re.Pattern[str]
    dative: re.Pattern[str]
    declined: re.Pattern[str]
    phrase: re.Pattern[str]
    no_phrase: re.Pattern[str]
    proper: re.Pattern[str]


def _has_part(text: str, parts: frozenset[str]) -> bool:
    plain = text.casefold()
    return any(part in plain for part in parts)


@lru_cache(maxsize=256)
def _persona_matters(words: SubjectWords, prose: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    text = " ".join(" ".join(_open_sections(words, prose)).split())
    return _first(_subjects(words, _QUOTED.sub(" ", text))), tuple(dict.fromkeys(_SPOKEN.findall(text)))


@lru_cache(maxsize=256)
def _world_subjects(
    words: SubjectWords, premise: str, rules: tuple[str, ...], places: tuple[str, ...], brief: str
) -> tuple[str, ...]:
    said = " ".join((brief, premise, *(rule for rule in rules if not _has_part(rule, words.meta))))
    # a whole sentence is no subject: "The boat sank."
    whole = {sentence[:-1].casefold() for sentence in quote_sentences(said)}
    plain, found = said.casefold(), [text for text in _subjects(words, said) if text.casefold() not in whole]
    if language_of(words.language).capital_nouns:
        found = [text for text in found if len(text) >= LONG or plain.count(text.casefold()) > 1]
    return _first((*found, *_place_names(words, places)))


@lru_cache(maxsize=256)
def _sayings(words: SubjectWords, premise: str, rules: tuple[str, ...]) -> tuple[str, ...]:
    found = [quote for text in (premise, *rules) for quote in _quotables(text)]
    return tuple(dict.fromkeys(text for text in found if not _has_part(text, words.meta)))


def _quotables(text: str) -> list[str]:
    found = quotables(" ".join(text.split()).replace("; ", ". "), LEAST, MOST)
    return [f"{quote[:1].upper()}{quote[1:]}" for quote in found]


def _open_sections(words: SubjectWords, prose: str) -> Iterator[str]:
    headings = ["", *_HEADING.findall(prose)]
    for heading, section in zip(headings, _HEADING.split(prose), strict=True):
        section = _UNENDED.sub(". ", f"{section.rstrip()}\n")
        if not _has_part(heading, words.hidden):
            # a quotation is one piece, even with several sentences
            yield " ".join(
                part for part in re.split(r"(?<=[.!?«”\"])\s+", section) if not _has_part(part, words.hidden)
            )


def _subjects(words: SubjectWords, text: str) -> list[str]:
    text = " ".join(text.split())
    find = _find_capitalised if language_of(words.language).capital_nouns else _find_after_articles
    return [found for sentence in quote_sentences(text) for found in find(words, sentence)]


def _find_capitalised(words: SubjectWords, sentence: str) -> Iterator[str]:
    run: list[str] = []
    end = -1
    for token in list(_WORD.finditer(sentence))[1:]:
        word, before = token[0], sentence[max(0, token.start() - NEAR) : token.start()].rstrip()
        if not word[0].isupper() or sentence[token.start() - 1] not in " (":
            continue
        if run and token.start() == end + 1:
            run.append(word)
        else:
            yield from _noun(words, run)
            declined = words.genitive.search(before) or (word.endswith("en") and words.dative.search(before))
            run = [] if declined else [word]
        end = token.end()
    yield from _noun(words, run)


def _noun(words: SubjectWords, run: Sequence[str]) -> Iterator[str]:
    plain = {form for word in run for form in (word.casefold(), word.casefold().removesuffix("s"))}
    text = " ".join(run)
    if len(text) <= 4 or len(run) > 3 or words.declined.search(text):
        return
    if not plain & (words.names | words.no_subject):
        yield text


def _find_after_articles(words: SubjectWords, sentence: str) -> Iterator[str]:
    with_article = language_of(words.language).place.format
    end = -1
    for match in words.phrase.finditer(sentence):
        is_clause = match.start() == end  # "the night the boat sank"
        inside = _split_until_bound(words, sentence[match.end() : match.end() + NEAR])
        text, barred = " ".join(inside), words.no_subject | words.names
        end = match.end() + len(text) + 1
        plain = len(inside) > bool(match[1]) and not is_clause and not barred.intersection(inside)
        if plain and not words.no_phrase.search(text):
            yield with_article(text)
    for match in words.proper.finditer(sentence):
        article, name = match[1], match[2]
        is_named = article or _INSIDE.search(sentence, max(0, match.start() - 3), match.start())
        if is_named and not {w.casefold() for w in name.split()} & (words.names | words.no_subject):
            yield with_article(name) if article else name


def _split_until_bound(words: SubjectWords, text: str) -> list[str]:
    found: list[str] = []
    for token in _TOKEN.findall(text):
        if token in words.bounds or not token[0].isalpha():
            return found
        if token.endswith("'"):
            return []
        found.append(token)
        if len(found) > 3 or not token.islower():
            return []
    return found


def _place_names(words: SubjectWords, names: Iterable[str]) -> Iterator[str]:
    yield from filter(None, (say_place(words.language, name) for name in names))


def say_place(language: str, name: str) -> str:
    """Return a place's id as words; empty if it lost its umlauts."""
    known = language_of(language)
    if not known.capital_nouns:
        return known.place.format(re.sub("[-_]", " ", name).removeprefix(known.place.format("")))
    lost = any(pair in name for pair in known.turned.values())
    return name.capitalize() if name.isalpha() and not lost else ""


def _texts(listed: Iterable[str]) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, listed)))
