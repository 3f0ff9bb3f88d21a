"""The front matter of pieces."""

from __future__ import annotations

from gm.model.piece import PIECE, PieceFront


def test_every_key_has_an_example_that_fits_and_an_attribute() -> None:
    assert {key.name for key in PIECE.keys} == {*PieceFront.__dataclass_fields__}
    assert all(key.kind.fits(key.example) and key.sentence for key in PIECE.keys)


def test_an_audience_is_written_only_where_there_is_one() -> None:
    assert "audience" not in PIECE.write(PieceFront(title="Night"))
    written = PIECE.write(PieceFront(title="Night", tags=("sea",), audience=("vera",)))
    assert list(written)[-1] == "audience"
    assert (written["tags"], written["audience"]) == (["sea"], ["vera"])
    assert PIECE.read(written) == PieceFront(title="Night", tags=("sea",), audience=("vera",))
