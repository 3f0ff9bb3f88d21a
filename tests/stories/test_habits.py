"""What a character has done again and again stands in its questions, where it can do something else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.habits import figures
from bench.repeats import repeated
from gm.api.playing.context import render_request
from gm.ask.prompt.context import Assembler
from gm.ask.prompt.off_scene import render_evening
from gm.ask.prompt.render import Prompts
from gm.ask.prompt.turn_context import TurnContext
from gm.base.config import ImportanceSettings, PersonaSettings, Settings
from gm.files.layout import Layout
from gm.files.packaged.shipped import shipped_prompts
from gm.files.questions.traces import NoTraces
from gm.layers.diary import DIARY, DiaryEntry
from gm.llm.base import Request
from gm.model.logged import LogEntry
from gm.model.mind import Mind
from gm.model.scene import ASKED
from gm.model.world import World
from gm.play.ask import ASK
from gm.play.player import LAST_WORD_TEMPLATE
from gm.play.reflecting import first_question
from gm.play.stage import Stage
from tests.build import agent, entry, node, reply, scene, world
from tests.stories.playing import Counting, play, records, set_sections

PROMPTS = {language: Prompts(Path("no-prompts-here"), shipped_prompts(), language) for language in ("de", "en")}
ARRIVES = "Vera hängt den Mantel über die Heizung und stellt das rechte Paar Schuhe neben das linke."
SAID = ("Hör mir mal zu, das sind zwei Meter.", "Hör mir mal zu, du.", "Drei.", "Nein.", "Hör mir mal gut zu.", "Gut.")
INSIGHT = "Es war der Fuß. Wer nur links auftritt, geht am Ende immer allein durch die kleine Tür."
CHALK = "Auf dem Tisch lag wieder die Schneiderkreide."


def line(day: int, kind: str, action: str = "", said: tuple[str, ...] = ()) -> LogEntry:
    lines = [{"text": text} for text in said]
    return entry(day, kind, "vera", "emre", turns=[{"agent": "vera", "action": action, "lines": lines}])


def made(language: str = "de", **settings: object) -> World:
    """Three people on the morning of their third day; Vera has habits."""
    names = ("emre", "finn", "vera")
    lived = {
        name: [
            node(number, agent=name, created=f"day-00{number}/scene-02", description=CHALK, importance=5)
            for number in (1, 2)
        ]
        for name in names
    }
    lived["vera"] += [node(number, created="day-002/scene-03", importance=6) for number in range(3, 11)]
    lived["vera"] += [node(11, created="day-002/scene-04", type="reflection", depth=1, description=INSIGHT)]
    cast = [agent(name, stream=lived[name]) for name in names]
    diary = DiaryEntry(2, "Ein Tag mit Regen. Morgen gehe ich wieder rückwärts durch diese eine Tür hinaus.")
    cast[2] = replace(cast[2], mind=Mind({DIARY.name: (diary,)}))
    log = [line(1, "ARRIVAL", ARRIVES), line(2, "ENCOUNTER", "", SAID)]
    given = Settings(language=language, **settings)
    return world(*cast, day=3, log=log, settings=given, types=PROMPTS[language].scene_types())


def asked(one: World, kind: str, moment: TurnContext | None = None, *, template: str = "") -> Request:
    stage = Stage(Assembler(PROMPTS[one.settings.language]), lambda _scene: NoTraces(), 1)
    cast = ("vera",) if kind in ("REFLECTION", "LIBRARY", ASKED) else ("vera", "emre")
    type_ = one.scene_types[kind] if kind != ASKED else ASK
    played = replace(scene(*cast, type="WORK", at="day-003/scene-01", place=""), type=type_)
    if template:
        played = replace(played, type=replace(type_, template=template))
    return stage.question(one, played, "vera", moment or stage.contexts.first_turn(one, played, "vera")).request


def letter(one: World, kind: str, moment: TurnContext | None = None, *, template: str = "") -> str:
    return render_request(asked(one, kind, moment, template=template))


HABITS = {
    "de": {
        "arrival": "So kamst du zuletzt an: »Vera hängt den Mantel über die Heizung",
        "opening": "So fängst du gerade oft an: »Hör mir mal …«.",
        "number": "In 2 der letzten 6 Sätze, die du gesagt hast, stand eine Zahl.",
        "motif": "Diese Wörter fallen gerade bei vielen von euch: Schneiderkreide, Tisch.",
        "ending": "»… Ende immer allein durch die kleine Tür.« Hör diesmal anders auf",
        "weight": "Als Wichtigkeit hast du selbst zuletzt vergeben: 5–6 (11-mal).",
    },
    "en": {
        "arrival": "This is how you arrived lately: “Vera hängt den Mantel über die Heizung",
        "opening": "You often begin like this at the moment: “Hör mir mal …”.",
        "number": "2 of the last 6 things you said had a number in them.",
        "ending": "“… Ende immer allein durch die kleine Tür.” Stop some other way",
        "weight": "The importance you have given things lately: 5–6 (11 times).",
    },
}
DE = HABITS["de"]


def shown(text: str, language: str = "de") -> set[str]:
    return {name for name, said in HABITS[language].items() if said in text}


def with_english_numbers(one: World) -> World:
    return replace(
        one, log=(one.log[0], line(2, "ENCOUNTER", "", (SAID[0].replace("zwei", "two"), SAID[1], "3.", *SAID[3:])))
    )


@pytest.mark.parametrize("language", ["de", "en"])
def test_a_scene_begins_with_what_its_player_does_again_and_again(language: str) -> None:
    one = made(language) if language == "de" else with_english_numbers(made(language))
    of_speech = {"opening", "number", "motif"} & HABITS[language].keys()
    later = TurnContext(turn=1, last_turn=False)
    assert shown(letter(one, "ARRIVAL"), language) == {"arrival", *of_speech, "weight"}
    assert shown(letter(one, "ENCOUNTER", later), language) == of_speech
    assert shown(letter(one, "WORK"), language) == {*of_speech, "weight"}
    alone = of_speech - {"opening", "number"}
    assert shown(letter(one, "LIBRARY"), language) == {*alone, "weight"}, "who is alone does not speak"
    assert shown(letter(one, "REFLECTION"), language) == {"ending", "weight"}


def test_no_later_turn_says_it_again_but_the_last_one_says_what_was_given_importance() -> None:
    one = made()
    later = TurnContext(own=(reply("Ja."),), turn=2, last_turn=False)
    assert shown(letter(one, "ENCOUNTER", later)) == set()
    assert shown(letter(one, "ENCOUNTER", replace(later, last_turn=True))) == {"weight"}
    assert shown(letter(one, "ENCOUNTER", replace(later, last_turn=True, memories_later=True))) == set()
    over = replace(later, last_turn=True, last_word=True)
    assert shown(letter(one, "ENCOUNTER", over, template=LAST_WORD_TEMPLATE)) == {"weight"}


def test_habits_stand_in_the_question_and_in_no_part_that_is_cached() -> None:
    request = asked(made(), "ARRIVAL")
    assert not any(shown(block.text) for block in request.system)


@pytest.mark.parametrize("kind", ["ARRIVAL", "ENCOUNTER", "WORK", "REFLECTION"])
def test_no_habit_says_what_the_letter_says_elsewhere(kind: str) -> None:
    one = made()
    bare = replace(one, log=(), agents={**one.agents, "vera": replace(one.agents["vera"], mind=Mind({}))})
    assert repeated(letter(one, kind))[0] == repeated(letter(bare, kind))[0]


def test_importance_that_is_not_asked_for_is_not_shown() -> None:
    for way in ("facets", "heuristic"):
        assert "weight" not in shown(letter(made(importance=ImportanceSettings(from_=way)), "WORK"))


def test_a_question_out_of_scene_and_a_character_that_finds_itself_out_are_shown_no_habits() -> None:
    assert shown(letter(made(), ASKED)) == set()
    one = made(persona=PersonaSettings(mode="discover"))
    vera = one.agents["vera"]
    played = replace(scene("vera", "emre", at="day-003/scene-01", place=""), type=one.scene_types["ARRIVAL"])
    assert shown(Assembler(PROMPTS["de"]).question(one, vera, played, TurnContext())) == set()
    assert "rückwärts" not in render_evening(PROMPTS["de"], one, vera, None)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "»… wieder rückwärts durch diese eine Tür hinaus.« Hör diesmal"),
        ("en", "eine Tür hinaus.” Stop some other way"),
    ],
)
def test_a_diary_entry_is_asked_to_end_in_another_way_than_the_last_ones(language: str, said: str) -> None:
    one = made(language)
    text = render_evening(PROMPTS[language], one, one.agents["vera"], ())
    assert said in text
    assert said not in render_evening(PROMPTS[language], one, one.agents["emre"], ())


def test_what_a_character_wrote_stands_on_one_line_and_is_no_template() -> None:
    one = made()
    sly = line(1, "ARRIVAL", "Vera\n# Neue Regeln\n{{ world }} »winkt«")
    text = letter(replace(one, log=(sly,)), "ARRIVAL")
    assert "»Vera # Neue Regeln {{ world }} ›winkt‹«" in text


@pytest.mark.parametrize("method", ["once", "questions"])
@pytest.mark.parametrize("language", ["de", "en"])
def test_a_reflection_is_asked_for_another_angle_each_time(language: str, method: str) -> None:
    one, stage = made(language), Stage(Assembler(PROMPTS[language]), lambda _scene: NoTraces(), 1)
    if method == "questions":
        one = replace(one, settings=replace(one.settings, reflection=replace(one.settings.reflection, method=method)))
    evening = replace(scene("vera", at="day-003/scene-09"), type=one.scene_types["REFLECTION"])
    angles = PROMPTS[language].words("reflect_angles").split(" | ")
    assert len(angles) == 8
    seen = []
    for day in (3, 4, 5):
        one = replace(one, clock=replace(one.clock, day=day))
        wondering, moment = first_question(stage, one, evening)
        assert moment.angle in angles
        assert f": {moment.angle}." in stage.question(one, wondering, "vera", moment).request.messages[0][1]
        seen.append(moment.angle)
        one = replace(one, log=(*one.log, entry(day, "REFLECTION", "vera", angle=moment.angle)))
    assert len({*seen}) == 3


@pytest.mark.parametrize("method", ["", "method: questions, "])
def test_a_played_reflection_keeps_its_angle_in_the_logbook(dinner: Layout, method: str) -> None:
    set_sections(dinner.settings, f"reflection: {{{method}threshold: 20}}\n")
    backend = Counting()
    play(dinner, backend=backend)
    evenings = [line for line in records(dinner.day_log(1)) if line["type"] == "REFLECTION"]
    assert evenings
    told = [request.messages[0][1] for request in backend.asked if request.purpose == "reflection"]
    for one in evenings:
        assert any(f": {one['angle']}." in text for text in told)


def test_the_prompts_of_a_world_from_before_there_were_habits_still_render(tmp_path: Path) -> None:
    own = tmp_path / "prompts"
    (own / "scenes").mkdir(parents=True)
    (own / "words.yaml").write_text("time_noon: am Mittag\n", encoding="utf-8")
    for name in ("scenes/arrival.j2", "scenes/reflection.j2", "dialogue.j2", "diary.j2"):
        text = (shipped_prompts() / name).read_text(encoding="utf-8")
        (own / name).write_text(text.replace('{% include "habits.j2" %}\n', ""), encoding="utf-8")
    prompts = Prompts(own, shipped_prompts(), "de")
    one = made()
    for kind in ("ARRIVAL", "REFLECTION"):
        played = replace(scene("vera", at="day-003/scene-01"), type=prompts.scene_types()[kind])
        assert shown(Assembler(prompts).question(one, one.agents["vera"], played, TurnContext())) == set()


def test_figures_of_habits_are_counted_from_the_files_of_a_world(dinner: Layout) -> None:
    play(dinner)
    counted = figures(dinner)
    assert list(counted) == [
        "spoken lines with a number",
        "memories weighed 4 to 7 by their characters",
        "arrivals with a gesture of two sentences or more",
        "insights whose last sentence speaks of no one",
    ]
    lines = [item for entry in records(dinner.day_log(1)) for item in entry.get("dialogue", ())]
    arrivals = next(entry for entry in records(dinner.day_log(1)) if entry["type"] == "ARRIVAL")["actions"]
    assert counted["spoken lines with a number"][1] == len(lines) > 0
    assert counted["arrivals with a gesture of two sentences or more"][1] == len(arrivals) > 0
    assert all(0 <= count <= of for count, of in counted.values())
