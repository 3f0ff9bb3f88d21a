"""Ask a server for exactly what is written, as no browser would."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from urllib.parse import urlsplit

SOON_S = 60


@dataclass(frozen=True, slots=True)
class Told:
    """An answer of a server; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: str


def ask(root: str, path: str, method: str = "GET", **headers: str) -> Told:
    """Send one request.

    Args:
        root: The address of the server.
        path: The path and query, byte for byte; only ASCII.
        method: What is asked.
        headers: Further ones; ``_`` stands for ``-``.
    """
    connection = HTTPConnection(urlsplit(root).netloc, timeout=SOON_S)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        told = {name.lower(): value for name, value in answer.getheaders()}
        return Told(answer.status, told, answer.read().decode("utf-8", "replace"))
    finally:
        connection.close()
