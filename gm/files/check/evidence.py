"""Rules for evidence and depth of memories, and for the sources of copies."""

from __future__ import annotations

from collections.abc import Iterator

from gm.base.errors import Problem, say
from gm.base.texts import quoted
from gm.files.check.files import Files, FrequentProblems, StreamFile, Suspect
from gm.files.formats.jsonl import JsonLine
from gm.files.formats.places import Keys
from gm.memory.reflect import depth_of
from gm.model.calendar import parse_ref
from gm.model.ids import agent_of, parse_node_id
from gm.model.node import is_older_record


def check_references(line: Suspect, stream: StreamFile, files: Files, often: FrequentProblems) -> Iterator[Problem]:
    """Evidence exists and is earlier. Evidence of other agents is legitimate."""
    cited = line.record["evidence"]
    for index, identifier in enumerate(cited):
        row = stream.nodes.row(identifier)
        if row < 0:
            yield from _check_elsewhere(stream, files, line, index, often)
        elif (there := stream.nodes.lines[row]) >= line.number:
            itself = "this memory itself" if there == line.number else f"a later memory, of line {there}"
            message = f"evidence {identifier!r} is {itself}, expected an earlier one"
            yield stream.at(line, ("evidence", index), "error", "evidence-later", message, "cite what came before")
    if len(set(cited)) != len(cited):
        index = next(n for n, identifier in enumerate(cited) if identifier in cited[:n])
        message = f"evidence {cited[index]!r} is cited twice"
        yield stream.at(line, ("evidence", index), "warning", "evidence-twice", message, "cite it once")


def _check_elsewhere(
    stream: StreamFile, files: Files, line: Suspect, index: int, often: FrequentProblems
) -> Iterator[Problem]:
    identifier = line.record["evidence"][index]
    keys = ("evidence", index)
    node = files.node(identifier)
    if node is None:
        if files.is_lost(identifier):
            return
        if files.was_used(identifier):
            message = say("evidence {id} no longer exists", repr(identifier))
            hint = "if you removed that memory, remove it here too; if not, restore it from git"
            yield stream.at(line, keys, "warning", "evidence-gone", message, hint)
            return
        message = say("evidence {id} does not exist", repr(identifier))
        hint = "correct the id, or take it out"
        yield stream.at(line, keys, "error", "evidence-missing", message, hint)
        return
    owner = agent_of(identifier)
    if owner == stream.agent:
        return  # in the archive
    often.add(("other", owner), line, keys, "evidence-other", f"evidence of another agent: {owner}")
    theirs = parse_ref(node.created) if owner in files.streams else None
    ours = parse_ref(line.record["created"])
    if ours and theirs and (theirs.day > ours.day or (theirs > ours and ours.scene)):
        message = f"evidence {identifier!r} was made later, in {node.created}"
        yield stream.at(line, keys, "warning", "evidence-after", message, "cite only what happened before")


def check_bare(line: Suspect, stream: StreamFile, _files: Files, _often: FrequentProblems) -> Iterator[Problem]:
    """A reflection usually has evidence."""
    if line.record["type"] == "reflection" and not line.record["evidence"]:
        message = "a reflection without evidence; it is read at the depth it states"
        yield stream.at(line, ("evidence",), "info", "reflection-bare", message)


def check_depth(line: Suspect, stream: StreamFile, files: Files, _often: FrequentProblems) -> Iterator[Problem]:
    """The depth of a reflection is one above its deepest evidence, that of other memories is 0."""
    kind, depth, evidence = line.record["type"], line.record["depth"], line.record["evidence"]
    if kind != "reflection":
        if depth:
            message = f"depth {depth} of a memory of type {kind}, expected 0"
            yield stream.at(line, ("depth",), "info", "depth-rule", message)
        return
    if is_older_record(line.written):
        return  # the older shape has no evidence to compute it from
    cited = [files.node(identifier) for identifier in evidence]
    known = [node.depth for node in cited if node is not None]
    expected = depth_of(kind, known)
    if depth != expected and len(known) == len(evidence):
        because = "one above its deepest evidence" if evidence else "the first layer"
        message = f"depth {depth} of a reflection, expected {expected}: {because}"
        yield stream.at(line, ("depth",), "info", "depth-rule", message)


def check_citing(stream: StreamFile, _files: Files) -> Iterator[Problem]:
    """Evidence of plans and of artifacts is legitimate."""
    often = FrequentProblems(stream)
    for kind, numbers in stream.citing.items():
        message = f"{'an' if kind == 'artifact' else 'a'} {kind} cites evidence; that is allowed"
        for number in numbers:
            often.add(kind, JsonLine(number, {}), ("evidence", 0), "evidence-type", message)
    yield from often.problems()


def check_sources(stream: StreamFile, files: Files) -> Iterator[Problem]:
    """A copy names another agent's memory as its source."""
    for number, source in stream.sources:
        line = JsonLine(number, {})
        keys: Keys = ("metadata", "copied_from")
        parsed = parse_node_id(source)
        if parsed is None:
            message = f"copied_from is {quoted(source)}, expected the id of a memory"
            yield stream.at(line, keys, "warning", "copy-source", message, "write an id like vera-042")
        elif parsed[0] == stream.agent:
            message = f"copied_from is {source!r}, one of {stream.agent}'s own memories"
            hint = "remove copied_from: with it, this memory does not count as an experience"
            yield stream.at(line, keys, "warning", "copy-own", message, hint)
        elif files.node(source) is None and not files.is_lost(source):
            message = f"{source!r}, the original of this copy, does not exist"
            yield stream.at(line, keys, "info", "copy-source-gone", message, "the copy stays as it is")


RULES = (check_citing, check_sources)
SUSPECT_RULES = (check_references, check_bare, check_depth)
