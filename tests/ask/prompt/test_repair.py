"""The second question says what is wrong with the first reply, in the world's language."""

import json
from pathlib import Path

import pytest

from gm.ask.prompt.context import Assembler
from gm.ask.prompt.render import Prompts
from gm.ask.reply.parse import parse_reply
from gm.files.packaged.shipped import shipped_prompts
from gm.model.reply_faults import SENTENCES, Fault
from gm.model.scene_reply import Opened, PlanningReply, SceneReply

PARTS = {"place": "P", "shown": "'S'", "found": 2, "wanted": 3, "number": 4, "most": 5, "cast": "C", "message": "M"}


def repaired(problems: tuple[str, ...], language: str) -> list[str]:
    prompts = Prompts(Path("none"), shipped_prompts(), language)
    text = Assembler(prompts).repair(problems, "scene")
    return [line.removeprefix("- ") for line in text.splitlines() if line.startswith("- ")]


def test_every_fault_has_its_sentence_in_german_with_the_same_values() -> None:
    faults = tuple(Fault(key, **PARTS, type="list_type", bounds={}) for key in SENTENCES)
    said = repaired(faults, "de")
    assert repaired(faults, "en") == list(faults)
    assert len({*said}) == len(SENTENCES)
    for german, fault in zip(said, faults, strict=True):
        assert german
        assert german != fault
        template = SENTENCES[fault.key]
        named = [name for name in PARTS if f"{{{name}}}" in template and name != "message"]
        assert all(str(PARTS[name]) in german for name in named), german


@pytest.mark.parametrize(
    ("form", "data", "said"),
    [
        (SceneReply, {"mood": 3}, "mood: ein Text wird erwartet (gefunden: 3)"),
        (SceneReply, {"mood": "x", "dialogue": {}}, "dialogue: eine Liste wird erwartet (gefunden: ein Objekt)"),
        (SceneReply, {}, "mood: fehlt"),
        (PlanningReply, {"plan": []}, "plan: ein Objekt wird erwartet (gefunden: eine Liste)"),
        (Opened, {"kind": "promise", "text": " "}, "text: darf nicht leer sein (gefunden: ' ')"),
        (Opened, {"kind": "promise", "text": "x", "due": -1}, "due: mindestens 0 wird erwartet (gefunden: -1)"),
        (Opened, {"kind": "promise", "text": "x", "due": "x"}, "due: eine ganze Zahl wird erwartet (gefunden: 'x')"),
        (
            Opened,
            {"kind": "vow", "text": "x"},
            "kind: erwartet wird 'promise', 'question', 'appointment' oder 'silence' (gefunden: 'vow')",
        ),
    ],
)
def test_a_german_world_is_told_in_german_what_a_key_should_hold(
    form: type[SceneReply], data: dict[str, object], said: str
) -> None:
    problems = parse_reply(json.dumps(data), form).problems
    assert said in repaired(problems, "de")
    assert repaired(problems, "en") == list(problems)


def test_a_sentence_of_an_added_form_stays_as_it_is_and_on_one_line() -> None:
    assert repaired(("a sentence\n# of its own",), "de") == ["a sentence # of its own"]
