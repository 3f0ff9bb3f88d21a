"""What pages, graphs and books say: the same in both languages, all of it used, and all that is used is there."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import cache
from importlib.resources import files
from itertools import chain
from pathlib import Path
from string import Formatter
from typing import get_args, get_type_hints

import pytest
import yaml

import gm
from gm.api.answers.speech import load_words
from gm.api.imports.cards import PARTS
from gm.api.imports.generative_agents import SECTIONS
from gm.api.imports.tinytroupe import ORDER
from gm.api.reports.why.origin import SENTENCES
from gm.api.views.changes import DayFiles
from gm.api.views.filtering import ORDERS
from gm.api.views.graphs.moods import SOURCES
from gm.base.config import BudgetSettings
from gm.base.errors import ErrorKind
from gm.base.languages import language_of, languages
from gm.faces.web.actions import ACTIONS
from gm.faces.web.actions.flow import IN_CONFLICT
from gm.faces.web.new_world_forms import WAYS
from gm.faces.web.pages.cast import STEPS
from gm.faces.web.pages.taking_part import NEW
from gm.faces.web.rendering import MORE, PRIMARY
from gm.faces.web.stage.page import PLAIN
from gm.files.editable import KINDS
from gm.files.streams.rows import HOMES
from gm.layers import LAYERS
from gm.layers.goals import GOAL_EVENTS
from gm.model import interview
from gm.model.turns import Mark
from gm.model.verdict import CHOICES

GM = Path(gm.__file__).parent
PACKAGES = {
    "gm.faces.web": ("faces/web",),
    "gm.api.views": ("api/views",),
    "gm.faces.book": ("faces/book",),
    "gm.api.imports": ("api/imports",),
}
"""Packages that have words, and where these are said."""
QUOTED = re.compile(r"\"([^\"\n]*)\"")
QUOTED_ONCE = re.compile(r"'([^'\n]*)'")
SAID = re.compile(r"""(?<![\w.])(?:t|say|cast\.say|sources\.say|words|site\.words)\(\s*["']([\w.-]+)["']\s*[,)]""")
KNOWN = re.compile(r"""known\(\s*["']([\w.-]+)["']|fields\.choice\([^)]*, ["']([\w.-]+)["']\)""")
FIELD = re.compile(r"(?<![\w.])words\.([a-z_]+)|words\[[\"'](\w+)[\"']\]")
BEFORE_A_NAME = re.compile(r"([\w-]+(?:\.[\w-]+)*\.)(?:\{.*)?\Z")


def own_keys(package: str) -> set[str]:
    """The keys that stand in a package's own file."""
    return set(load_words("en", package).sentences) - shared_keys()


def shared_keys() -> set[str]:
    text = (files("gm.api.answers") / "words" / "en.yaml").read_text(encoding="utf-8")
    found: set[str] = set()
    for key, value in yaml.safe_load(text).items():
        found |= {f"{key}.{name}" for name in value} if isinstance(value, dict) else {key}
    return found


@cache
def source(package: str) -> str:
    """All code and all templates that say something with the words of a package."""
    kinds = (".py", ".html", ".typ", ".js")
    paths = chain.from_iterable((GM / folder).rglob("*") for folder in PACKAGES[package])
    texts = (path.read_text(encoding="utf-8") for path in paths if path.suffix in kinds and "vendor" not in path.parts)
    return "\n".join(texts)


def groups(found: list[tuple[str, str]]) -> set[str]:
    return {one or other for one, other in found}


@pytest.mark.parametrize("package", PACKAGES)
def test_both_languages_say_the_same_things_with_the_same_values(package: str) -> None:
    german, english = (load_words(language, package).sentences for language in languages())
    assert german.keys() == english.keys()
    for key in german:
        values = [{name for _, name, _, _ in Formatter().parse(said[key]) if name} for said in (german, english)]
        assert values[0] == values[1], key


@pytest.mark.parametrize("package", PACKAGES)
def test_every_sentence_that_is_used_exists(package: str) -> None:
    text, sentences = source(package), load_words("en", package).sentences
    said = set(SAID.findall(text)) | (groups(FIELD.findall(text)) - NO_KEYS if package == "gm.faces.book" else set())
    assert said
    assert not {key for key in said if key not in sentences and f"{key}.one" not in sentences}
    known = groups(KNOWN.findall(text))
    assert not {prefix for prefix in known if not any(key.startswith(f"{prefix}.") for key in sentences)}


def test_what_an_answer_rests_on_has_words() -> None:
    parts = {f"interview.parts.{name}" for name in (*interview.SOURCES, *interview.WITHOUT)}
    for language in languages():
        assert parts <= load_words(language, "gm.faces.web").sentences.keys()


PUT_TOGETHER = re.compile(
    r"""["']([a-z_-]+(?:\.[a-z_-]+)*\.)["'] ~|(?<!\w)(?:words|say|t)\(f["']([a-z_-]+(?:\.[a-z_-]+)*\.)\{"""
)
TEXT_FORMS = ("brief", "post", "feedback")
WITH_TEXT = {"replay", "ask", "call", "event", "post", "brief"}
"""Commands of a run that the stage has a form for."""


def literals(pattern: str) -> set[str]:
    """What templates hand to a macro that puts a key together from it."""
    return set(re.findall(pattern, source("gm.faces.web")))


HELPED = {"action", "evidence", "importance", "memories", "mood", "plan_status", "tags", "thoughts"}
"""Fields of an answer of which more is said than the letter says."""


def names_of(package: str) -> dict[str, set[str]]:
    """All that may follow each beginning from which code or a template puts a key together."""
    if package == "gm.faces.book":
        return {}
    if package == "gm.api.imports":
        return {"heading.": {*ORDER, *SECTIONS}, "pronouns.": set(language_of("en").genders), "card.": set(PARTS)}
    if package == "gm.api.views":
        return {
            "moods.": set(SOURCES),
            "tree.": {"id", "depth", "importance", "text", "rests"},
            "accumulators.": {"sum", "reset", "now", "stated", "highest", "count"},
            "importance.": {"mean", "highest", "count"},
            "relationships.": {"from", "to", "trust", "tone", "type", "of", "about", "only"},
        }
    filled = literals(r"""fields\.(?:long|short|choice|whole)\(["'](\w+)["']""") | {"importance", *IN_CONFLICT}
    told = {*get_args(ErrorKind)} - {"token"}
    return {
        "origins.": set(SENTENCES),
        "homes.": set(HOMES),
        "orders.": set(ORDERS),
        "nav.": {*PRIMARY, *(name for group in MORE for name in group)},
        "make.": set(NEW),
        "files.kind.": set(KINDS),
        "stage.do.": {*PLAIN, *WITH_TEXT, "continue_last", "continue_between"},
        "stage.field.": WITH_TEXT,
        "stage.help.": WITH_TEXT,
        "stage.limit.": {item.name for item in fields(BudgetSettings)},
        "stage.standing.": {"playing", "deciding", "waiting", "ending", "stopping"},
        "letter.help.": HELPED,
        "agent.": literals(r"""_entry\("(\w+)", here"""),
        "goal.": {event for event in GOAL_EVENTS if event != "progress"},
        "play.marks.": set(get_args(Mark)) - {""},
        "interview.kinds.": set(interview.KINDS),
        "judge.": set(CHOICES),
        "regard.": {"relationship_type", "emotional_tone", "relationship_notes"},
        "trust.": {word for _, word in STEPS} | {"hostile"},
        "changes.source.": set(get_args(get_type_hints(DayFiles)["source"])),
        "edit.field.": filled.union(*(action.required for action in ACTIONS)),
        # a form with a wrong token has a sentence of its own; a form's own words say what to do
        "trouble.": {f"{notice}.{part}" for notice in told for part in ("title", "then")} - {"form.then"},
        "edit.what.": {"memories", "agents", "bulletin", "world", "threads"},
        "begin.": {f"{way.name}.{part}" for way in WAYS for part in ("title", "lead", "go")},
        "edit.": {
            *(f"{action.name}.saved" for action in ACTIONS),
            *(f"{action.name}.title" for action in ACTIONS),
            *(f"{name}.{part}" for name in TEXT_FORMS for part in ("text", "help")),
            *(set(literals(r"""notice="(\w+)\"""")) - {"locked"}),
        },
    }


@pytest.mark.parametrize("package", PACKAGES)
def test_every_key_that_is_put_together_has_words_in_every_language(package: str) -> None:
    names = names_of(package)
    assert groups(PUT_TOGETHER.findall(source(package))) == set(names), "a new beginning: name what may follow it"
    missing = [
        (language, f"{beginning}{name}")
        for language in languages()
        for beginning, following in names.items()
        for name in sorted(following)
        if f"{beginning}{name}" not in load_words(language, package).sentences
    ]
    assert all(names.values())
    assert not missing


NO_KEYS = {"known", "sentences", "language", "values", "number", "listed"}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_sentence_that_exists_is_used(package: str) -> None:
    assert not own_keys(package) - used(package)


def test_what_all_share_is_said_by_more_than_one_of_them() -> None:
    users = {key: [package for package in PACKAGES if key in used(package)] for key in shared_keys()}
    assert not [key for key, packages in users.items() if not packages]


@cache
def used(package: str) -> set[str]:
    """The keys that are named somewhere: whole, by the beginning that a name is put to, or as a group."""
    text = source(package)
    quoted = {*QUOTED.findall(text), *QUOTED_ONCE.findall(text)} | groups(FIELD.findall(text))
    begins = {found[1] for one in quoted if (found := BEFORE_A_NAME.match(one))}
    begins |= {f"{prefix}." for prefix in groups(KNOWN.findall(text))}
    begins |= {f"{layer.name}_kind." for layer in LAYERS if '"{layer.name}_kind"' in text}
    keys = load_words("en", package).sentences
    return {
        key
        for key in keys
        if key.removesuffix(".one") in quoted or any(key.startswith(begin) for begin in begins) or key in ALWAYS
    }


ALWAYS = {"and", "others", "others.one"}
"""Said by ``Words.listed``."""


@pytest.mark.parametrize(
    ("language", "number", "listed"),
    [
        ("de", "−1.234,5", "A, B und C"),
        ("de-AT", "−1.234,5", "A, B und C"),
        ("en", "−1,234.5", "A, B and C"),
        ("fr", "−1,234.5", "A, B and C"),
    ],
)
def test_numbers_and_lists_are_those_of_the_language(language: str, number: str, listed: str) -> None:
    words = load_words(language, "gm.faces.web")
    assert words.number(-1234.5, 1) == number
    assert words.listed("ABC") == listed


def test_a_long_list_says_how_many_more_there_are() -> None:
    assert load_words("de", "gm.faces.web").listed("ABCDEF", at_most=3) == "A, B und 4 weitere"
