"""What the interface says."""

import re

import pytest

from gm.api.words.speech import LANGUAGES, load_words
from gm.base.errors import GmError
from gm.faces.web.actions.sent import REFUSALS
from gm.files.commits.lock import locked
from gm.files.layout import Layout
from tests.faces.web.conftest import Browse
from tests.faces.web.forms import open_form

TOLD = r'role="alert".*?<strong>(.*?)</strong>.*?<p>(.*?)</p>\s*<div lang="en">(.*?)</div>'
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


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_kind_of_error_has_a_heading_and_says_what_to_do(language: str) -> None:
    words = load_words(language, "gm.faces.web")
    keys = {key for _, _, key in REFUSALS} - {"strange"}
    assert all(words(f"trouble.{key}.title") for key in keys)
    assert all(words(f"trouble.{key}.then") for key in keys - {"form"})
    assert REFUSALS[-1][0] is GmError, "none is left without words"


@pytest.mark.parametrize(
    ("settings", "fields", "title", "message"),
    [
        ("model: openai:gpt-5", {}, "Das Modell ist nicht zu erreichen oder antwortet nicht", "openai needs a key"),
        ("model: [rehearsal", {}, "Eine Datei dieser Welt lässt sich nicht lesen", "gm.yaml cannot be read"),
        ("model: rehearsal", {"text": " "}, "So geht es noch nicht", ""),
        ("model: rehearsal", {"remember": "on"}, "Gerade schreibt jemand anderes", "is being written to"),
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
    told = re.search(
        r'role="alert".*?<strong>(.*?)</strong>.*?<p>(.*?)</p>\s*<div lang="en">(.*?)</div>', page.text, re.S
    )
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
