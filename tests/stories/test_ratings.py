"""Days in which every reply leaves importance out: who rates the memories then, and that nothing is asked twice."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.check.whole import check_world
from gm.ask.prompt.render import inner_quotes
from gm.base.config import LlmSettings
from gm.base.errors import BackendError, ReplyError, WaitingError
from gm.files.layout import Layout
from gm.files.questions.mailbox import PostFolder
from gm.files.questions.traces import TraceReader
from gm.llm.base import Answer, Request, Surroundings
from gm.llm.choose import Choice, choose_backend
from gm.llm.identity import identity
from gm.llm.rehearsal.backend import Rehearsal
from gm.llm.rehearsal.facts import RatingFacts
from gm.memory.importance import rate_by_rule
from gm.play.master import game_master, run_days
from gm.scene.directing.choosing import SceneRequest
from tests.llm.messages_api import Body, MessagesApi, asks_for, good_reply, serving
from tests.llm.messages_api import Reply as ApiReply
from tests.stories.playing import Counting, Heard, Scripted, edit, nodes_of, play, play_with, records, tree

METHODS = ("heuristic", "llm", "batch")
Reply = dict[str, Any]


def rate_with(layout: Layout, method: str, more: str = "") -> None:
    """Set ``importance.missing`` the way a person does."""
    text = layout.settings.read_text(encoding="utf-8")
    layout.settings.write_text(f"{text}\nimportance:\n  missing: {method}\n{more}", encoding="utf-8")


def without_importance(request: Request, reply: Reply) -> Reply:
    """Leave out any importance of a reply; the first character by name leaves out its conversation altogether."""
    if request.purpose == "rating":
        return reply
    for key in ("plan", "artifact", "conversation"):
        if reply.get(key):
            del reply[key]["importance"]
    for item in (*reply.get("memories", ()), *reply.get("insights", ())):
        del item["importance"]
    if request.who in ("alex", "darius") and request.purpose == "scene":
        reply["conversation"] = None
    return reply


NO_SIGNALS: Mapping[str, tuple[str, ...]] = {}


def to_rate(request: Request) -> RatingFacts:
    assert isinstance(request.facts, RatingFacts)
    return request.facts


def forgetful(numbers: int | None = None, **others: Any) -> Scripted:
    """Make a backend that leaves importance out, and rates everything the same if a number is given."""

    def change(request: Request, reply: Reply) -> Reply:
        if request.purpose == "rating" and numbers is not None:
            facts = to_rate(request)
            return {"importance": [numbers] * len(facts.texts) if facts.together else numbers}
        return without_importance(request, reply)

    return Scripted(change, **others)


def ratings_of(backend: Scripted | Counting) -> list[Request]:
    return [request for request in backend.asked if request.purpose == "rating"]


def by_model(nodes: list[Reply]) -> list[Reply]:
    """Leave out what the Game Master rates by itself: work and talk that a character only sees."""
    return [node for node in nodes if node["metadata"].get("importance_by") != "gm"]


@pytest.mark.matrix
@pytest.mark.parametrize("template", ["studio", "dinner"])
@pytest.mark.parametrize("method", METHODS)
def test_a_day_without_any_importance_is_rated_and_names_the_rater(
    method: str, template: str, request: pytest.FixtureRequest
) -> None:
    layout: Layout = request.getfixturevalue(template)
    rate_with(layout, method, "reflection:\n  threshold: 15\n")  # so low that a character reflects on the first day
    backend, heard = forgetful(), Heard()
    play(layout, backend=backend, report=heard)
    nodes = by_model(nodes_of(layout))
    assert {node["type"] for node in nodes} == {"observation", "plan", "artifact", "conversation", "reflection"}
    assert {node["metadata"]["importance_by"] for node in nodes} == {method}
    language = "de" if template == "studio" else "en"
    assert all(node["importance"] == rate_by_rule(node["description"], language) for node in nodes), (
        "a rehearsal's rule"
    )
    assert heard.notices == []
    assert [problem for problem in check_world(layout).problems if problem.severity != "info"] == []
    asked = ratings_of(backend)
    scenes = {node["created"] for node in nodes}
    assert len(asked) == {"heuristic": 0, "llm": len(nodes), "batch": len(scenes)}[method]
    assert len({(item.place, item.label) for item in asked}) == len(asked)


def test_what_the_model_says_is_the_importance_and_the_rule_is_not(dinner: Layout) -> None:
    rate_with(dinner, "llm")
    play(dinner, backend=forgetful(9))
    assert {node["importance"] for node in by_model(nodes_of(dinner))} == {9}
    for name in dinner.agent_names():
        state = json.loads(dinner.agent(name).read_text(encoding="utf-8"))
        total = sum(node["importance"] for node in records(dinner.stream(name)))
        # a character may have reflected in the evening
        assert state["last_reflection"] or state["importance_accumulator"] == total
    seen = [node for node in nodes_of(dinner) if "artifact_path" in node["metadata"] and node["type"] == "observation"]
    assert {node["importance"] for node in seen} <= {7, 8}, "what others see follows from what the maker's was rated"
    assert seen


def test_replies_that_bring_their_importance_are_not_asked_about(dinner: Layout, studio: Layout) -> None:
    for layout, method in ((dinner, "llm"), (studio, "batch")):
        rate_with(layout, method)
        backend = Counting()
        play(layout, backend=backend)
        plain = [node for node in nodes_of(layout) if node["metadata"].get("importance_by") not in (None, "gm")]
        assert len(ratings_of(backend)) <= len(plain), "only what the Game Master put into words itself"


def test_each_memory_is_put_to_the_model_with_its_owner_and_nothing_else(dinner: Layout) -> None:
    rate_with(dinner, "llm")
    backend = forgetful(4)
    play(dinner, backend=backend)
    for asked in ratings_of(backend):
        (text,) = to_rate(asked).texts
        prompt = asked.messages[0][1]
        assert asked.system == backend.asked[-1].system, "what is the same for all comes first"
        assert asked.who
        assert asked.label.startswith(f"{asked.who}-rating-")
        assert f"“{inner_quotes(text)}”" in prompt
        assert asked.schema["title"] == "RatingReply"


def test_all_memories_of_a_scene_are_put_to_the_model_in_one_list(dinner: Layout) -> None:
    rate_with(dinner, "batch")
    backend = forgetful(4)
    play(dinner, backend=backend)
    for asked in ratings_of(backend):
        here = [node for node in by_model(nodes_of(dinner)) if node["created"] == asked.place]
        assert sorted(to_rate(asked).texts) == sorted(node["description"] for node in here)
        assert (asked.who, asked.label, asked.schema["title"]) == ("", "all-rating", "RatingsReply")
        for number in range(1, len(here) + 1):
            assert f"\n{number}. " in asked.messages[0][1]
        assert f"\n{len(here) + 1}. " not in asked.messages[0][1]


def test_ratings_are_kept_in_the_traces_of_their_scene(dinner: Layout) -> None:
    rate_with(dinner, "llm")
    backend = forgetful(6)
    play(dinner, backend=backend)
    for asked in ratings_of(backend):
        (path,) = (dinner.traces / asked.place).glob(f"{asked.label}.*.json")
        record = json.loads(path.read_text(encoding="utf-8"))
        assert (record["purpose"], record["who"]) == ("rating", asked.who)
        assert json.loads(record["answer"]["text"]) == {"importance": 6}


@pytest.mark.parametrize("method", ["llm", "batch"])
def test_a_model_of_its_own_rates(dinner: Layout, method: str) -> None:
    rate_with(dinner, method)
    path = dinner.persona("casey")
    path.write_text(path.read_text(encoding="utf-8").replace("---\n", "---\nmodel: grand\n", 1), encoding="utf-8")
    backend = forgetful(5)
    choice = Choice(backend, "a test", {"rating": "small"}, own_models=True)
    with game_master(dinner, choice, Heard(), command="test") as master:
        master.play_requested(SceneRequest("work", ("alex", "casey")))
    models = {asked.who: asked.model for asked in ratings_of(backend)}
    assert models == ({"alex": "small", "casey": "grand"} if method == "llm" else {"": "small"})


@pytest.mark.matrix
@pytest.mark.parametrize("method", ["llm", "batch"])
@pytest.mark.parametrize("stop", [4, 5, 9, 14, 20])
def test_a_day_that_stops_between_reply_and_rating_goes_on_and_asks_nothing_twice(
    dinner: Layout, tmp_path: Path, method: str, stop: int
) -> None:
    rate_with(dinner, method)
    other = Layout(tmp_path / "other")
    shutil.copytree(dinner.root, other.root)
    undisturbed = Counting(forgetful())
    play(dinner, backend=undisturbed)
    first, second = Counting(forgetful(), limit=stop), Counting(forgetful())
    with pytest.raises(BackendError):
        play(other, backend=first)
    play(other, backend=second)
    names = [Counter((asked.place, asked.label) for asked in backend.asked) for backend in (undisturbed, first, second)]
    assert names[1] + names[2] == names[0]
    assert tree(other.root) == tree(dinner.root)


@pytest.mark.parametrize("method", ["llm", "batch"])
def test_a_day_is_replayed_with_its_ratings(dinner: Layout, tmp_path: Path, method: str) -> None:
    rate_with(dinner, method)
    fresh = tmp_path / "fresh"
    shutil.copytree(dinner.root, fresh)
    play(dinner, backend=forgetful(7))
    around = Surroundings(recordings=TraceReader(dinner.traces))
    run_days(Layout(fresh), choose_backend("replay", "--model", around), Heard(), 1, command="test")
    assert tree(fresh, traces=False) == tree(dinner.root, traces=False)


def test_a_persona_that_is_renamed_while_the_model_rates_is_rated_under_its_new_name(dinner: Layout) -> None:
    rate_with(dinner, "llm")
    renamed: list[str] = []

    def change(request: Request, reply: Reply) -> Reply:
        if request.purpose == "rating" and not renamed:
            renamed.append(request.label)
            path = dinner.persona("casey")
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace("name: Casey", "name: Kasimira", 1), encoding="utf-8")
            edit(dinner.agent("casey"), {"name": "Kasimira"})
        return {"importance": 8} if request.purpose == "rating" else without_importance(request, reply)

    backend = Scripted(change)
    play_with(
        dinner,
        backend,
        Heard(),
        lambda master: master.play_requested(SceneRequest("arrival", ("alex", "casey", "jordan"))),
    )
    assert renamed
    nodes = by_model(nodes_of(dinner))
    assert {(node["importance"], node["metadata"]["importance_by"]) for node in nodes} == {(8, "llm")}


def answering(rating: str) -> Scripted:
    """Make a backend that leaves importance out and answers every question for a rating with this text."""

    def change(request: Request, reply: Reply) -> Reply | str:
        return rating if request.purpose == "rating" else without_importance(request, reply)

    return Scripted(change)


WORK = SceneRequest("work", ("alex",))


@pytest.mark.parametrize("bad", ["0", "11", "no idea", ""])
def test_an_answer_that_is_no_rating_is_asked_for_once_more(dinner: Layout, bad: str) -> None:
    rate_with(dinner, "batch")

    def change(request: Request, reply: Reply) -> Reply | str:
        if request.purpose != "rating":
            return without_importance(request, reply)
        return "\n".join("6" for _ in to_rate(request).texts) if request.label.endswith("-again") else bad

    backend, heard = Scripted(change), Heard()
    play_with(dinner, backend, heard, lambda master: master.play_requested(WORK))
    assert {node["importance"] for node in by_model(nodes_of(dinner))} == {6}
    labels = [asked.label for asked in ratings_of(backend)]
    assert labels == ["all-rating", "all-rating-again"]
    first, answer, again = ratings_of(backend)[1].messages
    assert (first[0], answer, again[0]) == ("user", ("assistant", bad or "…"), "user")
    assert "whole numbers from 1 to 10" in again[1]
    assert any("everybody (rating): asked again" in notice for notice in heard.notices)


@pytest.mark.parametrize("more", [-1, 1])
def test_a_list_of_another_length_is_shown_its_problem_and_never_cut(dinner: Layout, more: int) -> None:
    rate_with(dinner, "batch")

    def change(request: Request, reply: Reply) -> Reply | str:
        if request.purpose != "rating":
            return without_importance(request, reply)
        return "\n".join("7" for _ in range(len(to_rate(request).texts) + more))

    backend = Scripted(change)
    with pytest.raises(ReplyError, match=r"everybody \(rating\) stays unusable: found \d numbers?, expected \d"):
        play_with(
            dinner, backend, Heard(), lambda master: master.play_requested(SceneRequest("work", ("alex", "casey")))
        )
    assert [asked.label for asked in ratings_of(backend)] == ["all-rating", "all-rating-again"]
    assert ": one for each memory, in their order" in ratings_of(backend)[1].messages[2][1]
    assert not any(dinner.stream(name).read_text() for name in dinner.agent_names() if dinner.stream(name).exists())


def test_a_rating_that_stays_unusable_stops_the_scene_and_the_same_command_goes_on(dinner: Layout) -> None:
    rate_with(dinner, "llm")
    with pytest.raises(ReplyError, match=r"alex \(rating\) stays unusable: no number found"):
        play_with(dinner, answering("hm"), Heard(), lambda master: master.play_requested(WORK))
    assert list(dinner.traces.rglob("alex-rating-1*.rejected-1.json"))
    backend = answering("5")
    play_with(dinner, backend, Heard(), lambda master: master.play_requested(WORK))
    assert {request.purpose for request in backend.asked} == {"rating"}, "the reply itself is in the traces"
    assert {node["importance"] for node in by_model(nodes_of(dinner))} == {5}


def test_error_shows_the_reply_what_it_left_out(dinner: Layout) -> None:
    rate_with(dinner, "error")

    def change(request: Request, reply: Reply) -> Reply:
        return reply if request.label.endswith("-again") else without_importance(request, reply)

    backend, heard = Scripted(change), Heard()
    play_with(dinner, backend, heard, lambda master: master.play_requested(WORK))
    assert [request.label for request in backend.asked] == ["alex", "alex-again"]
    assert "memories.0.importance: missing" in backend.asked[1].messages[2][1]
    assert any("importance: missing" in notice for notice in heard.notices)
    assert all("importance_by" not in node["metadata"] for node in by_model(nodes_of(dinner)))


def test_error_stops_the_scene_when_the_importance_stays_out(dinner: Layout) -> None:
    rate_with(dinner, "error")
    with pytest.raises(ReplyError, match=r"importance: missing"):
        play_with(dinner, forgetful(), Heard(), lambda master: master.play_requested(WORK))


def test_error_lets_a_day_with_whole_replies_pass(dinner: Layout) -> None:
    rate_with(dinner, "error")
    heard = Heard()
    play(dinner, report=heard)
    assert heard.notices == []


@pytest.mark.parametrize("method", ["llm", "batch"])
def test_a_model_of_the_api_is_asked_in_a_form_that_the_api_takes(dinner: Layout, method: str) -> None:
    rate_with(dinner, method)

    def script(body: Body, _number: int) -> ApiReply:
        if asks_for(body) != {"importance"}:
            reply = without_importance(Request("x", "scene", (), (), {}, 1), good_reply(body))
            return ApiReply(json.dumps(reply))
        lists = body["output_config"]["format"]["schema"]["properties"]["importance"]["type"] == "array"
        return ApiReply(
            json.dumps({"importance": [8] * body["messages"][0]["content"].count("lived:") if lists else 8})
        )

    with serving(MessagesApi(script)) as api:
        environment = {"ANTHROPIC_API_KEY": "sk-none", "ANTHROPIC_BASE_URL": api.url}
        settings = LlmSettings(cache="5m", structured="schema")  # as at the real API, whatever the address
        choice = choose_backend("some-model", "--model", Surroundings(settings, environment=environment))
        with game_master(dinner, choice, Heard(), command="test") as master:
            master.play_requested(SceneRequest("work", ("alex", "casey")))
        assert api.faults == []
        assert len(api.requests) == 2 + (1 if method == "batch" else 2)
    assert {node["importance"] for node in by_model(nodes_of(dinner))} == {8}


def test_ratings_can_be_answered_from_files_alone(dinner: Layout) -> None:
    rate_with(dinner, "batch")
    postbox = PostFolder(dinner)
    choice = choose_backend("mailbox", "--model", Surroundings(postbox=postbox))

    def try_once() -> bool:
        try:
            with game_master(dinner, choice, Heard(), command="test") as master:
                master.play_requested(WORK)
        except WaitingError as error:
            awaited.append(error.awaited[0].answer)
            return False
        return True

    awaited: list[str] = []
    reply = {"mood": "calm", "memories": [{"type": "observation", "description": d} for d in ("Soup.", "No soup.")]}
    assert not try_once()
    (dinner.root / awaited[-1]).write_text(json.dumps(reply), encoding="utf-8")
    assert not try_once()
    assert awaited[-1].endswith("all-rating.answer.json")
    (dinner.root / awaited[-1]).write_text("7", encoding="utf-8")
    assert not try_once()
    (problem,) = dinner.mailbox.glob("*.problem.md")
    assert "found 1 number, expected 2" in problem.read_text(encoding="utf-8")
    (dinner.root / awaited[-1]).write_text("7\n3\n", encoding="utf-8")
    assert try_once()
    assert [node["importance"] for node in by_model(records(dinner.stream("alex")))] == [7, 3]


def test_signal_words_of_the_world_count(dinner: Layout) -> None:
    rate_with(dinner, "heuristic", "  signals:\n    en: [soup, OVEN, lemon, plate, table, candle]\n")

    def change(request: Request, _reply: Reply) -> Reply:
        description = "Soup in the oven, lemon on the plate, a table and a candle."
        return {"mood": "calm", "memories": [{"type": "observation", "description": description}]}

    play_with(dinner, Scripted(change), Heard(), lambda master: master.play_requested(WORK))
    (node,) = by_model(records(dinner.stream("alex")))
    assert (node["importance"], node["metadata"]) == (6, {"importance_by": "heuristic"})


def test_how_missing_importance_is_rated_changes_no_question_to_a_character(dinner: Layout, tmp_path: Path) -> None:
    asked = []
    for method in ("heuristic", "llm", "batch", "error"):
        layout = Layout(tmp_path / method)
        shutil.copytree(dinner.root, layout.root)
        rate_with(layout, method)
        backend = Counting()
        play_with(
            layout, backend, Heard(), lambda master: master.play_requested(SceneRequest("work", ("alex", "casey")))
        )
        asked.append({item.label: identity(item, backend) for item in backend.asked if item.purpose != "rating"})
    assert all(other == asked[0] for other in asked[1:])


def test_an_answer_of_the_rehearsal_is_one_number_or_a_list() -> None:
    def ask(texts: tuple[str, ...], signals: Mapping[str, tuple[str, ...]] = NO_SIGNALS, *, together: bool) -> Answer:
        facts = RatingFacts("rating", "en", signals, texts, together)
        return Rehearsal().ask(Request("x", "rating", (), (("user", "?"),), {}, 400, facts))

    texts = ("Coffee.", "This is urgent and critical.")
    assert json.loads(ask(texts=texts[:1], together=False).text) == {"importance": 3}
    assert json.loads(ask(texts=texts, together=True).text) == {"importance": [3, 4]}
    assert json.loads(ask(texts=texts, together=True, signals={"en": ("coffee",)}).text) == {"importance": [4, 3]}
