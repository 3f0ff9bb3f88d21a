"""New names for items of theirs, and renaming in files.

The names are computed only from the three versions, since git merges files one by one. Ours keeps its names. Colliding
new items of theirs get the next numbers: memories in their stream, threads and goals in their file, scenes in their
day, artifacts as the next version.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar

from gm.api.history.merge.documents import merged_list, parse_document, to_integer
from gm.api.history.pastfiles import FileLine, find_new_lines, render_rows, split_rows
from gm.base.untyped import items_of
from gm.files import relative_paths
from gm.files.formats.jsonedit import set_values
from gm.model.calendar import SceneRef
from gm.model.ids import IdForm, agent_of, parse_node_id, render_node_id
from gm.model.thread import THREAD_ID

_SCENE = ("type", "participants", "summary", "dialogue", "thoughts", "premise", "why", "actions")
_MEMORY = ("created", "type", "description", "content")
_OPENED = ("by", "kind", "text")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_FRONT = re.compile(r"^(?P<key>node|created): (?P<quote>['\"]?)(?P<value>[^'\"\n]+)(?P=quote)$", re.MULTILINE)
_SUFFIXES = ("", *"abcdefghijklmnopqrstuvwxyz")
_VERSION = re.compile(r"_v(\d{1,9})(\.[^./]+)?$")
Files = Mapping[str, bytes]
Name = TypeVar("Name", str, int)


def rename_ids(text: str, names: Mapping[str, str]) -> str:
    """Replace names that are complete JSON strings; other bytes, such as names within spoken text, are kept."""
    if not names:
        return text

    def other(match: re.Match[str]) -> str:
        token = match[0]
        name = names.get(token[1:-1])
        if name is None and "\\" in token:
            try:
                name = names.get(json.loads(token))
            except ValueError:
                return token
        return token if name is None else json.dumps(name, ensure_ascii=False)

    return _TEXT.sub(other, text)


def rename_front(text: str, names: Mapping[str, str]) -> str:
    """Rename the memory and scene references in the front matter of an artifact."""
    if not text.startswith("---") or not names:
        return text
    end = text.find("\n---", 3)
    head, rest = (text, "") if end < 0 else (text[:end], text[end:])
    found = _FRONT.sub(lambda match: match[0].replace(match["value"], names.get(match["value"], match["value"])), head)
    return found + rest


@dataclass(slots=True)
class RenamingPlan:
    """A renaming.

    Attributes:
        names: By old name as it occurs in JSON strings: ids, scenes, paths.
        own: Names that apply only to one character's files, by character.
    """

    names: dict[str, str] = field(default_factory=dict)
    own: dict[str, dict[str, str]] = field(default_factory=dict)
    scenes: dict[int, dict[int, int]] = field(default_factory=dict)
    artifacts: dict[str, str] = field(default_factory=dict)

    def names_in(self, path: str) -> dict[str, str]:
        """Return new names by old ones, for references in a file."""
        return {**self.names, **self.own.get(relative_paths.owner_of(path), {})}

    def add(self, path: str, names: Mapping[str, str]) -> None:
        """Add names of a numbered file; those of threads apply to all files."""
        owner = relative_paths.owner_of(path)
        (self.own.setdefault(owner, {}) if owner else self.names).update(names)

    def move_scenes(self, day: int, moved: Mapping[int, int]) -> None:
        """Give scenes of a day new numbers; ``moved`` has them by the old ones."""
        self.scenes.setdefault(day, {}).update(moved)
        for old, new in moved.items():
            for suffix in _SUFFIXES:
                self.names[str(SceneRef(day, old, suffix))] = str(SceneRef(day, new, suffix))

    def move_artifact(self, path: str, new: str) -> None:
        """Give a piece a new path."""
        self.artifacts[path] = self.names[path] = new

    def renumber_line(self, row: FileLine, day: int) -> str:
        """Return a line of a day's logbook with new names and scene number."""
        text, moved = rename_ids(row.text, self.names), self.scenes.get(day, {})
        return set_values(text, {"scene": moved[row.scene]}) if row.scene in moved else text

    def rename_in_file(self, path: str, data: bytes) -> bytes:
        """Return the content of a file with new names."""
        day = relative_paths.day_of_logbook(path)
        text = data.decode("utf-8", "surrogateescape")
        if day is not None and self.scenes.get(day):
            return render_rows([self.renumber_line(row, day) for row in split_rows(data)])
        if path.startswith(relative_paths.GALLERY):
            return rename_front(text, self.names).encode("utf-8", "surrogateescape")
        if path.endswith((".json", ".jsonl")) and not relative_paths.is_gifted(path):
            return rename_ids(text, self.names_in(path)).encode("utf-8", "surrogateescape")
        return data


def make_plan(base: Files, ours: Files, theirs: Files) -> RenamingPlan:
    """Return new names for items of theirs.

    Files equal in all versions may be omitted; a character's stream and archive only together.
    """
    plan = RenamingPlan()
    _plan_scenes(plan, base, ours, theirs)
    _plan_works(plan, base, ours, theirs)
    for agent in _find_owners(ours, theirs):
        _plan_memories(plan, agent, base, ours, theirs)
    for path, numbered in _numbered_files(theirs):
        plan.add(path, _plan_opened(path, numbered, plan, (base, ours, theirs)))
    return plan


def carry_over(base: Files, ours: Files, theirs: Files) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return the contents of base and theirs with the names of ours.

    After an earlier merge of the same branch, base and theirs use the branch's own names, ours those that
    the merge assigned. Items are recognized by content.
    """
    versions = (base, ours, theirs)
    # in theirs, items that the base lacks make way for names that are carried over
    for_base, for_theirs = plans = RenamingPlan(), RenamingPlan()
    for path in base:
        if (day := relative_paths.day_of_logbook(path)) is not None:
            old, mine, other = (_sign_rows(_scenes_by_number(files.get(path)), _SCENE) for files in versions)
            if moved := _names_moved(old, mine):
                for_theirs.move_scenes(day, dict(zip(_names_added(other, old), count(max(mine) + 1), strict=False)))
                for plan in plans:
                    plan.move_scenes(day, moved)
    _carry_works(for_base, for_theirs, versions)
    for agent in _find_owners(base):
        before, here, there = (_memories_of(files, agent) for files in versions)
        if names := _names_moved(_sign_rows(before, _MEMORY, for_base.names), _sign_rows(here, _MEMORY)):
            for_theirs.names |= _memories_behind({**before, **here}, _names_added(there, before))
            for plan in plans:
                plan.names |= names
    for path, numbered in _numbered_files(base):
        opened = [_find_opened(split_rows(files.get(path)), numbered) for files in versions]
        if names := _names_moved(_sign_rows(opened[0], _OPENED), _sign_rows(opened[1], _OPENED)):
            for_theirs.add(
                path, _renumber_behind((*opened[0], *opened[1]), _names_added(opened[2], opened[0]), numbered)
            )
            for plan in plans:
                plan.add(path, names)
    posts = [_read_posts(files.get(relative_paths.BULLETIN)) for files in versions]
    for_base.names |= _post_places(posts[0], posts[1])
    for_theirs.names |= _post_places(posts[2], merged_list(*posts))
    return _with_names(base, for_base), _with_names(theirs, for_theirs)


def _find_owners(*versions: Files) -> list[str]:
    return sorted({name for files in versions for path in files if (name := relative_paths.owner_of_memories(path))})


def _numbered_files(files: Files) -> Iterator[tuple[str, IdForm]]:
    for path in sorted(files):
        found = relative_paths.layer_of(path)
        numbered = THREAD_ID if path == relative_paths.THREADS else found[0].file.numbered if found else None
        if numbered is not None:
            yield path, numbered


def _memories_of(files: Files, agent: str) -> dict[str, FileLine]:
    rows = [*split_rows(files.get(relative_paths.stream(agent))), *split_rows(files.get(relative_paths.archive(agent)))]
    return {row.id: row for row in reversed(rows) if parse_node_id(row.id)}


def _find_opened(rows: Iterable[FileLine], numbered: IdForm) -> dict[str, FileLine]:
    return {row.id: row for row in rows if row.record.get("event") == "open" and numbered.number(row.id)}


def _memories_behind(taken: Collection[str], new: Iterable[str]) -> dict[str, str]:
    free = max(map(_number_in, taken)) + 1
    ordered = enumerate(sorted(new, key=_number_in), free)
    return {name: render_node_id(agent_of(name), number) for number, name in ordered}


def _renumber_behind(taken: Iterable[str], new: Iterable[str], numbered: IdForm) -> dict[str, str]:
    free = max(map(numbered.number, taken)) + 1
    return {name: numbered.render(number) for number, name in enumerate(new, free)}


def _next_version(path: str, taken: Collection[str]) -> str:
    match = _VERSION.search(path)
    stem, ending = (path[: match.start()], match[2] or "") if match else path.rpartition(".")[::2]
    ending = ending if not ending or ending.startswith(".") else f".{ending}"
    number = int(match[1]) if match else 1
    while (new := f"{stem}_v{number}{ending}") in taken:
        number += 1
    return new


def _plan_scenes(plan: RenamingPlan, base: Files, ours: Files, theirs: Files) -> None:
    for path in theirs:
        day = relative_paths.day_of_logbook(path)
        if day is None or path not in ours:
            continue
        before, there = split_rows(base.get(path)), split_rows(ours[path])
        mine, other = find_new_lines(there, before), find_new_lines(split_rows(theirs[path]), before)
        same = {row.text for row in mine}
        new = dict.fromkeys(row.scene for row in other if row.scene and row.text not in same) if mine else ()
        following = max((row.scene for row in there), default=0) + 1
        plan.move_scenes(day, {number: at for at, number in enumerate(new, following)})


def _plan_works(plan: RenamingPlan, base: Files, ours: Files, theirs: Files) -> None:
    taken = {*base, *ours, *theirs}
    for path in sorted(theirs):
        if (
            path.startswith(relative_paths.GALLERY)
            and path not in base
            and ours.get(path, theirs[path]) != theirs[path]
        ):
            plan.move_artifact(path, _next_version(path, taken))
            taken.add(plan.artifacts[path])


def _plan_memories(plan: RenamingPlan, agent: str, base: Files, ours: Files, theirs: Files) -> None:
    before, mine, other = (_memories_of(files, agent) for files in (base, ours, theirs))
    state = parse_document(ours.get(f"{relative_paths.AGENTS}{agent}.json")) or {}
    deleted = render_node_id(agent, to_integer(state.get("deleted_until")))
    if {*mine, deleted} <= {*before, render_node_id(agent, 0)}:
        return
    new = [name for name, row in other.items() if name not in before and not _is_same(plan, row, mine, "created")]
    plan.names |= _memories_behind({*before, *mine, deleted}, new)


def _plan_opened(
    path: str, numbered: IdForm, plan: RenamingPlan, versions: tuple[Files, Files, Files]
) -> dict[str, str]:
    before, mine, other = (split_rows(files.get(path)) for files in versions)
    own, others = (_find_opened(find_new_lines(rows, before), numbered) for rows in (mine, other))
    if not own:
        return {}
    new = [name for name, row in others.items() if not _is_same(plan, row, own, "at")]
    return _renumber_behind((row.id for row in (*before, *mine)), new, numbered)


def _is_same(plan: RenamingPlan, row: FileLine, mine: Mapping[str, FileLine], moment: str) -> bool:
    return row.id in mine and mine[row.id].text == row.text and str(row.record.get(moment)) not in plan.names


def _number_in(name: str) -> int:
    parsed = parse_node_id(name)
    return parsed[1] if parsed else 0


def _carry_works(for_base: RenamingPlan, for_theirs: RenamingPlan, versions: Sequence[Files]) -> None:
    base, ours, theirs = versions
    for old, new in _names_moved(_piece_bodies(base), _piece_bodies(ours)).items():
        if new not in base:
            for_base.move_artifact(old, new)
            for_theirs.move_artifact(old, new)
    taken = {*base, *ours, *theirs}
    for path in sorted(set(for_base.artifacts.values()) & theirs.keys() - base.keys()):
        for_theirs.move_artifact(path, _next_version(path, taken))
        taken.add(for_theirs.artifacts[path])


def _names_moved(base: Mapping[Name, Any], ours: Mapping[Name, Any]) -> dict[Name, Name]:
    known = {sign: name for name, sign in reversed(tuple(ours.items()))}
    return {name: known[sign] for name, sign in base.items() if sign in known and ours.get(name) != sign}


def _names_added(theirs: Iterable[Name], base: Mapping[Name, Any]) -> list[Name]:
    return [name for name in theirs if name not in base]


def _sign_rows(
    rows: Mapping[Name, FileLine], keys: Sequence[str], names: Mapping[str, str] | None = None
) -> dict[Name, str]:
    values = {name: [row.record.get(key) for key in keys] for name, row in rows.items()}
    known = names or {}
    return {
        name: json.dumps([known.get(str(item), item) for item in items], ensure_ascii=False, sort_keys=True)
        for name, items in values.items()
    }


def _scenes_by_number(data: bytes | None) -> dict[int, FileLine]:
    return {row.scene: row for row in split_rows(data) if row.scene}


def _piece_bodies(files: Files) -> dict[str, bytes]:
    return {
        path: data.rpartition(b"\n---\n")[2] for path, data in files.items() if path.startswith(relative_paths.GALLERY)
    }


def _read_posts(data: bytes | None) -> list[Any]:
    return items_of((parse_document(data) or {}).get("posts"))


def _post_places(posts: Sequence[Any], merged: Sequence[Any]) -> dict[str, str]:
    places = {index: merged.index(post) for index, post in enumerate(posts) if post in merged}
    return {f"bulletin/{old}": f"bulletin/{new}" for old, new in places.items() if old != new}


def _with_names(files: Files, plan: RenamingPlan) -> dict[str, bytes]:
    return {plan.artifacts.get(path, path): plan.rename_in_file(path, data) for path, data in files.items()}
