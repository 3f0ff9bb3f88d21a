"""``gm publish`` on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gm.files.layout import Layout
from gm.layers.diary import DIARY
from gm.layers.privacy import private_words
from gm.layers.soul import SOUL
from tests.cli.running import Run


def test_it_says_what_will_be_published_and_what_is_kept_back_before_it_writes(
    played: Layout, tmp_path: Path, run: Run
) -> None:
    done = run("publish", str(tmp_path / "site"), "-w", str(played.root))
    assert done.code == 0
    first, kept, whose, shown, written = done.err.splitlines()
    assert re.fullmatch(r"\d+ pages: today 1, agents 1, agent 7, .*day 1, .*search 1", first)
    assert re.sub(r" \(\d+\)", "", kept) == "left out as private: " + ", ".join(sorted(private_words()))
    assert f"thoughts ({len(thoughts_of(played))})" in kept
    assert re.fullmatch(r"kept back of .*Vera .*: the text of the persona under a private heading", whose)
    assert shown.startswith("shown: personas, scenes, agreements, moods, gallery, board; publish.private, --private")
    assert written.endswith("files written, 0 unchanged")
    assert (tmp_path / "site" / "index.html").is_file()


def thoughts_of(layout: Layout) -> list[str]:
    lines = map(json.loads, layout.day_log(1).read_text(encoding="utf-8").splitlines())
    return [turn["thought"] for line in lines for turn in line.get("turns", ()) if turn.get("thought")]


def test_a_dry_run_says_the_same_and_writes_nothing(played: Layout, tmp_path: Path, run: Run) -> None:
    dry = run("publish", str(tmp_path / "site"), "-w", str(played.root), "--dry-run", "--json")
    assert not (tmp_path / "site").exists()
    document = json.loads(dry.out)
    assert document["dry_run"] is True
    assert document["files"] == {"written": [], "unchanged": 0, "removed": []}
    wet = run("publish", str(tmp_path / "site"), "-w", str(played.root), "--json")
    assert json.loads(wet.out)["pages"] == document["pages"]
    assert json.loads(wet.out)["private"] == document["private"]
    assert dry.err == wet.err


def test_a_heading_that_only_looks_private_is_named_and_whose_text_is_kept_back_is_said(
    dinner: Layout, tmp_path: Path, run: Run
) -> None:
    path = dinner.persona("alex")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("## What you tell nobody", "## What You Tell No-one"), encoding="utf-8")
    options = ("publish", str(tmp_path / "site"), "-w", str(dinner.root), "--dry-run", "--json")
    done = run(*options)
    document = json.loads(done.out)
    assert document["kept_back_of"] == ["casey", "jordan"]
    assert re.search(r"^kept back of Casey [\w ]+, Jordan [\w ]+: the text of the persona", done.err, re.M)
    (warning,) = document["warnings"]
    assert "'What You Tell No-one' keeps nothing private" in warning
    assert "write the line: ## What you tell nobody;" in warning
    assert f"note: {warning.splitlines()[0]}" in done.err
    everything = json.loads(run(*options, "--all").out)
    assert (everything["kept_back_of"], everything["warnings"]) == ([], [])


def test_nothing_is_published_while_a_heading_only_looks_private_unless_it_is_meant_so(
    dinner: Layout, tmp_path: Path, run: Run
) -> None:
    path = dinner.persona("alex")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("## What you tell nobody", "## What you tell no one"), encoding="utf-8")
    settings = dinner.settings.read_text(encoding="utf-8")
    dinner.settings.write_text(settings + "\npublish: {private: [private]}\n", encoding="utf-8")
    for command in (
        ("publish", str(tmp_path / "site")),
        ("export", "alex", "--to", str(tmp_path / "alex.md")),
        ("export", "alex", "--card", str(tmp_path / "alex.json")),
    ):
        options = (*command, "-w", str(dinner.root))
        refused = run(*options)
        assert refused.code == 1, command
        assert re.search(r"^ *state/personas/alex\.md:\d+:1: .*'What you tell no one' keeps nothing", refused.err, re.M)
        assert "write the line: ## What you tell nobody;" in refused.err
        assert "--despite-headings" in refused.err
        assert not Path(command[-1]).exists()
        assert run(*options, "--despite-headings").code == 0
        assert Path(command[-1]).exists()
    assert run("export", "casey", "--card", str(tmp_path / "casey.json"), "-w", str(dinner.root)).code == 0
    assert run("publish", str(tmp_path / "open"), "--all", "-w", str(dinner.root)).code == 0


@pytest.mark.parametrize("tags", ['["private"]', "[]"])
def test_a_seed_memory_that_repeats_what_the_persona_keeps_back_is_not_published(
    dinner: Layout, tmp_path: Path, run: Run, tags: str
) -> None:
    run("gift", "-w", str(dinner.root))
    path, secret = dinner.gifted("alex"), "the box marked TANNERY"
    text = path.read_text(encoding="utf-8")
    assert secret in text
    path.write_text(text.replace('"tags": ["private"]', f'"tags": {tags}'), encoding="utf-8")
    for kept, name in (("private", "private"), ("prompts", "open")):
        run("publish", str(tmp_path / name), "-w", str(dinner.root), "--private", kept)
    pages = {name: _read_pages(tmp_path / name) for name in ("private", "open")}
    assert (secret in pages["private"], secret in pages["open"]) == (False, True)
    assert "You are Alex Pemberton" in pages["private"]


def _read_pages(folder: Path) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.html"))


def test_publishing_minds_names_the_characters_whose_secrets_may_appear(
    played: Layout, tmp_path: Path, run: Run
) -> None:
    options = ("publish", str(tmp_path / "site"), "-w", str(played.root), "--dry-run")
    assert "hold a secret" not in run(*options).err
    notes = run(*options, "--private", "private,memories").err
    assert re.search(r"note: the personas of [a-z, ]*vera[a-z, ]* hold a secret; thoughts, .* may tell it", notes)
    assert "memories may" not in notes
    notes = run(*options, "--private", "prompts,cost").err
    assert re.search(r"note: the secrets in the personas of [a-z, ]*vera[a-z, ]* are shown; .* private as well", notes)


def test_the_report_is_one_document(dinner: Layout, tmp_path: Path, run: Run) -> None:
    done = run("publish", str(tmp_path / "site"), "-w", str(dinner.root), "--json", "--all")
    document = json.loads(done.out)
    assert document["kept_back"] == []
    assert document["pages"]["today"] == 1
    assert "index.html" in document["files"]["written"]


def test_the_setting_says_what_is_kept_back(dinner: Layout, tmp_path: Path, run: Run) -> None:
    text = dinner.settings.read_text(encoding="utf-8")
    dinner.settings.write_text(text + "\npublish: {private: [thoughts]}\n", encoding="utf-8")
    done = run("publish", str(tmp_path / "site"), "-w", str(dinner.root), "--json")
    assert json.loads(done.out)["kept_back"] == ["thoughts"]


def test_something_private_that_does_not_exist_is_refused(played: Layout, tmp_path: Path, run: Run) -> None:
    done = run("publish", str(tmp_path / "site"), "-w", str(played.root), "--private", "dreams")
    assert done.code == 2
    assert "nothing private is called 'dreams'" in done.err
    assert not (tmp_path / "site").exists()


def test_a_folder_that_gm_did_not_make_is_refused(dinner: Layout, tmp_path: Path, run: Run) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("mine", encoding="utf-8")
    done = run("publish", str(tmp_path / "site"), "-w", str(dinner.root))
    assert done.code == 2
    assert "--force" in done.err


def test_a_book_keeps_back_what_the_setting_says(played: Layout, run: Run) -> None:
    whole = run("export", "1", "-w", played.root, "--all")
    assert "left out" not in whole.err
    text = played.settings.read_text(encoding="utf-8")
    played.settings.write_text(text + "\npublish: {private: [prompts, reasons, thoughts]}\n", encoding="utf-8")
    kept = run("export", "1", "-w", played.root)
    assert kept.code == 0
    assert kept.err.splitlines() == [
        "left out as private: thoughts, reasons",
        "  --all puts all of it in; publish.private in gm.yaml says what is private",
    ], "a book never has prompts"
    assert len(kept.out) < len(whole.out)
    assert run("export", "1", "-w", played.root, "--all").out == whole.out


def test_what_rests_on_a_private_memory_is_told_nowhere_either(played: Layout, tmp_path: Path, run: Run) -> None:
    def add(text: str, *more: str) -> str:
        done = run("memory", "add", "vera", text, "--importance", "9", "--json", *more, "-w", played.root)
        return str(json.loads(done.out)["id"])

    secret = add("Kim told me of the ZZnewts.", "--tags", "private")
    near = add("I say ZZnewts and mean the lamp.", "--type", "reflection", "--tags", "ZZpond", "--evidence", secret)
    add("ZZnewts never sleep.", "--type", "reflection", "--evidence", near)
    text = played.settings.read_text(encoding="utf-8")
    played.settings.write_text(text + "\npublish: {private: [private, prompts]}\n", encoding="utf-8")
    done = run("publish", str(tmp_path / "site"), "-w", played.root)
    assert "private (3)" in done.err
    assert "note: what is private may be told in scenes" in done.err
    for path in (tmp_path / "site").rglob("*"):
        assert path.is_dir() or not re.search(b"ZZ(newts|pond)", path.read_bytes()), path
    book, card = run("export", "vera", "-w", played.root), tmp_path / "vera.json"
    assert run("export", "vera", "--card", str(card), "-w", played.root).code == 0
    assert "ZZnewts" not in book.out + card.read_text(encoding="utf-8")
    assert "ZZnewts" in run("export", "vera", "--all", "-w", played.root).out


def test_a_card_of_a_mind_that_is_kept_back_is_made_as_if_all_of_it_were_private(
    played: Layout, tmp_path: Path, run: Run
) -> None:
    def card(name: str) -> str:
        path = tmp_path / "card.json"
        assert run("export", name, "--card", str(path), "--force", "-w", played.root).code == 0
        return path.read_text(encoding="utf-8")

    text = played.settings.read_text(encoding="utf-8")
    insight = ("--type", "reflection", "--importance", "9", "-w", played.root)
    for name in ("vera", "leo"):
        run("memory", "add", name, f"ZZ{name} never sleeps.", *insight)
    played.settings.write_text(text + "\npublish: {private: [Vera]}\n", encoding="utf-8")
    assert "ZZleo" in card("leo")
    named = card("vera")
    assert "ZZvera" not in named
    played.settings.write_text(text, encoding="utf-8")
    assert named == card("vera")


SECRET = "I took the money out of the jar."


def test_a_secret_that_is_thought_and_written_into_a_diary_stays_at_home_unless_it_is_asked_for(
    played: Layout, tmp_path: Path, run: Run
) -> None:
    log = played.day_log(1)
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    who = lines[0]["participants"][0]
    lines[0]["turns"][0]["thought"] = SECRET
    lines[1]["thoughts"] = [{"agent": who, "text": SECRET}]
    del lines[1]["turns"]  # as in an older logbook
    log.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    played.layer(DIARY, who).parent.mkdir(exist_ok=True)
    entry = {"day": 1, "text": SECRET, "mood": "", "location": "", "tags": [], "created": "day-001/scene-01"}
    played.layer(DIARY, who).write_text(json.dumps(entry) + "\n", encoding="utf-8")
    played.layer(SOUL, who).parent.mkdir(exist_ok=True)
    played.layer(SOUL, who).write_text(f"fears:\n  - {SECRET}\n", encoding="utf-8")

    def published_text(*options: str) -> str:
        assert run("publish", str(tmp_path / "site"), "-w", str(played.root), *options).code == 0
        files = [path for path in (tmp_path / "site").rglob("*") if path.is_file()]
        pages = "".join(path.read_text(encoding="utf-8", errors="replace") for path in files)
        return pages + run("export", "1", who, "-w", played.root, *options).out

    assert SECRET not in published_text()
    assert published_text("--all").count(SECRET) >= 4


BROKEN = ("publish: {private: [thoughts]\n", "publish: {private: [thougts]}\n", "publish: [thoughts]\n")


@pytest.mark.parametrize("text", BROKEN)
def test_nothing_is_published_while_it_is_not_known_what_is_private(
    dinner: Layout, tmp_path: Path, run: Run, text: str
) -> None:
    dinner.settings.write_text(dinner.settings.read_text(encoding="utf-8") + "\n" + text, encoding="utf-8")
    for command in (("publish", str(tmp_path / "site")), ("export", "1", "--to", str(tmp_path / "book.md"))):
        done = run(*command, "-w", str(dinner.root))
        assert done.code == 1
        assert "gm.yaml:" in done.err
        assert not (tmp_path / command[-1]).exists()
    assert run("publish", str(tmp_path / "site"), "-w", str(dinner.root), "--private", "thoughts").code == 0


def test_a_setting_that_does_not_exist_is_named_before_publishing(dinner: Layout, tmp_path: Path, run: Run) -> None:
    text = dinner.settings.read_text(encoding="utf-8")
    dinner.settings.write_text(text + "\npublsih: {private: [thoughts]}\n", encoding="utf-8")
    done = run("publish", str(tmp_path / "site"), "-w", str(dinner.root))
    assert done.code == 0
    assert "publsih" in done.err


def test_a_link_in_the_folder_of_a_site_is_not_written_through(dinner: Layout, tmp_path: Path, run: Run) -> None:
    (outside := tmp_path / "outside").mkdir()
    (site := tmp_path / "site").mkdir()
    (site / "agents").symlink_to(outside)
    for more in ((), ("--force",)):
        done = run("publish", str(site), "-w", str(dinner.root), *more)
        assert done.code == 2
        assert "leads out of the folder" in done.err
    assert [*outside.iterdir(), *site.iterdir()] == [site / "agents"]


def test_a_published_picture_holds_no_script(dinner: Layout, tmp_path: Path, run: Run) -> None:
    dinner.gallery.mkdir(exist_ok=True)
    text = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script><path d="M0 0"/></svg>'
    (dinner.gallery / "sign.svg").write_text(text, encoding="utf-8")
    assert run("publish", str(tmp_path / "site"), "-w", str(dinner.root)).code == 0
    (picture,) = (tmp_path / "site/gallery/files").glob("*.svg")
    assert "alert" not in picture.read_text(encoding="utf-8")
    assert "M0 0" in picture.read_text(encoding="utf-8")


def test_what_cannot_be_read_and_is_on_no_page_is_named(dinner: Layout, tmp_path: Path, run: Run) -> None:
    path = dinner.persona("alex")
    path.write_bytes(path.read_bytes().replace(b"You are", b"You \xe4re", 1))
    done = run("publish", str(tmp_path / "site"), "-w", str(dinner.root), "--dry-run")
    assert done.code == 0
    assert "state/personas/alex.md" in done.err.splitlines()[0]
    assert "byte 0xe4 is not UTF-8" in done.err.splitlines()[0]
    assert "These places were left out. See: gm check" in done.err
