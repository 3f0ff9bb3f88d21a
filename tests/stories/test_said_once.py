"""A letter says a plan, a brief, a promise and a place once, where it matters most; elsewhere it names their ids."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.repeats import MEDIAN_AIM, NINTH_TENTH_AIM, Days, middle, places, rehearse, repeated, replay, share
from gm.api.playing.context import render_request
from gm.ask.prompt.context import Assembler
from gm.ask.prompt.render import Prompts
from gm.ask.prompt.turn_context import TurnContext
from gm.base.config import PersonaSettings, Settings
from gm.files.packaged.shipped import shipped_prompts
from gm.files.questions.traces import NoTraces
from gm.model.node import Node
from gm.model.scene import Reason, Scene
from gm.model.scene_reply import Closed, SceneReply
from gm.model.world import World
from gm.play.stage import Stage
from gm.scene.candidates.threads import propose
from tests.build import agent, node, post, reply, scene, thread, world

PLAN = "Drei blaue Elefanten tragen heute neun Koffer über die alte Brücke"
EARLIER = "Sieben gelbe Esel ziehen morgen vier Karren durch das enge Tor"
BRIEF = "Fünf rote Kamele singen abends zwei Lieder unter dem hohen Dach"
PROMISE = "Acht graue Gänse bringen Emre heimlich sechs Briefe aus dem fernen Tal"
PLACE = "Zwei grüne Pfauen schlafen nachts neben elf Spiegeln in dieser Kammer"

PROMPTS = {language: Prompts(Path("no-prompts-here"), shipped_prompts(), language) for language in ("de", "en")}
MADE = node(2, type="plan", created="day-002/scene-01", description=f"Mein Plan: {PLAN}", metadata={"kind": "plan"})
HEARD = node(
    1,
    description=f"Am Brett habe ich gelesen, was Creative Director schreibt: »{BRIEF}«",
    metadata={"post": "bulletin/0"},
)
OWED = "vera-003"


def days_of(days: Days) -> list[str]:
    return [text for texts in days.values() for text in texts]


def made(*stream: Node, plan: str = PLAN, language: str = "de", mode: str = "inject") -> World:
    vera = agent("vera", plan=[plan], stream=stream, home="modellraum")
    settings = Settings(language=language, places={"modellraum": PLACE}, persona=PersonaSettings(mode=mode))
    one = world(vera, agent("emre"), agent("finn"), day=2, posts=[post(BRIEF, day=1)], settings=settings)
    owed = thread(3, "vera", "emre", text=PROMISE, due=2)
    return replace(one, threads=(owed,), scene_types=PROMPTS[language].scene_types())


def letter(one: World, played: Scene, moment: TurnContext | None = None) -> str:
    prompts = PROMPTS[one.settings.language]
    stage = Stage(Assembler(prompts), lambda _scene: NoTraces(), 1)
    kind = one.scene_types[played.type.name]
    request = stage.question(one, replace(played, type=kind), "vera", moment or TurnContext()).request
    return render_request(request)


def visit(one: World, *answers: str, premise: str = PROMISE, intent: str = "", kind: str = "ENCOUNTER") -> Scene:
    key, values = next(propose(one, "noon")).premises["vera"]
    own = {"vera": PROMPTS[one.settings.language].words(key, **{**values, "text": premise})}
    return scene(
        "vera",
        "emre",
        type=kind,
        at="day-002/scene-02",
        place="modellraum",
        intent=intent,
        answers=answers,
        premises=own if answers else {},
    )


def after(text: str, heading: str) -> str:
    return text.partition(heading)[2]


@pytest.mark.parametrize("language", ["de", "en"])
def test_each_stands_once_and_everything_else_names_its_id(language: str) -> None:
    one = made(HEARD, MADE, language=language)
    text = letter(one, visit(one, "thread-003", intent=PLAN))
    assert [text.count(said) for said in (PLAN, BRIEF, PROMISE, PLACE)] == [1, 1, 1, 1]
    scene_heading, open_heading, board, point = {
        "de": ("# Szene", "## Was offen ist", "## Am Schwarzen Brett", "Punkt 1 auf deinem Plan"),
        "en": ("# Scene", "## What is open", "## On the notice board", "number 1 on your plan"),
    }[language]
    asked = after(text, scene_heading)
    assert PROMISE in asked
    assert "`thread-003`" in asked, "so that it can be closed"
    assert "- `thread-003`" in after(text, open_heading), "with its day, among what is open"
    assert "`vera-001`" in after(text, board).splitlines()[2]
    assert f"1. {PLAN}" in text
    assert "(`vera-002`):" in text, "so that the plan can be evidence"
    assert point in asked
    assert repeated(text)[0] == 0


def test_without_the_memory_the_brief_hangs_there_whole() -> None:
    one = made(MADE)
    assert BRIEF in after(letter(one, visit(one)), "## Am Schwarzen Brett")


def test_a_memory_that_tells_only_a_part_does_not_stand_for_the_whole() -> None:
    one = made(
        replace(HEARD, description="Am Brett habe ich gelesen, was Creative Director schreibt: »Fünf rote Kamele …«")
    )
    assert BRIEF in after(letter(one, visit(one)), "## Am Schwarzen Brett")


def test_a_piece_on_the_board_that_is_remembered_is_named_by_its_memory() -> None:
    path = "gallery/design/day-001_kahn_v1.md"
    hung = replace(made(MADE), posts=(replace(post(f"Der Kahn: {BRIEF}", author="emre"), artifact=path),))
    about = {"artifact_path": path, "title": "Der Kahn"}
    maker = node(1, agent="emre", type="artifact", description=BRIEF, metadata=about)
    hung = replace(hung, agents={**hung.agents, "emre": agent("emre", stream=[maker])})
    assert f"Der Kahn: {BRIEF}" in after(letter(hung, visit(hung)), "## Am Schwarzen Brett")
    read = node(1, description=f"»Der Kahn« von Emre hängt am Brett, ich habe es gelesen: {BRIEF}", metadata=about)
    known = replace(hung, agents={**hung.agents, "vera": replace(hung.agents["vera"], stream=(read, MADE))})
    text = letter(known, visit(known))
    assert text.count(BRIEF) == 1
    assert "Emre (Tag 1): »Der Kahn«; was es ist, steht in deinen Erinnerungen (`vera-001`)" in after(
        text, "## Am Schwarzen Brett"
    )


def test_a_meeting_about_a_brief_names_the_memory_or_says_it_whole() -> None:
    for stream, whole in (((HEARD,), 1), ((), 1)):
        one = made(*stream)
        about = scene("emre", "vera", "finn", type="MEETING", topic=BRIEF, answers=("bulletin/0",))
        text = letter(one, about)
        assert text.count(BRIEF) == whole
        assert ("Worum es geht, steht in deinen Erinnerungen (`vera-001`)." in text) == bool(stream)


def test_a_question_about_the_plan_names_the_memory_of_the_brief_that_asks_for_it() -> None:
    one = made(HEARD, MADE)
    because = Reason("brief", 1.0, "replan_brief", {"author": "Creative Director", "text": BRIEF})
    text = letter(one, visit(one), TurnContext(replan=(because,)))
    assert text.count(BRIEF) == 1
    assert "`vera-001`" in after(text, "## Gilt dein Plan noch?")


def test_in_another_scene_the_promise_stands_among_what_is_open() -> None:
    one = made(MADE)
    text = letter(one, visit(one))
    assert PROMISE in after(text, "## Was offen ist").partition("# Szene")[0]
    assert text.count(PROMISE) == 1


def test_a_promise_that_the_scene_tells_in_other_words_stays_whole_where_it_is_open() -> None:
    one = made(MADE)
    assert PROMISE in letter(one, visit(one, "thread-003", premise="Acht graue Gänse …"))


def test_work_for_a_promise_points_at_what_is_open() -> None:
    one = made(MADE)
    text = letter(one, visit(one, intent=PROMISE, kind="WORK"))
    assert text.count(PROMISE) == 1
    assert "was unter `thread-003` offen ist" in text


def test_a_promise_that_was_kept_a_moment_ago_is_not_called_open() -> None:
    one = made(MADE)
    kept = SceneReply(mood="froh", closes=[Closed(id="thread-003", outcome="kept", text="Da.")])
    text = letter(one, visit(one, "thread-003"), TurnContext(own=(kept,), turn=2))
    assert "`thread-003`" not in text
    assert PROMISE in text, "what the scene began with"


def test_a_plan_that_was_changed_shows_what_it_lost_and_neither_memory() -> None:
    lost = {"kind": "replan", "instead": [f"DONE: {EARLIER}"]}
    new = replace(MADE, id="vera-004", description=f"Ich ändere: {PLAN}", metadata=lost)
    old = replace(MADE, description=f"Mein Plan: {EARLIER}")
    one = made(old, new)
    text = letter(one, visit(one, intent=EARLIER))
    assert (text.count(PLAN), text.count(EARLIER)) == (1, 1)
    assert f"Du hast etwas vor: »{EARLIER}«" in text
    assert "Bevor du ihn geändert hast" not in text
    assert f"- {EARLIER} (erledigt)" in letter(one, visit(one))


def test_a_plan_that_was_changed_a_moment_ago_shows_both_lists() -> None:
    one = made(MADE)
    text = letter(one, visit(one), TurnContext(plan=(EARLIER,), own=(reply(),), turn=2))
    assert (text.count(PLAN), text.count(EARLIER)) == (1, 1)


def test_an_evening_alone_has_the_list_that_the_memories_leave_out() -> None:
    one = made(HEARD, MADE)
    evening = replace(scene("vera", type="REFLECTION", at="day-002/scene-09"), time_of_day="evening")
    text = letter(one, evening, TurnContext(material=(HEARD, MADE)))
    assert text.count(PLAN) == 1
    assert "(`vera-002`):" in text


def test_in_the_morning_the_last_plan_stands_in_the_memories_with_what_is_done() -> None:
    yesterday = replace(MADE, created="day-001/scene-01", description=f"Mein Plan: {PLAN} – {EARLIER}")
    one = made(yesterday)
    vera = one.agents["vera"]
    done = replace(vera, state=replace(vera.state, today_plan=(PLAN, f"DONE: {EARLIER}")))
    one = replace(one, agents={**one.agents, "vera": done})
    text = letter(one, scene("vera", "emre", type="ARRIVAL", at="day-002/scene-01", place=""))
    assert (text.count(PLAN), text.count(EARLIER)) == (1, 1)
    assert "steht in deinen Erinnerungen (`vera-002`). Davon: »Sieben gelbe Esel" in text
    assert "…« (erledigt); der Rest ist offen." in text


def left(day: int) -> Node:
    about = {"kind": "plan-left"}
    return node(4, created=f"day-00{day}/scene-05", description="Liegen geblieben ist: »Drei blaue …«", metadata=about)


def test_in_the_morning_after_a_day_that_left_something_undone_the_list_says_what_came_of_the_plan() -> None:
    yesterday = replace(MADE, created="day-001/scene-01", description=f"Mein Plan: {PLAN} – {EARLIER}")
    one = made(yesterday, left(1))
    vera = one.agents["vera"]
    ended = replace(vera, state=replace(vera.state, today_plan=(f"MOVED: {PLAN}", f"DONE: {EARLIER}")))
    one = replace(one, agents={**one.agents, "vera": ended})
    text = letter(one, scene("vera", "emre", type="ARRIVAL", at="day-002/scene-01", place=""))
    assert (text.count(PLAN), text.count(EARLIER)) == (1, 1)
    assert f"(`vera-002`):\n1. {PLAN} (verschoben)\n2. {EARLIER} (erledigt)\n" in text
    assert "- `vera-004` Tag 1" in text


def test_in_the_evening_the_list_says_what_was_left() -> None:
    one = made(HEARD, MADE, left(2))
    text = letter(one, scene("vera", type="REFLECTION", at="day-002/scene-09"), TurnContext(material=(HEARD, MADE)))
    assert text.count(PLAN) == 1
    assert f"1. {PLAN}" in text
    assert "`vera-004` Tag" not in text


@pytest.mark.parametrize(
    "stream",
    [(replace(MADE, metadata={}),), (replace(MADE, created="day-001/scene-01", description="Mein Plan: anderes"),)],
    ids=["of an older version", "changed by hand"],
)
def test_a_list_that_no_memory_is_known_to_hold_is_shown_beside_the_memory(stream: tuple[Node, ...]) -> None:
    one = made(*stream)
    text = letter(one, visit(one))
    assert f"1. {PLAN}" in text
    assert "`vera-002` Tag" in text


def test_who_has_to_ask_for_memories_is_told_all_in_the_question() -> None:
    one = made(HEARD, MADE, mode="discover")
    asking = Assembler(PROMPTS["de"]).question(one, one.agents["vera"], visit(one, intent=PLAN), TurnContext())
    assert all(said in asking for said in (PLAN, BRIEF, PROMISE, PLACE))
    assert "in deinen Erinnerungen" not in asking


@pytest.mark.soak
def test_letters_of_rehearsed_days_hardly_repeat_themselves(tmp_path: Path) -> None:
    # three days of each of three seeds: in one rehearsal a few long evenings decide about the longest tenth
    letters = [text for seed in (1, 2, 3) for text in days_of(rehearse(tmp_path / str(seed), seed))]
    median, most = middle(map(share, letters))
    assert len(letters) > 180
    assert median <= MEDIAN_AIM
    assert most <= NINTH_TENTH_AIM


@pytest.mark.soak
def test_letters_to_models_on_the_recorded_days_hardly_repeat_themselves(tmp_path: Path) -> None:
    letters = days_of(replay(tmp_path / "recorded"))
    median, most = middle(map(share, letters))
    assert len(letters) > 150
    assert median <= MEDIAN_AIM
    assert most <= NINTH_TENTH_AIM


def test_a_sequence_of_eight_words_counts_despite_marks_between_them() -> None:
    eight = "eins zwei drei vier fünf sechs sieben acht"
    assert repeated(f"# A\n{eight}\n\n## B\nEins, zwei; »drei« vier fünf\nsechs sieben ACHT") == (8, 18)
    assert repeated(f"eins zwei drei vier fünf sechs sieben neun {eight}") == (0, 16)
    assert places(f"# A\n{eight}\n# B\n{eight}") == {("A", "B"): 8}
    assert share("") == 0
