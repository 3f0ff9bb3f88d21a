"""What an index keeps of a memory: its words and stems, also of a long text in pieces, and what stands beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from threading import Lock
from typing import NamedTuple, Protocol

from gm.base.casefold import casefold, search_key
from gm.base.languages import either, in_any_language, language_of, languages
from gm.base.untyped import texts_in
from gm.memory.recall.dates import ordinal_of, tells_of
from gm.model.node import DATE_KEYS, DIALOGUE, NORMAL, PERSON_KEYS, Node

WORD = re.compile(r"[^\W_]+(?:&[^\W_]+)*(?:['’][^\W_]+)?")
LONGEST = 100
"""A longer word is compared whole: it has no stem and no parts."""
_STEMMING = Lock()  # a stemmer is not thread-safe: it keeps the current word as state


class Stemmer(Protocol):
    """Returns a word's stem."""

    def stemWord(self, word: str) -> str: ...  # noqa: N802


def split_words(text: str) -> list[str]:
    """Return a text's folded words: ``Aschen-Einöde`` is two, ``D&D`` is one, ``Vera's`` is ``vera``."""
    return [_without_genitive(word) for word in WORD.findall(casefold(text))]


def terms_of(text: str, language: str) -> list[str]:
    """Return each word's term, as in an index."""
    return [stem(word, language) for word in split_words(text)]


def stem(word: str, language: str) -> str:
    """Return a folded word's stem: ``Knochentürme``, ``Knochentuerme`` and ``Knochenturms`` are ``knochenturm``.

    Args:
        language: Words of a language without stemmer only lose the spelling of umlauts.

    Source:
        The Snowball stemmers; the German one reads ``ae``, ``oe``, ``ue`` as umlauts.
    """
    return _stem(word, language) if len(word) <= LONGEST else search_key(word)


@lru_cache(maxsize=65536)
def _stem(word: str, language: str) -> str:
    stemmer = _stemmer(language)
    if stemmer is None:
        return search_key(word)
    with _STEMMING:
        return search_key(stemmer.stemWord(word))


def is_stop_word(word: str, language: str) -> bool:
    """Return whether a folded word has no content."""
    return word in language_of(language).stop_words


@cache
def stop_words() -> frozenset[str]:
    """Return the stop words of all languages."""
    return frozenset().union(*(language_of(code).stop_words for code in languages()))


@cache
def _telling_words() -> Mapping[str, frozenset[str]]:
    by = {code: language_of(code).stop_words for code in languages()}
    return {code: words.difference(*(by[other] for other in by if other != code)) for code, words in by.items()}


def count_languages(text: str) -> dict[str, int]:
    """Return for each language the number of stop words that only it has."""
    words = split_words(text)
    return {code: sum(word in telling for word in words) for code, telling in _telling_words().items()}


def detect_language(counts: Mapping[str, int], usual: str) -> str:
    """Return the language of a stream.

    Args:
        counts: Of ``count_languages``, over all memories.
        usual: The world's language: it decides ties, and always counts when it is not declared.
    """
    usual = language_of(usual).code
    if usual not in counts:
        return usual
    first, second = sorted(counts, key=lambda code: -counts[code])[:2]
    return usual if counts[first] == counts[second] else first


def without_stop_words(text: str, language: str) -> list[str]:
    """Return a question's content words; all words where there are none."""
    words = split_words(text)
    return [word for word in words if not is_stop_word(word, language)] or words


def _without_genitive(word: str) -> str:
    for mark in ("'", "’"):
        if mark in word:
            return word[: word.index(mark)]
    return word


@cache
def _stemmer(language: str) -> Stemmer | None:
    name = language_of(language).stemmer
    if not name:
        return None
    import snowballstemmer

    made: Stemmer = snowballstemmer.stemmer(name)
    return made


CHUNK_CHARACTERS = 300
"""Characters (code points) of a piece, as a rule."""

_END = re.compile(r"[.!?…]+[\"'»«›‹“”’)\]]* (?=[\"'»«›‹„“”‚‘(\[]*(?P<first>\w))")


def chunk_text(text: str, most: int = CHUNK_CHARACTERS) -> list[str]:
    """Split a text into pieces of whole sentences; joined with spaces they are the text again.

    A sentence ends with ``.``, ``!`` or ``?`` before a space and a capital, with quotation marks and brackets on either
    side. A longer sentence is cut at its last space that fits; only a single word may exceed ``most`` characters.
    """
    pieces: list[str] = []
    for part in _parts(" ".join(text.split()), most):
        if pieces and len(pieces[-1]) + 1 + len(part) <= most:
            pieces[-1] += " " + part
        else:
            pieces.append(part)
    return pieces


def split_sentences(text: str) -> list[str]:
    """Split a text with single spaces into sentences."""
    ends = [match.end() for match in _END.finditer(text) if match["first"].isupper()]
    bounds = zip([0, *ends], [*ends, len(text)], strict=True)
    return [sentence for begin, end in bounds if (sentence := text[begin:end].strip())]


def _parts(text: str, most: int) -> Iterator[str]:
    for sentence in split_sentences(text):
        while len(sentence) > most:
            cut = sentence.rfind(" ", 0, most + 1)
            cut = cut if cut > 0 else sentence.find(" ")
            if cut < 0:
                break
            yield sentence[:cut]
            sentence = sentence[cut + 1 :]
        yield sentence


BETWEEN = "\x1f"  # between the items of a list that is kept as one text
_NAME = r"[^\W\d_][\w.'’-]*(?: [^\W\d_a-z][\w.'’-]*){0,2}"
_REMARK = re.compile(r"\s*(?:\[[^\]]*\]|\([^)]*\))\s*\Z")
_QUOTES = "\"'«»“”„‚‘’› "


class IndexEntry(NamedTuple):
    """A memory without its text. Names and tags are folded; lists are kept between separators.

    Attributes:
        day: Story day; 0 when unknown.
        kind: ``metadata.kind`` or ``metadata.category``.
        depth: 0 = lived.
        people: Names in ``metadata`` of those it is about.
        speaker: Empty = the owner of the stream, in its own words.
        session: Name of its conversation; empty = its day.
        date: Day of the real calendar as a proleptic ordinal; 0 = none given.
        tells: Whether it names a time or a number (``answers``).
        tier: Empty = normal.
        category: ``metadata.category``; ``dialogue`` for conversations and utterances without one.
    """

    id: str
    created: str
    day: int
    scene: int
    suffix: str
    type: str
    kind: str
    depth: int
    importance: int
    tags: str
    people: str
    speaker: str
    session: str
    date: int
    is_question: int
    tells: int
    length: int
    tier: str = ""
    category: str = ""


def make_entry(node: Node, length: int) -> IndexEntry:
    """Return a memory's entry; ``length`` counts the words of its description."""
    when, said = node.when, node.metadata
    return IndexEntry(
        node.id,
        node.created,
        when.day,
        when.scene,
        when.suffix,
        node.type,
        casefold(_read_text(said, "kind") or _read_text(said, "category")),
        node.depth,
        node.importance,
        join_folded(node.tags),
        join_folded(name for key in PERSON_KEYS for name in _texts(said.get(key))),
        speaker_of(node),
        _read_text(said, "session"),
        next((day for key in DATE_KEYS if (day := ordinal_of(_read_text(said, key)))), 0),
        int(is_question(node.description)),
        tells_of(node.description),
        length,
        "" if node.tier == NORMAL else node.tier,
        casefold(
            _read_text(said, "category") or (DIALOGUE if node.type == "conversation" or "speaker" in said else "")
        ),
    )


def speaker_of(node: Node) -> str:
    """Return a memory's folded speaker; empty = its owner, in own words.

    By ``metadata.speaker``, or by its beginning: ``Vera said: …``, ``Vera: …``.
    """
    named = _read_text(node.metadata, "speaker")
    if named:
        return casefold(named)
    match = _compile_said().match(node.description) if node.type == "conversation" else None
    return casefold(match["who"]) if match else ""


@cache
def _compile_said() -> re.Pattern[str]:
    verbs = either(sorted(in_any_language(lambda one: one.speaking)))
    return re.compile(rf"\s*(?P<who>{_NAME})(?: (?:{verbs}))?\s?:\s")


def without_speaker(node: Node) -> str:
    """Return the description without a leading ``Vera said: …``, unless nothing is left."""
    match = _compile_said().match(node.description) if node.type == "conversation" else None
    return node.description[match.end() :] if match and node.description[match.end() :].strip() else node.description


def is_question(text: str) -> bool:
    """Return whether a text ends in a question mark, quotation marks or brackets aside."""
    return _REMARK.sub("", text).rstrip(_QUOTES).endswith("?")


def join_folded(items: Iterable[str]) -> str:
    """Return folded items as one text between separators; empty for none."""
    kept = [casefold(item).replace(BETWEEN, " ") for item in items]
    return BETWEEN + BETWEEN.join(kept) + BETWEEN if kept else ""


def has_item(joined: str, item: str) -> bool:
    """Return whether a folded item is in ``join_folded`` items."""
    return f"{BETWEEN}{item}{BETWEEN}" in joined


def _texts(value: object) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else texts_in(value)


def _read_text(values: Mapping[str, object], key: str) -> str:
    value = values.get(key)
    if type(value) is int:
        return str(value)
    return value if isinstance(value, str) else ""
