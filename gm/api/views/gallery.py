"""The gallery and its pieces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gm.base.errors import Problem
from gm.files.commits.snapshot import snapshot
from gm.files.layout import GALLERY, Layout
from gm.files.media.pieces import PieceFile, has_piece, list_pieces, parse_piece, read_piece
from gm.files.story.now import load_bulletin
from gm.model.calendar import parse_ref
from gm.model.clock import Post
from gm.model.ids import parse_node_id
from gm.model.piece import PIECE
from gm.scene.pieces.names import piece_name

FIRST_LINES = 240
_SHOWN_ELSEWHERE = ("title", "agent", "created", "node", "description")


@dataclass(frozen=True, slots=True)
class ListedPiece:
    """A piece in a list.

    Attributes:
        title: From the front matter, else from the file name.
        scene: 0 = unknown.
        beginning: Empty unless it is text.
    """

    file: PieceFile
    title: str
    maker: str = ""
    day: int | None = None
    scene: int = 0
    node: str = ""
    description: str = ""
    beginning: str = ""
    exists: bool = True

    @property
    def kind(self) -> str:
        """The kind of the piece, which is its folder."""
        return self.file.kind


@dataclass(frozen=True, slots=True)
class Gallery:
    """All pieces, newest day first."""

    pieces: tuple[ListedPiece, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class PieceView:
    """One piece in full."""

    piece: ListedPiece
    facts: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    versions: tuple[PieceFile, ...] = ()
    remarks: tuple[Post, ...] = ()
    node_agent: str = ""
    problems: tuple[Problem, ...] = ()


def view_gallery(layout: Layout) -> Gallery:
    """Return the whole gallery."""
    pieces: list[ListedPiece] = []
    problems: list[Problem] = []
    with snapshot(layout):
        for file in list_pieces(layout):
            piece, _, _, found = _look(layout, file)
            pieces.append(piece)
            problems += found
    pieces.sort(key=lambda piece: (-(piece.day or 0), piece.scene, piece.file.path))
    return Gallery(tuple(pieces), tuple(problems))


def view_piece(layout: Layout, path: str) -> PieceView | None:
    """Return one piece, or None."""
    with snapshot(layout):
        files = list_pieces(layout)
        file = next((item for item in files if item.path == path), None)
        if file is None:
            return None
        piece, front, body, problems = _look(layout, file)
        posts, _, found = load_bulletin(layout)
    name = f"{GALLERY}/{path}"
    parsed = parse_node_id(piece.node)
    return PieceView(
        piece,
        _other_facts(front),
        body,
        tuple(
            sorted(
                (item for item in files if _is_same_piece(item, file)), key=lambda item: (item.version, item.day or 0)
            )
        ),
        tuple(post for post in posts if post.artifact == name),
        parsed[0] if parsed else "",
        (*problems, *found),
    )


def _is_same_piece(one: PieceFile, other: PieceFile) -> bool:
    return (one.kind, one.stem, one.ending) == (other.kind, other.stem, other.ending)


def _look(layout: Layout, file: PieceFile) -> tuple[ListedPiece, Mapping[str, Any], str, list[Problem]]:
    front: Mapping[str, Any] = {}
    body, problems = "", list[Problem]()
    if file.media in ("markdown", "text"):
        front, body, problems = read_piece(layout, file)
    values = PIECE.read_fitting(front)
    created = parse_ref(values.created)
    piece = ListedPiece(
        file,
        values.title or piece_name(file.path),
        values.agent,
        created.day if created else file.day,
        created.scene if created else 0,
        values.node,
        values.description,
        body.strip()[:FIRST_LINES],
    )
    return piece, front, body, problems


def _other_facts(front: Mapping[str, Any]) -> dict[str, str]:
    facts = {}
    for key, value in front.items():
        if key not in _SHOWN_ELSEWHERE and value not in (None, "", []):
            facts[key] = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return facts


def named_pieces(layout: Layout, paths: Iterable[str]) -> dict[str, ListedPiece]:
    """Return pieces by their logbook paths, in that order; paths that lead out of the gallery are not followed."""
    return {path: _look_up_piece(layout, path) for path in dict.fromkeys(paths)}


def _look_up_piece(layout: Layout, path: str) -> ListedPiece:
    file = parse_piece(path.removeprefix(f"{GALLERY}/"))
    parts = path.split("/")
    visible = parts[0] == GALLERY and not any(part.startswith(".") or not part for part in parts)
    if visible and has_piece(layout, path):
        return _look(layout, file)[0]
    return ListedPiece(file, piece_name(file.path), exists=False)
