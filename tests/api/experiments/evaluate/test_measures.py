"""Each measure finds what was planted, and nothing in a clean world."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gm.api.answers.document import as_json
from gm.api.answers.moods import mood_in
from gm.api.experiments.evaluate.evaluation import MEASURES, describe_evaluation
from gm.api.experiments.evaluate.measure import MOST_CASES
from gm.api.experiments.evaluate.report import render_markdown
from gm.api.experiments.evaluate.support import NOT_KNOWING, says_not_knowing
from gm.base.errors import UsageError
from gm.files.layout import Layout
from gm.llm.rehearsal.voice import load_pack
from gm.model.interview import Quote, Source
from tests.api.experiments.evaluate.planted import DAYS, Planted, clean, figure

OWN = ("promises", "plans", "repetition", "drift", "citations", "support")


@pytest.fixture(scope="module")
def _clean(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    return clean(tmp_path_factory.mktemp("clean") / "clean")


@pytest.fixture
def world(_clean: Planted, tmp_path: Path) -> Planted:
    return _clean.copied(tmp_path / "clean")


def test_a_clean_world_has_figures_and_no_cases(world: Planted) -> None:
    for measured in describe_evaluation(world.layout, OWN).measures:
        assert not measured.missing, measured.name
        assert measured.figures, measured.name
        assert not measured.cases, measured.cases
        assert measured.definition
        assert measured.source
        assert measured.interval


def test_a_world_without_a_day_has_no_evidence_and_no_figure(dinner: Layout) -> None:
    for measured in describe_evaluation(dinner).measures:
        assert all(figure.value is None or figure.count for figure in measured.figures), measured.name
        if measured.name in OWN:
            assert measured.missing
            assert not measured.figures


def test_every_figure_lies_in_its_interval(played: Layout) -> None:
    for measured in describe_evaluation(played).measures:
        for found in measured.figures:
            if found.unit == "share" and found.value is not None:
                assert 0 <= found.value <= 1
                assert found.count
            if found.low is not None and found.value is not None and found.high is not None:
                assert found.low - 1e-9 <= found.value <= found.high + 1e-9, (measured.name, found)
            assert found.count or found.value in (None, 0), found


def test_names_and_days_that_are_not_there(world: Planted) -> None:
    assert [one.name for one in describe_evaluation(world.layout).measures] == [one.name for one in MEASURES]
    with pytest.raises(UsageError, match="no measure 'promisses'") as caught:
        describe_evaluation(world.layout, ["promisses"])
    assert caught.value.hint == "did you mean promises?"
    with pytest.raises(UsageError, match="no days 40 to 50"):
        describe_evaluation(world.layout, (), 40, 50)


def promise(world: Planted, number: int = 2, **values: object) -> None:
    opened = {"id": f"thread-{number:03d}", "at": "day-003/scene-01", "event": "open", "kind": "promise", "due": 4}
    world.thread(**{**opened, "to": ("casey",), **values})


def test_a_promise_that_is_not_spoken_of_again_is_forgotten(world: Planted) -> None:
    promise(world)

    measured = world.measured("promises")
    assert figure(measured, "forgotten") == (0.5, 2)
    assert figure(measured, "kept") == (0.5, 2)
    assert [(case.agent, case.at) for case in measured.cases] == [("alex", "day-003/scene-01")]
    assert measured.cases[0].text == "forgotten: thread-002, due day 4: I bring the copper kettle to Casey."


@pytest.mark.parametrize("how", ["said", "remembered"])
def test_one_that_came_up_again_has_lapsed(world: Planted, how: str) -> None:
    promise(world)
    text = "The copper kettle is still at home."
    if how == "said":
        world.say(5, {"alex": text})
    else:
        world.remember("casey", 5, text)
    assert figure(world.measured("promises"), "lapsed") == (0.5, 2)
    assert figure(world.measured("promises"), "forgotten") == (0, 2)


def test_one_without_a_word_of_its_own_does_not_come_up_by_itself(world: Planted) -> None:
    promise(world, text="Casey, I do it.")
    world.say(5, {"alex": "The copper kettle is still at home."})
    assert figure(world.measured("promises"), "forgotten") == (0.5, 2)


def test_what_others_or_the_game_master_say_is_no_word_of_theirs(world: Planted) -> None:
    promise(world)
    world.say(5, {"jordan": "The copper kettle is still at home."})
    world.remember("alex", 5, "The copper kettle is still open.", metadata={"importance_by": "gm"})
    assert figure(world.measured("promises"), "forgotten") == (0.5, 2)


def test_one_that_the_game_master_laid_aside_is_forgotten_and_not_renounced(world: Planted) -> None:
    promise(world, due=None)
    assert figure(world.measured("promises"), "open") == (1, 1)
    world.thread(id="thread-002", at="day-007", event="close", by="gm", outcome="dropped", text="Laid aside.")
    assert figure(world.measured("promises"), "forgotten") == (0.5, 2)


@pytest.mark.parametrize(
    ("outcome", "name"), [("kept", "kept"), ("broken", "missed"), ("missed", "missed"), ("dropped", "renounced")]
)
def test_those_that_were_settled_count_by_their_outcome(world: Planted, outcome: str, name: str) -> None:
    promise(world, kind="appointment")
    world.thread(id="thread-002", at="day-004/scene-01", event="close", outcome=outcome, text="So be it.")
    measured = world.measured("promises")
    assert figure(measured, name) == ((1.0, 2) if name == "kept" else (0.5, 2))
    assert figure(measured, "forgotten") == (0, 2)


def test_of_earlier_days_a_promise_is_seen_as_it_stood_then(world: Planted) -> None:
    measured = world.measured("promises", 1, 1)
    assert figure(measured, "open") == (1, 1)
    assert figure(measured, "kept") == (None, 0), "no evidence, and no best score"
    assert world.measured("promises", 3, DAYS).missing


@pytest.mark.parametrize(("first", "forgotten"), [(4, (1.0, 1)), (5, None)])
def test_what_was_overdue_before_the_days_has_not_ended_in_them(
    world: Planted, first: int, forgotten: tuple[float, int] | None
) -> None:
    promise(world)
    measured = world.measured("promises", first, DAYS)
    assert bool(measured.missing) is (forgotten is None)
    assert forgotten is None or figure(measured, "forgotten") == forgotten


def test_an_item_that_is_moved_and_moved_again_is_found(world: Planted) -> None:
    item = "Work on: letter about the copper kettle for Noor"
    for day in range(DAYS + 1, DAYS + 4):
        world.close(day, alex=[{"text": item, "status": "moved"}])

    measured = world.measured("plans")
    assert figure(measured, "moved again") == (pytest.approx(2 / (2 * DAYS + 3)), 2 * DAYS + 3)
    assert [case.text for case in measured.cases] == [f"moved on 3 days: {item}"]


@pytest.mark.parametrize(
    ("later", "again"),
    [
        ("Talk to Casey: once more the letter about the kettle", True),
        ("Talk to Jordan: a letter about the copper kettle", False),
        ("Talk to Casey: a letter about the stork", False),
    ],
)
def test_other_words_are_the_same_item_if_they_share_its_matter(world: Planted, later: str, again: bool) -> None:
    for day, text in enumerate(("Talk to Casey: a letter about the copper kettle", later), DAYS + 1):
        world.close(day, alex=[{"text": text, "status": "moved"}])
    assert figure(world.measured("plans"), "moved again")[0] == pytest.approx(again / (2 * DAYS + 2))


def test_what_was_done_in_between_is_not_moved_again(world: Planted) -> None:
    for day, status in enumerate(("moved", "done", "moved"), DAYS + 1):
        world.close(day, alex=[{"text": "letter about the copper kettle", "status": status}])
    assert figure(world.measured("plans"), "moved again") == (0, 2 * DAYS + 2)


def test_items_without_a_reason_or_a_status_are_cases(world: Planted) -> None:
    items = [
        {"text": "one", "status": "dropped"},
        {"text": "two", "status": "dropped", "why": "no time"},
        {"text": "three"},
    ]
    world.close(DAYS + 1, casey=items)
    measured = world.measured("plans", DAYS + 1)
    assert figure(measured, "dropped", "casey") == (pytest.approx(2 / 3), 3)
    assert figure(measured, "without a status") == (pytest.approx(1 / 3), 3)
    assert [case.text for case in measured.cases] == ["dropped without a reason: one", "nothing is known of: three"]


def test_a_week_that_is_said_again_is_found(world: Planted) -> None:
    said = [world.words(80) for _ in range(3)]
    for day, text in enumerate((*said, *said), DAYS + 1):
        world.say(day, {"alex": text})

    measured = world.measured("repetition", DAYS + 1)
    assert figure(measured, "said before", f"day-{DAYS + 4:03d}") == (1.0, 77)
    assert figure(measured, "said before") == (0.5, 6 * 77)
    assert figure(measured, "longest run", "alex")[0] == 80
    assert [case.at for case in measured.cases] == [f"day-{day:03d}" for day in range(DAYS + 4, DAYS + 7)]
    assert measured.cases[0].text.startswith("100% said on earlier days, at most 80 words on end: ")


def test_what_another_said_before_and_what_is_repeated_on_a_day_does_not_count(world: Planted) -> None:
    text = world.words(80)
    world.say(DAYS + 1, {"alex": text})
    world.say(DAYS + 1, {"alex": text})
    world.say(DAYS + 2, {"casey": text})
    assert figure(world.measured("repetition"), "said before")[0] == 0


def test_plans_and_the_game_masters_words_may_repeat(world: Planted) -> None:
    text = world.words(80)
    for day in (DAYS + 1, DAYS + 2):
        world.remember("alex", day, text, type="plan", metadata={"kind": "plan"})
        world.remember("alex", day, text, metadata={"importance_by": "gm"})
    world.close(DAYS + 2)
    assert not world.cases("repetition")


def test_a_single_day_has_nothing_before_it(tmp_path: Path) -> None:
    assert clean(tmp_path / "one", days=1).measured("repetition", 1, 1).missing


def test_importance_that_rises_is_found_with_its_slope(tmp_path: Path) -> None:
    world = Planted(tmp_path / "rising")
    for day in range(1, 9):
        for extra in (0, 1):
            world.remember("alex", day, importance=day + extra + (1, -1, -1, 1)[day % 4 - 1])
            world.remember("casey", day, importance=5 + extra)
        world.close(day)

    measured = world.measured("drift")
    assert figure(measured, "slope", "alex") == (pytest.approx(1.0), 16)
    assert figure(measured, "slope", "casey")[0] == pytest.approx(0)
    assert {case.agent for case in measured.cases} == {"all", "alex"}
    assert measured.cases[1].text == "importance +1.00 points a day, +7.0 over the days"


def test_the_importance_of_what_was_lived_does_not_move_with_reflections_and_plans(tmp_path: Path) -> None:
    without, full = Planted(tmp_path / "without"), Planted(tmp_path / "full")
    for world in (without, full):
        for day in (1, 2):
            lived = world.remember("alex", day, importance=4 + day)
            if world is full:
                world.remember("alex", day, type="reflection", evidence=(lived,), depth=1, importance=9)
                world.remember("alex", day, type="plan", metadata={"kind": "plan"}, importance=1)
            world.close(day)
    more, less = full.measured("drift"), without.measured("drift")
    assert figure(more, "lived: mean importance") == figure(less, "lived: mean importance") == (5.5, 2)
    assert figure(more, "lived: slope", "alex") == figure(less, "lived: slope", "alex") == (pytest.approx(1.0), 2)
    assert figure(more, "mean importance")[0] != figure(less, "mean importance")[0]


def test_few_days_have_a_slope_without_an_interval(tmp_path: Path) -> None:
    world = Planted(tmp_path / "short")
    for day in range(1, 4):
        world.remember("alex", day, importance=3 * day)
        world.close(day)
    measured = world.measured("drift")
    slope = next(one for one in measured.figures if one.name == "slope")
    assert slope.value == pytest.approx(3.0)
    assert (slope.low, slope.high) == (None, None)
    assert not measured.cases


def test_moods_come_from_the_traces_of_days(played: Layout) -> None:
    measured = describe_evaluation(played, ["drift"]).measures[0]
    assert figure(measured, "mood kept from the day before") == (None, 0)
    different, _ = figure(measured, "different moods")
    assert different


def test_moods_are_named_on_one_line_that_can_be_written(played: Layout) -> None:
    mood = f"calm, \ud83d, a \x1b[31mred\u2028day, {'very ' * 40}sad"
    for path in played.traces.rglob("*.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        if mood_in(record):
            path.write_text(json.dumps({**record, "answer": json.dumps({"mood": mood})}), encoding="utf-8")
    evaluation = describe_evaluation(played, ["drift"])
    moods = [one.name for one in evaluation.measures[0].figures if one.name.startswith("mood: ")]
    assert moods == ["mood: a [31mred day", "mood: calm", f"mood: {('very ' * 40)[:59]}…"]
    assert figure(evaluation.measures[0], "different moods") == (3, 3)
    assert render_markdown(evaluation).encode()


def test_any_name_of_a_person_can_be_written(world: Planted) -> None:
    promise(world, by="al\x1b\nex")
    measured = world.measured("promises")
    assert figure(measured, "forgotten", "al ex") == (1, 1)
    assert [case.agent for case in measured.cases] == ["al ex"]


def test_reflections_that_rest_on_nothing_lived_are_found(world: Planted) -> None:
    good = world.remember("alex", 2)
    chain = world.remember("alex", 3, type="reflection", evidence=(good,))
    world.remember("alex", 4, type="reflection", evidence=(chain,))
    bad = [
        world.remember("alex", 4, "It is so.", type="reflection"),
        world.remember("alex", 4, "It was so.", type="reflection", evidence=("alex-999",)),
        world.remember("alex", 4, "It will be so.", type="reflection", evidence=(world.remember("alex", 6),)),
    ]
    bad.append(world.remember("alex", 5, "So be it.", type="reflection", evidence=(bad[0],)))

    measured = world.measured("citations")
    assert [case.at for case in measured.cases] == bad
    assert [case.text for case in measured.cases] == [
        "cites nothing: It is so.",
        "cites no memory that it could: It was so.",
        "cites no memory that it could: It will be so.",
        "cites nothing lived: So be it.",
    ]
    assert figure(measured, "reflection: rests on what was lived", "casey") == (1.0, DAYS)


def test_memories_that_cite_each_other_rest_on_nothing(world: Planted) -> None:
    for name, other in (("alex-101", "alex-102"), ("alex-102", "alex-101")):
        world.remember("alex", 4, "Round and round.", id=name, type="reflection", evidence=(other,))
    assert [case.at for case in world.cases("citations")] == ["alex-101", "alex-102"]


def test_only_what_a_later_day_could_cite_is_counted(world: Planted) -> None:
    plan = world.remember("alex", 2, type="plan")
    world.remember("alex", DAYS, type="plan")
    assert figure(world.measured("citations"), "plan: cited later") == (0.0, 1)
    world.remember("casey", 3, type="reflection", evidence=(plan,))
    assert figure(world.measured("citations"), "plan: cited later") == (1.0, 1)


def test_a_thread_is_taken_up_by_a_scene_or_settled(world: Planted) -> None:
    promise(world)
    assert figure(world.measured("citations"), "thread: taken up later") == (0.5, 2)
    world.say(4, {"alex": "Well."}, answers=["thread-002"])
    assert figure(world.measured("citations"), "thread: taken up later") == (1.0, 2)


def test_answers_with_false_citations_are_found(world: Planted) -> None:
    own = world.remember("alex", 2, "The stork nested on the chimney.")
    later = world.remember("alex", 6, "The stork has flown away.")
    other = world.remember("casey", 2, "The stork is mine.")
    said = "I like the stork."
    for number, cited in enumerate(((own,), (), (other,), ("alex-999",), (later,)), 3):
        world.answer(key=f"memory-{number}", answer=said, cited=cited)
    world.answer(key="memory-8", answer="I like boats.", cited=(own,))
    world.answer(key="memory-9", answer="")

    measured = world.measured("support")
    assert figure(measured, "supported") == (pytest.approx(2 / 7), 7)
    assert figure(measured, "without an answer") == (1, 1)
    assert [case.text for case in measured.cases] == [
        f"memory-4, cites nothing: {said}",
        f"memory-5, cites no memory of its own ({other}): {said}",
        f"memory-6, cites no memory of its own (alex-999): {said}",
        f"memory-7, cites only what came later ({later}): {said}",
        f"memory-8, shares no telling word with what it cites ({own}): I like boats.",
    ]


def test_one_good_citation_supports_an_answer(world: Planted) -> None:
    good = world.remember("alex", 2, "Storks nested on the chimney.")
    world.answer(answer="The stork nests there.", cited=("alex-999", good), at="day-002/scene-03")
    assert not world.cases("support")


def test_what_has_no_id_is_said_and_not_checked(world: Planted) -> None:
    world.answer(key="plans-3", kind="plans", answer="Xylophones.", sources=("board",))
    world.answer(key="plans-4", kind="plans", answer="Xylophones.")
    measured = world.measured("support")
    assert figure(measured, "supported") == (pytest.approx(1 / 3), 3)
    assert figure(measured, "names another source") == (pytest.approx(1 / 3), 3)
    assert [case.text for case in measured.cases] == ["plans-4, cites nothing: Xylophones."]


def quoted(*words: str, source: Source = "plan") -> dict[str, Any]:
    return {"sources": (source,), "quotes": tuple(Quote(source, text) for text in words)}


def test_a_quote_supports_an_answer_by_a_telling_word(world: Planted) -> None:
    asked = {"question": "When do you fetch the walrus?", "answer": "I fetch the walrus on Thursday."}
    world.answer(key="plans-3", kind="plans", **asked, **quoted("nothing else", "Thursdays at the harbour"))
    world.answer(key="plans-4", kind="plans", **asked, **quoted("fetch the walrus"))
    world.answer(key="plans-5", kind="plans", **asked, **quoted("at the harbour", source="board"))
    world.answer(key="plans-6", kind="plans", **asked, cited=("alex-999",), **quoted("at the harbour"))
    world.answer(key="plans-7", kind="plans", **asked, sources=("plan",))
    measured = world.measured("support")
    assert figure(measured, "supported") == (pytest.approx(2 / 6), 6)
    assert figure(measured, "supported by a memory") == (pytest.approx(1 / 6), 6)
    assert figure(measured, "names another source") == (pytest.approx(1 / 6), 6)
    assert figure(measured, "supported: plans") == (pytest.approx(1 / 5), 5)
    assert [case.text for case in measured.cases] == [
        f"plans-4, shares no telling word with what it quotes (plan): {asked['answer']}",
        f"plans-5, shares no telling word with what it quotes (board): {asked['answer']}",
        "plans-6, cites no memory of its own (alex-999), and shares no telling word with what it quotes (plan):"
        f" {asked['answer']}",
    ]


def test_a_word_of_most_memories_is_not_telling_in_a_quote(world: Planted) -> None:
    for day in range(1, 6):
        for number in range(4):
            world.remember("alex", day, f"The kettle again, thing{day}{number}.")
    world.answer(key="plans-3", kind="plans", answer="The kettle, then.", **quoted("mend the kettle"))
    world.answer(key="plans-4", kind="plans", answer="The kettle is mended.", **quoted("mended the kettle"))
    assert [case.text for case in world.cases("support")] == [
        "plans-3, shares no telling word with what it quotes (plan): The kettle, then."
    ]


def test_a_cited_memory_may_share_a_word_of_the_question(world: Planted) -> None:
    told = world.remember("alex", 2, "The walrus sleeps.")
    world.answer(key="memory-3", question="What of the walrus?", answer="The walrus!", cited=(told,))
    assert figure(world.measured("support"), "supported by a memory") == (1.0, 2)


def test_chance_draws_a_memory_for_each_quote_too(world: Planted) -> None:
    for day in range(1, 6):
        world.remember("alex", day, f"A pelican number{day}.")
    world.answer(key="plans-3", kind="plans", answer="Pelicans.", **quoted("no such bird"))
    asked = {"question": "Any pelicans?", "answer": "Pelicans.", "at": "day-004"}
    few = chance_of(world)
    world.answer(key="plans-3", kind="plans", **asked, **quoted("no such bird"))
    world.answer(key="plans-4", kind="plans", **asked, **quoted("no such bird", "nor this one"))
    assert few > 0
    assert chance_of(world) == pytest.approx(few / 2), "the question's own words count for no quote"


def test_each_named_line_is_held_against_memories_at_random(world: Planted) -> None:
    good, bad = world.remember("alex", 2, "The walrus sleeps."), world.remember("alex", 2, "It rained.")
    before, begun = figure(world.measured("support"), "named lines that support")
    assert before is not None
    cited = (good, bad, "alex-999")
    world.answer(key="memory-3", answer="The walrus naps.", cited=cited, **quoted("walrus", "ferry"))
    measured = world.measured("support")
    assert figure(measured, "named lines that support") == (
        pytest.approx((before * begun + 2) / (begun + 5)),
        begun + 5,
    )
    assert (figure(measured, "such lines by chance")[0] or 1) < 0.5


def chance_of(world: Planted) -> float:
    value, _ = figure(world.measured("support"), "supported by chance")
    assert isinstance(value, float)
    return value


def test_a_word_of_most_memories_supports_nothing_and_chance_is_said(world: Planted) -> None:
    for day in range(1, 6):
        for number in range(4):
            world.remember("alex", day, f"The kettle again, thing{day}{number}.")
    told = world.remember("alex", 2, "The kettle and the walrus.")
    world.answer(key="memory-3", answer="It was the kettle.", cited=(told,))
    assert [case.text for case in world.cases("support")] == [
        f"memory-3, shares no telling word with what it cites ({told}): It was the kettle."
    ]
    world.answer(key="memory-3", answer="It was the walrus.", cited=(told,), at="day-004")
    measured = world.measured("support")
    assert [case.at for case in measured.cases] == ["day-003"]
    (chance,) = (one.value for one in measured.figures if one.name == "supported by chance")
    (supported,) = (one.value for one in measured.figures if (one.of, one.name) == ("all", "supported"))
    assert chance is not None
    assert supported is not None
    assert chance < 0.2 < supported


@pytest.mark.parametrize(
    "answer",
    [
        "Das weiß ich nicht.",
        "Ich weiß von keinem Ball.",
        "Keine Ahnung, ehrlich.",
        "Davon habe ich nie gehört.",
        "I’ve no idea.",
        "I DON’T KNOW.",
    ],
)
def test_a_trap_that_is_answered_with_not_knowing(world: Planted, answer: str) -> None:
    world.answer(key="memory-3", trap=True, answer=answer)
    assert figure(world.measured("support"), "traps: not known") == (1.0, 2)


def test_answers_from_which_something_was_kept_count_apart(world: Planted) -> None:
    before = figure(world.measured("support"), "supported")
    world.answer(key="memory-3", answer="I like storks.", without=("memories",))
    world.answer(key="trap-3", answer="Bruno.", trap=True, without=("memories",))
    measured = world.measured("support")
    assert figure(measured, "supported") == before
    assert figure(measured, "supported, without memories") == (0.0, 1)
    assert figure(measured, "traps: not known, without memories") == (0.0, 1)
    assert measured.cases == ()


@pytest.mark.parametrize("answer", ["The wedding was lovely, there was no wind.", "I can't say enough good about it."])
def test_words_of_an_answer_are_no_words_of_not_knowing(answer: str) -> None:
    assert not says_not_knowing(answer)


def test_phrases_of_not_knowing_are_phrases() -> None:
    assert min(len(phrase) for phrases in NOT_KNOWING.values() for phrase in phrases) >= len("no idea")


def test_a_trap_that_is_answered_is_a_case(world: Planted) -> None:
    world.answer(key="memory-3", trap=True, answer="He is called Bruno.")
    measured = world.measured("support")
    assert figure(measured, "traps: not known") == (0.5, 2)
    assert [case.text for case in measured.cases] == ["memory-3, a trap, answered: He is called Bruno."]


def test_only_interviews_of_the_days_count_and_cases_are_few(world: Planted) -> None:
    for number in range(MOST_CASES + 5):
        world.answer(key=f"plans-{number}", kind="plans", answer="So.", at="day-006")
    assert len(world.cases("support")) == MOST_CASES
    assert figure(world.measured("support", 1, 4), "supported") == (1.0, 1)
    assert world.measured("support", 7, 8).missing


@pytest.mark.parametrize("language", sorted(NOT_KNOWING))
def test_what_the_rehearsal_says_to_a_trap_is_not_knowing(language: str) -> None:
    assert [answer for answer in load_pack(language)["nothing_recalled"] if not says_not_knowing(answer)] == []


def test_another_world_is_measured_beside_it(dinner: Layout, played: Layout) -> None:
    found = describe_evaluation(played, ["plans"], against=dinner)
    own, other = (as_json(describe_evaluation(one, ["plans"])) for one in (played, dinner))
    assert as_json(found) == {**own, "against": other}
