"""What questions say twice: the share of words in a sequence of eight that occurred before in the same question.

The text of a question is all of it: the system parts, then the messages. A word is a run of letters, digits and
underscores, in lower case. Of a repeated sequence the first occurrence does not count.

``python -m bench.repeats WORLD …`` reads the questions that are kept in the traces of worlds; with ``--replay``, the
questions that today's templates make of the answers with which worlds went on after the shipped day of the studio.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bench.table import Row
from gm.api.worlds.create import create_world
from gm.base.errors import BackendError
from gm.files.layout import Layout
from gm.files.packaged.recorded import list_recorded
from gm.files.questions.traces import TraceReader
from gm.llm.base import Answer, Backend, Request, Surroundings
from gm.llm.choose import Choice, choose_backend
from gm.llm.content import text_of
from gm.llm.rehearsal.backend import Rehearsal
from gm.model.calendar import parse_ref
from gm.play.master import game_master
from gm.play.report import Report

SEQUENCE = 8
MEDIAN_AIM, NINTH_TENTH_AIM = 1.5, 2.5
DAYS = 3
ALL_ON = "\nrelationships: on\ndiary: on\nsoul: on\nworking: {enabled: on}\n"
MOST_PLACES = 12
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)

Days = Mapping[int, Sequence[str]]
"""Texts of questions by day."""


class Overheard:
    """Passes questions on to a backend, and keeps the text of those to characters."""

    def __init__(self, inner: Backend) -> None:
        self._inner = inner
        self.name, self.model, self.reads_facts = inner.name, inner.model, inner.reads_facts
        self.letters: defaultdict[int, list[str]] = defaultdict(list)

    def ask(self, request: Request) -> Answer:
        """Keep a question, and pass it on."""
        place = parse_ref(request.place)
        if request.who and place:
            parts = (*(block.text for block in request.system), *(text_of(said) for _, said in request.messages))
            self.letters[place.day].append("\n\n".join(parts))
        return self._inner.ask(request)


def run() -> list[Row]:
    """Rehearse three days with all that a letter can hold, play the shipped days again, and print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        print(f"{DAYS} rehearsed days of the studio, with diary, relationships, soul and working page")
        rehearsed = rehearse(Path(folder) / "rehearsed")
        describe(rehearsed)
        print("\nthe days that are shipped with the studio, with the templates of today")
        recorded = replay(Path(folder) / "recorded")
        describe(recorded)
    return [*_rows("rehearsed", rehearsed), *_rows("recorded", recorded)]


def rehearse(folder: Path, seed: int | None = None) -> Days:
    """Play days of the studio with the rehearsal, by default with its own seed; gives their questions."""
    layout = create_world(folder, "studio")
    with layout.settings.open("a", encoding="utf-8") as file:
        file.write(ALL_ON)
    return _play(layout, Choice(Rehearsal(), "bench"), DAYS, seed)


def replay(folder: Path) -> Days:
    """Play the recorded days of the studio again; gives their questions."""
    days = max(list_recorded("studio"))
    after = create_world(folder / "after", "studio", days=days)
    layout = create_world(folder / "before", "studio")
    shutil.copy(after.settings, layout.settings)
    shutil.copytree(after.traces, layout.traces)
    return _play(layout, _recorded(layout), len(TraceReader(layout.traces).days()))


def replay_on(folder: Path, played: Layout) -> Days:
    """Play the days again that a world went on with after the one that is shipped; gives their questions."""
    layout = create_world(folder, "studio", days=1)
    shutil.copy(played.settings, layout.settings)
    shutil.copytree(played.traces, layout.traces, dirs_exist_ok=True)
    return _play(layout, _recorded(layout), len(TraceReader(layout.traces).days()) - 1)


def _recorded(layout: Layout) -> Choice:
    around = Surroundings(recordings=TraceReader(layout.traces), notice=Report().notice)
    return choose_backend("replay", "bench", around)


def _play(layout: Layout, choice: Choice, days: int, seed: int | None = None) -> Days:
    heard = Overheard(choice.backend)
    with game_master(layout, replace(choice, backend=heard), Report(), command="bench", seed=seed) as master:
        try:
            for _ in range(days):
                master.play_day()
        except BackendError as error:
            print(f"it ends early: {error}")
    return heard.letters


def kept(layout: Layout) -> Days:
    """Read the questions to characters as they were asked, from the traces of a world."""
    reader = TraceReader(layout.traces)
    return {day: [text for trace in reader.of_day(day) if (text := _text(trace.record))] for day in reader.days()}


def _text(record: Mapping[str, object]) -> str:
    asked = record.get("request")
    if not record.get("who") or not isinstance(asked, dict):
        return ""
    return "\n\n".join((*map(str, asked["system"]), *(str(message["content"]) for message in asked["messages"])))


def repeated(text: str) -> tuple[int, int]:
    """Return the number of words that lie in a repeated sequence, and that of all words."""
    marks = [first is not None for first in _first_places([word for word, _ in _words(text)])]
    return sum(marks), len(marks)


def share(text: str) -> float:
    """Return the repeated share of a text in percent."""
    count, words = repeated(text)
    return 100 * count / words if words else 0.0


def places(text: str) -> Counter[tuple[str, str]]:
    """Count repeated words by the heading of their first occurrence and their own."""
    words = list(_words(text))
    firsts = _first_places([word for word, _ in words])
    return Counter(
        (words[first][1], heading) for (_, heading), first in zip(words, firsts, strict=True) if first is not None
    )


def _words(text: str) -> Iterator[tuple[str, str]]:
    """Yield each word with the heading that it stands under."""
    heading, start = "", 0
    for found in (*HEADING.finditer(text), None):
        end = found.start() if found else len(text)
        for word in re.findall(r"\w+", text[start:end].casefold()):
            yield word, heading
        if found:
            heading, start = " ".join(found[1].split()[:3]), found.start()


def _first_places(words: Sequence[str]) -> list[int | None]:
    """Return for each word the place where its sequence occurred first; None where it is the first."""
    seen: dict[tuple[str, ...], int] = {}
    found: list[int | None] = [None] * len(words)
    for place in range(len(words) - SEQUENCE + 1):
        first = seen.setdefault(tuple(words[place : place + SEQUENCE]), place)
        if first != place:
            found[place : place + SEQUENCE] = range(first, first + SEQUENCE)
    return found


def middle(shares: Iterable[float]) -> tuple[float, float]:
    """Return median and 90th percentile; zeros for nothing."""
    ordered = sorted(shares) or [0.0]
    return ordered[(len(ordered) - 1) // 2], ordered[int(0.9 * (len(ordered) - 1))]


def describe(days: Days) -> None:
    """Print the figures of each day, and where most repeated words stand."""
    print(f"{'day':>5} {'letters':>8} {'median %':>9} {'p90 %':>7} {'most %':>7} {'characters':>11}")
    for name, texts in [*((str(day), days[day]) for day in sorted(days)), ("all", _all(days))]:
        shares = [share(text) for text in texts]
        length = sorted(map(len, texts))[len(texts) // 2] if texts else 0
        most = max(shares, default=0.0)
        print(
            f"{name:>5} {len(texts):>8} {middle(shares)[0]:>9.2f} {middle(shares)[1]:>7.2f} {most:>7.2f} {length:>11,}"
        )
    found = sum((places(text) for text in _all(days)), Counter[tuple[str, str]]())
    for (earlier, later), count in found.most_common(MOST_PLACES):
        print(f"  {100 * count / found.total():>5.1f} % of repeated words: {earlier or '-'} → {later or '-'}")


def _all(days: Days) -> list[str]:
    return [text for day in sorted(days) for text in days[day]]


def _rows(what: str, days: Days) -> list[Row]:
    median, most = middle(map(share, _all(days)))
    return [
        Row(f"repeated share of letters, {what}, {name}", f"{value:.2f} %", "a fixed bound", value, aim)
        for name, value, aim in (("median", median, MEDIAN_AIM), ("90th percentile", most, NINTH_TENTH_AIM))
    ]


def main(arguments: list[str]) -> None:
    """Print the figures of worlds."""
    again = "--replay" in arguments
    for name in (name for name in arguments if name != "--replay"):
        print(name)
        with tempfile.TemporaryDirectory() as folder:
            world = Layout(Path(name))
            describe(replay_on(Path(folder) / "again", world) if again else kept(world))


if __name__ == "__main__":
    main(sys.argv[1:])
