"""Rules for the lines of memory streams: form, ids, order in time, tags."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator

from gm.base.casefold import composed, spell_out
from gm.base.errors import Problem, say
from gm.files.check.files import PLAIN_TAG, Files, FrequentProblems, StreamFile, Suspect
from gm.files.check.streams import is_not_lived
from gm.files.check.text import is_composed
from gm.files.formats.jsonl import JsonLine
from gm.files.formats.places import constants
from gm.files.reading import column_of
from gm.model.calendar import SceneRef
from gm.model.ids import parse_node_id, render_node_id
from gm.model.node import METADATA, NODE_KEYS, is_older_record

_WORDS = re.compile(r"(?:[^\W_A-Z]|-)+")


def check_shape(line: Suspect, stream: StreamFile, _files: Files, often: FrequentProblems) -> Iterator[Problem]:
    """Nodes have the nine keys in order, with plain whole numbers; other forms are read too."""
    record = line.written
    if record is line.record:
        return
    if is_older_record(record):
        hint = "it is read as it is; nothing rewrites it unasked"
        yield stream.at(line, ("content",), "info", "node-older", "this memory has the older shape", hint)
    for key in ("depth", "importance"):
        if isinstance(record.get(key), float):
            text = stream.lines.line(line.number)
            found = text[column_of(text, (key,)) - 1 :].split(",")[0].rstrip(" }")
            message = f"{key} is written {found}; it is read as {record[key]:.0f}"
            yield stream.at(line, (key,), "info", "number-form", message)
    if is_older_record(record):
        return
    for key in record:
        if key not in NODE_KEYS:
            message = f"{key!r} is a key of your own; it is kept"
            often.add(("extra", key), line, (key,), "node-extra", message)
    if tuple(key for key in record if key in NODE_KEYS) != NODE_KEYS:
        first = next(key for key, due in zip(record, NODE_KEYS, strict=False) if key != due)
        message = f"the keys stand in another order than {', '.join(NODE_KEYS)}"
        often.add("order", line, (first,), "node-order", message)


def check_metadata(line: Suspect, stream: StreamFile, _files: Files, _often: FrequentProblems) -> Iterator[Problem]:
    """Metadata that gm knows are as ``METADATA`` declares them."""
    metadata = line.record["metadata"]
    for error in () if stream.fits(metadata) else METADATA.problems(metadata):
        message = f"metadata.{error.message}"
        yield stream.at(line, ("metadata", error.key), "warning", error.code, message, error.hint)


def check_composed_memories(stream: StreamFile, _files: Files) -> Iterator[Problem]:
    """Texts are composed Unicode (NFC); others are matched nevertheless."""
    if stream.is_composed:
        return
    often = FrequentProblems(stream)
    for line in stream.again():
        key = "content" if is_older_record(line.record) else "description"
        if not is_composed(line.record[key]):
            message = "a text written with combining marks (NFD); it is matched all the same"
            often.add("nfd", line, (key,), "text-nfd", message, "gm check --fix writes it as NFC")
    yield from often.problems()


def check_memory_constants(stream: StreamFile, _files: Files) -> Iterator[Problem]:
    """NaN and Infinity are not JSON, though some programs write them."""
    for number in stream.constants:
        for name, at in constants(stream.lines.line(number)) if number not in stream.left_out else ():
            hint = "write null, or a number; other programs refuse the whole line"
            yield Problem(stream.shown, number, at + 1, "warning", "json-constant", f"{name} is not JSON", hint)


def check_id_order(stream: StreamFile, files: Files) -> Iterator[Problem]:
    """Numbers of ids ascend without gaps, except for those in archive, summaries or skipped lines."""
    kept = [found for kind in (files.archives, files.summaries) if (found := kind.get(stream.agent))]
    jumps = list(_jumps(stream))
    lost = (parsed[1] for parsed in map(parse_node_id, stream.lost) if parsed and parsed[0] == stream.agent)
    explained = sorted({*lost}.union(*(found.nodes.numbers for found in kept))) if jumps else []
    left_out = sorted(stream.left_out)
    above = 0
    for row, highest in jumps:
        number, line = stream.nodes.numbers[row], JsonLine(stream.nodes.lines[row], {})
        if number <= highest:
            before = render_node_id(stream.agent, highest)
            message = f"id {stream.nodes.id(row)!r} follows {before}, expected a higher number"
            yield stream.at(line, ("id",), "warning", "id-order", message, "new memories go to the end of the file")
            continue
        missing = _find_missing(highest, number, explained)
        # each skipped line since the last jump may account for one missing id
        spared = bisect_left(left_out, line.number) - bisect_right(left_out, above)
        if missing and missing[2] > spared:
            yield stream.at(line, ("id",), "warning", "id-gap", *_gap(stream, *missing))
        above = line.number


def _jumps(stream: StreamFile) -> Iterator[tuple[int, int]]:
    """Yield the row of each memory that does not follow the highest number before it, and that number."""
    highest = 0
    for row, number in enumerate(stream.nodes.numbers):
        if number != highest + 1:
            yield row, highest
        if number > highest:
            highest = number


def check_created(stream: StreamFile, files: Files) -> Iterator[Problem]:
    """``created`` never decreases, and is never after the day of the clock."""
    today, nodes = files.today, stream.nodes
    latest: SceneRef | None = None
    often = FrequentProblems(stream, "warning")
    last = nodes.ref(len(nodes) - 1) if nodes and nodes.is_in_order() else None
    if last is not None and (today is None or last.day <= today):
        return  # most are as they should be, which is seen faster
    for row in nodes.turns():
        ref = nodes.ref(row)
        if ref is None:
            continue
        text, line = nodes.created(row), JsonLine(nodes.lines[row], {})
        if latest is not None and ref < latest and (ref.scene or ref.day < latest.day):
            message = f"created {text} follows {latest}"
            hint = "leave what a merge put there; otherwise move the line, or correct the day or scene"
            often.add(latest, line, ("created",), "created-order", message, hint)
            continue
        if today is not None and ref.day > today:
            message = f"created {text} lies after day {today}, which the clock shows"
            yield stream.at(line, ("created",), "warning", "created-future", message, "see state/world.json")
        latest = ref
    yield from often.problems()


def _find_missing(below: int, above: int, explained: list[int]) -> tuple[int, int, int] | None:
    known = explained[bisect_right(explained, below) : bisect_left(explained, above)]
    count = above - below - 1 - len(known)
    if not count:
        return None
    first, last = below + 1, above - 1
    for number in known:
        first += number == first
    for number in reversed(known):
        last -= number == last
    return first, last, count


def _gap(stream: StreamFile, begin: int, end: int, count: int) -> tuple[str, str]:
    first, last = (render_node_id(stream.agent, number) for number in (begin, end))
    what = f"{first} is missing" if count == 1 else f"{first} to {last} are missing ({count} memories)"
    hint = "fine if you removed it; if not, restore it from git. The number is never used again"
    return f"{what} before this line", hint


def check_spelling(line: Suspect, stream: StreamFile, _files: Files, often: FrequentProblems) -> Iterator[Problem]:
    """A tag is unique in a memory, composed Unicode (NFC), and not the owner's id."""
    tags = line.record["tags"]
    if stream.special_tags.isdisjoint(tags) and len(set(tags)) == len(tags):
        return
    for index, tag in enumerate(tags):
        keys = ("tags", index)
        if not is_composed(tag):
            message = f"tag {tag!r} is written with combining marks (NFD); it is matched all the same"
            yield stream.at(line, keys, "warning", "tag-nfd", message, "gm check --fix writes it as NFC")
        if composed(tag) in map(composed, tags[:index]):
            hint = "gm check --fix takes the second one out"
            yield stream.at(line, keys, "warning", "tag-twice", say("tag {tag} is listed twice", repr(tag)), hint)
        if not tag.strip():
            yield stream.at(line, keys, "warning", "tag-empty", "an empty tag", "take it out")
        elif _WORDS.fullmatch(composed(tag)) is None:
            message = f"tag {tag!r} is more than lower-case letters, digits and hyphens; it is matched as it is"
            often.add(("form", tag), line, keys, "tag-form", message)
        elif PLAIN_TAG.fullmatch(tag) is None:
            message = f"tag {tag!r} has letters beyond a–z; it is matched as it is"
            often.add("letters", line, keys, "tag-letters", message)
        if tag.casefold() == stream.agent and not is_not_lived(line.record["metadata"]):
            message = f"tag {tag!r} is the owner's own name: it is true of every memory here"
            often.add(("own", tag), line, keys, "tag-own-name", message)


def check_variants(files: Files) -> Iterator[Problem]:
    """A tag has one spelling throughout the world; the rarer one is reported at its first place."""
    spellings: dict[str, set[str]] = {}
    for tag in frozenset().union(*(stream.tags for stream in files.streams.values())):
        spellings.setdefault(spell_out(tag), set()).add(tag)
    several = [forms for forms in spellings.values() if len({composed(tag).casefold() for tag in forms}) > 1]
    if not several:
        return
    wanted = frozenset().union(*several)
    counts: Counter[str] = Counter()
    found: dict[str, array[int]] = {name: array("Q") for name in files.streams}  # numbers of lines with such tags
    for name, stream in files.streams.items():
        for line in stream.again():
            if not wanted.isdisjoint(tags := line.record.get("tags", ())):
                counts.update(tags)
                found[name].append(line.number)
    usual = {}
    for forms in several:
        best = max(forms, key=lambda tag: (counts[tag], tag))
        usual.update({tag: best for tag in forms if composed(tag).casefold() != composed(best).casefold()})
    for name, stream in files.streams.items():
        often = FrequentProblems(stream)
        for line in stream.again(found[name]):
            for index, tag in enumerate(line.record["tags"]):
                if tag in usual:
                    message = say("tag {tag} is elsewhere spelled {other}", repr(tag), repr(usual[tag]))
                    often.add(tag, line, ("tags", index), "tag-spelling", message, "they are different tags")
        yield from often.problems()


RULES = (check_composed_memories, check_memory_constants, check_id_order, check_created)
SUSPECT_RULES = (check_shape, check_spelling, check_metadata)
WORLD_RULES = (check_variants,)
