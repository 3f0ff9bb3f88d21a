"""What a month of rehearsed days says twice, and how much of it is about the world.

Nothing here passes or fails; ``python -m bench month`` prints the rows.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.llm.choose import Choice
from gm.llm.rehearsal.backend import Rehearsal
from gm.llm.rehearsal.voice import load_pack
from gm.model.world import World
from gm.play.master import game_master
from gm.play.report import Report
from tests.stories.made import MADE, make_world

Row = tuple[str, str, str]
SPOKEN, DONE, THOUGHT = "dialogue", "actions", "thoughts"
KINDS = {SPOKEN: "spoken lines", DONE: "actions", THOUGHT: "thoughts"}
_FRONT = re.compile(r"\A---\n(.*?)^---\n", re.DOTALL | re.MULTILINE)


def worlds(folder: Path) -> Iterator[tuple[str, Layout]]:
    """Make the worlds that are looked at, each under a name; ``month`` plays the studio and the dinner themselves."""
    for template in ("studio", "dinner"):
        bare = create_world(folder / f"{template}-bare", template)
        without_personas(bare)
        yield f"{template} without personas", bare
    for name in MADE:
        yield f"made: {name}", make_world(folder / name, name)


def without_personas(layout: Layout) -> None:
    """Leave of each persona its name and role."""
    for path in layout.state.glob("personas/*.md"):
        front = _FRONT.match(path.read_text(encoding="utf-8"))
        assert front
        kept = [line for line in front[1].splitlines() if line.startswith(("name:", "role:"))]
        path.write_text("\n".join(["---", *kept, "---", ""]), encoding="utf-8")


def play(layout: Layout, days: int) -> None:
    """Play days by rehearsal."""
    with game_master(layout, Choice(Rehearsal(), "bench"), Report(), command="bench") as master:
        for _ in range(days):
            master.play_day()


def texts_of(layout: Layout, kind: str) -> list[str]:
    """Return all texts of a kind that the logbooks of a world hold, in order."""
    records = [
        json.loads(line)
        for day in layout.logged_days()
        for line in layout.day_log(day).read_text(encoding="utf-8").splitlines()
    ]
    return [item["text"] for record in records for item in record.get(kind, ())]


def said_twice(texts: Iterable[str]) -> tuple[int, int]:
    """Return how many texts occur more than once, all their occurrences counted, and how many there are."""
    counted = Counter(texts)
    return sum(number for number in counted.values() if number > 1), sum(counted.values())


def words_of(world: World) -> set[str]:
    """Return the words of a world (premise, places, rules, briefs, personas) that the phrase pack does not have."""
    told = world.settings
    found = _words(" ".join([told.world.premise, *told.world.rules, *told.places, *told.places.values()]))
    found |= _words(" ".join(post.content for post in world.posts))
    for agent in world.agents.values():
        found |= _words(f"{agent.persona.front} {agent.persona.prose}") if agent.persona else set()
    pack = load_pack(told.language)
    return found - _words(" ".join(text for texts in pack.values() for text in texts))


def about_the_world(texts: Iterable[str], world: World) -> tuple[int, int]:
    """Return how many texts have a word of the world that the phrase pack does not have, and how many there are."""
    texts, known = list(texts), words_of(world)
    return sum(bool(_words(text) & known) for text in texts), len(texts)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w{5,}", text.casefold()))


def rows_of(name: str, layout: Layout) -> Iterator[Row]:
    """Look through a played world."""
    for kind, words in KINDS.items():
        twice, of = said_twice(texts_of(layout, kind))
        yield f"{name}: {words} said more than once", f"{twice} of {of}, {_share(twice, of)}", "at most 2 %"
    about, of = about_the_world(texts_of(layout, SPOKEN), load_world(layout).world)
    yield f"{name}: spoken lines about the world", f"{about} of {of}, {_share(about, of)}", "at least 60 %"


def look_at(folder: Path, days: int) -> Iterator[Row]:
    """Play every world for some days and look through it."""
    for name, layout in worlds(folder):
        play(layout, days)
        yield from rows_of(name, layout)
        shutil.rmtree(layout.root)


def _share(part: int, of: int) -> str:
    return f"{100 * part / of:.1f} %" if of else "none"
