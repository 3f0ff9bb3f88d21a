"""What thirty rehearsed days are like: is anything said twice, is a character left out, is what was begun finished?

Nothing here passes or fails; the table says what was found beside what is aimed at.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import combinations, groupby
from pathlib import Path

from bench import outcomes, said
from bench.outcomes import Counted, Planned
from bench.repeats import MEDIAN_AIM, NINTH_TENTH_AIM, kept, middle, share
from bench.said import look_at
from gm.api.editing.board import put_up_brief
from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.llm.choose import Choice
from gm.model.world import World
from gm.play.master import game_master
from gm.scene.planning.events import events_on, is_played

DAYS = 30
BRIEF_EVERY = 6
MOST_IN_A_ROW = 2
SMALL = 3
MIX = {"ARRIVAL": (1, 1), "ENCOUNTER": (1, 3), "WORK": (1, 2), "MEETING": (0, 1), "EVENT": (0, 1), "REFLECTION": (0, 7)}
REPEATED_AIM = f"at most {MEDIAN_AIM:g} / {NINTH_TENTH_AIM:g} %"
BRIEFS = (
    "Eure Antworten haben mir gefallen, die Türme noch nicht: Ich glaube ihnen den Herd, aber nicht die Kälte davor.",
    "Ich möchte am Ende der Woche einmal durch den ersten Raum gehen, ohne dass mir jemand etwas dazu sagt.",
    "Jemand hat mich gefragt, wovon die Leute in den Einöden leben. Ich wusste es nicht. Wisst ihr es?",
    "Nehmt mir bitte eine Sache weg. Welche, entscheidet ihr.",
)

Entry = dict[str, object]
Row = tuple[str, str, str]


def run() -> None:
    """Play thirty days of the studio, of the dinner and of other worlds, and print the table."""
    with tempfile.TemporaryDirectory() as folder:
        rows: list[Row] = []
        for name in ("studio", "dinner"):
            layout, counted, planned = create_world(Path(folder) / name, name), Counted(), Planned()
            play(layout, counted, planned)
            rows += [*(survey(layout) if name == "studio" else ()), *outcomes.rows_of(name, layout, planned)]
            rows += [*outcomes.calls_of(name, counted.calls, DAYS), *said.rows_of(name, layout)]
        rows += look_at(Path(folder), DAYS)
    wide = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, wide, strict=True)).rstrip())


def play(layout: Layout, counted: Counted, planned: Planned) -> None:
    """Play thirty days, in the studio with a brief now and then."""
    for day in range(DAYS):
        if layout.root.name == "studio" and day and day % BRIEF_EVERY == 0:
            put_up_brief(layout, BRIEFS[(day // BRIEF_EVERY - 1) % len(BRIEFS)])
        with game_master(layout, Choice(counted, "bench"), planned, command="bench") as master:
            master.play_day()


def survey(layout: Layout) -> Iterator[Row]:
    """Look through a world: what was looked at, what was found, and what is aimed at."""
    world = load_world(layout).world
    days = {day: _entries(layout, day) for day in layout.logged_days()}
    played = {day: [entry for entry in entries if entry["type"] != "SUMMARY"] for day, entries in days.items()}
    scenes = [entry for entries in played.values() for entry in entries]
    yield "days, scenes", f"{len(days)}, {len(scenes)}", ""
    longest = max((_longest_run(entries) for entries in played.values()), default=0)
    yield "longest run of one type in a day, appointments aside", str(longest), f"at most {MOST_IN_A_ROW}"
    yield from _who_met(world, scenes)
    yield _events(world, played)
    yield _briefs(world, played)
    yield from _threads(world, days)
    yield from _mix(played)
    for part, count in Counter(str(entry.get("director", "")) for entry in scenes).most_common():
        yield f"scenes chosen by {part or 'nobody knows whom'}", str(count), ""
    median, most = middle(share(text) for texts in kept(layout).values() for text in texts)
    yield "repeated share of questions, median / 90th percentile", f"{median:.2f} / {most:.2f} %", REPEATED_AIM
    parts = Counter(_strongest(entry) for entry in scenes if entry.get("score"))
    yield "strongest reason, by part", ", ".join(f"{part} {count}" for part, count in parts.most_common()), "several"


def _entries(layout: Layout, day: int) -> list[Entry]:
    return [json.loads(line) for line in layout.day_log(day).read_text(encoding="utf-8").splitlines()]


def _longest_run(entries: Iterable[Entry]) -> int:
    chosen = [entry["type"] for entry in entries if entry["type"] != "REFLECTION" and not _is_arranged(entry)]
    return max((len(list(run)) for _, run in groupby(chosen)), default=0)


def _is_arranged(entry: Entry) -> bool:
    """What is arranged is played when it was arranged, after scenes of any type."""
    score = entry.get("score")
    return isinstance(score, dict) and "appointment" in score


def _who_met(world: World, scenes: Iterable[Entry]) -> Iterator[Row]:
    small: set[frozenset[str]] = set()
    alone: set[frozenset[str]] = set()
    for entry in scenes:
        cast = _names(entry, "participants")
        pairs = set(map(frozenset, combinations(cast, 2)))
        small |= pairs if len(cast) <= SMALL else set()
        alone |= pairs if len(cast) == 2 else set()
    of = len(list(combinations(world.agents, 2)))
    yield "pairs who shared a small scene", f"{len(small)} of {of}", "all"
    yield "pairs who met as two", f"{len(alone)} of {of}", ""


def _events(world: World, played: dict[int, list[Entry]]) -> Row:
    due = [(day, key) for day in played for key, event in events_on(world, day) if is_played(event)]
    done = sum(any(key in _names(entry, "answers") for entry in played[day]) for day, key in due)
    return "scheduled events that happened", f"{done} of {len(due)}", "all"


def _briefs(world: World, played: dict[int, list[Entry]]) -> Row:
    briefs = [post for post in world.posts if post.type == "brief"]
    near = partial(_is_answered, played)
    done = sum(any(near(day, post.key) for day in (post.day, post.day + 1)) for post in briefs)
    return "briefs addressed within a day", f"{done} of {len(briefs)}", "all"


def _is_answered(played: dict[int, list[Entry]], day: int, key: str) -> bool:
    return any(key in _names(entry, "answers") for entry in played.get(day, ()))


def _threads(world: World, days: dict[int, list[Entry]]) -> Iterator[Row]:
    outcomes = Counter(thread.outcome for thread in world.threads if not thread.is_open)
    last = days[max(days)][-1].get("carried")
    carried = {item["thread"] for item in last if item["reason"]} if isinstance(last, list) else set()
    still = [thread for thread in world.threads if thread.is_open]
    silences = sum(thread.kind == "silence" for thread in still)  # kept for good
    fine, of = sum(outcomes.values()) + sum(thread.id in carried for thread in still), len(world.threads) - silences
    share = f"{100 * fine / of:.0f} % of {of}" if of else "none opened"
    yield "threads closed, or carried with a reason", share, "90 %"
    told = ", ".join(f"{outcome} {count}" for outcome, count in outcomes.most_common())
    yield "how they were closed", told or "none", "kept and broken ones"


def _mix(played: dict[int, list[Entry]]) -> Iterator[Row]:
    counted = {day: Counter(str(entry["type"]) for entry in entries) for day, entries in played.items()}
    for kind in sorted({*MIX, *(kind for count in counted.values() for kind in count)}):
        numbers = [count[kind] for count in counted.values()]
        span = f"{sum(numbers) / len(numbers):.1f} a day, {min(numbers)} to {max(numbers)}"
        yield kind, span, f"{MIX[kind][0]} to {MIX[kind][1]}" if kind in MIX else ""


def _strongest(entry: Entry) -> str:
    score = entry["score"]
    return max(score, key=lambda part: score[part]) if isinstance(score, dict) and score else ""


def _names(entry: Entry, key: str) -> list[str]:
    value = entry.get(key)
    return [str(item) for item in value] if isinstance(value, list) else []


if __name__ == "__main__":
    run()
