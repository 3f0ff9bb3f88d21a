"""Agents of TinyTroupe."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.api.imports.keeping import LONGEST_MEMORY, MOST_MEMORIES
from gm.api.imports.tinytroupe import FORMAT
from gm.base.errors import UsageError
from tests.api.imports.examples import MIRA, WOLF, with_memory
from tests.api.imports.sources import ENGLISH, GERMAN, JSON, document, folder, said, wrong_keys


def test_what_has_a_key_goes_into_front_matter() -> None:
    person = FORMAT.read(document(WOLF), ENGLISH).people[0]
    assert person.front == {
        "name": "Friedrich Wolf",
        "age": 35,
        "pronouns": "he/him",
        "role": "Architect",
        "communication": "Speaks loudly.",
        "traits": ["You are fast paced.", "You get angry easily."],
        "skills": ["You know AutoCAD.", "You can't swim."],
        "values": ["To build one honest house."],
    }
    assert person.soul == {"beliefs": ("Quality comes before price.",)}
    assert person.relationships == {"Richard": "your colleague"}


def test_the_rest_is_prose_under_headings() -> None:
    prose = FORMAT.read(document(WOLF), ENGLISH).people[0].prose
    assert "## Work\n\nYou draw standard flats.\n\n- Organisation: Awesome Inc." in prose
    assert "Routines, Morning:\n\n- Wakes at 6:30." in prose
    assert "- Openness: High. Very curious." in prose
    assert "## Other facts\n\n- You grew up in a small town in Bavaria.\n\nFavourite tree: the linden" in prose
    assert "Quality" not in prose


def test_headings_and_pronouns_are_in_the_language_of_the_world() -> None:
    person = FORMAT.read(document(MIRA), GERMAN).people[0]
    assert person.front == {"name": "Mira Öztürk", "age": "Mitte vierzig", "pronouns": "sie/ihr", "role": "Lotsin"}
    assert person.relationships == {"Jannis": "dein Bruder"}
    assert person.prose.startswith("## Gesundheit\n\nKurzsichtig.\n\n## Was sonst noch gilt\n\n")
    assert "- Du lachst zu früh." in person.prose


def test_it_is_said_what_went_where() -> None:
    arrival = FORMAT.read(document({**WOLF, "mental_state": {"mood": "calm"}}), ENGLISH)
    assert said(arrival.mapped, "personality.traits") == "traits of the persona"
    assert said(arrival.mapped, "favourite_tree") == "the prose, under “Other facts”"
    assert "the play" in said(arrival.left, "mental_state")
    assert arrival.kept[".agent.json"] == document({**WOLF, "mental_state": {"mood": "calm"}}).raw


def test_a_gender_without_plain_pronouns_is_told_as_it_is() -> None:
    other = {**MIRA, "persona": {**MIRA["persona"], "gender": "a river"}}
    person = FORMAT.read(document(other), ENGLISH).people[0]
    assert "pronouns" not in person.front
    assert "Gender: a river" in person.prose


@pytest.mark.parametrize(
    ("gender", "pronouns"),
    [
        ("Cisgender woman (assigned at birth)", "she/her"),
        ("Non-binary / genderqueer", "they/them"),
        ("Transgender man", "he/him"),
    ],
)
def test_words_around_a_plain_gender_do_not_matter(gender: str, pronouns: str) -> None:
    other = {**MIRA, "persona": {**MIRA["persona"], "gender": gender}}
    assert FORMAT.read(document(other), ENGLISH).people[0].front["pronouns"] == pronouns


def test_a_long_title_is_a_short_role_and_stands_whole_in_the_prose() -> None:
    title = "Retired Assistant; Community Cooking Instructor (volunteer and part-time) and Church Treasurer"
    persona = {"name": "Bo", "occupation": {"title": title}}
    person = FORMAT.read(document({"type": "TinyPerson", "persona": persona}), ENGLISH).people[0]
    assert person.front["role"] == "Retired Assistant"
    assert title in person.prose


def test_a_relationship_may_say_what_the_other_is_and_may_lack_a_name() -> None:
    others = [
        {"name": "Harold", "relation": "Husband", "age": 74, "description": "He repairs everything."},
        {"relation": "Aunt", "details": "Lives in Atlanta."},
        {"name": "Nobody"},
        "Ida",
    ]
    persona = {"name": "Bo", "relationships": others}
    assert FORMAT.read(document({"type": "TinyPerson", "persona": persona}), ENGLISH).people[0].relationships == {
        "Harold": "Husband: He repairs everything.",
        "Aunt": "Lives in Atlanta.",
    }


def test_a_long_consolidated_memory_becomes_several() -> None:
    told = " ".join(f"On day {number} the ferry was late, and nobody asked why." for number in range(20))
    texts = [one.text for one in FORMAT.read(document(with_memory({"content": told})), ENGLISH).people[0].memories]
    assert len(texts) == 2
    assert " ".join(texts) == told
    assert texts[0].endswith("nobody asked why.")


def test_what_was_said_and_perceived_becomes_memories() -> None:
    agent = with_memory(
        {"role": "system", "content": "You are a simulator."},
        {
            "role": "user",
            "type": "stimulus",
            "content": {"stimuli": [{"type": "CONVERSATION", "source": "Jannis", "content": "Wann kommst du?"}]},
        },
        {
            "role": "assistant",
            "type": "action",
            "content": {
                "action": {"type": "TALK", "target": "Jannis", "content": "Morgen."},
                "cognitive_state": {"emotions": "calm"},
            },
        },
        {"role": "assistant", "type": "action", "content": {"action": {"type": "DONE", "content": ""}}},
        {"role": "user", "type": "feedback", "content": "Keep talking."},
        {"role": "assistant", "type": "reflection", "content": "Ich verspreche zu viel."},
    )
    arrival = FORMAT.read(document(agent), GERMAN)
    assert [(one.text, one.type, one.about) for one in arrival.people[0].memories] == [
        ("Jannis sagte zu mir: „Wann kommst du?“", "conversation", ("Jannis",)),
        ("Ich sagte zu Jannis: „Morgen.“", "conversation", ("Jannis",)),
        ("Ich verspreche zu viel.", "reflection", ()),
    ]
    assert said(arrival.left, "episodic_memory").startswith("3 entries")


def test_what_the_tool_writes_before_stored_memories_is_taken_off() -> None:
    stored = "# Information\nI have obtained following information at date and time 2024-01-01:\n\n The ferry sank."
    agent = with_memory({"role": "assistant", "type": "information", "content": stored}, store="semantic_memory")
    assert [one.text for one in FORMAT.read(document(agent), ENGLISH).people[0].memories] == ["The ferry sank."]


def test_the_newest_memories_are_kept_and_the_number_of_others_is_said() -> None:
    agent = with_memory(*(f"Day {number}." for number in range(MOST_MEMORIES + 7)), "x" * 5000, "Day 9.")
    arrival = FORMAT.read(document(agent), ENGLISH)
    memories = arrival.people[0].memories
    assert len(memories) == MOST_MEMORIES
    assert memories[0].text == "Day 8."
    assert len(memories[-1].text) == LONGEST_MEMORY
    assert "the oldest 8; the newest 400 are kept" in said(arrival.left, "memories")


def test_a_fragment_in_the_folder_of_an_agent_is_merged_into_it() -> None:
    fragment = {
        "type": "Fragment",
        "persona": {
            "age": 99,
            "style": "Softly.",
            "beliefs": ["Travel broadens the mind.", "Quality comes before price."],
            "behaviors": {"travel": ["You plan every trip."]},
        },
    }
    source = folder({"Wolf.agent.json": WOLF, "travel.agent.fragment.json": fragment})
    assert FORMAT.fits(source)
    arrival = FORMAT.read(source, ENGLISH)
    person = arrival.people[0]
    assert (person.front["age"], person.front["communication"]) == (35, "Speaks loudly.")
    assert person.soul["beliefs"] == ("Quality comes before price.", "Travel broadens the mind.")
    assert "Travel:\n\n- You plan every trip." in person.prose
    assert set(arrival.kept) == {".wolf.agent.json", ".travel-agent.fragment.json"}


def test_files_of_one_name_are_all_kept() -> None:
    arrival = FORMAT.read(folder({"a/x.agent.json": WOLF, "b/x.agent.json": MIRA}), ENGLISH)
    assert set(arrival.kept) == {".x.agent.json", ".x-2.agent.json"}


def test_a_fragment_alone_is_refused_with_what_to_do() -> None:
    with pytest.raises(UsageError, match="found a fragment, expected an agent") as refused:
        FORMAT.read(document({"type": "Fragment", "persona": {}}, "loud.fragment.json"), ENGLISH)
    assert "one folder" in refused.value.hint


def test_a_fragment_beside_several_agents_is_left_aside() -> None:
    fragment = {"type": "Fragment", "persona": {"style": "Softly."}}
    arrival = FORMAT.read(folder({"a.agent.json": WOLF, "b.agent.json": MIRA, "c.fragment.json": fragment}), ENGLISH)
    assert [person.name for person in arrival.people] == ["Friedrich Wolf", "Mira Öztürk"]
    assert "2 agents" in said(arrival.left, "fragments")


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ({"type": "TinyPerson"}, "some.json: persona: found nothing, expected an object"),
        ({"type": "TinyPerson", "persona": ["x"]}, "some.json: persona: found a list of 1"),
        ({"type": "TinyPerson", "persona": {"name": " \u0000\n"}}, "some.json: persona.name: found no name"),
        ([{"type": "TinyPerson", "persona": 7}], "some.json: agent 1: persona: found 7"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(data: object, found: str) -> None:
    source = document(data)
    assert FORMAT.fits(source)
    with pytest.raises(UsageError) as refused:
        FORMAT.read(source, ENGLISH)
    assert found in refused.value.message
    assert refused.value.hint


def test_a_name_that_the_user_gives_replaces_that_of_the_file() -> None:
    nameless = {"type": "TinyPerson", "persona": {"age": 3}}
    options = type(ENGLISH)("en", "Director", name="Bo")
    assert FORMAT.read(document(nameless), options).people[0].front["name"] == "Bo"


def test_texts_that_pretend_to_be_structure_stay_texts() -> None:
    persona = {
        "name": "../../etc\npasswd\u001b[31m",
        "style": "---\nname: evil\n---",
        "skills": ["a\nb", 7, None, True, {"skill": "climbing"}, ["x"]],
        "health": "fine\u0000\u202e\n---\n# Voice",
        "age": float("inf"),
    }
    person = FORMAT.read(document({"type": "TinyPerson", "persona": persona}), ENGLISH).people[0]
    assert person.name == "../../etc passwd[31m"
    assert "age" not in person.front
    assert person.front["communication"] == "--- name: evil ---"
    assert person.front["skills"] == ["a b", "7", "climbing"]
    assert "\u0000" not in person.prose
    assert not wrong_keys(person.front)


def test_long_lists_are_cut_and_it_is_said() -> None:
    persona = {"name": "Bo", "skills": [f"skill {number}" for number in range(5000)], "health": "h" * 100_000}
    arrival = FORMAT.read(document({"type": "TinyPerson", "persona": persona}), ENGLISH)
    skills = arrival.people[0].front["skills"]
    assert isinstance(skills, list)
    assert len(skills) == 100
    assert said(arrival.left, "skills") == "only the first 100 of 5,000"
    assert len(arrival.people[0].prose) < 10_000


def test_of_very_many_parts_and_people_the_first_are_taken_and_named() -> None:
    many = [{"name": f"Person {number}", "description": "known"} for number in range(500)]
    persona = {"name": "Bo", "relationships": many, **{f"key {number}": "x" for number in range(500)}}
    arrival = FORMAT.read(document({"type": "TinyPerson", "persona": persona}), ENGLISH)
    assert len(arrival.people[0].relationships) == 100
    assert said(arrival.left, "relationships") == "only the first 100 of 500"
    assert len(arrival.mapped) == 501


def test_what_is_nested_without_end_is_left_aside() -> None:
    deep: object = "x"
    for _ in range(90):
        deep = {"a": deep}
    arrival = FORMAT.read(document({"type": "TinyPerson", "persona": {"name": "Bo", "odd": deep}}), ENGLISH)
    assert said(arrival.left, "odd") == "no text in it that can be read"


@given(st.dictionaries(st.sampled_from([*WOLF["persona"], "x_y"]), JSON), JSON, JSON)
def test_any_document_is_read_or_refused(persona: dict[str, object], episodes: object, facts: object) -> None:
    stores = {"episodic_memory": episodes, "semantic_memory": {"memories": facts}}
    try:
        arrival = FORMAT.read(document({"type": "TinyPerson", "persona": persona, **stores}), GERMAN)
    except UsageError as refused:
        assert refused.hint
        return
    person = arrival.people[0]
    assert person.prose
    assert not wrong_keys(person.front)
    assert all(one.text == " ".join(one.text.split()) for one in person.memories)
