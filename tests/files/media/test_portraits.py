"""Pictures of characters that no page shows are named with the reason."""

from __future__ import annotations

import pytest

from gm.api.editing.check.whole import check_world
from gm.files.layout import Layout
from gm.files.media import portraits
from tests.api.imports.corpus import picture

TOO_LONG = "found 100 bytes, expected at most 99"


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("alex.png", b"", ""),
        ("alex.jpeg", b"\xff\xd8\xff", ""),
        ("alex.webp", b"RIFF----WEBP", ""),
        ("alex.png", b"GIF89a", "found no PNG, JPEG or WebP"),
        ("alex.svg", b"<svg onload='x'/>", "found no PNG, JPEG or WebP"),
        ("alex.PNG", b"", "found the ending .PNG, expected .png"),
        ("alex.jpg", b"\xff\xd8\xff".ljust(100), TOO_LONG),
        ("nobody.gif", b"GIF89a", ""),
        ("alex.txt", b"x", ""),
    ],
)
@pytest.mark.parametrize("among_personas", [False, True])
def test_a_picture_that_no_page_shows_is_named_with_the_reason(
    name: str, data: bytes, reason: str, among_personas: bool, dinner: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(portraits, "MOST_PORTRAIT_BYTES", 99)
    folder = dinner.personas if among_personas else dinner.portrait("_").parent
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data or picture()[:99])
    found = [item for item in check_world(dinner).problems if item.code == "portrait-unshown"]
    wanted = [(dinner.shown(folder / name), "warning", f"no page shows this picture: {reason}")] if reason else []
    assert [(item.path, item.severity, item.message) for item in found] == wanted
    assert ("alex" in portraits.find_portraits(dinner)) == (not reason and name not in ("nobody.gif", "alex.txt"))
