"""Whole days with souls and pages of working memory: from a reply into the files, and into the next question."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gm.files.layout import Layout
from gm.files.load import load_world
from gm.layers.soul import SOUL
from gm.layers.working import WORKING
from gm.llm.base import Request
from gm.llm.content import text_of
from tests.stories.playing import Counting, Heard, Scripted, objections, play, records, set_sections

ON = "soul: on\nworking: {enabled: on}\nmetacognitive: true\n"
OFF = "soul: off\nworking: {enabled: off}\nmetacognitive: false\n"
Reply = dict[str, Any]


def says(*, soul: Reply | None = None, page: list[Reply] | None = None, who: str = "alex") -> Callable[..., Reply]:
    """Let one of them say something of soul or page in each scene, and the others nothing."""

    def change(request: Request, reply: Reply) -> Reply:
        mine = request.who == who and request.purpose == "scene"
        reply |= {"soul": {"add": [], "remove": []}, "working": []}
        return reply | ({"soul": soul} if mine and soul else {}) | ({"working": page} if mine and page else {})

    return change


def lines(**texts: str) -> list[Reply]:
    return [{"key": key, "text": text} for key, text in texts.items()]


def system_of(request: Request) -> str:
    return "\n".join(block.text for block in request.system)


def test_what_a_character_adds_to_its_soul_stands_in_its_file_the_logbook_and_the_next_question(dinner: Layout) -> None:
    set_sections(dinner.settings, ON)
    heard = Heard()
    backend = Scripted(says(soul={"add": [{"kind": "belief", "text": "Lists hold."}], "remove": ["Never there."]}))
    play(dinner, backend=backend, report=heard)
    assert dinner.layer(SOUL, "alex").read_text() == "beliefs:\n  - Lists hold.\n"
    logged = [line["souls"] for line in records(dinner.day_log(1)) if "souls" in line]
    assert logged == [[{"agent": "alex", "added": [{"kind": "beliefs", "text": "Lists hold."}], "removed": []}]]
    assert any("alex: not in the soul, so not taken out of it: 'Never there.'" in text for text in heard.notices)
    mine = [request for request in backend.asked if request.who == "alex"]
    assert "Lists hold." not in system_of(mine[0])
    assert "- Lists hold." in mine[-1].system[1].text, "behind the persona, in its block"
    assert not any("Lists hold." in system_of(request) for request in backend.asked if request.who != "alex")
    assert objections(dinner) == []


def test_a_soul_is_whole_where_a_budget_leaves_hardly_any_memory(dinner: Layout) -> None:
    play(dinner)
    dinner.layer_folder(SOUL).mkdir()
    sentences = [f"Belief number {number} of many." for number in range(60)]
    dinner.layer(SOUL, "alex").write_text("beliefs:\n" + "".join(f"  - {text}\n" for text in sentences))
    set_sections(dinner.settings, "context: {budget_tokens: 500}")
    backend = Counting()
    play(dinner, backend=backend)
    asked = [request for request in backend.asked if request.who == "alex"]
    assert all(text in system_of(request) for request in asked for text in sentences)


def test_a_page_is_seen_in_the_next_scene_and_in_the_evening_its_lessons_are_remembered_once(dinner: Layout) -> None:
    set_sections(dinner.settings, ON)
    page = lines(current_subgoal="Buy leeks", known="The oven is slow", recent_insights="LESSON: Ask Sam twice")
    backend = Scripted(says(page=page))
    play(dinner, backend=backend)
    mine = [request for request in backend.asked if request.who == "alex"]
    assert "Still empty." in mine[0].messages[0][1]
    assert (
        "Next (`current_subgoal`):\n- Buy leeks\nTo keep in mind (`known`):\n- The oven is slow\n"
        in mine[1].messages[0][1]
    )
    assert dinner.layer(WORKING, "alex").read_text() == (
        "current_subgoal: Buy leeks\nknown:\n  - The oven is slow\nrecent_insights: []\n"
    ), "what is unfinished stays"
    tomorrow = Scripted(says())
    play(dinner, backend=tomorrow)
    first, second, *_ = (request.messages[0][1] for request in tomorrow.asked if request.who == "alex")
    assert "## Your notes to yourself, as you left them\n\nFrom yesterday, or older." in first
    assert "Next (`current_subgoal`):\n- Buy leeks\n" in first
    assert "## Your notes to yourself\n\nNext (`current_subgoal`):\n- Buy leeks\n" in second
    kept = [node for node in records(dinner.stream("alex")) if node["metadata"].get("kind") == "lesson"]
    assert [(node["description"], node["metadata"]["key"]) for node in kept] == [
        ("LESSON: Ask Sam twice", "recent_insights")
    ]
    assert objections(dinner) == []


def test_in_the_evening_the_page_is_read_with_the_diary_and_what_is_done_is_struck(dinner: Layout) -> None:
    set_sections(dinner.settings, ON + "diary: on\n")
    noted = lines(current_subgoal="Buy leeks", known="The oven is slow")
    left = lines(current_subgoal="Buy leeks", recent_insights="LESSON: Ask Sam twice")

    def change(request: Request, reply: Reply) -> Reply:
        if request.purpose == "diary":
            return reply | {"working": left if request.who == "alex" else []}
        return says(page=noted)(request, reply)

    backend = Scripted(change)
    play(dinner, backend=backend)
    (evening,) = (request for request in backend.asked if request.purpose == "diary" and request.who == "alex")
    text = text_of(evening.messages[0][1])
    assert text.index("## Your notes to yourself\n") < text.index("- The oven is slow\n") < text.index("# Your diary")
    assert "- `working`: your notes to yourself, written afresh" in text
    assert "working" in evening.schema["required"]
    assert dinner.layer(WORKING, "alex").read_text() == "current_subgoal: Buy leeks\nrecent_insights: []\n"
    kept = [node for node in records(dinner.stream("alex")) if node["metadata"].get("kind") == "lesson"]
    assert [node["description"] for node in kept] == ["LESSON: Ask Sam twice"]
    assert objections(dinner) == []


def test_a_page_written_in_an_earlier_turn_of_the_scene_is_seen_in_the_later_one(dinner: Layout) -> None:
    set_sections(dinner.settings, ON)
    backend = Scripted(lambda request, reply: reply | {"working": lines(known=f"Asked as {request.label}")})
    play(dinner, backend=backend)
    later = next(request for request in backend.asked if request.label == "alex-turn-2")
    assert "- Asked as alex\n" in later.messages[0][1]


def test_a_hand_edit_while_a_scene_runs_is_not_undone(dinner: Layout) -> None:
    set_sections(dinner.settings, ON)
    dinner.layer_folder(SOUL).mkdir()
    dinner.layer(SOUL, "alex").write_text("beliefs: [Old one]  # mine\n")
    dinner.layer_folder(WORKING).mkdir()
    dinner.layer(WORKING, "alex").write_text("known: [before]\nnote: mine\n")
    said = says(soul={"add": [{"kind": "belief", "text": "Said."}], "remove": []}, page=lines(known="said", x="y"))
    edited: list[str] = []

    def change(request: Request, reply: Reply) -> Reply:
        if not edited:
            edited.append(request.label)
            dinner.layer(SOUL, "alex").write_text("beliefs: [Old one, By hand]  # mine\n")
            dinner.layer(WORKING, "alex").write_text("known: [before, by hand]\nnote: mine\n")
            return says()(request, reply) if request.who != "alex" else said(request, reply)
        return said(request, reply) if request.place.endswith("scene-01") else says()(request, reply)

    heard = Heard()
    play(dinner, backend=Scripted(change), report=heard)
    assert dinner.layer(SOUL, "alex").read_text() == "beliefs: [Old one, By hand, Said.]  # mine\n"
    assert dinner.layer(WORKING, "alex").read_text().startswith("known: [before, by hand]\n")
    assert "x:\n  - y\n" in dinner.layer(WORKING, "alex").read_text()
    assert any("state/working/alex.yaml: known was edited meanwhile and stays" in text for text in heard.notices)


def test_the_rehearsal_fills_pages_leaves_lessons_and_hardly_ever_touches_a_soul(studio: Layout) -> None:
    set_sections(studio.settings, ON)
    backend = Counting()
    play(studio, days=4, backend=backend)
    asked = [request for request in backend.asked if request.purpose == "scene"]
    assert sum("## Dein Zettel" in text_of(request.messages[0][1]) for request in asked) == len(asked)
    nodes = [node for name in studio.agent_names() for node in records(studio.stream(name))]
    lessons = [node for node in nodes if node["metadata"].get("kind") == "lesson"]
    assert lessons
    assert all(node["description"].startswith("LEKTION: ") for node in lessons)
    assert len(lessons) < len(nodes) / 10
    souls = load_world(studio).world.agents.values()
    assert sum(len(agent.mind[SOUL].entries) for agent in souls) <= 4
    assert objections(studio) == []


def test_layers_that_are_switched_off_again_leave_a_world_that_asks_as_if_they_had_never_been(dinner: Layout) -> None:
    set_sections(dinner.settings, ON)
    page = lines(known="The oven is slow", recent_insights="LESSON: Ask Sam twice")
    play(dinner, backend=Scripted(says(soul={"add": [{"kind": "fear", "text": "Heights."}], "remove": []}, page=page)))
    set_sections(dinner.settings, OFF)
    dinner.layer(SOUL, "sam").write_text("beliefs: [\n")
    left = {
        path: path.read_bytes()
        for path in (*dinner.layer_folder(SOUL).iterdir(), *dinner.layer_folder(WORKING).iterdir())
    }
    backend = Counting()
    play(dinner, backend=backend)
    asked = "".join(system_of(request) + text_of(request.messages[0][1]) for request in backend.asked)
    assert not [word for word in ("Heights", "oven is slow", "`soul`", "`working`", "future self") if word in asked]
    assert all(not {"soul", "working"} & request.schema["properties"].keys() for request in backend.asked)
    assert {path: path.read_bytes() for path in left} == left
    dinner.layer(SOUL, "sam").unlink()
    assert objections(dinner) == []


def test_what_a_reply_says_of_a_layer_that_is_off_changes_nothing(dinner: Layout) -> None:
    soul = {"add": [{"kind": "fear", "text": "Heights."}], "remove": []}
    play(dinner, backend=Scripted(says(soul=soul, page=lines(known="a"))))
    assert not dinner.layer_folder(SOUL).exists()
    assert not dinner.layer_folder(WORKING).exists()


def test_the_first_file_of_any_character_switches_a_layer_on_for_all(dinner: Layout) -> None:
    dinner.layer_folder(SOUL).mkdir()
    dinner.layer(SOUL, "alex").write_text("{}\n")
    assert load_world(dinner).world.layers == {"soul"}
    backend = Counting()
    play(dinner, backend=backend)
    assert all("soul" in request.schema["required"] for request in backend.asked)
    assert objections(dinner) == []
