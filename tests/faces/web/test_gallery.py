"""The gallery in pages: pieces of any format and name, harmless each."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from gm.api.views.gallery import view_gallery, view_piece
from gm.faces.web.paths import file_path, fill_path, piece_key, safe_name
from gm.files.layout import Layout
from gm.files.media.pieces import list_pieces, parse_piece
from tests.faces.web.conftest import Browse

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


def write_file(layout: Layout, path: str, data: bytes) -> str:
    target = layout.gallery / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return path


def test_the_name_of_a_file_says_day_piece_and_version() -> None:
    piece = parse_piece("design/day-012_hohle-knochen_v3.md")
    assert (piece.kind, piece.stem, piece.day, piece.version, piece.media) == (
        "design",
        "hohle-knochen",
        12,
        3,
        "markdown",
    )


def test_a_piece_says_who_made_it_when_and_in_which_scene(played: Layout) -> None:
    gallery = view_gallery(played)
    assert gallery.problems == ()
    assert gallery.pieces
    assert all(piece.maker and piece.day == 1 and piece.scene for piece in gallery.pieces)


def test_versions_of_a_piece_know_each_other(studio: Layout) -> None:
    for version in (1, 2, 10):
        write_file(studio, f"design/day-00{min(version, 9)}_turm_v{version}.md", b"# Turm\n")
    view = view_piece(studio, "design/day-002_turm_v2.md")
    assert view is not None
    assert [item.version for item in view.versions] == [1, 2, 10]


def test_every_piece_has_a_page_and_a_file(played: Layout, browse: Browse) -> None:
    write_file(played, "art/Bild mit Umläuten & <b>.png", PNG)
    write_file(played, "x" * 200 + ".txt", "Grüße".encode())
    client = browse(played)
    wall = client.get("/gallery/index.html").text
    for piece in list_pieces(played):
        page = fill_path("gallery/{piece}.html", {"piece": piece_key(piece.path)})
        assert quote(page.removeprefix("gallery/")) in wall
        assert client.get(f"/{page}").status_code == 200
        answer = client.get(f"/{file_path(piece)}")
        assert answer.content == (played.gallery / piece.path).read_bytes()
        assert "sandbox" in answer.headers["Content-Security-Policy"]


def test_a_picture_beside_the_text_is_shown_and_one_elsewhere_is_not(studio: Layout, browse: Browse) -> None:
    write_file(studio, "art/turm.png", PNG)
    text = "![Turm](turm.png) ![Fremd](http://evil.example/x.png) ![Pass](../../../etc/passwd) "
    text += "![Data](data:image/png;base64,AA)"
    write_file(studio, "art/blatt.md", text.encode())
    page = browse(studio).get(f"/gallery/{piece_page('art/blatt.md')}").text
    assert page.count("<img") == 1
    assert "evil.example" not in page
    assert "passwd" not in page


def piece_page(path: str) -> str:
    return f"{safe_name(piece_key(path))}.html"


def test_html_in_a_piece_is_text(studio: Layout, browse: Browse) -> None:
    write_file(studio, "art/blatt.md", b"<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n")
    page = browse(studio).get(f"/gallery/{piece_page('art/blatt.md')}").text
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_what_cannot_be_shown_is_kept_and_not_opened(studio: Layout, browse: Browse) -> None:
    write_file(studio, "tech/seite.html", b"<script>alert(1)</script>")
    piece = parse_piece("tech/seite.html")
    answer = browse(studio).get(f"/{file_path(piece)}")
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"] == "attachment"


def test_a_link_that_leads_out_of_the_gallery_is_no_piece(studio: Layout, tmp_path: Path, browse: Browse) -> None:
    (tmp_path / "secret.md").write_text("geheim", encoding="utf-8")
    write_file(studio, "art/turm.png", PNG)
    (studio.gallery / "art" / "link.md").symlink_to(tmp_path / "secret.md")
    assert [piece.path for piece in list_pieces(studio)] == ["art/turm.png"]
    assert browse(studio).get(f"/gallery/{piece_page('art/link.md')}").status_code == 404


@pytest.mark.parametrize(
    "path", ["../gm.yaml", "..%2fgm.yaml", "%2e%2e%2fgm.yaml", "/etc/passwd", "_2e__2e__2f_gm_2e_yaml"]
)
def test_no_address_leads_out_of_the_gallery(studio: Layout, browse: Browse, path: str) -> None:
    assert browse(studio).get(f"/gallery/files/{path}").status_code == 404
    assert browse(studio).get(f"/gallery/{path}.html").status_code == 404


def test_broken_front_matter_is_told_and_the_rest_is_shown(studio: Layout, browse: Browse) -> None:
    write_file(studio, "art/blatt.md", b"---\ntitle: [\n---\nDer Text bleibt.\n")
    page = browse(studio).get(f"/gallery/{piece_page('art/blatt.md')}")
    assert page.status_code == 200
    assert "gallery/art/blatt.md:" in page.text


def test_a_sheet_on_the_wall_begins_below_its_title_and_ends_with_a_whole_word(studio: Layout, browse: Browse) -> None:
    write_file(studio, "art/day-001_turm_v1.md", b"---\ntitle: Turm\n---\n# Turm\n\nDer erste Satz. " + b"wort " * 90)
    write_file(studio, "art/day-001_liste_v1.md", b"Eine Zeile.\n\n| Teil | Ma")
    page = browse(studio).get("/gallery/index.html").text
    assert '<span class="beginning"><bdi>Der erste Satz. wort' in page
    assert " wort …</bdi>" in page
    assert "| Teil" not in page
