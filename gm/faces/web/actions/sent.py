"""A form that was sent: its fields, the token in it, and what refuses it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from secrets import compare_digest
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from gm.base.errors import ErrorKind, GmError
from gm.faces.web.fields import Fields, LateFormError

TOKEN = "token"
MOST_BYTES = 1_000_000
MOST_FIELDS = 500
FORM = "application/x-www-form-urlencoded"


class FormTokenError(GmError):
    """A form that does not carry the token of this server."""

    kind = "token"


STATUSES: Mapping[ErrorKind, int] = {"token": 403, "locked": 423, "form": 400, "usage": 400}
"""The status of kinds of errors; all others have ``CONFLICT``. What a page says of a kind is ``trouble.<kind>``."""
CONFLICT = 409


def refusal(error: GmError) -> tuple[int, str]:
    """Return the status of an answer that tells of an error, and the ``notice`` of its page."""
    return CONFLICT if isinstance(error, LateFormError) else STATUSES.get(error.kind, CONFLICT), error.kind


def check_token(sent: Fields, token: str) -> None:
    """Check that a form was made by this server.

    Raises:
        FormTokenError: It was not.
    """
    if not compare_digest(sent.get(TOKEN, "").encode(), token.encode()):
        raise FormTokenError("this form was made by another server, or by one that has ended", "load the page again")


def answer_sent(take: Callable[[Request, Fields], Response]) -> Callable[[Request], Awaitable[Response]]:
    """Return a handler that reads a form and has it answered in a thread."""

    async def answer(request: Request) -> Response:
        return await run_in_threadpool(take, request, await _read_form(request))

    return answer


async def _read_form(request: Request) -> Fields:
    """Return the fields of a form, with LF line ends; of a repeated name the last value counts.

    Raises:
        HTTPException: 415 not a form, 413 too large, 400 unreadable.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        raise HTTPException(415)
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BYTES:
            raise HTTPException(413)
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS, encoding="utf-8"
        )
    except ValueError as error:
        raise HTTPException(400) from error
    return {name: value.replace("\r\n", "\n") for name, value in pairs}
