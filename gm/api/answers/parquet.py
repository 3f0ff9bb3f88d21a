"""Tables as Parquet files, by pyarrow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gm.base.errors import GmError


def render_parquet(make: Callable[[Any], Any], hint: str) -> bytes | None:
    """Return a table as the content of a Parquet file; None without pyarrow.

    Args:
        make: Makes the table, given pyarrow.
        hint: What to do if a value cannot be written.

    Raises:
        GmError: A value cannot be written.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return None
    sink = pyarrow.BufferOutputStream()
    try:
        pyarrow.parquet.write_table(make(pyarrow), sink)
    except (pyarrow.ArrowException, UnicodeEncodeError) as error:
        raise GmError(f"the table cannot be written as Parquet: {error}", hint) from error
    return bytes(sink.getvalue())
