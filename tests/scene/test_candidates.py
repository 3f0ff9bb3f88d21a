from gm.config import Settings
from gm.model.scene import Candidate, Reason
from gm.model.world import Post, ScheduledEvent, World
from gm.scene.candidates import (
    from_artifacts,
    from_distance,
    from_events,
    from_plans,
    from_posts,
    from_rhythm,
    list_candidates,
)
from tests.build import agent, entry, node, post, world

CAST = (agent("emre"), agent("finn"), agent("vera"))
FEAST = ScheduledEvent(1, "Fest", "noon")


def topics(one: World) -> list[str]:
    return [item.topic for item in from_posts(one, "morning")]


def test_every_candidate_has_a_reason_and_a_cast() -> None:
    one = world(*CAST, posts=[post()], events=[FEAST], log=[entry(1, "WORK", "vera")])
    found = list_candidates(one, "afternoon")
    assert found
    assert all(item.reasons and item.cast and set(item.cast) <= set(one.agents) for item in found)


def test_only_types_of_this_time_of_day_are_candidates_but_events_always_are() -> None:
    evening = list_candidates(world(*CAST, posts=[post()], events=[FEAST]), "evening")
    assert [item.type for item in evening] == ["EVENT"]
    assert "MEETING" not in {item.type for item in list_candidates(world(*CAST, posts=[post()]), "noon")}


# -- events ------------------------------------------------------------------------------------------


def test_an_event_is_due_from_its_time_on_and_until_it_was_played() -> None:
    one = world(*CAST, events=[FEAST])
    assert [[item.topic for item in from_events(one, time)] for time in ("morning", "noon", "evening")] == [
        [],
        ["Fest"],
        ["Fest"],
    ]
    done = world(*CAST, events=[FEAST], log=[entry(1, "EVENT", "vera", answers=["event/day-001/Fest"])])
    assert list(from_events(done, "noon")) == []


def test_deadlines_and_events_of_other_days_are_no_scenes() -> None:
    events = [ScheduledEvent(1, "Abgabe", "all-day"), ScheduledEvent(2, "Fest", "morning")]
    assert list(from_events(world(*CAST, events=events), "evening")) == []


def test_an_event_may_have_a_type_and_a_place_of_its_own() -> None:
    event = ScheduledEvent(1, "Runde", "noon", type="MEETING", place="dach")
    unknown = ScheduledEvent(1, "Tanz", "noon", type="DANCE")
    found = list(from_events(world(*CAST, events=[event, unknown]), "noon"))
    assert [(item.type, item.place) for item in found] == [("MEETING", "dach"), ("EVENT", "atelier")]


# -- posts -------------------------------------------------------------------------------------------


def test_a_fresh_post_wants_a_meeting_of_everybody() -> None:
    (item,) = from_posts(world(*CAST, posts=[post("Mehr Asche!")]), "morning")
    assert (item.type, item.cast, item.topic, item.answers) == (
        "MEETING",
        ("emre", "finn", "vera"),
        "Mehr Asche!",
        ("bulletin/0",),
    )


def test_a_post_is_taken_up_once() -> None:
    log = [entry(1, "MEETING", "vera", answers=["bulletin/0"])]
    assert topics(world(*CAST, posts=[post("alt"), post("neu", index=1)], log=log)) == ["neu"]


def test_a_post_of_a_character_and_a_stale_one_want_no_meeting() -> None:
    posts = [post("kollegial", author="vera"), post("uralt", index=1, day=1), post("frisch", index=2, day=2)]
    assert topics(world(*CAST, posts=posts, day=4)) == ["frisch"]


def test_a_post_that_was_put_up_in_a_scene_was_heard_there() -> None:
    heard = Post(0, "Creative Director", "feedback", "gut", day=1, scene=2)
    assert topics(world(*CAST, posts=[heard], log=[entry(1, "WORK", "vera", scene=2)])) == []
    assert topics(world(*CAST, posts=[heard], log=[entry(1, "WORK", "vera", scene=1)])) == ["gut"]


# -- plans -------------------------------------------------------------------------------------------


def planned(*plan: str, log: tuple[str, ...] = ()) -> list[Candidate]:
    lines = [entry(1, log[0], *log[1:])] if log else []
    return list(from_plans(world(agent("emre", at="kontor"), agent("finn"), agent("vera", plan=plan), log=lines), ""))


def test_a_plan_that_names_somebody_is_a_visit_to_them() -> None:
    (item,) = planned("Mit Emre sprechen: Asche")
    assert (item.type, item.cast, item.place) == ("ENCOUNTER", ("vera", "emre"), "kontor")
    assert item.intent == "Mit Emre sprechen: Asche"
    assert item.topic == "", "only the one who comes knows what about"


def test_a_plan_that_names_nobody_is_work_in_company() -> None:
    (item,) = planned("Arbeiten an: Turm")
    assert (item.type, item.cast[0], len(item.cast)) == ("WORK", "vera", 3)


def test_what_is_done_already_is_not_proposed_again() -> None:
    assert planned("DONE: Turm") == []
    assert planned("Mit Emre sprechen: Asche", log=("ENCOUNTER", "emre", "vera")) == []
    assert planned("Arbeiten an: Turm", log=("WORK", "vera", "emre")) == []
    assert len(planned("Arbeiten an: Turm", log=("WORK", "emre", "vera"))) == 1, "that was Emre's work"


# -- artifacts, distance, rhythm ---------------------------------------------------------------------


def test_others_may_react_to_fresh_work_until_somebody_did() -> None:
    made = node(1, type="artifact", metadata={"artifact_path": "gallery/a/x.md", "title": "Turm"})
    cast = (agent("emre"), agent("finn"), agent("vera", stream=[made]))
    work = entry(1, "WORK", "vera", "emre", artifacts=["gallery/a/x.md"])
    found = {item.cast: item.score for item in from_artifacts(world(*cast, log=[work]), "")}
    assert set(found) == {("emre", "vera"), ("finn", "vera")}
    assert found["finn", "vera"] > found["emre", "vera"], "Emre has seen it already"
    answered = entry(1, "ENCOUNTER", "finn", "vera", answers=["gallery/a/x.md"], scene=2)
    assert list(from_artifacts(world(*cast, log=[work, answered]), "")) == []
    assert list(from_artifacts(world(*cast, log=[work], day=3), "")) == [], "no longer fresh"


def test_work_that_nobody_remembers_making_is_passed_over() -> None:
    lines = [entry(1, "WORK", "vera", "creative-director", artifacts=["x.md", {"path": "gallery/"}])]
    assert list(from_artifacts(world(*CAST, log=lines), "")) == []


def test_the_longer_two_have_not_met_alone_the_more_they_should() -> None:
    log = [entry(1, "ENCOUNTER", "emre", "vera"), entry(4, "ENCOUNTER", "finn", "vera"), entry(4, "MEETING", *"abc")]
    scores = {item.cast: item.score for item in from_distance(world(*CAST, log=log, day=5), "")}
    assert scores["emre", "finn"] > scores["emre", "vera"] > scores["finn", "vera"]
    today = [entry(5, "ENCOUNTER", "vera", "emre")]
    assert ("emre", "vera") not in {item.cast for item in from_distance(world(*CAST, log=today, day=5), "")}


def test_the_longer_there_was_no_round_the_more_there_should_be_one() -> None:
    scores = [
        next(iter(from_rhythm(world(*CAST, log=[entry(day, "MEETING", "vera")], day=6), ""))).score
        for day in (6, 5, 4, 1)
    ]
    assert scores == sorted(scores)
    assert scores[0] == 0


def test_all_meet_where_they_met_last_else_where_nobody_lives() -> None:
    def place(one: World) -> str:
        return next(iter(from_rhythm(one, ""))).place

    homes = (agent("emre", home="kontor"), agent("vera", home="atelier"))
    rooms = Settings(places={"kontor": "…", "atelier": "…", "hall": "…"})
    assert place(world(*homes, settings=rooms)) == "hall"
    assert place(world(*homes, settings=rooms, log=[entry(1, "MEETING", place="dach")])) == "dach"
    assert place(world(*CAST)) == "atelier"


def test_who_has_waited_longest_opens_the_round() -> None:
    log = [entry(1, "MEETING", "emre", "finn", "vera"), entry(2, "MEETING", "finn", "emre", "vera")]
    (item,) = from_rhythm(world(*CAST, log=log, day=3), "")
    assert item.cast == ("vera", "emre", "finn")


def test_a_long_brief_is_told_in_full_and_explained_in_short() -> None:
    (item,) = from_posts(world(*CAST, posts=[post("wort " * 100)]), "")
    assert item.topic == "wort " * 100
    reason: Reason = item.reasons[0]
    assert len(reason.values["text"]) <= 92
    assert reason.values["text"].endswith("…")
