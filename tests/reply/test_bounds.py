"""How much of a reply is taken."""

from __future__ import annotations

import json

from gm.config import ReplySettings
from gm.model.replies import SceneReply
from gm.reply.bounds import bound_reply
from gm.reply.parse import parse_reply

FEW = ReplySettings(most_items=2, most_characters=100, most_body_characters=200)


def test_what_is_within_the_limits_stays_as_it_is() -> None:
    data = {"mood": "ruhig", "done": True, "due": 3, "opens": [{"text": "x"}], "artifact": {"body": "y" * 200}}
    assert bound_reply(data, FEW) == (data, ())


def test_the_first_items_and_the_beginnings_of_texts_are_taken_and_the_rest_is_named() -> None:
    data = {
        "memories": [{"tags": ["a", "b", "c"]}, {"tags": []}, {"tags": []}],
        "working": {"a": "1", "b": "2", "c": "3"},
        "artifact": {"body": "y" * 201, "description": "z" * 101},
    }
    bounded, over = bound_reply(data, FEW)
    assert bounded == {
        "memories": [{"tags": ["a", "b"]}, {"tags": []}],
        "working": {"a": "1", "b": "2"},
        "artifact": {"body": "y" * 200, "description": "z" * 100},
    }
    assert over == (
        "memories: 3 items, the first 2 are taken (reply.most_items)",
        "memories.0.tags: 3 items, the first 2 are taken (reply.most_items)",
        "working: 3 items, the first 2 are taken (reply.most_items)",
        "artifact.body: 201 characters, the first 200 are taken (reply.most_body_characters)",
        "artifact.description: 101 characters, the first 100 are taken (reply.most_characters)",
    )


def test_a_reply_of_thousands_of_promises_is_read_as_far_as_the_world_wants() -> None:
    opens = [{"kind": "promise", "text": f"Versprechen {number}"} for number in range(3000)]
    parsed = parse_reply(json.dumps({"mood": "ruhig", "opens": opens}), SceneReply)
    assert parsed.reply is not None
    assert [item.text for item in parsed.reply.opens] == [item["text"] for item in opens[:100]]
    assert parsed.repairs == ("opens: 3000 items, the first 100 are taken (reply.most_items)",)


def test_notices_about_one_reply_are_few() -> None:
    long = {"mood": "ruhig", "thoughts": "", "memories": [{"type": "plan", "description": "x" * 101}] * 50}
    parsed = parse_reply(
        json.dumps({**long, **{f"extra {number}": 1 for number in range(40)}}),
        SceneReply,
        limits=ReplySettings(most_items=50, most_characters=100),
    )
    assert parsed.reply is not None
    assert len(parsed.repairs) == 2 * 13
    assert parsed.repairs[12] == "and 38 more of this kind"
    assert parsed.repairs[25] == "and 28 more of this kind"
