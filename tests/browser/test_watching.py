"""What the other tests rely on: unguarded attacks succeed, and a successful attack is seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.attacks import ATTACKS, HTML, Attack
from tests.browser.watching import Watch


class Loose:
    """Opens pages in which everything may happen, and tells what did."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self._watch = Watch(browser, folder.as_uri())
        self._file = folder / "page.html"
        self._page = self._watch.page()

    def faults_of(self, text: str) -> list[str]:
        self._watch.faults.clear()
        self._file.write_text(f'<!doctype html><meta charset="utf-8"><title>x</title>{text}', encoding="utf-8")
        self._watch.visit(self._page, self._file.as_uri())
        self._page.evaluate("new Promise(done => setTimeout(done, 0))")
        return list(self._watch.faults)

    def close(self) -> None:
        self._watch.close()


@pytest.fixture(scope="module")
def loose(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loose]:
    found = Loose(browser, tmp_path_factory.mktemp("loose"))
    yield found
    found.close()


@pytest.mark.parametrize("attack", HTML, ids=lambda attack: attack.name)
def test_an_attack_that_is_printed_raw_is_seen(attack: Attack, loose: Loose) -> None:
    assert loose.faults_of(f"<p>{attack.text}</p>") != []


def test_harmless_text_is_no_fault(loose: Loose) -> None:
    assert loose.faults_of("<p>Der Turm steht schief.") == []


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("<script>console.error('ach')</script>", "error on the console: ach"),
        ("<script>throw new Error('oh')</script>", "uncaught"),
        ("<script>alert('halt')</script>", "a dialog: halt"),
        ("<script>window.__attacked = 'ja'</script>", "an attack ran: ja"),
        ("<script src='nirgends.js'></script>", "failed"),
        ("<script>fetch('http://127.0.0.2:9/').catch(() => 0)</script>", "asks http://127.0.0.2:9/"),
        (
            "<meta http-equiv='Content-Security-Policy' content=\"img-src 'none'\"><img src='x.png' alt=''>",
            "error on the console: Loading the image",
        ),
    ],
)
def test_each_kind_of_fault_is_told(text: str, seen: str, loose: Loose) -> None:
    faults = loose.faults_of(text)
    assert any(seen in fault for fault in faults), faults


def test_no_two_attacks_are_the_same() -> None:
    assert len({attack.text for attack in ATTACKS}) == len({attack.name for attack in ATTACKS}) == len(ATTACKS)
