"""Accumulators are summed anew from the stream, and written as one changed value."""

from pathlib import Path

import pytest

from gm.api.answers.document import as_json
from gm.api.editing.accumulators import describe_accumulators, rewrite_accumulators
from gm.base.errors import BrokenWorldError, UsageError
from gm.files.load import load_world
from tests.handmade import MINA, OLE, fingerprint, make_handmade


def test_what_came_after_the_last_reflection_is_summed_else_everything(tmp_path: Path) -> None:
    document = as_json(describe_accumulators(load_world(make_handmade(tmp_path)).world, recompute=True))
    mina, ole = document["agents"]["mina"], document["agents"]["ole"]
    assert (mina["accumulator"], mina["recomputed"], mina["difference"]) == (40, 5, -35)
    assert (ole["accumulator"], ole["recomputed"], ole["difference"]) == (5, 10, 5)


def test_a_last_reflection_that_does_not_exist_is_said(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    layout.agent("mina").write_text(MINA.replace("mina-003", "mina-999"), encoding="utf-8")
    mina = as_json(describe_accumulators(load_world(layout).world, ["Mina"], recompute=True))["agents"]["mina"]
    assert mina["recomputed"] == 4 + 6 + 8 + 5
    assert mina["last_reflection_found"] is False


def test_writing_changes_only_that_value(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    before = fingerprint(tmp_path)
    document, _ = rewrite_accumulators(layout)
    assert document.written == ("mina", "ole")
    assert layout.agent("mina").read_text(encoding="utf-8") == MINA.replace("40", "5")
    assert layout.agent("ole").read_text(encoding="utf-8") == OLE.replace("5.00", "10")
    after = fingerprint(tmp_path)
    assert {path for path in after if after[path] != before.get(path)} == {
        "state/agents/mina.json",
        "state/agents/ole.json",
    }
    assert rewrite_accumulators(layout)[0].written == ()


def test_a_broken_stream_stops_only_who_needs_it(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    layout.stream("ole").write_text('{"id": \n', encoding="utf-8")
    before = fingerprint(tmp_path)
    with pytest.raises(BrokenWorldError):
        rewrite_accumulators(layout)
    assert fingerprint(tmp_path) == before
    assert rewrite_accumulators(layout, ["mina"])[0].written == ("mina",)


def test_an_unknown_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nobody here"):
        as_json(describe_accumulators(load_world(make_handmade(tmp_path)).world, ["vera"]))
