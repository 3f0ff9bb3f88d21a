"""What a character says about its soul: each sentence once, and only what stands there is taken out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gm.base.config import parse_settings
from gm.layers.declare import CardEntry, Keys
from gm.layers.soul import SOUL as SOUL_LAYER
from gm.layers.soul import Soul, SoulChange, SoulEntry, change_soul, fold_soul, soul_words
from gm.model.calendar import SceneRef
from gm.model.layer_replies import SoulEdit, SoulText
from gm.model.mind import MindChange
from gm.model.scene import Scene
from gm.scene.folding.conclude import Reflected, fold_reflection
from gm.scene.folding.minds import mind_record
from tests.build import SCENE_TYPES, agent, insights, node, words, world

COURAGE = SoulEntry("beliefs", "Mut ist eine Gewohnheit.")
HEIGHT = SoulEntry("fears", "Höhe.")
SOUL = Soul((COURAGE, HEIGHT))


def adding(*texts: str, kind: str = "conviction") -> SoulEdit:
    return SoulEdit(add=[SoulText.model_validate({"kind": kind, "text": text}) for text in texts])


def test_a_sentence_is_added_to_the_list_of_its_kind() -> None:
    change, warnings = fold_soul(SOUL, [adding("Gespiegelt  ist\ngespart.", kind="belief")])
    assert change == SoulChange(added=(SoulEntry("beliefs", "Gespiegelt ist gespart."),))
    assert warnings == []
    assert change_soul(SOUL, change).entries == (COURAGE, HEIGHT, SoulEntry("beliefs", "Gespiegelt ist gespart."))


def test_what_stands_there_already_is_not_added_again_however_it_is_spelled() -> None:
    change, warnings = fold_soul(SOUL, [adding("mut ist  eine gewohnheit", "Neu.", "NEU")])
    assert change == SoulChange(added=(SoulEntry("convictions", "Neu."),))
    assert [warning.partition(":")[0] for warning in warnings] == ["stands in the soul already"] * 2


def test_what_is_taken_out_must_stand_there() -> None:
    change, warnings = fold_soul(SOUL, [SoulEdit(remove=["HÖHE", "Tiefe"])])
    assert change == SoulChange(removed=(HEIGHT,))
    assert warnings == ["not in the soul, so not taken out of it: 'Tiefe'"]


def test_what_is_added_and_taken_back_in_one_scene_is_no_change() -> None:
    change, _ = fold_soul(SOUL, [adding("Neu."), SoulEdit(remove=["Neu."])])
    assert change is None


def test_a_sentence_may_change_its_kind_in_one_reply() -> None:
    edit = SoulEdit(remove=["Höhe."], add=[SoulText(kind="value", text="Höhe.")])
    change, warnings = fold_soul(SOUL, [edit])
    assert change == SoulChange(added=(SoulEntry("values", "Höhe."),), removed=(HEIGHT,))
    assert not warnings


def test_the_logbook_says_nothing_where_nothing_changed() -> None:
    assert mind_record({"vera": MindChange()}) == {}
    assert mind_record({"vera": MindChange({"soul": SoulChange(removed=(HEIGHT,))})}) == {
        "souls": [{"agent": "vera", "added": [], "removed": [{"kind": "fears", "text": "Höhe."}]}]
    }


def test_a_reply_may_name_the_list_instead_of_the_kind_and_say_null_for_nothing() -> None:
    assert adding("a", kind="Beliefs").add[0].kind == "belief"


@pytest.mark.parametrize("switch", ["on", "off"])
def test_a_reflection_may_change_a_soul_too(switch: str) -> None:
    scene = Scene(SceneRef(1, 4), SCENE_TYPES["REFLECTION"], "evening", "", ("vera",), "a test", "")
    reply = insights("Es wiederholt sich.").model_copy(update={"soul": adding("Ich baue erst klein.")})
    settings = parse_settings({"soul": switch})[0]
    change = fold_reflection(replace(world(agent(stream=[node()])), settings=settings), scene, Reflected(reply), words)
    assert ("vera" in change.minds) == (switch == "on")
    assert ("souls" in change.line.record) == (switch == "on")


def test_what_is_no_text_in_a_file_is_left_out_and_the_kinds_keep_their_order() -> None:
    soul = SOUL_LAYER.file.parse({"beliefs": ["One.", 7, " "], "dreams": "Two.", "values": None})
    assert soul_words(soul) == {"beliefs": ["One."], "dreams": ["Two."]}


def test_a_reflection_says_nothing_about_the_layers_that_its_form_does_not_have() -> None:
    scene = Scene(SceneRef(1, 4), SCENE_TYPES["REFLECTION"], "evening", "", ("vera",), "a test", "")
    settings = parse_settings({"goals": "on", "soul": "on", "relationships": "on"})[0]
    before = replace(world(agent(stream=[node()])), settings=settings)
    assert fold_reflection(before, scene, Reflected(insights("Es wiederholt sich.")), words).minds == {}


def test_a_card_tells_the_sentences_of_a_kind_together_and_at_all_times() -> None:
    fear = SoulEntry("fears", "Wasser.")
    told = list(SOUL_LAYER.card(Soul((*SOUL.entries, fear)), {}))
    assert told == [CardEntry("beliefs: Mut ist eine Gewohnheit."), CardEntry("fears: Höhe. Wasser.")]


@pytest.mark.parametrize(
    ("written", "kept"), [(["Höhe.", "Tiefe.", 3], ["Tiefe.", 3]), ("Tiefe.", ["Tiefe."]), (None, [])]
)
def test_of_a_file_only_what_is_taken_out_goes_and_what_is_new_stands_at_the_end(
    written: object, kept: list[object]
) -> None:
    change = SoulChange(added=(SoulEntry("fears", "Enge."),), removed=(HEIGHT,))
    (keys,) = SOUL_LAYER.file.write({"beliefs": ["Mut."], "fears": written}, change)
    assert isinstance(keys, Keys)
    assert (list(keys.touched), keys.new) == (["fears"], {"fears": [*kept, "Enge."]})
    assert list(SOUL_LAYER.file.write({"beliefs": ["Mut."]}, SoulChange())) == []
