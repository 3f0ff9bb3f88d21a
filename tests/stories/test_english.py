"""Nothing in an English world is German: no prompt, no file, no page, no line of a command.

And its prompts read as written in English, for the world that they are about: the dinner is not an office.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.board import put_up_feedback, put_up_post
from gm.api.worlds.create import create_world
from gm.ask.prompt.context import Assembler
from gm.ask.prompt.render import Prompts
from gm.ask.prompt.turn_context import TurnContext
from gm.cli.reference import all_commands
from gm.faces.web.publish import publish
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.packaged.shipped import shipped_prompts
from gm.llm.base import Request
from gm.model.thread import Thread
from gm.scene.candidates import plans, threads
from gm.scene.directing.scenes import scene_of
from tests.cli.running import Run
from tests.everything import everything_on
from tests.stories.leaks import prompts_of
from tests.stories.playing import Scripted, letter, play, records, set_sections, tree

GERMAN = re.compile(
    r"[äöüÄÖÜß»«„]|\b(?:und|nicht|ist|ich|eine|einen|einem|auf|für|von|dem|das|zu|sich|auch|aber|noch|wie|der|mit|wenn|oder"
    r"|kein|keine|wird|sind|haben|Tag \d|Tage|Szene|Szenen|Erinnerung|Erinnerungen|Brief vom|Morgen|Mittag|Abend"
    # … not the beginning of a word that was cut, such as "under"
    r"|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag)\b(?!…)"
)
DAYS = 3
CALQUES = re.compile(
    r"there is something between you|you say of it|kept of it|the best of years|I said no more|you can only want it"
    r"|date and salutation|calendar mottoes|belongs? into|gets talked through|owe an answer|slip of notes"
    r"|Something stands between|stands? above|stand here|In front of you lies"
    r"|been by themselves|why, you do not know"
    r"|they stand here|stands in full|What you set out to do|not here by chance|: is among your|[1-9] [1-9]\d* times"
    r"|(?:promised|asked)[^(\n]* \(since day"
)
"""German sentences in English words."""
OFFICE = re.compile(
    r"\bat work\b|\b[Mm]eetings?\b|the floor (?:to|by)\b|Creative Director|hand(?:ed)? (?:it )?in (?:as|before)"
    r"|\b[Aa]ssignments?\b|\b[Bb]riefs?\b|\bco-?workers?\b|\bstudio\b|works? from home|concepts \| writing"
)
"""Words of an office that gm itself might say; those of the world and its characters are theirs."""
WAYS = (
    "status", "log -n 0", "log alex", "plan", "due", "stats", "cost", "threads --all", "brief --list", "post --list",
    "event --list", "goals", "soul show", "working show", "relationships", "diary", "accumulators", "check", "settings",
    "settings calendar", "memory show alex", "memory find dinner", "recall alex dinner --explain", "why alex-003",
    "context alex --prompt", "context casey", "diff day-001 day-002", "compare day-001 day-002",
    "export --to -", "share requests", "index status", "gift --dry-run",
    "scene nosuch", "memory show nobody", "event x --weekday Sometime", "ask nobody x", "diff day-099",
)  # fmt: skip


def german_in(texts: Iterator[tuple[str, str]]) -> list[str]:
    """List what is German: where, and with what stands around it."""
    return [
        f"{place}: {text[max(0, found.start() - 30) : found.end() + 30]!r}"
        for place, text in texts
        for found in GERMAN.finditer(text)
    ]


@pytest.fixture(scope="module", params=["as it is", pytest.param("everything on", marks=pytest.mark.soak)])
def english(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Layout:
    layout = create_world(tmp_path_factory.mktemp("english") / "dinner", "dinner")
    if request.param == "everything on":
        everything_on(layout)
    set_sections(layout.settings, "calendar: {weekly: [{weekday: Tuesday, time: evening, event: Games night}]}")
    play(layout)
    piece = sorted(layout.gallery.rglob("*.md"))[0]
    put_up_feedback(layout, layout.shown(piece), "Closer. Keep the salt.")
    play(layout, days=DAYS - 1)
    return layout


def test_the_words_that_are_looked_for_occur_in_a_german_world(played: Layout) -> None:
    assert len(german_in((path, data.decode()) for path, data in tree(played.root).items())) > 1000


def test_files_and_prompts_are_english(english: Layout) -> None:
    files = tree(english.root)
    assert any("state/traces/" in path for path in files)
    assert german_in((path, data.decode("utf-8")) for path, data in files.items()) == []


@pytest.fixture(scope="module")
def letters(english: Layout) -> list[str]:
    """Everything that the characters were asked."""
    found = ["\n\n".join(shown.blocks) for shown in prompts_of(english, range(1, DAYS + 1))]
    assert len(found) > 50
    return found


def hits(pattern: re.Pattern[str], texts: list[str]) -> set[str]:
    return {text[max(0, found.start() - 40) : found.end() + 40] for text in texts for found in pattern.finditer(text)}


def test_prompts_read_as_written_in_english(letters: list[str]) -> None:
    templates = [path.read_text(encoding="utf-8") for path in sorted((shipped_prompts() / "en").rglob("*.*"))]
    assert len(templates) > 40
    assert hits(CALQUES, templates) == set()
    assert hits(CALQUES, letters) == set()


def test_a_dinner_among_friends_is_no_office(letters: list[str]) -> None:
    assert hits(OFFICE, letters) == set()
    assert any("The host wrote to us:" in text for text in letters)


def test_where_there_is_no_library_none_is_asked_for(letters: list[str]) -> None:
    assert hits(re.compile("librar", re.IGNORECASE), letters) == set()
    assert any("`talk_to`" in text for text in letters)


def test_people_who_live_together_have_an_evening(english: Layout) -> None:
    world = load_world(english).world
    late = [entry for entry in world.log if entry.time_of_day == "evening" and entry.type in ("ENCOUNTER", "WORK")]
    assert {entry.day for entry in late} == {*range(1, DAYS + 1)}
    assert not any(entry.time_of_day == "afternoon" for entry in world.log)


def test_pieces_are_of_the_kinds_that_the_world_names(english: Layout, letters: list[str]) -> None:
    assert any('"kind": "recipes | lists | letters | plans | music"' in text for text in letters)
    made = {entry.name for entry in english.gallery.iterdir() if entry.is_dir()}
    assert made <= {"recipes", "lists", "letters", "plans", "music"}
    assert list((english.gallery / "recipes").glob("day-00?_*.md"))


@pytest.mark.parametrize(("at", "together"), [("kitchen", True), ("balcony", False)])
def test_who_is_in_the_kitchen_with_another_does_not_come_to_see_them(english: Layout, at: str, together: bool) -> None:
    prompts = Prompts(english.prompts, shipped_prompts(), "en")
    world = load_world(english, prompts.scene_types()).world
    planned = {"alex": (), "casey": (), "jordan": ("Talk to Alex: the oven",)}
    cast = {
        name: replace(agent, state=replace(agent.state, position="kitchen", today_plan=planned[name]))
        for name, agent in world.agents.items()
    }
    jordan = replace(cast["jordan"].state, position=at)
    cast["alex"] = replace(cast["alex"], state=replace(cast["alex"].state, current_task="The bread."))
    world = replace(world, agents={**cast, "jordan": replace(cast["jordan"], state=jordan)}, threads=(), log=())
    (wish,) = (item for item in plans.propose(world, "evening") if item.type == "ENCOUNTER")
    scene = scene_of(world, wish, "evening", prompts.words)
    shown = Assembler(prompts).question(world, world.agents["alex"], scene, TurnContext())
    assert ("Jordan comes to see Alex." in shown) is not together
    assert ("Jordan and Alex are in the same room already; Jordan turns to Alex." in shown) is together
    assert ("when Jordan comes in" in shown) is not together
    assert ("when Jordan turns to you" in shown) is together
    sought = replace(world.agents["alex"].state, current_task="Find Jordan before the shop closes.")
    world = replace(world, agents={**world.agents, "alex": replace(world.agents["alex"], state=sought)})
    scene = scene_of(world, wish, "evening", prompts.words)
    shown = Assembler(prompts).question(world, world.agents["alex"], scene, TurnContext())
    assert "You wanted to talk to Jordan yourself" in shown
    assert "Your mind is still on" not in shown


@pytest.mark.parametrize(("day", "when"), [(1, "Today"), (2, "Yesterday"), (3, "On day 1")])
def test_what_was_asked_the_day_before_was_asked_yesterday(english: Layout, day: int, when: str) -> None:
    prompts = Prompts(english.prompts, shipped_prompts(), "en")
    world = load_world(english, prompts.scene_types()).world
    asked = Thread("thread-001", "question", "alex", ("jordan",), "Do we have six forks?", "day-001/scene-01", due=day)
    world = replace(world, threads=(asked,), log=(), clock=replace(world.clock, day=day))
    (talk,) = threads.propose(world, "noon")
    scene = scene_of(world, talk, "noon", prompts.words)
    assert scene.premises["jordan"].startswith(f"{when} Alex asked you:")
    assert scene.premises["jordan"].endswith("You have not answered yet.")
    assert scene.premises["alex"].startswith(f"{when} you asked Jordan:")


def test_pages_are_english(english: Layout, tmp_path: Path) -> None:
    publish(english, tmp_path / "site", frozenset())
    pages = sorted((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 20
    assert german_in((page.name, page.read_text(encoding="utf-8")) for page in pages) == []


def test_commands_speak_english(english: Layout, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(english.root)
    said = {words: run(*words.split()) for words in WAYS}
    assert {words: one.err for words, one in said.items() if one.code == 3} == {}
    assert german_in((words, one.out + one.err) for words, one in said.items()) == []
    assert "Monday" in said["status"].out + said["log -n 0"].out


def test_help_is_english(run: Run) -> None:
    pages = ((path, run(*path.split()[1:], "--help").out) for path, _ in all_commands())
    # what is said about German is not German
    kept = ((path, text.replace("ue finds ü", "")) for path, text in pages)
    assert german_in(kept) == []


def test_what_is_set_for_nine_in_the_evening_is_played_then(dinner: Layout) -> None:
    text = "Alex and Casey open the box at nine."

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if "opens" not in reply:
            return reply
        arranges = request.who == "alex" and request.place == "day-001/scene-01"
        agreed = {"kind": "appointment", "to": "casey", "text": text, "due": 1, "time": "21:00", "place": "study"}
        aloud = {"dialogue": [{"to": "casey", "text": text}], "opens": [agreed]} if arranges else {"opens": []}
        return {**reply, "closes": [], **aloud}

    backend = Scripted(change)
    play(dinner, backend=backend)
    (played,) = (line for line in records(dinner.day_log(1)) if "thread-001" in line.get("answers", ()))
    place = f"day-001/scene-{played['scene']:02d}"
    shown = {request.who: letter(request) for request in backend.asked if request.place == place}
    assert {*shown} == {"alex", "casey"}
    for said in shown.values():
        assert "Day 1, Monday, 21:00." in said
        assert "Place: study" in said
    assert load_world(dinner).world.threads[0].outcome == "kept"


def test_an_author_reads_the_answer_of_the_host_on_the_board(dinner: Layout) -> None:
    asked = "May the soup have leeks in it?"

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if "opens" not in reply:
            return reply
        asks = request.who == "alex" and request.place == "day-001/scene-01"
        opens = [{"kind": "question", "to": "The host", "text": asked}] if asks else []
        return {**reply, "closes": [], "opens": opens}

    backend = Scripted(change)
    play(dinner, backend=backend)
    (waiting,) = {
        line
        for request in backend.asked
        for line in letter(request).splitlines()
        if asked in line and "(today)" in line
    }
    assert waiting == f"- `thread-001` You asked The host (today): {asked}"
    put_up_post(dinner, "Leeks are welcome.", "The host")
    play(dinner, backend=backend)
    second = [request for request in backend.asked if request.place == "day-002/scene-01"]
    assert {request.who for request in second} == {"alex", "casey", "jordan"}
    assert all("- The host (day 1): Leeks are welcome.\n" in letter(request) for request in second)


def test_tonight_is_tonight_and_tomorrow_is_called_by_its_name_when_it_is_over(dinner: Layout) -> None:
    tonight, tomorrow = "Alex reads the list to Casey tonight.", "Jordan brings Casey the salt tomorrow."

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if "opens" not in reply:
            return reply
        promises = {"alex": (tonight, 1), "jordan": (tomorrow, 2)}
        text, due = promises.get(request.who, ("", 0)) if request.place == "day-001/scene-01" else ("", 0)
        opens = [{"kind": "promise", "to": "casey", "text": text, "due": due}] if text else []
        aloud = {"dialogue": [{"to": "casey", "text": text}]} if text else {}
        return {**reply, **aloud, "opens": opens, "closes": []}

    backend = Scripted(change)
    play(dinner, days=3, backend=backend)
    evening = [thread for thread in load_world(dinner).world.threads if thread.by == "alex"]
    assert [thread.text for thread in evening] == ["Alex reads the list to Casey on Monday evening."]
    played = [line for line in records(dinner.day_log(1)) if evening[0].id in line.get("answers", ())]
    assert played
    assert {line["time_of_day"] for line in played} == {"evening"}
    (last,) = (letter(item) for item in backend.asked if (item.who, item.place) == ("casey", "day-003/scene-01"))
    assert "overdue since Tuesday, day 2): Jordan brings Casey the salt on Tuesday." in last
