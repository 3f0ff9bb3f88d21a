"""Rules for agent files."""

from __future__ import annotations

from collections.abc import Iterator

from gm.base.config import kinds
from gm.base.errors import Problem, say
from gm.base.texts import is_digits
from gm.files.check.facts import BESIDE, KINDS, MemoryTable
from gm.files.check.files import Doc, Files, StreamFile
from gm.files.check.text import figure, unknown_place
from gm.files.formats.places import Keys
from gm.memory.reflect import BEFORE
from gm.model.calendar import SceneRef
from gm.model.ids import agent_of, is_agent_id
from gm.model.scene import REFLECTION
from gm.scene.planning.marks import ENDS


def check_file(agent: str, doc: Doc, files: Files) -> Iterator[Problem]:
    """Every character with memories or a persona has an agent file, and the other way round."""
    has_stream = files.layout.stream(agent).is_file()
    has_persona = files.layout.persona(agent).is_file()
    if not is_agent_id(agent):
        hint = "rename the files of this agent; ids in memories and logbooks go by it"
        message = f"{agent!r} is not an agent's id, expected lower-case letters, digits, hyphens"
        yield Problem(doc.shown, 0, 0, "warning", "agent-name", message, hint)
    if not doc.exists:
        message = say(
            "{agent} has {what} and no agent file; defaults are taken", agent, "memories" if has_stream else "a persona"
        )
        hint = "it is written when the agent first does something"
        yield Problem(doc.shown, 0, 0, "info", "agent-missing", message, hint)
    elif not has_stream and not has_persona:
        message = say("{agent} has neither persona nor memories", agent)
        hint = "it is played all the same; delete the file if it should not be"
        yield Problem(doc.shown, 0, 0, "info", "agent-extra", message, hint)
    if not has_persona:
        message = say("{agent} has no persona: it is played from its name and memories alone", agent)
        hint = "write one: YAML front matter (name, role, home …) and prose"
        yield Problem(files.layout.shown(files.layout.persona(agent)), 0, 0, "info", "persona-missing", message, hint)


def check_plan(_agent: str, doc: Doc, _files: Files) -> Iterator[Problem]:
    """``today_plan`` is a list of texts; only ``ENDS`` are states, other prefixes are part of the text."""
    entries = doc.data.get("today_plan")
    if not isinstance(entries, list):
        return
    marked = [
        index
        for index, entry in enumerate(entries)
        if isinstance(entry, str) and _mark(entry) not in ("", *ENDS.values())
    ]
    if marked:
        entry = str(entries[marked[0]])
        more = f" ({len(marked)} entries like this)" if len(marked) > 1 else ""
        message = f"plan entry {entry[:40]!r} begins with its state {_mark(entry)!r}; it is read as text{more}"
        yield doc.at(("today_plan", marked[0]), "info", "plan-state", message)
    for index, entry in enumerate(entries):
        if not isinstance(entry, str):
            message = say("{key} holds {value}, expected {part}", "today_plan", f"{entry!r:.40}", "a text")
            yield doc.at(("today_plan", index), "warning", "plan-form", message, "it is not read; write it in quotes")


def check_state_numbers(_agent: str, doc: Doc, _files: Files) -> Iterator[Problem]:
    """Whole numbers may be written ``5.00``."""
    yield from number_forms(doc, ("importance_accumulator",))


def check_place(_agent: str, doc: Doc, files: Files) -> Iterator[Problem]:
    """A position is one of the places of ``gm.yaml``, if there are any."""
    position = doc.data.get("position")
    if files.settings.places and isinstance(position, str) and position and position not in files.settings.places:
        yield doc.at(("position",), *unknown_place("position", position, files.settings.places))


def check_last_reflection(agent: str, doc: Doc, files: Files) -> Iterator[Problem]:
    """``last_reflection`` is the last memory that a reflection scene wrote."""
    stream = files.streams.get(agent)
    if not doc.data or stream is None or "last_reflection" not in doc.data:
        return
    last = doc.data["last_reflection"]
    keys: Keys = ("last_reflection",)
    if last is None:
        if KINDS["reflection"] in stream.nodes.kinds:
            message = (
                "last_reflection stays null until the first reflection scene, since reflections of other scenes do not "
                "count: nothing has to be done"
            )
            yield doc.at(keys, "info", "last-reflection-null", message)
        return
    node = files.node(last) if isinstance(last, str) else None
    if not isinstance(last, str) or (node is None and files.is_lost(last)):
        return
    if node is None:
        message = f"last_reflection {last!r} does not exist"
        hint = f"write the id of {agent}'s last reflection, or null"
        yield doc.at(keys, "warning", "last-reflection-missing", message, hint)
        return
    if node.type != "reflection":
        message = f"last_reflection {last!r} is of type {node.type}, expected a reflection"
        yield doc.at(keys, "info", "last-reflection-type", message)
    newer = _later_reflection(stream, last, _find_reflection_scenes(agent, files))
    if newer:
        message = f"last_reflection {last!r} is stale: a reflection scene wrote {newer} after it"
        yield doc.at(keys, "warning", "last-reflection-stale", message, f"write {newer!r}")


def check_accumulator(agent: str, doc: Doc, files: Files) -> Iterator[Problem]:
    """The accumulator is the sum of importance since the last reflection."""
    stream = files.streams.get(agent)
    value = doc.data.get("importance_accumulator")
    if stream is None or stream.problems or not kinds.is_number(value):
        return
    last = doc.data.get("last_reflection")
    computed = importance_since(agent, last, files)
    if computed is None or value == computed:
        return
    # after a change of the setting, the old sum is valid until the next reflection
    insights = _importance_of_reflection(agent, str(last), files) if last else 0
    other = importance_since(agent, last, files, insights=0 if files.settings.reflection.reset == BEFORE else insights)
    if value != other:
        since = f"since {doc.data['last_reflection']}" if doc.data.get("last_reflection") else "of all memories"
        message = f"importance_accumulator is {figure(value)}, the importance {since} sums up to {computed}"
        hint = "gm accumulators --recompute --write sets it"
        yield doc.at(("importance_accumulator",), "warning", "accumulator", message, hint)


def importance_since(agent: str, last: object, files: Files, *, insights: int | None = None) -> int | None:
    """Return the sum of importance of an agent's memories after memory ``last``; None when that one does not exist.

    Archived memories count; copies and single utterances do not. ``insights`` is what the insights of the last
    reflection add; None = as the settings say.
    """
    nodes, archive = files.streams[agent].nodes, files.archives.get(agent)
    begin, above = -1, 0  # row and number of the last reflection
    if last:
        if files.node(str(last)) is None or agent_of(str(last)) != agent:
            return None
        begin = nodes.row(str(last))
        above = _number_in(agent, str(last))
    if begin >= 0:
        lived = zip(nodes.importances[begin + 1 :], nodes.marks[begin + 1 :], strict=True)
        total = sum(importance for importance, mark in lived if not mark & BESIDE)
    else:
        total = _importance_above(nodes, above)
    if archive is not None:
        total += _importance_above(archive.nodes, above)
    if insights is None:
        counted = bool(last) and files.settings.reflection.reset == BEFORE
        insights = _importance_of_reflection(agent, str(last), files) if counted else 0
    return total + insights


def _importance_of_reflection(agent: str, last: str, files: Files) -> int:
    written = files.node(last)
    if written is None or agent_of(last) != agent:
        return 0
    kinds = (files.streams[agent], files.archives.get(agent))
    highest = _number_in(agent, last)
    return sum(
        stream.nodes.importances[row]
        for stream in filter(None, kinds)
        for row in stream.nodes.reflections()
        if stream.nodes.numbers[row] <= highest and stream.nodes.created(row) == written.created
    )


def _importance_above(nodes: MemoryTable, above: int) -> int:
    columns = zip(nodes.numbers, nodes.importances, nodes.marks, strict=True)
    return sum(importance for number, importance, mark in columns if number > above and not mark & BESIDE)


def _number_in(agent: str, identifier: str) -> int:
    figures = identifier[len(agent) + 1 :]
    return int(figures) if is_digits(figures) else 0


def number_forms(doc: Doc, keys: Keys) -> Iterator[Problem]:
    """Report whole numbers that are written with decimals."""
    for key in keys:
        value = doc.data.get(str(key))
        if isinstance(value, float) and value.is_integer():
            message = f"{key} is written with decimals; it is read as {value:.0f}"
            yield doc.at((key,), "info", "number-form", message)


def _mark(entry: str) -> str:
    head, colon, _ = entry.partition(":")
    return head if colon and head.isupper() and head.isalpha() and len(head) > 2 else ""


def _find_reflection_scenes(agent: str, files: Files) -> set[str]:
    return {
        str(SceneRef(log.day, line.record["scene"]))
        for log in files.logs
        for line in log.scenes
        if line.record.get("type") == REFLECTION
        and isinstance(line.record.get("scene"), int)
        and line.record.get("participants") == [agent]
    }


def _later_reflection(stream: StreamFile, last: str, scenes: set[str]) -> str | None:
    nodes = stream.nodes
    begin = nodes.row(last)
    newer = [row for row in nodes.reflections() if row > begin and nodes.created(row) in scenes] if scenes else []
    return nodes.id(newer[-1]) if newer else None


RULES = (check_file, check_plan, check_state_numbers, check_place, check_last_reflection, check_accumulator)
