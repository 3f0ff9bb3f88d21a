"""Say errors of the commands, and problems of ``gm check``, which are English, in the language of a page."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from gm.api.answers.speech import word_files
from gm.base.errors import VALUE, Problem, fill
from gm.base.frontmatter import load_safely

PART = "part"
"""The value of a sentence that is translated with it."""


def retell(text: str, language: str) -> str:
    """Return an English sentence in another language; empty if it, or a part of it, is not known there."""
    sentence = error_words(language).get("sentences", {}).get(getattr(text, "sentence", text), "")
    values = {**getattr(text, "values", {})}
    if PART in values:
        values[PART] = retell(values[PART], language)
    return fill(sentence, values) if all(map(values.get, VALUE.findall(sentence))) else ""


def translate_problem(problem: Problem, language: str) -> str:
    """Return how bad a problem is, and as far as there are words for it what it is about; empty in English."""
    words = error_words(language)
    if not words:
        return ""
    first, _, rest = problem.code.partition("-")
    what = words["what"].get(rest) or words["what"].get(rest.rpartition("-")[2])
    about = ": ".join(filter(None, (words["of"].get(first), what)))
    return f"{words['severity'][problem.severity]}. {about}".rstrip()


@cache
def error_words(language: str) -> Mapping[str, Mapping[str, str]]:
    """Return words for severities, for the first (``of``) and other (``what``) parts of codes, and the sentences."""
    text = word_files("gm.faces.web").get(f"errors.{language}.yaml")
    return load_safely(text) if text else {}
