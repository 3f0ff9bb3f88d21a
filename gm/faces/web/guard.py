"""Request checks and security headers.

The server listens on loopback only, but a page of another site can make a browser send requests: through a name that it
points at 127.0.0.1 (so ``Host`` is checked), or by a form (so changes need our ``Origin``).
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOSTS = ("127.0.0.1", "localhost", "::1")
READING = ("GET", "HEAD")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PUBLISHED_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'"
)
"""The part of the policy that a page can state itself, without a server."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """Middleware that refuses requests from pages of other sites, and adds security headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = _refusal(scope["method"], Headers(scope=scope))

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        answer = self._app if refusal is None else PlainTextResponse(refusal + "\n", 403)
        await answer(scope, receive, send_guarded)


def _refusal(method: str, headers: Headers) -> str | None:
    hosts = headers.getlist("host")
    if len(hosts) != 1 or not is_own_host(hosts[0]):
        return "gm view answers to 127.0.0.1 and localhost only"
    origin = headers.get("origin")
    if origin is not None and origin != f"http://{hosts[0]}":
        return "this request comes from a page of another site"
    if method not in READING and origin is None:
        return "a change has to come from one of gm's own pages"
    return None


def is_own_host(host: str) -> bool:
    """Return whether a ``Host`` header names this machine."""
    try:
        parts = urlsplit(f"//{host}")
        return parts.hostname in HOSTS and parts.username is None and not parts.path and parts.port != 0
    except ValueError:
        return False
