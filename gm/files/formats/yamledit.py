"""Change one value of a YAML file and leave every other byte as it is.

The first spelling that reads back as the wanted data is used, so an edit never damages a file. What cannot be edited in
place (a value shared by an alias) is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from gm.base.yamlwords import explain_yaml
from gm.files.formats.splice import SplicedItem, align_items, is_same_value, join_pieces
from gm.files.formats.text import BOM
from gm.files.formats.yamlnode import YamlNode, compose_node, find_column

# raised by PyYAML for malformed text or a tag that does not fit its value
_UNREADABLE = (yaml.YAMLError, LookupError, ValueError, TypeError, AttributeError, RecursionError)


def set_yaml(text: str, path: Sequence[str | int], value: object) -> str:
    """Set one value of a YAML document, which may be empty or hold comments only.

    Args:
        path: Keys and list indices; a new last key is added at the end of its mapping.
        value: A scalar, or lists and mappings of scalars.

    Raises:
        ValueError: Not one YAML document, no such path, or the value cannot be changed in place.
    """
    mark = BOM if text.startswith(BOM) else ""
    body = text.removeprefix(BOM)
    data = _load_yaml(body)
    wanted = put_at({} if data is None else data, path, value)
    if data is not None and is_same_value(data, wanted):
        return text
    for changed in _attempts(body, path, data, value):
        shown = in_line_ends_of(body, changed)
        if _is_read_as(shown, wanted):
            return mark + shown
    where = ".".join(map(str, path))
    raise ValueError(f"{where} cannot be changed in place")


def put_at(data: object, path: Sequence[str | int], value: object) -> Any:
    """Return a copy of the data with one value changed.

    Raises:
        ValueError: No such path.
    """
    if not path:
        return value
    key, *rest = path
    if isinstance(data, dict) and (key in data or not rest):
        return {**data, key: put_at(data.get(key), rest, value)}
    if isinstance(data, list) and isinstance(key, int) and 0 <= key < len(data):
        return [*data[:key], put_at(data[key], rest, value), *data[key + 1 :]]
    raise ValueError(f"there is no {key!r} here")


def in_line_ends_of(text: str, changed: str) -> str:
    """Return a changed text with the line ends that the text had before."""
    return re.sub(r"(?<!\r)\n", "\r\n", changed) if "\r\n" in text else changed


def _load_yaml(text: str) -> Any:
    try:
        return yaml.load(text, yaml.SafeLoader)
    except _UNREADABLE as error:
        raise ValueError(f"not YAML: {explain_yaml(error, text).placed}") from error


def _is_read_as(text: str, wanted: object) -> bool:
    try:
        return is_same_value(yaml.load(text, yaml.SafeLoader), wanted)
    except _UNREADABLE:
        return False


def _attempts(text: str, path: Sequence[str | int], data: Any, value: Any) -> Iterator[str]:
    root = compose_node(text)
    if data is None or root is None:
        (key,) = path
        yield from (_append_entry(text, f"{_write_key(key)}: {way}") for way in _new_ways(value, 0))
        return
    node, parent, old, slot = root, root, data, 0
    for key in path:
        place = _place_of(old, key)
        if place is None:
            yield from _add_key(text, node, key, value)
            return
        slot = node.slots[place] if node.slots else 0
        parent, node = node, node.items[place]
        old = old[key]
    for way in _edited_ways(text, node, old, value, _indent_of(text, parent)):
        yield text[: node.begin] + _separate_from_colon(text, node, way) + text[node.end :]
    for way in _new_ways(value, _indent_of(text, parent)):
        if slot and node.style == "block":  # up to the colon or hyphen of a block that stood below it
            yield f"{text[:slot]} {way}{text[slot : node.outer].rstrip()}{text[node.end :]}"
        # without the old value's tag or anchor
        yield text[: node.outer] + way + text[node.end :]


def _place_of(data: object, key: str | int) -> int | None:
    if isinstance(data, dict):
        return list(data).index(key) if key in data else None
    return int(key)


def _edited_ways(text: str, node: YamlNode, old: Any, new: Any, indent: int) -> Iterator[str]:
    shown = text[node.begin : node.end]
    same_kind = type(old) is type(new) and new and old
    if same_kind and node.kind == "list":
        yield from _list_ways(text, node, old, new)
    if same_kind and node.kind == "map":
        yield from _map_ways(text, node, old, new)
    if isinstance(new, str) and node.kind == "scalar":
        if node.style in ("|", ">"):
            yield from _block_ways(shown, new)
        elif node.style == '"':
            yield _double_quoted(new)
        elif node.style == "'":
            yield _single_quoted(new)
        else:
            yield new
    yield from _new_ways(new, indent, many=node.style in ("|", ">"))


def _new_ways(value: object, indent: int, *, many: bool = False) -> Iterator[str]:
    if isinstance(value, str):
        if many or "\n" in value.strip("\n"):
            yield _block_literal("|", value, " " * (indent + 2))
        yield value
        yield _double_quoted(value)
        yield _single_quoted(value)
    elif value is None:
        yield "null"
    elif isinstance(value, bool | int):
        yield json.dumps(value)
    yield _write_flow(value)


def _list_ways(text: str, node: YamlNode, old: Sequence[Any], new: Sequence[Any]) -> Iterator[str]:
    pieces = []
    for origin, value in zip(align_items(old, new), new, strict=True):
        if origin is None:
            hyphen = "- " if node.style == "block" else ""
            pieces.append(SplicedItem(hyphen + next(_plain_ways(value)), None))
        else:
            item = node.items[origin]
            spelled = _separate_from_colon(text, item, _best_way(text, item, old[origin], value))
            pieces.append(SplicedItem(text[node.starts[origin] : item.begin] + spelled, origin))
    yield _join_items(text, node, pieces)


def _map_ways(text: str, node: YamlNode, old: dict[Any, Any], new: dict[Any, Any]) -> Iterator[str]:
    pieces = []
    for place, key in enumerate(old):
        if key in new and place < len(node.items):
            item = node.items[place]
            spelled = _separate_from_colon(text, item, _best_way(text, item, old[key], new[key]))
            pieces.append(SplicedItem(text[node.starts[place] : item.begin] + spelled, place))
    for key, value in new.items():
        if key not in old:
            pieces.append(SplicedItem(f"{_write_key(key)}: {next(_plain_ways(value))}", None))
    yield _join_items(text, node, pieces)


def _join_items(text: str, node: YamlNode, pieces: Sequence[SplicedItem]) -> str:
    starts, items = node.starts, node.items
    gaps = [text[item.end : start] for item, start in zip(items, starts[1:], strict=False)]
    if node.style == "flow":
        fresh = _flow_gap(gaps)
        return text[node.begin : starts[0]] + join_pieces(pieces, gaps, fresh) + text[items[-1].end : node.end]
    gaps.append(text[items[-1].end : node.end])
    first, last = pieces[0].origin, pieces[-1].origin
    lead = gaps[first - 1].partition("\n")[2].lstrip(" ") if first else ""
    rest = gaps[last].partition("\n")[0].rstrip() if last is not None else ""
    return lead + join_pieces(pieces, gaps, "\n" + " " * find_column(text, node.begin)) + rest


def _best_way(text: str, node: YamlNode, old: object, new: object) -> str:
    if is_same_value(old, new):
        return text[node.begin : node.end]
    for way in _edited_ways(text, node, old, new, find_column(text, node.begin)):
        block = node.kind in ("list", "map") and node.style == "block"
        if block or node.style in ("|", ">") or _is_read_as(f"[{way}]", [new]):
            return way
    return _write_flow(new)


def _plain_ways(value: object) -> Iterator[str]:
    yield from (way for way in _new_ways(value, 0) if "\n" not in way and _is_read_as(f"[{way}]", [value]))
    yield _write_flow(value)


def _add_key(text: str, node: YamlNode, key: str | int, value: object) -> Iterator[str]:
    if node.kind != "map":
        return
    if node.style == "flow":
        gaps = [text[item.end : start] for item, start in zip(node.items, node.starts[1:], strict=False)]
        place = node.items[-1].end if node.items else node.begin + 1
        lead = _flow_gap(gaps) if node.items else ""
        for way in _plain_ways(value):
            yield f"{text[:place]}{lead}{_write_key(key)}: {way}{text[place:]}"
        return
    column = find_column(text, node.begin)
    for way in _new_ways(value, column):
        yield f"{text[: node.end]}\n{' ' * column}{_write_key(key)}: {way}{text[node.end :]}"


def _append_entry(text: str, entry: str) -> str:
    gap = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{gap}{entry}\n"


def _write_key(key: str | int) -> str:
    ways = (way for way in _new_ways(key, 0) if "\n" not in way and _is_read_as(f"{way}: 1", {key: 1}))
    return next(ways, _write_flow(key))


def _write_flow(value: object) -> str:
    shown = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=2**31, sort_keys=False)
    return str(shown).removesuffix("\n").removesuffix("\n...")


def _double_quoted(text: str) -> str:
    shown = yaml.safe_dump(text, default_style='"', allow_unicode=True, width=2**31)
    return str(shown).removesuffix("\n")


def _single_quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _block_ways(shown: str, new: str) -> Iterator[str]:
    header, _, body = shown.partition("\n")
    line = next((line for line in body.split("\n") if line.strip()), "  ")
    indent = line[: len(line) - len(line.lstrip(" "))]
    sign = header[0]
    comment = re.search(r"[ \t]+#.*", header.removesuffix("\r"))
    for style in dict.fromkeys((sign, "|")):
        first, *rest = _block_literal(style, new, indent).split("\n")
        yield "\n".join((first + (comment.group() if comment else ""), *rest))


def _block_literal(sign: str, text: str, indent: str) -> str:
    """A folded block needs an empty line at each line end of the text."""
    body = text.rstrip("\n")
    ends = len(text) - len(body)
    chomp = "-" if ends == 0 else "" if ends == 1 else "+"
    lines = body.split("\n")
    if sign == ">":
        lines = [part for line in lines for part in (line, "")][:-1]
    filled = [indent + line if line else "" for line in lines] + [""] * max(0, ends - 1)
    return "\n".join((sign + chomp, *filled))


def _separate_from_colon(text: str, node: YamlNode, way: str) -> str:
    return f" {way}" if node.begin == node.end and text[node.begin - 1 : node.begin] in (":", "-") else way


def _flow_gap(gaps: Sequence[str]) -> str:
    return gaps[-1] if gaps and "#" not in gaps[-1] else ", "


def _indent_of(text: str, node: YamlNode) -> int:
    return find_column(text, node.begin) if node.style == "block" else 0
