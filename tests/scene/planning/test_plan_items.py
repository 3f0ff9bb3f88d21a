"""Items of a plan: what closes them, and what states them again."""

from dataclasses import replace
from typing import Any

import pytest

from gm.model.node import Node
from gm.model.scene_reply import Closed, ItemReport, SceneReply
from gm.model.thread import Thread
from gm.scene.dialogue.turns import Turn
from gm.scene.folding.apply import fold_scene
from gm.scene.planning.plan_items import end_plan, open_items, task_at_hand
from gm.scene.planning.plans import restated_in
from tests.build import agent, artifact, entry, never, node, plan, reply, scene, thread, words, world

WORK = words("plan_work", text="")
TALK = words("plan_talk", name="Emre", about="")
LIBRARY = words("plan_library", about="")


def struck(
    items: list[str],
    *turns: Turn,
    cast: tuple[str, ...] = ("vera", "emre"),
    threads: tuple[Thread, ...] = (),
    library: bool = False,
    **others: Any,
) -> list[str] | None:
    """Return Vera's plan after a scene; None if it stays as it is."""
    one = replace(world(agent("vera", plan=items), agent("emre"), agent("finn")), threads=threads)
    played = scene(*cast, **{"type": "ENCOUNTER", **others})
    played = replace(played, type=replace(played.type, library=library))
    found = fold_scene(one, played, turns, words, taken=never).agents["vera"].get("today_plan")
    assert found is None or isinstance(found, list)
    return found


BOTH = (Turn("vera", reply("Na?")), Turn("emre", reply("Ja.")))


def test_that_two_have_talked_does_not_say_that_they_did_what_they_wanted() -> None:
    items = [f"{TALK}den Lauf im Flur messen"]
    assert struck(items, *BOTH) is None
    assert struck(items, *BOTH, intent=items[0]) is None


@pytest.mark.parametrize(
    ("item", "title", "is_done"),
    [
        ("Hausordnung", "Hausordnung", True),
        ("hausordnung.", "Hausordnung", True),
        ("Hausordnung, die ersten fünf Punkte", "Hausordnung", True),
        ("Hausordnung für den Turm", "Hausordnung", False),
        ("Eine Liste für die Hausordnung", "Hausordnung", False),
        ("Hausordnung", "Hausordnung: Punkte eins bis fünf", False),
        ("Die erste Tafel auf zwanzig Wörter kürzen", "Tafel eins: zwanzig Wörter, gekürzt für die Wand", True),
    ],
)
def test_a_piece_strikes_the_item_that_it_names_or_shares_three_words_with(
    item: str, title: str, is_done: bool
) -> None:
    described = artifact(title, description="Die erste Tafel, kürzer." if "Tafel" in title else "Ein Turm aus Asche.")
    found = struck([f"{WORK}{item}"], Turn("vera", reply(artifact=described)))
    assert found == ([f"DONE: {WORK}{item}"] if is_done else None)


@pytest.mark.parametrize(("item", "is_done"), [("Gipsmodell einer Schwelle", True), ("Schwelle", False)])
def test_of_an_item_of_two_words_a_piece_is_about_both(item: str, is_done: bool) -> None:
    made = artifact("Links abgetreten", description="Gipsmodell einer Schwelle: Rechts blieb sie hoch.")
    found = struck([f"{WORK}{item}"], Turn("vera", reply(artifact=made)))
    assert found == ([f"DONE: {WORK}{item}"] if is_done else None)


NEKROLOG = artifact("Nachruf auf den Fahrstuhl", description="Ein Nachruf in sieben Zeilen, für die Kabine.")


def test_a_piece_strikes_one_item_of_work_the_nearest() -> None:
    items = [
        f"{WORK}Sieben Wörter über die Kabine vom Fahrstuhl",
        f"{WORK}Den Nachruf auf den Fahrstuhl in sieben Zeilen fertig schreiben",
        f"{TALK}der Nachruf auf den Fahrstuhl, sieben Zeilen",
    ]
    assert struck(items, Turn("vera", reply(artifact=NEKROLOG))) == [items[0], f"DONE: {items[1]}", items[2]]
    twice = [Turn("vera", reply(artifact=NEKROLOG)), Turn("vera", reply(artifact=NEKROLOG))]
    assert struck(items, *twice) == [f"DONE: {items[0]}", f"DONE: {items[1]}", items[2]]


def test_another_characters_piece_is_not_ones_own() -> None:
    assert struck([f"{WORK}Turm"], Turn("emre", reply(artifact=artifact("Turm")))) is None


def test_what_one_went_to_the_library_for_has_been_looked_up() -> None:
    items = [f"{WORK}Turm", f"{LIBRARY}Gips"]
    read = Turn("vera", reply())
    assert struck(items, read, cast=("vera",), library=True, intent=items[1]) == [items[0], f"DONE: {items[1]}"]
    assert struck(items, read, cast=("vera",), type="WORK", intent=items[1]) is None
    assert struck(items, read, cast=("emre", "vera"), library=True, intent=items[1]) is None, "somebody else's visit"


CARDS = "Ich werde die Karten auf die Treppe kleben."
ITEM = f"{WORK}Die Karten auf die Treppe kleben"


@pytest.mark.parametrize(
    ("by", "kind", "outcome", "is_done"),
    [
        ("vera", "promise", "kept", True),
        ("vera", "promise", "dropped", False),
        ("vera", "question", "answered", False),
        ("emre", "promise", "kept", False),
    ],
)
def test_a_promise_of_ones_own_that_is_kept_strikes_the_item_about_it(
    by: str, kind: str, outcome: str, *, is_done: bool
) -> None:
    one = thread(1, by, "vera" if by == "emre" else "emre", kind=kind, text=CARDS)
    said = Turn("emre", reply("Ja.", closes=[{"id": "thread-001", "outcome": outcome}]))
    found = struck([f"{WORK}Turm", ITEM], BOTH[0], said, threads=(one,))
    assert found == ([f"{WORK}Turm", f"DONE: {ITEM}"] if is_done else None)


def test_a_promise_kept_strikes_no_talk_with_a_character_who_was_not_there() -> None:
    item = words("plan_talk", name="Finn", about="Die zweite Figur auf der Treppe ausprobieren, wie zugesagt")
    text = "Vera stellt Finn die zweite Figur auf die Treppe."
    one = thread(1, "vera", "finn", kind="promise", text=text)
    said = Turn("vera", reply("Steht.", closes=[{"id": "thread-001", "outcome": "kept"}]))
    assert struck([item], said, threads=(one,)) is None
    assert struck([item], said, Turn("finn", reply("Gut.")), threads=(one,)) == [f"DONE: {item}"]


def test_an_appointment_that_was_held_strikes_the_talk_with_one_of_its_people_about_the_same() -> None:
    about = f"{TALK}der Lauf"
    other = words("plan_talk", name="Finn", about="Probelauf im Flur")
    items = [f"{TALK}Suppe", about, other]
    met = thread(1, "emre", "vera", kind="appointment", text="Wir machen den Probelauf im Flur.", due=1)
    said = Turn("emre", reply("Ja.", closes=[{"id": "thread-001", "outcome": "kept"}]))
    assert struck(items, BOTH[0], said, threads=(met,)) is None, "about something else with Emre"
    three = replace(met, to=("vera", "finn"))
    assert struck(items, BOTH[0], said, threads=(three,)) is None, "Finn was not there"
    finn = Turn("finn", reply("Gut."))
    assert struck(items, BOTH[0], said, finn, threads=(three,)) == [*items[:2], f"DONE: {other}"]
    gone = replace(met, by="ghost", to=("emre", "vera"))
    assert struck(items, BOTH[0], said, threads=(gone,)) is None
    theirs = replace(met, to=("finn",))
    assert struck(items, BOTH[0], said, threads=(theirs,)) is None


@pytest.mark.parametrize(
    ("said", "is_done"),
    [
        (reply("Schönes Wetter."), False),
        (reply("Der Probelauf war gut."), False),
        (reply("Der Probelauf im Flur?", action="Emre misst die Schwelle."), True),
        (reply("Da.", artifact=artifact("Probelauf", description="Die Schwelle, gemessen.")), True),
    ],
    ids=["something else", "one word of it", "said and done", "a piece"],
)
def test_an_appointment_at_which_people_merely_met_strikes_only_what_came_up(
    said: SceneReply, *, is_done: bool
) -> None:
    item = f"{TALK}Probelauf, und die Schwelle"
    met = thread(1, "emre", "vera", kind="appointment", text="Wir reden über den Probelauf.", due=1)
    found = struck([item], BOTH[0], Turn("emre", said), threads=(met,), answers=("thread-001",))
    assert found == ([f"DONE: {item}"] if is_done else None)
    short = f"{TALK}Probelauf"
    one_word = struck([short], BOTH[0], Turn("emre", said), threads=(met,), answers=("thread-001",))
    assert one_word == (None if said.dialogue[0].text == "Schönes Wetter." else [f"DONE: {short}"])
    theirs = replace(met, to=("finn",))
    assert struck([item], BOTH[0], Turn("emre", said), threads=(theirs,), answers=("thread-001",)) is None


def ends(*found: tuple[int, str, str]) -> list[ItemReport]:
    return [ItemReport.model_validate({"item": item, "status": status, "text": why}) for item, status, why in found]


def test_what_a_character_says_of_the_items_of_its_plan_is_marked_and_logged() -> None:
    vera = agent("vera", plan=["Turm", "DONE: Sockel", "Schwelle", "Gips"])
    said = ends((1, "done", ""), (2, "dropped", "war schon fertig"), (3, "moved", "keine Zeit"), (5, "done", ""))
    turns = [
        Turn("vera", reply("Na?", plan_status=said)),
        Turn("emre", reply("Ja.", plan_status=ends((1, "done", "")))),
        Turn("vera", reply("Gut.", plan_status=ends((1, "moved", ""), (4, "dropped", "")))),
    ]
    change = fold_scene(world(vera, agent("emre")), scene("vera", "emre", type="ENCOUNTER"), turns, words, taken=never)
    assert change.agents["vera"]["today_plan"] == ["DONE: Turm", "DONE: Sockel", "MOVED: Schwelle", "DROPPED: Gips"]
    assert "today_plan" not in change.agents["emre"]
    assert change.line.record["plan_status"] == {
        "vera": [
            {"text": "Turm", "status": "done"},
            {"text": "Schwelle", "status": "moved", "why": "keine Zeit"},
            {"text": "Gips", "status": "dropped"},
        ]
    }
    assert change.warnings == ("vera: item 5 of a plan of 4, left out", "emre: item 1 of a plan of 0, left out")


def test_after_a_new_plan_the_numbers_are_those_of_the_new_one() -> None:
    turns = [
        Turn("vera", reply("Na?", plan=plan("Neues", "Anderes"), plan_status=ends((1, "dropped", "")))),
        Turn("vera", reply("So.", plan_status=ends((2, "done", "")))),
    ]
    assert struck(["Altes"], *turns, cast=("vera",)) == [f"{WORK}Neues", f"DONE: {WORK}Anderes"]


def test_a_new_plan_is_taken_as_it_is() -> None:
    found = struck(
        [f"{TALK}der Turm"], Turn("vera", reply("Na?", plan=plan("Neues", talk_to=[("emre", "mehr")]))), BOTH[1]
    )
    assert found == [words("plan_work", text="Neues"), words("plan_talk", name="Emre", about="mehr")]


MADE = node(1, type="plan", metadata={"kind": "plan"})


def ended(items: list[str], *said: tuple[int, str, str], stream: tuple[Node, ...] = (MADE,)) -> list[dict[str, str]]:
    vera = agent("vera", plan=items, stream=list(stream))
    found = end_plan(world(vera), vera, words, ends(*said))
    assert found is not None
    assert [dict(end)["text"] for end in found.ends][: len(items)] == [
        item.removeprefix("DONE: ").removeprefix("MOVED: ").removeprefix("DROPPED: ") for item in found.plan
    ]
    return [dict(end) for end in found.ends]


def test_in_the_evening_each_item_of_the_day_has_come_to_something() -> None:
    said = ((1, "dropped", "war schon fertig"), (3, "done", ""))
    assert ended(["Turm", "DONE: Sockel", "Schwelle", "Gips", "MOVED: Asche"], *said) == [
        {"text": "Turm", "status": "dropped", "why": "war schon fertig"},
        {"text": "Sockel", "status": "done"},
        {"text": "Schwelle", "status": "done"},
        {"text": "Gips", "status": "moved"},
        {"text": "Asche", "status": "moved"},
    ]


def test_what_a_changed_plan_left_out_is_dropped_unless_it_was_done() -> None:
    changed = node(2, type="plan", metadata={"kind": "replan", "instead": ["DONE: Brot", "Suppe"]})
    assert ended(["Turm"], stream=(MADE, changed)) == [
        {"text": "Turm", "status": "moved"},
        {"text": "Brot", "status": "done"},
        {"text": "Suppe", "status": "dropped"},
    ]


def test_a_number_that_the_plan_has_not_is_said_and_a_plan_of_another_day_is_left_alone() -> None:
    vera = agent("vera", plan=["Turm", "DONE: Sockel"], stream=[MADE])
    one = world(vera)
    found = end_plan(one, vera, words, ends((3, "done", "")))
    assert found is not None
    assert (found.plan, found.warnings) == (
        ("MOVED: Turm", "DONE: Sockel"),
        ("vera: item 3 of a plan of 2, left out",),
    )
    assert open_items(one, vera) == ("Turm",)
    later = world(vera, day=2)
    assert end_plan(later, vera, words) is None
    said = end_plan(later, vera, words, ends((1, "done", "")))
    assert said is not None
    assert (said.plan, said.ends) == (("DONE: Turm", "DONE: Sockel"), ({"text": "Turm", "status": "done"},))
    assert open_items(world(vera, day=2), vera) == ()


def test_what_a_changed_plan_says_in_other_words_is_not_dropped() -> None:
    before = "Die Karten mit den neun Fragen auf die Treppe kleben"
    changed = node(2, type="plan", metadata={"kind": "replan", "instead": [before, "Karten"]})
    now = "Neun Fragen auf Karten schreiben und sie an die Treppe kleben"
    found = {end["text"]: end["status"] for end in ended([now], stream=(MADE, changed))}
    assert found[before] == "moved", "as what it says now"
    assert found["Karten"] == "dropped"
    assert restated_in((), before) == ""


def test_a_piece_about_something_near_ends_no_item_whose_first_words_speak_of_another_thing() -> None:
    near = f"{WORK}Den Rückweg als Längsschnitt zeichnen: mit den vierzig Sekunden der Stillen Meile vom Hinweg"
    same = f"{WORK}Stille Meile vom Hinweg, alle vierzig Sekunden"
    made = artifact("Der Weg hin", description="Die vierzig Sekunden der Stillen Meile vom Hinweg.")
    turn = Turn("vera", reply(artifact=made))
    assert struck([near], turn, cast=("vera",)) is None
    assert struck([near, same], turn, cast=("vera",)) == [near, f"DONE: {same}"]


def test_a_kept_promise_ends_no_talk_with_another_character() -> None:
    finn = words("plan_talk", name="Finn", about="")
    about = "wer im Knochenturm seine Schuhe wohin gestellt hat"
    owed = thread(1, "vera", "emre", text="Vera sagt Emre, wie viele Schuhe im Knochenturm gestellt sind.")
    kept = [Closed(id="thread-001", outcome="kept")]
    turns = (Turn("vera", reply("Sechs.", closes=kept)), Turn("emre", reply("Gut.")))
    assert struck([f"{finn}{about}"], *turns, threads=(owed,)) is None
    assert struck([f"{TALK}{about}"], *turns, threads=(owed,)) == [f"DONE: {TALK}{about}"]


def test_what_was_moved_may_still_be_done_and_what_was_done_stays_so() -> None:
    items = ["Turm", "Gips"]
    said = [((1, "moved", ""), (2, "done", "")), ((1, "done", ""), (2, "dropped", ""))]
    turns = [Turn("vera", reply("Gut.", plan_status=ends(*one))) for one in said]
    assert struck(items, *turns, cast=("vera",)) == ["DONE: Turm", "DONE: Gips"]
    assert ended(["MOVED: Turm", "Gips"], (1, "dropped", "")) == [
        {"text": "Turm", "status": "dropped"},
        {"text": "Gips", "status": "moved"},
    ]


def test_what_is_done_in_the_reply_that_makes_a_new_plan_is_done_there_too() -> None:
    rule = "Glutregel auf einer halben Seite: zwölf Streichhölzer"
    new = plan(f"{rule}, die Licht und Geld sind", "Zehn Runden Papiertest mit Strichliste")
    made = Turn("vera", reply("So.", plan=new, plan_status=ends((1, "done", ""))))
    assert struck([f"{WORK}{rule}"], made, cast=("vera",)) == [
        f"DONE: {WORK}{rule}, die Licht und Geld sind",
        f"{WORK}Zehn Runden Papiertest mit Strichliste",
    ]


def test_an_item_need_not_say_all_of_a_task() -> None:
    one = agent("vera", plan=["DONE: Arbeiten an: die Schwelle des Turms, blank poliert"], task="Schwelle blank reiben")
    assert task_at_hand(one) == ""
    assert task_at_hand(agent("vera", plan=["DONE: Arbeiten an: die Schwelle"], task="Schwelle blank reiben"))


@pytest.mark.parametrize(
    ("item", "is_over"),
    [
        ("DONE: Arbeiten an: Skizze für den Eingang, zwei Blätter", True),
        ("MOVED: Arbeiten an: Skizze für den Eingang, zwei Blätter", False),
        ("Arbeiten an: Skizze für den Eingang, zwei Blätter", False),
        ("DONE: Arbeiten an: Hausordnung des Turms", False),
        ("DONE: Arbeiten an: Skizze für den Keller", False),
    ],
)
def test_a_task_is_over_once_an_item_that_names_it_is_done(item: str, is_over: bool) -> None:
    one = agent("vera", plan=(item, "Mit Emre sprechen"))
    one = replace(one, state=replace(one.state, current_task="Skizze für den Eingang"))
    assert task_at_hand(one) == ("" if is_over else "Skizze für den Eingang")
    still_open = (item, "Arbeiten an: Skizze für den Eingang, kolorieren")
    assert task_at_hand(one, still_open) == "Skizze für den Eingang"


@pytest.mark.parametrize(
    ("said", "there", "status"),
    [
        ("Deine vierzig Sekunden müssen wir messen.", ("vera", "emre"), "done"),
        ("Deine vierzig Sekunden müssen wir messen.", ("vera", "finn"), "moved"),
        ("Deine vierzig Sekunden müssen wir messen.", ("vera", "emre", "finn", "nami"), "moved"),
        ("Der Kaffee ist kalt.", ("vera", "emre"), "moved"),
    ],
)
def test_a_talk_of_few_that_was_about_its_matter_was_not_put_off(
    said: str, there: tuple[str, ...], status: str
) -> None:
    vera = agent("vera", plan=[f"{TALK}vierzig Sekunden im Flur messen", "Turm"], stream=[MADE])
    held = entry(1, "ENCOUNTER", *there, turns=[{"agent": "vera", "lines": [{"text": said}]}])
    one = replace(world(vera, agent("emre"), agent("finn"), agent("nami")), log=(held,))
    found = end_plan(one, vera, words)
    assert found is not None
    assert [end["status"] for end in found.ends] == [status, "moved"]
