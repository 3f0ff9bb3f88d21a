"""Style sheets are whole: one brace too few, and a browser leaves out everything behind it without a word."""

import re
from pathlib import Path

import pytest

import gm.faces.web

SHEETS = sorted((Path(gm.faces.web.__file__).parent / "static").glob("*.css"))
ASIDE = re.compile(r"/\*.*?\*/|\"[^\"\n]*\"|'[^'\n]*'", re.DOTALL)


def depths(text: str) -> list[int]:
    """How many braces are open after each brace."""
    found = [0]
    for sign in re.findall(r"[{}]", ASIDE.sub("", text)):
        found.append(found[-1] + (1 if sign == "{" else -1))
    return found


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_every_brace_of_a_style_sheet_is_closed(sheet: Path) -> None:
    found = depths(sheet.read_text(encoding="utf-8"))
    assert found[-1] == 0
    assert min(found) == 0
    assert max(found) >= 1


def test_a_brace_that_is_left_open_is_seen() -> None:
    assert depths("@media print { a { color: red; }")[-1] == 1
    assert depths('a::after { content: "}"; } /* { */')[-1] == 0


def test_no_other_sheet_dresses_what_stands_in_the_header() -> None:
    frame = (SHEETS[0].parent.parent / "templates" / "base.html").read_text(encoding="utf-8")
    header = frame[frame.index("<header") : frame.index("</header>")]
    names = {name for text in re.findall(r'class="([a-z ]+)"', header) for name in text.split()}
    assert {"top", "more", "seek"} <= names
    bare = re.compile(rf"(?:^|[,}}])\s*\.(?:{'|'.join(sorted(names))})(?![\w-])", re.MULTILINE)
    found = {sheet.name for sheet in SHEETS if bare.search(ASIDE.sub("", sheet.read_text(encoding="utf-8")))}
    assert found == {"site.css"}
