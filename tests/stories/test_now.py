"""The page "now": written in the evening, in the next morning's letter, where marked sentences of the persona go."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from gm.api.editing.check.whole import check_world
from gm.api.editing.gift import give_memories
from gm.api.playing.mind.mind import open_mind
from gm.api.playing.mind.searching import query_self
from gm.faces.book.build import build_book
from gm.faces.book.export.formats import bind_book
from gm.faces.book.sources import ExportOptions
from gm.faces.web.publish import publish
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.layers.now import NOW, Now
from gm.llm.base import Request
from gm.model.scene_reply import SceneReply
from gm.model.solo_replies import DiaryReply, ReflectionReply
from tests.cli.running import Run
from tests.stories.playing import Counting, Heard, Scripted, play, records, set_sections

STALE = "Auf die Frage des Briefes hast du noch nichts, nur eine Stille, die du nicht unterbringst."
PAGE = {"occupies": ["Die Stille zwischen zwei Türmen dauert vierzig Sekunden."], "thinks": ["Darius meint es gut."]}
NOTHING: dict[str, list[str]] = {"occupies": [], "thinks": []}
Reply = dict[str, Any]


def writes(page: object, who: str = "nami") -> Callable[[Request, Reply], Reply]:
    """Let one of them write a page in the evening, and the others none."""

    def change(request: Request, reply: Reply) -> Reply:
        return {**reply, "now": page if request.who == who else NOTHING} if "now" in reply else reply

    return change


def letters(asked: list[Request], who: str, day: int = 1) -> list[str]:
    """Return the whole prompts sent to a character in the scenes of a day."""
    return [
        "\n".join((*(block.text for block in request.system), str(request.messages[0][1])))
        for request in asked
        if (request.who, request.purpose) == (who, "scene") and request.place.startswith(f"day-{day:03d}")
    ]


def test_a_page_of_the_evening_stands_in_the_next_morning_and_the_marked_sentence_goes(studio: Layout) -> None:
    set_sections(studio.settings, "diary: on")
    backend = Scripted(writes(PAGE))
    play(studio, days=2, backend=backend)
    daytime = [request for request in backend.asked if request.purpose == "scene"]
    first, second = letters(backend.asked, "nami"), letters(daytime, "nami", 2)
    assert all(STALE in text for text in first)
    assert not any("Wo du gerade stehst\n" in text or PAGE["occupies"][0] in text for text in first)
    shown = (
        "# Wo du gerade stehst\n\nSo hast du es am Abend von Tag 1 für dich aufgeschrieben. Wo es dem widerspricht, "
        "was oben über dich steht, gilt dies hier; was du seitdem erlebt hast, gilt mehr.\n\n"
        f"Was dich beschäftigt:\n- {PAGE['occupies'][0]}\n\n"
        f"Was du inzwischen denkst:\n- {PAGE['thinks'][0]}\n"
    )
    assert all(text.count(shown) == 1 for text in second)
    assert all(text.index("# Du bist Nami") < text.index(shown) < text.index("# Deine Erinnerungen") for text in second)
    assert not any(STALE in text for text in second)
    assert "sind dir zu bequem.\n\n## Gewohnheiten" in second[0]
    others = [text for who in ("vera", "tobi") for text in letters(backend.asked, who, 2)]
    assert not any(PAGE["occupies"][0] in text for text in others)
    assert any("Zur Frage des Briefes hast du eine Zahl" in text for text in others), "who has no page keeps the words"
    assert [str(problem) for problem in check_world(studio).problems if problem.severity != "info"] == []


def test_it_is_asked_for_with_the_diary_and_costs_no_further_question(studio: Layout) -> None:
    set_sections(studio.settings, "diary: on\nnow: off")
    without = Counting()
    play(studio, backend=without)
    assert not any("now" in request.schema["properties"] for request in without.asked)
    assert not studio.layer_folder(NOW).exists()
    set_sections(studio.settings, "now: auto")
    asked = Counting()
    play(studio, backend=asked)
    evening = [request for request in asked.asked if "now" in request.schema["properties"]]
    assert all("now" in request.schema["required"] for request in evening)
    assert all(request.schema["properties"]["now"] != {"type": "null"} for request in evening)
    looked_back = {request.who: "reflection" for request in asked.asked if request.purpose == "reflection"}
    once = {request.who: "diary" for request in asked.asked if request.purpose == "diary"} | looked_back
    assert looked_back
    assert sorted((request.who, request.purpose) for request in evening) == sorted(once.items())


def test_without_diaries_it_is_written_with_a_reflection(studio: Layout) -> None:
    set_sections(studio.settings, "now: on\nreflection: {threshold: 20}")
    backend = Scripted(writes(PAGE))
    play(studio, backend=backend)
    looked_back = [request for request in backend.asked if request.purpose == "reflection" and request.who == "nami"]
    assert looked_back
    assert "- `now`: " in str(looked_back[0].messages[0][1])
    assert load_world(studio).world.agents["nami"].mind[NOW] == Now(1, *map(tuple, PAGE.values()))


def test_a_page_that_was_written_by_hand_is_shown_as_it_is_and_nothing_of_it_is_touched(dinner: Layout) -> None:
    set_sections(dinner.settings, "diary: on")
    path = dinner.layer(NOW, "alex")
    path.parent.mkdir()
    path.write_text("# mine\noccupies: 'The   box in the hall.'  # hm\nthinks: []\nnote: by hand\n", encoding="utf-8")
    before = path.read_bytes()
    backend = Scripted(writes(NOTHING))
    play(dinner, backend=backend)
    assert path.read_bytes() == before
    text = letters(backend.asked, "alex")[0]
    assert "for yourself. Where it contradicts" in text
    assert "What is on your mind:\n- The box in the hall.\n\n" in text
    assert "by hand" not in text
    assert "What you have come to think" not in text
    play(dinner, backend=Scripted(writes({"occupies": ["The box in the hall."], "thinks": ["Open it."]}, "alex")))
    assert path.read_text(encoding="utf-8") == (
        "# mine\noccupies: 'The   box in the hall.'  # hm\nthinks:\n  - Open it.\nnote: by hand\nday: 2\n"
    )


def test_a_page_that_is_edited_while_the_diary_is_written_stays_and_that_is_said(dinner: Layout) -> None:
    set_sections(dinner.settings, "diary: on\nworking: {enabled: on}")
    by_hand = "thinks: [By hand.]\n"

    def change(request: Request, reply: Reply) -> Reply:
        if request.purpose == "diary" and request.who == "alex":
            for layer in ("now", "working"):
                (dinner.state / layer).mkdir(exist_ok=True)
            dinner.layer(NOW, "alex").write_text(by_hand, encoding="utf-8")
            return {**reply, "now": {"occupies": ["Said."], "thinks": ["Said too."]}}
        return {**reply, **({"now": NOTHING} if "now" in reply else {})}

    heard = Heard()
    play(dinner, backend=Scripted(change), report=heard)
    assert dinner.layer(NOW, "alex").read_text(encoding="utf-8") == by_hand
    assert any("state/now/alex.yaml: thinks was edited meanwhile and stays" in text for text in heard.notices)
    assert len(records(dinner.state / "diary" / "alex.jsonl")) == 1, "the entry itself is kept"


HOSTILE = [
    "{{ 7 * 7 }}{% for x in y %}",
    '# Title\n## Another\n- `key`: "x"',
    "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "\x1b[31mred\x1b[0m ../../etc/passwd",
]


@pytest.mark.parametrize("by_hand", [False, True])
def test_a_hostile_page_is_data_everywhere(dinner: Layout, run: Run, tmp_path: Any, by_hand: bool) -> None:
    set_sections(dinner.settings, "diary: on\npublish: {private: []}")
    page = {"occupies": HOSTILE[:2], "thinks": HOSTILE[2:]}
    if by_hand:
        dinner.layer_folder(NOW).mkdir()
        dinner.layer(NOW, "alex").write_text(json.dumps({"day": 1, **page}), encoding="utf-8")
    play(dinner, backend=Scripted(writes(NOTHING if by_hand else page, "alex")))
    backend = Counting()
    play(dinner, backend=backend)
    text = letters(backend.asked, "alex", 2)[0]
    shown = text[text.index("# Where you stand now") :]
    assert "- {{ 7 * 7 }}{% for x in y %}\n" in shown
    assert '- \\# Title ## Another - `key`: "x"\n' in shown or '- # Title ## Another - `key`: "x"\n' in shown
    assert "\n# Title" not in text
    assert "\n## Another" not in text
    assert "- <script>alert(1)</script>" in shown
    publish(dinner, tmp_path / "site", frozenset())
    pages = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "site").rglob("*.html"))
    assert "&lt;script&gt;alert(1)" in pages
    assert "<script>alert(1)" not in pages
    assert "<img src=x" not in pages
    book = bind_book(build_book(dinner, ExportOptions(("alex",), frozenset()))[0], "html", "a5").decode()
    assert "alert(1)" in book
    assert "<script>alert(1)" not in book
    outcome = run("context", "-w", dinner.root, "alex", "--prompt", "--scene", "arrival", "--with", "alex")
    assert outcome.code == 0, outcome.err
    assert "\x1b[31m" not in outcome.out
    written = {path.stem for path in dinner.layer_folder(NOW).iterdir()}
    assert written <= set(dinner.agent_names())


def test_a_page_of_a_layer_that_is_off_is_left_alone_and_the_marked_sentences_stay(studio: Layout) -> None:
    set_sections(studio.settings, "now: off")
    studio.layer_folder(NOW).mkdir()
    studio.layer(NOW, "nami").write_text("occupies: [Anderes.]\n", encoding="utf-8")
    backend = Counting()
    play(studio, backend=backend)
    assert all(STALE in text and "Anderes." not in text for text in letters(backend.asked, "nami"))
    assert studio.layer(NOW, "nami").read_text(encoding="utf-8") == "occupies: [Anderes.]\n"


def test_a_marked_sentence_becomes_no_memory_from_the_start_and_no_line_of_a_page(studio: Layout) -> None:
    give_memories(studio, [])
    given = studio.gifted("nami").read_text(encoding="utf-8")
    assert "Chöre, Trommeln" in given
    assert "nur eine Stille" not in given
    publish(studio, studio.root / "site", frozenset({"private"}))
    portrait = (studio.root / "site" / "agents" / "nami.html").read_text(encoding="utf-8")
    assert portrait.count("nur eine Stille, die du nicht unterbringst") == 1
    assert "until" not in portrait


def test_every_bundled_persona_marks_sentences_that_it_has(studio: Layout, dinner: Layout) -> None:
    for layout in (studio, dinner):
        codes = {problem.code for problem in check_world(layout).problems}
        assert not codes & {"persona-stale", "persona-value"}
    cast = load_world(studio).world.agents.values()
    assert all(agent.persona and agent.persona.front_values.until_now for agent in cast)
    assert all("Frage des Briefes" not in agent.persona.lasting for agent in cast if agent.persona)


def test_a_character_that_finds_out_who_it_is_is_told_its_page(dinner: Layout) -> None:
    dinner.layer_folder(NOW).mkdir()
    dinner.layer(NOW, "alex").write_text("occupies: [The box.]\nthinks: [Open it.]\n", encoding="utf-8")
    give_memories(dinner, [])
    told = [item.content for item in query_self(open_mind(dinner, "alex")).memories]
    assert told[:2] == ["The box.", "Open it."]
    set_sections(dinner.settings, "now: off")
    assert "The box." not in str(query_self(open_mind(dinner, "alex")))


def test_forms_without_a_layer_ask_for_nothing_new() -> None:
    assert "now" in DiaryReply.model_fields
    assert "now" in ReflectionReply.model_fields
    assert "now" not in SceneReply.model_fields
