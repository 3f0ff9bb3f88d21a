"""Rules for logbooks: order of scenes, known words and people, memories on both sides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from gm.base.errors import Problem
from gm.base.untyped import items_of
from gm.files.check.artifacts import judge_again
from gm.files.check.facts import BESIDE, LEFT_UNDONE, OUT_OF_SCENE
from gm.files.check.files import Files, FrequentProblems, LogFile, StreamFile
from gm.files.check.text import figure
from gm.files.formats.jsonl import JsonLine
from gm.files.formats.places import Keys
from gm.model.calendar import SceneRef, is_time_of_day, render_day
from gm.model.scene import SUMMARY
from gm.model.turns import TURN, differing_lists

_INSERTED = re.compile(r"[0-9]{1,18}[a-z]?")


def check_order(log: LogFile, files: Files) -> Iterator[Problem]:
    """Scenes are numbered from 1, each number once; the summary closes the day."""
    last: tuple[int, str] = (0, "")
    for line in log.scenes:
        number = line.record.get("scene")
        if isinstance(number, float) and number.is_integer():
            message = f"scene is written with decimals; it is read as {number:.0f}"
            yield log.at(line, ("scene",), "info", "number-form", message)
            number = int(number)
        key = _scene_key(number)
        if key is None:
            message = f"scene is {number!r}, expected its number within the day"
            yield log.at(line, ("scene",), "warning", "scene-number", message)
            continue
        if key <= last:
            message = f"scene {number} follows scene {last[0]}{last[1]}"
            yield log.at(line, ("scene",), "warning", "scene-order", message, "each scene of a day has its own number")
        last = max(last, key)
    closing = [line for line in log.scan.lines if line.record.get("type") == SUMMARY]
    for line in closing[:-1]:
        message = f"day {log.day} has {len(closing)} lines of type {SUMMARY}; the last one is read"
        hint = "take over into the last one what it lacks, and remove this line"
        yield log.at(line, ("type",), "warning", "summary-twice", message, hint)
    for line in closing[-1:]:
        if line.number != log.scan.lines[-1].number:
            message = f"a {SUMMARY} that is not the last line of its day"
            yield log.at(line, ("type",), "warning", "summary-place", message)
    open_day = files.world.data.get("day_open") is True and log.day == files.day
    if log.scan.lines and not closing and not open_day:
        message = f"day {log.day} has no {SUMMARY}: it was not closed by gm"
        yield Problem(log.shown, log.scan.lines[-1].number, 1, "info", "summary-missing", message)


def check_words(log: LogFile, files: Files) -> Iterator[Problem]:
    """Unknown scene types, times of day and participants are legitimate."""
    often = FrequentProblems(log)
    for line in log.scenes:
        kind = line.record.get("type")
        known = files.scene_types
        if not isinstance(kind, str):
            yield log.at(line, ("type",), "warning", "scene-type-missing", f"type is {kind!r}, expected a scene type")
        elif "+" in kind:
            message = f"scene type {kind!r} is compound: it counts as none of its parts"
            often.add(kind, line, ("type",), "scene-compound", message)
        elif known and kind not in known:
            often.add(kind, line, ("type",), "scene-type", f"scene type {kind!r} is not one of the prompts'")
        key = "time_of_day" if "time_of_day" in line.record else "time"
        time = line.record.get(key)
        if not isinstance(time, str):
            often.add(("time", None), line, (key,), "scene-time", f"time_of_day is {time!r}, expected a word")
        elif not is_time_of_day(time):
            message = f"time of day {time!r} is outside morning, noon, afternoon, evening"
            often.add(("time", time), line, (key,), "scene-time", message)
        for keys, name in _participants_in(line):
            if name not in files.names:
                message = f"{name!r} takes part and is not an agent"
                often.add(("who", name), line, keys, "participant", message)
    yield from often.problems()


def check_turns(log: LogFile, _files: Files) -> Iterator[Problem]:
    """Turns are objects, each of a participant, with texts and spoken lines; others are not read."""
    often = FrequentProblems(log)
    for line in log.scenes:
        items = line.record.get("turns", [])
        for keys, message in _misread_turns(items):
            yield log.at(line, ("turns", *keys), "warning", "turn-form", message, "correct it, or take it out")
        for key in differing_lists(line.record) if isinstance(items, list) and items else ():
            message = f"{key} differs from turns; pages, books and diaries read turns"
            yield log.at(line, (key,), "info", "turn-lists", message, "change both, or take turns out")
        there = [name for _, name in _participants_in(line)]
        for index, item in enumerate(items_of(items)):
            agent = item.get("agent") if isinstance(item, dict) else None
            if isinstance(agent, str) and agent not in there:
                message = f"a turn of {agent!r}, who does not take part in the scene"
                often.add(agent, line, ("turns", index, "agent"), "turn-agent", message)
    yield from often.problems()


def check_artifacts(log: LogFile, files: Files) -> Iterator[Problem]:
    """Artifacts are given as path, bare name, object or folder."""
    for line in log.scenes:
        items = line.record.get("artifacts")
        for index, item in enumerate(items_of(items)):
            for found in judge_again(item, files):
                keys = ("artifacts", index, *found.keys)
                yield log.at(line, keys, found.severity, found.code, found.message, found.hint)


def check_memories(log: LogFile, files: Files) -> Iterator[Problem]:
    """Memories listed in a scene or summary exist, with the same importance."""
    for line in log.scan.lines:
        for keys, identifier, item in _memories_in(line):
            node = files.node(identifier)
            if node is None:
                if files.is_lost(identifier):
                    continue
                gone = files.was_used(identifier)
                if not gone and files.day is not None and log.day > files.day:
                    message = f"the logbook of day {log.day} names memories that no stream has, as {identifier!r}"
                    hint = f"to remove the rest of a day that was taken back: gm rewind {render_day(files.day)}"
                    yield log.at(line, keys, "warning", "memory-missing", message, hint)
                    return
                message = f"memory {identifier!r} {'no longer exists' if gone else 'does not exist'}"
                hint = "fine if you removed it from the stream; the logbook keeps what happened"
                wrong = "correct the id; fine if you removed the character"
                yield log.at(line, keys, "warning", "memory-missing", message, hint if gone else wrong)
                continue
            importance = item.get("importance")
            if isinstance(importance, int | float) and importance != node.importance:
                message = f"{identifier} was given importance {figure(importance)} here and has {node.importance} now"
                hint = "fine if you changed the memory, whose own line counts; the logbook keeps what happened"
                yield log.at(line, (*keys[:-1], "importance"), "info", "memory-importance", message, hint)


def check_unlisted(stream: StreamFile, files: Files) -> Iterator[Problem]:
    """Memories of a scene are listed in its logbook line, what a day left undone in its summary."""
    listed, scenes, days = set(), set(), set()
    closed = {log.day for log in files.logs for line in log.scan.lines if line.record.get("type") == SUMMARY}
    for log in files.logs:
        days.add(log.day)
        for line in log.scan.lines:  # the summary lists memories of the day's close
            key = _scene_key(line.record.get("scene"))
            found = [identifier for _, identifier, _ in _memories_in(line)]
            if key is not None:
                reference = str(SceneRef(log.day, *key))
                scenes.add(reference)
                if found:
                    listed.add(reference)
            listed.update(found)
    if not days:
        return
    often, nodes = FrequentProblems(stream), stream.nodes
    turns = [*nodes.turns(), len(nodes)]
    for first, end in pairwise(turns):
        created, ref = nodes.created(first), nodes.ref(first)
        is_listed = created in listed
        is_unlogged = created not in scenes and ref is not None and ref.scene > 0 and ref.day in days
        if not is_listed and not is_unlogged:
            continue
        is_closed = ref is None or ref.day in closed
        for row in range(first, end):
            if nodes.marks[row] & (BESIDE | OUT_OF_SCENE) or (nodes.marks[row] & LEFT_UNDONE and not is_closed):
                continue
            line = JsonLine(nodes.lines[row], {})
            if is_listed and nodes.id(row) not in listed:
                message = f"this memory is not listed in the logbook line of {created}"
                often.add(("listed", created), line, ("id",), "memory-unlisted", message)
            elif is_unlogged:
                message = f"there is no scene {created} in the logbook of that day"
                often.add(("scene", created), line, ("created",), "scene-unlogged", message)
    yield from often.problems()


def check_logbook_names(files: Files) -> Iterator[Problem]:
    """Logbooks are called ``day-003.jsonl``."""
    folder = files.layout.logbook
    known = {files.layout.day_log(log.day).name for log in files.logs}
    for path in sorted(folder.glob("*.jsonl")) if folder.is_dir() else ():
        if path.name not in known:
            message = "this file is not a logbook, expected a name like day-003.jsonl; it is not read"
            yield Problem(files.layout.shown(path), 0, 0, "warning", "logbook-name", message, "rename it")


def _scene_key(number: object) -> tuple[int, str] | None:
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if type(number) is int and number > 0:
        return number, ""
    if isinstance(number, str) and _INSERTED.fullmatch(number):
        suffix = number.lstrip("0123456789")
        return int(number.removesuffix(suffix)), suffix
    return None


def _participants_in(line: JsonLine) -> Iterator[tuple[Keys, str]]:
    people = line.record.get("participants")
    for index, name in enumerate(items_of(people)):
        yield ("participants", index), name if isinstance(name, str) else repr(name)


def _misread_turns(items: object) -> Iterator[tuple[Keys, str]]:
    if not isinstance(items, list):
        yield (), f"turns is {type(items).__name__}, expected a list of objects"
        return
    for index, item in enumerate(items):
        for error in TURN.problems(item):
            yield (index, *error.place), error.message


def _memories_in(line: JsonLine) -> Iterator[tuple[Keys, str, dict[str, object]]]:
    """Memories are listed as objects with an id, or as bare ids (``memories_created``)."""
    for key in ("memories", "memories_created"):
        items = line.record.get(key)
        for index, item in enumerate(items_of(items)):
            if isinstance(item, str):
                yield (key, index), item, {}
            elif isinstance(item, dict) and isinstance(item.get("id"), str):
                yield (key, index, "id"), item["id"], item


RULES = (check_order, check_words, check_turns, check_artifacts, check_memories)
STREAM_RULES = (check_unlisted,)
WORLD_RULES = (check_logbook_names,)
