"""The files of the layers of a mind, as ``gm.layers`` declares them, and pending requests for memories."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from gm.base.config import Settings
from gm.base.config.kinds import is_number
from gm.base.errors import GmError, Problem, say, say_unexpected
from gm.base.texts import quoted
from gm.files.commits.steps import BrokenFileError, SetValues, SetYaml, Step, append_step, carry_out
from gm.files.formats import disk
from gm.files.formats.document import Document, find_duplicate_keys, read_document
from gm.files.formats.jsonl import JsonLine, read_lines, scan_lines
from gm.files.formats.places import Keys, json_place, yaml_place
from gm.files.formats.text import is_there, read_text
from gm.files.formats.yamlfile import load_yaml
from gm.files.formats.yamlmap import to_json_types
from gm.files.layout import Layout
from gm.files.reading import document_problem, place_in_lines, read_events, read_records
from gm.layers import LAYERS, declare
from gm.layers.declare import JSON, YAML, AnyLayer, File, Layer
from gm.model.link import LINK_REQUEST, LinkRequest
from gm.model.mind import OFF, Mind, MindChange
from gm.model.record import RecordError

if TYPE_CHECKING:
    from gm.scene.folding.advance import (
        KeptEdit,  # folding loads the forms of replies, which looking at a world does without
    )

V = TypeVar("V")


def load_mind(layout: Layout, name: str) -> tuple[Mind, list[Problem]]:
    """Read the layers of one character; a layer without a file is left out."""
    values: dict[str, object] = {}
    problems: list[Problem] = []
    for layer in LAYERS:
        if has_layer(layout, layer, name):
            values[layer.name], found = load_layer(layout, layer, name)
            problems += found
    return Mind(values), problems


def has_layer(layout: Layout, layer: AnyLayer, name: str) -> bool:
    """Return whether a character has a file of a layer."""
    return is_there(layout.layer(layer, name))


def load_layer(layout: Layout, layer: Layer[V, Any], name: str) -> tuple[V, list[Problem]]:
    """Read one layer of one character, or its empty value; unreadable records are skipped and reported."""
    if not has_layer(layout, layer, name):
        return layer.empty, []
    read = read_layer(layout, layer, name)
    return layer.file.parse(read.parsed), read.problems


class Read(NamedTuple):
    """The file of a layer: what ``File.parse`` takes, and the same as it is written."""

    parsed: Any
    raw: Any
    at: Callable[[Keys], tuple[int, int]]
    problems: list[Problem]


def read_layer(layout: Layout, layer: AnyLayer, name: str) -> Read:
    """Read the file of a layer; unreadable records are left out of ``parsed`` and reported."""
    path = layout.layer(layer, name)
    shown = layout.shown(path)
    if layer.file.ending == JSON:
        document, problems = read_document(path, shown)
        entries, more = _read_entries(layer.file, document, shown)
        at = partial(json_place, document.body)
        return Read(entries, document.data, at, problems + more)
    text, problems = read_text(path, shown)
    if layer.file.ending == YAML:
        data, more = (None, []) if problems else _read_plain(text.body, shown)
        return Read(data if isinstance(data, dict) else {}, data, partial(yaml_place, text.body), problems + more)
    assert layer.file.record is not None
    scan = scan_lines(text.body, shown)
    records, more = (read_events if layer.file.numbered else read_records)(scan, shown, layer.file.record)
    raw = {line.number: line.record for line, _ in records}
    problems += [*scan.problems, *more]
    return Read([record for _, record in records], raw, partial(place_in_lines, scan), problems)


def _read_plain(text: str, shown: str) -> tuple[Any, list[Problem]]:
    data, problems = load_yaml(text, shown)
    try:
        return to_json_types(data), problems
    except (ValueError, RecursionError):
        hint = "write it without & and *"
        return None, [Problem(shown, 1, 1, "error", "yaml-size", "values that contain each other", hint)]


def _read_entries(file: File[Any, Any], document: Document, shown: str) -> tuple[dict[str, Any], list[Problem]]:
    assert file.record is not None
    problems = find_duplicate_keys(document.body, shown) if document.data else []
    found: dict[str, Any] = {}
    for key, record in document.data.items():
        try:
            found[key] = file.record.read(record)
        except RecordError as error:
            problem = document_problem(shown, document.body, error, key)
            problems.append(replace(problem, message=say("{key}: {part}", key, problem.message)))
    return found, problems


def load_history(layout: Layout, layer: AnyLayer, name: str, ending: str) -> tuple[list[JsonLine], list[Problem]]:
    """Read an additional file of a layer (``File.beside``)."""
    path = layout.layer(layer, name, ending)
    return read_lines(path, layout.shown(path))


def without_switched_off(layout: Layout, settings: Settings, problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems without those in files of layers that are switched off."""
    off = tuple(
        f"{layout.shown(layout.layer_folder(layer))}/" for layer in LAYERS if settings.switches.get(layer.name) == OFF
    )
    return [problem for problem in problems if not problem.path.startswith(off)]


def mind_steps(layout: Layout, name: str, change: MindChange) -> list[Step]:
    """Return the steps that write a change of one mind.

    Raises:
        GmError: Single values of a file cannot be changed.
    """
    return [
        step
        for layer in LAYERS
        if (own := change[layer]) is not None
        for step in _layer_steps(layout, layer, name, own)
    ]


def _layer_steps(layout: Layout, layer: AnyLayer, name: str, change: object) -> Iterable[Step]:
    path = layout.layer(layer, name)
    shown = layout.shown(path)
    data: Mapping[str, Any] = {}
    if layer.file.ending == YAML:
        data = read_layer(layout, layer, name).parsed
    elif layer.file.ending == JSON:
        data = read_document(path, shown)[0].data
    for part in layer.file.write(data, change):
        if not isinstance(part, declare.Keys):
            target = layout.layer(layer, name, part.ending) if part.ending else path
            yield append_step(layout, target, list(part.texts))
            continue
        there = data.get(part.entry) if part.entry else data
        # the spelling of the file, which may differ from gm's: null for an empty text
        old = {key: there[key] for key in part.touched if key in there} if isinstance(there, Mapping) else {}
        if old or part.new:
            is_yaml = layer.file.ending == YAML
            yield (
                _try_step(layout, path, old, part.new) if is_yaml else SetValues(shown, old, dict(part.new), part.entry)
            )


def _try_step(layout: Layout, path: Path, old: Mapping[str, Any], new: Mapping[str, Any]) -> SetYaml:
    """Try the step, so that an unsuitable file is reported before anything is written."""
    step = SetYaml(layout.shown(path), dict(old), dict(new))
    try:
        carry_out(step, disk.read_or_none(path))
    except BrokenFileError as error:
        raise GmError(
            str(error),
            "write it as names with plain lists below each, without & and *; then run the same command again",
        ) from error
    return step


def edited_file(layout: Layout, item: KeptEdit) -> str:
    """Return the file that holds a value edited by a person."""
    for layer in LAYERS:
        if item.layer == layer.name:
            return layout.shown(layout.layer(layer, item.where))
    return layout.shown(layout.agent(item.where) if item.where else layout.world)


HINT = '{"requests": []} means that no request waits'


def load_links(layout: Layout) -> tuple[tuple[LinkRequest, ...], list[Problem]]:
    """Read the pending requests; an absent file means none, unreadable items are skipped and reported."""
    shown = layout.shown(layout.links)
    document, problems = read_document(layout.links, shown)
    text = document.body
    if document.data:
        problems += find_duplicate_keys(text, shown)
    items = document.data.get("requests", [])
    if not isinstance(items, list):
        place = json_place(text, ("requests",))
        message = say_unexpected("requests", quoted(items), "a list")
        return (), [*problems, Problem(shown, *place, "error", "link-form", message, HINT)]
    found = []
    for index, item in enumerate(items):
        try:
            found.append(LINK_REQUEST.read(item))
        except RecordError as error:
            problems.append(document_problem(shown, text, error, "requests", index))
    return tuple(found), problems


def links_step(layout: Layout, links: Sequence[LinkRequest]) -> SetValues:
    """Return the step that writes the pending requests; keys added by a person are kept."""
    document, _ = read_document(layout.links, layout.shown(layout.links))
    old = {"requests": document.data["requests"]} if "requests" in document.data else {}
    known = {(item.get("from"), item.get("to")): item for item in old.get("requests", ()) if isinstance(item, dict)}
    # a kept item keeps the keys that a person has added
    new = [known.get((link.asker, link.giver), {}) | LINK_REQUEST.write(link) for link in links]
    return SetValues(layout.shown(layout.links), old, {"requests": new})


def read_asked_at(layout: Layout, asker: str, giver: str) -> float | None:
    """Return when a request was made, in seconds since the epoch; None when unknown."""
    value = disk.read_note(layout.links_note).get(f"{asker} {giver}")
    return float(value) if is_number(value) else None


def note_asked_at(layout: Layout, asker: str, giver: str, now: float | None) -> None:
    """Note when a request was made, None to delete the note. The caller holds the lock of the world."""
    notes = {key: value for key, value in disk.read_note(layout.links_note).items() if key != f"{asker} {giver}"}
    if now is not None:
        notes[f"{asker} {giver}"] = now
    with disk.explained(layout.links_note):
        disk.make_private(layout.derived)
        disk.replace(layout.links_note, f"{json.dumps(notes)}\n".encode())
