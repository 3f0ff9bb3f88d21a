"""A meeting decides something: it stands on the board, in the logbook, and in every later prompt."""

from __future__ import annotations

import json

from gm.api.editing.check.whole import check_world
from gm.files.layout import Layout
from gm.llm.content import text_of
from tests.stories.playing import Counting, play, records, set_sections


def test_what_a_meeting_decides_hangs_on_the_board_and_stands_in_the_next_prompts(studio: Layout) -> None:
    by_hand = (
        '{"posts": [], "team_decisions": [{"day": 0, "scene": 0, "decision": "Geraucht wird draußen."}], "own": 1}\n'
    )
    studio.bulletin.write_text(by_hand, encoding="utf-8")
    set_sections(studio.settings, "decisions: on")
    backend = Counting()
    play(studio, days=2, backend=backend)
    board = json.loads(studio.bulletin.read_text(encoding="utf-8"))
    first, *others = board["team_decisions"]
    assert (first["decision"], board["own"], board["posts"]) == ("Geraucht wird draußen.", 1, [])
    logged = [
        {"day": day, "scene": line["scene"], "decision": decision}
        for day in (1, 2)
        for line in records(studio.day_log(day))
        for decision in line.get("decisions", [])
    ]
    assert others == logged
    assert logged
    last = next(request for request in reversed(backend.asked) if request.purpose == "scene")
    question = "\n".join(text_of(content) for _, content in last.messages)
    assert all(f"\n- {item['decision']}\n" in question for item in board["team_decisions"])
    assert [item.code for item in check_world(studio).problems if item.severity != "info"] == ["brief-bare"], "by hand"
