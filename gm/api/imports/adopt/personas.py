"""The personas of an adopted world, with comments on what to fill in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain, zip_longest
from typing import Any

from gm.api.imports.adopt.drafted import DraftedFile, spell
from gm.api.imports.adopt.survey import Match, PersonaSource
from gm.base.casefold import casefold
from gm.base.languages import all_languages, either
from gm.model.front import FRONT
from gm.model.world import Agent
from gm.scene.pieces.names import slug

TAKEN = ("role", "age", "pronouns", "color", "archetype", "decision_style", "communication", "wish")
LISTS = ("traits", "skills", "values")


def draft_persona(agent: Agent, match: Match | None, places: Iterable[str]) -> DraftedFile:
    """Render a persona: supported front matter, and the source's prose verbatim.

    Hints for the user are comments in the front matter.
    """
    if match is None:
        return _stub(agent)
    front, left = _usable(agent, match.source.front, tuple(places))
    workspace = _workspace(match.source.front)
    lines = [f"{key}: {spell(value)}" for key, value in front.items()]
    fill_in = []
    if "role" not in front:
        lines.append("# FILL IN: role: what the character is or does")
        fill_in.append("role")
    if "home" not in front:
        about = f"; {workspace!r} is not a known place" if workspace else ""
        lines.append(f"# FILL IN: home: id of a place in gm.yaml, where the character usually is{_join_lines(about)}")
        fill_in.append(f"home{about}")
    if left:
        lines.append(_join_lines(f"# not taken over: {', '.join(left)}"))
    fill_in += _look_at(match.source)
    head = ["---", f"# from {_join_lines(match.source.path)}", *lines, "---"]
    text = "\n".join(head) + "\n"
    if "\r\n" in match.source.prose:
        text = text.replace("\n", "\r\n")
    return DraftedFile(text + match.source.prose, tuple(fill_in))


def place_texts(matches: Mapping[str, Match], places: Iterable[str]) -> dict[str, str]:
    """Return the descriptions of places in the sources."""
    known = tuple(places)
    texts: dict[str, str] = {}
    for match in matches.values():
        workspace = _workspace(match.source.front)
        place = find_place(workspace, known)
        if place and casefold(workspace) != casefold(place):
            texts.setdefault(place, workspace)
    return texts


def find_place(workspace: str, places: Iterable[str]) -> str | None:
    """Return the known place of a workspace: ``Art Station (room 7b)`` is ``art-station``."""
    plain = re.sub(r"\(.*?\)", "", workspace)
    names = {slug(part, "") for part in (plain, *re.split(r"[/,;]", plain))} - {""}
    return next((place for place in places if slug(place, "") in names), None)


def _stub(agent: Agent) -> DraftedFile:
    lines = [
        "---",
        f"name: {spell(agent.name)}",
        "# FILL IN: role: what the character is or does",
        "# FILL IN: age, pronouns, home (id of a place in gm.yaml)",
        "# FILL IN, below the second line of hyphens: who the character is, how it speaks, what it wants",
        "---",
    ]
    return DraftedFile("\n".join(lines) + "\n", ("everything: nothing was found about this character",))


def _usable(agent: Agent, front: Mapping[str, Any], places: tuple[str, ...]) -> tuple[dict[str, Any], list[str]]:
    name = front.get("name")
    # names in agent definitions are often file names
    is_display = isinstance(name, str) and (" " in name.strip() or name[:1].isupper())
    taken: dict[str, Any] = {"name": name.strip() if is_display and isinstance(name, str) else agent.name}
    used = {"name"} if is_display or casefold(str(name)) == casefold(agent.id) else set()
    told, _ = FRONT.read_all(front)
    for key in TAKEN:
        value = getattr(told, key)
        if str(value).strip():
            taken[key] = value.strip() if isinstance(value, str) else value
    taken |= {key: list(listed) for key in LISTS if (listed := getattr(told, key))}
    place = find_place(_workspace(front), places)
    if place:
        taken["home"] = place
        used.add(_workspace_key(front))
    order = ("name", "role", "age", "pronouns", "color", "home")
    taken = {key: taken[key] for key in (*order, *(key for key in taken if key not in order)) if key in taken}
    return taken, [key for key in front if key not in used and key not in taken and key != "sprite"]


def _workspace_key(front: Mapping[str, Any]) -> str:
    ranked = zip_longest(*(one.workspaces for one in reversed(all_languages())), fillvalue="")
    known = chain.from_iterable(ranked)
    return next((key for key in known if isinstance(front.get(key), str) and front[key].strip()), "")


def _workspace(front: Mapping[str, Any]) -> str:
    key = _workspace_key(front)
    return str(front[key]).strip() if key else ""


def _look_at(source: PersonaSource) -> list[str]:
    found = []
    reply_format = re.compile(either(one.reply_format for one in all_languages()), re.IGNORECASE)
    if not source.prose.strip():
        found.append("who the character is: the source has no prose")
    for number, line in enumerate(source.prose.split("\n"), 1):
        if reply_format.search(line):
            found.append(
                f"the prose speaks of a reply format of its own (line {number} of it: {' '.join(line.split())[:50]!r}):"
                " take that part out, gm says by itself how to reply"
            )
            break
    return found


def _join_lines(text: str) -> str:
    return " ".join(text.split()) if "\n" in text else text
