from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.base.config import DaySettings, Settings, WeightsSettings
from gm.model.clock import ScheduledEvent
from gm.model.logged import LogEntry
from gm.model.scene import Candidate, Reason, SceneType
from gm.model.world import World
from gm.scene.directing.day_so_far import look_at_day
from gm.scene.directing.select import WeighedCandidate, find_bar, find_objection, survey
from gm.scene.planning.schedule import Slot
from tests.build import SCENE_TYPES, agent, entry, thread, world

KINDS = ("WORK", "ENCOUNTER", "MEETING", "EVENT")
CAST = (agent("emre"), agent("finn"), agent("vera"))
TALKS = ("ENCOUNTER", "MEETING")


def candidate(type: str, points: float = 1.0, *cast: str, part: str = "plan") -> Candidate:
    return Candidate(type, cast or ("emre", "vera"), "hall", (Reason(part, points),), ("premise", {}))


def slot(left: int = 9, played: int = 0, *, time: str = "morning", then: str = "", extra: bool = False) -> Slot:
    return Slot(time, then or time, played, played + left, extra)


def weighed(found: Sequence[Candidate], one: World, seed: int = 1, left: int = 9) -> list[Candidate]:
    played = len(one.scenes_of(one.clock.day))
    return [option.candidate for option in survey(found, one, seed, slot(left, played)) if option.bar is None]


def parts(item: Candidate) -> dict[str, float]:
    return {reason.part: reason.points for reason in item.reasons}


def bars(found: Sequence[Candidate], one: World, where: Slot, focus: str = "") -> dict[str, str]:
    options: list[WeighedCandidate] = survey(found, one, 1, where, focus)
    return {option.candidate.type: option.bar.part for option in options if option.bar}


def test_the_best_comes_first_and_the_same_seed_rolls_the_same_dice() -> None:
    found = [candidate("WORK", 1), candidate("ENCOUNTER", 20), candidate("EVENT", 10)]
    assert [item.type for item in weighed(found, world(*CAST))] == ["ENCOUNTER", "EVENT", "WORK"]
    assert weighed(found, world(*CAST)) == weighed(found, world(*CAST))
    assert weighed(found, world(*CAST)) != weighed(found, world(*CAST), seed=2)


def test_dice_do_not_depend_on_what_else_could_be_played() -> None:
    alone = weighed([candidate("WORK")], world(*CAST))[0]
    assert alone in weighed([candidate("EVENT"), candidate("WORK")], world(*CAST))


def test_every_part_has_a_sentence() -> None:
    one = world(*CAST, log=[entry(1, "WORK", "emre", "vera")])
    assert all(reason.phrase for item in weighed([candidate("WORK")], one) for reason in item.reasons[1:])


def test_weights_change_what_comes_first() -> None:
    found = [candidate("WORK", 5, "emre"), candidate("EVENT", 4, "emre", "vera")]
    one = world(*CAST, log=[entry(1, "WORK", "finn")])
    assert weighed(found, one)[0].type == "EVENT", "work was just played"
    loose = replace(one, settings=Settings(weights=WeightsSettings(pacing=0.0)))
    assert weighed(found, loose)[0].type == "WORK"


def test_the_type_that_was_just_played_weighs_less() -> None:
    one = world(*CAST, log=[entry(1, "WORK", "emre")])
    found = {item.type: parts(item) for item in weighed([candidate("WORK"), candidate("EVENT")], one)}
    assert found["WORK"]["pacing"] < 0
    assert "pacing" not in found["EVENT"]


def test_what_every_day_needs_is_played_before_the_day_is_full() -> None:
    kinds = [candidate("EVENT", 20), candidate("WORK"), candidate("ENCOUNTER")]
    one = world(*CAST, log=[entry(1, "ENCOUNTER", "emre", "vera")])
    assert weighed(kinds, one, left=2)[0].type == "EVENT"
    assert weighed(kinds, one, left=1)[0].type == "WORK"
    assert "needed" not in parts(weighed([candidate("ENCOUNTER")], one, left=1)[0])


def test_who_has_waited_for_long_comes_before_who_was_on_stage_today() -> None:
    log = [entry(1, "WORK", "finn"), entry(4, "ENCOUNTER", "emre", "vera"), entry(4, "EVENT", "emre", "vera")]
    found = [candidate("WORK", 1, "emre", "vera"), candidate("WORK", 1, "finn")]
    by_cast = {item.cast: parts(item) for item in weighed(found, world(*CAST, day=4, log=log))}
    assert by_cast["finn",]["stage"] > 0
    assert "busy" not in by_cast["finn",]
    assert by_cast["emre", "vera"]["busy"] < 0
    assert "stage" not in by_cast["emre", "vera"]


def test_the_same_people_are_not_put_together_again_at_once() -> None:
    one = world(*CAST, log=[entry(1, "ENCOUNTER", "vera", "emre")])
    assert parts(weighed([candidate("ENCOUNTER")], one)[0])["again"] < 0


@given(
    st.lists(st.sampled_from(KINDS), max_size=5),
    st.lists(st.sampled_from(KINDS), min_size=1, max_size=6),
    st.integers(1, 3),
)
def test_no_run_of_one_type_and_none_of_talks_gets_longer_than_allowed(
    played: list[str], offered: list[str], most: int
) -> None:
    settings = Settings(day=DaySettings(in_a_row=most))
    one = world(*CAST, log=[entry(1, kind, "emre") for kind in played], settings=settings)
    for item in weighed([candidate(kind, 9.0 - place) for place, kind in enumerate(offered)], one):
        assert played[-most:] != [item.type] * most
        talks = [kind in TALKS for kind in played[-most:]]
        assert not (item.type in TALKS and len(talks) == most and all(talks))


def test_an_event_of_the_calendar_breaks_the_row_only_when_there_is_nothing_else() -> None:
    one = world(*CAST, log=[entry(1, "MEETING", "emre"), entry(1, "MEETING", "emre")])
    event = candidate("MEETING", 100, part="event")
    assert [item.type for item in weighed([event, candidate("WORK")], one)] == ["WORK"]
    assert [item.type for item in weighed([event, candidate("MEETING")], one)] == ["MEETING"]


def test_what_comes_next_by_the_calendar_counts_for_the_row_beforehand() -> None:
    evening = ScheduledEvent(1, "Runde", "evening", type="MEETING")
    one = world(*CAST, log=[entry(1, "ENCOUNTER", "emre", "vera")], events=[evening])
    found = [candidate("ENCOUNTER"), candidate("WORK")]
    assert bars(found, one, slot(2, 1, time="afternoon", then="evening")) == {"ENCOUNTER": "talks"}
    assert bars(found, one, slot(5, 1, time="morning", then="noon")) == {}


def test_a_row_ends_with_the_day() -> None:
    one = world(*CAST, day=2, log=[entry(1, "WORK", "emre"), entry(1, "WORK", "emre"), entry(2, "MEETING", "emre")])
    assert weighed([candidate("WORK")], one)


def test_a_second_meeting_of_the_day_has_to_be_asked_for() -> None:
    one = world(*CAST, log=[entry(1, "MEETING", "emre")])
    assert bars([candidate("MEETING", part="rhythm"), candidate("WORK")], one, slot()) == {"MEETING": "meetings"}
    assert bars([candidate("MEETING", part="brief"), candidate("WORK")], one, slot()) == {}


def test_there_is_no_round_on_many_days_in_a_row_unless_one_is_asked_for() -> None:
    held = [entry(day, "MEETING", "emre") for day in (1, 2)]
    found = [candidate("MEETING", part="rhythm"), candidate("WORK")]
    assert bars(found, world(*CAST, day=3, log=held), slot()) == {"MEETING": "meeting_days"}
    assert bars(found, world(*CAST, day=4, log=held), slot()) == {}


def test_a_day_has_so_much_of_a_type_and_more_only_when_there_is_nothing_else() -> None:
    played = [entry(1, kind) for kind in ("ARRIVAL", "WORK", "ENCOUNTER", "WORK", "ENCOUNTER")]
    one = world(*CAST, log=played)
    assert bars([candidate("WORK"), candidate("ENCOUNTER")], one, slot(1, 5)) == {"WORK": "enough"}
    assert bars([candidate("WORK")], one, slot(1, 5)) == {}


def test_who_has_had_many_scenes_stands_back_as_long_as_others_wait() -> None:
    one = world(*CAST, log=[entry(1, kind, "emre", "vera") for kind in ("WORK", "ENCOUNTER", "EVENT")])
    where = slot(5, 3)
    day = look_at_day(one, where)
    tired, fresh = candidate("WORK", 9, "emre", "vera"), candidate("WORK", 1, "finn")
    bar = find_objection(tired, one, day)
    assert bar is not None
    assert bar.part == "scenes_each"
    assert find_objection(fresh, one, day) is None
    assert [item.cast for item in weighed([tired, fresh], one)] == [("finn",)]
    assert find_objection(tired, one, look_at_day(one, where, "emre")) is not None, "Vera is not in focus"


def test_above_the_number_of_the_day_only_the_character_in_focus_plays() -> None:
    where = slot(1, 6, extra=True)
    one = world(*CAST)
    day = look_at_day(one, where, "finn")
    assert find_bar(candidate("WORK", 1, "emre"), one, day) is not None
    assert find_bar(candidate("WORK", 1, "finn"), one, day) is None
    assert find_bar(candidate("EVENT", 1, "emre", part="event"), one, day) is None


def test_where_nothing_can_be_played_nothing_is_offered() -> None:
    assert survey([], world(*CAST), 1, slot()) == []


def test_characters_that_a_type_names_take_part_after_any_number_of_scenes() -> None:
    log = [entry(1, "WORK", "vera", scene=number) for number in (1, 2, 3)]
    tea = SceneType("TEA", "scenes/tea.j2", cast=(1, 2), times=("noon",))
    for named, expected in (((), {"TEA": "scenes_each"}), (("vera",), {})):
        one = world(*CAST, log=log, types={**SCENE_TYPES, "TEA": replace(tea, who=named)})
        found = [candidate("TEA", 1, "vera", part="rhythm"), candidate("ENCOUNTER", 1, "emre", "finn")]
        assert bars(found, one, slot()) == expected


MATTER = "Emre will die Schwelle aus Gips neu vermessen."
TALKED = entry(3, "ENCOUNTER", "vera", "emre", why=MATTER, answers=["thread-001"])


def impatient(item: Candidate, *log: LogEntry, day: int = 4, patience: int = 2, **others: Any) -> str:
    settings = Settings(language="de", day=DaySettings(patience=patience, company=False))
    one = replace(world(*CAST, day=day, log=log or [TALKED], settings=settings), **others)
    bar = find_objection(item, one, look_at_day(one, slot()))
    return f"{bar.part} {bar.values['ago']}" if bar else ""


def talk(intent: str = "", *answers: str, cast: Sequence[str] = ("emre", "vera"), **others: Any) -> Candidate:
    return replace(candidate("ENCOUNTER", 1, *cast), intent=intent, answers=answers, **others)


def test_two_are_not_brought_together_again_at_once_over_the_same_matter() -> None:
    assert impatient(talk("", "thread-001")) == "patience 1"
    assert impatient(talk("Ich frage nach der Schwelle und dem Vermessen.")) == "patience 1"
    assert impatient(talk(topic="Die Schwelle vermessen")) == "patience 1", "whoever brings it up"
    assert impatient(talk("", "thread-001"), replace(TALKED, day=4)) == "patience 0", "not on the same day either"


def test_the_matter_of_an_open_thread_is_its_text() -> None:
    before = entry(3, "ENCOUNTER", "vera", "emre", answers=["thread-001"])
    taken_up = thread(1, "vera", "emre", text="Gips für die Schwelle besorgen")
    for text, expected in (("Neue Schwelle besorgen", "patience 1"), ("Kuchen besorgen", "")):
        threads = (taken_up, thread(2, "vera", "emre", text=text))
        assert impatient(talk("", "thread-002"), before, threads=threads) == expected


@pytest.mark.parametrize(
    ("item", "log"),
    [
        (talk("Ich rede über Kuchen."), TALKED),
        (talk("Wieder sollten beide diese Schwelle sehen."), TALKED),
        (talk("", "thread-001", cast=("emre", "finn")), TALKED),
        (talk("", "thread-001"), entry(3, "MEETING", "vera", "emre", "finn", answers=["thread-001"])),
        (talk("", "thread-001"), entry(2, "ENCOUNTER", "vera", "emre", answers=["thread-001"])),
        (talk("", "thread-001"), entry(3, "SUMMARY", "vera", "emre", answers=["thread-001"])),
        (talk("", "thread-001", cast=("emre", "finn", "vera")), TALKED),
        (talk("", "thread-001", type="WORK"), TALKED),
        (talk("", "thread-001", reasons=(Reason("appointment", 9),)), TALKED),
        (talk("", "thread-001", reasons=(Reason("brief", 9),)), TALKED),
    ],
    ids=[
        "another matter",
        "one word in common",
        "another pair",
        "it was talked of in a round",
        "long ago",
        "a summary",
        "three people",
        "work",
        "an appointment",
        "a message",
    ],
)
def test_what_needs_no_patience(item: Candidate, log: LogEntry) -> None:
    assert impatient(item, log) == ""


def test_patience_is_a_number_of_days_and_may_be_off() -> None:
    found = [impatient(talk("", "thread-001"), day=6, patience=days) for days in (3, 4)]
    assert found == ["", "patience 3"]
    assert impatient(talk("", "thread-001"), replace(TALKED, day=4), patience=0) == ""


def test_a_promise_that_is_due_today_does_not_wait() -> None:
    for due, expected in ((4, ""), (5, "patience 1"), (None, "patience 1")):
        assert impatient(talk("", "thread-001"), threads=(thread(1, "vera", "emre", due=due),)) == expected
    asked = thread(1, "vera", "emre", kind="question", due=4)
    assert impatient(talk("", "thread-001"), threads=(asked,)) == "patience 1"


def test_company_for_those_who_would_have_none_comes_before_patience() -> None:
    log = [TALKED, entry(4, "ENCOUNTER", "finn", "nami")]
    one = world(*CAST, agent("nami"), day=4, log=log, settings=Settings(language="de"))
    late = look_at_day(one, slot(1, 3))
    assert {*late.lonely} == {"emre", "vera"}
    assert find_objection(talk("", "thread-001"), one, late) is None
    early = find_objection(talk("", "thread-001"), one, look_at_day(one, slot(9, 3)))
    assert early is not None
    assert early.part == "patience"
