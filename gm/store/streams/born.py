"""How a memory stood when the Game Master wrote it, whatever a person has made of the line since."""

from __future__ import annotations

import json
from contextlib import suppress

from gm.model.fold import fold
from gm.model.node import Node, node_from_record
from gm.store.commits.changes import read_day_entries
from gm.store.layout import Layout


def node_as_born(layout: Layout, path: str, node: Node) -> Node | None:
    """Find a memory in the world's own record, as the commit of its scene wrote it.

    Args:
        layout: The world.
        path: The stream in which the memory stands, inside the world.
        node: The memory as it stands now.

    Returns:
        The memory as it was; None when the record does not have it (it is local, and may be deleted at any time), or
        when a person wrote it.
    """
    for entry in read_day_entries(layout, node.when.day):
        for change in entry.files:
            if entry.moment == node.created and change.path == path and change.appends:
                for line in change.now.split(b"\n"):
                    with suppress(ValueError, RecursionError):  # RecordError is a ValueError
                        born = node_from_record(json.loads(line))
                        if fold(born.id) == fold(node.id):
                            return born
    return None
