"""Say errors of the commands, and problems of ``gm check``, which are English, in the language of a page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from gm.base.errors import Problem
from gm.base.frontmatter import load_safely

MOST_CHARACTERS = 500
"""A longer text is not compared: it quotes what was sent."""
VALUE = re.compile(r"\{(\w+)\}")
ERRORS, PROBLEMS, PART = "errors", "problems", "part"
"""What sentences are about: errors of commands, problems of ``gm check``, and what stands in these as ``{part}``."""
BOUNDS = ("low", "high")
"""Names of values that are numbers, and no more text: ``0`` of ``at least 0, or null``."""


def retell(text: str, language: str, about: str = ERRORS) -> str:
    """Return an English sentence in another language; empty if it, or a part of it, is not known there."""
    if len(text) > MOST_CHARACTERS:
        return ""
    for pattern, told in _patterns(language, about):
        if match := pattern.fullmatch(text):
            values = match.groupdict()
            if PART in values:
                values[PART] = retell(values[PART], language, PART)
            if values.get(PART) != "":
                return fill(told, values)
    return ""


def fill(sentence: str, values: Mapping[str, str]) -> str:
    """Return a sentence with its values; other braces stand for themselves."""
    return VALUE.sub(lambda value: values[value[1]], sentence)


def sum_up(problem: Problem, language: str) -> str:
    """Return how bad a problem is, and as far as there are words for it what it is about; empty in English."""
    words = problem_words(language)
    if not words:
        return ""
    first, _, rest = problem.code.partition("-")
    what = words["what"].get(rest) or words["what"].get(rest.rpartition("-")[2])
    about = ": ".join(filter(None, (words["of"].get(first), what)))
    return f"{words['severity'][problem.severity]}. {about}".rstrip()


@cache
def sentences(language: str, about: str = ERRORS) -> Mapping[str, str]:
    """Return the known sentences, by the English one."""
    return _read(ERRORS, language) if about == ERRORS else problem_words(language).get(about, {})


@cache
def problem_words(language: str) -> Mapping[str, Mapping[str, str]]:
    """Return words for severities, words for the first (``of``) and other (``what``) parts of codes, and sentences."""
    return _read(PROBLEMS, language)


def _read(name: str, language: str) -> Mapping[str, Any]:
    file = files("gm.faces.web") / "words" / f"{name}.{language}.yaml"
    return load_safely(file.read_text(encoding="utf-8")) if file.is_file() else {}


@cache
def _patterns(language: str, about: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    # the most literal one first: "there is no memory 'x' to rest on" before "there is no memory 'x'"
    known = sorted(sentences(language, about).items(), key=lambda item: -len(VALUE.sub("", item[0])))
    return tuple((_pattern(sentence), told) for sentence, told in known)


def _pattern(sentence: str) -> re.Pattern[str]:
    parts = VALUE.split(sentence)
    return re.compile("".join(_value(part) if n % 2 else re.escape(part) for n, part in enumerate(parts)), re.S)


def _value(name: str) -> str:
    text = r"[^\s,]+" if name in BOUNDS else ".+?"
    return f"(?P<{name}>{text})"
