import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.memory.importance import Ratings, as_seen_by_others, rate_by_rule, weigh_facets


@pytest.mark.parametrize(
    ("text", "rated"),
    [
        ("", 3),
        ("I had coffee.", 3),
        ("This is important.", 4),  # 3.5, rounded half up
        ("I feel this is urgent.", 4),
        ("I agree with the decision, it is critical.", 5),  # 4.5
        ("We disagree.", 4),  # contains "agree" as well
        ("x" * 200, 3),
        ("x" * 201, 4),
        ("x" * 500, 4),
        ("x" * 501, 5),
        ("important critical urgent decision disagree believe feel " + "x" * 500, 9),
    ],
)
def test_length_and_signal_words_make_a_memory_more_important(text: str, rated: int) -> None:
    assert rate_by_rule(text) == rated


def test_a_signal_word_counts_once_and_in_any_case() -> None:
    assert rate_by_rule("URGENT urgent Urgent, urgently") == rate_by_rule("urgent")


def test_german_text_is_rated_by_german_words() -> None:
    assert rate_by_rule("Das ist wichtig und dringend: eine Entscheidung.", "de") == 5
    assert rate_by_rule("Das ist wichtig und dringend: eine Entscheidung.", "en") == 3


def test_an_unknown_language_is_rated_by_the_english_words() -> None:
    assert rate_by_rule("An urgent decision.", "nl") == rate_by_rule("An urgent decision.", "en") == 4


@given(st.text(), st.sampled_from(["de", "en", "nl"]))
def test_every_rating_is_an_importance(text: str, language: str) -> None:
    assert 3 <= rate_by_rule(text, language) <= 10


def test_the_work_of_others_is_two_less_important_than_ones_own() -> None:
    assert as_seen_by_others(8, shares_topic=False) == 6
    assert as_seen_by_others(8, shares_topic=True) == 7


@given(st.integers(1, 10), st.booleans())
def test_the_work_of_others_has_an_importance_too(importance: int, shares_topic: bool) -> None:
    seen = as_seen_by_others(importance, shares_topic)
    assert 1 <= seen <= max(1, importance - 1)


def test_a_world_may_have_signal_words_of_its_own() -> None:
    own = {"de": ("Glut", "ASCHE"), "nl": ("belangrijk",)}
    assert rate_by_rule("Die Glut ist aus, nur Asche.", "de", own) == 4
    assert rate_by_rule("Das ist wichtig und dringend: eine Entscheidung.", "de", own) == 3
    assert rate_by_rule("Dit is belangrijk.", "nl", own) == 4
    assert rate_by_rule("An urgent decision.", "en", own) == 4, "a language without words of its own keeps the built-in"
    assert rate_by_rule("An urgent decision.", "en", {"en": ()}) == 3


def test_ratings_are_found_by_agent_and_text() -> None:
    ratings = Ratings("llm", {("vera", "Der Turm."): 8})
    assert ratings.find("vera", "Der Turm.") == 8
    assert ratings.find("emre", "Der Turm.") is None
    assert ratings.find("vera", "Ein Turm.") is None


@pytest.mark.parametrize(
    ("goal", "feeling", "new", "importance"),
    [(0, 0, 0, 1), (1, 1, 1, 10), (0.5, 0.5, 0.5, 6), (1, 0, 0, 5), (0, 1, 0, 4), (0, 0, 1, 4)],
)
def test_three_facets_are_weighed_into_one_importance(goal: float, feeling: float, new: float, importance: int) -> None:
    assert weigh_facets({"goal_relevance": goal, "emotional_impact": feeling, "novelty": new}) == importance
