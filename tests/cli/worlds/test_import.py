"""``gm import`` and ``gm export --card``: what they say, what they refuse, and what they never overwrite."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gm.api.imports.landing import FORMATS
from gm.files.layout import Layout
from tests.api.imports.corpus import BOOKS, CARDS_V1, CARDS_V2, INSTRUCTIONS, card_png, v2, written
from tests.cli.running import Run
from tests.files.killing import killed_after
from tests.stories.playing import tree


@pytest.fixture
def mira(tmp_path: Path) -> Path:
    path = tmp_path / "mira.png"
    path.write_bytes(card_png(chara=CARDS_V2["full"]))
    return path


def file_of(folder: Path, name: str, document: object) -> Path:
    path = folder / name
    path.write_bytes(written(document))
    return path


def test_it_is_said_what_went_where_and_what_was_left_aside(run: Run, dinner: Layout, mira: Path) -> None:
    outcome = run("import", mira, "-w", dinner.root)
    assert (outcome.code, outcome.err) == (0, "")
    assert f"{mira} (character card V2): mira-sandoval\n" in outcome.out
    assert "  description → persona\n" in outcome.out
    assert "  left aside: system_prompt, post_history_instructions: told to models" in outcome.out
    assert "  written: state/personas/mira-sandoval.md\n" in outcome.out
    assert "and add role and home where they are missing: state/personas/mira-sandoval.md" in outcome.out
    assert "rag.enabled" not in outcome.out
    assert "pass it to gm brief:\n    A storm is coming, and The host has no boat.\n" in outcome.out
    assert run("check", "-w", dinner.root, "--json").document["problems"] == []
    assert "mira-sandoval" in run("status", "-w", dinner.root).out


def test_the_document_says_the_same(run: Run, dinner: Layout, mira: Path) -> None:
    before = tree(dinner.root)
    would = run("import", mira, "-w", dinner.root, "--dry-run", "--json").document
    assert tree(dinner.root) == before
    done = run("import", mira, "-w", dinner.root, "--json").document
    assert (would.pop("written"), done.pop("written")) == (False, True)
    assert would == done
    (source,) = done["sources"]
    assert source["people"] == ["mira-sandoval"]
    assert {"part": "picture", "said": "portrait"} in source["mapped"]
    assert all((dinner.root / path).is_file() for path in source["files"])


def test_no_prompt_holds_what_a_card_tells_models(run: Run, studio: Layout, mira: Path) -> None:
    assert run("import", mira, "-w", studio.root, "--user", "Leo").code == 0
    prompt = run("context", "mira-sandoval", "-w", studio.root, "--prompt").out
    assert "Mira is a harbour pilot." in prompt
    assert "You, Leo! Hold this rope." in prompt
    assert not [words for words in INSTRUCTIONS if words in prompt]


def test_text_of_a_file_cannot_steer_the_terminal(run: Run, dinner: Layout, tmp_path: Path) -> None:
    card = v2("Eve\x1b]0;x\x07", description="Eve.", scenario="\x1b[2J{{user}}", **{"evil\x1b[31m": 1})
    outcome = run("import", file_of(tmp_path, "eve.json", card), "-w", dinner.root)
    assert outcome.code == 0
    assert "\x1b" not in outcome.out + outcome.err
    assert "evil [31m" in outcome.out


def test_what_is_unknown_brings_what_is_known(run: Run, dinner: Layout, tmp_path: Path) -> None:
    outcome = run("import", file_of(tmp_path, "odd.json", {"odd": True}), "-w", dinner.root)
    assert (outcome.code, outcome.out) == (2, "")
    assert all(one.name in outcome.err for one in FORMATS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--for", "nobody"), "nobody here is called 'nobody'"),
        (("--lore", "gifted"), "name one: --for NAME"),
        (("--lore", "library", "--for", "alex"), "exclude each other"),
        (("--as", "Somebody"), "--as names one character"),
        (("--as", "\t"), "--as has no letters"),
        (("--lore", "soul"), "'soul' is not a value of --lore"),
    ],
)
def test_what_makes_no_sense_is_a_wrong_call(
    run: Run, dinner: Layout, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    before = tree(dinner.root)
    outcome = run("import", file_of(tmp_path, "town.json", BOOKS["world info"]), "-w", dinner.root, *arguments)
    assert outcome.code == 2
    assert said in outcome.err
    assert tree(dinner.root) == before


def test_a_name_that_exists_brings_the_option_that_helps(run: Run, dinner: Layout, tmp_path: Path) -> None:
    card = file_of(tmp_path, "alex.json", v2("Alex", description="Another."))
    outcome = run("import", card, "-w", dinner.root)
    assert (outcome.code, outcome.out) == (2, "")
    assert "there is a character alex already" in outcome.err
    assert "--as NAME" in outcome.err
    assert run("import", card, "-w", dinner.root, "--as", "Alex Two").code == 0


def test_a_lorebook_is_remembered_by_the_one_who_is_named(run: Run, dinner: Layout, tmp_path: Path) -> None:
    book = file_of(tmp_path, "saltmarsh.json", BOOKS["lorebook_v3"])
    outcome = run("import", book, "-w", dinner.root, "--for", "alex")
    assert "2 entries → seed memories of Alex Pemberton" in outcome.out
    assert "The toll is paid in candles." in dinner.gifted("alex").read_text(encoding="utf-8")
    assert run("gift", "-w", dinner.root).code == 0
    assert "The toll is paid in candles." in dinner.gifted("alex").read_text(encoding="utf-8")


def test_a_card_goes_out_where_nothing_is_overwritten(run: Run, dinner: Layout, mira: Path, tmp_path: Path) -> None:
    run("import", mira, "-w", dinner.root)
    before = tree(dinner.root)
    target = tmp_path / "out.json"
    outcome = run("export", "mira", "--card", target, "-w", dinner.root)
    assert outcome.code == 0
    assert "mira-sandoval, the card it came with" in outcome.out
    assert "left out as private: " in outcome.err
    assert "--with NAMES puts some of it in, --all all of it" in outcome.err
    assert json.loads(target.read_bytes())["data"]["extensions"] == CARDS_V2["full"]["data"]["extensions"]
    assert run("export", "mira", "--card", target, "-w", dinner.root).code == 1
    again = run("export", "mira", "--card", target, "-w", dinner.root, "--force", "--all", "--json")
    assert again.document["held_back"] == []
    assert again.document["bytes"] == target.stat().st_size
    inside = run("export", "mira", "--card", dinner.state / "x.png", "-w", dinner.root)
    assert "the world's own" in inside.err
    assert tree(dinner.root) == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("alex", "--card", "x.webp"), "a card cannot be a file .webp"),
        (("alex", "casey", "--card", "x.png"), "a card takes one character"),
        (("--card", "x.png"), "a card takes one character"),
        (("alex", "--card", "x.png", "--to", "b.md"), "do not apply to --card"),
        (("alex", "--with", "soul"), "--with belongs to --card"),
        (("alex", "--card", "x.png", "--with", "souls"), "no card holds 'souls'"),
        (("nobody", "--card", "x.png"), "nobody here is called 'nobody'"),
    ],
)
def test_a_card_that_cannot_be_made_is_a_wrong_call(
    run: Run,
    dinner: Layout,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run("export", "-w", dinner.root, *arguments)
    assert outcome.code == 2
    assert said in outcome.err
    assert not list(tmp_path.glob("x.*"))


def test_several_files_come_in_together(run: Run, dinner: Layout, tmp_path: Path) -> None:
    one = file_of(tmp_path, "one.json", CARDS_V1["plain"])
    two = file_of(tmp_path, "two.json", CARDS_V1["german"])
    bad = file_of(tmp_path, "bad.json", v2("Alex"))
    before = tree(dinner.personas)
    outcome = run("import", one, bad, "-w", dinner.root)
    assert outcome.code == 2
    assert str(bad) in outcome.err
    assert tree(dinner.personas) == before
    outcome = run("import", one, two, "-w", dinner.root, "--json")
    assert [source["people"] for source in outcome.document["sources"]] == [["otto-brand"], ["kaethe-ueberlinger"]]


def test_a_refused_import_says_that_it_was_interrupted_and_is_done(run: Run, dinner: Layout, mira: Path) -> None:
    with killed_after(dinner.root, 0, event="os.mkdir", ending="imported"):
        run("import", mira, "-w", dinner.root)
    assert dinner.journal.stat().st_size
    outcome = run("import", mira, "-w", dinner.root)
    assert outcome.code == 2
    assert "finished an interrupted write of" in outcome.err
    assert "mira-sandoval" in outcome.err
    assert run("check", "-w", dinner.root).code == 0


def test_status_names_a_character_whose_id_cannot_say_it(run: Run, dinner: Layout, tmp_path: Path) -> None:
    assert (
        run("import", file_of(tmp_path, "aoi.json", v2("葵", description="葵は静かだ。")), "-w", dinner.root).code == 0
    )
    shown = run("status", "-w", dinner.root).out
    assert "character-4 (葵) " in shown
    assert "(Alex" not in shown


def test_macros_that_stay_in_the_texts_are_named(run: Run, dinner: Layout, tmp_path: Path) -> None:
    card = v2("Una", description="{{char}} waits since {{date}}, {{time}} and {{date}}. {{// nothing}}")
    outcome = run("import", file_of(tmp_path, "una.json", card), "-w", dinner.root)
    assert "  left aside: {{date}}, {{time}}: stays in the texts as it is; correct it there\n" in outcome.out
    book = {"entries": [{"keys": ["ferry"], "content": "{{char}} knows the captain."}]}
    outcome = run("import", file_of(tmp_path, "book.json", book), "-w", dinner.root)
    assert "  left aside: {{char}}: stays in the texts" in outcome.out
