"""Tool calls in the text of an answer, for backends that answer only with text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gm.ask.reply.extract import extract_object
from gm.ask.reply.parse import clean_texts
from gm.llm.content import ToolCall

ONE, MANY, ARGUMENTS = "tool", "calls", "arguments"
FORM = 'a call is {"tool": "NAME", "arguments": {…}}'


def read_calls(text: str, names: Sequence[str], prefix: str) -> tuple[tuple[ToolCall, ...], tuple[str, ...]]:
    """Read tool calls from a text; return them and their problems, both empty when the text is not a call.

    ``prefix`` is that of the ids of the calls.
    """
    found = extract_object(text, (ONE, MANY))
    if found is None or not {ONE, MANY} & found.data.keys():
        return (), ()
    items = found.data.get(MANY, [found.data])
    if not isinstance(items, list) or not items:
        return (), (f"{MANY}: a list of calls is expected; {FORM}",)
    problems = [problem for item in items if (problem := _problem(item, names))]
    if problems:
        return (), tuple(problems)
    return tuple(_call(item, f"{prefix}-{number}") for number, item in enumerate(items, 1)), ()


def _problem(item: object, names: Sequence[str]) -> str:
    if not isinstance(item, Mapping) or not isinstance(item.get(ONE), str):
        return f"the name of a tool is missing; {FORM}"
    if item[ONE] not in names:
        return f"no tool is called {item[ONE][:60]!r}; there are: {', '.join(names)}"
    if not isinstance(item.get(ARGUMENTS) or {}, Mapping):
        return f"{item[ONE]}: its arguments are no object; {FORM}"
    return ""


def _call(item: Mapping[str, Any], identifier: str) -> ToolCall:
    return ToolCall(identifier, str(item[ONE]), clean_texts(dict(item.get(ARGUMENTS) or {}))[0])
