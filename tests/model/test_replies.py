from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from gm.model.scene_reply import NewArtifact, Opened, Plan, PlanningReply, SceneReply, StatedMemory
from gm.model.solo_replies import AskReply, Insight, InterviewReply, LookReply, ReflectionReply


def wrong_in(form: type[BaseModel], data: dict[str, Any]) -> list[str]:
    with pytest.raises(ValidationError) as caught:
        form.model_validate(data)
    return sorted(".".join(map(str, error["loc"])) for error in caught.value.errors())


def test_a_mood_is_all_that_a_scene_needs() -> None:
    reply = SceneReply.model_validate({"mood": " ruhig "})
    assert (reply.mood, reply.dialogue, reply.memories, reply.artifact, reply.done) == ("ruhig", [], [], None, False)


def test_a_scene_without_a_mood_does_not_fit() -> None:
    assert wrong_in(SceneReply, {"action": "…"}) == ["mood"]


def test_a_scene_that_asks_for_a_plan_needs_one() -> None:
    assert wrong_in(PlanningReply, {"mood": "ruhig"}) == ["plan"]
    assert wrong_in(PlanningReply, {"mood": "ruhig", "plan": {"work": []}}) == ["plan.work"]


def test_a_reply_carries_no_ids_depth_or_time_of_its_own() -> None:
    data = {"type": "reflection", "description": "…", "id": "vera-999", "depth": 7, "created": "day-999"}
    kept = {"type", "description", "importance", "tags", "evidence", "facets", "kind"}
    assert set(StatedMemory.model_validate(data).model_dump()) == kept


@pytest.mark.parametrize("importance", [0, 11, 25, "sehr", 7.5, -1])
def test_importance_lies_between_one_and_ten(importance: object) -> None:
    data = {"type": "plan", "description": "…", "importance": importance}
    assert wrong_in(StatedMemory, data) == ["importance"]


def test_importance_may_be_missing_and_a_number_may_be_a_text() -> None:
    assert StatedMemory(type="plan", description="…").importance is None
    assert StatedMemory.model_validate({"type": "plan", "description": "…", "importance": "7"}).importance == 7


@pytest.mark.parametrize("kind", ["artifact", "dream", "", "Observation"])
def test_a_memory_has_one_of_the_types_that_a_character_may_write(kind: str) -> None:
    assert wrong_in(StatedMemory, {"type": kind, "description": "…"}) == ["type"]


def test_blank_texts_are_no_texts() -> None:
    assert wrong_in(SceneReply, {"mood": "  ", "dialogue": [{"text": "\n"}]}) == ["dialogue.0.text", "mood"]


def test_an_insight_rests_on_something() -> None:
    assert wrong_in(Insight, {"description": "…", "evidence": []}) == ["evidence"]
    assert wrong_in(ReflectionReply, {"insights": []}) == ["insights"]


def test_a_lone_surrogate_is_no_text() -> None:
    assert wrong_in(SceneReply, {"mood": "\ud800"}) == ["mood"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"answer": "So.\n\n Und so."}, ("So.", "Und so.")),
        ({"answer": None}, ()),
        ({"answer": " "}, ()),
        ({"dialogue": [{"to": None, "text": "So."}, {"text": "Und so."}], "action": "…"}, ("So.", "Und so.")),
        ({"dialogue": None}, ()),
        ({"answer": None, "dialogue": [{"text": "So."}]}, ("So.",)),
        ({"answer": "Anders.", "dialogue": [{"text": "So."}]}, ("Anders.",)),
    ],
)
def test_an_answer_may_have_the_form_of_a_scene(data: dict[str, Any], said: tuple[str, ...]) -> None:
    assert AskReply.model_validate(data).said == said


def test_silence_is_an_answer_only_where_it_is_said() -> None:
    assert wrong_in(AskReply, {"mood": "ruhig"}) == ["answer"]
    with pytest.raises(ValidationError):
        AskReply.model_validate("So.")


def test_the_form_of_an_answer_asks_for_four_things() -> None:
    schema = AskReply.model_json_schema()
    assert list(schema["properties"]) == schema["required"] == ["answer", "thoughts", "conversation", "mood"]


def test_an_old_answer_lacks_what_is_asked_for_today() -> None:
    reply = SceneReply.model_validate({"mood": "ruhig"})
    assert (reply.move_to, reply.plan_status) == ("", [])
    opened = Opened.model_validate({"kind": "promise", "text": "…"})
    assert (opened.time, opened.place, opened.replaces) == ("", "", "")
    plan = Plan.model_validate({"work": ["…"], "talk_to": [{"to": "emre", "about": "…"}]})
    assert (plan.alone, plan.talk_to[0].time, plan.talk_to[0].place, plan.talk_to[0].shows) == (False, "", "", 0)
    assert NewArtifact(title="…", kind="tech", description="…", body="…").audience == []


def test_null_is_read_as_nothing_where_the_schema_knows_no_null() -> None:
    reply = SceneReply.model_validate({"mood": "ruhig", "move_to": None, "plan_status": None})
    assert (reply.move_to, reply.plan_status) == ("", [])
    opened = Opened.model_validate({"kind": "appointment", "text": "…", "time": None, "place": None, "replaces": None})
    assert (opened.time, opened.place, opened.replaces) == ("", "", "")
    talk = {"to": "emre", "about": "…", "time": None, "place": None, "shows": None}
    plan = Plan.model_validate({"work": ["…"], "talk_to": [talk], "alone": None})
    assert (plan.alone, plan.talk_to[0].time, plan.talk_to[0].place, plan.talk_to[0].shows) == (False, "", "", 0)
    made = {"title": "…", "kind": "tech", "description": "…", "body": "…", "audience": None}
    assert NewArtifact.model_validate(made).audience == []


def test_an_item_of_a_plan_is_named_by_its_number_and_has_one_of_three_ends() -> None:
    ends = [{"item": 1, "status": "done", "text": None}, {"item": 2, "status": "moved", "text": " keine Zeit "}]
    reply = SceneReply.model_validate({"mood": "ruhig", "plan_status": ends})
    assert [(one.item, one.status, one.text) for one in reply.plan_status] == [
        (1, "done", ""),
        (2, "moved", "keine Zeit"),
    ]
    wrong = [{"item": 0, "status": "done"}, {"item": True, "status": "done"}, {"item": 1, "status": "open"}]
    found = wrong_in(SceneReply, {"mood": "ruhig", "plan_status": wrong})
    assert found == ["plan_status.0.item", "plan_status.1.item", "plan_status.2.status"]


def test_the_schema_asks_for_what_an_old_answer_may_lack() -> None:
    schema = SceneReply.model_json_schema()
    assert schema["required"] == ["mood", "move_to", "plan_status"]
    parts = {
        name: schema["$defs"][name]["required"] for name in ("NewArtifact", "Opened", "Talk", "Plan", "ItemReport")
    }
    assert parts == {
        "NewArtifact": ["title", "kind", "description", "body", "audience", "replaces"],
        "Opened": ["kind", "to", "text", "due", "time", "place", "replaces"],
        "Talk": ["to", "about", "time", "place", "shows"],
        "Plan": ["work", "alone"],
        "ItemReport": ["item", "status", "text"],
    }
    assert PlanningReply.model_json_schema()["required"] == ["mood", "move_to", "plan_status", "plan"]


def test_the_answer_of_an_interview_says_what_it_rests_on() -> None:
    schema = InterviewReply.model_json_schema()
    assert list(schema["properties"]) == schema["required"]
    assert schema["required"][-1] == "evidence"
    assert InterviewReply.model_validate({"answer": "So.", "evidence": None}).evidence == []


def test_a_second_look_leaves_at_least_one_sentence() -> None:
    schema = LookReply.model_json_schema()
    assert list(schema["properties"]) == schema["required"]
    reply = LookReply.model_validate({"unsaid": None, "sentences": [{"text": " So. ", "evidence": None}]})
    assert (reply.unsaid, reply.sentences[0].text, reply.sentences[0].evidence) == ([], "So.", [])
    assert wrong_in(LookReply, {"sentences": []}) == ["sentences"]
    assert wrong_in(LookReply, {"sentences": [{"text": " "}]}) == ["sentences.0.text"]
