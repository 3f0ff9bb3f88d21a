"""The static files of the pages; a wheel holds the scripts of other projects in one packed file."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope

from gm.base.packed import read_packed

STATIC = Path(str(files("gm.faces.web") / "static"))
_VENDOR = STATIC / "vendor"


@cache
def vendored_scripts() -> dict[str, bytes]:
    """Return the scripts of other projects, by path below ``static/``."""
    texts = read_packed(STATIC.with_name("vendor.tar.xz"), _VENDOR, ends=".js")
    return {f"{_VENDOR.name}/{name}": text.encode() for name, text in texts.items()}


def static_files() -> dict[str, bytes]:
    """Return all static files, by path below ``static/``."""
    plain = {path.relative_to(STATIC).as_posix(): path for path in sorted(STATIC.rglob("*")) if path.is_file()}
    return {name: path.read_bytes() for name, path in plain.items()} | vendored_scripts()


class _WithScripts(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        script = vendored_scripts().get(path) if path.startswith(f"{_VENDOR.name}/") else None
        if script is None or scope["method"] not in ("GET", "HEAD"):
            return await super().get_response(path, scope)
        response = Response(script, media_type="text/javascript", headers={"etag": f'"{sha256(script).hexdigest()}"'})
        is_known = self.is_not_modified(response.headers, Headers(scope=scope))
        return NotModifiedResponse(response.headers) if is_known else response


def mount_static() -> Mount:
    """Return the route that serves the static files."""
    return Mount("/static", _WithScripts(directory=STATIC), name="static")
