"""Tables as the content of Parquet files."""

from __future__ import annotations

import io
import sys

import pytest

from gm.api.answers.parquet import render_parquet
from gm.base.errors import GmError


def test_what_is_written_is_read_back() -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    data = render_parquet(lambda pyarrow: pyarrow.table({"day": [1, 2]}), "")
    assert data is not None
    assert parquet.read_table(io.BytesIO(data)).to_pydict() == {"day": [1, 2]}


def test_a_value_that_does_not_fit_is_an_error_that_says_what_to_do() -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(GmError, match="cannot be written as Parquet") as caught:
        render_parquet(lambda pyarrow: pyarrow.table({"day": [1, "two"]}), "table.csv is there")
    assert caught.value.hint == "table.csv is there"


def test_without_pyarrow_there_is_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert render_parquet(lambda pyarrow: pyarrow.table({}), "") is None
