"""What characters do again and again: numbers in speech, the middle of the scale, gestures, general last sentences.

Counted from the files of a world. What a reader would call a maxim cannot be counted: the last row counts insights
whose last sentence has neither the first person nor the name of a character in it.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gm.api.worlds.create import create_world
from gm.ask.prompt.render import Prompts
from gm.base.casefold import casefold
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.packaged.shipped import shipped_prompts
from gm.model.logged import LogEntry
from gm.model.scene import ARRIVAL
from gm.model.world import World
from gm.scene.evening.habits import has_number, sentences_of
from gm.scene.grounding.mentions import mentioned

FIRST_PERSON = {
    "de": re.compile(r"\b(ich|mich|mir|mein(e[mnrs]?)?|wir|uns|unser(e[mnrs]?)?)\b"),
    "en": re.compile(r"\b(i|me|my|mine|myself|we|us|our|ours)\b"),
}
MIDDLE = range(4, 8)
Count = tuple[int, int]


def run() -> None:
    """Print the figures of the day that is shipped with the studio."""
    with tempfile.TemporaryDirectory() as folder:
        describe(create_world(Path(folder) / "studio", "studio", days=1))


def describe(layout: Layout) -> None:
    """Print the figures of a world."""
    for what, (count, of) in figures(layout).items():
        share = f"{100 * count / of:.0f} %" if of else "-"
        print(f"  {what:58} {count:>5} of {of:>5} {share:>6}")


def figures(layout: Layout) -> dict[str, Count]:
    """Return by name how many of how many."""
    world = load_world(layout).world
    entries = list(_entries(layout))
    words = Prompts(layout.prompts, shipped_prompts(), world.settings.language).words
    numbers = words("number_words").split()
    lines = [line.text for entry in entries for turn in entry.turns for line in turn.lines]
    arrivals = [turn.action for entry in entries if entry.type == ARRIVAL for turn in entry.turns if turn.action]
    nodes = [node for agent in world.agents.values() for node in agent.stream]
    given = [node.importance for node in nodes if "importance_by" not in node.metadata]
    insights = [node.description for node in nodes if node.type == "reflection"]
    return {
        "spoken lines with a number": (sum(has_number(line, numbers) for line in lines), len(lines)),
        "memories weighed 4 to 7 by their characters": (sum(weight in MIDDLE for weight in given), len(given)),
        "arrivals with a gesture of two sentences or more": (
            sum(len(sentences_of(action)) > 1 for action in arrivals),
            len(arrivals),
        ),
        "insights whose last sentence speaks of no one": (
            sum(_is_general(world, text) for text in insights),
            len(insights),
        ),
    }


def _entries(layout: Layout) -> Iterator[LogEntry]:
    for day in layout.logged_days():
        for line in layout.day_log(day).read_text(encoding="utf-8").splitlines():
            yield LogEntry(day, json.loads(line))


def _is_general(world: World, insight: str) -> bool:
    last = sentences_of(insight)[-1]
    own = FIRST_PERSON.get(world.settings.language, FIRST_PERSON["en"])
    return not own.search(casefold(last)) and not mentioned(last, world.agents.values())


def main(arguments: list[str]) -> None:
    """Print the figures of worlds."""
    for name in arguments:
        layout = Layout(Path(name))
        if not layout.settings.is_file():
            raise SystemExit(f"{name} is not a world: it has no {layout.settings.name}")
        print(name)
        describe(layout)
