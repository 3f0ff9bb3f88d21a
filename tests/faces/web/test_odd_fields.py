"""What forms are sent that no person fills in: each is refused with a page, or is taken as a text."""

from __future__ import annotations

import pytest

from gm.files.layout import Layout
from gm.files.load import load_world
from tests.faces.web.conftest import Browse
from tests.faces.web.forms import open_form

ODD = {
    "nothing": "",
    "a null": "a\0b",
    "escapes": "\x1b]0;x\x07\x7f\x9b",
    "directions": "\u202ex\u2067",
    "no characters": "\uffff\ufdd0",
    "below zero": "-1",
    "endless": "9" * 5000,
    "long": "x" * 200_000,
    "a way out": "../../etc/passwd",
    "lines": "a\nquit\r\nb\x85c\u2028d",
    "a template": "{{7*7}}{% include 'x' %}",
    "a tag": "- [*x]: !!python/object:os.system {}",
    "deep": "[" * 3000,
    "an option": "--help",
}
FORMS = ("/visitor.html", "/ask/alex.html", "/edit/character.html", "/edit/place.html", "/edit/branch/now.html")
USUAL = {"name": "Mira", "text": "You are Mira.", "branch": "other", "day": ""}


@pytest.mark.matrix
@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
@pytest.mark.parametrize("path", FORMS)
def test_no_field_breaks_a_form_or_the_world(path: str, odd: str, dinner: Layout, browse: Browse) -> None:
    client = browse(dinner)
    fields = open_form(client, path)
    usual = {name: USUAL.get(name) or value for name, value in fields.items()}
    for name in fields.keys() - {"token"}:
        answer = client.post(path, data={**usual, name: odd}, follow_redirects=False)
        assert answer.status_code in (200, 303, 400, 409), name
    assert client.post(path, data={**usual, "token": odd}, follow_redirects=False).status_code == 403
    assert not load_world(dinner).problems
