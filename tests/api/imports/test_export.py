"""Cards that go out: those that came in, with what has changed since, and those of characters made here."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.check.whole import check_world
from gm.api.editing.gift import give_memories
from gm.api.editing.layers import add_soul_entry
from gm.api.imports import png
from gm.api.imports.cardexport.cardfile import ENDINGS, make_card
from gm.api.imports.landing import ImportOptions, import_files
from gm.base.errors import BrokenWorldError, GmError, UsageError
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.streams.gifted import read_gifted
from gm.model.node import Node, node_record
from tests.api.imports.corpus import CARDS_V2, CARDS_V3, card_png, charx, entry, picture, v2, v3, written

TESS = "old-tess"


def bring(layout: Layout, folder: Path, data: bytes, ending: str = ".json", **wanted: Any) -> str:
    path = folder / f"brought{ending}"
    path.write_bytes(data)
    return import_files(layout, [path], ImportOptions(**wanted))[0].sources[0].people[0]


def card_of(layout: Layout, name: str, *shown: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(make_card(layout, name, ".json", shown)[1])["data"]
    return data


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_heading_that_only_looks_private_is_refused_where_private_text_is_kept_back(dinner: Layout) -> None:
    edit(dinner.persona("alex"), "## What you tell nobody", "## Secret")
    with pytest.raises(BrokenWorldError) as refused:
        make_card(dinner, "alex", ".json")
    assert "'Secret' keeps nothing private" in refused.value.problems[0].message
    whole = make_card(dinner, "alex", ".json", despite_headings=True)[1]
    assert make_card(dinner, "alex", ".json", ["private"])[1] == whole


def test_what_has_changed_is_changed_in_the_card_and_nothing_else(dinner: Layout, tmp_path: Path) -> None:
    came = CARDS_V2["book"]["data"]
    name = bring(dinner, tmp_path, written(CARDS_V2["book"]))
    edit(dinner.persona(name), "Tess keeps the lighthouse.", "Tess has left the lighthouse.")
    edit(dinner.gifted(name), "burned out in 1963", "burned out in 1964")
    out = card_of(dinner, name)
    changed = {key for key in came if out[key] != came[key]}
    assert changed == {"description", "character_book"}
    assert out["description"] == "Tess has left the lighthouse."
    entries = list(zip(came["character_book"]["entries"], out["character_book"]["entries"], strict=True))
    assert [new for old, new in entries if new != old] == [
        {**came["character_book"]["entries"][0], "content": "The lamp burned out in 1964."}
    ]


def test_parts_of_a_persona_go_back_into_the_fields_they_came_from(dinner: Layout, tmp_path: Path) -> None:
    card = v2(
        "Ben",
        description="Ben sails.",
        personality="calm",
        first_mes='"Ahoy."',
        mes_example='<START>\n{{char}}: "Wind!"',
        alternate_greetings=['"Again."'],
        character_book={"extensions": {}, "entries": [entry(content="The sea is near.", constant=True, comment="sea")]},
    )
    name = bring(dinner, tmp_path, written(card))
    persona = dinner.persona(name)
    edit(persona, "calm", "restless")
    edit(persona, '"Wind!"', '"Storm!"')
    edit(persona, "The sea is near.", "The sea is far.")
    edit(persona, "name: Ben", "name: Benjamin")
    out = card_of(dinner, name)
    assert (out["name"], out["description"], out["personality"]) == ("Benjamin", "Ben sails.", "restless")
    assert out["mes_example"] == '<START>\n{{char}}: "Storm!"'
    assert (out["first_mes"], out["alternate_greetings"]) == ('"Ahoy."', ['"Again."'])
    edit(persona, '"Again."', '"Again."\n\n* * *\n\n"And again."')
    out = card_of(dinner, name)
    assert out["mes_example"].endswith('<START>\n"Again."\n<START>\n"And again."')
    assert (out["first_mes"], out["alternate_greetings"]) == ("", [])
    assert out["character_book"]["entries"] == [entry(content="The sea is far.", constant=True, comment="sea")]


def test_an_edited_text_gets_back_the_macros_that_it_came_with(dinner: Layout, tmp_path: Path) -> None:
    entries = [
        entry("boat", content="{{char}} lent {{user}} a boat."),
        entry(content="<BOT> owes nothing.", constant=True),
    ]
    card = v2(
        "Ben",
        description="{{char}} sails with {{user}}.",
        personality="Ben is calm.",
        first_mes="Ahoy, {{user}}!",
        character_book={"extensions": {}, "entries": entries},
    )
    name = bring(dinner, tmp_path, written(card), user="Tom")
    edit(dinner.persona(name), "sails with", "never sails with")
    edit(dinner.persona(name), "calm", "restless; Benny and Tom are not")
    edit(dinner.persona(name), "Ahoy", "Ahoi")
    edit(dinner.persona(name), "owes", "wants")
    edit(dinner.gifted(name), "a boat", "the boat")
    out = card_of(dinner, name)
    assert out["description"] == "{{char}} never sails with {{user}}."
    assert out["personality"] == "Ben is restless; Benny and Tom are not."
    assert out["first_mes"] == "Ahoi, {{user}}!"
    said = [item["content"] for item in out["character_book"]["entries"]]
    assert said == ["{{char}} lent {{user}} the boat.", "{{char}} wants nothing."]


def test_a_name_without_spaces_around_it_becomes_its_macro_too(dinner: Layout, tmp_path: Path) -> None:
    name = bring(dinner, tmp_path, written(v2("葵", description="{{char}}は静かだ。")))
    edit(dinner.persona(name), "静か", "元気")
    assert card_of(dinner, name)["description"] == "{{char}}は元気だ。"


def test_what_the_character_tells_nobody_is_in_no_entry_of_the_book(dinner: Layout, tmp_path: Path) -> None:
    entries = [entry(content="{{char}} rows.", constant=True)]
    card = v2("Ben", description="Ben sails.", character_book={"extensions": {}, "entries": entries})
    name = bring(dinner, tmp_path, written(card))
    path = dinner.persona(name)
    path.write_text(path.read_text(encoding="utf-8") + "\n## What you tell nobody\n\nYou sank it.\n", encoding="utf-8")
    assert card_of(dinner, name)["description"] == "Ben sails."
    out = card_of(dinner, name, "private")
    assert out["description"] == "Ben sails.\n\n## What you tell nobody\n\nYou sank it."
    assert out["character_book"]["entries"] == entries


def test_a_card_that_came_takes_a_life_to_another_world(dinner: Layout, tmp_path: Path) -> None:
    entries = [entry("boat", content="The boat is old.", id=7)]
    card = v2("Ben", description="Ben sails.", character_book={"extensions": {}, "entries": entries})
    name = bring(dinner, tmp_path, written(card))
    chat = [{"name": "Tom", "is_user": True, "mes": "Is it far?"}, {"name": "Ben", "is_user": False, "mes": "A mile."}]
    bring(dinner, tmp_path, "\n".join(map(json.dumps, chat)).encode(), ".jsonl", user="Tom")
    path = tmp_path / "lore.json"
    path.write_bytes(written({"entries": [entry("sea", content="The sea is near.")]}))
    import_files(dinner, [path], ImportOptions(holder=name))
    add_soul_entry(dinner, name, "belief", "Wind is a person.")
    edit(dinner.persona(name), "name: Ben", "name: Ben\nrole: Sailor")
    lived = [
        Node(f"{name}-001", "day-001/scene-01", "observation", 0, "The mast broke.", 8),
        Node(f"{name}-002", "day-001/scene-01", "reflection", 1, "Wood is not iron.", 5, (), (f"{name}-001",)),
        Node(f"{name}-003", "day-001/scene-02", "observation", 0, "There was soup.", 2),
    ]
    text = "".join(json.dumps(node_record(node)) + "\n" for node in lived)
    dinner.stream(name).write_text(text, encoding="utf-8")
    out = card_of(dinner, name)
    talk = 'Tom: "Is it far?" Ben: "A mile."'
    assert [item["content"] for item in out["character_book"]["entries"]] == ["The boat is old.", "The sea is near."]
    assert out["extensions"] == {"gm": {"front": {"role": "Sailor"}}}
    whole = make_card(dinner, name, ".json", ["memories", "soul"])[1]
    said = json.loads(whole)["data"]["character_book"]["entries"]
    assert said[0] == entries[0]
    assert [item["content"] for item in said[1:5]] == [
        talk,
        "The sea is near.",
        "The mast broke.",
        "Wood is not iron.",
    ]
    assert [item["id"] for item in said[1:5]] == [8, 9, 10, 11]
    everything = json.loads(make_card(dinner, name, ".json", ["memories"], importance=1)[1])["data"]
    assert "There was soup." in [item["content"] for item in everything["character_book"]["entries"]]
    back = bring(dinner, tmp_path, whole, name="Benno")
    mind = {node.description: node for node in read_gifted(dinner, back).nodes}
    assert mind["Wood is not iron."].evidence == (mind["The mast broke."].id,)
    assert mind["The mast broke."].importance == 8
    benno = load_world(dinner).world.agents[back]
    assert benno.front_values.role == "Sailor"
    assert "Wind is a person." in (dinner.state / "souls" / f"{back}.yaml").read_text(encoding="utf-8")
    again = json.loads(make_card(dinner, back, ".json", ["memories", "soul"])[1])["data"]
    assert again["character_book"]["entries"] == json.loads(whole)["data"]["character_book"]["entries"]


def test_a_memory_rests_on_no_seed_memory_of_the_same_number(dinner: Layout) -> None:
    give_memories(dinner)
    seed = read_gifted(dinner, "alex").nodes[-1]
    lived = Node("alex-900", "day-001/scene-01", "reflection", 1, "Lists are kind.", 8, (), (seed.id,))
    dinner.stream("alex").write_text(json.dumps(node_record(lived)) + "\n", encoding="utf-8")
    last = card_of(dinner, "alex", "memories")["character_book"]["entries"][-1]
    assert (last["content"], last["extensions"]["gm"]["evidence"]) == ("Lists are kind.", [])


def test_an_edited_greeting_leaves_the_example_talks_as_they_came(dinner: Layout, tmp_path: Path) -> None:
    talks = "<START>\n{{char}}: Wind!\n\n<START>\n{{char}}: Rain!"
    name = bring(dinner, tmp_path, written(v2("Ben", description="Ben sails.", mes_example=talks, first_mes="Ahoy.")))
    edit(dinner.persona(name), "Ahoy.", "Ahoi.")
    out = card_of(dinner, name)
    assert (out["mes_example"], out["first_mes"]) == (talks, "Ahoi.")


def test_an_edited_entry_is_the_one_that_is_written_even_when_constant_ones_become_one(
    dinner: Layout, tmp_path: Path
) -> None:
    entries = [
        entry(content="The hall is cold.", constant=True),
        entry("roof", content="@@activate\nThe roof leaks."),
        entry("sea", content="The sea took the pier."),
        entry("king", content="The king is a cook."),
    ]
    name = bring(dinner, tmp_path, written(v2("Rita", character_book={"extensions": {}, "entries": entries})))
    edit(dinner.persona(name), "The hall is cold.", "The hall is warm.")
    edit(dinner.gifted(name), "took the pier", "gave the pier back")
    now = [item["content"] for item in card_of(dinner, name)["character_book"]["entries"]]
    assert now == ["The hall is warm.\n\nThe roof leaks.", "The sea gave the pier back.", "The king is a cook."]


def test_headings_of_a_card_itself_do_not_change_which_field_a_text_goes_back_to(
    dinner: Layout, tmp_path: Path
) -> None:
    told = "Ann rows.\n\n## Personality\n\nLoud.\n\n## Voice\n\nHoarse."
    card = v2("Ann", description=told, personality="calm", first_mes='"Ho."')
    name = bring(dinner, tmp_path, written(card))
    edit(dinner.persona(name), "Ann rows.", "Ann swims.")
    out = card_of(dinner, name)
    assert out["description"] == told.replace("rows", "swims").replace("## ", "### ")
    assert (out["personality"], out["first_mes"]) == ("calm", '"Ho."')


@pytest.mark.parametrize(
    "heading",
    [
        "## What  you tell nobody",
        "## What you *tell* nobody",
        "What you\ntell nobody\n---",
    ],
)
def test_no_spelling_of_a_private_heading_brings_its_text_into_a_card(dinner: Layout, heading: str) -> None:
    path = dinner.persona("alex")
    path.write_text(path.read_text(encoding="utf-8") + f"\n\n{heading}\n\nYou stole the map.\n", encoding="utf-8")
    assert "stole the map" not in json.dumps(card_of(dinner, "alex"))


def test_a_memory_that_was_deleted_takes_its_entry_with_it(dinner: Layout, tmp_path: Path) -> None:
    name = bring(dinner, tmp_path, written(CARDS_V2["book"]))
    path = dinner.gifted(name)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if "Arcona" not in line), encoding="utf-8")
    entries = card_of(dinner, name)["character_book"]["entries"]
    came = CARDS_V2["book"]["data"]["character_book"]["entries"]
    assert entries == [item for item in came if "ship" not in item["keys"]]


def test_without_the_note_the_world_counts(dinner: Layout, tmp_path: Path) -> None:
    name = bring(dinner, tmp_path, written(CARDS_V2["full"]))
    dinner.kept(name, ".note.json").unlink()
    out = card_of(dinner, name)
    assert out["description"] == "Mira is a harbour pilot."
    assert out["extensions"] == CARDS_V2["full"]["data"]["extensions"]
    assert out["system_prompt"] == CARDS_V2["full"]["data"]["system_prompt"]


def test_a_picture_has_both_versions_and_the_portrait(dinner: Layout, tmp_path: Path) -> None:
    name = bring(dinner, tmp_path, card_png(chara=CARDS_V3["decorators"]), ".png")
    portrait = dinner.portrait(name)
    assert portrait.read_bytes() == picture()
    assert check_world(dinner).problems == ()
    exported, data, _ = make_card(dinner, name, ".png")
    assert (exported.from_card, exported.entries) == (True, 4)
    texts = {key: json.loads(base64.b64decode(text)) for key, text in png.read_text_chunks(data).items()}
    assert texts.keys() == {"chara", "ccv3"}
    assert png.without_texts(data) == picture()
    older, newer = texts["chara"], texts["ccv3"]
    assert (older["spec"], newer["spec"]) == ("chara_card_v2", "chara_card_v3")
    assert newer["data"] == CARDS_V3["decorators"]["data"]
    said = [item["content"] for item in older["data"]["character_book"]["entries"]]
    assert said == ["The bell is cracked.", "An owl lives there.", "Nobody reads this.", said[3]]
    assert said[3].startswith("Write to wren@@")


def test_an_archive_keeps_its_files(dinner: Layout, tmp_path: Path) -> None:
    icon = {"type": "icon", "uri": "embeded://assets/icon/images/main.png", "name": "main", "ext": "png"}
    other = {"type": "emotion", "uri": "embeded://assets/emotion/images/joy.png", "name": "joy", "ext": "png"}
    files = {
        "assets/icon/images/main.png": card_png(chara=v2("Hidden")),
        "assets/emotion/images/joy.png": b"any bytes",
        "more.json": b"{}",
    }
    card = v3("Signal", description="A lamp.", assets=[other, icon])
    data = charx(card, files)
    name = bring(dinner, tmp_path, data, ".charx")
    assert dinner.kept(name, ".charx").read_bytes() == data
    assert dinner.portrait(name).read_bytes() == picture(), "without the card that was hidden in it"
    assert check_world(dinner).problems == ()
    _, out, notes = make_card(dinner, name, ".charx")
    with zipfile.ZipFile(io.BytesIO(out)) as archive:
        assert {path: archive.read(path) for path in files} == files
        assert json.loads(archive.read("card.json")) == card
    assert not notes
    assert make_card(dinner, name, ".charx")[1] == out, "the same bytes each time"
    assert "2 files belong to this card" in make_card(dinner, name, ".png")[2][0]


def test_a_picture_becomes_the_icon_of_an_archive(dinner: Layout, tmp_path: Path) -> None:
    name = bring(dinner, tmp_path, card_png(chara=v2("Old"), ccv3=CARDS_V3["assets"]), ".png")
    with zipfile.ZipFile(io.BytesIO(make_card(dinner, name, ".charx")[1])) as archive:
        assert archive.read("assets/icon/images/main.png") == picture()
        assets = json.loads(archive.read("card.json"))["data"]["assets"]
    assert assets[:-1] == CARDS_V3["assets"]["data"]["assets"][1:]
    assert assets[-1]["uri"] == "embeded://assets/icon/images/main.png"
    dinner.portrait(name).write_bytes(b"no picture")
    with pytest.raises(GmError, match="the portrait of Signal: no PNG"):
        make_card(dinner, name, ".png")


def test_a_character_made_here_goes_out_and_comes_back(played: Layout, dinner: Layout, tmp_path: Path) -> None:
    give_memories(played)
    world = load_world(played).world
    name = next(iter(world.agents))
    told, insight = (
        node_record(
            Node(f"{name}-{number}", "day-001/scene-01", "reflection", number - 997, text, 8, ("tower",), evidence)
        )
        for number, text, evidence in (
            (998, "Wer wartet, baut auch.", (f"{name}-001",)),
            (999, "Bauen heißt warten.", (f"{name}-998",)),
        )
    )
    with played.stream(name).open("a", encoding="utf-8") as file:
        file.write("".join(json.dumps(line) + "\n" for line in (told, insight)))
    agent = load_world(played).world.agents[name]
    assert agent.persona is not None
    for ending in ENDINGS:
        exported, data, _ = make_card(played, name, ending, ["private", "memories"])
        assert not exported.from_card
        back = bring(dinner, tmp_path, data, ending, name=f"{agent.call_name} {ending[1:]}")
        landed = load_world(dinner).world.agents[back].persona
        assert landed is not None
        assert landed.prose.strip() == agent.persona.prose.strip()
        kept = {key: value for key, value in agent.persona.front.items() if key in landed.front and key != "name"}
        assert {key: landed.front[key] for key in kept} == kept
        assert {"role", "traits", "voice", "lines"} <= kept.keys()
    out = card_of(played, name, "memories")
    assert out["mes_example"].startswith("<START>\n{{char}}: ")
    assert {"scenario": "", "first_mes": "", "creator_notes": "", "tags": []}.items() <= out.items()
    reflections = [node.description for node in agent.stream if node.type == "reflection"]
    said = [item["content"] for item in out["character_book"]["entries"]]
    assert reflections
    assert set(reflections) <= set(said)
    at_home = [item["content"] for item in card_of(played, name)["character_book"]["entries"]]
    assert not set(reflections) & set(at_home)
    nodes = {node.description: node for node in read_gifted(dinner, back).nodes}
    assert all(nodes[text].type == "reflection" for text in reflections)
    assert nodes["Bauen heißt warten."].evidence == (nodes["Wer wartet, baut auch."].id,)
    assert nodes["Bauen heißt warten."].importance == 8
    assert check_world(dinner).problems == ()


def test_what_a_world_keeps_private_is_in_no_card_unless_it_is_asked_for(played: Layout) -> None:
    world = load_world(played).world
    name = next(iter(world.agents))
    other = next(one for one in world.agents if one != name)
    secret = "Ein Satz, den keiner kennt."
    add_soul_entry(played, name, "belief", secret)
    persona = played.persona(name)
    persona.write_text(
        persona.read_text(encoding="utf-8") + f"\n## Was du keinem sagst\n\n{secret}\n", encoding="utf-8"
    )
    played.gifted_folder.mkdir(exist_ok=True)
    line = {
        "id": f"{name}-900", "created": "day-000/scene-00", "type": "observation", "depth": 0,
        "description": secret, "importance": 5, "tags": ["private"], "evidence": [], "metadata": {},
    }  # fmt: skip
    played.gifted(name).write_text(json.dumps(line) + "\n", encoding="utf-8")
    thinks = {other: {"relationship_notes": secret}}
    (played.state / "relationships").mkdir(exist_ok=True)
    (played.state / "relationships" / f"{name}.json").write_text(json.dumps(thinks), encoding="utf-8")
    assert secret not in json.dumps(card_of(played, name), ensure_ascii=False)
    assert "thoughts" not in card_of(played, name)["extensions"]["gm"]["front"]
    for word in ("private", "soul", "relationships"):
        assert secret in json.dumps(card_of(played, name, word), ensure_ascii=False)
    with pytest.raises(UsageError, match="no card holds 'reasons'"):
        make_card(played, name, ".json", ["reasons"])


def test_soul_and_relationships_come_back(dinner: Layout, tmp_path: Path) -> None:
    add_soul_entry(dinner, "alex", "belief", "Seven is the only number.")
    (dinner.state / "relationships").mkdir(exist_ok=True)
    thinks = {"casey": {"relationship_type": "ally", "trust_level": 0.5, "rationale": "Kept my plates"}}
    (dinner.state / "relationships" / "alex.json").write_text(json.dumps(thinks), encoding="utf-8")
    data = make_card(dinner, "alex", ".json", ["soul", "relationships"])[1]
    back = bring(dinner, tmp_path, data, name="Alexis")
    world = load_world(dinner).world
    assert (dinner.state / "souls" / f"{back}.yaml").read_text(encoding="utf-8") == (
        "beliefs:\n  - Seven is the only number.\n"
    )
    notes = json.loads((dinner.state / "relationships" / f"{back}.json").read_text(encoding="utf-8"))
    assert notes["casey"]["relationship_notes"] == "ally. Kept my plates."
    assert not [node for node in read_gifted(dinner, back).nodes if "beliefs" in node.description]
    assert world.agents[back].front_values.role == world.agents["alex"].front_values.role


def test_a_card_of_gm_that_others_have_touched_keeps_what_they_wrote(dinner: Layout, tmp_path: Path) -> None:
    card = json.loads(make_card(dinner, "alex", ".json")[1])
    card["data"]["extensions"]["chub"] = {"id": 1}
    card["data"]["creator"] = "somebody"
    card["data"]["tags"] = ["cook"]
    card["data"]["extensions"]["gm"]["front"] |= {"model": "expensive", "lenses": [], "mode": "discover", "age": "?"}
    back = bring(dinner, tmp_path, written(card), name="Alexis")
    landed = load_world(dinner).world.agents[back].persona
    assert landed is not None
    assert not {"model", "lenses", "mode"} & landed.front.keys()
    edit(dinner.persona(back), "role: ", "role: Former ")
    out = card_of(dinner, back)
    assert out["extensions"]["chub"] == {"id": 1}
    assert (out["creator"], out["tags"]) == ("somebody", ["cook"])
    assert out["extensions"]["gm"]["front"]["role"].startswith("Former ")


def test_the_scenario_is_shown_and_written_nowhere(dinner: Layout, tmp_path: Path) -> None:
    path = tmp_path / "mira.json"
    path.write_bytes(written(CARDS_V2["full"]))
    landed = import_files(dinner, [path], ImportOptions(user="Leo"))[0].sources[0]
    assert landed.scenario == "A storm is coming, and Leo has no boat."
    texts = [file.read_text("utf-8") for file in dinner.root.rglob("*") if file.suffix in (".md", ".yaml", ".jsonl")]
    assert not [text for text in texts if "no boat" in text]


def test_a_card_from_before_the_versions_comes_in_and_goes_out(dinner: Layout, tmp_path: Path) -> None:
    card = {
        "char_name": "Rook",
        "char_persona": "{{char}} picks locks.",
        "char_greeting": "Psst.",
        "world_scenario": "A cellar.",
        "example_dialogue": "<START>\n{{char}}: Quiet.",
    }
    name = bring(dinner, tmp_path, written(card))
    prose = dinner.persona(name).read_text(encoding="utf-8")
    assert all(text in prose for text in ("Rook picks locks.", "Psst.", "Rook: Quiet."))
    out = card_of(dinner, name)
    assert (out["name"], out["description"], out["scenario"]) == ("Rook", "{{char}} picks locks.", "A cellar.")


@pytest.mark.parametrize(("ending", "told"), [(".png", 1), (".charx", 1), (".json", 0)])
def test_a_picture_that_a_card_cannot_hold_is_told(ending: str, told: int, dinner: Layout) -> None:
    (other := dinner.portrait("alex").with_suffix(".jpg")).parent.mkdir(parents=True, exist_ok=True)
    other.write_bytes(b"\xff\xd8\xff")
    note = "gallery/portraits/alex.jpg is not in it: a card takes the PNG gallery/portraits/alex.png"
    assert make_card(dinner, "alex", ending)[2] == [note] * told
    dinner.portrait("alex").write_bytes(picture())
    assert make_card(dinner, "alex", ending)[2] == []
