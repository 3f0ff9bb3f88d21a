"""Words of a language are declared in its file, checked when it is loaded, and stand nowhere in code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import gm
from gm.base.languages import ENGLISH, NEVER, Language, either, language_of, languages, make_typed
from gm.llm.rehearsal.subjects import PATTERNS
from gm.llm.rehearsal.voice import load_pack

HOUSE = Path(gm.__file__).parent
GERMAN = """
der das und oder nicht ist ich wir ein eine mit für von dem zu sich auch aber wie im vom zum zur bis vor nach heute
gestern morgen weil kein keine keinem alle zwei drei vier sagt sagte wann frau herr ja überall
"""
"""Words each of which shows a German text."""
ENGLISH_LISTED = """
the an and not of for with on that this it but has have from they is was are at before after since until one two three
four five six seven eight nine ten today tomorrow yesterday my mine me said says never no nobody
"""
"""Words of which three in a collection, or among the alternatives of a pattern, show a list."""
GERMAN_WORDS, ENGLISH_WORDS = frozenset(GERMAN.split()), frozenset(ENGLISH_LISTED.split())
EXCEPTIONS = {
    "api/imports/generative_memory.py": "predicates in the files of a tool that speaks English alone",
    "base/config/pages.py": "headings and tags of personas: the default of a setting, which the manual shows",
    "files/commits/changes.py": "keys of a record in a file",
    "testing.py": "a sentence by which an embedder of others is tried",
}
_WORD = re.compile(r"[^\W\d_]+")
_ALTERNATIVE = re.compile(r"(?<![^\W_\\])[^\W\d_]+(?=[|)])|(?<=\|)[^\W\d_]+")


def literals(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield the line, the text and the single words of each literal in code that is not a docstring."""
    nodes = list(ast.walk(ast.parse(text)))
    prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    split = {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr == "split"}
    for node in nodes:
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            items = [item.value for item in node.elts if isinstance(item, ast.Constant)]
            yield node.lineno, "", [item.lower() for item in items if isinstance(item, str)]
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            value = node.value
            words = value.split() if id(node) in split else _ALTERNATIVE.findall(value) if "|" in value else []
            yield node.lineno, value, words


def words_in(text: str) -> Iterator[tuple[int, frozenset[str]]]:
    """Yield the line and the function words of each literal that is a text or a list of words of a language."""
    for line, value, alternatives in literals(text):
        german = GERMAN_WORDS.intersection(word.lower() for word in _WORD.findall(value) if not word.isupper())
        english = ENGLISH_WORDS.intersection(alternatives)
        if found := german | (english if len(english) > 2 else frozenset()):
            yield line, found


def test_code_holds_no_words_of_a_language() -> None:
    found = {
        (path.relative_to(HOUSE).as_posix(), line, *sorted(words))
        for path in HOUSE.rglob("*.py")
        for line, words in words_in(path.read_text(encoding="utf-8"))
    }
    assert sorted(one for one in found if one[0] not in EXCEPTIONS) == []
    assert {one[0] for one in found} == EXCEPTIONS.keys()


@pytest.mark.parametrize(
    "code",
    [
        '_NOT = ("nicht", "nie")',
        '_AND = re.compile("und|and")',
        '_MINE = {"my", "me", "mine"}',
        '_AT = rf"(?:at|before|after|on {DAY})"',
        '_SAID = "yesterday|today|tomorrow"',
        '_NUMBERS = "one two three four".split()',
    ],
)
def test_a_list_of_words_would_be_found(code: str) -> None:
    assert list(words_in(code))


def test_a_message_and_a_docstring_are_not() -> None:
    assert not list(words_in('"""Heute ist Montag."""\nprint("the day is over, and nobody has said anything")'))


@pytest.mark.parametrize("code", languages())
def test_each_language_can_be_loaded_with_all_of_its_words(code: str) -> None:
    language = language_of(code)
    assert len(language.weekdays) == len(language.short_weekdays) == 7
    assert language.dates
    assert (len(language.dates.months), len(language.dates.counts)) == (12, 10)
    assert language.genders.keys() == language_of(ENGLISH).genders.keys()
    assert [key for key in PATTERNS if re.compile(either(load_pack(code)[key])).search("")] == []


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"capital_noun": True}, "our.yaml: unknown: capital_noun"),
        ({"capital_nouns": "yes"}, "our.yaml: capital_nouns: found 'yes', expected <class 'bool'>"),
        ({"stop_words": 7}, "our.yaml: stop_words: found 7, expected frozenset"),
        ({"weekdays": ["Unan", 2]}, "our.yaml: weekdays[1]: found 2, expected <class 'str'>"),
        ({"shows": "("}, "our.yaml: shows: no pattern: missing ), unterminated subpattern"),
        ({"dates": {"months": []}}, "our.yaml: dates: DateWords.__init__() missing"),
        ({"days": "mor"}, "our.yaml: days: found 'mor', expected keys with values"),
        ({"lessons": {"lesson": 1}}, "our.yaml: lessons.lesson: found 1, expected <class 'str'>"),
    ],
)
def test_a_wrong_declaration_is_refused_with_its_place(values: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}"):
        make_typed(Language, values, "our.yaml")


def test_a_pattern_of_no_words_matches_nothing() -> None:
    assert either(["", "a", ""]) == "a"
    assert either([]) == NEVER.pattern
