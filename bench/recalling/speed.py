"""How long questions take in long streams of German memories, and in a fresh process."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from bench.table import Row
from gm.api.reports.recall import Recall, RecallOptions, open_recall
from gm.base.config import Settings
from gm.files.layout import Layout
from gm.model.node import Node, render_node

Lexis = tuple[list[str], list[float]]

STRATEGIES = ("recent", "tags", "scored", "hybrid")
NODES, MANY = 6_000, 100_000
QUESTIONS = 200
AIM_MS, AIM_MANY_MS, AIM_COLD_MS = 5, 30, 200
STARTS = 7
ONSETS = ("b", "d", "f", "g", "h", "k", "l", "m", "n", "r", "s", "t", "w", "br", "gr", "kr", "schl", "st", "tr", "zw")
VOWELS = ("a", "e", "i", "o", "u", "ä", "ö", "ü", "ei", "au")
CODAS = ("b", "ch", "ck", "g", "ld", "lm", "mm", "n", "nd", "ng", "r", "rt", "s", "ss", "t", "tt")
SYLLABLES = [f"{onset}{vowel}{coda}" for onset in ONSETS for vowel in VOWELS for coda in CODAS]
ENDINGS = ("", "e", "en", "er", "ung", "heit", "lich", "es")
WORDS = 3000
OFFSET = 30  # of the law by which words become rarer: no word that says something is as frequent as a stop word
COMPOUNDS = 0.2
FILLERS = ("der", "die", "das", "und", "ich", "habe", "mit", "einen", "gesehen", "nicht", "noch", "über", "von", "auf")
PEOPLE = ("Vera", "Darius", "Emre", "Leo")


def measure(folder: Path) -> tuple[Row, ...]:
    """Print the times at both sizes, how they grow, and that of a fresh process."""
    few, many = folder / "few", folder / "many"
    rows = _measure(few, NODES, STRATEGIES, AIM_MS)
    rows += (_cold(few),)
    rows += _measure(many, MANY, ("hybrid",), AIM_MANY_MS)
    at_few = next(row.ratio for row in rows if row.what.startswith("recall hybrid"))
    growth = rows[-1].ratio / at_few
    print(f"growth: {MANY / NODES:.1f} times as many memories take {growth:.1f} times as long")
    return rows


def _measure(folder: Path, count: int, strategies: tuple[str, ...], aim: int) -> tuple[Row, ...]:
    layout = Layout(folder)
    layout.memories.mkdir(parents=True)
    layout.agents.mkdir()
    for name in PEOPLE:
        layout.agent(name.lower()).write_text(json.dumps({"name": name}), encoding="utf-8")
    dice = random.Random(1)
    lexis = make_lexis(dice)
    with layout.stream("vera").open("w", encoding="utf-8") as stream:
        stream.writelines(render_node(make_node(number, dice, lexis)) + "\n" for number in range(1, count + 1))
    rows: tuple[Row, ...] = ()
    for label in (f"index of {count:,} memories made", "opened again"):
        begin = time.process_time()
        with open_recall(layout, Settings()) as recall:
            recall.find("vera", "Knochenturm", RecallOptions())
            print(f"{label}, with the first question: {1000 * (time.process_time() - begin):.0f} ms")
            rows = _questions(recall, dice, lexis, count, strategies, aim)  # those of the second time count
    return rows


def _questions(
    recall: Recall, dice: random.Random, lexis: Lexis, count: int, strategies: tuple[str, ...], aim: int
) -> tuple[Row, ...]:
    rows = []
    for strategy in strategies:
        times = []
        for _ in range(QUESTIONS):
            one, two, three = dice.choices(*lexis, k=3)
            question = f"Was hat {dice.choice(PEOPLE)} über {one} und {two} {three} gesagt?"
            begin = time.process_time()
            recall.find("vera", question, RecallOptions(strategy))
            times.append(1000 * (time.process_time() - begin))
        times.sort()
        found, slow = median(times), times[int(0.95 * len(times))]
        print(f"{strategy:8} {found:.1f} ms a question at {count:,} memories, 95 % under {slow:.1f} (aim: under {aim})")
        why = "" if found <= aim else f"{slow / found:.1f} times that at the 95th of 100 questions"
        rows.append(
            Row(f"recall {strategy} at {count:,} memories", f"{found:.1f} ms", "bound in ms", found, aim, why=why)
        )
    return tuple(rows)


def _cold(folder: Path) -> Row:
    command = [sys.executable, "-m", "gm", "recall", "vera", "Was hat Emre im Turm gesagt?", "-w", str(folder)]
    cold = median(_seconds(command) for _ in range(STARTS))
    bare = median(_seconds([sys.executable, "-c", "pass"]) for _ in range(STARTS))
    print(
        f"a fresh process that asks one question, index of {NODES:,} memories on disk: {1000 * cold:.0f} ms, bare "
        f"Python {1000 * bare:.0f} ms (aim: at most {AIM_COLD_MS})"
    )
    why = f"{cold / bare:.1f} times bare Python, which took {1000 * bare:.0f} ms in this run"
    what = f"recall in a fresh process, {NODES:,} memories"
    return Row(what, f"{1000 * cold:.0f} ms", "bound in ms", 1000 * cold, AIM_COLD_MS, why=why)


def _seconds(command: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - begin


def make_lexis(dice: random.Random) -> Lexis:
    """Make words and how frequent they are; a fifth of them are put together from two others."""
    words: dict[str, None] = {}
    while len(words) < WORDS:
        word = "".join(dice.choices(SYLLABLES, k=dice.randint(1, 2))) + dice.choice(ENDINGS)
        if len(words) > 100 and dice.random() < COMPOUNDS:
            word = "".join(dice.choices(list(words), k=2))
        words[word.capitalize()] = None
    # the most frequent words are short
    return sorted(words, key=len), [1 / (OFFSET + rank) for rank in range(WORDS)]


def make_node(number: int, dice: random.Random, lexis: Lexis) -> Node:
    """Make a memory of Vera's; seven of them are made a day."""
    day, place = divmod(number - 1, 7)
    length = int(min(150, dice.lognormvariate(3.6, 0.5)))
    words = dice.choices(*lexis, k=length // 2) + dice.choices(FILLERS, k=length - length // 2) + [dice.choice(PEOPLE)]
    dice.shuffle(words)
    tags = tuple(dict.fromkeys(word.lower() for word in dice.choices(*lexis, k=5)))
    created = f"day-{day + 1:03d}/scene-{place // 2 + 1:02d}"
    return Node(f"vera-{number:03d}", created, "observation", 0, " ".join(words) + ".", dice.randint(3, 9), tags)
