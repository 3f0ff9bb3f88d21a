"""What a scene changes in what people think of each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gm.base.config import Settings
from gm.layers.declare import CardEntry, ShownMoment
from gm.layers.relationships import RELATIONSHIPS, Relationship, RelationshipChange
from gm.model.mind import MindChange
from gm.model.persona import Persona
from gm.model.scene import ASKED, SceneType
from gm.model.world import Change, World
from gm.scene.dialogue.turns import Turn
from gm.scene.folding.advance import advance, yield_to_edits
from gm.scene.folding.minds import fold_minds
from gm.scene.grounding.common_reasons import DayBonds
from gm.scene.ledger import Ledger
from tests.build import agent, entry, line, perform, regard, regarding, reply, scene, words, world

ON = Settings(relationships="on")
Said = dict[str, tuple[RelationshipChange, ...]]


def three(**settings: Any) -> World:
    return world(agent("emre"), agent("nami"), agent("vera"), settings=replace(ON, **settings))


def fold(before: World, *turns: Turn, kind: str = "ENCOUNTER") -> tuple[Said, list[str]]:
    cast = tuple(dict.fromkeys(turn.agent for turn in turns))
    played = scene(*cast, type=kind)
    ledger = Ledger(before, str(played.ref))
    found = fold_minds(before, played, turns, ledger, words)
    return {name: change[RELATIONSHIPS] or () for name, change in found.items()}, ledger.warnings


def values(found: Said, name: str, other: str) -> dict[str, Any]:
    (change,) = [change for change in found.get(name, ()) if change.other == other]
    return dict(change.values)


def test_two_who_talk_have_met_and_are_counted_on_both_sides() -> None:
    found, _ = fold(three(), Turn("vera", reply("Tag.")), Turn("emre", reply("Ja?")))
    assert values(found, "vera", "emre") == {"interaction_count": 1, "first_met_at": "day-001/scene-02"}
    assert values(found, "emre", "vera") == {"interaction_count": 1, "first_met_at": "day-001/scene-02"}


def test_the_next_time_only_the_count_grows_and_the_history_has_nothing_to_tell() -> None:
    met = Relationship(interaction_count=4, first_met_at="day-000/scene-01")
    before = replace(three(), agents={**three().agents, "vera": regarding(agent("vera"), emre=met)})
    found, _ = fold(before, Turn("vera", reply("Tag.")), Turn("emre", reply("Ja?")))
    assert values(found, "vera", "emre") == {"interaction_count": 5}
    assert not found["vera"][0].is_history


def test_who_stands_by_in_silence_has_met_no_other_unless_one_speaks_to_them() -> None:
    silent, _ = fold(three(), Turn("vera", reply("Tag.")), Turn("emre", reply()))
    assert silent == {}
    spoken_to, _ = fold(three(), Turn("vera", reply(line("Tag.", "emre"))), Turn("emre", reply()))
    assert set(spoken_to) == {"vera", "emre"}


def test_words_into_a_room_in_which_all_are_at_work_are_no_interaction() -> None:
    found, _ = fold(three(), Turn("vera", reply("Puh.")), Turn("emre", reply("Hm.")), kind="WORK")
    assert found == {}


def test_what_a_reply_says_is_the_new_value_and_the_history_keeps_the_old_one() -> None:
    said = regard(type="Rivale", trust=-0.2, tone="gereizt", why="Er hat gelacht.")
    known = regarding(agent("vera"), emre=Relationship("Kollege", 0.1, interaction_count=3, first_met_at="day-001"))
    before = replace(three(), agents={**three().agents, "vera": known})
    found, warnings = fold(before, Turn("vera", reply("Tag.", relationships=[said])), Turn("emre", reply("Ja?")))
    (change,) = found["vera"]
    assert warnings == []
    assert change.values == {
        "relationship_type": "Rivale",
        "trust_level": -0.2,
        "emotional_tone": "gereizt",
        "rationale": "Er hat gelacht.",
        "interaction_count": 4,
    }
    assert change.old == {"relationship_type": "Kollege", "trust_level": 0.1, "emotional_tone": "", "rationale": ""}
    assert change.why == "Er hat gelacht."


def test_what_is_empty_or_the_same_changes_nothing() -> None:
    known = regarding(agent("vera"), emre=Relationship("Kollege", 0.5, "warm"))
    before = replace(three(), agents={**three().agents, "vera": known})
    said = regard(type="", tone=None, why="", notes="")
    found, _ = fold(before, Turn("vera", reply(relationships=[said])), Turn("emre", reply()))
    assert found == {}
    same = regard(type="Kollege", trust=0.5, tone=" warm ")
    found, _ = fold(before, Turn("vera", reply(relationships=[same])), Turn("emre", reply()))
    assert found == {}


def test_of_two_turns_the_last_word_counts_and_there_is_one_change() -> None:
    turns = (
        Turn("vera", reply("A.", relationships=[regard(type="Rivale", trust=-0.4)])),
        Turn("emre", reply("B.")),
        Turn("vera", reply("C.", relationships=[regard(trust=0.1)])),
    )
    found, _ = fold(three(), *turns)
    assert values(found, "vera", "emre")["trust_level"] == 0.1
    assert values(found, "vera", "emre")["relationship_type"] == "Rivale"


@pytest.mark.parametrize("other", ["nami", "vera", "Niemand", "../emre"])
def test_who_was_not_present_is_left_out_with_a_warning(other: str) -> None:
    turns = Turn("vera", reply("A.", relationships=[regard(other, trust=1)])), Turn("emre", reply())
    found, warnings = fold(three(), *turns)
    assert found == {}
    assert len(warnings) == 1
    assert "was not present" in warnings[0]


def test_a_character_may_be_called_by_name() -> None:
    found, _ = fold(three(), Turn("vera", reply(relationships=[regard("Emre", trust=0.3)])), Turn("emre", reply()))
    assert values(found, "vera", "emre") == {"trust_level": 0.3}


def test_trust_outside_of_its_range_is_clipped_with_a_warning() -> None:
    found, warnings = fold(three(), Turn("vera", reply(relationships=[regard(trust=70)])), Turn("emre", reply()))
    assert values(found, "vera", "emre") == {"trust_level": 1.0}
    assert warnings == ["vera: relationships: trust in 'emre' is 70, outside -1 … 1; taken as 1"]


def test_nothing_is_counted_and_nothing_is_taken_while_the_layer_is_off() -> None:
    before = three(relationships="off")
    turns = Turn("vera", reply("A.", relationships=[regard(trust=1)])), Turn("emre", reply("B."))
    assert fold(before, *turns) == ({}, [])
    assert fold(three(relationships="auto"), *turns) == ({}, [])


def test_a_scene_as_a_whole_carries_it_into_the_world() -> None:
    def answer(_world: World, _scene: Any, name: str) -> Any:
        return reply("Tag.", relationships=[regard(trust=0.4)] if name == "vera" else [])

    before = three()
    change = perform(before, scene("emre", "vera", type="ENCOUNTER"), answer)
    after = advance(before, change)
    known = after.agents["vera"].mind[RELATIONSHIPS]
    assert known["emre"].trust_level == 0.4
    assert known["emre"].interaction_count == 1
    assert (after.agents["emre"].mind[RELATIONSHIPS])["vera"] == Relationship(
        interaction_count=1, first_met_at="day-001/scene-02"
    )
    assert RELATIONSHIPS not in after.agents["nami"].mind


def test_what_a_person_changed_while_a_scene_was_played_stays_and_the_count_adds_to_theirs() -> None:
    before = replace(three(), agents={**three().agents, "vera": regarding(agent("vera"), emre=Relationship("Kollege"))})
    theirs = Relationship("Freund", 0.9, interaction_count=20)
    now = replace(before, agents={**before.agents, "vera": regarding(agent("vera"), emre=theirs)})
    turns = (
        Turn("vera", reply("A.", relationships=[regard(type="Rivale", trust=-1, tone="kalt")])),
        Turn("emre", reply("B.")),
    )
    found, _ = fold(now, *turns)
    change = Change(1, minds={name: MindChange({RELATIONSHIPS.name: changes}) for name, changes in found.items()})
    yielded, kept = yield_to_edits(before, now, change)
    (left,) = yielded.minds["vera"][RELATIONSHIPS] or ()
    assert left.values == {"emotional_tone": "kalt", "interaction_count": 21, "first_met_at": "day-001/scene-02"}
    assert [(item.key, item.ours, item.theirs) for item in kept] == [
        ("emre.relationship_type", "Rivale", "Freund"),
        ("emre.trust_level", -1.0, 0.9),
    ]


def parts(before: World) -> dict[str, float]:
    return {item.part: item.points for item in DayBonds(before).reasons(("emre", "vera"))}


def test_stated_trust_brings_people_together_or_keeps_them_apart() -> None:
    def with_trust(trust: float, back: float) -> World:
        agents = {
            "emre": regarding(agent("emre"), vera=Relationship("x", back)),
            "vera": regarding(agent("vera"), emre=Relationship("x", trust)),
        }
        return replace(three(), agents=agents, log=(entry(0, "ENCOUNTER", "nami", "vera"),))

    weights = ON.weights
    assert parts(with_trust(0.8, 0.8))["closeness"] == pytest.approx(weights.closeness * 0.8)
    assert parts(with_trust(0.8, -0.5))["closeness"] == pytest.approx(weights.closeness * 0.56)
    assert 0 < parts(with_trust(0.8, -0.5))["tension"] < parts(with_trust(-0.8, -0.5))["tension"]
    assert not {"closeness", "tension"} & set(parts(with_trust(0.0, 0.0)))


def test_while_the_layer_is_off_the_director_knows_nothing_of_trust() -> None:
    trusting = regarding(agent("vera"), emre=Relationship("x", 1.0))
    before = replace(three(relationships="off"), agents={"emre": agent("emre"), "vera": trusting})
    assert "closeness" not in parts(before)


def test_who_is_not_of_the_cast_of_the_world_has_no_relationships() -> None:
    found, warnings = fold(three(), Turn("vera", reply("Tag.")), Turn("gast", reply("Ja?")))
    assert "gast" not in found
    assert warnings == []


def test_where_nothing_was_said_of_a_character_the_persona_tells_what_they_are_to_each_other() -> None:
    plain = parts(three())
    quarrel = replace(agent("vera"), persona=Persona({"quarrels": ["emre"], "friends": ["nami"]}))
    before = replace(three(), agents={**three().agents, "vera": quarrel})
    known = {"emre": regarding(agent("emre"), vera=Relationship("Kollegin", 0.5))}
    both = parts(replace(before, agents={**before.agents, **known}))
    assert "tension" not in plain
    assert both["tension"] > 0
    assert both["closeness"] > 0


def test_a_prompt_shows_where_one_stands_with_each_of_those_present_said_or_not() -> None:
    vera = replace(agent("vera"), persona=Persona({"friends": {"emre": "Er fragt zweimal."}, "quarrels": ["finn"]}))
    one = regarding(vera, emre=Relationship(rationale="Er hört zu", trust_level=0.4), leo=Relationship("Rivale"))
    before = world(*(agent(name) for name in ("emre", "finn", "leo", "nami")), one, settings=ON)
    shown = ShownMoment(before, one, scene("emre", "vera"), present=("emre", "nami", "finn", "gast"))
    views: Any = RELATIONSHIPS.view.show(shown, one.mind[RELATIONSHIPS])
    emre, nami, finn = views
    assert (emre["id"], emre["why"], emre["trust"]) == ("emre", "Er hört zu.", "+0.4")
    assert emre["said"] == "Er fragt zweimal."
    assert (nami["id"], nami["trust"], nami["said"]) == ("nami", "0", "")
    assert [(item["stated"], item["unsaid"]) for item in (emre, nami, finn)] == [
        (True, False),
        (True, True),
        (False, True),
    ]
    assert RELATIONSHIPS.view.show(ShownMoment(before, one), one.mind[RELATIONSHIPS]) == []
    morning = ShownMoment(before, one, scene(*before.agents, "gast", type="ARRIVAL"), present=("nami",))
    views = RELATIONSHIPS.view.show(morning, one.mind[RELATIONSHIPS])
    assert [item["id"] for item in views] == ["nami", "emre", "finn", "leo"]
    plain = ShownMoment(before, before.agents["emre"], scene(*before.agents, type="ARRIVAL"))
    assert RELATIONSHIPS.view.show(plain, {}) == []


def test_a_later_turn_shows_what_the_earlier_ones_have_said() -> None:
    one = regarding(agent("vera"), emre=Relationship("Rivale", 0.1, "kühl", "Er fragt."))
    before = world(agent("emre"), one, settings=ON)
    own = (reply(relationships=[regard("Emre", trust=0.5, tone="warm"), regard("Fremder", tone="kalt")]), reply())
    shown = ShownMoment(before, one, scene("emre", "vera"), own, present=("emre",))
    views: Any = RELATIONSHIPS.view.show(shown, one.mind[RELATIONSHIPS])
    (view,) = views
    assert (view["type"], view["trust"], view["tone"], view["why"]) == ("Rivale", "+0.5", "warm", "Er fragt.")


def test_out_of_scene_the_characters_that_a_question_names_are_shown() -> None:
    one = regarding(agent("vera"), emre=Relationship("Rivale"), nami=Relationship("Freundin"))
    before = world(agent("emre"), agent("nami"), one, settings=ON)
    question = replace(scene("vera", about=("vera", "nami", "gast")), type=SceneType(ASKED, "ask.j2"))
    asked = ShownMoment(before, one, question, present=("emre",))
    views: Any = RELATIONSHIPS.view.show(asked, one.mind[RELATIONSHIPS])
    assert [item["id"] for item in views] == ["nami"]


def test_a_card_tells_what_is_stated_about_those_of_the_world_by_their_names() -> None:
    known = {
        "emre": Relationship("Rivale", 0.4, "gereizt", "Er lacht!", relationship_notes=" Er übt nachts "),
        "nami": Relationship(interaction_count=3),
        "gast": Relationship("Freund"),
        "leo": Relationship(trust_level=0.2),
    }
    names = {"emre": "Emre Aksoy", "nami": "Nami Ito", "leo": "leo"}
    emre, leo = RELATIONSHIPS.card(known, names)
    assert emre == CardEntry("Rivale, gereizt. Er lacht! Er übt nachts.", ["Emre Aksoy", "Emre"])
    assert leo == CardEntry("", ["leo"])


def test_the_rehearsal_answers_by_what_is_thought_of_the_cast_of_its_scene() -> None:
    one = regarding(agent("vera"), emre=Relationship("Rivale", 0.4), nami=Relationship("Freundin"))
    before = world(agent("emre"), agent("nami"), one, settings=ON)
    facts = RELATIONSHIPS.facts
    assert facts is not None
    assert facts(ShownMoment(before, one, scene("emre", "vera")), one.mind[RELATIONSHIPS]) == {
        "emre": {"type": "Rivale", "trust": 0.4}
    }
    assert facts(ShownMoment(before, one), one.mind[RELATIONSHIPS]) == {}
