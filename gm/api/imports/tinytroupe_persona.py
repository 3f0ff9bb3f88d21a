"""The persona of a TinyTroupe agent: front matter, soul, relationships and prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gm.api.answers.speech import Words
from gm.api.imports import fields
from gm.api.imports.arrival import Account, ImportedPerson
from gm.api.imports.prose import front_matter, label_key, prose_of, render_block, under_heading
from gm.base.texts import clip
from gm.base.untyped import items_of

ROLE = 80
"""Characters of a role, which all characters see."""
RELATIONSHIP = 800
"""Characters of what a character thinks of another one."""
WHAT, HOW = ("relation", "role", "type"), ("description", "details")
"""Keys of a relationship: what the other one is, and what is said of both."""


@dataclass(frozen=True, slots=True)
class PersonaPart:
    """A part of a persona that has a key in front matter.

    Attributes:
        path: Keys from the outside in.
    """

    path: tuple[str, ...]
    key: str
    many: bool = False


PARTS = (
    PersonaPart(("style",), "communication"),
    PersonaPart(("personality", "traits"), "traits", many=True),
    PersonaPart(("skills",), "skills", many=True),
    PersonaPart(("long_term_goals",), "values", many=True),
)
HEADINGS: Mapping[str, str] = {
    "occupation": "work",
    "personality": "personality",
    "preferences": "preferences",
    "behaviors": "habits",
    "health": "health",
    "education": "education",
    "nationality": "origin",
    "residence": "origin",
}
"""The section of the prose for a key; every other key is a fact."""
ORDER = ("work", "personality", "preferences", "habits", "health", "education", "origin", "facts")
NAMED_BY_HEADING = ("occupation", "personality", "preferences", "behaviors", "health", "education", "other_facts")


def read_persona(name: str, persona: Mapping[str, object], words: Words, account: Account) -> ImportedPerson:
    """Return a persona as a person without memories."""
    for path, why in fields.find_long_lists(_walk_values(persona)):
        account.leave(path, why)
    rest = {key: value for key, value in persona.items() if key != "name"}
    front = front_matter(name, _read_front(rest, words), account)
    beliefs = fields.lines_of(rest.pop("beliefs", None))
    if beliefs:
        account.took("beliefs", "the soul")
    relationships = dict(_relationships(rest.pop("relationships", None)))
    if relationships:
        account.took("relationships", "what the character thinks of others")
    prose = prose_of(name, _read_sections(rest, words, account), words, account)
    return ImportedPerson(name, front, prose, (), relationships, {"beliefs": beliefs} if beliefs else {})


def _read_front(rest: dict[str, object], words: Words) -> Iterator[tuple[str, str, object]]:
    yield from fields.take_person(rest, words, "gender")
    path = ("occupation", "title") if isinstance(rest.get("occupation"), dict) else ("occupation",)
    title = fields.line_of(_look_up(rest, path))
    if role := title if len(title) <= ROLE else re.split(r"[,;(]", title)[0].strip()[:ROLE]:
        if role == title:  # of a longer one, the rest is told in the prose
            _take_at(rest, path)
        yield "role", ".".join(path), role
    for part in PARTS:
        value = _take_at(rest, part.path)
        if part.many and (several := fields.lines_of(value)):
            yield part.key, ".".join(part.path), list(several)
        elif not part.many and (text := fields.line_of(value, fields.LONGEST) or " ".join(fields.lines_of(value))):
            yield part.key, ".".join(part.path), text


def _look_up(tree: Mapping[str, object], path: tuple[str, ...]) -> object:
    value: object = tree
    for key in path:
        value = fields.object_of(value).get(key)
    return value


def _take_at(tree: dict[str, object], path: tuple[str, ...]) -> object:
    if len(path) == 1:
        return tree.pop(path[0], None)
    inner = dict(fields.object_of(tree.get(path[0])))
    value = _take_at(inner, path[1:])
    if inner or value is not None:
        tree[path[0]] = inner
    return value


def _relationships(value: object) -> Iterator[tuple[str, str]]:
    named = [{"name": name, "description": said} for name, said in fields.object_of(value).items()]
    for one in map(fields.object_of, (named or items_of(value))[: fields.MOST_LISTED]):
        name = fields.clean_name(one.get("name"))
        what = next(filter(None, (fields.line_of(one.get(key)) for key in WHAT)), "")
        how = next(filter(None, (fields.line_of(one.get(key), RELATIONSHIP) for key in HOW)), "")
        said = clip(": ".join(filter(None, (what if name else "", how))), RELATIONSHIP)
        if (called := name or clip(what, fields.NAME)) and said:
            yield called, said


def _walk_values(tree: Mapping[str, object], before: str = "") -> Iterator[tuple[str, object]]:
    for key, value in tree.items():
        yield f"{before}{key}", value
        if not before:
            yield from _walk_values(fields.object_of(value), f"{key}.")


def _read_sections(rest: dict[str, object], words: Words, account: Account) -> Iterator[tuple[str, str]]:
    bodies: dict[str, list[str]] = {heading: [] for heading in ORDER}
    if described := fields.clean_scalar(_take_at(rest, ("occupation", "description"))):
        bodies["work"].append(described)
    for key, value in rest.items():
        heading = HEADINGS.get(key, "facts")
        block = render_block("" if key in NAMED_BY_HEADING else label_key(key, words), value, words)
        if block:
            bodies[heading].append(block)
            account.took(key, under_heading(heading, words))
        elif value not in (None, "", [], {}):
            account.leave(key, "no text in it that can be read")
    for heading, blocks in bodies.items():
        yield words(f"heading.{heading}"), "\n\n".join(blocks)
