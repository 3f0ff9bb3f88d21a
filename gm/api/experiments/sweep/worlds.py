"""The worlds of a sweep: copies of the base with their own settings, prompts and briefs.

Beside them, the folder may hold runs that an earlier command played, and that the file now does not name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gm.api.experiments.evaluate.material import read_canaries
from gm.api.experiments.sweep.play import is_done
from gm.api.worlds.create import create_world
from gm.base.errors import BrokenWorldError, GmError, NoWorldError, Problem, refuse_errors
from gm.base.frontmatter import load_safely
from gm.base.regular import DOCUMENT_BYTES, read_regular
from gm.files.commits.copying import copy_world
from gm.files.experiments.sweeps.folder import (
    CONDITION,
    Sweep,
    SweepFolder,
    SweepRun,
    clear_folder,
    digest_of_folder,
    is_run_name,
    move_folder,
    nest_value,
    write_note,
)
from gm.files.experiments.sweeps.text import BRIEFS, PROMPTS
from gm.files.formats import disk
from gm.files.formats.text import read_text
from gm.files.formats.yamledit import set_yaml
from gm.files.layout import Layout, is_world
from gm.files.load import load_world
from gm.scene.grounding.attendance import next_day


def make_worlds(folder: SweepFolder, sweep: Sweep, *, resume: bool = False) -> None:
    """Create the missing worlds, each complete.

    Args:
        resume: Use the base as copied when the sweep began, even if the original has changed.

    Raises:
        GmError: A world was made differently, or the base has changed or cannot be played.
    """
    for run in sweep.runs:
        _refuse_other(folder, run, sweep.days)
    base = _make_base(folder, sweep, resume=resume)
    loaded = load_world(base)
    refuse_errors(loaded.problems, "the base world cannot be read", "see: gm check; nothing was played")
    start = loaded.world.clock.day
    _refuse_start(base, sweep)
    read_canaries(loaded.world, sweep.canaries)  # so that mistakes are told before a world is made
    for run in sweep.runs:
        if not is_world(folder.world(run.name).root):
            _make_world(folder, base, run, sweep.days, start)
    clear_folder(folder.making(""))


def _make_base(folder: SweepFolder, sweep: Sweep, *, resume: bool) -> Layout:
    source = None if sweep.world is None else Layout(sweep.world.resolve())
    if source is not None and not is_world(source.root):
        raise NoWorldError(f"{sweep.world} is not a world", "a world is a folder with gm.yaml and state/")
    copy = folder.making("base")
    clear_folder(copy)
    if source is None:
        create_world(copy, sweep.template)
    else:
        copy_world(source, copy)
    made_of = {"template": sweep.template, "digest": digest_of_folder(copy)}
    note = disk.read_note(folder.base_note)
    if folder.base.is_dir() and note:
        clear_folder(copy)
        if note != made_of and not resume:
            raise GmError(
                "the base world has changed since this sweep was begun",
                "--resume goes on with the base as it was; another --out starts a new sweep",
            )
        return Layout(folder.base)
    if load_world(Layout(copy)).world.clock.day_open:
        raise GmError("a day of the base world is open", "finish it with gm advance-day, then sweep")
    clear_folder(folder.base)
    write_note(folder.base_note, made_of)
    move_folder(copy, folder.base)
    return Layout(folder.base)


def _refuse_start(base: Layout, sweep: Sweep) -> None:
    """Refuse settings of day 0, which is in the base's files by now: they would change nothing."""
    keys = sorted({key for run in sweep.runs for key in run.settings if key.partition(".")[0] == "start"})
    if keys and base.world.is_file() and base.bulletin.is_file():
        raise GmError(
            f"{keys[0]} is used once, when a world is made, and would change nothing in a run",
            "a brief of a condition stands under briefs: {name: {1: text}}; for the rest, make two worlds",
        )


def _refuse_other(folder: SweepFolder, run: SweepRun, days: int) -> None:
    if not is_world(folder.world(run.name).root):
        return
    note = disk.read_note(folder.note(run.name))
    if not note:
        raise GmError(
            f"{run.name} already exists, and there is no note of what it was made from", "choose another --out"
        )
    made_of = run_record(run, days)
    other = [key for key in made_of if note.get(key) != made_of[key]]
    if other:
        raise GmError(
            f"{run.name} was begun with other {', '.join(other)} than the file has now",
            f"choose another --out, or move {folder.world(run.name).root} away to play it again",
        )


def _make_world(folder: SweepFolder, base: Layout, run: SweepRun, days: int, start: int) -> None:
    making = folder.making(run.name)
    clear_folder(making)
    copy = copy_world(base, making)
    _set(copy, run.settings)
    if run.prompts is not None:
        with disk.explained(making):
            for path in sorted(item for item in run.prompts.rglob("*") if item.is_file()):
                target = copy.prompts / path.relative_to(run.prompts)
                disk.make_folder(target.parent)
                disk.replace(target, read_regular(path, DOCUMENT_BYTES))
    last = next_day(load_world(copy).world, start, days)
    late = [day for day, _ in run.briefs if not start < day <= last]
    if late:
        raise GmError(
            f"{run.name}: no one would read the brief of day {late[0]}: days {start + 1} to {last} are played",
            "give it a day that is played",
        )
    write_note(folder.note(run.name), {**run_record(run, days), "start": start, "last": last})
    move_folder(making, folder.world(run.name).root)


def _set(copy: Layout, settings: Mapping[str, Any]) -> None:
    text, problems = read_text(copy.settings, "gm.yaml")
    content = text.content
    if not problems:
        for key, value in settings.items():
            keys = key.split(".")
            try:
                content = _set_one(content, keys, value)
            except (ValueError, LookupError) as error:
                problem = Problem("gm.yaml", 1, 1, "error", "setting-in-place", f"{key}: {error}", "write it plainly")
                raise BrokenWorldError(f"{key} cannot be set in the base's gm.yaml", problems=[problem]) from error
        with disk.explained(copy.settings):
            disk.replace(copy.settings, content.encode())


def _set_one(content: str, keys: list[str], value: object) -> str:
    section = load_safely(content.removeprefix("\ufeff"))
    at = 0  # number of keys that exist, as sections
    while at < len(keys) - 1 and isinstance(section, dict) and isinstance(section.get(keys[at]), dict):
        section = section[keys[at]]
        at += 1
    rest = keys[at + 1 :]
    return set_yaml(content, keys[: at + 1], nest_value(".".join(rest), value) if rest else value)


def run_record(run: SweepRun, days: int) -> dict[str, Any]:
    """Return what a world is made of."""
    plain: dict[str, Any] = json.loads(
        json.dumps(
            {
                "values": dict(run.own),
                "settings": dict(run.settings),
                "prompts": digest_of_folder(run.prompts) if run.prompts else "",
                "briefs": [[day, hashlib.sha256(text.encode()).hexdigest()] for day, text in run.briefs],
                "days": days,
            },
            default=str,
        )
    )
    return plain


@dataclass(frozen=True, slots=True)
class OtherRuns:
    """What earlier commands left.

    Attributes:
        alike: Values by run, of finished runs that differ from those of the file in nothing but the varied values.
        left_out: Names of all others.
    """

    alike: Mapping[str, Mapping[str, Any]]
    left_out: tuple[str, ...]


def find_others(folder: SweepFolder, sweep: Sweep) -> OtherRuns:
    """Return the runs of earlier commands, in the order of their values."""
    named = {run.name for run in sweep.runs}
    frames = {_frame(run_record(run, sweep.days)) for run in sweep.runs}
    alike: dict[str, Mapping[str, Any]] = {}
    left_out: list[str] = []
    for name, note in _notes(folder):
        if name in named:
            continue
        if _frame(note) in frames and is_done(folder.world(name), int(note["last"])):
            alike[name] = note["values"]
        else:
            left_out.append(name)
    ordered = sorted(alike, key=lambda name: [_rank(value) for value in alike[name].values()])
    return OtherRuns({name: alike[name] for name in ordered}, tuple(sorted(left_out)))


def _notes(folder: SweepFolder) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(folder.note("any").parent.glob("*.json")):
        name = path.name.removesuffix(".json")
        if is_run_name(name) and is_world(folder.world(name).root):
            yield name, disk.read_note(path)


def _frame(note: Mapping[str, Any]) -> str:
    """Return what runs of one sweep have in common: all but the values of the keys that vary."""
    own = note.get("values", {})
    settings = {key: value for key, value in note.get("settings", {}).items() if key not in own}
    folders = [note.get(key) for key in (PROMPTS, BRIEFS) if key not in own]
    return json.dumps([sorted(own), own.get(CONDITION), note.get("days"), settings, folders], sort_keys=True)


def _rank(value: object) -> tuple[bool, float, str]:
    return (False, float(value), "") if isinstance(value, int | float) else (True, 0.0, str(value))
