"""Words and sentences in the language of a world; English if it is not supported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from gm.base.frontmatter import load_safely
from gm.base.languages import ENGLISH, language_of, plain_code
from gm.base.packed import read_packed


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of a language."""

    language: str
    sentences: Mapping[str, str]

    def __call__(self, key: str, **values: object) -> str:
        """Return a sentence; that of ``key.one``, if there is one, where ``n`` is 1.

        Raises:
            KeyError: No such sentence, or a missing value.
        """
        if values.get("n") == 1 and f"{key}.one" in self.sentences:
            key = f"{key}.one"
        return self.sentences[key].format_map(values) if values else self.sentences[key]

    def known(self, prefix: str, name: str, otherwise: str | None = None) -> str:
        """Return the word for a name in a file; else ``otherwise``, or the name."""
        return self.sentences.get(f"{prefix}.{name}", name if otherwise is None else otherwise)

    def number(self, value: float, digits: int = 0) -> str:
        """Return a number with the language's marks and thousands separators."""
        text = f"{value:,.{digits}f}".replace("-", "−")
        return text.translate(str.maketrans(",.", language_of(self.language).marks))

    def signed(self, value: float, digits: int = 0) -> str:
        """Return a number as ``number`` does, with a plus sign above 0."""
        return ("+" if value > 0 else "") + self.number(value, digits)

    def listed(self, items: Iterable[str], at_most: int = 8) -> str:
        """Return a list as text (``A, B und C``)."""
        found = list(items)
        if len(found) > at_most:
            found = [*found[: at_most - 1], self("others", n=len(found) - at_most + 1)]
        *most, last = found
        return f"{', '.join(most)} {self('and')} {last}" if most else last


@cache
def load_words(language: str, package: str) -> Words:
    """Load a package's words and the shared ones.

    Args:
        language: As in ``gm.yaml``; ``de-AT`` is German.
        package: Dotted name of a package with a file ``words/en.yaml``, and one for each other language.
    """
    of_package, of_all = word_files(package), word_files("gm.api.answers")
    plain = plain_code(language)
    spoken = plain if f"{plain}.yaml" in of_package else ENGLISH
    shared = of_all.get(f"{spoken}.yaml", of_all[f"{ENGLISH}.yaml"])
    sentences = {
        key: said for text in (shared, of_package[f"{spoken}.yaml"]) for key, said in _flatten(load_safely(text))
    }
    return Words(spoken, sentences)


@cache
def word_files(package: str) -> Mapping[str, str]:
    """Return the texts of the files in a package's folder ``words``, by name."""
    folder = Path(str(files(package))) / "words"
    return read_packed(folder.with_suffix(".tar.bz2"), folder, ends=".yaml")


def _flatten(tree: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", str(value)
