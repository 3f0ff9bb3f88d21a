"""The recorded days of template worlds: a folder in a checkout, one packed file in a wheel (``hatch_build.py``)."""

from __future__ import annotations

from pathlib import Path

from gm.base.packed import read_packed
from gm.files.layout import Layout
from gm.model.calendar import render_day

FOLDER = Path(__file__).resolve().parent.parent.parent / "worlds" / "recorded"
"""For each template: ``after-3/`` with state and gallery, ``traces/``, and files for the world itself."""
AFTER = "after-"
TRACES = "traces"
_PACKED = FOLDER.with_name("recorded.tar.xz")


def list_recorded(name: str) -> tuple[int, ...]:
    """Return after how many recorded days a template can begin."""
    folders = {path.partition("/")[0] for path in _read_recorded(name, AFTER)}
    return tuple(sorted(int(folder.removeprefix(AFTER)) for folder in folders))


def recorded_files(name: str, days: int) -> dict[str, str]:
    """Return the files of a world after recorded days, by path; ``gm.yaml`` holds what is added to the template's."""
    traces = Layout(Path()).traces.as_posix()
    found: dict[str, str] = {}
    for path, text in _read_recorded(name).items():
        top, _, rest = path.partition("/")
        if not rest:
            found[path] = text
        elif top == f"{AFTER}{days}":
            found[rest] = text
        elif top == TRACES and rest.partition("/")[0] in map(render_day, range(1, days + 1)):
            found[f"{traces}/{rest}"] = text
    return found


def _read_recorded(name: str, begins: str = "") -> dict[str, str]:
    found = read_packed(_PACKED, FOLDER, f"{name}/{begins}")
    return {path.removeprefix(f"{name}/"): text for path, text in found.items()}
