"""The pages of the documentation as a reader has them: headings, links, blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown_it.token import Token

from gm.base.markup.parse import every_token, name_headings, parse_tokens

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
NOT_OURS = {"worlds", "assistants", "vendor", "snapshots"}
"""Folders whose pages are parts of worlds or of other projects."""
_MARK = re.compile(r"<!-- (?:exit (?P<code>\d+)|not run: (?P<why>.+?)) -->\s*\Z")
PROMPT = "$ "


@dataclass(frozen=True)
class Block:
    """A block of commands.

    Attributes:
        line: Where it begins, from 1.
        commands: What is typed behind each prompt, with the lines that belong to it.
        code: The exit code of its last command; the others end with 0.
        not_run: Why it cannot run in a test; empty = it runs.
    """

    line: int
    commands: tuple[str, ...]
    code: int = 0
    not_run: str = ""


def doc_pages() -> list[Path]:
    """List the pages of docs/."""
    return sorted(path for path in DOCS.rglob("*.md") if not NOT_OURS & set(path.relative_to(DOCS).parts))


def all_pages() -> list[Path]:
    """List the pages of docs/ and all READMEs and other pages beside the code."""
    beside = (path for folder in ("gm", "tests", "bench") for path in (ROOT / folder).rglob("*.md"))
    found = [path for path in beside if not NOT_OURS & set(path.relative_to(ROOT).parts)]
    return sorted({*ROOT.glob("*.md"), *doc_pages(), *found})


@cache
def tokens_of(path: Path) -> list[Token]:
    """Parse a page."""
    return parse_tokens(path.read_text(encoding="utf-8"))


@cache
def anchors_of(path: Path) -> frozenset[str]:
    """Return the anchors of a page's headings."""
    return frozenset(name for _, name in name_headings(tokens_of(path)))


def links_of(path: Path) -> Iterator[str]:
    """Yield the addresses of links and pictures, also of those in HTML."""
    for token in every_token(tokens_of(path)):
        address = token.attrGet("href") or token.attrGet("src")
        if address:
            yield str(address)
        elif token.type == "text":
            yield from re.findall(r'<(?:a|img|source)\b[^>]*?(?:href|src|srcset)="([^"]+)"', token.content)


def blocks_of(text: str) -> Iterator[Block]:
    """Yield the ``console`` blocks of a page in order."""
    if "console" not in text:  # most pages: to parse them all takes each worker a quarter of a second
        return
    lines = text.split("\n")
    for token in every_token(parse_tokens(text)):
        if token.type != "fence" or token.info.split()[:1] != ["console"] or token.map is None:
            continue
        begin = token.map[0]
        before = next((line for line in reversed(lines[:begin]) if line.strip()), "")
        mark = _MARK.search(before)
        code, why = (mark["code"], mark["why"]) if mark else (None, None)
        yield Block(begin + 1, tuple(_commands(token.content)), int(code or 0), why or "")


def _commands(text: str) -> Iterator[str]:
    """Yield what is typed: the rest of the line, lines after a ``\\``, the text of a here-document."""
    lines = iter(text.split("\n"))
    for line in lines:
        if not line.startswith(PROMPT):
            continue  # what was printed
        typed = [line.removeprefix(PROMPT)]
        while typed[-1].endswith("\\"):
            typed.append(next(lines).removeprefix("> "))
        here = re.search(r"<<-?\s*['\"]?(\w+)", typed[-1])
        while here and typed[-1].removeprefix("> ") != here[1]:
            typed.append(next(lines).removeprefix("> "))
        yield "\n".join(typed)
