"""Questions and answers in the form of OpenAI's chat completions. Sends nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from gm.base.config import ReplySettings
from gm.base.errors import BackendError
from gm.base.untyped import items_of, text_at
from gm.llm.base import Answer, Request, UnreadableAnswerError, Usage, read_tokens, read_usd
from gm.llm.content import Content, ToolCall, ToolResult, parts_of
from gm.llm.providers import FORMS_IN_PROMPT, JSON, STRICT, USAGE, WORDS, Provider
from gm.llm.schema_variants import grammar_form, strict_form
from gm.llm.streams import fold_chat
from gm.llm.wire import find_last_question, load_message, quote_error, read_arguments, schema_in_words, without_content

Body = dict[str, Any]

STOPS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "content_filter": "refusal",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
}


def render_chat(
    request: Request,
    model: str,
    provider: Provider,
    form: str,
    *,
    stream: bool = False,
    limits: ReplySettings | None = None,
) -> Body:
    """Return a request's body, without unneeded keys: some servers refuse unknown ones.

    Args:
        stream: Let the answer arrive in pieces.
    """
    body: Body = {
        "model": model,
        "messages": list(_messages(request, with_form=form in FORMS_IN_PROMPT)),
        provider.limit: request.max_tokens,
        **provider.extra,
    }
    if form != WORDS:
        body["response_format"] = _response_format(request, form, limits or ReplySettings())
    if stream:
        body["stream"] = True
        if provider.stream == USAGE:
            body["stream_options"] = {"include_usage": True}
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": dict(tool.parameters),
                },
            }
            for tool in request.tools
        ]
        body["tool_choice"] = "none" if request.must_answer else "auto"
    return body


def _response_format(request: Request, form: str, limits: ReplySettings) -> Body:
    if form == JSON:
        return {"type": "json_object"}
    made: Body = {"name": str(request.schema.get("title") or request.purpose)}
    made |= (
        {"strict": True, "schema": strict_form(request.schema)}
        if form == STRICT
        else {"schema": grammar_form(request.exact or request.schema, limits)}
    )
    return {"type": "json_schema", "json_schema": made}


def _messages(request: Request, *, with_form: bool) -> Iterator[Body]:
    yield {"role": "system", "content": "\n\n".join(block.text.strip("\n") for block in request.system)}
    last, text = find_last_question(request) if with_form else (-1, "")
    for place, (role, content) in enumerate(request.messages):
        yield from _turn(role, text.rstrip() + schema_in_words(request.schema) if place == last else content)


def _turn(role: str, content: Content) -> Iterator[Body]:
    parts = [part for part in parts_of(content) if part != ""]
    results = [part for part in parts if isinstance(part, ToolResult)]
    yield from ({"role": "tool", "tool_call_id": part.id, "content": part.text} for part in results)
    text = "\n\n".join(part for part in parts if isinstance(part, str))
    calls = [part for part in parts if isinstance(part, ToolCall)]
    if calls:
        yield {"role": "assistant", "content": text or None, "tool_calls": [_call(call) for call in calls]}
    elif text or not results:
        yield {"role": role, "content": text}


def _call(call: ToolCall) -> Body:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def read_chat(data: bytes, *, bills: bool = False) -> tuple[Answer, tuple[str, ...]]:
    """Read a server's answer.

    Args:
        bills: Whether its usage tells what it cost.

    Returns:
        The answer, and a phrase for each oddity.

    Raises:
        UnreadableAnswerError: There is neither a text nor a call.
        BackendError: The model was cut short before it answered, or thought and said nothing.
    """
    said, odd = load_message(data, fold_chat)
    choices = said.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) else {}
    message = first.get("message")
    finish = first.get("finish_reason")
    if not isinstance(message, Mapping):
        raise UnreadableAnswerError(without_content(data, said.get("error")), data)
    if finish == "error":
        raise BackendError(f"the provider broke off{quote_error(first.get('error') or said.get('error'))}")
    text, calls = _join_text(message.get("content")), _calls(message.get("tool_calls"), odd)
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal and not text:
        text, finish = refusal, "content_filter"
    if not text and not calls:
        if message.get("reasoning_content") or message.get("reasoning"):
            raise BackendError(
                "the model thought and gave no answer", "set llm.thinking: none in gm.yaml, or raise llm.max_tokens"
            )
        if finish not in STOPS:
            raise UnreadableAnswerError(without_content(data, said.get("error")), data)
    if not isinstance(finish, str):
        odd.append("no finish_reason")
    answer = Answer(
        text=text,
        model=text_at(said, "model"),
        stop=STOPS.get(finish, finish) if isinstance(finish, str) else "end_turn",
        usage=_usage(said.get("usage"), odd),
        calls=calls,
        raw=data if odd else b"",
        usd=_bill(said.get("usage")) if bills else None,
    )
    return answer, tuple(odd)


def extract_error(data: bytes) -> bytes:
    """Return what an answer that began well says of an error, in the form of a refusal."""
    try:
        said = load_message(data, fold_chat)[0]
    except UnreadableAnswerError:
        return b""
    return json.dumps({"error": said.get("error")}).encode()


def _join_text(content: object) -> str:
    if isinstance(content, list):
        return "".join(_join_text(part.get("text")) for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def _calls(listed: object, odd: list[str]) -> tuple[ToolCall, ...]:
    found: list[ToolCall] = []
    for item in items_of(listed):
        called = item.get("function") if isinstance(item, Mapping) else None
        if isinstance(called, Mapping) and isinstance(called.get("name"), str) and isinstance(item.get("id"), str):
            found.append(ToolCall(item["id"], called["name"], read_arguments(called.get("arguments"))))
        else:
            odd.append("a call that cannot be read")
    return tuple(found)


def _usage(given: object, odd: list[str]) -> Usage:
    # Providers count cached tokens among those of the prompt. What the total holds beside prompt and answer was
    # thought, and is paid as an answer (xAI, Gemini).
    if not isinstance(given, Mapping):
        odd.append("no usage")
        return Usage()
    details = given.get("prompt_tokens_details")
    details = details if isinstance(details, Mapping) else {}
    counts = {
        name: read_tokens(value) if value is not None else 0
        for name, value in (
            ("prompt_tokens", given.get("prompt_tokens")),
            ("completion_tokens", given.get("completion_tokens")),
            ("cached_tokens", details.get("cached_tokens", given.get("prompt_cache_hit_tokens"))),
            ("cache_write_tokens", details.get("cache_write_tokens")),
            ("total_tokens", given.get("total_tokens")),
        )
    }
    odd += [f"usage.{name}: no number of tokens" for name, count in counts.items() if count is None]
    prompt, output, read, written, total = (count or 0 for count in counts.values())
    read = min(read, prompt)
    written = min(written, prompt - read)
    return Usage(
        input_tokens=prompt - read - written,
        output_tokens=max(output, total - prompt),
        cache_read_tokens=read,
        cache_write_tokens=written,
    )


def _bill(usage: object) -> float | None:
    # US dollars, other key owners' part included; None = not told
    if not isinstance(usage, Mapping):
        return None
    cost, details = read_usd(usage.get("cost")), usage.get("cost_details")
    if cost is None or usage.get("is_byok") is not True or not isinstance(details, Mapping):
        return cost
    return cost + (read_usd(details.get("upstream_inference_cost")) or 0.0)
