"""What characters know from the start, and how a file of it is brought up to date."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.ask.prompt.render import Prompts
from gm.base.config import Settings, parse_settings
from gm.base.markup.parse import without_parts
from gm.files.packaged.shipped import shipped_prompts
from gm.memory.recall.words import CHUNK_CHARACTERS
from gm.memory.seed_memories import (
    CATEGORIES,
    SCENE_CATEGORIES,
    Gift,
    beyond_prompt,
    canonical_queries,
    count_not_given,
    digest_seed,
    gifts_for,
    gifts_of_world,
    make_node,
    renew,
)
from gm.model.ids import WORLD, is_agent_id
from gm.model.node import Node
from gm.model.persona import Persona
from gm.model.state import AgentState
from gm.model.world import Agent

ENGLISH = Prompts(Path("none"), shipped_prompts(), "en").words
GERMAN = Prompts(Path("none"), shipped_prompts(), "de").words


def agent(name: str, front: dict[str, Any], prose: str = "") -> Agent:
    return Agent(name, AgentState(name=front.get("name", name)), Persona(front, prose))


ALEX = agent(
    "alex",
    {
        "name": "Alex Pemberton",
        "role": "keeper of the plan",
        "archetype": "The one who schedules a friendship.",
        "traits": ["dry"],
        "skills": ["carving"],
        "values": ["enough of everything", "promises"],
        "decision_style": "She counts.",
        "communication": "Short sentences.",
        "friends": {"Jordan": "We share a burner."},
        "quarrels": {"casey": "They lost my plate.", "nobody": "…"},
        "wish": "To be late once.",
    },
    "Grew up by the tram.\n\n## Voice\nYou speak in numbers.\n\n## What you tell nobody\nYou kept the key.",
)
JORDAN = agent(
    "jordan", {"name": "Jordan", "friends": {"alex": "She is a clock."}, "home": "kitchen"}, "Burnt a house."
)
CASEY = agent("casey", {"name": "Casey Lind", "quarrels": {"alex": "She counts my plates."}, "communication": "Soft."})
CAST = {person.id: person for person in (ALEX, CASEY, JORDAN)}
SETTINGS = parse_settings({"places": {"kitchen": "Narrow."}, "seeds": {"lessons": ["Ask first."]}})[0]


def contents(gifts: list[Gift], **wanted: str) -> list[str]:
    return [gift.content for gift in gifts if all(getattr(gift, key) == value for key, value in wanted.items())]


def test_every_category_of_a_character_is_given() -> None:
    gifts = gifts_for(ALEX, CAST, SETTINGS, ENGLISH)
    own = [gift for gift in gifts if gift.type == "character"]
    assert list(dict.fromkeys(gift.category for gift in own)) == list(CATEGORIES)
    assert contents(own, category="identity") == [
        "You are Alex Pemberton, keeper of the plan. The one who schedules a friendship."
    ]
    assert contents(own, category="background") == ["Grew up by the tram.", "You kept the key."]
    assert contents(own, category="communication") == [
        "What others notice when you talk: Short sentences.",
        "You speak in numbers.",
    ]
    assert {gift.about for gift in own} == {"alex"}


def test_what_stands_under_a_private_heading_is_private_up_to_the_next_heading_of_its_level() -> None:
    prose = "Open.\n\n ## What you tell nobody:\nYou kept it.\n\n### Where\nIn a box.\n\n## Home\nA room."
    person = agent("alex", {"name": "Alex", "background": "Born."}, prose)
    gifts = [gift for gift in gifts_for(person, {}, SETTINGS, ENGLISH) if gift.category == "background"]
    assert contents(gifts) == ["Born.", "Open.", "You kept it.", "In a box.", "A room."]
    assert [gift.content for gift in gifts if gift.private] == ["You kept it.", "In a box."]
    assert [make_node("alex-001", gift).tags for gift in gifts[1:3]] == [(), ("private",)]
    lines = [(1, make_node("alex-001", replace(gifts[2], private=False)))]
    assert renew("alex", lines, gifts[2:3]).changed[1].tags == ("private",)


def test_of_others_one_knows_what_is_to_be_seen_and_what_one_says_oneself() -> None:
    known = [gift for gift in gifts_for(ALEX, CAST, SETTINGS, ENGLISH) if gift.type == "character_knowledge"]
    assert contents(known, about="jordan") == [
        "Jordan.",
        "Jordan is close to you. In your words: “We share a burner.”",
        "Jordan is mostly to be found here: kitchen.",
    ]
    assert contents(known, about="casey") == [
        "Casey Lind.",
        "There is friction between you and Casey Lind. In your words: “They lost my plate.”",
        "What people notice about Casey Lind: Soft.",
    ]


def test_of_others_one_knows_the_description_that_stands_in_their_front_matter() -> None:
    described = agent("jordan", {"name": "Jordan", "description": "Tall.\nLaughs first."})
    known = gifts_for(ALEX, {"alex": ALEX, "jordan": described}, SETTINGS, ENGLISH)
    assert contents(known, about="jordan", category="other") == ["Jordan.", "Tall. Laughs first."]


@pytest.mark.parametrize(
    "prose",
    [
        "Open.\n\nWhat you tell nobody\n====\n\nSecret.\n\n## Deeper\n\nSecret too.\n",
        "What you tell nobody\n---\n\nSecret.\n\nVoice\n---\n\nOpen.\n",
        "## What you *tell* nobody:\n\nSecret.\n\n```\n## Secret\n```\n\n## Voice\n\nOpen.\n",
    ],
)
def test_private_is_what_a_page_leaves_out(prose: str) -> None:
    gifts = gifts_for(agent("alex", {"name": "Alex"}, prose), {}, SETTINGS, ENGLISH)
    told = {gift.content: gift.private for gift in gifts if gift.category in ("background", "communication")}
    shown = " ".join(without_parts(prose, SETTINGS.publish.headings).split())
    assert told == {content: content not in shown for content in told}
    assert told == {content: "Secret" in content for content in told}
    assert {*told.values()} == {True, False}


def test_nothing_private_of_others_is_given() -> None:
    for person in (CASEY, JORDAN):
        text = " ".join(gift.content for gift in gifts_for(person, CAST, SETTINGS, ENGLISH))
        for private in ("burner", "plate." if person is JORDAN else "lost my", "tram", "key", "late once", "carving",
                        "promises", "dry", "counts." if person is JORDAN else "She counts.", "numbers"):  # fmt: skip
            assert private not in text, (person.id, private)


def test_the_world_is_given_once_for_all() -> None:
    settings = parse_settings(
        {
            "world": {"title": "Dinner", "premise": "Noor comes.", "rules": ["No onions."]},
            "places": {"kitchen": "Narrow."},
            "calendar": {"weekly": [{"weekday": "Montag", "time": "evening", "event": "Cards"}]},
            "seeds": {"lessons": ["Ask first.", "Then cook."]},
        }
    )[0]
    gifts = gifts_of_world(settings, ENGLISH)
    scene = [gift for gift in gifts if gift.type == "scene"]
    assert list(dict.fromkeys(gift.category for gift in scene)) == list(SCENE_CATEGORIES)
    assert contents(gifts, category="context") == ["Noor comes.", "No onions."]
    assert contents(gifts, category="atmosphere", about="kitchen") == ["kitchen: Narrow."]
    assert "Every week on Montag in the evening: Cards" in contents(gifts, category="time")
    assert contents(gifts, type="lesson") == ["Ask first.", "Then cook."]


def test_a_world_of_defaults_gives_its_week_only() -> None:
    assert {gift.category for gift in gifts_of_world(Settings(), GERMAN)} == {"time"}


def test_the_canonical_questions_are_those_of_the_document() -> None:
    assert canonical_queries("identity", ENGLISH) == ("who am I?", "what is my identity?", "describe myself")
    assert canonical_queries("skills", ENGLISH) == ("what am I good at?", "what are my skills?")
    assert canonical_queries("context", ENGLISH) == ("what is happening?", "what's the situation?")
    assert canonical_queries("other", ENGLISH, "Noor") == (
        "who is Noor?",
        "what do I know about Noor?",
        "describe Noor",
    )
    assert sum(len(canonical_queries(category, ENGLISH)) for category in CATEGORIES) == 16
    assert sum(len(canonical_queries(category, ENGLISH)) for category in SCENE_CATEGORIES) == 10


@pytest.mark.parametrize("category", [*CATEGORIES, *SCENE_CATEGORIES, "lesson"])
def test_every_category_has_questions_in_german_too(category: str) -> None:
    assert len(canonical_queries(category, GERMAN)) == len(canonical_queries(category, ENGLISH)) >= 2


def test_long_texts_are_given_in_pieces() -> None:
    person = agent("alex", {}, "Ein Satz von mittlerer Länge, der etwas sagt. " * 30)
    pieces = contents(gifts_for(person, {"alex": person}, SETTINGS, GERMAN), category="background")
    assert len(pieces) > 3
    assert all(len(piece) <= CHUNK_CHARACTERS for piece in pieces)


def test_no_agent_can_be_called_what_the_file_of_the_world_is_called() -> None:
    assert not is_agent_id(WORLD)


def gift(content: str, category: str = "background") -> Gift:
    return Gift("character", category, content, ("who?",), "alex")


def test_what_has_not_changed_stays() -> None:
    lines = [(1, make_node("alex-001", gift("a"))), (2, make_node("alex-002", gift("b")))]
    renewal = renew("alex", lines, [gift("a"), gift("b")])
    assert (renewal.is_needed, renewal.kept) == (False, 2)


def test_what_has_changed_keeps_its_number_and_the_rest_is_added_or_dropped() -> None:
    lines = [(1, make_node("alex-001", gift("a"))), (3, make_node("alex-004", gift("b", "values")))]
    renewal = renew("alex", lines, [gift("A"), gift("c")])
    assert {number: (node.id, node.description) for number, node in renewal.changed.items()} == {1: ("alex-001", "A")}
    assert [(node.id, node.description) for node in renewal.added] == [("alex-005", "c")]
    assert renewal.dropped == (3,)


def test_what_a_person_wrote_or_edited_stays() -> None:
    own = replace(make_node("alex-001", gift("mine")), metadata={"category": "background"})
    edited = replace(make_node("alex-002", gift("a")), description="better")
    renewal = renew("alex", [(1, own), (2, edited)], [gift("changed")])
    assert not renewal.is_needed
    assert renewal.edited == ("alex-002",)
    assert not renew("alex", [(1, own), (2, edited)], []).is_needed


@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abcd"), max_size=6))
def test_afterwards_there_is_what_should_be_there_in_its_order(before: list[str], after: list[str]) -> None:
    lines = [(place, make_node(f"alex-{place:03d}", gift(text))) for place, text in enumerate(before, 1)]
    renewal = renew("alex", lines, [gift(text) for text in after])
    there = [renewal.changed.get(number, node) for number, node in lines if number not in renewal.dropped]
    nodes = [*there, *renewal.added]
    assert [node.description for node in nodes] == after
    assert len({node.id for node in nodes}) == len(nodes)
    assert all(node.metadata["gift"] == digest_seed(node) for node in nodes)
    again = renew("alex", list(enumerate(nodes, 1)), [gift(text) for text in after])
    assert not again.is_needed


def lesson(number: int, text: str) -> Node:
    return make_node(f"_world-{number:03d}", Gift("lesson", "lesson", text, ("What did I learn?",)))


def test_no_prompt_shows_lessons_and_what_a_person_wrote_or_edited() -> None:
    made = make_node("alex-001", gift("a"))
    own = replace(make_node("alex-002", gift("mine")), metadata={"category": "background"})
    edited = replace(make_node("alex-003", gift("b")), description="better")
    learned = lesson(1, "Ask first.")
    assert beyond_prompt([made, learned, own, edited]) == (learned, own, edited)


def test_lessons_count_as_not_given_until_a_seed_memory_holds_them() -> None:
    lessons = ("Ask first.", "Keep the key.")
    assert count_not_given(lessons, []) == 2
    assert count_not_given(lessons, [lesson(1, "Ask first."), make_node("_world-002", gift("Keep the key."))]) == 1
    both = [lesson(1, "Ask first."), lesson(2, "Keep the key.")]
    assert count_not_given(lessons, both) == 0
    edited = replace(both[1], description="Keep no key.")
    assert count_not_given(lessons, [both[0], edited]) == 0
    assert count_not_given(("Ask first.",), [both[0], edited]) == 0


def test_a_week_without_names_and_appointments_without_a_day_say_nothing() -> None:
    weekly = [{"weekday": "Montag", "event": ""}, {"event": "Cards"}, {"weekday": "Montag", "event": "Tea"}]
    gifts = gifts_of_world(parse_settings({"calendar": {"weekdays": [], "weekly": weekly}})[0], ENGLISH)
    (only,) = contents(gifts, category="time")
    assert "Tea" in only


def test_each_sample_of_speech_is_a_memory_of_its_own() -> None:
    prose = '## Voice\n\nAda: Burning.\n\n* * *\n\n"Late again."\n\n***\n\n* * *\n'
    spoken = [one.content for one in gifts_for(agent("ada", {}, prose), {}, Settings(), ENGLISH)]
    assert spoken[-2:] == ["Ada: Burning.", '"Late again."']
    assert not [text for text in spoken if "*" in text]
