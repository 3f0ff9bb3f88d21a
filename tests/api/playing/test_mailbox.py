"""Letters as values, and answers by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import pytest

from gm.api.playing.mailbox import Letter, answer_letter, find_letter, open_letters, unused_answers
from gm.api.reports.models import choose_for
from gm.base.errors import GmError, UsageError, WaitingError
from gm.files.layout import Layout
from gm.files.questions.mailbox import PostFolder
from gm.llm.base import MAILBOX
from gm.play.master import play_days
from gm.play.report import Report
from tests.stories.person import filled_in

PLAN = {"mood": "calm", "plan": {"work": ["a tower"]}}


@pytest.fixture
def letter(dinner: Layout) -> Letter:
    """The first letter of a day in which a person plays Alex."""
    choice = choose_for(dinner, "rehearsal", people=["alex"])
    with pytest.raises(WaitingError):
        play_days(dinner, choice, Report(), 1, command="test")
    (found,) = open_letters(dinner)
    return found


def answer_of(layout: Layout, letter: Letter) -> object:
    return json.loads((layout.mailbox / f"{letter.name}.answer.json").read_text(encoding="utf-8"))


def test_a_letter_says_who_is_asked_what_is_known_and_what_is_wanted(letter: Letter) -> None:
    assert (letter.who, letter.scene, letter.reply) == ("alex", "day-001/scene-01", "PlanningReply")
    assert not letter.is_answered
    assert letter.question.startswith("# Now")
    assert "# Scene: Arrival" in letter.question
    assert [section.title for section in letter.known][-2:] == ["You are Alex Pemberton (`alex`)", "Your memories"]
    assert "plan" in {field.key for field in letter.usual}


def test_an_unused_answer_is_of_the_model_that_is_asked_for_its_purpose_and_an_unreadable_one_hides_no_other(
    dinner: Layout,
) -> None:
    dinner.mailbox.mkdir()
    for name, form in (("a", "DiaryReply"), ("b", "SceneReply"), ("c", "SceneReply")):
        head = f"---\nfor: alex\nscene: day-001/scene-01\nreply: {form}\n---\n"
        (dinner.mailbox / f"{name}.md").write_text(head, encoding="utf-8")
        (dinner.mailbox / f"{name}.answer.json").write_text("{}", encoding="utf-8")
    (dinner.mailbox / "c.answer.json").unlink()
    (dinner.mailbox / "c.answer.json").symlink_to("/etc/passwd")
    choice = replace(choose_for(dinner, "rehearsal"), models={"diary": "another", "scene": MAILBOX})
    unreadable, unused = unused_answers(dinner, choice)
    assert unreadable.startswith("state/mailbox/c.answer.json cannot be read")
    assert unused.startswith("the answer to a in state/mailbox is not used, as another answers for alex;")


def test_a_form_that_is_filled_in_is_an_answer(dinner: Layout, letter: Letter) -> None:
    path = answer_letter(dinner, letter, filled_in(letter))
    assert path == f"state/mailbox/{letter.name}.answer.json"
    (now,) = open_letters(dinner)
    assert now.is_answered
    assert now.answer
    document = answer_of(dinner, letter)
    assert isinstance(document, dict)
    assert document["plan"]["work"] == ["A tower", "A gate"]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(PLAN),
        f"Here it is:\n```json\n{json.dumps(PLAN)}\n```\n",
        "mood: calm\nplan:\n  work:\n    - a tower\n",
        '{"tool": "search_memories", "arguments": {}}',
    ],
    ids=["json", "chat", "yaml", "tool"],
)
def test_a_whole_answer_can_be_pasted(dinner: Layout, letter: Letter, text: str) -> None:
    answer_letter(dinner, letter, text)
    assert open_letters(dinner)[0].is_answered


def test_yaml_is_written_as_json_so_that_it_is_certain_to_be_whole(dinner: Layout, letter: Letter) -> None:
    answer_letter(dinner, letter, "mood: calm\nplan:\n  work:\n    - a tower\n")
    assert answer_of(dinner, letter) == PLAN


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"mood": "calm"}, "plan.work: missing"),
        ({"plan.work": "a tower"}, "mood: missing"),
        ({**PLAN, "mood": "calm", "memories.0.importance": "7"}, "memories.0.description: missing"),
        ("I would rather not.", "no JSON object found"),
        ("", "it is empty"),
    ],
)
def test_an_answer_that_could_not_be_used_is_refused_and_not_written(
    dinner: Layout, letter: Letter, answer: dict[str, str] | str, problem: str
) -> None:
    with pytest.raises(UsageError) as caught:
        answer_letter(dinner, letter, answer)
    assert problem in caught.value.hint
    assert not open_letters(dinner)[0].answer


def test_an_answer_to_a_second_look_is_checked_by_its_form(dinner: Layout, letter: Letter) -> None:
    looked = replace(letter, reply="LookReply", keys=("unsaid", "sentences"))
    assert [(field.key, field.kind) for field in looked.fields] == [("unsaid", "lines"), ("sentences", "rows")]
    with pytest.raises(UsageError, match="cannot be used yet"):
        answer_letter(dinner, looked, "Ich bin Vera.")
    answer_letter(dinner, looked, {"sentences.0.text": "Ich bin Vera.", "sentences.0.evidence": "vera-001"})
    said = {"sentences": [{"text": "Ich bin Vera.", "evidence": ["vera-001"]}]}
    assert answer_of(dinner, looked) == said


def test_an_answer_to_another_question_is_refused(dinner: Layout, letter: Letter) -> None:
    with pytest.raises(GmError, match="has changed"):
        answer_letter(dinner, replace(letter, identity="0"), json.dumps(PLAN))
    assert not open_letters(dinner)[0].answer


def test_an_unknown_letter_is_named_with_those_that_are_there(dinner: Layout, letter: Letter) -> None:
    with pytest.raises(UsageError) as caught:
        find_letter(dinner, "../../gm.yaml")
    assert letter.name in caught.value.hint


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no front matter",
        "---\nscene: [1, 2]\n---\n",
        "---\nscene: day-001/scene-01\nreply: os.system\nkeys: __class__\n---\n# Hi\n",
        "---\nscene: day-001/scene-01\nquestion: '# Now'\n---\n" + "─" * 30 + "\n```\n# Now\n",
        "---\nscene: day-001/scene-01\nreply: SceneReply\nkeys: mood, nonsense\nidentity: '1'\n---\n",
    ],
)
def test_a_letter_of_a_stranger_breaks_nothing(dinner: Layout, text: str) -> None:
    dinner.mailbox.mkdir()
    (dinner.mailbox / "odd.md").write_text(text, encoding="utf-8")
    for letter in open_letters(dinner):
        assert {field.key for field in letter.fields} <= {"mood"}
        assert letter.text == text


def test_a_letter_is_found_by_a_beginning_or_an_end_that_only_one_has(dinner: Layout, letter: Letter) -> None:
    box = PostFolder(dinner)
    for number, label in enumerate(("alex", "alex-turn2"), 1):
        front = {"scene": "day-001/scene-02", "identity": str(number), "for": "alex"}
        box.put(f"day-001-scene-02-{label}", front, "?")
    find = partial(find_letter, dinner, may_be_short=True)
    assert find("day-001-scene-01").name == letter.name
    assert find("turn2").name == "day-001-scene-02-alex-turn2"
    assert find("day-001-scene-02-alex").name == "day-001-scene-02-alex"
    with pytest.raises(UsageError, match="2 letters begin or end with 'alex'") as caught:
        find("alex")
    assert caught.value.hint == f"write one of: {letter.name}, day-001-scene-02-alex"
    for name in ("", "-turn3", "lex", "day-0"):
        with pytest.raises(UsageError, match="there is no letter"):
            find(name)


def test_the_name_of_a_letter_that_is_gone_means_no_later_one(dinner: Layout, letter: Letter) -> None:
    front = {"scene": "day-001/scene-02", "identity": "1", "for": "alex"}
    PostFolder(dinner).put("day-001-scene-02-alex-turn2", front, "?")
    with pytest.raises(UsageError, match="there is no letter 'day-001-scene-02-alex'"):
        find_letter(dinner, "day-001-scene-02-alex", may_be_short=True)
    with pytest.raises(UsageError, match="there is no letter 'turn2'"):
        find_letter(dinner, "turn2")
