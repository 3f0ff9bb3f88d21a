"""Scenes that have not landed: their takes, who decides about them, and what was decided.

The decisions are noted, so that a killed command shows the scene again as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import get_type_hints

from gm.base.texts import CONTROLS
from gm.files.commits.runnote import note_sitting, read_sitting
from gm.files.layout import Layout
from gm.model.scene import Scene
from gm.model.world import Change, World
from gm.play.fold import Fold
from gm.play.table import GameTable
from gm.scene.directing.choosing import Pick, SceneRequest
from gm.scene.directing.director import NextScenes
from gm.scene.folding.advance import advance

MOST_NOTES = 20
"""Takes that are shown again."""
CALLS: Mapping[str, type[SceneRequest] | type[Pick]] = {"call": SceneRequest, "pick": Pick}


class LeftOpenError(Exception):
    """The user leaves; the day stays open, and the same command resumes it."""


@dataclass(frozen=True)
class Draft:
    """A played scene that has not landed.

    Attributes:
        scene: With those who joined it.
        fold: What lands is folded from the files as they are then.
    """

    world: World
    scene: Scene
    fold: Fold
    take: int = 1

    @cached_property
    def change(self) -> Change:
        """What the scene would change."""
        return self.fold(self.world)

    @cached_property
    def after(self) -> World:
        """The world after the scene, if it lands."""
        return advance(self.world, self.change)


class Review:
    """Lets all scenes land, and the Director decide; override to decide otherwise.

    Attributes:
        one_by_one: Whether it judges each scene before the next is played.
    """

    one_by_one = False

    def judge(self, table: GameTable, takes: Sequence[Draft]) -> Draft | str:
        """Return the take that lands, or the note with which to replay the scene. Not called for reflections.

        Args:
            takes: All so far; the last one is new.

        Raises:
            LeftOpenError: Nothing lands; the same command shows the scene again, from its traces.
        """
        return takes[-1]

    def between(self, table: GameTable) -> None:
        """Act between two steps of a day; everything played so far is in the files.

        Raises:
            LeftOpenError: The day stays as it is.
        """

    def next_step(self, table: GameTable) -> NextScenes:
        return table.next_step()


class StopAfter(Review):
    """Leaves the day open once some scenes, reflections aside, have landed."""

    def __init__(self, scenes: int) -> None:
        self._left = scenes

    def judge(self, table: GameTable, takes: Sequence[Draft]) -> Draft | str:
        self._left -= 1
        return super().judge(table, takes)

    def between(self, table: GameTable) -> None:
        if self._left <= 0:
            raise LeftOpenError


@dataclass(frozen=True, slots=True)
class Sitting:
    """What was decided about one scene.

    Attributes:
        scene: Its reference; empty = nothing was decided.
        called: What the person had played; None = the Director chose.
        notes: The whole note of each further take.
    """

    scene: str = ""
    called: SceneRequest | Pick | None = None
    notes: tuple[str, ...] = ()


def save_sitting(layout: Layout, sitting: Sitting) -> None:
    """Note a sitting, as soon as something is decided. Raises ``GmError`` if the disk refuses."""
    called = {name: asdict(sitting.called) for name, kind in CALLS.items() if isinstance(sitting.called, kind)}
    note_sitting(layout, {"scene": sitting.scene, "notes": sitting.notes, **called})


def load_sitting(layout: Layout) -> Sitting:
    """Return the noted sitting, as far as readable."""
    record = read_sitting(layout)
    called = (_read_call(kind, record[name]) for name, kind in CALLS.items() if name in record)
    notes = record.get("notes")
    said = tuple(map(_drop_controls, notes[:MOST_NOTES])) if isinstance(notes, list) else ()
    return Sitting(_drop_controls(record.get("scene", "")), next(called, None), said if all(said) else ())


def _read_call(kind: type[SceneRequest] | type[Pick], value: object) -> SceneRequest | Pick | None:
    if not isinstance(value, Mapping):
        return None
    made: dict[str, str | tuple[str, ...]] = {}
    for name, declared in get_type_hints(kind).items():
        found = value.get(name)
        if declared is str:
            made[name] = _drop_controls(found or "")
        else:
            made[name] = tuple(map(_drop_controls, found)) if isinstance(found, list) else ()
    return kind(**made)  # type: ignore[arg-type]  # by the types of its fields


def _drop_controls(value: object) -> str:
    return CONTROLS.sub("", str(value))
