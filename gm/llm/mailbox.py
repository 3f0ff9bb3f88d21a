"""The mailbox backend: a person or a coding assistant answers letters.

The command stops with a list of missing answers; run again, it continues with those that have come.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from string import Template
from typing import Any

from gm.ask.reply.extract import AS_YAML, extract_object
from gm.ask.reply.parse import clean_texts
from gm.base.errors import Awaited, WaitingError
from gm.llm.base import MAILBOX, Answer, Postbox, Request, Surroundings
from gm.llm.content import Content, Part, Tool, ToolCall, ToolResult, parts_of, plain_call, text_of
from gm.llm.identity import identity
from gm.llm.packaged import words

ANSWER_HINT = "write the answers, then run the same command again: it goes on from here"

ONE, MANY, ARGUMENTS = "tool", "calls", "arguments"
CALL_FORM = 'a call is {"tool": "NAME", "arguments": {…}}'


def make(_model: str, around: Surroundings) -> Mailbox:
    """Make the backend."""
    assert around.postbox is not None
    return Mailbox(around.postbox)


class Mailbox:
    """Writes questions to files and reads the answers from files."""

    name = MAILBOX
    model = MAILBOX
    reads_facts = False

    def __init__(self, postbox: Postbox) -> None:
        self._postbox = postbox

    def ask(self, request: Request) -> Answer:
        """Return the answer.

        Raises:
            WaitingError: It is missing or not usable.
        """
        letter, name = letter_name(request), identity(request, self)
        text = self._postbox.answer(letter, name)
        if text is None:
            raise WaitingError([self._lay_out(letter, name, request)], ANSWER_HINT)
        calls, problems = self._calls(request, text)
        if calls:
            self._postbox.explain(letter, "")
            return Answer(text, self.model, "tool_use", calls=calls)
        problems = problems or request.check(text) or _find_unfinished(text, request)
        if problems:
            raise WaitingError([self._explain(letter, request, problems)], ANSWER_HINT)
        self._postbox.explain(letter, "")
        return Answer(text, self.model)

    def _calls(self, request: Request, text: str) -> tuple[tuple[ToolCall, ...], Sequence[str]]:
        if not request.tools or not request.check(text):
            return (), ()
        calls, problems = parse_tool_calls(text, [tool.name for tool in request.tools], request.label)
        return ((), (words()["no_more"],)) if request.must_answer and (calls or problems) else (calls, problems)

    def _lay_out(self, letter: str, name: str, request: Request) -> Awaited:
        question, answer = self._postbox.paths(letter)
        front = {
            "for": request.who,
            "scene": request.place,
            "label": request.label,
            "answer": answer,
            "identity": name,
            **_describe_request(request),
        }
        problem = question.removesuffix(".md") + ".problem.md"
        who = request.who or request.purpose
        task = words()["character" if request.who else "oneself"]
        head = _fill("letter", who=who, answer=answer, problem=problem, **task)
        self._postbox.write_question(letter, front, head + _offer(request) + _prompt(request))
        return Awaited(who, question, answer)

    def _explain(self, letter: str, request: Request, problems: Sequence[str]) -> Awaited:
        question, answer = self._postbox.paths(letter)
        lines = "\n".join(f"- {problem}" for problem in problems)
        text = _fill("problem", question=question, problems=lines, answer=answer)
        where = self._postbox.explain(letter, text)
        return Awaited(request.who or request.purpose, question, answer, problem=where)


def _fill(name: str, **values: str) -> str:
    return Template(words()[name]).substitute(values)


def _describe_request(request: Request) -> dict[str, str]:
    if not request.reply:
        return {}
    asked = text_of(request.messages[0][1]).strip().partition("\n")[0]
    keys = ", ".join(request.schema.get("properties", ()))
    return {"reply": request.reply, "keys": keys, "with": ", ".join(request.others), "question": asked}


def _offer(request: Request) -> str:
    if not request.tools:
        return ""
    if request.must_answer:
        return f"{words()['no_more']}\n\n"
    return _fill("tools", tools="\n".join(f"- {_signature(tool)}" for tool in request.tools))


def _signature(tool: Tool) -> str:
    needed = tool.parameters.get("required", ())
    names = (name if name in needed else f"{name}?" for name in tool.parameters.get("properties", ()))
    return f"`{tool.name}({', '.join(names)})`: {tool.description}"


def _find_unfinished(text: str, request: Request) -> list[str]:
    # Half of a YAML document still parses, unlike half a JSON document.
    keys = list(request.schema.get("properties", ()))
    found = extract_object(text, keys)
    if found is None or AS_YAML not in found.repairs or not keys or keys[-1] in found.data:
        return []
    return [f"{keys[-1]}: missing; an answer in YAML ends with it, so that it is certain to be whole"]


def letter_name(request: Request) -> str:
    """Return the name of a letter: ``day-003-scene-04-vera``."""
    return f"{request.place.replace('/', '-')}-{request.label}"


def _prompt(request: Request) -> str:
    parts = [block.text.strip() for block in request.system]
    for number, (role, content) in enumerate(request.messages):
        parts += [_choose_heading(role, content)] if number else []
        parts += [text for part in parts_of(content) if (text := _render_part(part).strip())]
    return "\n\n".join(parts) + "\n"


def _choose_heading(role: str, content: Content) -> str:
    kinds = {type(part) for part in parts_of(content)}
    heading: str = words()["called" if ToolCall in kinds else "came_back" if ToolResult in kinds else role]
    return heading


def _render_part(part: Part) -> str:
    if isinstance(part, ToolCall):
        return "`" + json.dumps({key: plain_call(part)[key] for key in ("tool", "arguments")}, ensure_ascii=False) + "`"
    return f"```json\n{part.text}\n```" if isinstance(part, ToolResult) else part


def parse_tool_calls(text: str, names: Sequence[str], prefix: str) -> tuple[tuple[ToolCall, ...], tuple[str, ...]]:
    """Read tool calls and their problems from a text, both empty when it is not a call.

    ``prefix`` is that of the calls' ids.
    """
    found = extract_object(text, (ONE, MANY))
    if found is None or not {ONE, MANY} & found.data.keys():
        return (), ()
    items = found.data.get(MANY, [found.data])
    if not isinstance(items, list) or not items:
        return (), (f"{MANY}: expected a list of calls; {CALL_FORM}",)
    problems = [problem for item in items if (problem := _problem(item, names))]
    if problems:
        return (), tuple(problems)
    return tuple(_call(item, f"{prefix}-{number}") for number, item in enumerate(items, 1)), ()


def _problem(item: object, names: Sequence[str]) -> str:
    if not isinstance(item, Mapping) or not isinstance(item.get(ONE), str):
        return f"the name of a tool is missing; {CALL_FORM}"
    if item[ONE] not in names:
        return f"no tool is called {item[ONE][:60]!r}; there are: {', '.join(names)}"
    if not isinstance(item.get(ARGUMENTS) or {}, Mapping):
        return f"{item[ONE]}: its arguments are not an object; {CALL_FORM}"
    return ""


def _call(item: Mapping[str, Any], identifier: str) -> ToolCall:
    return ToolCall(identifier, str(item[ONE]), clean_texts(dict(item.get(ARGUMENTS) or {}))[0])
