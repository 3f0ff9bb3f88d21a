"""A piece finished in a scene is whole in the next question to its readers, and to nobody else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from gm.files.layout import Layout
from gm.files.load import load_world
from gm.llm.base import Request
from gm.llm.rehearsal.backend import Rehearsal
from gm.scene.directing.choosing import SceneRequest
from tests.stories.playing import Heard, Scripted, about, letter, play, play_with, records, set_sections, whole

TITLE = "Seven Lemons"
BODY = "# Seven lemons\n\nOne for every winter.\n\nThe first is cut before anyone sits down."
PIECE = {"title": TITLE, "kind": "writing", "description": "A list of lemons.", "body": BODY}
OWN, OTHERS = f"Your “{TITLE}”", f"In front of you: “{TITLE}” by "

When = Callable[[Request], bool]


class Made(Scripted):
    """Has a character finish a piece, once, in its first turn that fits; nothing else is finished by the rehearsal."""

    def __init__(self, when: When, **values: Any) -> None:
        super().__init__(self._reply)
        self.when, self.values = when, {**PIECE, **values}
        self.made: Request | None = None

    def _reply(self, request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if request.purpose != "scene":
            return reply
        reply = json.loads(json.dumps(reply).replace(TITLE, "it"))
        if self.made is None and self.when(request):
            self.made = request
            return {**reply, "artifact": self.values}
        return reply

    @property
    def later(self) -> list[Request]:
        assert self.made is not None
        return self.asked[self.asked.index(self.made) + 1 :]

    def in_the_scene(self) -> list[Request]:
        return [request for request in self.later if self.made and request.place == self.made.place]


def starts(kind: str) -> When:
    return lambda request: about(request).here.type == kind and request.label == about(request).scene.cast[0]


def test_a_piece_finished_in_a_talk_lies_whole_before_both_and_older_ones_do_not(dinner: Layout) -> None:
    play_with(
        dinner, Rehearsal(), Heard(), lambda master: master.play_requested(SceneRequest("work", ("alex", "jordan")))
    )
    backend = Made(starts("ENCOUNTER"))
    play_with(
        dinner, backend, Heard(), lambda master: master.play_requested(SceneRequest("encounter", ("jordan", "alex")))
    )
    assert backend.made is not None
    assert about(backend.made).context.pieces, "an older piece lies there until then"
    maker, following = backend.made.who, backend.in_the_scene()
    assert {request.who for request in following} == set(about(backend.made).scene.cast)
    for request in following:
        text = letter(request)
        assert (OWN if request.who == maker else OTHERS) in text
        assert BODY.splitlines()[0] in text
        assert "> The first is cut before anyone sits down." in text
        assert text.count("\n## Your “") + text.count("\n## In front of you: “") == 1
    assert TITLE not in letter(backend.made)


def on_board(text: str, author: str) -> list[str]:
    """Return what a question says of an author's posts of day 1: the post, or the memory that it names instead."""
    lines = text.splitlines()
    found = []
    for line in lines:
        if line.startswith(f"- {author} (day 1): "):
            known = re.fullmatch(
                rf"“{TITLE}”; you have what it is among your memories \(`([\w-]+)`\)", line.partition("): ")[2]
            )
            found.append(next(one for one in lines if one.startswith(f"- `{known[1]}`")) if known else line)
    return found


@pytest.mark.parametrize("audience", [["casey"], ["casey", "board"]])
def test_outside_of_its_audience_nothing_names_it(dinner: Layout, audience: list[str]) -> None:
    set_sections(dinner.settings, "diary: on\nrelationships: on\nshare: {enabled: true}\n")
    backend = Made(lambda request: about(request).here.type == "MEETING" and request.who == "alex", audience=audience)
    play(dinner, days=3, backend=backend)
    assert backend.made is not None
    texts = [whole(request) for request in backend.later if request.who == "jordan"]
    outside = [letter(request) for request in backend.later if request.who == "jordan"]
    outside += [block.text for request in backend.later if request.who == "jordan" for block in request.system]
    known = {name: json.dumps(records(dinner.stream(name)), ensure_ascii=False) for name in ("alex", "casey", "jordan")}
    assert TITLE in known["alex"]
    assert TITLE in known["casey"]
    assert any(OTHERS in letter(request) for request in backend.in_the_scene() if request.who == "casey")
    if "board" in audience:
        assert any(TITLE in said and "A list of lemons." in said for text in texts for said in on_board(text, "Alex"))
    else:
        assert not any(words in text for text in (*outside, known["jordan"]) for words in (TITLE, "list of lemons"))
        assert any("(Apart from you, only Alex is meant to know about it.)" in letter(item) for item in backend.later)


def test_a_piece_that_its_maker_has_not_shown_says_so(dinner: Layout) -> None:
    backend = Made(lambda request: about(request).here.type == "MEETING" and request.who == "alex", audience=["alex"])
    play(dinner, days=2, backend=backend)
    assert any("(You have not put it before anyone yet.)" in letter(item) for item in backend.later)


def test_who_may_not_know_of_it_is_in_no_scene_about_it_and_changes_no_plan_for_it(dinner: Layout) -> None:
    backend = Made(lambda request: about(request).here.type == "MEETING" and request.who == "alex", audience=["casey"])
    play(dinner, days=3, backend=backend)
    log = [entry for day in (1, 2, 3) for entry in records(dinner.day_log(day))]
    (path,) = (path for entry in log for path in entry.get("artifacts", ()) if "seven-lemons" in path)
    assert [sorted(entry["participants"]) for entry in log if path in entry.get("answers", ())] == [["alex", "casey"]]
    questions = [request for request in backend.later if request.who == "jordan" and request.purpose == "scene"]
    assert not any(TITLE in reason.values.values() for item in questions for reason in about(item).context.replan)


def test_who_goes_on_with_a_piece_at_work_has_its_text(dinner: Layout) -> None:
    backend = Made(starts("WORK"))
    play(dinner, backend=backend)
    assert backend.made is not None
    maker = backend.made.who

    def plan(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if request.who == maker and reply.get("plan"):
            reply["plan"]["work"] = [f"Finish {TITLE}"]
        return reply

    again = Scripted(plan)
    play(dinner, backend=again)
    at_work = [request for request in again.asked if request.purpose == "scene" and about(request).here.type == "WORK"]
    own = [request for request in at_work if request.who == maker and about(request).context.turn == 1]
    own = [request for request in own if about(request).scene.cast[0] == maker]
    assert own
    assert OWN in letter(own[0])
    assert "> One for every winter." in letter(own[0])
    assert "put the whole of it on the table again" in letter(own[0])


def test_a_hung_up_piece_stays_on_the_board_and_says_what_it_is(dinner: Layout) -> None:
    backend = Made(starts("WORK"), audience=["board"])
    play(dinner, days=2, backend=backend)
    assert backend.made is not None
    (post,) = [post for post in load_world(dinner).world.posts if post.artifact]
    assert (post.author, post.type, post.day) == (backend.made.who, "note", 1)
    author = load_world(dinner).world.agents[post.author].call_name
    following = [item for item in backend.later if item.purpose == "scene" and item.place != backend.made.place]
    assert following
    for request in following:
        (said,) = on_board(whole(request), author)
        assert TITLE in said
        assert "A list of lemons." in said


def test_what_is_read_aloud_lies_before_all_present_and_in_the_next_scene_that_goes_on_about_it(dinner: Layout) -> None:
    def only(kind: str, label: str, **values: Any) -> Scripted:
        def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
            reply = json.loads(json.dumps(reply).replace(TITLE, "it"))
            is_it = request.purpose == "scene" and about(request).here.type == kind and request.label == label
            return {**reply, "artifact": None, **(values if is_it else {})} if request.purpose == "scene" else reply

        return Scripted(change)

    def played(backend: Scripted, kind: str, *cast: str) -> list[Request]:
        play_with(dinner, backend, Heard(), lambda master: master.play_requested(SceneRequest(kind, cast)))
        return backend.asked

    played(only("WORK", "alex", artifact=PIECE), "work", "alex")
    reads = [{"to": None, "text": "Listen, I will read you “Seven Lemons”."}]
    first, *after = played(only("MEETING", "alex", dialogue=reads), "meeting", "alex", "casey", "jordan")
    others = [letter(request) for request in after if request.who != "alex"]
    assert first.who == "alex"
    assert {request.who for request in after} >= {"casey", "jordan"}
    assert all(f"{OTHERS}Alex" in text and "> The first is cut before anyone sits down." in text for text in others)
    asks = [{"to": "jordan", "text": "What did you make of Seven Lemons?"}]
    _, *talk = played(only("ENCOUNTER", "casey", dialogue=asks), "encounter", "casey", "jordan")
    assert all(BODY.splitlines()[-1] in letter(request) for request in talk)
    for name in ("casey", "jordan"):
        seen = [node for node in records(dinner.stream(name)) if node["metadata"].get("title") == TITLE]
        assert len(seen) == 1


def test_a_round_in_which_nothing_new_comes_is_brought_to_its_end(dinner: Layout) -> None:
    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        said = [{"to": None, "text": "Agreed."}]
        return {**reply, "dialogue": said, "opens": [], "closes": [], "decisions": [], "artifact": None, "done": False}

    backend = Scripted(change)
    request = SceneRequest("meeting", ("alex", "casey", "jordan"))
    play_with(dinner, backend, Heard(), lambda master: master.play_requested(request))
    told = ["nothing new is coming up" in letter(request) for request in backend.asked]
    assert told[:3] == [False, False, False]
    assert any(told[3:])


def planning(work: str, **talk: Any) -> Callable[[Request, dict[str, Any]], dict[str, Any]]:
    """Let Alex plan one piece of work and one talk with Jordan, and the others work alone."""

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if request.purpose != "scene":
            return reply
        reply = {**json.loads(json.dumps(reply).replace(TITLE, "it")), "opens": [], "closes": [], "artifact": None}
        mine = request.who == "alex"
        plan = {"work": [work if mine else "Rest"], "talk_to": [{"to": "jordan", **talk}] if mine else []}
        if about(request).here.type == "WORK" and request.label == about(request).scene.cast[0] == "alex":
            reply["artifact"] = PIECE
        return {**reply, "plan_status": [], "plan": plan if about(request).here.type == "ARRIVAL" else None}

    return change


def test_what_is_to_be_shown_is_made_before_and_lies_there_when_it_is_shown(dinner: Layout) -> None:
    backend = Scripted(planning(TITLE, about="the list of lemons", shows=1))
    play(dinner, backend=backend)
    talk = [request for request in backend.asked if {*about(request).scene.cast} == {"alex", "jordan"}]
    talk = [request for request in talk if about(request).here.type == "ENCOUNTER"]
    assert {request.who for request in talk} == {"alex", "jordan"}
    for request in talk:
        assert (OWN if request.who == "alex" else OTHERS) in letter(request)
        assert "> One for every winter." in letter(request)


def test_a_finished_piece_is_done_in_the_plan_and_a_talk_that_was_held_is_not(dinner: Layout) -> None:
    backend = Scripted(planning(TITLE, about="measure the oven together"))
    play(dinner, backend=backend)
    own = [request for request in backend.asked if request.who == "alex" and request.purpose == "scene"]
    begun = [about(request).scene.cast[0] == request.label and about(request).here.type == "WORK" for request in own]
    made = begun.index(True)
    for place, request in enumerate(own[1:], 1):
        assert (f"1. For Sunday: {TITLE} (done)\n" in letter(request)) == (place > made)
        assert "2. Talk to Jordan: measure the oven together\n" in letter(request)
    met = [place for place, request in enumerate(own) if {*about(request).scene.cast} == {"alex", "jordan"}]
    assert met
    assert met[0] < len(own) - 1, "a letter follows in which it might be called done"


def test_what_lies_face_down_is_not_told_to_those_who_cannot_see_it(dinner: Layout) -> None:
    backend = Made(starts("ENCOUNTER"), audience=[])
    backend.values["audience"] = ["alex"]
    play_with(
        dinner, backend, Heard(), lambda master: master.play_requested(SceneRequest("encounter", ("alex", "jordan")))
    )
    later = {request.who: letter(request) for request in backend.in_the_scene()}
    assert {*later} == {"alex", "jordan"}
    assert OWN in later["alex"]
    assert not any(word in later["jordan"] for word in (TITLE, "list of lemons", "One for every winter"))
    hidden = "What happens behind your back or is hidden from you, you do not see, even if it is written here."
    assert all(hidden in whole(request) for request in backend.asked)
