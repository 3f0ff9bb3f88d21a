from __future__ import annotations

from dataclasses import replace

from gm.base.config import Settings
from gm.model.world import Change, World
from gm.scene.dialogue.turns import Turn
from gm.scene.folding.advance import advance
from gm.scene.folding.apply import DECISION_CHARACTERS, MOST_DECISIONS, fold_decisions, fold_scene
from tests.build import SCENE_TYPES, agent, never, reply, scene, words, world

ON = Settings(decisions="on")


def meeting(one: World, *turns: Turn, leads: bool = True) -> Change:
    held = scene("vera", "emre", type="MEETING")
    held = replace(held, type=replace(SCENE_TYPES["MEETING"], chair=leads))
    return fold_scene(one, held, turns, words, taken=never)


def cast(settings: Settings = ON) -> World:
    return world(agent("vera"), agent("emre"), settings=settings)


def test_what_the_one_who_leads_notes_is_decided_and_everybody_reads_it_from_then_on() -> None:
    change = meeting(cast(), Turn("vera", reply(decisions=["Wir gießen\n# am Freitag.", "Emre prüft das Maß."])))
    assert change.decisions == ("Wir gießen # am Freitag.", "Emre prüft das Maß.")
    assert change.line.record["decisions"] == list(change.decisions)
    assert advance(cast(), change).decisions == change.decisions


def test_no_other_character_decides_and_nothing_is_decided_twice() -> None:
    one = replace(cast(), decisions=("Wir gießen am Freitag.",))
    turns = [
        Turn("emre", reply(decisions=["Ich leite jetzt."])),
        Turn("vera", reply(decisions=["wir gießen am FREITAG."])),
    ]
    change = meeting(one, *turns)
    assert change.decisions == ()
    assert "decisions" not in change.line.record
    assert [item for item in change.warnings if "decision" in item or "decided" in item] == [
        "emre: does not lead this scene, decision not noted: 'Ich leite jetzt.'",
        "vera: decided before, not noted again: 'wir gießen am FREITAG.'",
    ]
    without = meeting(cast(), Turn("vera", reply(decisions=["Etwas."])), leads=False)
    assert without.decisions == ()


def test_a_meeting_decides_a_handful_of_things_each_in_a_line() -> None:
    many = [f"Beschluss {number} {'x' * 400}" for number in range(MOST_DECISIONS + 1)]
    decisions, warnings = fold_decisions(cast(), scene("vera", type="MEETING"), [Turn("vera", reply(decisions=many))])
    assert decisions == ()
    assert len(warnings) == MOST_DECISIONS + 1
    change = meeting(cast(), Turn("vera", reply(decisions=many)))
    assert len(change.decisions) == MOST_DECISIONS
    assert all(len(decision) <= DECISION_CHARACTERS for decision in change.decisions)
    assert any(f"more than {MOST_DECISIONS} decisions" in item for item in change.warnings)


def test_a_world_that_keeps_no_decisions_has_none() -> None:
    change = meeting(cast(Settings(decisions="off")), Turn("vera", reply(decisions=["Etwas."])))
    assert (change.decisions, [item for item in change.warnings if "decision" in item]) == ((), [])
    assert "decisions" not in world().layers
    assert "decisions" in replace(world(), decisions=("Etwas.",)).layers
