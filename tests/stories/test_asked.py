"""A question out of scene: what it brings back stands in the letter, and nothing that the character cannot know."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from gm.api.playing.ask import CharacterQuestion, ask_character
from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.layers.diary import DIARY
from gm.layers.relationships import RELATIONSHIPS
from gm.llm.base import Request
from gm.llm.choose import Choice
from gm.llm.content import text_of
from gm.model.calendar import SceneRef
from gm.model.node import Node
from gm.model.scene_reply import SceneReply
from gm.model.solo_replies import AskReply
from gm.model.world import World
from tests.everything import everything_on
from tests.stories.leaks import EVENING, Shown, find_leaks
from tests.stories.playing import Counting, Scripted, about, play, records, set_sections

DAYS = 3
SETTINGS = "relationships: on\ndiary: on\nretrieval: {last: 12}\nlibrary: {}\n"
LADLE = "Die Kelle mit dem roten Griff liegt seit gestern hinter dem Ofen."
TWINE = "Der Zwirn reißt bei elf Kilo, nicht bei zwölf."
HIDDEN = "Ich habe die Kelle versteckt, und das soll hier niemand je erfahren."
BURNT = "Ich habe den Brief der Werft verbrannt, bevor ihn jemand lesen konnte."
DIARY_END = "Und der letzte Satz dieses langen Abends handelt von der Laterne im Hof."
READ = "Hanfseil verliert im Salzwasser die Hälfte seiner Bruchlast."


def _planted(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
    """On day 1 Vera remembers where the ladle is, and Emre, alone with his thoughts, why."""
    cue = about(request)
    if cue.kind == "diary":
        return reply | {"text": f"{reply['text']} {'Es war ein langer Tag. ' * 40}{DIARY_END}"}
    if (cue.here.day, cue.here.type) == (1, "ARRIVAL"):
        planted = {"vera": LADLE, "emre": BURNT}.get(cue.id)
        thoughts = {"thoughts": HIDDEN} if cue.id == "emre" else {}
        memory: dict[str, Any] = {"type": "observation", "description": planted, "importance": 2, "tags": []}
        return reply | thoughts | ({"memories": [memory]} if planted else {})
    if (cue.here.day, cue.here.type, cue.turn) == (1, "ENCOUNTER", 1) and cue.here.starts:
        return reply | {"dialogue": [{"to": None, "text": TWINE}]}
    return reply


@dataclass(frozen=True)
class Letter:
    """A question out of scene as its character gets it."""

    system: tuple[str, ...]
    question: str
    request: Request

    @property
    def whole(self) -> str:
        return "\n\n".join((*self.system, self.question))

    def section(self, heading: str) -> str:
        """Return the text below a heading of the question; empty without it."""
        found = re.search(rf"^##? {re.escape(heading)}.*?\n(.*?)(?=^##? |\Z)", self.question, re.M | re.S)
        return found[1] if found else ""

    @property
    def in_mind(self) -> set[str]:
        return set(re.findall(r"^- `([\w-]+)`", self.section("Was dir dazu einfällt"), re.M))

    @property
    def window(self) -> set[str]:
        return set(re.findall(r"^- `([\w-]+)`", "\n".join(self.system[2:]), re.M))


@pytest.fixture(scope="module")
def layout(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """Three rehearsed days of the studio, with diaries and relationships."""
    layout = create_world(tmp_path_factory.mktemp("asked") / "studio", "studio")
    set_sections(layout.settings, SETTINGS)
    play(layout, days=DAYS, backend=Scripted(_planted))
    return layout


@pytest.fixture(scope="module")
def world(layout: Layout) -> World:
    return load_world(layout).world


Asking = Callable[[str, str], Letter]


def letter(layout: Layout, who: str, text: str) -> Letter:
    backend = Counting()
    ask_character(layout, Choice(backend, "a test"), CharacterQuestion(who, text), lambda _line: None)
    request = backend.asked[0]
    return Letter(tuple(block.text for block in request.system), text_of(request.messages[0][1]), request)


@pytest.fixture(scope="module")
def asking(layout: Layout) -> Asking:
    return cache(lambda who, text: letter(layout, who, text))


def test_two_questions_bring_back_different_memories(asking: Asking) -> None:
    ladle = asking("vera", "Wo liegt die Kelle mit dem roten Griff?")
    tower = asking("vera", "Knochentürme?")
    assert ladle.in_mind
    assert tower.in_mind
    assert ladle.in_mind != tower.in_mind
    assert ladle.window == tower.window, "what was last stays in sight, whatever is asked"


def test_what_lies_beyond_the_window_is_brought_back_by_a_word_of_it(asking: Asking) -> None:
    found = asking("vera", "Wo liegt die Kelle mit dem roten Griff?")
    assert LADLE in found.section("Was dir dazu einfällt")
    assert LADLE not in "\n".join(found.system)
    other = asking("vera", "Xylophon?")
    assert not other.in_mind
    assert LADLE not in other.whole


@pytest.mark.parametrize("strategy", ["hybrid", "scored"])
def test_where_the_scene_chooses_the_window_the_question_does(layout: Layout, strategy: str) -> None:
    before = layout.settings.read_text(encoding="utf-8")
    set_sections(layout.settings, f"retrieval: {{strategy: {strategy}, last: 12, all_reflections: false}}")
    try:
        ladle = letter(layout, "vera", "Und wo ist die Kelle mit dem roten Griff?")
        # the same question with the same memories would be answered by the trace of the first
        tower = letter(layout, "vera", f"Und was ist mit dem Turm und seinem Schatten ({strategy})?")
    finally:
        layout.settings.write_text(before, encoding="utf-8")
    assert ladle.window != tower.window
    assert LADLE in "\n".join(ladle.system)
    assert LADLE not in "\n".join(tower.system)


def test_a_message_on_the_board_that_comes_to_mind_is_only_referred_to(layout: Layout, asking: Asking) -> None:
    brief = load_world(layout).world.posts[0].content
    words = " ".join(brief.split()[4:14])
    found = asking("finn", f"Was steht im Brief über »{words}«?")
    assert words in found.section("Was dir dazu einfällt")
    assert " ".join(found.whole.split()).count(words) == 2, "once in the memory, once in the question"


def _speaker(world: World) -> tuple[str, Node]:
    """Return who said the planted line, and its memory of that conversation."""
    for name, agent in world.agents.items():
        for node in agent.stream:
            lines = node.metadata.get("exchange")
            if isinstance(lines, list) and {"agent": name, "text": TWINE} in lines:
                return name, node
    raise AssertionError("nobody said it")


def test_own_words_are_at_hand_and_so_are_those_of_the_others(asking: Asking, world: World) -> None:
    name, node = _speaker(world)
    found = asking(name, "Was genau hast du über den Zwirn gesagt?")
    talk = found.section("Was damals gesagt wurde, Wort für Wort")
    assert f"- du: »{TWINE}«" in talk
    assert f"`{node.id}`" in talk
    assert TWINE not in "\n".join(found.system), "its own words are no part of what it remembers"
    partner = next(name for name in world.agents if name in node.tags)
    heard = asking(partner, "Was wurde über den Zwirn gesagt?")
    assert f"- {world.agents[name].call_name}: " in heard.section("Was damals gesagt wurde, Wort für Wort")
    assert heard.whole.count(f"»{TWINE}") == 1, "what a memory in sight quotes is only referred to"


def test_who_was_not_there_does_not_know_what_was_said(asking: Asking, world: World) -> None:
    name, node = _speaker(world)
    strangers = [other for other in world.agents if other != name and other not in node.tags]
    assert strangers
    knowing = {other for other in world.agents if TWINE in str([item.metadata for item in world.agents[other].stream])}
    for stranger in set(strangers) - knowing:
        assert "elf Kilo" not in asking(stranger, "Was wurde über den Zwirn gesagt?").whole


def _pieces(world: World, who: str, kind: str) -> list[Node]:
    stream = world.agents[who].stream
    return [
        node for node in stream if "artifact_path" in node.metadata and (node.type == "artifact") == (kind == "own")
    ]


def _first_line(layout: Layout, path: str) -> str:
    body = (layout.root / path).read_text(encoding="utf-8").partition("\n---\n")[2]
    return next(line for line in body.splitlines() if line.strip() and not line.startswith("#"))


def test_the_newest_piece_is_at_hand_when_the_question_speaks_of_work(asking: Asking, world: World) -> None:
    who, pieces = next((name, made) for name in world.agents if (made := _pieces(world, name, "own")))
    found = asking(who, "Was steht in deinem letzten Stück?")
    assert f"## »{pieces[-1].metadata['title']}«, von dir\n" in found.question


@pytest.mark.parametrize("kind", ["own", "seen"])
def test_the_text_of_a_piece_is_at_hand_when_the_question_names_it(
    layout: Layout, asking: Asking, world: World, kind: str
) -> None:
    who, node = next((name, known[0]) for name in world.agents if (known := _pieces(world, name, kind)))
    title = str(node.metadata["title"])
    found = asking(who, f"Was steht in »{title}«?")
    head = found.section(f"»{title}«" if f"## »{title}«" in found.question else title)
    assert f"> {_first_line(layout, str(node.metadata['artifact_path']))}" in head
    assert (f"## »{title}«, von dir\n" in found.question) == (kind == "own")
    assert f"## »{title}«" not in asking(who, "Wie geht es dir heute?").question


def test_what_a_character_has_read_is_at_hand_and_what_no_character_opened_is_not(layout: Layout) -> None:
    layout.library.mkdir(exist_ok=True)
    path = layout.library / "seile.md"
    path.write_text(f"---\ntitle: Seile und Bruchlast\n---\n\nVorwort.\n\n{READ}\n", encoding="utf-8")
    try:
        assert READ not in letter(layout, "leo", "Was sagt das Buch über Hanfseil und Salzwasser?").whole
        stream = layout.stream("leo")
        last = records(stream)[-1]
        number = int(last["id"].rpartition("-")[2]) + 1
        text = "Ich las in »Seile und Bruchlast« über Hanfseil im Salzwasser."
        with stream.open("a", encoding="utf-8") as file:
            file.write(
                f'{{"id": "leo-{number:03}", "created": "{last["created"]}", "type": "observation", "depth": 0,'
                f' "description": "{text}", "importance": 5, "tags": ["library"], "evidence": [],'
                ' "metadata": {"kind": "read", "source": "library/seile.md", "lines": [7, 7]}}\n'
            )
        found = letter(layout, "leo", "Und was sagt das Buch über Hanfseil und Salzwasser?")
        assert f"> {READ}" in found.section("Aus »Seile und Bruchlast«")
        assert "Vorwort" not in found.whole, "only what was read"
        assert "Bruchlast" not in letter(layout, "leo", "Und wie geht es dir?").section("Aus »Seile und Bruchlast«")
    finally:
        path.unlink()


def test_the_last_evening_stands_there_to_its_end(layout: Layout, asking: Asking) -> None:
    written = records(layout.layer(DIARY, "vera"))[-1]["text"]
    assert len(written) > 700
    shown = asking("vera", "Was hat dich zuletzt beschäftigt?").section("Heute Abend in deinem Tagebuch")
    assert DIARY_END in shown
    assert " ".join(written.split()) in shown


def test_it_says_what_a_character_thinks_of_those_who_are_named_or_of_all_where_none_is(
    layout: Layout, world: World
) -> None:
    values = {"relationship_type": "Rivalin", "trust_level": -0.4, "rationale": "Sie hat mir die Lampe genommen."}
    known = layout.layer(RELATIONSHIPS, "emre")
    before = known.read_bytes() if known.exists() else None
    known.parent.mkdir(exist_ok=True)
    known.write_text(str({"nami": values, "vera": values | {"relationship_type": "Kollegin"}}).replace("'", '"'))
    try:
        found = letter(layout, "emre", "Was hältst du von Namis Arbeit?")
        of_all = letter(layout, "emre", "Mit wem kommst du am besten aus?")
        theirs = letter(layout, "vera", "Was hält Emre von Nami?")
    finally:
        known.write_bytes(before) if before is not None else known.unlink()
    regards = found.section("Wie du zu den anderen stehst")
    assert "- Nami: Rivalin; Vertrauen -0.4" in regards
    assert "Kollegin" not in regards
    everybody = of_all.section("Wie du zu den anderen stehst")
    assert "- Nami: Rivalin; Vertrauen -0.4" in everybody
    assert "- Vera: Kollegin; Vertrauen -0.4" in everybody
    assert "Rivalin" not in theirs.whole


def test_it_says_what_came_of_promises_but_of_no_secret_and_of_no_promise_between_others(studio: Layout) -> None:
    lines = [_thread(1, "promise", "vera", "emre"), _thread(2, "silence", "vera", "emre")]
    lines += [_thread(3, "promise", "finn", "leo"), _thread(4, "promise", "emre", "vera")]
    for number, by, outcome in (
        (1, "vera", "broken"),
        (2, "vera", "dropped"),
        (3, "finn", "kept"),
        (4, "emre", "kept"),
    ):
        closing = {
            "id": f"thread-{number:03}",
            "at": "day-000/scene-02",
            "event": "close",
            "by": by,
            "outcome": outcome,
        }
        lines.append(json.dumps({**closing, "text": f"It ended as number {number}."}))
    studio.threads.write_text("\n".join(lines) + "\n", encoding="utf-8")
    known = letter(studio, "vera", "Was hast du versprochen?").section("Was aus Zusagen und Verabredungen wurde")
    assert "- About promise number 1. – Nicht gehalten. It ended as number 1." in known
    assert "number 2" not in known
    assert "number 3" not in known
    assert "number 4" not in known, "nobody has told her yet"


def test_it_says_where_one_is_and_who_else(asking: Asking, world: World) -> None:
    question = asking("vera", "Wo bist du?").question
    place = world.agents["vera"].state.position
    assert f"Du bist gerade hier: {place}." in question
    others = [other for name, other in world.agents.items() if name != "vera" and other.state.position == place]
    assert all(other.name in question for other in others)


def _thread(number: int, kind: str, by: str, to: str) -> str:
    known = {"id": f"thread-{number:03}", "at": "day-000/scene-01", "event": "open", "by": by, "kind": kind}
    return json.dumps({**known, "to": [to], "due": 1, "text": f"About {kind} number {number}."})


@pytest.mark.parametrize("template", ["studio", "dinner"])
def test_the_form_of_a_scene_is_in_no_letter_with_any_switches(request: pytest.FixtureRequest, template: str) -> None:
    layout: Layout = everything_on(request.getfixturevalue(template))
    one, other, *_ = layout.agent_names()
    kinds = ("promise", "question", "appointment", "silence")
    pairs = ((kind, *pair) for kind in kinds for pair in ((one, other), (other, one)))
    lines = [_thread(number, *item) for number, item in enumerate(pairs, 1)]
    layout.threads.write_text("\n".join(lines) + "\n", encoding="utf-8")
    shown = set(AskReply.model_json_schema()["properties"])
    foreign = SceneReply.model_fields.keys() - shown | {"artifact.body", "replaces"}
    for who in layout.agent_names():
        found = letter(layout, who, "And?")
        assert not {key for key in foreign if f"`{key}`" in found.whole}
        assert set(found.request.schema["properties"]) == shown
        assert all(f"- `{key}`:" in found.question for key in shown)
    assert "thread-005" in letter(layout, one, "So?").question, "what is open is known all the same"


@pytest.mark.parametrize(
    "reply",
    [
        {"answer": "Hinter dem Ofen.", "thoughts": "", "conversation": None, "mood": "wach"},
        {"dialogue": [{"to": None, "text": "Hinter dem Ofen."}], "mood": "wach", "memories": [], "done": True},
    ],
)
def test_an_answer_in_the_form_of_a_scene_can_still_be_used(layout: Layout, reply: dict[str, Any]) -> None:
    backend = Scripted(lambda _request, _reply: reply)
    question = f"Wo liegt die Kelle, {next(iter(reply))}?"
    answered = ask_character(layout, Choice(backend, "a test"), CharacterQuestion("vera", question), lambda _line: None)
    assert answered.answer == ("Hinter dem Ofen.",)
    assert len(backend.asked) == 1


def test_no_letter_says_what_its_character_could_not_know(layout: Layout, asking: Asking, world: World) -> None:
    questions = (
        "Was denkt Emre, und wo ist die Kelle versteckt?",
        "Was hat Emre mit dem Brief der Werft gemacht?",
        "Was steht in den Tagebüchern der anderen, und was halten sie von dir?",
        "Was haben Vera, Leo und Nami am ersten Tag besprochen?",
    )
    asked = [(name, asking(name, text)) for name in world.agents for text in questions]
    shown = [Shown(name, SceneRef(DAYS, EVENING), (*found.system, found.question)) for name, found in asked]
    assert find_leaks(layout, shown) == []
    for name, found in asked:
        assert HIDDEN not in found.whole or name == "emre"
        assert (BURNT in found.whole) <= (name == "emre")
    assert BURNT in asking("emre", questions[1]).whole


def test_the_leaks_of_a_letter_would_be_found(layout: Layout, asking: Asking) -> None:
    found = asking("leo", "Was hat Emre mit dem Brief der Werft gemacht?")
    leaky = Shown("leo", SceneRef(DAYS, EVENING), (*found.system, f"{found.question}\n\n- du: »{BURNT}«\n"))
    assert [leak.what for leak in find_leaks(layout, [leaky])] == ["memory"]


def test_todays_plan_and_the_brief_stand_in_it_once(layout: Layout, asking: Asking, world: World) -> None:
    brief = " ".join(" ".join(world.posts[0].content.split()).split()[:12])
    for name, agent in world.agents.items():
        whole = " ".join(asking(name, "Was hast du heute noch vor?").whole.split())
        assert whole.count(brief) <= 1, name
        assert agent.state.today_plan
        for item in agent.state.today_plan:
            assert whole.count(item.partition(": ")[2]) <= 1, item
