"""Streams at random, as a world and its people may leave them."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from gm.files.layout import Layout
from gm.files.streams import linescan
from gm.model.node import Node, NodeType, render_node
from tests.build import node

DAYS = 6


def make_stream(seed: int, name: str = "alex", most: int = 90) -> list[Node]:
    """Make a stream in order: reflections anywhere, copies and utterances beside, days without memories, gaps."""
    dice = random.Random(seed)
    days = sorted(dice.randint(1, DAYS) for _ in range(dice.randint(1, most)))
    number, nodes = 0, []
    for day in days:
        number += dice.choice((1, 1, 1, 2, 40))
        depth = dice.choice((0, 0, 0, 0, 1, 2))
        beside = dice.choice(
            (None,) * 6 + ({"copied_from": "jordan-001"}, {"kind": "dialogue", "speaker": "x", "turn": 1})
        )
        created = f"day-{day:03d}/scene-{dice.randint(1, 4):02d}"
        text = dice.choice(("Kurz.", "Ein langer Satz über die Brücke und das Licht. " * dice.randint(1, 9)))
        kinds: tuple[NodeType, ...] = ("observation", "plan", "conversation", "artifact")
        kind = "reflection" if depth else dice.choice(kinds)
        one = node(number, agent=name, created=created, type=kind, depth=depth, description=text, metadata=beside)
        tags = tuple(dice.sample(("turm", "brücke", "plan"), dice.randint(0, 2)))
        nodes.append(replace(one, tags=tags, importance=dice.randint(3, 7)))
    return nodes


def write_stream(layout: Layout, nodes: list[Node], name: str = "alex") -> None:
    """Write a stream as its file."""
    layout.memories.mkdir(exist_ok=True)
    text = "".join(render_node(item) + "\n" for item in nodes)
    layout.stream(name).write_text(text, encoding="utf-8")


def edit_by_hand(layout: Layout, seed: int, name: str = "alex") -> None:
    """Do to the lines of a stream what people do."""
    dice = random.Random(seed)
    path = layout.stream(name)
    lines = path.read_text(encoding="utf-8").splitlines()
    place = dice.randrange(len(lines))
    match dice.randrange(8):
        case 0:
            lines[place] = lines[place][: len(lines[place]) // 2]
        case 1:
            lines.insert(0, lines.pop())
        case 2:
            lines.append(lines[place])
        case 3:
            lines.insert(place, "")
        case 4:
            lines[place] = lines[place].replace('"importance": 5', '"importance": 50')
        case 5:
            lines[place] = lines[place].replace('"day-00', '"day-09')
        case 6:
            lines[place] = lines[place].replace('"depth"', '"more": [1], "depth"')
        case _:
            lines[place] = lines[place].replace('"id": "alex', '"id": "jordan')
    path.write_text("\n".join(lines) + dice.choice(("\n", "", "\n\n")), encoding="utf-8")


def note_scanned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note the ids in the lines that are scanned for the line index from now on."""
    add, ids = linescan._Scan.add, list[str]()

    def noted(scan: linescan._Scan, data: bytes) -> None:
        ids.extend(re.findall(r'"id": "([^"]+)"', data.decode()))
        add(scan, data)

    monkeypatch.setattr(linescan._Scan, "add", noted)
    return ids
