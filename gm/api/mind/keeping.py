"""The tools that edit the soul and ask for self-care."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from gm.api import soul as by_hand
from gm.api.document import as_json
from gm.api.mind.forming import COMMAND
from gm.api.mind.mind import Mind
from gm.base.errors import UsageError
from gm.files.commits.snapshot import snapshot
from gm.files.commits.writer import writing
from gm.files.layers.minds import load_layer
from gm.files.load import load_world
from gm.files.save import plan_steps
from gm.layers.soul import SOUL, SOUL_KINDS, soul_key
from gm.memory.care import is_at_home
from gm.memory.retain import select_movable
from gm.model.replies import SoulEdit
from gm.model.world import Change
from gm.scene.conversation import CARE_WANTED


def add_to_soul(mind: Mind, text: str, kind: str = "belief") -> dict[str, Any]:
    """Add a sentence to the soul, which is never summarised, pruned or shortened.

    Args:
        kind: belief, value, fear or conviction.
    """
    if mind.wishes is None:
        written, notes = by_hand.add_to_soul(mind.layout, mind.agent.id, kind, text)
        return {**as_json(written), "notes": notes}
    words = " ".join(text.split())
    if kind not in SOUL_KINDS:
        raise UsageError(f"{kind!r} is no kind of entry", "known: " + ", ".join(SOUL_KINDS))
    try:
        edit = SoulEdit.model_validate({"add": [{"kind": kind, "text": words}]})
    except ValidationError as error:
        raise UsageError("this cannot stand in a soul", "; ".join(item["msg"] for item in error.errors())) from error
    mind.wishes.soul.append(edit)
    added = [{"kind": SOUL_KINDS[kind], "text": words}]
    return {"agent": mind.agent.id, "added": added, "removed": [], "notes": [mind.words("soul_later")]}


def remove_from_soul(mind: Mind, text: str) -> dict[str, Any]:
    """Remove a sentence, given word for word, from the soul."""
    if mind.wishes is None:
        written, notes = by_hand.remove_from_soul(mind.layout, mind.agent.id, text)
        return {**as_json(written), "notes": notes}
    with snapshot(mind.layout):
        entries = [entry.text for entry in load_layer(mind.layout, SOUL, mind.agent.id)[0].entries]
    entries += [item.text for edit in mind.wishes.soul for item in edit.add]
    found = next((entry for entry in entries if soul_key(entry) == soul_key(text)), None)
    if found is None:
        raise UsageError(
            f"this does not stand in your soul: {text[:60]!r}", "there is: " + (" · ".join(entries) or "–")
        )
    mind.wishes.soul.append(SoulEdit(remove=[found]))
    return {"agent": mind.agent.id, "added": [], "removed": [{"text": found}], "notes": [mind.words("soul_later")]}


def self_care(mind: Mind) -> dict[str, Any]:
    """Request self-care for the evening."""
    with snapshot(mind.layout):
        world = load_world(mind.layout).world
    agent, care = world.agents[mind.agent.id], mind.settings.selfcare
    movable = len(select_movable(agent, mind.settings, world.open_day))
    if movable < care.min:
        raise UsageError(
            f"self-care needs {care.min} memories that are old enough, and there are {movable}",
            "what is before your eyes stays as it is",
        )
    if mind.wishes is not None:
        mind.wishes.care = True
    else:
        with writing(mind.layout, COMMAND) as writer:
            world = load_world(mind.layout).world
            change = Change(world.clock.day, agents={agent.id: {CARE_WANTED: True}})
            writer.commit(plan_steps(mind.layout, world, change))
    late = care.at_home and not is_at_home(agent)
    note = mind.words("care_at_home", home=agent.home) if late else mind.words("care_later")
    return {"agent": agent.id, "memories": movable, "notes": [note]}
