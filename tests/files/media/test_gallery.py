"""Artifacts go into the gallery and nowhere else, under a name that is free on every system."""

from pathlib import Path

import pytest

from gm.base.errors import GmError, UsageError
from gm.files.completion_names import gallery_files
from gm.files.layout import Layout
from gm.files.media.pieces import find_artifact, is_taken, list_pieces, load_piece, read_artifact

PATH = "gallery/concepts/day-001_turm_v1.md"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path / "world")
    (layout.gallery / "concepts").mkdir(parents=True)
    return layout


def test_a_name_is_free_until_it_is_used(layout: Layout) -> None:
    assert not is_taken(layout, PATH)
    (layout.root / PATH).write_text("Turm")
    assert is_taken(layout, PATH)


def test_a_name_that_differs_in_case_only_is_taken(layout: Layout) -> None:
    (layout.gallery / "concepts" / "Day-001_TURM_v1.MD").write_text("Turm")
    assert is_taken(layout, PATH)


def test_a_folder_that_does_not_exist_yet_is_free(layout: Layout) -> None:
    assert not is_taken(layout, "gallery/audio/day-001_wind_v1.md")


def test_a_link_that_leads_out_of_the_gallery_is_refused(layout: Layout, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (layout.gallery / "tech").symlink_to(outside)
    with pytest.raises(GmError, match="leads out of the gallery"):
        is_taken(layout, "gallery/tech/day-001_x_v1.md")
    assert list(outside.iterdir()) == []


def test_a_gallery_that_is_a_link_to_a_folder_of_the_world_is_fine(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "world")
    (layout.root / "pictures").mkdir(parents=True)
    layout.gallery.symlink_to(layout.root / "pictures")
    assert not is_taken(layout, PATH)
    (layout.root / "pictures" / "x.md").write_text("Ein Text.", encoding="utf-8")
    assert read_artifact(layout, "gallery/x.md") == "Ein Text."
    assert [piece.path for piece in list_pieces(layout)] == ["x.md"]


def test_a_gallery_that_leads_out_of_the_world_is_neither_read_nor_written_to(tmp_path: Path) -> None:
    """A world may come from another person: what lies elsewhere on this machine must not get into prompts or pages."""
    layout = Layout(tmp_path / "world")
    layout.root.mkdir()
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "x.md").write_text("Geheim.", encoding="utf-8")
    layout.gallery.symlink_to(tmp_path / "pictures")
    assert read_artifact(layout, "gallery/x.md") is None
    assert list_pieces(layout) == ()
    assert load_piece(layout, "gallery/x.md") is None
    with pytest.raises(GmError, match="leads out of the gallery"):
        is_taken(layout, PATH)


def test_the_studio_has_a_gallery_from_the_first_clone_on_and_what_keeps_its_folder_is_no_piece(layout: Layout) -> None:
    keeper = Path(__file__).parents[3] / "gallery" / ".gitkeep"
    assert keeper.read_bytes() == b"", "git keeps no empty folder"
    layout.gallery.mkdir(exist_ok=True)
    (layout.gallery / keeper.name).touch()
    assert list_pieces(layout) == ()
    assert gallery_files(layout) == []
    with pytest.raises(UsageError, match="the gallery is empty"):
        find_artifact(layout, "tower")
