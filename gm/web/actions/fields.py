"""Read what a browser sends with a form; nothing else, and not without end."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

MOST_BYTES = 1_000_000
MOST_FIELDS = 500
FORM = "application/x-www-form-urlencoded"


async def read_fields(request: Request) -> dict[str, str]:
    """Read the fields of a form, with the line ends of files; of a name that occurs twice the last one.

    Raises:
        HTTPException: 415 it is no form, 413 it is too large, 400 it cannot be read.
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
