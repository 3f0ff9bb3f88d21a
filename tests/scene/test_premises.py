from dataclasses import replace

from gm.model.scene import Candidate, Reason
from gm.scene.director import scene_of
from gm.scene.premises import premises_of
from tests.build import agent, words, world

EMRE = agent("emre", task="Frachtbuch.")
VERA = agent("vera", task="Gips")


def candidate(key: str, **others: object) -> Candidate:
    return Candidate("ENCOUNTER", ("emre", "vera"), "atelier", (Reason("plan", 6.0),), (key, {}), **others)  # type: ignore[arg-type]


def test_the_visitor_knows_why_and_the_visited_one_sees_somebody_come_in() -> None:
    own = premises_of(world(EMRE, VERA), candidate("premise_visit", intent="Mit Vera sprechen"))
    assert own["emre"] == (
        "own_visitor",
        {"other": "Vera", "task": "Frachtbuch", "plan": "Mit Vera sprechen", "title": ""},
    )
    assert own["vera"] == ("own_visited", {"other": "Emre", "task": "Gips", "plan": "", "title": ""})


def test_what_the_candidate_says_of_somebody_comes_first() -> None:
    given = {"vera": ("own_maker", {"title": "x"})}
    own = premises_of(world(EMRE, VERA), candidate("premise_chance", premises=given))
    assert own["vera"] == given["vera"]
    assert own["emre"][0] == "own_chance"


def test_other_openings_are_the_same_for_all() -> None:
    assert premises_of(world(EMRE, VERA), candidate("premise_round")) == {}


def test_a_scene_has_the_sentences_and_none_that_are_empty() -> None:
    def said(key: str, /, **values: object) -> str:
        return "" if key == "own_visited" else words(key, **values)

    scene = scene_of(world(EMRE, VERA), candidate("premise_visit", intent="Mit Vera sprechen"), "noon", said)
    assert list(scene.premises) == ["emre"]
    assert "plan=Mit Vera sprechen" in scene.premises["emre"]


def test_a_scene_that_takes_up_a_brief_is_made_raised() -> None:
    one = world(EMRE, VERA)
    kind = one.scene_types["ENCOUNTER"]
    weighty = Candidate("ENCOUNTER", ("emre", "vera"), "atelier", (Reason("brief", 60.0),), ("premise_brief", {}))
    types = {**one.scene_types, "ENCOUNTER": replace(kind, raised={"rounds": (3, 4)})}
    raised = world(EMRE, VERA, types=types)
    assert scene_of(raised, weighty, "noon", words).type.rounds == (3, 4)
    assert scene_of(raised, candidate("premise_visit"), "noon", words).type.rounds == (2, 2)
