"""Decisions about a scene that has not landed, so that a killed command shows it again as it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import get_type_hints

from gm.base.texts import CONTROLS
from gm.files.commits.runnote import note_sitting, read_sitting
from gm.files.layout import Layout
from gm.scene.choosing import SceneWish
from gm.scene.picking import Pick

MOST_NOTES = 20
"""Takes that are shown again."""
WISHES: Mapping[str, type[SceneWish] | type[Pick]] = {"call": SceneWish, "pick": Pick}


@dataclass(frozen=True, slots=True)
class Sitting:
    """What was decided about one scene.

    Attributes:
        scene: Its reference; empty = nothing was decided.
        called: What the person had played; None = the Director chose.
        notes: The whole note of each further take.
    """

    scene: str = ""
    called: SceneWish | Pick | None = None
    notes: tuple[str, ...] = ()


def save_sitting(layout: Layout, sitting: Sitting) -> None:
    """Note a sitting, as soon as something is decided. Raises ``GmError`` if the disk refuses."""
    called = {name: asdict(sitting.called) for name, kind in WISHES.items() if isinstance(sitting.called, kind)}
    note_sitting(layout, {"scene": sitting.scene, "notes": sitting.notes, **called})


def load_sitting(layout: Layout) -> Sitting:
    """Return the noted sitting, as far as readable."""
    record = read_sitting(layout)
    called = (_wish(kind, record[name]) for name, kind in WISHES.items() if name in record)
    notes = record.get("notes")
    said = tuple(map(_text, notes[:MOST_NOTES])) if isinstance(notes, list) else ()
    return Sitting(_text(record.get("scene", "")), next(called, None), said if all(said) else ())


def _wish(kind: type[SceneWish] | type[Pick], value: object) -> SceneWish | Pick | None:
    if not isinstance(value, Mapping):
        return None
    made: dict[str, str | tuple[str, ...]] = {}
    for name, declared in get_type_hints(kind).items():
        found = value.get(name)
        if declared is str:
            made[name] = _text(found or "")
        else:
            made[name] = tuple(map(_text, found)) if isinstance(found, list) else ()
    return kind(**made)  # type: ignore[arg-type]  # by the types of its fields


def _text(value: object) -> str:
    return CONTROLS.sub("", str(value))
