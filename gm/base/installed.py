"""How gm was installed, and how its extras are."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from gm.base.errors import DISTRIBUTION


def pip_install(*extras: str) -> str:
    """Return how to install gm with one of some extras, from where it was installed: a clone, or the package index."""
    return "pip install " + " or ".join(f"'{_source()}[{extra}]'" for extra in extras)


@lru_cache
def _source() -> str:
    from importlib.metadata import PackageNotFoundError, distribution  # slow to load

    try:
        record = distribution(DISTRIBUTION).read_text("direct_url.json")  # absent when it came from an index
    except PackageNotFoundError:
        return DISTRIBUTION
    url = urlsplit(json.loads(record)["url"] if record else "")
    folder = Path(url2pathname(url.path))
    return str(folder) if url.scheme == "file" and (folder / "pyproject.toml").is_file() else DISTRIBUTION
