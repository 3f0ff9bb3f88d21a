"""The whole story of a person who looks instead of typing commands: once by mouse, once by keyboard alone."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from urllib.parse import urljoin, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from gm.files.commits.lock import find_holder
from gm.files.layout import Layout
from tests.browser.conftest import Serve
from tests.browser.hands import Keyboard, Mouse
from tests.browser.serving import Server, gm, served
from tests.browser.test_pages import OVERFLOWING, RULES
from tests.browser.watching import Watch
from tests.llm.chat_api import Body, ChatApi, Said, answer_well, serving_chat
from tests.stories.playing import Tree, records, set_sections, tree
from tests.waiting import wait_until

SOON_MS = 60_000
"""Days take longer on a busy machine."""
PLAYWRIGHT_MS = 5_000
"""Playwright's own."""
WORLD = "dinner"
NOTE = "Slower, and „nobody“ <b>shouts</b>."
QUESTION = "What would you throw away first?"
OF_PERSONA = "Alex never throws a list away."
BROKEN = "diary: perhaps"
OF_SETTINGS = "model: rehearsal"
LETTER = "day-003-scene-01-alex"
ACTION, MOOD, WORK = "Alex hangs the coat over the wrong chair.", "wide awake", "Write the list"
ANSWER = {"action": ACTION, "mood": MOOD, "plan": {"work": [WORK], "alone": False, "importance": 5}, "done": True}
"""As the form writes it: what stands in a field at first is a decision too."""
WAITING = 75
LANDED = ".landed .scene"
CAST, MOST_AT_ONCE = 3, 20


@pytest.fixture(autouse=True, scope="module")
def _patience() -> Iterator[None]:
    expect.set_options(timeout=SOON_MS)
    yield
    expect.set_options(timeout=PLAYWRIGHT_MS)


CACHES = ("lines.jsonl", "lexical.sqlite")
"""What ``state/.gm/`` keeps of what was read: clocks and inodes of this machine, and written by every reader. They are
left out of comparisons, and nothing else is."""


def files(root: Path) -> Tree:
    """Return all files of the worlds in a folder: path and bytes."""
    found = (path for path in sorted(root.rglob("*")) if path.is_file() and path.name not in CACHES)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def differing(ours: Tree, theirs: Tree) -> Mapping[str, tuple[bytes | None, bytes | None]]:
    """Return what stands in either for paths whose bytes are not the same."""
    paths = sorted(path for path in ours.keys() | theirs.keys() if ours.get(path) != theirs.get(path))
    return {path: (ours.get(path), theirs.get(path)) for path in paths}


def command(*arguments: str | Path, script: str = "", code: int = 0) -> None:
    done = subprocess.run(gm(*arguments), input=script, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == code, done.stderr


def append(path: Path, text: str) -> None:
    """Change a file as an editor does."""
    with open(path, "a", encoding="utf-8") as file:
        file.write(text)


@pytest.fixture(scope="module")
def commanded(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Tree]:
    """The same story by commands and an editor: how the files stand after each step."""
    place = tmp_path_factory.mktemp("commanded")
    world = Layout(place / WORLD)
    steps: dict[str, Tree] = {}

    def advance(*more: str, script: str = "", code: int = 0) -> None:
        command("advance-day", "-w", world.root, *more, script=script, code=code)

    command("init", world.root, "--template", "dinner")
    steps["made"] = files(place)
    advance("--model", "rehearsal", "--interactive", script="continue\n")
    steps["stopped"] = files(place)
    advance("--model", "rehearsal", "--days", "2")
    steps["played"] = files(place)
    append(world.settings, OF_SETTINGS)
    append(world.persona("alex"), OF_PERSONA)
    steps["edited"] = files(place)
    advance("--as", "alex", "--scenes", "1", code=WAITING)
    written = json.dumps(ANSWER, indent=2, ensure_ascii=False)
    command("mailbox", "-w", world.root, "answer", LETTER, "-", script=f"{written}\n")
    advance("--as", "alex", "--scenes", "1")
    steps["taken part"] = files(place)
    command("ask", "-w", world.root, "casey", QUESTION)
    steps["asked"] = files(place)
    advance("--interactive", script=f"replay {NOTE}\ntake 2\nend\n")
    steps["replayed"] = files(place)
    command("rewind", "-w", world.root, "day-001", "--yes")
    steps["rewound"] = files(place)
    command("branch", "-w", world.root, "what-if", "--from", "day-001", "--dir", place / f"{WORLD}-what-if")
    steps["branched"] = files(place)
    return steps


@pytest.mark.parametrize("way", [Mouse, Keyboard])
def test_a_person_makes_plays_takes_part_changes_and_goes_back_as_the_commands_do(
    way: type[Mouse], commanded: Mapping[str, Tree], tmp_path: Path, watch: Watch
) -> None:
    place = tmp_path / "worlds"
    place.mkdir()

    def same(step: str) -> None:
        assert differing(files(place), commanded[step]) == {}, step

    with served(place) as address:
        watch.allow(address)
        page = watch.page(locale="en-GB")
        hand = way(page)
        watch.visit(page, address)  # all further ways lead over the pages
        hand.press("Choose one")
        hand.tick("Dinner for Noor")
        hand.write("Folder", WORLD)
        hand.press("Preview")
        hand.press("Make this world")
        same("made")

        hand.go("Play")
        hand.tick("Decide between the scenes")
        hand.choose("Who plays the cast", "rehearsal (offline, no language model)")
        hand.press("Play")
        expect(page.locator(".take")).to_have_count(1)
        hand.press("Let it land and go on")
        expect(page.locator(LANDED)).to_have_count(1)
        expect(page.locator(".take")).to_have_count(1)
        hand.press("Stop")
        expect(page.locator("main")).to_contain_text("Stopped.")
        same("stopped")
        hand.write("days", "2")
        hand.tick("Decide between the scenes", on=False)
        hand.press("Go on")
        expect(page.locator(".notice.good")).to_contain_text("Played to the end")
        same("played")

        watch.expect_status(409)
        hand.go("Files")
        hand.press("gm.yaml")
        hand.write_at_the_end(BROKEN)
        expect(page.locator("[data-problems] .error")).to_have_count(1)
        hand.press("Preview")
        expect(page.locator("[role=alert]")).to_contain_text("gm.yaml")
        hand.write_at_the_end(OF_SETTINGS, instead_of=BROKEN)
        expect(page.locator("[data-problems] .error")).to_have_count(0)
        hand.press("Preview")
        hand.press("Save")
        hand.go("People")
        hand.press("Alex")
        hand.press("Edit persona")
        hand.write_at_the_end(OF_PERSONA)
        hand.press("Preview")
        hand.press("Save")
        same("edited")

        hand.go("Play")
        hand.tick("The next scene only")
        hand.choose("Whose part you play", "Alex Pemberton")
        hand.press("Play")
        hand.press("To the mailbox")
        hand.press("Answer")
        hand.write("What you do", ACTION)
        hand.write("Your mood", MOOD)
        hand.write("what you work on, a line each", WORK)
        hand.tick("I have nothing more to say in this scene")
        hand.press("Answer")
        hand.go("Play")
        expect(page.locator(".notice.good")).to_contain_text("One scene has landed")
        same("taken part")

        hand.go("People")
        hand.press("Casey")
        hand.press("Ask Casey")
        hand.write("Your question", QUESTION)
        hand.press("Ask")
        expect(page.locator(".said-here .turn")).to_be_visible()
        same("asked")

        hand.go("Play")
        hand.tick("Decide between the scenes")
        hand.choose("Whose part you play", "Nobody’s")
        hand.press("Go on")
        expect(page.locator(".take")).to_have_count(1)
        hand.write("Note for those in the scene", NOTE)
        hand.press("Play again with a note")
        expect(page.locator(".take")).to_have_count(2)
        hand.press("Let take 2 land")
        expect(page.locator(".take")).to_have_count(1)
        hand.press("End the day")
        expect(page.locator(".notice.good")).to_contain_text("Played to the end")
        same("replayed")

        hand.go("History")
        hand.press("Go back here Day 1")
        hand.press("Preview")
        hand.press("Go back")
        same("rewound")
        hand.press("Branch from here Day 1")
        hand.write("Name", "what-if")
        hand.press("Preview")
        hand.press("Make it")
        same("branched")
        watch.close()  # before the server ends, and with it the events of the page


class HeldBack:
    """Answers as often as it may; remembers what it was asked."""

    def __init__(self) -> None:
        self.hold()

    def __call__(self, body: Body) -> Said:
        self.asked[json.dumps(body["messages"])] += 1
        assert self._is_free or self._answers.acquire(timeout=SOON_MS / 1000)
        return answer_well(body)

    def let(self, answers: int) -> None:
        self._answers.release(answers)

    def let_all(self) -> None:
        self._is_free = True
        self.let(MOST_AT_ONCE)

    def hold(self) -> None:
        """Begin anew: nothing was asked, and nothing is answered."""
        self.asked: Counter[str] = Counter()
        self._answers = threading.Semaphore(0)
        self._is_free = False


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[HeldBack]:
    """A model of this machine, which holds its answers back; worlds ask it as ``openai:here``."""
    held = HeldBack()
    with serving_chat(ChatApi(held)) as api:
        monkeypatch.setenv("OPENAI_BASE_URL", api.url)
        yield held
        held.let_all()
    assert api.faults == []


def barriers(page: Page) -> list[str]:
    """Name what keeps a page from being read by all, or on a phone; empty = nothing does."""
    page.set_viewport_size({"width": 390, "height": 844})
    found = [str(wide) for wide in page.evaluate(OVERFLOWING)]
    for theme, rules in RULES.items():
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        found += [f"{one['id']} {one['nodes'][:2]}" for one in Axe().run(page, options=rules).response["violations"]]
    return found


def test_no_interruption_of_a_day_loses_or_repeats_a_question(
    dinner: Layout, model: HeldBack, tmp_path: Path, watch: Watch
) -> None:
    set_sections(dinner.settings, "model: openai:here\nday: {scenes: [2, 3]}\n")
    twin = Layout(tmp_path / "twin" / "dinner")
    shutil.copytree(dinner.root, twin.root)
    append(twin.persona("alex"), OF_PERSONA)
    model.let_all()
    command("advance-day", "-w", twin.root)
    undisturbed = model.asked.total()
    model.hold()

    server = Server(dinner.root, "--port", "0")
    try:
        watch.allow(server.address)
        watch.expect_status(423)
        stage = urljoin(server.address, "play.html")
        late = watch.page(java_script_enabled=False)
        watch.visit(late, stage)
        page = watch.page()
        watch.visit(page, stage)
        Mouse(page).press("Play")
        expect(page.locator(".now")).to_be_visible()
        wait_until(lambda: model.asked.total() == CAST, "all are asked")
        assert barriers(page) == []

        append(dinner.persona("alex"), OF_PERSONA)
        other = watch.page()
        for path in ("index.html", "agents/alex.html", "days/index.html", "logbook.html", "mailbox.html"):
            watch.visit(other, urljoin(server.address, path))
        with late.expect_navigation():
            late.click("button[value=start]")
        expect(late.locator("[role=alert]")).to_be_visible()
        command("advance-day", "-w", dinner.root, code=1)
        watch.visit(other, stage)
        page.context.close()

        model.let(CAST)
        expect(other.locator(LANDED)).to_have_count(1)
        back = watch.page()
        watch.visit(back, stage)
        expect(back.locator("button[value=stop]")).to_be_visible()
        wait_until(lambda: model.asked.total() > CAST, "the next scene is asked for")

        watch.expect_gone()
        server.kill()
        model.let_all()
        wait_until(lambda: find_holder(dinner.lock) is None, "the run of a server that was killed ends")
        landed = len(records(dinner.day_log(1)))
        server = Server(dinner.root, "--port", str(urlsplit(server.address).port))
        expect(back.locator("button[value=start]")).to_have_text("Go on")
        assert len(records(dinner.day_log(1))) == landed
        Mouse(back).press("Go on")
        expect(back.locator(".notice.good")).to_contain_text("Played to the end")
        back.context.close()
        server.close()
    finally:
        server.kill()
    # the traces hold the prompts, and here the persona was changed in the middle of the day
    assert tree(dinner.root, traces=False) == tree(twin.root, traces=False)
    assert max(model.asked.values()) == 1
    assert model.asked.total() == undisturbed


SHOWN_AT = """selector => {
    window.shownAt = [];
    const look = () => {
        const count = document.querySelectorAll(selector).length;
        while (window.shownAt.length < count) { window.shownAt.push(Date.now()); }
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}"""
"""Notes when so many elements were there for the first time, in milliseconds of wall time."""
SCENES = 4


def test_what_a_terminal_plays_is_seen_within_a_second_of_each_landing(
    dinner: Layout, serve: Serve, watch: Watch
) -> None:
    root = serve(dinner)
    watch.allow(root)
    page = watch.page()
    with page.expect_response("**/events?*"):
        watch.visit(page, urljoin(root, "play.html"))
    page.evaluate(SHOWN_AT, LANDED)
    line = gm("advance-day", "-w", dinner.root, "--model", "rehearsal", "--events", "--interactive")
    landed_at: list[float] = []
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8") as run:
        assert run.stdin is not None
        assert run.stdout is not None
        for text in run.stdout:
            event = json.loads(text)["event"]
            if event == "scene_played":
                landed_at.append(time.time() * 1000)
                expect(page.locator(LANDED)).to_have_count(len(landed_at))
            elif event == "choices" and len(landed_at) == SCENES:
                run.stdin.close()
            elif event == "choices":
                run.stdin.write("continue\n")
                run.stdin.flush()
    shown_at = page.evaluate("window.shownAt")
    # of a busy machine, not of the pages, a single delay would tell
    assert median(shown - landed for shown, landed in zip(shown_at, landed_at, strict=True)) < 1000


def test_what_a_page_plays_is_seen_in_a_terminal(dinner: Layout, serve: Serve, watch: Watch) -> None:
    root = serve(dinner)
    watch.allow(root)
    page = watch.page()
    hand = Mouse(page)
    watch.visit(page, urljoin(root, "play.html"))
    hand.tick("Decide between the scenes")
    hand.choose("Who plays the cast", "rehearsal (offline, no language model)")
    hand.press("Play")
    for landed in (1, 2):
        expect(page.locator(".take")).to_have_count(1)
        hand.press("Let it land and go on")
        expect(page.locator(LANDED)).to_have_count(landed)
        done = subprocess.run(gm("log", "-w", dinner.root, "--json"), capture_output=True, check=True)
        assert [len(day["scenes"]) for day in json.loads(done.stdout)["days"]] == [landed]
    command("advance-day", "-w", dinner.root, "--model", "rehearsal", code=1)
    hand.press("Stop")
    expect(page.locator("main")).to_contain_text("Stopped.")
