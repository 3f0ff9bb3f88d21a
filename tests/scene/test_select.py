from hypothesis import given
from hypothesis import strategies as st

from gm.model.scene import Candidate, Reason
from gm.scene.select import pick, weigh
from tests.build import agent, entry, world

KINDS = ("WORK", "ENCOUNTER", "MEETING", "EVENT")
CAST = (agent("emre"), agent("finn"), agent("vera"))


def candidate(type: str, points: float = 1.0, *cast: str, part: str = "plan") -> Candidate:
    return Candidate(type, cast or ("emre", "vera"), "hall", (Reason(part, points),), ("premise", {}))


def parts(item: Candidate) -> set[str]:
    return {reason.part for reason in item.reasons}


def test_the_best_comes_first_and_the_same_seed_rolls_the_same_dice() -> None:
    found = [candidate("WORK", 1), candidate("ENCOUNTER", 20), candidate("MEETING", 10)]
    weighed = weigh(found, world(*CAST), 1, scenes_left=9)
    assert [item.type for item in weighed] == ["ENCOUNTER", "MEETING", "WORK"]
    assert weighed == weigh(found, world(*CAST), 1, scenes_left=9)
    assert weighed != weigh(found, world(*CAST), 2, scenes_left=9)


def test_dice_do_not_depend_on_what_else_could_be_played() -> None:
    alone = weigh([candidate("WORK")], world(*CAST), 1, scenes_left=9)[0]
    among = weigh([candidate("MEETING"), candidate("WORK")], world(*CAST), 1, scenes_left=9)
    assert alone in among


def test_the_type_that_was_just_played_weighs_less() -> None:
    one = world(*CAST, log=[entry(1, "WORK", "emre")])
    weighed = {item.type: item for item in weigh([candidate("WORK"), candidate("MEETING")], one, 1, scenes_left=9)}
    assert "pacing" in parts(weighed["WORK"])
    assert "pacing" not in parts(weighed["MEETING"])


def test_what_every_day_needs_is_played_before_the_day_is_full() -> None:
    kinds = [candidate("MEETING", 20), candidate("WORK"), candidate("ENCOUNTER")]
    one = world(*CAST, log=[entry(1, "ENCOUNTER", "emre", "vera")])
    assert weigh(kinds, one, 1, scenes_left=3)[0].type == "MEETING"
    assert weigh(kinds, one, 1, scenes_left=2)[0].type == "WORK"
    assert "needed" not in parts(weigh([candidate("ENCOUNTER")], one, 1, scenes_left=1)[0])


def test_who_was_not_on_stage_yet_comes_before_who_was() -> None:
    one = world(*CAST, log=[entry(1, "ENCOUNTER", "emre", "vera"), entry(1, "MEETING", "emre", "vera")])
    stage = {
        item.cast: sum(reason.points for reason in item.reasons if reason.part == "stage")
        for item in weigh([candidate("WORK", 1, "emre", "vera"), candidate("WORK", 1, "finn")], one, 1, scenes_left=9)
    }
    assert stage["finn",] > 0 > stage["emre", "vera"]


@given(st.lists(st.sampled_from(KINDS), max_size=5), st.lists(st.sampled_from(KINDS), min_size=1, max_size=6))
def test_three_of_one_type_in_a_row_are_never_picked_when_there_is_another(
    played: list[str], offered: list[str]
) -> None:
    one = world(*CAST, log=[entry(1, kind, "emre") for kind in played])
    best = pick([candidate(kind, 9.0 - place) for place, kind in enumerate(offered)], one)
    assert best is not None
    if len(played) >= 2 and played[-2:] == [best.type] * 2:
        assert set(offered) == {best.type}
    else:
        assert best.type == next(kind for kind in offered if played[-2:] != [kind] * 2)


def test_an_event_of_the_calendar_may_be_the_third_of_its_type() -> None:
    one = world(*CAST, log=[entry(1, "MEETING", "emre"), entry(1, "MEETING", "emre")])
    event = candidate("MEETING", 100, part="event")
    assert pick([event, candidate("WORK")], one) is event


def test_a_row_ends_with_the_day() -> None:
    one = world(*CAST, day=2, log=[entry(1, "WORK", "emre"), entry(1, "WORK", "emre"), entry(2, "MEETING", "emre")])
    best = pick([candidate("WORK")], one)
    assert best is not None
    assert best.type == "WORK"


def test_where_nothing_can_be_played_nothing_is_picked() -> None:
    assert pick([], world(*CAST)) is None
