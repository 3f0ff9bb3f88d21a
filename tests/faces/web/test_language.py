"""What the interface says."""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

import gm
from gm.api.answers.speech import load_words
from gm.api.editing.check.whole import check_world
from gm.api.editing.desk import editing
from gm.base.config.kinds import or_none, whole
from gm.base.errors import VALUE, ErrorKind, GmError, Problem, Severity, UsageError, say
from gm.base.languages import languages
from gm.base.texts import suggest
from gm.faces.web.translated_errors import error_words, retell, translate_problem
from gm.files.commits.lock import locked
from gm.files.layout import Layout
from gm.layers.relationships import RELATIONSHIPS
from tests.api.editing.editors import corpus
from tests.faces.web.conftest import Browse
from tests.faces.web.forms import open_form

CODE = re.compile("[a-z]+(-[a-z]+)*")
KEYS = {"by", "event", "scenes", "text", "type"}
"""Keys of records in codes that are made of them."""
TOLD = r'role="alert".*?<strong>(.*?)</strong>.*?<p>(.*?)</p>(.*?)</div>'
"""A notice of an error: its heading, what to do, and the message of the commands."""


def test_one_of_something_is_said_in_the_singular() -> None:
    words = load_words("en", "gm.faces.web")
    assert words("problems.some", n=1).startswith("One place")
    assert words("problems.some", n=3).startswith("3 places")


def test_a_world_in_another_language_is_shown_in_english() -> None:
    assert load_words("fr", "gm.faces.web").language == "en"


def test_a_sentence_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(KeyError):
        load_words("de", "gm.faces.web")("no.such.sentence")


@pytest.mark.parametrize("language", languages())
def test_each_kind_of_error_has_a_heading_and_says_what_to_do(language: str) -> None:
    words = load_words(language, "gm.faces.web")
    keys = {kind.kind for kind in _kinds(GmError)} - {"token"} | {"bug"}
    assert all(words(f"trouble.{key}.title") for key in keys)
    assert all(words(f"trouble.{key}.then") for key in keys - {"form"})
    assert keys | {"token"} == {*get_args(ErrorKind)}, "each is declared by an error, and none is left without words"


def _kinds(kind: type[GmError]) -> Iterator[type[GmError]]:
    yield kind
    for each in kind.__subclasses__():
        yield from _kinds(each)


@pytest.mark.parametrize(
    ("settings", "fields", "title", "message"),
    [
        (
            "model: openai:gpt-5",
            {},
            "Das Modell kann nicht gefragt werden",
            "openai braucht einen Schlüssel.",
        ),
        ("model: [rehearsal", {}, "Eine Datei dieser Welt lässt sich nicht lesen", "gm.yaml lässt sich nicht lesen."),
        ("model: rehearsal", {"text": " "}, "So geht es noch nicht", ""),
        (
            "model: rehearsal",
            {"remember": "on"},
            "Gerade schreibt jemand anderes",
            "In die Welt wird gerade geschrieben: gm test",
        ),
    ],
)
def test_a_german_page_says_in_german_what_kind_of_error_it_is_and_what_to_do(
    settings: str, fields: dict[str, str], title: str, message: str, studio: Layout, browse: Browse
) -> None:
    client = browse(studio)
    sent = open_form(client, "/ask/vera.html", text="Was hast du vor?")
    with open(studio.settings, "a", encoding="utf-8") as file:
        file.write(f"\n{settings}\n")
    with locked(studio.lock, "gm test"):
        page = client.post("/ask/vera.html", data={**sent, **fields})
    told = re.search(TOLD, page.text, re.S)
    assert told
    assert told[1] == title
    assert told[2]
    assert message in told[3]


def test_what_a_page_itself_refuses_is_german_throughout(studio: Layout, browse: Browse) -> None:
    client = browse(studio)
    page = client.post("/ask/vera.html", data=open_form(client, "/ask/vera.html", text="Na?", typed="http://x#y"))
    assert page.status_code == 400
    assert "Hier steht der Name eines Modells, keine Adresse." in page.text
    assert 'lang="en"' not in page.text


def test_every_sentence_that_pages_retell_is_raised_somewhere_with_its_values() -> None:
    known = error_words("de")["sentences"]
    said = dict(_sentences_said())
    assert known.keys() - said.keys() - _all_texts() == set()
    assert {sentence for sentence in known.keys() - said.keys() if VALUE.search(sentence)} == set()
    for sentence, told in known.items():
        assert {*VALUE.findall(told)} <= {*VALUE.findall(sentence)}
    for sentence, values in said.items():
        is_counted = not any(isinstance(value, ast.Starred) for value in values)
        assert not is_counted or len(VALUE.findall(sentence)) == len(values), sentence


def _sentences_said() -> Iterator[tuple[str, list[ast.expr]]]:
    """Yield each sentence of a call of ``say``, with its values."""
    for path in Path(gm.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "say(" in text else ():
            match node:
                case ast.Call(ast.Name("say"), [ast.Constant(str(sentence)), *values], []):
                    yield sentence, values


@cache
def _all_texts() -> frozenset[str]:
    """Return all texts in gm's code."""
    return frozenset(text for path in Path(gm.__file__).parent.rglob("*.py") for text in _texts(path))


def _texts(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("there is no text", "Es steht kein Text da."),
        (say("there is no memory {name}", "'x' to rest on"), "Eine Erinnerung 'x' to rest on gibt es nicht."),
        (say("there is no memory {name}", "'{x}{name}\n'"), "Eine Erinnerung '{x}{name}\n' gibt es nicht."),
        (say("no such sentence {name}", "x"), ""),
        ("there is no memory 'x'", ""),
        ("there is no memory {name}", ""),
        (
            say("{key} is {value}, expected {part}", "limit", -1, or_none(whole(0)).expected),
            "limit ist -1, erwartet wird eine ganze Zahl, mindestens 0, oder null.",
        ),
        (say("{key} is {value}, expected {part}", "limit", 2, "a thing that no one knows"), ""),
        (
            say("{part}; a key of your own begins with {sign}", suggest("limt", ["limit"]), "_"),
            "Ist limit gemeint? Ein eigener Schlüssel beginnt mit _.",
        ),
    ],
)
def test_a_sentence_is_retold_with_its_values_or_not_at_all(text: str, told: str) -> None:
    assert retell(text, "de") == told
    assert retell(text, "fr") == ""


def test_problems_keep_their_sentences_where_they_are_counted_or_placed(played: Layout) -> None:
    with open(played.settings, "a", encoding="utf-8") as file:
        file.write("\nbudget: {day_tokens: -1}\n")
    stream = played.stream("vera")
    lines = [json.loads(line) for line in stream.read_text(encoding="utf-8").splitlines()]
    for number, line in enumerate(lines):
        line["tags"] = ["büro" if number < 2 else "buero"]
    lines[2]["importance"] = 11
    stream.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    bonds = played.layer(RELATIONSHIPS, "vera")
    bonds.parent.mkdir()
    bonds.write_text('{"tobi": {"trust_level": "high"}}\n', encoding="utf-8")
    told = {retell(problem.message, "de") for problem in check_world(played).problems}
    assert told >= {
        "budget.day_tokens ist -1, erwartet wird eine ganze Zahl, mindestens 0, oder null.",
        "importance 11 liegt nicht zwischen 1 und 10.",
        "Das Schlagwort 'büro' ist anderswo 'buero' geschrieben. (In dieser Datei 2-mal, hier zuerst.)",
        'tobi: trust_level ist "high", erwartet wird eine Zahl.',
    }


def test_an_error_keeps_its_sentence_while_a_world_is_edited(studio: Layout) -> None:
    with pytest.raises(UsageError) as refused, editing(studio, "gm test"):
        raise UsageError(say("there is no thread {name}", "'x'"))
    assert retell(refused.value.message, "de") == "'x' gibt es nicht."


def test_problems_of_broken_files_of_every_kind_are_summed_up_in_german(tmp_path: Path) -> None:
    broken = {case.kind: case for case in corpus.cases() if not case.good}
    found: set[Problem] = set()
    for kind, case in broken.items():
        corpus.make_world(tmp_path / kind)
        case.write(tmp_path / kind)
        found |= set(check_world(Layout(tmp_path / kind)).problems)
    assert len({problem.code for problem in found}) > 15
    assert {problem.code for problem in found if problem.code.partition("-")[0] not in error_words("de")["of"]} == set()
    assert {translate_problem(problem, "en") for problem in found} == {""}


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("evidence-missing", "Worauf eine Erinnerung beruht: fehlt"),
        ("last-reflection-stale", "Letzte Rückschau: veraltet"),
        ("tag-whatever", "Schlagwort"),
        ("other", ""),
    ],
)
def test_a_problem_is_summed_up_by_its_code(code: str, told: str) -> None:
    assert (
        translate_problem(Problem("a", 1, 0, "info", code, "x"), "de") == f"Hinweis; das darf so sein. {told}".rstrip()
    )


def test_words_for_problems_are_those_of_codes() -> None:
    texts = {text for text in _all_texts() if CODE.fullmatch(text)}
    assert set(error_words("de")["of"]) <= {text.partition("-")[0] for text in texts}
    rests = {text.partition("-")[2] for text in texts}
    assert set(error_words("de")["what"]) <= rests | {rest.rpartition("-")[2] for rest in rests} | KEYS
    assert set(error_words("de")["severity"]) == {*get_args(Severity)}


def test_problems_are_summed_up_where_they_are_shown(played: Layout, browse: Browse) -> None:
    played.persona("vera").write_text("---\nname: [Vera\n---\nText.\n", encoding="utf-8")
    page = browse(played).get("/files.html?check=all").text
    assert re.findall(
        r'problem small"><b class="kind">(.*?)</b> <code>(.*?)</code>\s*<span><bdi>(.*?)</bdi>', page
    ) == [
        (
            "Fehler; bitte verbessern. YAML: nicht zu lesen",
            "state/personas/vera.md:2:7 [yaml-syntax]",
            "Das ist kein YAML: zu dem, was hier beginnt, fehlt ].",
        )
    ]
