"""Where a moment of the story is shown: on the page of its day, at its scene."""

from __future__ import annotations

from collections.abc import Callable

from gm.model.calendar import SceneRef
from gm.tools.graphs.draw import source_of
from gm.tools.views.cast import cast_of
from gm.web.site import Site

Places = Callable[[SceneRef], str | None]


def places_of(site: Site) -> Places:
    """Make what tells the place of a moment on the page of its day.

    Returns:
        For a moment: the anchor of its scene, empty for the day as a whole, None where there is no page of that day.
    """
    days = frozenset(site.layout.logged_days())
    scenes = {(scene.day, scene.scene) for scene in source_of(site.layout).scenes(cast_of(site.frame))}

    def place(at: SceneRef) -> str | None:
        if at.day not in days:
            return None
        is_known = (at.day, at.scene) in scenes and not at.suffix
        return f"scene-{at.scene:02d}" if at.scene and is_known else ""

    return place
