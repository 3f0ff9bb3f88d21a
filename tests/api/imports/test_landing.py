"""What comes in is written whole or not at all, and nothing that exists is overwritten."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.check.whole import check_world
from gm.api.history.rewind.branches import make_branch
from gm.api.imports.arrival import Arrival, ImportedPerson, ImportSource, Lore, Memory
from gm.api.imports.fields import MOST_ITEMS
from gm.api.imports.landing import MOST_PARTS, Imported, ImportOptions, import_files, land
from gm.api.imports.plan import MOST_OF_A_NAME
from gm.api.worlds.create import create_world
from gm.base.errors import BrokenWorldError, GmError, UsageError
from gm.files.commits.writer import reviewing
from gm.files.formats import disk
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.streams.gifted import read_gifted
from gm.layers.soul import SOUL
from tests.api.imports.corpus import CARDS_V1, CARDS_V2, CARDS_V3, card_png, entry, picture, v2, v3, written
from tests.stories.playing import play, tree


def bring(layout: Layout, folder: Path, documents: Mapping[str, Any], **wanted: Any) -> Imported:
    paths = []
    for name, document in documents.items():
        path = folder / f"{name}.json"
        path.write_bytes(written(document))
        paths.append(path)
    return import_files(layout, paths, ImportOptions(**wanted))[0]


def lasting(layout: Layout) -> dict[str, bytes]:
    """Return the files of a world without those that can be deleted at any time."""
    return {path: data for path, data in tree(layout.root).items() if not path.startswith("state/.gm/")}


def test_of_several_files_all_land_or_none(dinner: Layout, tmp_path: Path) -> None:
    before = lasting(dinner)
    bad = {"good": CARDS_V1["plain"], "bad": v2("", description="Nobody.")}
    with pytest.raises(UsageError, match=r"bad\.json: the card has no name"):
        bring(dinner, tmp_path, bad)
    with pytest.raises(UsageError, match=r"other\.json has no known format"):
        bring(dinner, tmp_path, {"good": CARDS_V1["plain"], "other": {"what": 1}})
    assert lasting(dinner) == before


def test_of_several_files_all_that_cannot_be_imported_are_named(dinner: Layout, tmp_path: Path) -> None:
    bad = {"good": CARDS_V1["plain"], "bad": v2("", description="Nobody."), "other": {"what": 1}}
    with pytest.raises(UsageError, match="2 of 3 files cannot be imported") as caught:
        bring(dinner, tmp_path, bad)
    assert "bad.json: the card has no name" in caught.value.hint
    assert "other.json has no known format" in caught.value.hint


def test_of_a_folder_cards_books_and_chats_are_taken_and_the_rest_is_named(dinner: Layout, tmp_path: Path) -> None:
    folder = tmp_path / "tavern"
    (folder / "chats").mkdir(parents=True)
    (folder / "una.json").write_bytes(written(v2("Una", description="Una waits.")))
    (folder / "ida.json").write_bytes(written(v2("Ida", description="Ida sings. " * 3000)))
    (folder / "world.json").write_bytes(written({"entries": [entry("oven", content="It burns.", name="The Oven")]}))
    (folder / "settings.json").write_bytes(written({"theme": "dark"}))
    (folder / "notes.txt").write_text("Buy flour.", encoding="utf-8")
    chat = [{"name": "Una", "is_user": False, "mes": "Who waits?"}, {"name": "Leo", "is_user": False, "mes": "I do."}]
    (folder / "chats" / "a.jsonl").write_text("\n".join(map(json.dumps, chat)), encoding="utf-8")
    imported, notes = import_files(dinner, [folder], ImportOptions())
    assert {name for one in imported.sources for name in one.people} == {"una", "leo", "ida"}
    assert "Una waits." in dinner.persona("una").read_text(encoding="utf-8")
    assert (dinner.library / "the-oven.md").is_file()
    assert notes[0] == f"left out: {folder / 'settings.json'} has no known format"
    assert [note for note in notes if "tokens of persona" in note and note.startswith("Ida: about ")]
    (tmp_path / "link").symlink_to(folder)
    with pytest.raises(UsageError, match="is a link"):
        import_files(dinner, [tmp_path / "link"], ImportOptions())


def test_a_text_is_not_imported_and_the_ways_for_texts_are_named(dinner: Layout, tmp_path: Path) -> None:
    path = tmp_path / "cast.csv"
    path.write_text("name,job\nUna,cook\n", encoding="utf-8")
    with pytest.raises(UsageError, match="has no known format") as caught:
        import_files(dinner, [path], ImportOptions())
    assert "gm character add" in caught.value.hint
    assert "gm new DIR --from FILE" in caught.value.hint


def test_a_name_that_is_taken_is_not_overwritten(dinner: Layout, tmp_path: Path) -> None:
    before = lasting(dinner)
    for name in ("Alex", "alex pemberton", "ALEX PEMBERTON"):
        with pytest.raises(UsageError, match=r"there is a character .* already") as caught:
            bring(dinner, tmp_path, {"alex": v2(name, description="Another.")})
        assert "--as" in caught.value.hint
    with pytest.raises(UsageError, match="already"):
        bring(dinner, tmp_path, {"one": CARDS_V1["plain"], "two": CARDS_V1["plain"]})
    assert lasting(dinner) == before
    landed = bring(dinner, tmp_path, {"alex": v2("Alex", description="{{char}} is another.")}, name="Sascha")
    assert landed.sources[0].people == ("sascha",)
    persona = load_world(dinner).world.agents["sascha"].persona
    assert persona is not None
    assert persona.prose.strip() == "## Description\n\nSascha is another."


def test_a_name_that_means_another_character_is_explained(dinner: Layout, tmp_path: Path) -> None:
    bring(dinner, tmp_path, {"one": v2("Vera Lind", description="One.")})
    with pytest.raises(UsageError, match="there is a character vera-lind already, whom 'Vera' means"):
        bring(dinner, tmp_path, {"two": v2("Vera", description="Two.")})


def test_an_address_is_not_fetched(dinner: Layout) -> None:
    with pytest.raises(UsageError, match=r"there is no https:/example\.org/vera\.png") as caught:
        import_files(dinner, [Path("https://example.org/vera.png")], ImportOptions())
    assert "gm fetches nothing" in caught.value.hint


def test_copies_of_a_former_character_are_not_overwritten(dinner: Layout, tmp_path: Path) -> None:
    bring(dinner, tmp_path, {"plain": CARDS_V1["plain"]})
    for path in (dinner.persona("otto-brand"), dinner.agent("otto-brand"), dinner.stream("otto-brand")):
        path.unlink()
    with pytest.raises(UsageError, match=r"state/imported/otto-brand\.json already exists"):
        bring(dinner, tmp_path, {"plain": CARDS_V1["plain"]})


def test_a_dry_run_says_the_same_and_writes_nothing(dinner: Layout, tmp_path: Path) -> None:
    before = tree(dinner.root)
    path = tmp_path / "tess.png"
    path.write_bytes(card_png(chara=CARDS_V2["book"]))
    would, _ = import_files(dinner, [path], ImportOptions(), write=False)
    assert tree(dinner.root) == before
    done, _ = import_files(dinner, [path], ImportOptions())
    assert (would.written, done.written) == (False, True)
    assert (would.sources, would.others) == (done.sources, done.others)
    assert set(done.sources[0].files) == set(lasting(dinner)) - set(before)


def test_an_import_that_breaks_off_is_finished_by_the_next_command(
    dinner: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tess.png"
    path.write_bytes(card_png(chara=CARDS_V2["book"]))
    whole = Layout(create_world(tmp_path / "whole", "dinner").root)
    import_files(whole, [path], ImportOptions())
    replace, count = disk.replace, 0

    def breaks(*arguments: Any, **named: Any) -> bool:
        nonlocal count
        count += 1
        if count == 4:
            raise OSError(28, "No space left on device")
        return replace(*arguments, **named)

    with monkeypatch.context() as patched:
        patched.setattr(disk, "replace", breaks)
        with pytest.raises(GmError):
            import_files(dinner, [path], ImportOptions())
    with pytest.raises(UsageError, match="already"):
        import_files(dinner, [path], ImportOptions())
    assert {name: data for name, data in lasting(dinner).items() if "old-tess" in name} == {
        name: data for name, data in lasting(whole).items() if "old-tess" in name
    }


def test_a_world_that_cannot_be_read_is_not_written(dinner: Layout, tmp_path: Path) -> None:
    dinner.settings.write_text("world: [", encoding="utf-8")
    with pytest.raises(BrokenWorldError):
        bring(dinner, tmp_path, {"plain": CARDS_V1["plain"]})


def test_values_of_other_tools_land_where_they_belong(dinner: Layout) -> None:
    person = ImportedPerson(
        "Nora Ø",
        {"role": "baker: of # things", "friends": {"Alex": "Owes her.", "Zed": "?"}, "home": "nowhere", "odd": 3},
        "Nora bakes.",
        (
            Memory("Saw a\nfox.", tags=("Fox Den",), queries=("Where is the fox?",), about=("Casey",)),
            Memory("Foxes are kind.", type="reflection", importance=99, evidence=(0, 7)),
        ),
        {"Alex Pemberton": "Owes me\nmoney.", "Zed": "Unknown."},
        {"beliefs": ("Bread is holy.",)},
        card_png(chara=v2("Hidden")),
    )
    known = ImportedPerson("Casey", memories=(Memory("Nora came by."),))
    arrival = Arrival(
        "a test", (person, known), (Lore("The Oven", "It burns."),), {"Old Attic": "Dusty.", "kitchen": "?"}
    )
    imported, _ = land(dinner, [(ImportSource("town"), arrival)], write=True)
    assert check_world(dinner).problems == ()
    world = load_world(dinner).world
    nora = world.agents["nora"]
    assert dinner.portrait("nora").read_bytes() == picture()
    assert nora.persona is not None
    assert dict(nora.persona.front) == {
        "name": "Nora Ø",
        "role": "baker: of # things",
        "friends": {"alex": "Owes her."},
    }
    assert world.settings.places["old-attic"] == "Dusty."
    assert world.settings.places["kitchen"] != "?"
    fox, kind, zed = read_gifted(dinner, "nora").nodes[-3:]
    assert (zed.description, zed.metadata["about"]) == ("Zed: Unknown.", "Zed")
    assert (fox.description, fox.tags, fox.metadata["about"]) == ("Saw a fox.", ("fox-den",), "casey")
    assert (kind.importance, kind.depth, kind.evidence) == (10, 1, (fox.id,))
    assert read_gifted(dinner, "casey").nodes[-1].description == "Nora came by."
    left = {item.part for item in imported.sources[0].left}
    assert left == {"friends: Zed", "home: nowhere", "odd", "relationship to Zed"}
    more = ImportedPerson(
        "Casey", memories=(Memory(" "), Memory("A hat."), Memory("Hats.", type="reflection", evidence=(0, 1)))
    )
    land(
        dinner,
        [(ImportSource("one"), Arrival("a test", (known,))), (ImportSource("two"), Arrival("a test", (more,)))],
        write=True,
    )
    *_, hat, hats = read_gifted(dinner, "casey").nodes
    assert (hat.description, hats.evidence) == ("A hat.", (hat.id,))
    assert check_world(dinner).problems == ()
    with pytest.raises(UsageError, match="characters about nemo, at most"):
        land(
            dinner, [(ImportSource("x"), Arrival("a test", (ImportedPerson("Nemo", prose="a" * 500_000),)))], write=True
        )
    with pytest.raises(UsageError, match="nobody here is called 'Nemo'"):
        land(
            dinner,
            [(ImportSource("x"), Arrival("a test", (ImportedPerson("Nemo", memories=(Memory("x"),)),)))],
            write=True,
        )


def test_no_text_of_a_card_becomes_front_matter_or_a_path(dinner: Layout, tmp_path: Path) -> None:
    card = v2("../../etc/passwd", description=CARDS_V2["front matter"]["data"]["description"], tags=["../x"])
    landed = bring(dinner, tmp_path, {"x": card, "y": CARDS_V2["front matter"], "z": CARDS_V1["control characters"]})
    assert [one.people[0] for one in landed.sources] == ["etc-passwd", "character-5", "zero-31m-kim"]
    for one in landed.sources[:2]:
        persona = load_world(dinner).world.agents[one.people[0]].persona
        assert persona is not None
        assert persona.front.keys() == {"name"}
        assert "model: expensive" in persona.prose
    zero = dinner.persona("zero-31m-kim").read_bytes()
    assert not [byte for byte in zero if byte < 32 and byte != 10]


def test_lines_of_the_user_are_left_out_unless_a_name_is_given(dinner: Layout, tmp_path: Path) -> None:
    bring(dinner, tmp_path, {"anne": CARDS_V3["german"]})
    said = dinner.persona("aenne-gross").read_text(encoding="utf-8")
    assert "Darf man das?" not in said
    assert "Wirklich?" not in said
    assert "Änni: „Ich darf.“" in said
    bring(dinner, tmp_path, {"anne": CARDS_V3["german"]}, name="Anna", user="Leo")
    said = dinner.persona("anna").read_text(encoding="utf-8")
    assert "Leo: Darf man das?\nWirklich?\nAnna: „Ich darf.“" in said


def test_marks_of_talks_do_not_stay_in_a_description(dinner: Layout, tmp_path: Path) -> None:
    bring(dinner, tmp_path, {"rolf": v3("Rolf", description="Rolf digs.\n<START>\nHe sings.", nickname="Rolfi")})
    persona = load_world(dinner).world.agents["rolf"]
    assert (persona.call_name, "<START>" in dinner.persona("rolf").read_text(encoding="utf-8")) == ("Rolfi", False)


def test_one_name_is_for_one_character(dinner: Layout, tmp_path: Path) -> None:
    two = {"a": CARDS_V1["plain"], "b": CARDS_V1["german"]}
    with pytest.raises(UsageError, match="--as names one character"):
        bring(dinner, tmp_path, two, name="Both")
    with pytest.raises(UsageError, match="cannot be a name"):
        bring(dinner, tmp_path, {"long": v2("x" * 101, description="?")})


def test_days_are_played_and_branches_made_after_an_import(dinner: Layout, tmp_path: Path) -> None:
    bring(dinner, tmp_path, {"tess": CARDS_V2["book"]})
    play(dinner)
    assert not [problem for problem in check_world(dinner).problems if problem.severity != "info"]
    make_branch(dinner, "other", None, tmp_path / "branch")
    branched = Layout(tmp_path / "branch")
    assert branched.kept("old-tess").read_bytes() == dinner.kept("old-tess").read_bytes()


def test_everything_is_one_commit(dinner: Layout, tmp_path: Path) -> None:
    commits: list[int] = []
    with reviewing(lambda changes, _: commits.append(len(changes))):
        bring(dinner, tmp_path, {"tess": CARDS_V2["book"], "mira": CARDS_V2["full"]})
    assert len(commits) == 1


OWN = {"gm": {"format": 1}}


def own_card(name: str, **own: object) -> dict[str, object]:
    """Return a card that says it comes from gm."""
    return v2(name, description=f"{name} waits.", extensions={"gm": {**OWN["gm"], **own}})


def test_of_many_parts_the_first_are_named_and_the_others_counted(dinner: Layout, tmp_path: Path) -> None:
    persona = {"name": "Bo", **{f"key {number}": "x" for number in range(500)}}
    [source] = bring(dinner, tmp_path, {"bo": {"type": "TinyPerson", "persona": persona}}).sources
    assert len(source.mapped) == MOST_PARTS + 1
    assert (source.mapped[-1].part, source.mapped[-1].said) == ("", "and 400 more")


def test_what_a_card_says_of_itself_in_the_name_of_gm_stays_within_limits(dinner: Layout, tmp_path: Path) -> None:
    path = tmp_path / "card.json"
    front = {"age": int("9" * 399), "home": ["kitchen"], "traits": [f"trait {number}" for number in range(9999)]}
    soul = {"beliefs": ["b" * 99_999, *(f"belief {number}" for number in range(9999))]}
    strangers = {f"Stranger {number}": "Who?" for number in range(3000)}
    path.write_bytes(written(own_card("Una", front=front, soul=soul, relationships=strangers)))
    imported, _ = import_files(dinner, [path], ImportOptions())
    assert check_world(dinner).problems == ()
    una = load_world(dinner).world.agents["una"]
    assert una.persona is not None
    assert una.persona.front["age"] == "9" * 399
    assert {"traits", "beliefs", "relationships"} <= {part.part for part in imported.sources[0].left}
    assert len(una.persona.front_values.traits) == len(una.mind[SOUL].entries) == MOST_ITEMS
    assert len(imported.sources[0].left) <= MOST_PARTS + 1
    path.write_bytes(written(own_card("Uno", front={"voice": "v" * 600_000})))
    with pytest.raises(UsageError, match="characters about uno, at most"):
        import_files(dinner, [path], ImportOptions())


@pytest.mark.parametrize(
    "fields",
    [
        {
            "character_book": {
                "extensions": {},
                "entries": [entry("x", content="y", extensions={"gm": {"evidence": [[1], {}]}})],
            }
        },
        {"extensions": {"gm": {"format": 1, "front": {"home": {"a": 1}}}}},
        {"k\ud800": 1},
    ],
)
def test_values_that_no_format_has_are_left_aside(dinner: Layout, tmp_path: Path, fields: dict[str, object]) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(written(v2("Odd", description="Odd is odd.", **fields)))
    import_files(dinner, [path], ImportOptions())
    assert check_world(dinner).problems == ()


def test_a_report_has_a_line_for_each_part_with_any_name(dinner: Layout, tmp_path: Path) -> None:
    path = tmp_path / "card.json"
    path.write_bytes(written(v2("Nell", description="Nell.", **{"x\n  written: state/souls/alex.yaml": 1})))
    imported, _ = import_files(dinner, [path], ImportOptions())
    assert all("\n" not in text for part in imported.sources[0].left for text in (part.part, part.said))


def test_the_same_book_twice_is_one_text(dinner: Layout, tmp_path: Path) -> None:
    path = tmp_path / "book.json"
    path.write_bytes(written({"entries": [entry("oven", content="It burns.", name="The Oven")]}))
    import_files(dinner, [path, path], ImportOptions())
    assert [text.name for text in dinner.library.iterdir()] == ["the-oven.md"]


def test_a_newcomer_inherits_no_mind(dinner: Layout, tmp_path: Path) -> None:
    path = tmp_path / "card.json"
    path.write_bytes(written(v2("Una", description="Una waits.")))
    soul = dinner.layer(SOUL, "una")
    soul.parent.mkdir(exist_ok=True)
    soul.write_text("beliefs: [Old.]\n", encoding="utf-8")
    before = tree(dinner.root)
    with pytest.raises(UsageError, match=r"state/souls/una\.yaml already exists, from another una"):
        import_files(dinner, [path], ImportOptions())
    assert tree(dinner.root) == before


def test_for_names_who_remembers_a_lorebook_and_no_card(dinner: Layout, tmp_path: Path) -> None:
    path = tmp_path / "card.json"
    path.write_bytes(written(v2("Una", description="Una waits.")))
    with pytest.raises(UsageError, match="--for needs a lorebook"):
        import_files(dinner, [path], ImportOptions(holder="alex"))


def test_what_a_character_remembers_already_is_said_and_not_copied_again(dinner: Layout, tmp_path: Path) -> None:
    path = tmp_path / "book.json"
    path.write_bytes(written({"entries": [entry("oven", content="It burns.", name="The Oven")]}))
    wanted = ImportOptions(holder="alex")
    import_files(dinner, [path], wanted)
    before = tree(dinner.root)
    again = import_files(dinner, [path], wanted)[0].sources[0]
    assert [(one.part, one.said) for one in again.left] == [("1 memory", "alex has the same already")]
    assert again.files == ()
    assert tree(dinner.root) == before
    path.write_bytes(written({"entries": [entry("oven", content="It burns."), entry("tap", content="It drips.")]}))
    more = import_files(dinner, [path], wanted)[0].sources[0]
    assert more.files == ("state/gifted/alex.jsonl", "state/imported/alex-2.book.json")


def test_the_user_may_be_named_by_the_id_of_a_character(dinner: Layout, tmp_path: Path) -> None:
    path = tmp_path / "card.json"
    path.write_bytes(written(v2("Una", description="Una waits for {{user}}.")))
    import_files(dinner, [path], ImportOptions(user="alex"))
    assert "Una waits for Alex Pemberton." in dinner.persona("una").read_text(encoding="utf-8")


def test_texts_of_one_title_are_looked_for_on_the_disk_once(
    dinner: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []
    exists = Path.exists

    def watched(path: Path) -> bool:
        asked.append(path)
        return exists(path)

    monkeypatch.setattr(Path, "exists", watched)
    book = {"entries": [entry("k", content=f"Text {number}.", name="Same") for number in range(1000)]}
    imported = bring(dinner, tmp_path, {"book": book})
    assert len([path for path in asked if path.parent == dinner.library]) <= MOST_OF_A_NAME
    assert len(list(dinner.library.glob("same*.md"))) == MOST_OF_A_NAME
    assert ("Same", "more than 199 texts of this name") in [(one.part, one.said) for one in imported.sources[0].left]


def test_of_very_many_files_of_one_name_each_copy_is_kept(dinner: Layout) -> None:
    numbers = range(205)
    arrivals = [(ImportSource("x.json"), Arrival("book", kept={".json": b"%d" % number})) for number in numbers]
    land(dinner, arrivals, write=True)
    kept = {path.read_bytes() for path in dinner.imported.iterdir()}
    assert kept == {b"%d" % number for number in numbers}
    land(dinner, arrivals, write=True)
    assert len(list(dinner.imported.iterdir())) == len(numbers)


def test_a_picture_that_pages_do_not_show_is_told_when_it_arrives(
    dinner: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gm.api.imports.plan.MOST_PORTRAIT_BYTES", 9)
    (path := tmp_path / "card.png").write_bytes(card_png(chara=CARDS_V2["full"]))
    (source,) = import_files(dinner, [path], ImportOptions())[0].sources
    (left,) = (item for item in source.left if item.part == "portrait")
    assert left.said.startswith("no page shows it: found ")


@pytest.mark.parametrize(
    ("uri", "why"),
    [
        ("data:image/jpeg;base64,/9j/", "it cannot be taken as a picture: no PNG"),
        ("data:image/svg+xml;base64,PHN2Zy8+", "it cannot be taken as a picture: no PNG"),
        ("data:image/png;base64,§", "there is no such file in it"),
    ],
)
def test_a_picture_in_a_card_that_is_no_png_is_told_with_the_reason(
    uri: str, why: str, dinner: Layout, tmp_path: Path
) -> None:
    card = v3("Nora", assets=[{"type": "icon", "uri": uri, "name": "main", "ext": "jpeg"}])
    (source,) = bring(dinner, tmp_path, {"card": card}).sources
    assert why in [item.said for item in source.left]
