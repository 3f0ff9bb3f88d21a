"""What the rules propose and choose, and when a day ends."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from gm.base.config import CalendarSettings, DaySettings, ReflectionSettings, Settings
from gm.model.calendar import time_rank
from gm.model.clock import ScheduledEvent
from gm.model.scene import Candidate, Reason, SceneType
from gm.model.thread import Thread
from gm.model.world import Agent, World
from gm.scene.directing.director import consider, next_step
from gm.scene.directing.scenes import give_reasons, next_ref, premises_of, scene_of
from gm.scene.evening.dusk import LEFT_IMPORTANCE, is_of_dusk
from gm.scene.folding.advance import advance
from gm.scene.planning.schedule import open_day, scenes_planned
from tests.build import (
    SCENE_TYPES,
    agent,
    entry,
    perform,
    play_day,
    post,
    studio,
    types_of,
    words,
    world,
)

FEW = effort(max_examples=effort().max_examples // 3)
"""Examples of what plays whole days."""
WEEKLY = {"weekday": "Donnerstag", "time": "evening", "event": "D&D", "type": "EVENT", "place": "hall"}


def play_days(days: int, seed: int = 1, start: World | None = None) -> World:
    one = start or studio()
    for _ in range(days):
        one = play_day(one, seed)
    return one


def tuned(one: World, **sections: Any) -> World:
    return replace(one, settings=replace(one.settings, **sections))


def test_a_day_begins_with_everybodys_arrival() -> None:
    one = studio()
    opened = advance(one, open_day(one))
    (first,) = next_step(opened, 1, words).scenes
    assert (str(first.ref), first.type.name, first.cast) == ("day-001/scene-01", "ARRIVAL", tuple(one.agents))


@FEW
@given(st.integers(0, 10_000))
def test_a_day_has_as_many_scenes_as_were_planned_in_the_order_of_its_times(seed: int) -> None:
    one = play_day(studio(), seed)
    lines = [line for line in one.scenes_of(1) if line.type != "REFLECTION"]
    assert len(lines) == scenes_planned(one, 1, seed)
    assert 3 < len(lines) <= 6
    times = [line.time_of_day for line in lines]
    assert times == sorted(times, key=time_rank)
    assert [line.record["scene"] for line in one.scenes_of(1)] == [*range(1, len(one.scenes_of(1)) + 1)]


@FEW
@given(st.integers(0, 10_000))
def test_the_same_world_and_seed_take_the_same_steps(seed: int) -> None:
    assert play_days(3, seed) == play_days(3, seed)


def test_another_seed_makes_another_day() -> None:
    assert len({tuple(types_of(play_day(studio(), seed), 1)) for seed in range(8)}) > 1


def test_asking_for_the_next_step_changes_nothing_and_can_be_repeated() -> None:
    one = advance(studio(), open_day(studio()))
    assert next_step(one, 1, words) == next_step(one, 1, words)


def test_a_day_that_was_interrupted_goes_on_where_it_stopped() -> None:
    one = advance(studio(), open_day(studio()))
    (arrival,) = next_step(one, 1, words).scenes
    one = advance(one, perform(one, arrival))
    (second,) = next_step(one, 1, words).scenes
    assert str(second.ref) == "day-001/scene-02"
    assert second.type.name != "ARRIVAL"


@FEW
@given(st.integers(0, 10_000))
def test_three_scenes_of_one_type_never_follow_each_other(seed: int) -> None:
    one = play_days(4, seed)
    for day in range(1, 5):
        kinds = types_of(one, day)
        assert all(len({*kinds[place : place + 3]}) > 1 for place in range(len(kinds) - 2)), kinds


@FEW
@given(st.integers(0, 10_000))
def test_every_day_has_work_and_an_encounter(seed: int) -> None:
    one = play_days(3, seed)
    for day in (1, 2, 3):
        assert {"WORK", "ENCOUNTER"} <= set(types_of(one, day))


@FEW
@given(st.integers(0, 10_000), st.sampled_from(["morning", "noon", "afternoon", "evening"]))
def test_an_event_of_the_day_is_played_once_and_not_before_its_time(seed: int, time: str) -> None:
    one = studio()
    feast = ScheduledEvent(1, "Fest", time)
    one = play_day(replace(one, clock=replace(one.clock, scheduled_events=(feast,))), seed)
    played = [line for line in one.scenes_of(1) if "event/day-001/Fest" in line.answers]
    assert [line.type for line in played] == ["EVENT"]
    assert time_rank(played[0].time_of_day) >= time_rank(time)
    assert played[0].participants[0] in one.agents
    assert len(played[0].participants) == len(one.agents)


def test_a_weekly_event_is_played_on_its_weekday() -> None:
    one = play_days(5, start=tuned(studio(), calendar=CalendarSettings(weekly=(WEEKLY,))))
    days = [line.day for line in one.log if line.type == "EVENT"]
    assert days == [4]


@FEW
@given(st.integers(0, 10_000))
def test_a_brief_that_no_character_took_up_leads_to_a_meeting(seed: int) -> None:
    one = play_day(replace(studio(), posts=(post("Mehr Asche!", day=0),)), seed)
    (meeting,) = [line for line in one.scenes_of(1) if "bulletin/0" in line.answers]
    assert meeting.type == "MEETING"
    assert set(meeting.participants) == set(one.agents)
    assert "Mehr Asche!" in str(meeting.record["why"])


def test_a_brief_that_was_taken_up_is_not_taken_up_again() -> None:
    one = play_days(4, start=replace(studio(), posts=(post(day=0),)))
    assert sum("bulletin/0" in line.answers for line in one.log) == 1


@pytest.mark.parametrize(("accumulators", "who"), [((100, 101, 99), ["finn"]), ((0, 250, 101), ["finn", "vera"])])
def test_in_the_evening_those_reflect_who_are_due(accumulators: tuple[int, ...], who: list[str]) -> None:
    cast = [agent(name, accumulator=sum_) for name, sum_ in zip(("emre", "finn", "vera"), accumulators, strict=True)]
    full = [entry(1, kind, "emre", scene=n) for n, kind in enumerate(["ARRIVAL", *["WORK", "MEETING"] * 3], 1)]
    scenes = next_step(world(*cast, log=full), 1, words).scenes
    assert [(item.type.name, item.cast[0], item.time_of_day) for item in scenes] == [
        ("REFLECTION", name, "evening") for name in who
    ]
    assert [item.ref.scene for item in scenes] == list(range(8, 8 + len(who)))


def test_each_looks_back_alone_and_who_finds_the_place_taken_goes_home() -> None:
    cast = [agent(name, home=home, accumulator=101) for name, home in (("emre", "a"), ("finn", "b"), ("vera", ""))]
    full = [entry(1, kind, "emre", scene=n) for n, kind in enumerate(["ARRIVAL", *["WORK", "MEETING"] * 3], 1)]
    together = [replace(one, state=replace(one.state, position="a")) for one in cast]
    scenes = next_step(world(*together, log=full), 1, words).scenes
    assert [item.place for item in scenes] == ["a", "b", "a"], "without a home it stays"
    guests = [replace(one, state=replace(one.state, position="b")) for one in cast[:2]]
    assert [item.place for item in next_step(world(*guests, log=full), 1, words).scenes] == ["a", "b"]
    earlier = entry(1, "REFLECTION", "emre", scene=8, place="a")
    rest = [replace(together[0], state=replace(together[0].state, importance_accumulator=0)), *together[1:]]
    assert [item.place for item in next_step(world(*rest, log=[*full, earlier]), 1, words).scenes] == ["b", "a"]


def test_a_day_ends_when_no_character_is_due_any_more() -> None:
    one = tuned(studio(), reflection=ReflectionSettings(threshold=5))
    one = play_day(one)
    reflected = [line.participants for line in one.scenes_of(1) if line.type == "REFLECTION"]
    assert reflected == [(name,) for name in one.agents]
    counted = {who.state.importance_accumulator for who in one.agents.values()}
    assert counted <= {0, LEFT_IMPORTANCE}, "what is left of the day is remembered after they have looked back"
    lived = {name: [node.id for node in who.stream if not is_of_dusk(node)] for name, who in one.agents.items()}
    assert all(who.state.last_reflection == lived[name][-1] for name, who in one.agents.items())


def test_no_character_reflects_where_reflection_is_off() -> None:
    one = play_day(tuned(studio(), reflection=ReflectionSettings(threshold=1, enabled=False)))
    assert not [line for line in one.log if line.type == "REFLECTION"]


def test_a_hand_made_logbook_is_continued_behind_its_highest_number() -> None:
    lines = [entry(1, "WORK", scene=3), entry(1, "MEETING", scene=7), entry(2, "WORK", scene=40)]
    assert str(next_ref(world(agent(), log=lines))) == "day-001/scene-08"
    odd = [entry(1, "WORK+REFLECTION"), replace(lines[0], record={"scene": "sieben"})]
    assert str(next_ref(world(agent(), log=odd))) == "day-001/scene-02"


@pytest.mark.parametrize("names", [("vera",), ("vera", "emre")])
def test_a_small_cast_gets_through_its_day(names: tuple[str, ...]) -> None:
    one = play_days(2, start=studio(*names))
    assert one.clock.day == 2
    assert not one.clock.day_open


@pytest.mark.parametrize("span", [(1, 1), (1, 2), (2, 2), (8, 20)])
def test_a_day_may_be_as_short_or_long_as_its_settings_say(span: tuple[int, int]) -> None:
    one = play_day(tuned(studio(), day=DaySettings(scenes=span)))
    assert span[0] <= len(types_of(one, 1)) <= span[1]


def test_a_world_without_settings_places_or_personas_is_played() -> None:
    bare = world(agent("emre", at=""), agent("vera", at=""), agent("finn", at=""), day=0, settings=Settings())
    one = play_day(replace(bare, clock=replace(bare.clock, day_open=False)))
    assert len(types_of(one, 1)) >= 4


def test_a_world_without_an_arrival_scene_is_played() -> None:
    kinds = {name: kind for name, kind in SCENE_TYPES.items() if name != "ARRIVAL"}
    assert "ARRIVAL" not in types_of(play_day(studio(types=kinds)), 1)


def test_a_logbook_line_of_a_participant_who_is_no_agent_stops_nothing() -> None:
    lines = [
        entry(1, "MEETING", "creative-director", "vera", "emre", artifacts=["gallery/", {"path": "x.md"}]),
        entry(1, "WORK+REFLECTION", "emre", "creative-director", scene=2),
        entry(1, "WORK", scene=3),
    ]
    assert consider(world(agent("emre"), agent("vera"), log=lines), 1, "noon", scenes_left=3)


@pytest.mark.parametrize("seed", range(3))
def test_in_thirty_days_each_meets_each_and_nothing_of_the_calendar_is_left_out(seed: int) -> None:
    names = ("darius", "emre", "finn", "leo", "nami", "tobi", "vera")
    weekly = (WEEKLY, {"weekday": "Mon", "time": "morning", "event": "Wochenanfang", "type": "MEETING"})
    one = tuned(studio(*names), calendar=CalendarSettings(weekly=weekly))
    events = tuple(
        ScheduledEvent(day, f"Fest {day}", time) for day, time in ((3, "noon"), (12, "evening"), (29, "noon"))
    )
    posts = tuple(post(f"Brief {day}", day=day, index=number) for number, day in enumerate((0, 7, 8, 20)))
    one = replace(one, clock=replace(one.clock, scheduled_events=events))
    met: set[frozenset[str]] = set()
    answers: dict[str, int] = {}
    for day in range(1, 31):
        one = play_day(replace(one, posts=tuple(item for item in posts if item.day < day)), seed)
        for line in one.scenes_of(day):
            answers |= {key: day for key in line.answers if key not in answers}
            if 2 <= len(line.participants) <= 3:
                met |= {frozenset(pair) for pair in combinations(line.participants, 2)}
        kinds = types_of(one, day)
        assert all(len({*kinds[place : place + 3]}) > 1 for place in range(len(kinds) - 2)), kinds
        talks = [kind in ("ENCOUNTER", "MEETING") for kind in kinds]
        assert not any(all(talks[place : place + 3]) for place in range(len(kinds) - 2)), kinds
        assert kinds.count("MEETING") <= 2
        asked = sum(bool(line.answers) and line.type in ("MEETING", "EVENT") for line in one.scenes_of(day))
        assert len({"WORK", "ENCOUNTER"} & set(kinds)) >= min(2, len(kinds) - 1 - asked)
    assert len(met) == 21
    assert all(answers[f"bulletin/{post.index}"] == post.day + 1 for post in posts)
    assert all(answers[f"event/day-{event.day:03d}/{event.event}"] == event.day for event in events)
    assert sum("D&D" in key for key in answers) == sum("Wochenanfang" in key for key in answers) == 6


@FEW
@given(st.integers(0, 10_000), st.integers(1, 3))
def test_pacing_holds_in_small_casts_and_long_days(seed: int, size: int) -> None:
    one = tuned(studio(*("emre", "finn", "vera")[:size]), day=DaySettings(scenes=(6, 12)))
    one = play_day(play_day(one, seed), seed)
    for day in (1, 2):
        kinds = types_of(one, day)
        assert all(len({*kinds[place : place + 3]}) > 1 for place in range(len(kinds) - 2)), kinds


def test_a_day_in_focus_is_about_one_character_and_may_be_two_scenes_longer() -> None:
    def shares(focus: str) -> tuple[int, int]:
        one = advance(studio(), open_day(studio()))
        while scenes := next_step(one, 1, words, focus).scenes:
            for item in scenes:
                one = advance(one, perform(one, item))
        small = [line for line in one.scenes_of(1) if len(line.participants) <= 3]
        return sum("vera" in line.participants for line in small), len(one.scenes_of(1))

    (plain, plain_scenes), (focused, focused_scenes) = shares(""), shares("vera")
    assert focused > plain
    assert plain_scenes < focused_scenes <= plain_scenes + 2


def test_days_off_are_passed_over_and_no_absent_character_reflects() -> None:
    away = ({"who": "vera", "day": 3},)
    one = tuned(
        studio(), calendar=CalendarSettings(off=(1, "Tuesday"), away=away), reflection=ReflectionSettings(threshold=1)
    )
    one = play_day(one)
    assert one.clock.day == 3
    reflected = {line.participants for line in one.scenes_of(3) if line.type == "REFLECTION"}
    assert ("vera",) not in reflected
    assert ("emre",) in reflected


def test_a_scene_says_its_three_strongest_reasons() -> None:
    reasons = (
        Reason("dice", 9.0, "why_dice"),
        Reason("closeness", 1.5, "why_closeness"),
        Reason("plan", 6.0, "why_plan", {"who": "Vera"}),
        Reason("needed", 30.0, "why_needed"),
        Reason("rhythm", 2.0, "why_rhythm"),
        Reason("pacing", -3.0, "why_pacing"),
    )
    item = Candidate("WORK", ("vera",), "", reasons, ("premise", {}))
    assert give_reasons(item, words) == "<why_needed>. <why_plan> who=Vera. <why_rhythm>."


def test_a_faint_reason_is_told_only_where_there_is_no_better_one_and_company_always() -> None:
    faint, company = Reason("unmet", 0.4, "why_unmet"), Reason("company", 0.5, "why_company")
    plan = Reason("plan", 6.0, "why_plan")
    told = [
        give_reasons(Candidate("WORK", ("vera",), "", reasons, ("premise", {})), words)
        for reasons in ((faint,), (faint, plan), (faint, plan, company))
    ]
    assert told == ["<why_unmet>.", "<why_plan>.", "<why_plan>. <why_company>."]


def test_a_scene_carries_the_points_of_its_parts_into_the_logbook() -> None:
    one = play_day(studio())
    score = one.scenes_of(1)[1].record["score"]
    assert isinstance(score, dict)
    assert score
    assert all(isinstance(points, float) for points in score.values())
    assert "score" not in one.scenes_of(1)[0].record, "nothing was weighed on arriving"


def test_a_scene_has_no_more_people_than_its_type_allows() -> None:
    item = Candidate("WORK", ("a", "b", "c", "d"), "", (Reason("work", 1.0),), ("premise", {}), clock="12:30")
    made = scene_of(world(agent()), item, "noon", words)
    assert (made.cast, made.time_of_day, made.premise) == (("a", "b", "c"), "noon", "<premise> together=")
    assert made.clock == "12:30"


def test_ids_stay_unique_and_in_order_over_days() -> None:
    one = play_days(4, start=tuned(studio(), reflection=ReflectionSettings(threshold=20)))
    for name, who in one.agents.items():
        assert [node.id for node in who.stream] == [f"{name}-{number:03d}" for number in range(1, len(who.stream) + 1)]
        assert [node.when for node in who.stream] == sorted(node.when for node in who.stream)


def test_the_sum_of_memories_since_the_last_reflection_is_the_accumulator() -> None:
    one = play_days(4, start=tuned(studio(), reflection=ReflectionSettings(threshold=30)))
    for who in one.agents.values():
        begin = next((n + 1 for n, node in enumerate(who.stream) if node.id == who.state.last_reflection), 0)
        assert who.state.importance_accumulator == sum(node.importance for node in who.stream[begin:])


def full_day(**others: Any) -> World:
    """A day on which everybody has arrived and no scene is left."""
    log = [entry(2, "ARRIVAL", "vera"), *(entry(2, "WORK", "vera", scene=number) for number in range(2, 16))]
    return world(agent("emre"), agent("finn"), agent("vera"), day=2, log=log, scenes_today=15, **others)


def test_what_is_in_the_calendar_happens_at_its_time_even_when_the_day_is_full() -> None:
    events = [ScheduledEvent(2, "Fest", "noon"), ScheduledEvent(2, "Spiel", "evening")]
    (first,) = next_step(full_day(events=events), 1, words).scenes
    assert (first.type.name, first.topic, first.time_of_day) == ("EVENT", "Fest", "noon")


def test_a_message_of_the_day_before_is_taken_up_even_when_the_day_is_full_and_one_of_today_waits() -> None:
    (taken,) = next_step(full_day(posts=[post("Seit gestern.", day=1)]), 1, words).scenes
    assert (taken.type.name, taken.topic, taken.time_of_day) == ("MEETING", "Seit gestern.", "evening")
    assert next_step(full_day(posts=[post("Von heute.", day=2)]), 1, words).scenes == ()


def test_where_everybody_is_away_a_message_waits_on() -> None:
    away = CalendarSettings(away=tuple({"who": name, "day": 2} for name in ("emre", "finn", "vera")))
    one = full_day(posts=[post("Seit gestern.", day=1)], settings=Settings(calendar=away))
    assert next_step(one, 1, words).scenes == ()


def test_a_type_of_the_evening_is_played_after_the_scenes_of_the_day_once_its_days_are_over() -> None:
    song = SceneType("SONG", "scenes/song.j2", cast=(1, 99), times=("evening",), every=2)
    one = replace(studio(), scene_types={**SCENE_TYPES, "SONG": song})
    played = play_days(3, start=one)
    assert [types_of(played, day).count("SONG") for day in (1, 2, 3)] == [1, 0, 1]
    (evening,) = [line for line in played.scenes_of(3) if line.type == "SONG"]
    assert (evening.time_of_day, set(evening.participants)) == ("evening", set(one.agents))


def test_a_day_with_an_evening_has_scenes_then_even_after_an_event_of_the_calendar() -> None:
    evenings = DaySettings(times=("morning", "evening"), scenes=(5, 6))
    types = {
        name: replace(kind, times=(*kind.times, "evening")) if name in ("WORK", "ENCOUNTER") else kind
        for name, kind in SCENE_TYPES.items()
    }
    event = [ScheduledEvent(1, "Essen", "evening")]
    for settings, expected in ((evenings, True), (DaySettings(scenes=(5, 6)), False)):
        start = replace(tuned(studio(), day=settings), scene_types=types)
        played = play_days(1, start=replace(start, clock=replace(start.clock, scheduled_events=tuple(event))))
        late = [
            line.type for line in played.scenes_of(1) if line.time_of_day == "evening" and "REFLECTION" not in line.type
        ]
        assert late[0] == "EVENT"
        assert bool({"WORK", "ENCOUNTER"} & {*late[1:]}) is expected


def test_the_day_begins_at_the_first_of_its_times() -> None:
    played = play_days(1, start=tuned(studio(), day=DaySettings(times=("noon", "afternoon"))))
    assert {line.time_of_day for line in played.scenes_of(1)} <= {"noon", "afternoon", "evening"}
    assert played.scenes_of(1)[0].time_of_day == "noon"


EMRE = agent("emre", task="Frachtbuch.")
VERA = agent("vera", task="Gips")
AWAY = agent("vera", task="Gips", at="hall")


def candidate(key: str, place: str = "atelier", **others: object) -> Candidate:
    return Candidate("ENCOUNTER", ("emre", "vera"), place, (Reason("plan", 6.0),), (key, {}), **others)  # type: ignore[arg-type]


def test_the_visitor_knows_why_and_the_visited_one_sees_a_visitor_come_in() -> None:
    own = premises_of(world(EMRE, AWAY), candidate("premise_visit", "hall", intent="Mit Vera sprechen"))
    about = {"title": "", "together": ""}
    assert own["emre"] == (
        "own_visitor",
        {"other": "Vera", "task": "Frachtbuch", "plan": "Mit Vera sprechen", **about},
    )
    assert own["vera"] == ("own_visited", {"other": "Emre", "task": "Gips", "plan": "", **about})


@pytest.mark.parametrize(
    ("one", "settings", "together"),
    [
        (VERA, Settings(), "1"),
        (AWAY, Settings(), "met"),
        (agent("vera", at=""), Settings(), ""),
        (VERA, Settings(calendar=CalendarSettings(away=({"who": "vera", "day": 1, "how": "remote"},))), ""),
    ],
    ids=["the same room", "other rooms, in that of the first", "nowhere", "at home"],
)
def test_who_is_there_already_or_goes_there_too_is_not_come_to(one: Agent, settings: Settings, together: str) -> None:
    made = scene_of(world(EMRE, one, settings=settings), candidate("premise_visit"), "noon", words)
    assert made.premise == f"<premise_visit> together={together}"
    assert f"together={together}" in made.premises["vera"].split()


def test_two_characters_without_a_known_place_are_not_in_the_same_room() -> None:
    one = world(agent("emre", at=""), agent("vera", at=""))
    assert scene_of(one, candidate("premise_visit"), "noon", words).premise == "<premise_visit> together="


@pytest.mark.parametrize(
    ("visited", "threads", "awaited"),
    [
        (agent("vera", plan=["Gips", "Mit Emre sprechen: Asche"]), (), True),
        (agent("vera", task="Emre suchen", plan=["Gips"]), (), True),
        (agent("vera", plan=["DONE: Mit Emre sprechen: Asche"]), (), False),
        (agent("vera"), (("vera", ("emre",)),), True),
        (agent("vera"), (("vera", ("finn",)), ("emre", ("vera",))), False),
    ],
)
def test_who_wanted_to_talk_itself_is_not_surprised(
    visited: Agent, threads: tuple[tuple[str, tuple[str, ...]], ...], awaited: bool
) -> None:
    asked = tuple(
        Thread(f"thread-00{number}", "question", by, to, "Gibst du mir Asche?", "day-001/scene-01")
        for number, (by, to) in enumerate(threads, 1)
    )
    one = replace(world(EMRE, visited), threads=asked)
    own = premises_of(one, candidate("premise_visit", "hall", intent="Mit Vera sprechen"))
    assert own["vera"][0] == ("own_awaited" if awaited else "own_visited")
    assert own["emre"][0] == "own_visitor"
    assert premises_of(one, candidate("premise_chance"))["vera"][0] == "own_chance"


def test_what_the_candidate_says_of_a_character_comes_first() -> None:
    given = {"vera": ("own_maker", {"title": "x"})}
    own = premises_of(world(EMRE, VERA), candidate("premise_chance", premises=given))
    assert own["vera"] == given["vera"]
    assert own["emre"][0] == "own_chance"


def test_other_openings_are_the_same_for_all() -> None:
    assert premises_of(world(EMRE, VERA), candidate("premise_round")) == {}


def test_a_scene_has_the_sentences_and_none_that_are_empty() -> None:
    def said(key: str, /, **values: object) -> str:
        return "" if key == "own_visited" else words(key, **values)

    scene = scene_of(world(EMRE, VERA), candidate("premise_visit", "hall", intent="Mit Vera sprechen"), "noon", said)
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
