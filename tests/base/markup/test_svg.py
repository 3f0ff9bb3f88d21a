"""A published picture is served by hosts that know no policy: nothing in it runs or loads."""

from __future__ import annotations

import pytest

from gm.base.markup.svg import NOTHING, clean_svg

BEGIN = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        '<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>',
        '<rect onload="alert(1)"/>',
        '<rect ONCLICK="alert(1)"/>',
        '<a xlink:href="javascript:alert(1)"><text>alert</text></a>',
        '<use href="data:image/svg+xml;base64,alert"/>',
        '<image href="https://alert.invalid/a.png"/>',
        '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml" onload="alert(1)"/></foreignObject>',
        '<set attributeName="href" to="javascript:alert(1)"/>',
        "<style>@import 'https://alert.invalid/a.css';</style>",
        "<style>a { fill: url( 'https://alert.invalid/a') }</style>",
        r"<style>a { fill: u\72l(https://alert.invalid/a) }</style>",
        '<rect style="fill: URL(https://alert.invalid/a)"/>',
        '<rect x:onload="alert(1)" xmlns:x="https://alert.invalid/"/>',
        "<?xml-stylesheet href='https://alert.invalid/a.css'?>",
        "<!-- alert -->",
    ],
)
def test_what_runs_or_loads_is_left_out(inside: str) -> None:
    shown = clean_svg(f'{BEGIN} onload="alert(1)"><g>{inside}<circle r="3"/></g></svg>'.encode())
    assert b"alert" not in shown
    assert b'<circle r="3"' in shown


def test_shapes_and_texts_stay() -> None:
    inside = (
        '<style>.a { fill: red; mask: url(#m) }</style><rect class="a" fill="url( \'#m\' )" width="1"/>'
        '<use xlink:href="#m"/><image href="data:image/png;base64,AA=="/><text x="1">für &lt;dich&gt;</text>'
    )
    shown = clean_svg(f"{BEGIN}>{inside}</svg>".encode()).decode()
    for part in ("mask: url(#m)", "fill=\"url( '#m' )\"", 'xlink:href="#m"', "base64,AA==", "für &lt;dich&gt;"):
        assert part in shown
    assert clean_svg(shown.encode()).decode() == shown


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0",
        b"<html><script>alert(1)</script></html>",
        b'<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg"><text>&a;</text></svg>',
        b'<?xml version="1.0" encoding="none"?><svg/>',
        f"{BEGIN}>{'<g>' * 5000}{'</g>' * 5000}</svg>".encode(),
    ],
)
def test_what_is_no_picture_becomes_an_empty_one(data: bytes) -> None:
    assert clean_svg(data) == NOTHING
