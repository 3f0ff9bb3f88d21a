"""SVG pictures that a static host serves by themselves: shapes and text, nothing that runs or loads."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser, register_namespace, tostring

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_SHAPES = (
    "svg g defs symbol use path rect circle ellipse line polyline polygon text tspan textPath title desc image"
    " linearGradient radialGradient stop clipPath mask pattern marker filter feGaussianBlur feOffset feBlend feFlood"
    " feComposite feMerge feMergeNode feColorMatrix feDropShadow feTurbulence"
)
SHAPES = frozenset(_SHAPES.split())
NOTHING = f'<svg xmlns="{SVG}"/>'.encode()
_REFERENCES = ("href", f"{{{XLINK}}}href")
_INSIDE = re.compile(r"#|data:image/(?:png|jpeg|gif|webp);base64,")
_LOADING = re.compile(r"url\(\s*+['\"]?+\s*+(?!#)|@import|\\", re.IGNORECASE)
"""Also escapes, which could write either in other letters."""


class _WithoutDoctype(TreeBuilder):
    def doctype(self, *_declared: object) -> None:
        raise ValueError("a document type could declare entities without end")


def clean_svg(data: bytes) -> bytes:
    """Return a picture without scripts, events, links and addresses; an empty one if it is no SVG."""
    parser = XMLParser(target=_WithoutDoctype())
    try:
        parser.feed(data)
        root: Element = parser.close()
        return _render(root) if root.tag == f"{{{SVG}}}svg" else NOTHING
    except (ParseError, ValueError, LookupError, RecursionError):
        return NOTHING


def _render(root: Element) -> bytes:
    for element in root.iter():
        for child in [child for child in element if not _is_shape(child)]:
            element.remove(child)
        for name, value in list(element.attrib.items()):
            if not _is_harmless(name, value):
                del element.attrib[name]
    register_namespace("", SVG)
    register_namespace("xlink", XLINK)
    shown: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return shown


def _is_shape(element: Element) -> bool:
    name = element.tag.removeprefix(f"{{{SVG}}}")
    return name in SHAPES or (name == "style" and not _LOADING.search("".join(element.itertext())))


def _is_harmless(name: str, value: str) -> bool:
    if name in _REFERENCES:
        return _INSIDE.match(value) is not None
    return not name.lower().startswith(("on", "{")) and not _LOADING.search(value)
