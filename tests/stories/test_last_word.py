"""A scene ends properly: answers one after another, ``done``, how many turns follow, and a last word to oneself."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from gm.api.answers.moods import moods_by_scene
from gm.ask.prompt.context import Assembler
from gm.ask.prompt.render import Prompts
from gm.ask.prompt.turn_context import TurnContext
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.packaged.shipped import shipped_prompts
from gm.files.questions.traces import TraceReader
from gm.llm.base import Request
from gm.model.scene import Scene
from gm.model.world import Change, World
from gm.scene.candidates import plans
from gm.scene.directing.choosing import SceneRequest
from gm.scene.directing.scenes import scene_of
from tests.stories.playing import Heard, Scripted, edit, letter, play_with, records, set_sections, whole

TALK, WORK = SceneRequest("encounter", ("alex", "jordan")), SceneRequest("work", ("alex", "casey", "jordan"))
Says = Callable[[Request, dict[str, Any]], dict[str, Any]]


class Warned(Heard):
    """Remembers what was left out."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def scene_played(self, world: World, scene: Scene, change: Change) -> None:
        self.found += change.warnings


def says(lines: Mapping[str, str], **more: Any) -> Says:
    """Speak the line given for each turn, with the addressee before a colon; at other turns say nothing."""

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        to, _, text = lines.get(request.label, "").partition(": ")
        said = [{"to": to or None, "text": text}] if text else []
        own: dict[str, Any] = more.get(request.label.replace("-", "_"), {})
        return reply | {"dialogue": said, "memories": [], "conversation": None, "done": False, "artifact": None} | own

    return change


def played(layout: Layout, request: SceneRequest, change: Says) -> list[Request]:
    backend = Scripted(change)
    play_with(layout, backend, Heard(), lambda master: master.play_requested(request))
    return backend.asked


def labels(asked: list[Request]) -> list[str]:
    return [request.label for request in asked]


def test_the_second_to_answer_at_work_reads_the_answer_of_the_first(dinner: Layout) -> None:
    lines = {"casey": "alex: Pass me the salt.", "jordan": "casey: Ask Alex."}
    lines |= {"alex-turn-2": "casey: Here it is.", "casey-turn-2": "jordan: He had it."}
    asked = played(dinner, WORK, says(lines))
    assert labels(asked)[3:5] == ["alex-turn-2", "casey-turn-2"], "without a question mark"
    first, second = map(letter, asked[3:5])
    assert "All at the same time:" in first
    assert "Here it is." not in first
    assert re.search(r"Then:\n(– .*\n)?Alex \(to Casey\): Here it is\.", second)
    assert labels(asked)[5:] == [], "what Casey said to Jordan afterwards is remembered without a question"
    heard = [node for node in records(dinner.stream("jordan")) if node["metadata"].get("kind") == "heard"]
    assert ["He had it." in node["description"] for node in heard] == [True]
    entry = records(dinner.day_log(load_world(dinner).world.clock.day))[-1]
    assert [said["text"] for said in entry["dialogue"]] == [
        "Pass me the salt.",
        "Ask Alex.",
        "Here it is.",
        "He had it.",
    ]


def test_after_done_between_two_no_letter_but_the_last_word_comes(dinner: Layout) -> None:
    lines = {"alex": "jordan: Hello.", "jordan": "alex: I am off.", "alex-turn-2": "jordan: Bye."}
    asked = played(dinner, TALK, says(lines, jordan={"done": True}))
    assert labels(asked) == ["alex", "jordan", "alex-turn-2", "jordan-last"]
    assert "This is your last turn in this scene" in letter(asked[2])
    assert "You will be asked" not in letter(asked[2]), "Alex knows that nothing can follow"


def test_every_letter_of_a_talk_says_how_many_turns_may_follow(dinner: Layout) -> None:
    asked = played(dinner, TALK, says({"alex": "jordan: Hello.", "jordan": "alex: Hello."}))
    turns = [f"{name}{turn}" for turn in ("", "-turn-2", "-turn-3") for name in ("alex", "jordan")]
    assert labels(asked) == [*turns, "alex-last"]
    follow = ("After this you have 2 more turns", "After this you have one more turn", "This is your last turn in")
    told = [sentence for sentence in follow for _ in ("alex", "jordan")]
    assert all(sentence in letter(request) for sentence, request in zip(told, asked[:6], strict=True))
    later = ["You will be asked" in letter(request) for request in asked[:6]]
    assert later == [True] * 5 + [False], "the one who is certain to speak last keeps its memories at once"


def test_in_the_last_word_nothing_said_counts_as_said_and_what_was_told_is_remembered(dinner: Layout) -> None:
    told = {"type": "observation", "description": "I told Jordan of a bakery that I made up.", "importance": 6,
            "tags": ["jordan"], "evidence": []}  # fmt: skip
    last = {
        "mood": "wistful",
        "dialogue": [{"to": "jordan", "text": "One more thing!"}],
        "action": "Alex runs.",
        "memories": [told],
    }
    lines = {"alex": "jordan: I knew a bakery.", "jordan": "alex: Which?"}
    backend, warnings = Scripted(says(lines, alex_last=last)), Warned()
    play_with(dinner, backend, warnings, lambda master: master.play_requested(TALK))
    assert "also what you yourself told, claimed or made up" in letter(backend.asked[-1])
    assert "After the scene" in letter(backend.asked[-1])
    world = load_world(dinner).world
    entry = records(dinner.day_log(world.clock.day))[-1]
    assert "One more thing!" not in str(entry)
    assert world.agents["alex"].state.mood == "wistful"
    day = world.clock.day
    assert [moods["alex"] for moods in moods_by_scene(TraceReader(dinner.traces), day).values()] == ["wistful"]
    assert "Alex runs." not in str(entry)
    assert any(node.description == told["description"] for node in world.agents["alex"].stream)
    assert not any("One more thing!" in node.description for node in world.agents["jordan"].stream)
    assert "alex: after the end of the scene, left out: 'One more thing!'" in warnings.found


def test_what_was_said_of_a_relationship_in_the_scene_is_not_asked_for_again(dinner: Layout) -> None:
    set_sections(dinner.settings, "relationships: on")
    said = {"with": "jordan", "type": "rival", "trust": -0.1, "tone": "cold", "why": "The salt.", "notes": ""}
    lines = {"alex": "jordan: That was unkind.", "jordan": "alex: It was."}
    asked = played(dinner, TALK, says(lines, alex={"relationships": [said]}))
    told = "How you stand with Jordan you have already said anew in this scene"
    assert [request.label for request in asked if told in letter(request)] == [
        label for label in labels(asked) if label.startswith("alex-")
    ]


def test_a_later_letter_shows_a_relationship_as_it_was_said_last(dinner: Layout) -> None:
    set_sections(dinner.settings, "relationships: on")
    said = {"with": "jordan", "type": "rival", "trust": -0.1, "tone": "cold", "why": "The salt.", "notes": ""}
    again = {"with": "jordan", "type": "", "trust": 0.2, "tone": "", "why": "", "notes": ""}
    lines = {"alex": "jordan: That was unkind.", "jordan": "alex: It was."}
    own = {"alex": [said], "alex_turn_2": [again], "alex_turn_3": []}
    asked = played(dinner, TALK, says(lines, **{label: {"relationships": regards} for label, regards in own.items()}))
    shown = {request.label: letter(request) for request in asked}
    assert "rival" not in shown["alex"]
    assert "- Jordan: rival; trust -0.1; cold" in shown["alex-turn-2"]
    assert "- Jordan: rival; trust +0.2; cold" in shown["alex-last"]
    assert "rival" not in shown["jordan-turn-2"]


def test_who_goes_elsewhere_after_a_talk_is_come_to_there(dinner: Layout) -> None:
    edit(dinner.agent("casey"), {"today_plan": ["Talk to Alex: the salt"]})
    lines = {"alex": "jordan: That was unkind.", "jordan": "alex: It was."}
    played(dinner, TALK, says(lines, alex_last={"go_to": "balcony"}))
    prompts = Prompts(dinner.prompts, shipped_prompts(), "en")
    world = load_world(dinner, prompts.scene_types()).world
    (request,) = (item for item in plans.propose(world, "evening") if item.type == "ENCOUNTER")
    scene = scene_of(world, request, "evening", prompts.words)
    text = Assembler(prompts).question(world, world.agents["alex"], scene, TurnContext())
    assert "Place: balcony" in text
    assert "Casey comes to see Alex." in text


def test_without_last_words_no_character_is_asked_once_more(dinner: Layout) -> None:
    set_sections(dinner.settings, "day: {last_word: false}")
    asked = played(dinner, TALK, says({"alex": "jordan: Hello.", "jordan": "alex: Hello."}))
    assert labels(asked)[-2:] == ["alex-turn-3", "jordan-turn-3"]
    assert not any("You will be asked" in letter(request) for request in asked)


def test_what_was_told_stands_in_the_letter_of_the_teller_when_the_two_meet_again(dinner: Layout) -> None:
    lines = {"alex": "jordan: My aunt kept a bakery with a river under the floor.", "jordan": "alex: Show me."}
    takeaway = {"conversation": {"description": "Jordan asked for more.", "importance": 4, "valence": 0}}
    first = played(dinner, TALK, says(lines, alex_last=takeaway))
    assert "What you last said to each other" not in letter(first[0])
    again = played(dinner, TALK, says({}))
    part = letter(again[0]).partition("## What you last said to each other (today, in part)")[2]
    assert "Alex: My aunt kept a bakery with a river under the floor." in part
    assert "Jordan: Show me." in part
    other = letter(again[1]).partition("## What you last said to each other")[2]
    assert "bakery" not in other, "the memory of Jordan, who kept none of its own words for it, quotes it already"
    work = played(dinner, WORK, says({}))
    assert not any("What you last said" in letter(request) for request in work)


def test_what_one_says_of_its_plan_and_keeps_of_a_talk_stands_in_its_next_letter(dinner: Layout) -> None:
    edit(dinner.agent("alex"), {"today_plan": ["For Sunday: the menu", "Talk to Jordan: the salt"]})
    kept = {"description": "Jordan and I spoke of salt.", "importance": 4, "valence": 0.0}
    asks = {"kind": "question", "to": "jordan", "text": "Where is the salt?"}
    first = {"plan_status": [{"item": 1, "status": "done", "text": ""}], "conversation": kept, "opens": [asks]}
    closes = [{"id": "here-1", "outcome": "answered", "text": "In the drawer."}]
    lines = {"alex": "jordan: Where is the salt?", "jordan": "alex: In the drawer."}
    asked = played(dinner, TALK, says(lines, alex=first, alex_last={"closes": closes}))
    second, last = (letter(request) for request in asked if request.label in ("alex-turn-2", "alex-last"))
    for text in (second, last):
        assert "1. For Sunday: the menu (done)\n2. Talk to Jordan: the salt\n" in text
        assert "What you have kept of the conversation already: “Jordan and I spoke of salt.”" in text
        assert "- `here-1` Where is the salt?" in text
    (thread,) = (one for one in load_world(dinner).world.threads if one.kind == "question" and one.by == "alex")
    assert (thread.text, thread.outcome, thread.reason) == ("Where is the salt?", "answered", "In the drawer.")


def test_what_both_have_arranged_stands_once_in_their_letters_with_the_time_that_the_second_named(
    dinner: Layout,
) -> None:
    first = {"kind": "appointment", "to": "jordan", "text": "Jordan comes to see the salt."}
    second = {"kind": "appointment", "to": "alex", "text": "I come over at four.", "time": "16:00"}
    dropped = {"closes": [{"id": "here-1", "outcome": "dropped", "text": "It is there twice."}]}
    lines = {"alex": "jordan: Come and see it.", "jordan": "alex: At four.", "alex-turn-2": "jordan: Good."}
    own = {"alex": {"opens": [first]}, "jordan": {"opens": [second]}, "alex_last": dropped}
    own |= {"alex_turn_3": {"opens": []}, "jordan_turn_3": {"opens": []}}
    backend, warnings = Scripted(says(lines, **own)), Warned()
    play_with(dinner, backend, warnings, lambda master: master.play_requested(TALK))
    asked = {request.label: letter(request) for request in backend.asked}
    kept = "- `here-1` Jordan comes to see the salt. (agreed since: 16:00)\n"
    for label in ("alex-turn-2", "jordan-turn-2", "alex-last"):
        assert asked[label].count(kept) == 1, label
        assert "I come over at four." not in asked[label], label
        assert "has already been arranged here" not in asked[label], label
    assert "alex: closes thread-001, which jordan opened here as well; it stays open" in warnings.found
    (thread,) = load_world(dinner).world.threads
    assert (thread.text, thread.time, thread.outcome) == ("Jordan comes to see the salt.", "16:00", "")


def test_who_is_to_be_fetched_reads_who_has_arranged_it(dinner: Layout) -> None:
    both = {"kind": "appointment", "to": "casey, jordan", "text": "We taste the salt.", "due": 9, "time": "09:00"}
    played(dinner, TALK, says({"alex": "jordan: Bring Casey."}, alex={"opens": [both]}))
    shown = {request.label: letter(request) for request in played(dinner, WORK, says({}))}
    assert (
        "09:00, with Alex, Jordan (as Alex has arranged; you are asked to come): We taste the salt." in shown["casey"]
    )
    assert "09:00, with Alex, Casey: We taste the salt." in shown["jordan"]


def next_letter(layout: Layout, who: str) -> str:
    """What a character is sent first in a scene in which nobody says anything."""
    return next(whole(request) for request in played(layout, WORK, says({})) if request.who == who)


def test_what_was_made_up_aloud_at_work_stands_in_the_next_letters_of_teller_and_listener(dinner: Layout) -> None:
    bakery = "My aunt kept a bakery with a river under the floor."
    played(dinner, WORK, says({"casey": f"alex: {bakery}", "alex-turn-2": "casey: Show me."}))
    after = {request.who: whole(request) for request in played(dinner, WORK, says({}))}
    assert f"I to Alex: “{bakery}”" in after["casey"]
    assert f"Casey to me: “{bakery}”" in after["alex"]
    assert bakery not in after["jordan"]


def test_an_answer_to_one_who_says_nothing_is_remembered_and_settles_the_question(dinner: Layout) -> None:
    asks = {"kind": "question", "to": "alex", "text": "Where is the salt?"}
    played(dinner, TALK, says({"jordan": "alex: Where is the salt?"}, jordan={"opens": [asks]}))
    closes = [{"id": "thread-001", "outcome": "answered", "text": "In the drawer."}]
    played(dinner, WORK, says({"alex": "jordan: The salt is in the drawer."}, alex={"closes": closes}))
    assert load_world(dinner).world.threads[0].outcome == "answered"
    text = next_letter(dinner, "jordan")
    assert re.search(r"Alex said to me \([\w-]+\): “The salt is in the drawer\.”", text)
    assert "`thread-001`" not in text


def test_what_is_kept_of_a_talk_twice_is_one_memory(dinner: Layout) -> None:
    first, second = ({"conversation": {"description": text, "importance": 4, "valence": 0}} for text in ("A.", "B."))
    lines = {"alex": "jordan: Salt?", "jordan": "alex: There.", "alex-turn-2": "jordan: Thanks."}
    asked = played(dinner, TALK, says(lines, alex=first, alex_last=second))
    assert "What you have kept of the conversation already: “A.”" in letter(asked[-1])
    talked = [text for text in next_letter(dinner, "alex").splitlines() if "· conversation ·" in text]
    assert [text.partition("conversation")[2] for text in talked] == [" · 4: B."]
