"""What is said so far in an answer that is still arriving."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.ask.reply.unfinished import spoken_so_far

SAID = ['Good morning, "Tobi".', "Where is the\nkey? 🗝", "C:\\new"]
REPLY = {
    "action": 'Waits, and says "text": nothing.',
    "thoughts": "SECRET",
    "dialogue": [{"to": "tobi", "text": SAID[0]}, {"text": SAID[1], "to": None}, {"to": None, "text": SAID[2]}],
    "memories": [{"text": "SECRET", "description": "SECRET", "tags": ["dialogue", "text"]}],
    "soul": {"add": [{"text": "SECRET", "answer": "SECRET"}]},
    "opens": [{"text": "SECRET", "dialogue": [{"text": "SECRET"}]}],
}


@pytest.mark.parametrize("escaped", [True, False])
@pytest.mark.parametrize(
    "frame", ["{}", "```json\n{}\n```", "Here it is:\n\n{}\nThat is all.", "<think>{{}} {{</think>{}"]
)
def test_at_every_moment_the_spoken_words_so_far_are_shown_and_nothing_else(frame: str, escaped: bool) -> None:
    answer = frame.format(json.dumps(REPLY, ensure_ascii=escaped, indent=1))
    whole = "\n".join(SAID)
    shown = [spoken_so_far(answer[:end]) for end in range(len(answer) + 1)]
    assert shown[-1] == whole
    assert all(whole.startswith(words) for words in shown)
    assert sorted(shown, key=len) == shown
    assert len(set(shown)) > len(whole) - 10, "words come as they are written"


def test_an_answer_out_of_scene_is_spoken_and_its_thoughts_are_not() -> None:
    assert (
        spoken_so_far(
            '{"answer": "I was there',
        )
        == "I was there"
    )
    assert spoken_so_far('{"thoughts": "I was not", "mood": "calm"') == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '"dialogue"',
        "I think that I will say hello",
        "dialogue:\n  - text: Hello",
        '<think>{"dialogue": [{"text": "a draft',
        '{"dialogue": [{"text": ',
        '{"dialogue": [{"text": null}]}',
        '{"dialogue": [{"to": "tobi"',
        '{"dialogue": "Hello',
        '{"text": "Hello',
        '{"dialogue": [{"text": "No escape: \\q, so no JSON',
        ']}{"":',
    ],
)
def test_what_is_not_spoken_is_not_shown(text: str) -> None:
    assert spoken_so_far(text) == ""


def test_what_follows_the_reply_is_no_part_of_it_and_control_characters_go() -> None:
    text = '{"dialogue": [{"text": "Hello\\u001b[2J\\ud83d"}]} {"dialogue": [{"text": "again"}]}'
    assert spoken_so_far(text) == "Hello[2J"


@given(st.text(alphabet='{}[]:,"\\ abu1dialogue\n'))
def test_any_text_is_read(text: str) -> None:
    assert isinstance(spoken_so_far(text), str)
