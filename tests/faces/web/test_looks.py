"""Colours that personas declare, and pictures of characters."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.api.imports.png import plain_picture, read_text_chunks, write_texts
from gm.api.views.cast import ShownAgent
from gm.api.views.graphs.base import COLOURS
from gm.faces.web.colours import DARK, LEAST, LIGHT, contrast, make_readable, stylesheet
from gm.faces.web.publish import publish
from gm.files.layout import Layout
from gm.files.media.portraits import MOST_PORTRAIT_BYTES
from tests.faces.web.conftest import Browse

PICTURE = plain_picture("#336699", 40, 60)
JPEG = b"\xff\xd8\xff\xe0" + bytes(40) + b"\xff\xd9"
WEBP = b"RIFF\x24\0\0\0WEBPVP8 " + bytes(24)


def channels(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


@given(st.integers(0, 0xFFFFFF), st.sampled_from([LIGHT, DARK]))
def test_any_colour_can_be_read_on_both_papers(number: int, ground: str) -> None:
    shown = make_readable(f"#{number:06x}", ground)
    assert contrast(channels(shown), channels(ground)) >= LEAST - 0.1


def test_a_colour_that_can_be_read_stays_as_it_is() -> None:
    assert make_readable("#2f6f8f", LIGHT) == "#2f6f8f"
    assert contrast((0, 0, 0), (1, 1, 1)) == pytest.approx(21)


def test_only_declared_colours_are_in_the_style_sheet_and_nothing_else_can_be() -> None:
    cast = [ShownAgent("a", "A", 1), ShownAgent("b", "B", 2, "#2f6f8f"), ShownAgent("c", "C", COLOURS + 2, "#b5482f")]
    text = stylesheet(cast)
    assert re.findall(r"--agent-(\d+): light-dark", text) == ["2", str(COLOURS + 2)]
    assert f".agent-{COLOURS + 2} {{ --own: var(--agent-{COLOURS + 2}); }}" in text


def test_a_declared_colour_holds_on_every_page(dinner: Layout, browse: Browse, tmp_path: Path) -> None:
    client = browse(dinner)
    sheet = client.get("/colours.css")
    assert sheet.headers["content-type"].startswith("text/css")
    assert "#2f6f8f" in sheet.text
    assert 'href="../colours.css"' in client.get("/agents/alex.html").text
    publish(dinner, tmp_path / "site", frozenset())
    assert (tmp_path / "site" / "colours.css").read_text("utf-8") == sheet.text


def test_a_world_without_declared_colours_asks_for_no_sheet(dinner: Layout, browse: Browse) -> None:
    for path in dinner.personas.glob("*.md"):
        path.write_text(re.sub(r"(?m)^color:.*\n", "", path.read_text("utf-8")), "utf-8")
    assert "colours.css" not in browse(dinner).get("/index.html").text


@pytest.mark.parametrize(
    ("name", "data", "kind"), [("x.png", PICTURE, "png"), ("x.jpeg", JPEG, "jpg"), ("x.png", WEBP, "webp")]
)
def test_a_picture_is_served_as_what_it_is(
    dinner: Layout, browse: Browse, name: str, data: bytes, kind: str, tmp_path: Path
) -> None:
    (dinner.personas / name.replace("x", "alex")).write_bytes(data)
    client, path = browse(dinner), f"agents/portraits/alex.{kind}"
    assert f'src="{path}"' in client.get("/index.html").text
    assert f'src="portraits/alex.{kind}"' in client.get("/agents/index.html").text
    answer = client.get(f"/{path}")
    assert answer.content == data
    assert answer.headers["content-type"] == {"jpg": "image/jpeg"}.get(kind, f"image/{kind}")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]
    publish(dinner, tmp_path / "site", frozenset())
    assert (tmp_path / "site" / path).read_bytes() == data


@pytest.mark.parametrize(
    "data",
    [b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", b"<html>", b"", b"GIF89a" + bytes(30), b"RIFF"],
)
def test_what_is_no_picture_is_neither_linked_nor_served(dinner: Layout, browse: Browse, data: bytes) -> None:
    (dinner.personas / "alex.png").write_bytes(data)
    client = browse(dinner)
    assert "agents/portraits" not in client.get("/index.html").text
    for ending in ("png", "jpg", "webp", "svg"):
        assert client.get(f"/agents/portraits/alex.{ending}").status_code == 404


def test_a_picture_that_leads_out_of_the_world_or_is_too_large_is_not_shown(
    dinner: Layout, browse: Browse, tmp_path: Path
) -> None:
    (tmp_path / "secret.png").write_bytes(PICTURE)
    os.symlink(tmp_path / "secret.png", dinner.personas / "alex.png")
    (dinner.personas / "casey.png").write_bytes(PICTURE + bytes(MOST_PORTRAIT_BYTES))
    client = browse(dinner)
    assert "agents/portraits" not in client.get("/index.html").text
    assert client.get("/agents/portraits/..%2f..%2fgm.yaml").status_code == 404
    assert client.get("/agents/portraits/alex.png").status_code == 404


def test_a_card_in_a_picture_is_not_given_away(dinner: Layout, browse: Browse) -> None:
    (dinner.personas / "alex.png").write_bytes(write_texts(PICTURE, {"chara": b"what alex tells nobody"}))
    shown = browse(dinner).get("/agents/portraits/alex.png").content
    assert read_text_chunks(shown) == {}
    assert b"tells nobody" not in shown


def test_the_picture_of_an_imported_card_is_shown_unless_there_is_one_of_its_own(
    dinner: Layout, browse: Browse
) -> None:
    path = dinner.portrait("alex")
    path.parent.mkdir(parents=True)
    path.write_bytes(PICTURE)
    client = browse(dinner)
    assert client.get("/agents/portraits/alex.png").content == PICTURE
    (dinner.personas / "alex.jpg").write_bytes(JPEG)
    assert client.get("/agents/portraits/alex.jpg").content == JPEG
    assert client.get("/agents/portraits/alex.png").status_code == 404


def test_who_has_no_picture_has_an_initial(dinner: Layout, browse: Browse) -> None:
    assert '<span class="likeness" aria-hidden="true">A</span>' in browse(dinner).get("/agents/index.html").text
