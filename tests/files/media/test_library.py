from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.api.editing.check.whole import check_world
from gm.files.layout import Layout
from gm.files.media.library import MOST_TEXT_BYTES, find_passages, has_texts, parse_text, read_library

TEXT = """\
---
title: "Die Stufe"
author: K. Imhoff
---

# Die Stufe

## Links und rechts

Abwärts tritt man
härter auf.

## Leer

Eine Schwelle zeigt mehr.
## Gleich darunter
Ohne Leerzeile.
"""


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    (tmp_path / "library").mkdir()
    return Layout(tmp_path)


def write_file(layout: Layout, name: str, text: str | bytes) -> Path:
    path = layout.library / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def codes(layout: Layout) -> list[tuple[str, str, str]]:
    return [(item.path, item.severity, item.code) for item in read_library(layout)[1]]


def test_a_text_is_read_into_paragraphs_with_their_headings_and_lines() -> None:
    passages, problems = parse_text(TEXT, "library/stufe.md")
    assert not problems
    lines = TEXT.split("\n")
    assert [(one.place, one.text) for one in passages] == [
        ("library/stufe.md:8-11", "## Links und rechts\n\nAbwärts tritt man\nhärter auf."),
        ("library/stufe.md:13-15", "## Leer\n\nEine Schwelle zeigt mehr."),
        ("library/stufe.md:16-17", "## Gleich darunter\nOhne Leerzeile."),
    ]
    for one in passages:
        assert "\n".join(lines[one.first - 1 : one.last]) == one.text
        assert (one.title, one.author) == ("Die Stufe", "K. Imhoff")


def test_a_long_paragraph_is_cut_where_a_sentence_ends() -> None:
    texts = ("Eine Stufe ist hohl.\n", "ja ")
    ((long,), _), ((unending,), _) = (parse_text(text * 2000, "library/a.md") for text in texts)
    assert long.text.endswith("\nEine Stufe ist hohl. […]")
    assert unending.text.endswith("ja ja […]")


def test_without_front_matter_the_first_heading_is_the_title_and_else_the_name_of_the_file() -> None:
    assert parse_text("# Vom Filz\n\nFilz.\n", "library/a.md")[0][0].title == "Vom Filz"
    assert parse_text("Filz.\n", "library/vom-alten-filz.txt")[0][0].title == "vom alten filz"


def test_broken_front_matter_is_a_warning_and_the_text_is_read() -> None:
    passages, problems = parse_text("---\ntitle: [\n---\nFilz.\n", "library/a.md")
    assert [one.text for one in passages] == ["Filz."]
    assert [(item.severity, item.code, item.line) for item in problems] == [("warning", "library-front", 2)]


@given(st.text(max_size=300))
def test_any_text_is_read_and_every_passage_is_where_it_says(text: str) -> None:
    passages, _ = parse_text(text, "library/a.md")
    lines = text.split("\n")
    for one in passages:
        assert 1 <= one.first <= one.last <= len(lines)
        assert one.text.strip()


def test_what_fits_is_found_best_first_with_its_place(layout: Layout) -> None:
    write_file(layout, "filz.txt", "Filz schluckt hohe Töne.\n")
    write_file(layout, "tief/stufe.md", TEXT)
    passages, problems = find_passages(layout, "ausgetretene Schwellen", "de")
    assert [one.place for one in passages] == ["library/tief/stufe.md:13-15"]
    assert not problems
    assert find_passages(layout, "Quittungen", "de") == ((), [])


def test_what_is_no_text_is_skipped_and_named(layout: Layout, tmp_path: Path) -> None:
    secret = tmp_path.parent / f"{tmp_path.name}-outside.md"
    secret.write_text("Geheim: Filz.", encoding="utf-8")
    write_file(layout, "bild.png", b"\x89PNG")
    write_file(layout, "null.txt", b"Filz\0Filz")
    write_file(layout, "latin.md", "Töne".encode("latin-1"))
    write_file(layout, "riese.txt", b"Filz \n" * (MOST_TEXT_BYTES // 5))
    write_file(layout, ".versteckt.md", "Filz.")
    write_file(layout, "gut.md", "Filz ist gut.")
    (layout.library / "hinaus.md").symlink_to(secret)
    (layout.library / "kreis.md").symlink_to(layout.library / "kreis.md")
    (layout.library / "fehlt.md").symlink_to(layout.library / "gibt-es-nicht.md")
    (layout.library / "oben").symlink_to(tmp_path.parent)
    passages, _ = find_passages(layout, "Filz", "de")
    assert [one.source for one in passages] == ["library/gut.md"]
    assert sorted(codes(layout)) == [
        ("library/bild.png", "info", "library-kind"),
        ("library/fehlt.md", "warning", "library-unreadable"),
        ("library/hinaus.md", "warning", "library-outside"),
        ("library/kreis.md", "warning", "library-unreadable"),
        ("library/latin.md", "warning", "library-unreadable"),
        ("library/null.txt", "warning", "library-binary"),
        ("library/oben", "warning", "library-outside"),
        ("library/riese.txt", "warning", "library-size"),
    ]


def test_a_library_that_is_itself_a_link_to_elsewhere_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.md").write_text("Filz.", encoding="utf-8")
    (tmp_path / "world").mkdir()
    layout = Layout(tmp_path / "world")
    layout.library.symlink_to(tmp_path / "elsewhere")
    assert not has_texts(layout)
    assert codes(layout) == [("library/a.md", "warning", "library-outside")]


def test_there_are_texts_or_there_are_none(layout: Layout) -> None:
    assert not has_texts(layout)
    write_file(layout, "bild.png", b"\x89PNG")
    assert not has_texts(layout)
    write_file(layout, "gut.md", "Filz.")
    assert has_texts(layout)


def test_check_names_what_the_library_cannot_give_and_the_bundled_one_is_clean(studio: Layout) -> None:
    assert len(list(studio.library.iterdir())) >= 5
    assert not [item for item in check_world(studio).problems if item.path.startswith("library/")]
    write_file(studio, "latin.md", "Töne".encode("latin-1"))
    (found,) = [item for item in check_world(studio).problems if item.path.startswith("library/")]
    assert (found.severity, found.line, found.column) == ("warning", 1, 2)
