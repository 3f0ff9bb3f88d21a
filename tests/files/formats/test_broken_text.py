"""A text with a real line break in it: the hint does not tell the user to delete the line."""

from __future__ import annotations

from gm.api.editing.check.whole import check_world
from gm.files.layout import Layout
from tests.stories.playing import play


def test_a_line_break_inside_a_text_is_explained_before_anything_is_deleted(dinner: Layout) -> None:
    play(dinner)
    log = dinner.day_log(1)
    whole = log.read_text(encoding="utf-8")
    log.write_text(whole.replace('"summary": "Day', '"summary": "\nDay', 1), encoding="utf-8")
    (problem,) = [one for one in check_world(dinner).problems if one.message.startswith("not JSON: the line ends")]
    assert problem.hint.startswith("in a text, write \\n for a line break;")
