"""Which scenes could come next, each with the reasons that only its source can know: a module for each source.

``threads`` what was promised and asked · ``cliffhanger`` yesterday's last question · ``events`` the calendar ·
``posts`` messages from outside · ``feedback`` what was said about a piece of work · ``plans`` whom somebody wants to
talk to · ``work`` what somebody wants to get done · ``goals`` what somebody has not come closer to for long ·
``library`` what somebody wants to look up · ``artifacts`` work that nobody has responded to · ``chance`` who runs
into whom, and lunch · ``rhythm`` the round of all. ``people`` holds what several need.

``list_candidates`` puts them together: scenes of the same people become one, and what people are to each other is
added. ``gm.scene.select`` adds what the day so far says, and puts them in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gm.model.scene import Candidate
from gm.model.world import World
from gm.scene.bonds import add_bonds
from gm.scene.candidates.artifacts import from_artifacts
from gm.scene.candidates.chance import from_chance
from gm.scene.candidates.cliffhanger import from_cliffhanger
from gm.scene.candidates.events import from_events
from gm.scene.candidates.feedback import from_feedback
from gm.scene.candidates.goals import add_goals
from gm.scene.candidates.library import from_library
from gm.scene.candidates.plans import from_plans
from gm.scene.candidates.posts import from_posts
from gm.scene.candidates.rhythm import from_rhythm
from gm.scene.candidates.threads import from_threads
from gm.scene.candidates.work import from_work
from gm.scene.merge import merge_same_people

__all__ = ["SOURCES", "from_events", "list_candidates"]

Source = Callable[[World, str], Iterator[Candidate]]

SOURCES: tuple[Source, ...] = (
    from_events,
    from_posts,
    from_feedback,
    from_threads,
    from_cliffhanger,
    from_plans,
    from_work,
    from_library,
    from_artifacts,
    from_chance,
    from_rhythm,
)


def list_candidates(world: World, time: str) -> list[Candidate]:
    """List everything that could be played now.

    Args:
        world: The world with its day open.
        time: Time of day of the coming scene.
    """
    found = [item for source in SOURCES for item in source(world, time)]
    fitting = [item for item in found if is_event(item) or _fits(world, item, time)]
    return add_goals(world, add_bonds(world, merge_same_people(fitting)))


def is_event(item: Candidate) -> bool:
    """Tell whether the calendar asks for a scene."""
    return any(reason.part == "event" for reason in item.reasons)


def _fits(world: World, item: Candidate, time: str) -> bool:
    """Tell whether a scene type exists, is played at this time, and has enough people."""
    kind = world.scene_types.get(item.type)
    return kind is not None and time in kind.times and len(item.cast) >= kind.cast[0]
