"""What days are played with here: gm, Python, libraries."""

from __future__ import annotations

import platform
import re
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import gm
from gm.api.history.git import GitError, repository_around

CITE = f"The gm authors: gm (gm-worlds), version {gm.__version__}, MIT licence"
"""As ``CITATION.cff`` says."""
_PACKAGE = Path(gm.__file__).resolve().parent
_NAME = re.compile(r"[\w.-]+")


def machine() -> dict[str, Any]:
    """Return the values of ``gm``, ``commit``, ``python``, ``platform`` and ``libraries``."""
    return {
        "gm": gm.__version__,
        "commit": _commit(),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "libraries": _libraries(),
    }


def _commit() -> str:
    with suppress(GitError):
        repository = repository_around(_PACKAGE)
        if repository is not None and repository.top.resolve() == _PACKAGE.parent:
            changed = repository.text("status", "--porcelain", "--", _PACKAGE.name, "prompts").strip()
            return (repository.commit("HEAD") or "") + "+" * bool(changed)
    return ""


def _libraries() -> dict[str, str]:
    with suppress(metadata.PackageNotFoundError):
        wanted = [text for text in metadata.requires("gm-worlds") or () if "extra ==" not in text]
        names = sorted(found[0] for text in wanted if (found := _NAME.match(text)))
        return {name: metadata.version(name) for name in names}
    return {}
