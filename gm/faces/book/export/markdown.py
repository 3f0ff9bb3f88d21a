"""A book as one Markdown file (CommonMark with tables)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from gm.faces.book.export.html import MARK, as_data
from gm.faces.book.values import Manuscript

_SPECIAL = re.compile(r"([\\`*_\[\]<|]|~(?=~)|&(?=#?\w+;)|#(?=#*\Z))")
_BEGINNING = re.compile(r"\A(\s*)([#+=>~-]|\d+[.)](?=\s|\Z))")
DEEPEST_HEADING = 6
_MARKS = {"emphasis": "*", "strong": "**", "struck": "~~"}


def bind_markdown(book: Manuscript) -> bytes:
    """Return a book as Markdown, UTF-8; pictures are replaced by their titles."""
    data = as_data(book)
    parts = [f"# {_escape_line(data['title'])}"]
    parts += [] if data["one_day"] else [f"*{_escape_line(data['subtitle'])}*"]
    parts += [_escape_line(data["author"])] if data["author"] else []
    parts += [_block_quote(map(_escape_line, data["epigraph"]))] if data["epigraph"] else []
    for chapter in data["chapters"]:
        parts += _chapter(chapter, data["words"])
    parts.append(f"<!-- {MARK} -->")
    return ("\n\n".join(part for part in parts if part) + "\n").encode()


def _chapter(chapter: Mapping[str, Any], words: Mapping[str, Any]) -> Iterator[str]:
    title = ": ".join(filter(None, (_escape_line(chapter["label"]), _escape_line(chapter["title"]))))
    yield f"## {title}"
    if chapter["lead"]:
        yield f"*{_escape_line(chapter['lead'])}*"
    for item in chapter["items"]:
        yield from _ITEMS[item["kind"]](item, words)


def _render_scene(scene: Mapping[str, Any], words: Mapping[str, Any]) -> Iterator[str]:
    head = _escape_line(scene["title"])
    yield f"### {scene['number']}. {head}" if scene["number"] else f"### {head}"
    setting = (scene[key] for key in ("place", "type", "time"))
    yield " · ".join(_escape_line(part) for part in setting if part and part != scene["title"])
    if scene["cast"]:
        yield f"**{_escape_line(', '.join(scene['cast']))}**"
    if scene["premise"]:
        yield f"*{_escape_line(scene['premise'])}*"
    yield from map(_escape_line, scene["told"])
    for turn in scene["turns"]:
        yield from _render_turn(turn, words)
    yield from _render_list(words["insights"], scene["insights"])
    if scene["pieces"]:
        yield f"{words['made']}: " + ", ".join(_render_piece(piece, words) for piece in scene["pieces"])
    if scene["reason"]:
        yield f"*{words['reason']}: {_escape_line(scene['reason'])}*"


def _render_turn(turn: Mapping[str, Any], words: Mapping[str, Any]) -> Iterator[str]:
    who = _escape_line(turn["agent"])
    if turn["mark"]:
        yield f"*{_escape_line(turn['mark'])}*"
    if turn["action"]:
        yield _escape_line(turn["action"])
    for line in turn["lines"]:
        text = f"{words['quote_open']}{_escape_line(line['text'])}{words['quote_close']}"
        head = f"**{who}** {_escape_line(line['to'])}:" if line["to"] else f"**{who}:**"
        yield f"{head} {text}" if who else text
    if turn["thought"]:
        yield f"> {f'**{who}** ' if who else ''}{words['thinks']}: *{_escape_line(turn['thought'])}*"


def _render_piece(piece: Mapping[str, Any], words: Mapping[str, Any]) -> str:
    title = f"{words['quote_open']}{_escape_line(piece['title'])}{words['quote_close']}"
    return f"{title} ({words['plate'].format(number=piece['plate'])})" if piece["plate"] else title


def _render_person(person: Mapping[str, Any], _words: Mapping[str, Any]) -> Iterator[str]:
    yield f"### {_escape_line(person['name'])}"
    if person["role"]:
        yield f"*{_escape_line(person['role'])}*"
    if person["portrait"]:
        yield _escape_line(person["portrait"])
    if person["facts"]:
        yield "\n".join(f"- {_escape_line(label)}: {_escape_line(value)}" for label, value in person["facts"])


def _plate(plate: Mapping[str, Any], words: Mapping[str, Any]) -> Iterator[str]:
    yield f"### {words['plate'].format(number=plate['number'])}: {_escape_line(plate['title'])}"
    yield from (f"*{_escape_line(text)}*" for text in (plate["caption"], plate["description"]) if text)
    if plate["picture"]:
        yield f"({_escape_line(plate['title'])})"
    yield from _blocks(plate["blocks"], 3)


def _render_entry(entry: Mapping[str, Any], words: Mapping[str, Any]) -> Iterator[str]:
    if entry["head"]:
        yield f"### {_escape_line(entry['head'])}"
    if entry["meta"]:
        yield f"*{_escape_line(entry['meta'])}*"
    yield from _blocks(entry["blocks"], 3)
    if entry["rests_on"]:
        yield _block_quote([f"{words['rests_on']}:", *map(_escape_line, entry["rests_on"])])


def _render_section(section: Mapping[str, Any], _words: Mapping[str, Any]) -> Iterator[str]:
    if section["title"]:
        yield f"### {_escape_line(section['title'])}"
    yield from _blocks(section["blocks"], 3)


def _points(points: Mapping[str, Any], _words: Mapping[str, Any]) -> Iterator[str]:
    yield f"### {_escape_line(points['title'])}"
    yield "\n".join(f"- {_escape_line(text)}" for text in points["points"])


def _render_list(title: str, texts: list[str]) -> Iterator[str]:
    if texts:
        yield f"**{_escape_line(title)}**"
        yield "\n".join(f"- {_escape_line(text)}" for text in texts)


_ITEMS: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], Iterator[str]]] = {
    "scene": _render_scene,
    "person": _render_person,
    "plate": _plate,
    "entry": _render_entry,
    "section": _render_section,
    "points": _points,
}


def _escape_line(text: str) -> str:
    """Escapes all Markdown."""
    escaped = _SPECIAL.sub(r"\\\1", " ".join(text.split()))
    return _BEGINNING.sub(lambda match: f"{match[1]}{_escape_mark(match[2])}", escaped)


def _escape_mark(mark: str) -> str:
    return f"{mark[:-1]}\\{mark[-1]}"


def _block_quote(parts: Iterable[str]) -> str:
    return "\n>\n".join("> " + part.replace("\n", "\n> ") for part in parts)


def _blocks(blocks: list[Mapping[str, Any]], under: int) -> Iterator[str]:
    for block in blocks:
        yield _block(block, under)


def _block(block: Mapping[str, Any], under: int) -> str:
    kind = block["kind"]
    if kind == "heading":
        return f"{'#' * min(DEEPEST_HEADING, under + block['level'])} {_inline(block['inner'])}"
    if kind == "listing":
        return "\n".join(_item(block["start"], place, item, under) for place, item in enumerate(block["items"]))
    if kind == "blockquote":
        return _block_quote(_blocks(block["blocks"], under))
    if kind == "codeblock":
        return "\n".join(f"    {line}" for line in block["text"].split("\n"))
    if kind == "table":
        ruler = "|" + "|".join({"right": "--:", "center": ":-:"}.get(side, "---") for side in block["aligns"]) + "|"
        rows = [_render_row(block["head"]), ruler, *map(_render_row, block["rows"])]
        return "\n".join(rows)
    if kind == "rule":
        return "***"
    return _inline(block["inner"])


def _item(start: int | None, place: int, item: list[Mapping[str, Any]], under: int) -> str:
    mark = "- " if start is None else f"{min(start + place, 999_999_999)}. "
    return mark + "\n\n".join(_blocks(item, under)).replace("\n", "\n" + " " * len(mark))


def _render_row(cells: list[list[Mapping[str, Any]]]) -> str:
    return "| " + " | ".join(_inline(cell) for cell in cells) + " |"


def _inline(inner: list[Mapping[str, Any]]) -> str:
    return _BEGINNING.sub(lambda match: f"{match[1]}{_escape_mark(match[2])}", "".join(map(_render_span, inner)))


def _render_span(span: Mapping[str, Any]) -> str:
    kind = span["kind"]
    if kind in _MARKS:
        return f"{_MARKS[kind]}{''.join(map(_render_span, span['inner']))}{_MARKS[kind]}"
    if kind == "code":
        return f"`{str(span['text']).replace('`', 'ˋ')}`".replace("\n", " ")
    if kind == "link":
        words = "".join(map(_render_span, span["inner"]))
        return f"[{words}](<{span['href'].replace('>', '%3E')}>)" if span["href"] else words
    if kind == "picture":
        return _SPECIAL.sub(r"\\\1", str(span["alt"]))
    if kind == "break":
        return " "
    return _SPECIAL.sub(r"\\\1", str(span["text"]).replace("\n", " "))
