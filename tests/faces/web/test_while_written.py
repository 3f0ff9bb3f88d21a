"""Pages while another program writes, or was killed while writing: of one state, never of the middle of a commit."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from gm.api.editing.board import put_up_brief
from gm.files.layout import Layout
from tests.faces.web.conftest import Browse
from tests.faces.web.odd import addresses
from tests.files.killing import killed_after
from tests.stories.playing import copied

READERS = 4


@pytest.fixture(scope="module")
def lively(two_full_days: Layout, tmp_path_factory: pytest.TempPathFactory) -> Layout:
    return copied(two_full_days, tmp_path_factory.mktemp("lively") / "world")


def test_four_readers_see_whole_pages_while_a_day_is_played(lively: Layout, browse: Browse) -> None:
    pages = addresses(lively)
    playing = subprocess.Popen(
        [sys.executable, "-m", "gm", "advance-day", "-w", str(lively.root), "--model", "rehearsal"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )

    def read(first: int) -> list[str]:
        browser, odd = browse(lively), []
        for number in count(first):  # each page once, and on until the day is over
            page = pages[number % len(pages)]
            answer = browser.get(page)
            if answer.status_code not in (200, 400, 404, 409) or not answer.text.rstrip().endswith("</html>"):
                odd.append(f"{page}: {answer.status_code}")
            if answer.status_code == 200 and 'class="notice bad" role="note"' in answer.text:
                odd.append(f"{page}: something cannot be read")
            if number - first >= len(pages) and playing.poll() is not None:
                return odd
        return odd

    with ThreadPoolExecutor(READERS) as pool:
        found = [fault for faults in pool.map(read, range(0, len(pages), len(pages) // READERS)) for fault in faults]
    _, said = playing.communicate(timeout=60)
    assert playing.returncode == 0, said
    assert found == []


def test_after_a_writer_was_killed_a_page_shows_all_of_what_it_wrote_or_nothing(dinner: Layout, browse: Browse) -> None:
    brief = "Show me one thing less."
    seen = set()
    for operations in range(0, 160, 8):
        with killed_after(dinner.root, operations):
            put_up_brief(dinner, f"{brief} {operations}.")
        page = browse(dinner).get("/index.html")
        assert page.status_code == 200
        told = f"{brief} {operations}." in page.text
        seen.add(told)
        put_up_brief(dinner, "The next writer carries out what was left.")
        assert (f"{brief} {operations}." in browse(dinner).get("/index.html").text) == told
        assert (f"{brief} {operations}." in dinner.bulletin.read_text(encoding="utf-8")) == told
    assert seen == {True, False}
