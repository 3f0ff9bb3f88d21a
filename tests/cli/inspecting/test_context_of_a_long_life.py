"""``gm context`` says the same, to the byte, whether it reads a stream whole or as far as it needs it."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.streams import nodefile
from gm.model.node import render_node
from tests.cli.running import Outcome, Run
from tests.files.longstreams import DAYS, edit_by_hand, make_stream, write_stream

OPTIONS = (("--last", 3), ("--last", 500), ("--tags", "turm"), ("--tags", "nichts"), ("--at", "day-002"), ())
SETTINGS = (
    "",
    "retrieval:\n  last: 4\n",
    "retrieval:\n  last: 4\n  all_reflections: false\n",
    "context:\n  sources: [important_recent, location]\n",
    "rag:\n  limit: 3\n",
    "reflection:\n  threshold: 1\n",
)


def both(run: Run, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> tuple[Outcome, Outcome]:
    monkeypatch.setattr(nodefile, "LONG", 10**9)
    one = run("context", *arguments)
    monkeypatch.setattr(nodefile, "LONG", 1)
    return one, run("context", *arguments)


@pytest.mark.matrix
@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_same_document(dinner: Layout, run: Run, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(nodefile, "LONG_BLOCK", 900)
    dice = random.Random(seed)
    for number, name in enumerate(("alex", "jordan")):
        write_stream(dinner, make_stream(seed + 100 * number, name), name)
    with dinner.settings.open("a", encoding="utf-8") as file:
        file.write(SETTINGS[seed % len(SETTINGS)])
    clock = json.loads(dinner.world.read_text(encoding="utf-8"))
    clock |= {"day": DAYS, "day_open": dice.random() < 0.5}
    dinner.world.write_text(json.dumps(clock), encoding="utf-8")
    if seed % 4 == 3:
        edit_by_hand(dinner, seed)
    if seed % 3 == 1:
        old, *_ = make_stream(seed + 50)
        dinner.archived("alex").parent.mkdir(parents=True, exist_ok=True)
        dinner.archived("alex").write_text(render_node(replace(old, id="alex-7000")) + "\n", encoding="utf-8")
        dinner.summarised("alex").parent.mkdir(parents=True, exist_ok=True)
        dinner.summarised("alex").write_text(
            render_node(replace(old, id="alex-7001", type="reflection", depth=1)) + "\n", encoding="utf-8"
        )
    for options in OPTIONS:
        one, other = both(run, monkeypatch, "alex", "-w", dinner.root, "--json", "--prompt", *options)
        assert (one.code, one.out, one.err) == (other.code, other.out, other.err)
        assert one.code == 0


def test_it_does_so_where_the_stream_is_in_order_and_much_was_lived(
    dinner: Layout, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_stream(dinner, make_stream(7, most=900))
    one, other = both(run, monkeypatch, "alex", "-w", dinner.root, "--json", "--prompt")
    assert one.out == other.out
    assert dinner.lines.exists()
    stream = load_world(dinner, whole_streams=False).world.agents["alex"].stream
    assert isinstance(stream, nodefile.LongStream)
