"""Fill in forms as a browser does: what stands in the page is sent back, with what a person changes."""

from __future__ import annotations

from html.parser import HTMLParser

from httpx2 import Response
from starlette.testclient import TestClient


class _Fields(HTMLParser):
    """The fields of the one form of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self._name = ""
        self._text: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        name = values.get("name") or ""
        if tag == "input" and (values.get("type") != "checkbox" or "checked" in values):
            self.found[name] = values.get("value") or ""
        elif tag == "textarea":
            self._name, self._text = name, ""
        elif tag == "select":
            self._name = name
        elif tag == "option" and ("selected" in values or self._name not in self.found):
            self.found[self._name] = values.get("value") or ""

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._text is not None:
            self.found[self._name] = self._text.removeprefix("\n")
            self._text = None


def fields_of(page: Response) -> dict[str, str]:
    """Read what a browser would send back."""
    parser = _Fields()
    parser.feed(page.text)
    return parser.found


def open_form(client: TestClient, path: str, **changes: str) -> dict[str, str]:
    """Open a form and change some of its fields."""
    page = client.get(path)
    assert page.status_code == 200, page.text
    return {**fields_of(page), **changes}


def send(client: TestClient, path: str, fields: dict[str, str], step: str = "look") -> Response:
    """Press one of the buttons of a form."""
    answer: Response = client.post(path, data={**fields, "step": step}, follow_redirects=False)
    return answer


def preview(client: TestClient, path: str, **changes: str) -> dict[str, str]:
    """Fill in a form and look at what it would write; what the preview sends back."""
    page = send(client, path, open_form(client, path, **changes))
    assert page.status_code == 200, page.text
    fields = fields_of(page)
    assert fields["seal"]
    return fields


def carry_out(client: TestClient, path: str, **changes: str) -> Response:
    """Fill in a form, look, and write."""
    return send(client, path, preview(client, path, **changes), "write")
