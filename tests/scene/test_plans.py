import pytest

from gm.scene.apply import fold_scene
from gm.scene.turns import Turn
from tests.build import agent, artifact, never, plan, reply, scene, words, world

WORK = words("plan_work", text="")
TALK = words("plan_talk", name="Emre", about="")


def struck(
    items: list[str], *turns: Turn, cast: tuple[str, ...] = ("vera", "emre"), intent: str = ""
) -> list[str] | None:
    one = world(agent("vera", plan=items), agent("emre"), agent("finn"))
    played = scene(*cast, type="ENCOUNTER", intent=intent)
    values = fold_scene(one, played, turns, words, taken=never).agents["vera"]
    found = values.get("today_plan")
    assert found is None or isinstance(found, list)
    return found


BOTH = (Turn("vera", reply("Na?")), Turn("emre", reply("Ja.")))


def test_a_talk_with_the_person_named_is_struck_off() -> None:
    assert struck([f"{TALK}der Turm", f"{WORK}Turm"], *BOTH) == [f"DONE: {TALK}der Turm", f"{WORK}Turm"]


def test_of_two_talks_with_one_person_the_one_that_the_scene_was_for_is_struck_off() -> None:
    items = [f"{TALK}eins", f"{TALK}zwei"]
    assert struck(items, *BOTH) == [f"DONE: {items[0]}", items[1]]
    assert struck(items, *BOTH, intent=items[1]) == [items[0], f"DONE: {items[1]}"]


def test_a_talk_among_three_one_without_an_answer_and_one_with_somebody_else_leave_the_plan() -> None:
    items = [f"{TALK}der Turm"]
    assert struck(items, *BOTH, Turn("finn", reply("Hm.")), cast=("vera", "emre", "finn")) is None
    assert struck(items, BOTH[0], Turn("emre", reply())) is None
    assert struck(items, BOTH[0], Turn("finn", reply("Ja.")), cast=("vera", "finn")) is None
    assert struck([f"DONE: {TALK}der Turm"], *BOTH) is None


@pytest.mark.parametrize(
    ("item", "title", "is_done"),
    [
        ("Hausordnung", "Hausordnung", True),
        ("hausordnung.", "Hausordnung", True),
        ("Hausordnung, die ersten fünf Punkte", "Hausordnung", True),
        ("Hausordnung für den Turm", "Hausordnung", False),
        ("Eine Liste für die Hausordnung", "Hausordnung", False),
        ("Hausordnung", "Hausordnung: Punkte eins bis fünf", False),
    ],
)
def test_a_piece_that_an_item_names_is_struck_off_and_nothing_is_guessed(item: str, title: str, is_done: bool) -> None:
    turn = Turn("vera", reply(artifact=artifact(title)))
    found = struck([f"{WORK}{item}"], turn)
    assert found == ([f"DONE: {WORK}{item}"] if is_done else None)


def test_somebody_elses_piece_is_not_ones_own() -> None:
    assert struck([f"{WORK}Turm"], Turn("emre", reply(artifact=artifact("Turm")))) is None


def test_a_new_plan_is_taken_as_it_is() -> None:
    found = struck(
        [f"{TALK}der Turm"], Turn("vera", reply("Na?", plan=plan("Neues", talk_to=[("emre", "mehr")]))), BOTH[1]
    )
    assert found == [words("plan_work", text="Neues"), words("plan_talk", name="Emre", about="mehr")]
