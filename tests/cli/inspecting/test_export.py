"""``gm export``: where the book goes, what it never overwrites, what it says when something is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gm.base.installed import pip_install
from gm.faces.book.export.html import is_ours
from gm.files.layout import Layout
from tests.cli.running import Run
from tests.stories.playing import tree


def test_without_a_file_the_book_is_markdown_on_standard_output(run: Run, played: Layout) -> None:
    outcome = run("export", "1", "-w", played.root)
    assert outcome.code == 0
    assert outcome.out.startswith("# Studio Brandsohle\n\n> Das Studio Brandsohle ")
    assert "\n## Tag 1: Montag\n" in outcome.out
    assert "Tag 1, Montag" not in outcome.out, "the heading says it"


@pytest.mark.parametrize(
    ("name", "begins"),
    [("b.md", b"# Studio"), ("b.html", b"<!DOCTYPE html>"), ("b.epub", b"PK"), ("b.PDF", b"%PDF-1.7")],
)
def test_the_ending_says_the_format(run: Run, played: Layout, tmp_path: Path, name: str, begins: bytes) -> None:
    before = tree(played.root)
    target = tmp_path / name
    outcome = run("export", "-w", played.root, "--to", target)
    assert outcome.code == 0
    assert "Studio Brandsohle, Tag 1, Montag" in outcome.out
    first = target.read_bytes()
    assert first.startswith(begins)
    assert is_ours(first)
    assert run("export", "-w", played.root, "--to", target).code == 0  # ours: it may be replaced
    assert target.read_bytes() == first
    assert tree(played.root) == before  # a book is read from a world, never written into it


def test_a_file_that_gm_did_not_make_stays(run: Run, played: Layout, tmp_path: Path) -> None:
    target = tmp_path / "brief.md"
    target.write_text("Liebe Oma", encoding="utf-8")
    outcome = run("export", "-w", played.root, "--to", target)
    assert outcome.code == 1
    assert "gm did not make it" in outcome.err
    assert target.read_text(encoding="utf-8") == "Liebe Oma"
    assert run("export", "-w", played.root, "--to", target, "--force").code == 0
    assert target.read_text(encoding="utf-8").startswith("# Studio")


@pytest.mark.parametrize("place", ["state/x.md", "state/logbook/x.md", "gallery/x.md", "prompts/x.md", "link/x.md"])
def test_a_book_never_goes_where_the_world_keeps_its_files(run: Run, played: Layout, place: str) -> None:
    (played.root / "link").symlink_to(played.state)
    (played.root / "prompts").mkdir(exist_ok=True)
    outcome = run("export", "-w", played.root, "--to", played.root / place, "--force")
    assert outcome.code == 2
    assert "the world's own" in outcome.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("--to", "book.xyz"),
        ("--format", "pdf"),
        ("--json",),
        ("--to", "nowhere/book.md"),
        ("--to", "."),
        ("--without", "gedanken"),
        ("--importance", "11"),
        ("--paper", "a9"),
        ("niemand",),
        ("7",),
    ],
)
def test_what_makes_no_sense_is_a_wrong_call(
    run: Run, played: Layout, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run("export", "-w", played.root, *arguments)
    assert outcome.code == 2
    assert outcome.err
    assert not outcome.out


def test_parts_can_be_left_out_and_title_and_author_given(run: Run, played: Layout) -> None:
    options = ("--without", "thoughts,reasons", "--title", "Asche", "--author", "N. N.")
    text = run("export", "-w", played.root, *options).out
    assert text.startswith("# Asche\n")
    assert "N. N." in text
    assert "Ungesagt" not in text
    assert "Warum diese Szene" not in text


def test_the_story_alone_leaves_out_what_is_told_around_its_scenes(run: Run, played: Layout) -> None:
    story = run("export", "-w", played.root, "--all", "--story").out
    parts = "cast,reasons,numbers,plates,closing,notes,asides"
    assert story == run("export", "-w", played.root, "--all", "--without", parts).out
    assert "\n### 1. Ankunft, Morgen\n" in story
    assert 0 < story.count("denkt:") < run("export", "-w", played.root, "--all").out.count("denkt:")
    less = run("export", "-w", played.root, "--all", "--story", "--without", "thoughts").out
    assert "denkt:" not in less
    assert "\n### 1. Ankunft, Morgen\n" in less


def test_a_second_card_of_the_same_name_says_only_that_it_is_there(run: Run, played: Layout, tmp_path: Path) -> None:
    target = tmp_path / "vera.json"
    assert run("export", "vera", "-w", played.root, "--card", target).code == 0
    outcome = run("export", "vera", "-w", played.root, "--card", target)
    assert (outcome.code, "vera.json already exists\n" in outcome.err) == (1, True)
    assert run("export", "vera", "-w", played.root, "--card", target, "--force").code == 0


def test_a_card_has_no_story(run: Run, played: Layout, tmp_path: Path) -> None:
    outcome = run("export", "vera", "-w", played.root, "--card", tmp_path / "vera.json", "--story")
    assert outcome.code == 2
    assert "--story do not apply to --card" in outcome.err
    assert not (tmp_path / "vera.json").exists()


def test_json_says_what_was_made(run: Run, played: Layout, tmp_path: Path) -> None:
    target = tmp_path / "b.epub"
    document = run("export", "vera", "-w", played.root, "--to", target, "--json").document
    assert (document["to"], document["format"], document["title"]) == (str(target), "epub", "Vera Hollstein")
    assert document["bytes"] == target.stat().st_size
    assert document["chapters"][0]["title"] == "Wer Vera ist"


@pytest.mark.parametrize(("module", "name"), [("typst", "b.pdf"), ("pypandoc", "b.epub")])
def test_a_missing_extra_is_named(
    run: Run, played: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, name: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    outcome = run("export", "-w", played.root, "--to", tmp_path / name)
    assert outcome.code == 1
    assert "pip install" in outcome.err
    assert pip_install("book").removeprefix("pip install ") in outcome.err
    assert not (tmp_path / name).exists()


def test_a_table_is_no_book_and_the_way_to_the_data_and_to_a_card_is_said(run: Run, dinner: Layout) -> None:
    outcome = run("export", "-w", dinner.root, "--to", "memories.csv")
    assert outcome.code == 2
    assert "--json of most commands" in outcome.err
    assert "gm.write_csv" in outcome.err
    assert "end it in .md, .html, .epub or .pdf; a card: --card FILE" in outcome.err
