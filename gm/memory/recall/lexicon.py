"""The interface of an index, and an index in memory."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import accumulate
from typing import NamedTuple, Protocol

from gm.memory.recall.words import IndexEntry, count_languages, detect_language, make_entry, split_words, stem
from gm.model.node import Node

BEHIND = 8  # places between the description and the tags, so that words of both are never adjacent
MOST_PLACES = 65_535
"""The last place in a text that an index tells; it fits into two bytes."""
_SOUGHT = 4  # rows that are read in the time in which one is looked for
UNENDING = "\U0010ffff"


class Postings(NamedTuple):
    """Where a term occurs.

    Attributes:
        places: Of the memories in their stream, from 0, ascending.
        counts: How often in each of them.
        where: At which words, two bytes a word, of all of them one after another.
    """

    places: Sequence[int]
    counts: Sequence[int]
    where: bytes

    def rows(self) -> Iterator[tuple[int, bytes]]:
        """Yield each place with its words."""
        end = 0
        for place, count in zip(self.places, self.counts, strict=True):
            begin, end = end, end + 2 * count
            yield place, self.where[begin:end]

    def at(self, places: Set[int]) -> dict[int, bytes]:
        """Return the words at some of the places."""
        if len(places) * _SOUGHT > len(self.places):
            return {place: words for place, words in self.rows() if place in places}
        ends = tuple(accumulate(self.counts))
        found = {}
        for place in places:
            number = bisect_left(self.places, place)
            found[place] = self.where[2 * (ends[number] - self.counts[number]) : 2 * ends[number]]
        return found


NOWHERE = Postings((), (), b"")


class Entries(Protocol):
    """Entries by place."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[IndexEntry]: ...

    def __getitem__(self, place: int, /) -> IndexEntry: ...


class Lexicon(Protocol):
    """The words in one stream's memories, independent of the order in which it was built."""

    @property
    def owner(self) -> str: ...

    @property
    def language(self) -> str:
        """Language by which the words were stemmed."""
        ...

    @property
    def entries(self) -> Entries:
        """In the order of the stream; archived memories come first."""
        ...

    def numbers(self, name: str) -> Sequence[int]:
        """Return one number of each entry, which takes a small part of the time of reading them."""
        ...

    def texts(self, name: str) -> Sequence[str]:
        """Return one text of each entry."""
        ...

    def different(self, name: str) -> Collection[str]:
        """Return the texts that ``texts`` has, each once, without the empty one."""
        ...

    def find(self, term: str) -> Postings: ...

    def compounds(self, part: str) -> Sequence[str]:
        """Return the longer terms that begin or end with a part, in alphabetical order."""
        ...


def read_terms(node: Node, language: str) -> tuple[IndexEntry, dict[str, bytes]]:
    """Return a memory's entry, and at which words each term stands, two bytes a word.

    Words only in tags count once.
    """
    words = split_words(node.description)
    found: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(words):
        found[stem(word, language)].append(min(place, MOST_PLACES))
    place = len(words)
    for tag in node.tags:
        place += BEHIND
        for word in split_words(tag):
            place += 1
            term = stem(word, language)
            if term not in found:
                found[term].append(min(place, MOST_PLACES))
    return make_entry(node, len(words)), {term: array("H", places).tobytes() for term, places in found.items()}


class MemoryLexicon:
    """For folders that cannot be written, and for tests."""

    def __init__(self, owner: str, nodes: Iterable[Node], usual_language: str) -> None:
        nodes = tuple(nodes)
        self.owner = owner
        self.language = detect_language(count_languages(" ".join(node.description for node in nodes)), usual_language)
        taken = [read_terms(node, self.language) for node in nodes]
        self.entries: Entries = tuple(entry for entry, _ in taken)
        found: dict[str, list[tuple[int, bytes]]] = defaultdict(list)
        for place, (_, terms) in enumerate(taken):
            for term, where in terms.items():
                found[term].append((place, where))
        self._found: Mapping[str, Postings] = {term: collect(rows) for term, rows in found.items()}
        self._terms = sorted(self._found)
        self._reversed = sorted(term[::-1] for term in self._terms)

    def numbers(self, name: str) -> Sequence[int]:
        return [getattr(entry, name) for entry in self.entries]

    def texts(self, name: str) -> Sequence[str]:
        return [getattr(entry, name) for entry in self.entries]

    def different(self, name: str) -> Collection[str]:
        return set(self.texts(name)) - {""}

    def find(self, term: str) -> Postings:
        return self._found.get(term, NOWHERE)

    def compounds(self, part: str) -> Sequence[str]:
        begin = _find_starting(self._terms, part)
        end = (term[::-1] for term in _find_starting(self._reversed, part[::-1]))
        return sorted({*begin, *end} - {part})


def collect(rows: Iterable[tuple[int, bytes]]) -> Postings:
    """Return a term's postings from rows of place and words."""
    ordered = sorted(rows)
    where = [words for _, words in ordered]
    return Postings([place for place, _ in ordered], [len(words) // 2 for words in where], b"".join(where))


def _find_starting(terms: Sequence[str], beginning: str) -> Sequence[str]:
    return terms[bisect_left(terms, beginning) : bisect_left(terms, beginning + UNENDING)]
