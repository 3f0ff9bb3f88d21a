"""How long `gm check` takes, as a ratio to plain JSON parsing of the same lines (aim: at most 3)."""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.table import Row
from gm.files.check.whole import check_files
from gm.files.layout import Layout
from gm.model.node import Node, NodeType, render_node

AGENTS = ("darius", "emre", "finn", "leo", "nami", "tobi", "vera")
NODES = 15_000
ROUNDS = 5
PER_DAY = 9
WORDS = (
    *("asche", "turm", "wind", "glut", "schwelle", "herd", "knochen", "karte", "licht"),
    *("über", "brücke", "möglich", "später", "niemand", "gehört", "zählt"),
)


def run() -> tuple[Row, ...]:
    """Print the ratio for 7 agents with 15,000 memories each."""
    with tempfile.TemporaryDirectory() as folder:
        layout = make_world(Path(folder))
        lines = [line for name in AGENTS for line in layout.stream(name).read_text(encoding="utf-8").splitlines()]
        problems = len(check_files(layout).problems)
        # in turns, so that what else the machine does disturbs both alike
        rounds = [(seconds(lambda: parse_all(lines)), seconds(lambda: check_files(layout))) for _ in range(ROUNDS)]
        parse, check = (min(times) for times in zip(*rounds, strict=True))
    print(f"check: {len(lines):,} memories, {problems} problems: {check:.2f} s; json.loads: {parse:.2f} s")
    print(f"check: ratio {check / parse:.2f} (aim: at most 3)")
    what = f"check of 7 × {NODES:,} memories"
    return (Row(what, f"{check:.2f} s", f"json.loads {parse:.2f} s", check / parse, 3),)


def parse_all(lines: list[str]) -> None:
    """Do what is compared with: parse each line and forget it."""
    for line in lines:
        json.loads(line)


def seconds(work: Callable[[], object]) -> float:
    """Measure how much of the processor something takes."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def make_world(root: Path, names: Sequence[str] = AGENTS, nodes: int = NODES) -> Layout:
    """Write streams that resemble a hand-kept world's: lengths, types, tags and evidence as measured there."""
    layout = Layout(root)
    layout.memories.mkdir(parents=True)
    for name in names:
        write_stream(layout, name, nodes)
    return layout


def write_stream(layout: Layout, name: str, nodes: int) -> None:
    """Write the stream of a character, as ``make_world`` does."""
    dice, depths = random.Random(name), [0]
    with layout.stream(name).open("w", encoding="utf-8") as file:
        file.writelines(render_node(make_node(name, number, dice, depths)) + "\n" for number in range(1, nodes + 1))


def make_node(agent: str, number: int, dice: random.Random, depths: list[int]) -> Node:
    """Make one memory: description of log-normal length, 3 to 9 tags, evidence on most; its depth is noted."""
    day, place = divmod(number - 1, PER_DAY)
    kinds: tuple[NodeType, ...] = ("observation", "reflection", "plan", "conversation")
    kind = dice.choices(kinds, (60, 21, 18, 1))[0]
    earlier = range(max(1, number - 12), number)
    cites = earlier and (kind == "reflection" or dice.random() < 0.5)
    evidence = sorted(dice.sample(earlier, min(len(earlier), dice.randint(1, 3)))) if cites else []
    depths.append(1 + max((depths[item] for item in evidence), default=0) if kind == "reflection" else 0)
    length = int(min(993, dice.lognormvariate(5.465, 0.525)))
    return Node(
        id=f"{agent}-{number:03d}",
        created=f"day-{day + 1:03d}/scene-{place // 2 + 1:02d}",
        type=kind,
        depth=depths[-1],
        description=" ".join(dice.choices(WORDS, k=max(1, length // 6))),
        importance=dice.randint(4, 10),
        tags=tuple(dict.fromkeys(f"{dice.choice(WORDS[:9])}-{dice.randint(1, 60)}" for _ in range(dice.randint(3, 9)))),
        evidence=tuple(f"{agent}-{item:03d}" for item in evidence),
    )


def main() -> None:
    """Run the bench by itself."""
    run()


if __name__ == "__main__":
    main()
