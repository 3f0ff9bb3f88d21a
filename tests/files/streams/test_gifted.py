"""Seed memories are read once as long as their file certainly stays as it is, and again after every change."""

from __future__ import annotations

import pytest

from gm.files.formats import look
from gm.files.layout import Layout
from gm.files.streams import gifted
from gm.files.streams.gifted import read_gifted
from gm.model.node import render_node
from tests.build import node


def give(layout: Layout, *numbers: int, description: str = "Sie kennt den Turm.") -> None:
    layout.gifted_folder.mkdir(exist_ok=True)
    nodes = [node(number, agent="alex", created="day-000", description=description) for number in numbers]
    layout.gifted("alex").write_text("".join(render_node(one) + "\n" for one in nodes), encoding="utf-8")


def test_a_file_that_stays_as_it_is_is_read_once(dinner: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(look, "SETTLED_NS", -1)
    give(dinner, 1, 2)
    known = read_gifted(dinner, "alex")
    assert [one.id for one in known.nodes] == ["alex-001", "alex-002"]
    monkeypatch.setattr(gifted, "read_nodes", lambda *_: pytest.fail("it was read again"))
    assert read_gifted(dinner, "alex") is known


def test_every_change_is_seen_also_one_that_leaves_size_and_time_as_they_were(dinner: Layout) -> None:
    give(dinner, 1)
    assert read_gifted(dinner, "alex").nodes[0].description == "Sie kennt den Turm."
    give(dinner, 1, description="Sie kennt den Wurm.")
    assert read_gifted(dinner, "alex").nodes[0].description == "Sie kennt den Wurm."
    dinner.gifted("alex").unlink()
    assert read_gifted(dinner, "alex").text is None
