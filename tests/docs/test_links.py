"""Every link of the documentation leads somewhere: to a file of the repository, and to a heading in it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.docs.pages import ROOT, all_pages, anchors_of, doc_pages, links_of


def faults(page: Path) -> list[str]:
    found = []
    for address in links_of(page):
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if not target.exists():
            found.append(f"{address}: there is no such file")
        elif not target.is_relative_to(ROOT):
            found.append(f"{address}: leads out of the repository")
        elif parts.fragment and target.suffix == ".md" and unquote(parts.fragment) not in anchors_of(target):
            found.append(f"{address}: there is no such heading")
    return found


@pytest.mark.parametrize("page", all_pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_and_every_anchor_leads_somewhere(page: Path) -> None:
    assert faults(page) == []


@pytest.mark.parametrize("page", doc_pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_has_one_title_and_it_comes_first(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    assert next(line for line in lines if line and not line.startswith("<!--")).startswith("# ")


def test_a_dead_link_and_a_dead_anchor_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.docs.test_links.ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("# A b-c, `d`\n\n[1](#a-b-c-d) [2](#none) [3](none.md) <img src='x'>\n<img src=\"none.png\">\n")
    assert [fault.partition(":")[0] for fault in faults(page)] == ["#none", "none.md", "none.png"]
