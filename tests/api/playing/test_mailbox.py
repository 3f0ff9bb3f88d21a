"""Letters as values, and answers by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import pytest

from gm.api.playing.mailbox import Letter, answer_letter, find_letter, open_letters, unused_answers
from gm.api.reports.models import choose_for
from gm.ask.reply.fields import form_fields
from gm.base.config import Settings
from gm.base.errors import GmError, UsageError, WaitingError
from gm.files.layout import Layout
from gm.files.questions.mailbox import PostFolder
from gm.llm.base import MAILBOX
from gm.model.scene_reply import SceneReply
from gm.play.master import run_days
from gm.play.report import Report
from gm.play.slips import Known, find_slips
from tests.stories.person import filled_in

PLAN = {"mood": "calm", "plan": {"work": ["a tower"]}}


@pytest.fixture
def letter(dinner: Layout) -> Letter:
    """The first letter of a day in which a person plays Alex."""
    choice = choose_for(dinner, "rehearsal", people=["alex"])
    with pytest.raises(WaitingError):
        run_days(dinner, choice, Report(), 1, command="test")
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


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"thougts": "Hm."}, "thougts: unknown key; did you mean thoughts?"),
        ({"zzz": "Hm."}, "zzz: unknown key; there are: action, dialogue, thoughts, mood"),
        (
            {"memories": [{"type": "observation", "description": "I.", "tag": ["me"]}]},
            "memories.0.tag: unknown key; did you mean tags?",
        ),
        (
            {"memories": [{"type": "observation", "description": "I.", "importance": "eleven"}]},
            "memories.0.importance: 'eleven' is not a number from 1 to 10",
        ),
        ({"go_to": "kitchn"}, 'go_to: "kitchn" is not a place here; did you mean kitchen?'),
        (
            {"dialogue": [{"to": "jordn", "text": "No."}]},
            'dialogue.0.to: "jordn" is not a character here; did you mean jordan?',
        ),
        (
            {"opens": [{"kind": "question", "to": "casey, jordn", "text": "Who?"}]},
            'opens.0.to: "jordn" is not a character here; did you mean jordan?',
        ),
        ({"thoughts": "m" * 10001}, "thoughts: 10001 characters, the first 10000 are taken (reply.most_characters)"),
    ],
)
def test_what_no_run_would_read_is_refused_with_what_may_be_meant(
    dinner: Layout, letter: Letter, more: dict[str, object], problem: str
) -> None:
    with pytest.raises(UsageError) as caught:
        answer_letter(dinner, letter, json.dumps({**PLAN, **more}))
    assert problem in caught.value.hint
    assert not open_letters(dinner)[0].answer


def test_names_of_all_kinds_and_empty_values_are_no_slips(dinner: Layout, letter: Letter) -> None:
    outside = letter.settings.world.outside
    said = {
        **PLAN,
        "dialogue": [{"to": "Casey", "text": "No."}, {"to": "all", "text": "Yes."}, {"to": None, "text": "Yes."}],
        "opens": [{"kind": "question", "to": f"jordan and {outside}", "text": "Who?"}],
        "artifact": {"title": "A", "kind": "notes", "description": "A.", "body": "A", "audience": ["board"]},
        "go_to": next(iter(letter.settings.places)),
        "zzz": "",
        "memories": [],
    }
    answer_letter(dinner, letter, json.dumps(said))
    assert open_letters(dinner)[0].is_answered


def test_a_form_with_a_number_that_is_none_is_refused(dinner: Layout, letter: Letter) -> None:
    with pytest.raises(UsageError) as caught:
        answer_letter(dinner, letter, {**filled_in(letter), "memories.0.importance": "eleven"})
    assert "memories.0.importance: 'eleven' is not a number" in caught.value.hint


def test_a_finer_kind_that_is_none_is_refused() -> None:
    fields = form_fields(SceneReply, kinds=True)
    data = {"memories": [{"type": "observation", "description": "I.", "kind": "sematic"}]}
    (slip,) = find_slips(fields, data, Known({}, Settings()))
    assert slip == 'memories.0.kind: "sematic" is none of its values; did you mean semantic?'


def test_where_facets_are_asked_for_a_plain_importance_may_stand_in_for_them() -> None:
    fields = form_fields(SceneReply, importance_from="facets")
    data = {"memories": [{"type": "observation", "description": "I.", "importance": 7}]}
    assert not list(find_slips(fields, data, Known({}, Settings())))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            '{"mood": "calm"\n "plan": {"work": ["it"]}}',
            "line 2, column 2: not JSON: '\"' found; expecting ',' delimiter;",
        ),
        ('{"mood": "calm", "plan": {"work": ["it"]}', "line 1, column 42: not JSON: the text ends here;"),
        ("```json\n{'mood' = 1}\n```", "line 2, column 2: not JSON: "),
        (
            '{"mood": "calm", "plan": {"work": ["it"]}, "thoughts": "```json\n{\\"mood\\": 1}\n```',
            "not JSON: ",
        ),
        ("mood: calm\nplan: [it\n", "line 2, column 7: not YAML: "),
    ],
)
def test_a_broken_answer_is_refused_with_its_place_in_the_words_of_a_broken_file(
    dinner: Layout, letter: Letter, text: str, problem: str
) -> None:
    with pytest.raises(UsageError) as caught:
        answer_letter(dinner, letter, text)
    assert problem in caught.value.hint


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


def test_a_letter_is_found_by_a_part_of_its_name_that_only_one_has(dinner: Layout, letter: Letter) -> None:
    box = PostFolder(dinner)
    for number, label in enumerate(("alex", "alex-turn2"), 1):
        front = {"scene": "day-001/scene-02", "identity": str(number), "for": "alex"}
        box.write_question(f"day-001-scene-02-{label}", front, "?")
    find = partial(find_letter, dinner, may_be_short=True)
    assert find("day-001-scene-01").name == letter.name
    assert find("turn2").name == "day-001-scene-02-alex-turn2"
    assert find("day-001-scene-02-alex").name == "day-001-scene-02-alex"
    with pytest.raises(UsageError, match="2 letters have 'alex' in their names") as caught:
        find("alex")
    assert caught.value.hint == f"write one of: {letter.name}, day-001-scene-02-alex"
    assert find("scene-02-alex").name == "day-001-scene-02-alex", "an end goes before other parts"
    assert find("scene-01").name == letter.name
    with pytest.raises(UsageError, match="2 letters have 'scene-02' in their names"):
        find("scene-02")
    for name in ("", "-", "-turn3", "lex", "day-0"):
        with pytest.raises(UsageError, match="there is no letter"):
            find(name)
    assert box.put_answer("day-001-scene-02-alex", "1", "{}")
    assert find("scene-02").name == "day-001-scene-02-alex-turn2", "those without an answer go first"
    assert find("scene-02-alex").name == "day-001-scene-02-alex-turn2"


def test_the_name_of_a_letter_that_is_gone_means_no_later_one(dinner: Layout, letter: Letter) -> None:
    front = {"scene": "day-001/scene-02", "identity": "1", "for": "alex"}
    PostFolder(dinner).write_question("day-001-scene-02-alex-turn2", front, "?")
    assert find_letter(dinner, "scene-02-alex", may_be_short=True).name == "day-001-scene-02-alex-turn2"
    with pytest.raises(UsageError, match="there is no letter 'day-001-scene-02-alex'"):
        find_letter(dinner, "day-001-scene-02-alex", may_be_short=True)
    with pytest.raises(UsageError, match="there is no letter 'turn2'"):
        find_letter(dinner, "turn2")
