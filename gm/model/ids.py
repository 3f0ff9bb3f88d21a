"""Ids of agents and of memory nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gm.base.casefold import casefold
from gm.base.config import kinds
from gm.base.texts import is_digits

WORLD = "_world"
"""Owner of the file with what all characters know; no agent can have this id."""
_AGENT = re.compile(r"[a-z0-9][a-z0-9_-]*\Z")
_NODE = re.compile(r"(?P<agent>.+)-(?P<number>[0-9]{3,18})\Z")


class IdForm(NamedTuple):
    """Ids that are a word and a number from 1, such as ``thread-007``.

    Attributes:
        least: Least number of digits.
        most: Greatest number of digits.
    """

    word: str
    least: int
    most: int

    def number(self, identifier: str) -> int:
        """Return an id's number; 0 for another form."""
        word, _, digits = identifier.rpartition("-")
        fits = word == self.word and self.least <= len(digits) <= self.most and is_digits(digits)
        return int(digits) if fits else 0

    def render(self, number: int) -> str:
        return f"{self.word}-{number:0{self.least}d}"

    def after(self, ids: Iterable[str]) -> str:
        """Return the next id."""
        return self.render(max(map(self.number, ids), default=0) + 1)

    @property
    def kind(self) -> kinds.Kind:
        pattern = f"^{self.word}-(?!0+$)[0-9]{{{self.least},{self.most}}}$"
        return kinds.form(f"a text like {self.render(1)}", pattern)


def is_agent_id(text: str) -> bool:
    """Return whether a text is a valid file stem for an agent (``vera``, ``creative-director``)."""
    return _AGENT.match(text) is not None


def name_from_id(text: str) -> str:
    """Return the name of a character that has no other: ``Ono Bekele`` for ``ono-bekele``."""
    return " ".join(part.capitalize() for part in re.split("[-_]+", text) if part) or text


def place_words(place: str, names: Mapping[str, str]) -> str:
    """Return a place within a sentence: its name in the world (``place_names``), or its id as words."""
    return names.get(place) or place.replace("-", " ").replace("_", " ").strip()


def place_name(place: str, names: Mapping[str, str]) -> str:
    """Return the name of a place: the world's own (``place_names``), or its id as words, ``Living room``."""
    words = place_words(place, names)
    return words[:1].upper() + words[1:]


def parse_node_id(text: str) -> tuple[str, int] | None:
    """Split ``vera-042`` into agent and number; None when the text is not a node id."""
    match = _NODE.match(text)
    return (match["agent"], int(match["number"])) if match else None


def pad_node_id(text: str) -> str:
    """Return ``vera-7`` as the id ``vera-007``, and any other text unchanged."""
    agent, _, number = text.rpartition("-")
    return render_node_id(agent, int(number)) if agent and is_digits(number) and len(number) < 3 else text


def agent_of(identifier: str) -> str:
    """Return the agent of a node id; of any other text, what stands before its last hyphen."""
    return identifier.rpartition("-")[0]


def render_node_id(agent: str, number: int) -> str:
    """Return a node id with at least three digits."""
    return f"{agent}-{number:03d}"


def highest_number(agent: str, ids: Iterable[str]) -> int:
    """Return the highest number among an agent's own node ids; 0 without any."""
    highest = 0
    wanted = casefold(agent)
    prefix = f"{agent}-"
    for text in ids:
        number = text[len(prefix) :] if text.startswith(prefix) else ""
        if is_digits(number):  # the usual case; cheaper than a pattern
            highest = max(highest, int(number)) if len(number) >= 3 else highest
            continue
        parsed = parse_node_id(text)
        if parsed and parsed[1] > highest and (parsed[0] == agent or casefold(parsed[0]) == wanted):
            highest = parsed[1]
    return highest
